// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ascend C becomes C++: kernels and launches.
 *
 * The preprocessor has left marks where the language is not C++, names that
 * begin with __vnpu_; the headers in vnpu_cc/ define macros that make them.
 *
 *	__vnpu_global__		a kernel.  Its definition gets a prologue: on
 *				the device a record of it, which assembly.c
 *				collects; on the host the whole body becomes a
 *				call that launches it.
 *	__vnpu_core_type	the kind of core, a constant of each pass
 *	__vnpu_type_*		the cores that a kernel runs on
 *
 * Launches are in launch.c.
 */
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "params.h"

/* The begin of a kernel's body on the device, or all of it on the host. */
static char *prologue(struct job *job, const struct params *params)
{
	struct text out = { 0 };
	const char *comma = "";

	if (job->pass == PASS_HOST) {
		/* Unlike a variable, this has a local symbol in each case. */
		text_puts(&out, " __asm__ volatile(\"#vnpu-stub %0\" : : "
			  "\"m\"(__PRETTY_FUNCTION__)); "
			  "::vnpu::stub(vnpu_unit_here, __PRETTY_FUNCTION__");
		for (size_t i = 0; i < params->count; i++)
			text_printf(&out, ", %s%s", params->at[i].name,
				    params->at[i].is_pack ? "..." : "");
		text_puts(&out, "); ");
		return out.at;
	}
	text_puts(&out, " static const ::vnpu_kernel_info vnpu_info_ = "
		  "::vnpu::parameters<");
	for (size_t i = 0; i < params->count; i++, comma = ", ")
		text_printf(&out, "%sdecltype(%s)%s", comma,
			    params->at[i].name,
			    params->at[i].is_pack ? "..." : "");
	text_puts(&out, ">::info(__PRETTY_FUNCTION__); "
		  "__asm__ volatile(\"#vnpu-kernel %0\" : : "
		  "\"m\"(vnpu_info_)); ");
	if (job->type)
		text_printf(&out, "__asm__ volatile(\"#vnpu-type %s\"); ",
			    job->type);
	return out.at;
}

/* Does extern "C" stand in front of @i? */
static bool is_behind_extern_c(const struct job *job, size_t i)
{
	const struct token *t;

	if (i < 2)
		return false;
	i = job_skip_back(job, i - 1);
	t = &job->tokens.at[i];
	return t->kind == TOKEN_STRING && t->length == 3 &&
		!memcmp(job->tokens.source->at + t->at, "\"C\"", 3) && i &&
		job_is(job, job_skip_back(job, i - 1), "extern");
}

/* ... or in front of braces around it, with namespaces between at most? */
static bool is_extern_c(const struct job *job, size_t i)
{
	size_t depth = 0;

	if (is_behind_extern_c(job, i))
		return true;
	while (i-- > 0) {
		if (job_is(job, i, "}"))
			depth++;
		else if (job_is(job, i, "{") && depth)
			depth--;
		else if (job_is(job, i, "{") && is_behind_extern_c(job, i))
			return true;
	}
	return false;
}

static void add_parameters(const struct job *job, struct text *out,
			   const struct params *params, bool is_void)
{
	for (size_t n = 0; n < params->count; n++) {
		const struct param *p = &params->at[n];

		text_puts(out, ", ");
		if (is_void && p->is_pointer) {
			text_printf(out, "void *%s", p->name);
			continue;
		}
		job_add_flat(job, out, p->from, p->end);
		if (!p->is_named)
			text_printf(out, " %s", p->name);
	}
}

/*
 * A kernel of C linkage has a function that launches it, too.  Sources in other
 * languages call aclrtlaunch_NAME(blocks, stream, ...).
 */
