// SPDX-License-Identifier: GPL-2.0-only
/*
 * Launches.
 *
 * K<<<a, b, c>>>(x, y) becomes an expression with a value, in which K(x, y) is a
 * plain call: so the compiler does the overload resolution, deduction and
 * conversion.
 */
#include <string.h>

#include "job.h"

/* The < that belongs to the > at @close, or @close. */
static size_t open_angle(const struct job *job, size_t close)
{
	size_t depth = 0, round = 0, i = close;

	for (;; i--) {
		if (job_is(job, i, ")") || job_is(job, i, "]") ||
		    job_is(job, i, "}"))
			round++;
		else if (round && (job_is(job, i, "(") || job_is(job, i, "[") ||
				   job_is(job, i, "{")))
			round--;
		else if (job_is(job, i, ";") || job_is(job, i, "{"))
			return close;
		else if (!round && job_is(job, i, ">"))
			depth++;
		else if (!round && job_is(job, i, "<") && !--depth)
			return i;
		if (!i)
			return close;
	}
}

/* The bracket that opens the ) or ] at @close, or @close. */
static size_t open_bracket(const struct job *job, size_t close)
{
	size_t depth = 0, i = close;

	for (;; i--) {
		if (job_is(job, i, ")") || job_is(job, i, "]") ||
		    job_is(job, i, "}"))
			depth++;
		else if ((job_is(job, i, "(") || job_is(job, i, "[") ||
			  job_is(job, i, "{")) && !--depth)
			return i;
		if (!i)
			return close;
	}
}

/* A word that is in front of an expression, and no part of it. */
static bool is_keyword(const struct job *job, size_t i)
{
	static const char * const words[] = {
		"return", "else", "do", "throw", "co_return", "co_yield",
		"co_await", "case", "if", "for", "while", "switch", "catch",
		"constexpr", "and", "or", "not", "xor", "delete", "new",
	};

	for (size_t n = 0; n < sizeof(words) / sizeof(*words); n++)
		if (job_is(job, i, words[n]))
			return true;
	return false;
}

/*
 * Where the name begins that ends in front of @end: k, k<a>, k(a), k[a], (k); or
 * @end if there is none.
 */
static size_t name_start(const struct job *job, size_t end)
{
	size_t i = end, group = end, before;

	/* Calls and subscripts; the one that has no name is (k) itself. */
	while (i && (before = job_skip_back(job, i - 1),
		     job_is(job, before, ")") || job_is(job, before, "]"))) {
		size_t open = open_bracket(job, before);

		if (open == before)
			return end;
		if (job_is(job, open, "("))
			group = open;
		i = open;
	}
	if (!i)
		return group;
	before = job_skip_back(job, i - 1);
	if (job_is(job, before, ">")) {
		size_t open = open_angle(job, before);

		if (open == before || !open)
			return group;
		before = job_skip_back(job, open - 1);
	}
	if (!job_is_name(job, before))
		return group;
	/* "if (a) (k)<<<": the second one is the callee. */
	if (is_keyword(job, before)) {
		size_t close = token_close(&job->tokens, i);

		if (i == group && close < job->tokens.count) {
			close = job_skip_lines(job, close + 1);
			return close < end && job_is(job, close, "(") ? close :
				group;
		}
		return group;
	}
	return before;
}

/*
 * Where the expression begins that ends in front of @end, and which is launched:
 * a::b<c>::template d<e, f>, a.b, a->b[c], (*a).
 */
static size_t callee_start(const struct job *job, size_t end)
{
	size_t i = end, start, before;

	while ((start = name_start(job, i)) != i) {
		i = start;
		if (!i)
			break;
		before = job_skip_back(job, i - 1);
		if (job_is(job, before, "template") && before) {
			i = before;
			before = job_skip_back(job, i - 1);
		}
		if (!job_is(job, before, "::") && !job_is(job, before, ".") &&
		    !job_is(job, before, "->"))
			break;
		i = before;
		/* ::k without a name in front, as in return ::k<<<>>>() */
		if (!i || is_keyword(job, job_skip_back(job, i - 1)))
			break;
	}
	return i;
}

