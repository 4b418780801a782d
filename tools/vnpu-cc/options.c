// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line.  Options of g++ are passed on; options of bisheng that builds
 * pass are implemented or ignored here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "response.h"
#include "text.h"

static const char help[] =
"usage: vnpu-cc [OPTION...] FILE...\n"
"\n"
"Compile Ascend C, and C++ that launches it, for vnpu.  What is not below goes\n"
"to the C++ compiler: -c -o -E -I -D -O -g -std= -W -f -l -L -shared ...\n"
"\n"
"  -x asc|cce|c++|...   language of the files that follow; .asc .cce .cpp .cc\n"
"                       .cxx are Ascend C unless -x says otherwise\n"
"  --npu-arch=ARCH      the chip: dav-2201 (910B, the default), dav-2002 (310P),\n"
"                       dav-1001 (910A), dav-3510 (950)\n"
"  -lib                 make a static library\n"
"  --image              make the image alone, for aclrtBinaryLoadFromFile()\n"
"  --cce-host-only      compile launches, not kernels\n"
"  --launch-headers=DIR write aclrtlaunch_KERNEL.h for each kernel of C linkage;\n"
"                       with --only-launch-headers nothing else\n"
"  --cxx=COMPILER       the C++ compiler (g++, or $VNPU_CXX); clang++ from 15 on\n"
"  -Xdevice OPTION      an option for kernels alone\n"
"  -Xhost OPTION        an option for the rest alone\n"
"  -march=CPU           the processor that kernels run on; x86-64-v3 if the one\n"
"                       that compiles is of that level\n"
"  -fcheck=LIST         check kernels while they run: bounds, sync, init, queue,\n"
"                       race, all or none; late: execute copies and the\n"
"                       instructions of cube cores as late as a card may, so\n"
"                       that a missing wait changes the result\n"
"  --save-temps         keep intermediate files, in the current directory\n"
"  @FILE                more of the command line is in FILE\n"
"  -v, -###             print the commands; ... and do not run them\n"
"  --version, --help\n";

void list_add(struct list *list, const char *string)
{
	list->at = xrealloc(list->at, list->count + 2, sizeof(*list->at));
	list->at[list->count++] = string;
	list->at[list->count] = NULL;
}

void list_addl(struct list *list, const struct list *from)
{
	for (size_t i = 0; i < from->count; i++)
		list_add(list, from->at[i]);
}

/**
 * list_words() - append the words of a string, which blanks separate
 * @list: a list
 * @string: the string
 */
void list_words(struct list *list, const char *string)
{
	size_t length;

	for (;; string += length) {
		string += strspn(string, " \t");
		length = strcspn(string, " \t");
		if (!length)
			return;
		list_add(list, xasprintf("%.*s", (int)length, string));
	}
}

static const char *after(const char *arg, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(arg, prefix, length) ? NULL : arg + length;
}

static bool is(const char *arg, const char *other)
{
	return !strcmp(arg, other);
}

static bool is_one_of(const char *arg, const char * const *names)
{
	for (; *names; names++)
		if (is(arg, *names))
			return true;
	return false;
}

static bool is_beginning(const char *arg, const char * const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (after(arg, *prefixes))
			return true;
	return false;
}

/*
 * Options of bisheng without a meaning here.  Those of its device compiler begin with
 * cce and differ from version to version, so the unknown ones are ignored, too.
 * Options of the last list have a value in the next argument.
 */
static const char * const ignored[] = {
	"--asc-aicore-lang", "--enable-simt", "-fenable-matrix",
	"--run-mode=npu", NULL
};
static const char * const ignored_beginnings[] = {
	"--cce-", "-cce-", "-fcce-", "--npu-soc=", "-mllvm=", NULL
};
static const char * const ignored_pairs[] = {
	"-mllvm", "-Xclang", "--cce-soc-version", "--cce-soc-core-type", NULL
};