static char *launcher(struct job *job, size_t name_token,
		      const struct params *params)
{
	const struct token *t = &job->tokens.at[name_token];
	const char *name = job->tokens.source->at + t->at;
	int length = (int)t->length;
	struct text *header = &job->found->headers, out = { 0 };

	text_printf(header, "%.*s extern \"C\" unsigned int aclrtlaunch_%.*s("
		    "unsigned int blockDim, void *stream", length, name, length,
		    name);
	add_parameters(job, header, params, true);
	text_puts(header, ");\n");
	text_printf(&out, " extern \"C\" __attribute__((weak)) unsigned int "
		    "aclrtlaunch_%.*s(unsigned int vnpu_blocks_, "
		    "void *vnpu_stream_", length, name);
	add_parameters(job, &out, params, false);
	text_printf(&out, ") { return ::vnpu::launched{::vnpu::config("
		    "vnpu_blocks_, nullptr, vnpu_stream_), (%.*s(", length,
		    name);
	for (size_t n = 0; n < params->count; n++)
		text_printf(&out, "%s%s", n ? ", " : "", params->at[n].name);
	text_puts(&out, "), 0)}.value(); }");
	return out.at;
}

/* Words in front of a kernel's name that may have a list in parentheses. */
static bool is_attribute(const struct job *job, size_t i)
{
	static const char * const names[] = {
		"__attribute__", "__attribute", "alignas", "__declspec",
		"decltype", "noexcept", "__asm__", "throw", "requires",
	};

	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
		if (job_is(job, i, names[n]))
			return true;
	return false;
}

/* The ( of the parameters of the declaration that begins at @i, or 0. */
static size_t find_params(struct job *job, size_t i)
{
	for (; i < job->tokens.count; i++) {
		size_t next = job_skip_lines(job, i + 1);

		if (job_is(job, i, ";") || job_is(job, i, "{"))
			return 0;
		if (job_is(job, i, "[")) {
			i = token_close(&job->tokens, i);
		} else if (job_is(job, i, "(")) {
			i = token_close(&job->tokens, i);
		} else if (is_attribute(job, i) && job_is(job, next, "(")) {
			i = token_close(&job->tokens, next);
		} else if (job_is_name(job, i) && job_is(job, next, "(")) {
			return next;
		} else if (job_is_name(job, i) && job_is(job, next, "<")) {
			size_t end = params_close_angle(&job->tokens, next);

			if (end && job_is(job, job_skip_lines(job, end + 1), "("))
				return job_skip_lines(job, end + 1);
		}
	}
	return 0;
}

/* Marks of types: the mark, VNPU_KERNEL_TYPE_*, and is a cube pass needed? */
static const struct {
	const char *mark;
	const char *type;
	bool is_mixed;
} types[] = {
	{ "__vnpu_vector__", "1", false },
	{ "__vnpu_cube__", "2", true },
	{ "__vnpu_mix_1_1__", "5", true },
	{ "__vnpu_mix_1_2__", "6", true },
};

static void take_type(struct job *job, size_t i, const char **type)
{
	for (size_t n = 0; n < sizeof(types) / sizeof(*types); n++)
		if (job_is(job, i, types[n].mark)) {
			edit_remove(&job->edits, i, i + 1);
			*type = types[n].type;
			job->found->is_mixed |= types[n].is_mixed;
		}
}

/*
 * Drop the attribute [aicore] of older sources, which is no C++.  It has a word
 * behind it; a subscript or a capture of that name has none.
 */
static bool drop_aicore(struct job *job, size_t i)
{
	if (!job_is(job, i, "[") || !job_is(job, i + 1, "aicore") ||
	    !job_is(job, i + 2, "]") ||
	    !job_is_name(job, job_skip_lines(job, i + 3)))
		return false;
	edit_remove(&job->edits, i, i + 3);
	return true;
}

