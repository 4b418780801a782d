# SPDX-License-Identifier: MIT
#
# What is made of the tables of operators, table/*.ops:
#
#	-v mode=names	  the names of headers, one a line
#	-v mode=headers -v dir=DIR	DIR/aclnn_NAME.h, all of them
#	-v mode=entries	  C source: descriptions, and the two functions of each
#	-v mode=document  a list in Markdown
#
# An operator is three lines, and an empty one.  "\" continues a line.
#
#	HEADER NAME PARAMETER...
#		RECIPE
#		A sentence that describes it.
#
# A parameter is NAME, NAME:TYPE or NAME:TYPE?, where "?" allows NULL:
#
#	t  const aclTensor *, also without a type	o  aclTensor *, an output
#	z h Z  as t o O, also of types that the operator takes apart by halves
#	l  const aclTensorList *			m  aclTensorList *, outputs
#	s  const aclScalar *				O  const aclTensor *, an output
#	M  const aclTensorList *, outputs		a  aclIntArray *
#	A  const aclIntArray *				B  const aclBoolArray *
#	i  int64_t	n  int		y  int8_t	u  uint64_t
#	b  bool		d  double	f  float	e  aclDataType
#	c  char *	C  const char *
#
# A recipe is an operator of lib/ops with its tensors, and its parameters:
#
#	OPERATOR INPUT... > OUTPUT... PARAMETER=VALUE...
#
# where inputs and outputs are parameters, and VALUE is a parameter or a number.
# "=NAME" is the function build_NAME() instead.  A line "HEADER -" makes a header
# without operators, because programs include it.

BEGIN {
	c["t"] = "const aclTensor *"; kind["t"] = "TENSOR"
	c["o"] = "aclTensor *"; kind["o"] = "OUTPUT"
	c["O"] = "const aclTensor *"; kind["O"] = "OUTPUT"
	c["z"] = c["t"]; kind["z"] = kind["t"]; has_halves["z"] = 1
	c["h"] = c["o"]; kind["h"] = kind["o"]; has_halves["h"] = 1
	c["Z"] = c["O"]; kind["Z"] = kind["O"]; has_halves["Z"] = 1
	c["l"] = "const aclTensorList *"; kind["l"] = "TENSORS"
	c["m"] = "aclTensorList *"; kind["m"] = "OUTPUTS"
	c["M"] = "const aclTensorList *"; kind["M"] = "OUTPUTS"
	c["s"] = "const aclScalar *"; kind["s"] = "SCALAR"
	c["A"] = "const aclIntArray *"; kind["A"] = "INTS"
	c["a"] = "aclIntArray *"; kind["a"] = "INTS"
	c["B"] = "const aclBoolArray *"; kind["B"] = "BOOLS"
	c["i"] = "int64_t "; kind["i"] = "INT"
	c["n"] = "int "; kind["n"] = "INT"
	c["y"] = "int8_t "; kind["y"] = "INT"
	c["u"] = "uint64_t "; kind["u"] = "INT"
	c["b"] = "bool "; kind["b"] = "INT"
	c["d"] = "double "; kind["d"] = "FLOAT"
	c["f"] = "float "; kind["f"] = "FLOAT"
	c["e"] = "aclDataType "; kind["e"] = "INT"
	c["c"] = "char *"; kind["c"] = "TEXT"
	c["C"] = "const char *"; kind["C"] = "TEXT"
	if (mode == "entries") {
		print "/* SPDX-License-Identifier: MIT */"
		print "/* Made by generate.awk of the tables of operators. */"
		print "#include \"aclnn.h\"\n#include \"builders.h\"\n#include \"single.h\"\n"
	}
}

function die(text)
{
	print FILENAME ":" FNR ": " text >"/dev/stderr"
	is_bad = 1
	exit 1
}

{
	if (held != "")
		sub(/^[ \t]+/, " ")
}

/\\$/ {
	sub(/ *\\$/, "")
	held = held $0
	next
}

{
	$0 = held $0
	held = ""
}

/^#/ || /^$/ { next }

/^[a-z]/ && $2 == "-" {
	header_add($1)
	next
}

/^[a-z]/ {
	header_add($1)
	header = $1
	name = "aclnn" $2
	count = NF - 2
	for (i = 1; i <= count; i++)
		parameter_read(i, $(i + 2))
	lines = 1
	next
}

lines == 1 {
	recipe = $0
	sub(/^\t/, "", recipe)
	lines = 2
	next
}

lines == 2 {
	text = $0
	sub(/^\t/, "", text)
	lines = 0
	if (mode == "headers")
		header_write()
	else if (mode == "entries")
		entry_write()
	else if (mode == "document")
		document_add()
	next
}

{ die("this belongs to no operator") }

function header_add(h)
{
	if (h in is_known)
		return
	is_known[h] = 1
	headers[++header_count] = h
}

function parameter_read(i, word,    part)
{
	opt[i] = sub(/\?$/, "", word)
	part = split(word, p, ":")
	arg[i] = p[1]
	type[i] = part > 1 ? p[2] : "t"
	if (!(type[i] in c))
		die("type " type[i] " is not known")
	index_of[name, arg[i]] = i
}