/* Options of the preprocessor with a value in the next argument or their own. */
static const char * const preprocess_pairs[] = {
	"-I", "-D", "-U", "-include", "-imacros", "-isystem", "-iquote",
	"-idirafter", "-isysroot", "-iprefix", "-iwithprefix",
	"-iwithprefixbefore", "-Xpreprocessor", NULL
};
static const char * const preprocess_beginnings[] = {
	"-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-nostdinc",
	"-Wp,", NULL
};
static const char * const depend_pairs[] = { "-MF", "-MT", "-MQ", NULL };
static const char * const link_pairs[] = {
	"-L", "-T", "-u", "-z", "-e", "-rpath", NULL
};
static const char * const compile_pairs[] = { "--param", "-B", NULL };
static const char * const link_beginnings[] = {
	"-L", "-l", "-Wl,", "-shared", "-static", "-rdynamic", "-pie",
	"-no-pie", "-nostartfiles", "-nodefaultlibs", "-nostdlib", "-fuse-ld",
	NULL
};
/* Options that change how code is loaded or observed, but not its results. */
static const char * const host_beginnings[] = {
	"-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-pi", "-fno-PI", "-flto",
	"-fsanitize", "-fno-sanitize", "--coverage", "-coverage", "-pg",
	"-fprofile", "-ftest-coverage", "-fvisibility", "-fstack-protector",
	"-fstack-clash", "-fcf-protection", "-fno-exceptions", "-fno-rtti",
	NULL
};

static unsigned int arch_of(const char *name)
{
	static const struct {
		const char *name;
		unsigned int arch;
	} archs[] = {
		{ "dav-2201", 2201 }, { "dav-c220", 2201 },
		{ "dav-2002", 2002 }, { "dav-m200", 2002 },
		{ "dav-1001", 1001 }, { "dav-c100", 1001 },
		{ "dav-3510", 3510 }, { "dav-c310", 3510 },
	};

	for (size_t i = 0; i < sizeof(archs) / sizeof(*archs); i++)
		if (after(name, archs[i].name))
			return archs[i].arch;
	die("unknown chip '%s'; dav-2201, dav-2002, dav-1001 and dav-3510 are known",
	    name);
}

static void set_arch(struct options *options, const char *name)
{
	const char *core = strrchr(name, '-');

	options->arch = arch_of(name);
	if (is(core, "-vec"))
		options->core = 'v';
	else if (is(core, "-cube"))
		options->core = 'c';
}

static enum language language_of(const char *path, const char *x)
{
	static const char * const asc[] = {
		".asc", ".cce", ".cpp", ".cc", ".cxx", ".C", ".c++", NULL
	};
	static const char * const other[] = {
		".c", ".s", ".S", ".i", ".ii", ".sx", NULL
	};
	const char *dot = strrchr(path, '.');

	if (x)
		return is(x, "asc") || is(x, "cce") || is(x, "c++") ?
			LANGUAGE_ASC : LANGUAGE_OTHER;
	if (!dot)
		return LANGUAGE_NONE;
	if (is_one_of(dot, asc))
		return LANGUAGE_ASC;
	return is_one_of(dot, other) ? LANGUAGE_OTHER : LANGUAGE_NONE;
}

/* g++ compiles C as C++, unless it is asked not to; bisheng compiles it as C. */
static const char *language_name(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && is(dot, ".c") ? "c" : NULL;
}

static void add_input(struct options *options, const char *path,
		      enum language language, const char *x)
{
	options->inputs = xrealloc(options->inputs, options->input_count + 1,
				   sizeof(*options->inputs));
	options->inputs[options->input_count++] = (struct input){
		.path = path,
		.language = language,
		.x = x,
	};
}

/* Set the checkers; vnpu_check/shadow.h has their bits. */
static void set_check(struct options *options, const char *list)
{
	static const struct {
		const char *name;
		unsigned int bits;
	} checkers[] = {
		{ "bounds", 1 }, { "sync", 2 }, { "init", 4 }, { "queue", 8 },
		{ "race", CHECK_RACE }, { "all", 15 | CHECK_RACE },
		{ "late", 16 }, { "none", 0 },
	};
	const size_t count = sizeof(checkers) / sizeof(*checkers);
	size_t length, i;

	for (;; list += length + 1) {
		length = strcspn(list, ",");
		for (i = 0; i < count; i++)
			if (strlen(checkers[i].name) == length &&
			    !memcmp(list, checkers[i].name, length))
				break;
		if (i == count)
			die("-fcheck=%s: checkers are bounds, sync, init, queue, race, all, late and none",
			    list);
		options->check = checkers[i].bits ?
			options->check | checkers[i].bits : 0;
		if (!list[length])
			return;
	}
}