/* A declaration or definition behind the mark at @i. */
static size_t kernel(struct job *job, size_t i)
{
	size_t open = find_params(job, i + 1), body, close;
	struct params params;

	edit_remove(&job->edits, i, i + 1);
	job->type = job->pending;
	job->pending = NULL;
	if (!open)
		return i + 1;
	for (size_t n = i + 1; n < open; n++) {
		take_type(job, n, &job->type);
		drop_aicore(job, n);
	}
	for (body = token_close(&job->tokens, open) + 1;
	     body < job->tokens.count; body++) {
		if (job_is(job, body, "("))
			body = token_close(&job->tokens, body);
		else if (job_is(job, body, "{") || job_is(job, body, ";"))
			break;
	}
	if (!job_is(job, body, "{"))
		return body;
	params_init(&params, &job->tokens, open, &job->edits);
	edit_after(&job->edits, body, prologue(job, &params));
	job->found->kernels++;
	if (job->pass == PASS_HOST) {
		close = token_close(&job->tokens, body);
		edit_remove(&job->edits, body + 1, close);
		edit_remove_pragmas(&job->edits, body + 1, close);
		if (is_extern_c(job, i))
			edit_after(&job->edits, close,
				   launcher(job, open - 1, &params));
		body = close - 1;
	}
	params_fini(&params);
	return body + 1;
}

static size_t mark(struct job *job, size_t i)
{
	if (job_is(job, i, "__vnpu_global__"))
		return kernel(job, i);
	if (job_is(job, i, "__vnpu_core_type")) {
		edit_remove(&job->edits, i, i + 1);
		edit_before(&job->edits, i,
			    xasprintf("vnpu_core_%s", job->pass == PASS_CUBE ?
				      "cube" : "vector"));
		job->found->is_mixed = true;
	} else if (job_is(job, i, "__vnpu_mixed__")) {
		edit_remove(&job->edits, i, i + 1);
		job->found->is_mixed = true;
	}
	take_type(job, i, &job->pending);
	return i + 1;
}

/*
 * On the device main() is one of many functions that no kernel calls; under its
 * name the compiler would keep it, and all that it calls.
 */
static size_t rename_main(struct job *job, size_t i)
{
	size_t open = job_skip_lines(job, i + 1), body;

	if (!i || !job_is(job, open, "(") ||
	    !(job_is(job, job_skip_back(job, i - 1), "int") ||
	      job_is(job, job_skip_back(job, i - 1), "auto")))
		return i + 1;
	body = job_skip_lines(job, token_close(&job->tokens, open) + 1);
	/* auto main() -> int */
	if (job_is(job, body, "->") && job_is(job, body + 1, "int"))
		body = job_skip_lines(job, body + 2);
	if (!job_is(job, body, "{"))
		return i + 1;
	edit_remove(&job->edits, i, i + 1);
	edit_before(&job->edits, i, xasprintf("vnpu_host_main_"));
	edit_before(&job->edits, token_close(&job->tokens, body),
		    xasprintf(" return 0; "));
	return body + 1;
}

/**
 * rewrite() - make C++ of a preprocessed source
 * @in: the source
 * @pass: the pass that compiles the result
 * @out: the result is appended to it
 * @found: its kernels and launches
 */
void rewrite(const struct text *in, enum pass pass, struct text *out,
	     struct found *found)
{
	struct job job = { .pass = pass, .found = found };
	size_t i = 0;

	memset(found, 0, sizeof(*found));
	tokens_init(&job.tokens, in);
	job.edits.tokens = &job.tokens;
	while (i < job.tokens.count) {
		const char *s = in->at + job.tokens.at[i].at;

		if (s[0] == '_' && !strncmp(s, "__vnpu_", 7))
			i = mark(&job, i);
		else if (s[0] == '<' && job_is_triple(&job, i, "<"))
			i = job_launch(&job, i);
		else if (s[0] == 'm' && job_is(&job, i, "main") &&
			 pass != PASS_HOST)
			i = rename_main(&job, i);
		else if (s[0] == '[' && drop_aicore(&job, i))
			i += 3;
		else
			i++;
	}
	edits_apply(&job.edits, out);
	tokens_fini(&job.tokens);
	if (pass == PASS_HOST && found->kernels)
		text_puts(out, "\n"
			"static __attribute__((constructor(101))) void "
			"vnpu_unit_begin_(void) { "
			"__asm__ volatile(\"\" : : \"m\"(vnpu_source_here)); "
			"::vnpu_unit_register(&vnpu_unit_here); }\n"
			"static __attribute__((destructor(101))) void "
			"vnpu_unit_end_(void) "
			"{ ::vnpu_unit_unregister(&vnpu_unit_here); }\n");
}