/* A pack is expanded outside of a call, and a null pointer is none inside. */
static bool is_wrappable(const struct job *job, size_t from, size_t end)
{
	if (from >= end || job_is(job, from, "{") || job_is(job, end - 1, "."))
		return false;
	if (end - from == 1 && job->tokens.at[from].kind != TOKEN_NAME)
		return false;
	for (size_t i = from; i < end; i++)
		if (job_is(job, i, "__null"))
			return false;
	return true;
}

/* An argument is wrapped in a call that makes any pointer of a void *. */
static void wrap_argument(struct job *job, size_t from, size_t end)
{
	from = job_skip_lines(job, from);
	while (end > from && job->tokens.at[end - 1].kind == TOKEN_LINE)
		end--;
	if (!is_wrappable(job, from, end))
		return;
	edit_before(&job->edits, from, xasprintf("::vnpu::argument("));
	edit_after(&job->edits, end - 1, xasprintf(")"));
}

/*
 * Count what may be brackets of template arguments in one argument: +1 for each <
 * and -1 for each >.  Two < in a row are a shift.
 */
static long count_angles(const struct job *job, size_t from, size_t end)
{
	long count = 0;

	for (size_t i = from; i < end; i++) {
		if (job_is(job, i, "(") || job_is(job, i, "[") ||
		    job_is(job, i, "{"))
			i = token_close(&job->tokens, i);
		else if (job_is(job, i, "<") && job_is(job, i + 1, "<"))
			i++;
		else if (job_is(job, i, "<"))
			count++;
		else if (job_is(job, i, ">"))
			count--;
	}
	return count;
}

/* The comma behind the argument at @from, or @close. */
static size_t argument_end(const struct job *job, size_t from, size_t close)
{
	size_t i;

	for (i = from; i < close; i++) {
		if (job_is(job, i, "(") || job_is(job, i, "[") ||
		    job_is(job, i, "{"))
			i = token_close(&job->tokens, i);
		else if (job_is(job, i, ","))
			return i;
	}
	return close;
}

/*
 * A comma may be one of template arguments: then the angles in front of it are
 * not balanced, and further on they are.  Such arguments are left as they are.
 */
static void wrap_arguments(struct job *job, size_t open, size_t close)
{
	size_t from, end, last;
	long count;

	for (from = open + 1; from < close; from = end + 1) {
		end = argument_end(job, from, close);
		count = count_angles(job, from, end);
		for (last = end; count > 0 && last < close; ) {
			size_t next = argument_end(job, last + 1, close);

			count += count_angles(job, last + 1, next);
			last = next;
		}
		if (last != end && count <= 0)
			end = last;
		else
			wrap_argument(job, from, end);
	}
}

/* Find the >>> for the <<< of a launch at @open; or the number of tokens. */
static size_t find_end(const struct job *job, size_t open)
{
	size_t i;

	for (i = open + 3; i < job->tokens.count; i++) {
		if (job_is(job, i, "(") || job_is(job, i, "[") ||
		    job_is(job, i, "{"))
			i = token_close(&job->tokens, i);
		else if (job_is(job, i, ";"))
			break;
		/* More than three: the first ones close template arguments. */
		else if (job_is_triple(job, i, ">") &&
			 !job_is_triple(job, i + 1, ">"))
			return i;
	}
	return job->tokens.count;
}

/**
 * job_launch() - rewrite a launch
 * @job: the source
 * @open: the first < of <<<
 *
 * What is none is left alone, for the compiler to report.
 *
 * Return: the token where to go on.
 */
size_t job_launch(struct job *job, size_t open)
{
	size_t end, args, close, start = callee_start(job, open);
	struct text config = { 0 };

	if (start == open || job_is(job, job_skip_back(job, open - 1),
				    "operator"))
		return open + 3;
	end = find_end(job, open);
	if (end == job->tokens.count)
		return open + 3;
	args = job_skip_lines(job, end + 3);
	if (!job_is(job, args, "("))
		return open + 3;
	close = token_close(&job->tokens, args);
	if (close == job->tokens.count)
		return open + 3;
	text_puts(&config, "::vnpu::launched{::vnpu::config(");
	job_add_flat(job, &config, open + 3, end);
	text_puts(&config, "), (");
	edit_before(&job->edits, start, config.at);
	edit_remove(&job->edits, open, end + 3);
	edit_after(&job->edits, close, xasprintf(", 0)}.value()"));
	wrap_arguments(job, args, close);
	job->found->launches++;
	return args;
}