/* A path to clang, or its name: clang++, clang++-16, aarch64-...-clang++. */
static void set_cxx(struct options *options, const char *cxx)
{
	memset(&options->cxx, 0, sizeof(options->cxx));
	list_words(&options->cxx, cxx);
	if (!options->cxx.count)
		die("--cxx= and $VNPU_CXX need the name of a compiler");
	options->is_clang = false;
	for (size_t i = 0; i < options->cxx.count; i++) {
		const char *word = options->cxx.at[i];
		const char *slash = strrchr(word, '/');

		options->is_clang |= strstr(slash ? slash : word, "clang++") ||
			is(slash ? slash + 1 : word, "clang");
	}
}

/* The dependencies alone: -M is "-MD -E", but for the place of the output. */
static void parse_dependencies(struct options *options, const char *arg)
{
	options->stage = STAGE_DEPENDENCIES;
	options->depend_kind = is(arg, "-MM") ? "-MMD" : "-MD";
}

/* Options that select the output or the compiler. */
static bool parse_own(struct options *options, const char *arg)
{
	const char *value;

	if (is(arg, "-c") || is(arg, "-dc"))
		options->stage = STAGE_OBJECT;
	else if (is(arg, "-lib"))
		options->stage = STAGE_ARCHIVE;
	else if (is(arg, "-E"))
		options->stage = STAGE_PREPROCESSED;
	else if (is(arg, "-fsyntax-only"))
		options->stage = STAGE_SYNTAX;
	else if (is(arg, "-M") || is(arg, "-MM"))
		parse_dependencies(options, arg);
	else if (is(arg, "--image") || is(arg, "--cce-device-only"))
		options->stage = STAGE_IMAGE;
	else if (is(arg, "-S"))
		die("-S: there is no one file of assembly; --save-temps keeps what there is");
	else if (is(arg, "--cce-host-only"))
		options->is_host_only = true;
	else if (is(arg, "-v"))
		options->is_verbose = true;
	else if (is(arg, "-###"))
		options->is_verbose = options->is_dry = true;
	else if (is(arg, "--save-temps") || is(arg, "-save-temps"))
		options->is_kept = true;
	else if ((value = after(arg, "--launch-headers=")))
		options->headers = value;
	else if (is(arg, "--only-launch-headers"))
		options->stage = STAGE_HEADERS;
	else if ((value = after(arg, "-fcheck=")))
		set_check(options, value);
	else if ((value = after(arg, "--cxx=")))
		set_cxx(options, value);
	else if ((value = after(arg, "--npu-arch=")) ||
		 (value = after(arg, "--cce-aicore-arch=")))
		set_arch(options, value);
	else
		return is_one_of(arg, ignored) ||
			is_beginning(arg, ignored_beginnings);
	return true;
}

/* Options that go to one of the commands, in one argument. */
static void parse_other(struct options *options, const char *arg)
{
	if (is_beginning(arg, preprocess_beginnings)) {
		list_add(&options->preprocess, arg);
	} else if (is(arg, "-MD") || is(arg, "-MMD")) {
		options->depend_kind = arg;
	} else if (after(arg, "-MF")) {
		options->depend_file = arg + 3;
	} else if (after(arg, "-M")) {
		options->has_target |= after(arg, "-MT") || after(arg, "-MQ");
		list_add(&options->depend, arg);
	} else if (after(arg, "-Wa,")) {
		list_add(&options->assemble, arg);
	} else if (is(arg, "-s") || is(arg, "-r") ||
		   is_beginning(arg, link_beginnings)) {
		if (after(arg, "-l") || after(arg, "-Wl,"))
			add_input(options, arg, LANGUAGE_NONE, NULL);
		else
			list_add(&options->link, arg);
	} else if (is_beginning(arg, host_beginnings)) {
		list_add(&options->host, arg);
		if (!after(arg, "-fvis"))
			list_add(&options->link, arg);
	} else {
		if (after(arg, "-O"))
			options->optimize = arg;
		else if (after(arg, "-g"))
			options->is_debug = !is(arg, "-g0");
		else if (after(arg, "-march="))
			options->is_march = true;
		list_add(&options->compile, arg);
	}
}

static void add_pair(struct list *list, const char *arg, const char *value)
{
	list_add(list, arg);
	list_add(list, value);
}

static void add_target(struct options *options, const char *arg,
		       const char *value)
{
	options->has_target = true;
	add_pair(&options->depend, arg, value);
}