# The parameters of the first function, wrapped.
function signature(    line, all, i, word)
{
	line = "aclnnStatus " name "GetWorkspaceSize("
	for (i = 1; i <= count + 2; i++) {
		if (i <= count)
			word = c[type[i]] arg[i] ", "
		else if (i == count + 1)
			word = "uint64_t *workspaceSize, "
		else
			word = "aclOpExecutor **executor)"
		if (length(line) + length(word) > 80) {
			sub(/ $/, "", line)
			all = all line "\n"
			line = "\t\t"
		}
		line = line word
	}
	return all line
}

function second()
{
	return "aclnnStatus " name "(void *workspace, uint64_t workspaceSize,\n" \
		"\t\taclOpExecutor *executor, aclrtStream stream)"
}

function header_write()
{
	body[header] = body[header] "\n/* " text " */\nACL_FUNC_VISIBILITY\n" \
		signature() ";\nACL_FUNC_VISIBILITY\n" second() ";\n"
}

function number_of(word)
{
	if (!((name, word) in index_of))
		die(name ": there is no parameter " word)
	return index_of[name, word] - 1
}

function recipe_write(    n, w, i, ins, outs, params, in_count, out_count, value,
		      is_out, par_count)
{
	n = split(recipe, w, " ")
	for (i = 2; i <= n; i++) {
		if (w[i] == ">") {
			is_out = 1
		} else if (split(w[i], value, "=") == 2) {
			par_count++
			if (value[2] ~ /^-?[0-9]/)
				params = params " { \"" value[1] "\", -1, " \
					value[2] " },"
			else
				params = params " { \"" value[1] "\", " \
					number_of(value[2]) ", 0 },"
		} else if (is_out) {
			outs = outs " " number_of(w[i]) ","
			out_count++
		} else {
			ins = ins " " number_of(w[i]) ","
			in_count++
		}
	}
	print "\t.engine = VNPU_OP_" toupper(w[1]) ","
	print "\t.build = aclnn_build_recipe,"
	if (in_count)
		print "\t.inputs = " in_count ", .input = {" ins " },"
	print "\t.outputs = " out_count ", .output = {" outs " },"
	if (par_count)
		print "\t.params = " par_count ", .param = {" params " },"
}

function entry_write(    i)
{
	printf "static const struct aclnn_arg args_%s[] = {\n", name
	for (i = 1; i <= count; i++)
		printf "\t{ \"%s\", ACLNN_%s, %d, %d },\n", arg[i],
			kind[type[i]], opt[i], type[i] in has_halves
	print "};\n"
	printf "static const struct aclnn_op op_%s = {\n", name
	printf "\t.name = \"%s\",\n\t.args = args_%s,\n\t.count = %d,\n", name,
		name, count
	if (recipe ~ /^=/)
		print "\t.build = build_" substr(recipe, 2) ","
	else
		recipe_write()
	print "};\n"
	ops[++op_count] = name
	print "ACL_FUNC_VISIBILITY\n" signature() ";\nACL_FUNC_VISIBILITY\n" \
		second() ";\n"
	print signature() "\n{"
	print "\tconst union aclnn_value passed[] = {"
	for (i = 1; i <= count; i++)
		printf "\t\t{ .%s = %s },\n", member(kind[type[i]]), arg[i]
	print "\t};\n"
	print "\treturn aclnn_prepare(&op_" name ", passed, workspaceSize,"
	print "\t\t\t     executor);\n}\n"
	print second() "\n{"
	print "\treturn aclnn_run(&op_" name ", workspace, workspaceSize, executor,"
	print "\t\t\t stream);\n}\n"
}

function member(k)
{
	return k == "INT" ? "i" : k == "FLOAT" ? "f" : "p"
}

function document_add(    i, list, cell)
{
	cell = text
	gsub(/\|/, "\\\\|", cell)
	for (i = 1; i <= count; i++)
		list = list (i > 1 ? ", " : "") arg[i]
	rows[++row_count] = "| `" name "` | " list " | " cell " |"
}

END {
	if (is_bad)
		exit 1
	if (mode == "names")
		for (i = 1; i <= header_count; i++)
			print headers[i]
	if (mode == "headers")
		for (i = 1; i <= header_count; i++)
			file_write(headers[i])
	if (mode == "entries")
		table_write()
	if (mode == "document")
		for (i = 1; i <= row_count; i++)
			print rows[i]
}

# For single operators, which are found by name.
function table_write(    i)
{
	print "const struct aclnn_op *const aclnn_ops[] = {"
	for (i = 1; i <= op_count; i++)
		print "\t&op_" ops[i] ","
	print "};"
	print "const unsigned int aclnn_op_count = " op_count ";"
}

function file_write(h,    path, guard)
{
	path = dir "/aclnn_" h ".h"
	guard = "ACLNNOP_ACLNN_" toupper(h) "_H"
	print "/* SPDX-License-Identifier: MIT */" >path
	print "/* Operators of aclnn, see Documentation/aclnn.md. */" >path
	print "#ifndef " guard "\n#define " guard "\n" >path
	print "#include \"aclnn/aclnn_base.h\"\n" >path
	print "#ifdef __cplusplus\nextern \"C\" {\n#endif" >path
	printf "%s", body[h] >path
	print "\n#ifdef __cplusplus\n}\n#endif\n\n#endif" >path
	close(path)
}