/* Among the inputs, where its place counts.  -Wl, would split it at commas. */
static void add_linker_option(struct options *options, const char *value)
{
	add_input(options, "-Xlinker", LANGUAGE_NONE, NULL);
	add_input(options, value, LANGUAGE_NONE, NULL);
}

/* Parse options that take the next argument as their value. */
static bool parse_pair(struct options *options, const char *arg,
		       const char *value, const char **x)
{
	if (is(arg, "-o"))
		options->output = value;
	else if (is(arg, "-x"))
		*x = is(value, "none") ? NULL : value;
	else if (is(arg, "--npu-arch"))
		set_arch(options, value);
	else if (is(arg, "-Xdevice"))
		list_add(&options->device, value);
	else if (is(arg, "-Xhost"))
		list_add(&options->host, value);
	else if (is_one_of(arg, preprocess_pairs))
		add_pair(&options->preprocess, arg, value);
	else if (is(arg, "-MF"))
		options->depend_file = value;
	else if (is_one_of(arg, depend_pairs))
		add_target(options, arg, value);
	else if (is(arg, "-Xassembler"))
		add_pair(&options->assemble, arg, value);
	else if (is(arg, "-l"))
		add_input(options, xasprintf("-l%s", value), LANGUAGE_NONE,
			  NULL);
	else if (is(arg, "-Xlinker"))
		add_linker_option(options, value);
	else if (is_one_of(arg, link_pairs))
		add_pair(&options->link, arg, value);
	else if (is_one_of(arg, compile_pairs))
		add_pair(&options->compile, arg, value);
	else
		return is_one_of(arg, ignored_pairs);
	return true;
}

static bool is_pair(const char *arg)
{
	static const char * const own[] = {
		"-o", "-x", "-Xdevice", "-Xhost", "-l", "-Xlinker",
		"-Xassembler", "--npu-arch", NULL
	};

	return is_one_of(arg, own) || is_one_of(arg, preprocess_pairs) ||
		is_one_of(arg, depend_pairs) || is_one_of(arg, link_pairs) ||
		is_one_of(arg, compile_pairs) ||
		is_one_of(arg, ignored_pairs);
}

/* Options between -Xhost-start and -Xhost-end are for the host pass alone. */
static int parse_host(struct options *options, int argc, char **argv, int i)
{
	while (++i < argc && !is(argv[i], "-Xhost-end"))
		list_add(&options->host, argv[i]);
	if (i == argc)
		die("-Xhost-start: -Xhost-end is missing");
	return i;
}

/* Builds ask a compiler about itself; the answers are those of $CXX. */
static bool is_query(int argc, char **argv)
{
	static const char * const queries[] = {
		"-dump", "-print-", "--print-", "-v", "-###", NULL
	};

	for (int i = 1; i < argc; i++)
		if (is_beginning(argv[i], queries))
			return true;
	return false;
}

/**
 * options_parse() - read the command line, or die
 * @options: the result
 * @argc: of main()
 * @argv: of main()
 */
void options_parse(struct options *options, int argc, char **argv)
{
	const char *env = getenv("VNPU_CXX"), *x = NULL;

	memset(options, 0, sizeof(*options));
	set_cxx(options, env && *env ? env : "g++");
	options->arch = 2201;
	response_expand(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];

		if (is(arg, "--help") || is(arg, "-h")) {
			fputs(help, stdout);
			exit(0);
		}
		if (is(arg, "--version")) {
			puts("vnpu-cc " VNPU_VERSION);
			exit(0);
		}
		if (is_pair(arg)) {
			if (i + 1 == argc)
				die("%s: its value is missing", arg);
			parse_pair(options, arg, argv[++i], &x);
		} else if (is(arg, "-Xhost-start")) {
			i = parse_host(options, argc, argv, i);
		} else if (after(arg, "-x")) {
			parse_pair(options, "-x", arg + 2, &x);
		} else if (arg[0] != '-' || !arg[1]) {
			add_input(options, arg, language_of(arg, x),
				  x ? x : language_name(arg));
		} else if (!parse_own(options, arg)) {
			parse_other(options, arg);
		}
	}
	if (options->stage == STAGE_HEADERS && !options->headers)
		die("--only-launch-headers needs --launch-headers=DIRECTORY");
	if (!options->input_count && is_query(argc, argv))
		options->stage = STAGE_QUERY;
	else if (!options->input_count)
		die("no input files; --help lists options");
}
