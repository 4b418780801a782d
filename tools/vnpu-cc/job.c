// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions about the tokens of a source that is being rewritten.
 */
#include "job.h"

/**
 * job_is() - compare a token
 * @job: a source
 * @i: one of its tokens, or their number
 * @text: the text of a name or a mark
 *
 * Return: true if it is that text, and no literal.
 */
bool job_is(const struct job *job, size_t i, const char *text)
{
	return token_is(&job->tokens, i, text);
}

/**
 * job_is_name() - is a token an identifier or a keyword?
 * @job: a source
 * @i: one of its tokens, or their number
 *
 * Return: true if it is.
 */
bool job_is_name(const struct job *job, size_t i)
{
	return i < job->tokens.count &&
		job->tokens.at[i].kind == TOKEN_NAME;
}

/**
 * job_is_triple() - is it three of a mark without anything between them?
 * @job: a source
 * @i: the first of the three
 * @mark: the mark
 *
 * Return: true if it is.
 */
bool job_is_triple(const struct job *job, size_t i, const char *mark)
{
	const struct token *t = &job->tokens.at[i];

	return i + 3 <= job->tokens.count && job_is(job, i, mark) &&
		job_is(job, i + 1, mark) && job_is(job, i + 2, mark) &&
		t[1].at == t[0].at + 1 && t[2].at == t[1].at + 1;
}

/**
 * job_skip_lines() - skip line markers and other directives
 * @job: a source
 * @i: one of its tokens, or their number
 *
 * Return: the next token at or behind @i that is none of them.
 */
size_t job_skip_lines(const struct job *job, size_t i)
{
	while (i < job->tokens.count && job->tokens.at[i].kind == TOKEN_LINE)
		i++;
	return i;
}

/**
 * job_skip_back() - skip line markers and other directives backward
 * @job: a source
 * @i: one of its tokens
 *
 * Return: the last token at or before @i that is none of them, or 0.
 */
size_t job_skip_back(const struct job *job, size_t i)
{
	while (i > 0 && job->tokens.at[i].kind == TOKEN_LINE)
		i--;
	return i;
}

/**
 * job_add_flat() - copy tokens into one line
 * @job: a source
 * @out: they are appended to it
 * @from: the first one
 * @end: behind the last one
 */
void job_add_flat(const struct job *job, struct text *out, size_t from,
		  size_t end)
{
	for (size_t i = from; i < end; i++) {
		const struct token *t = &job->tokens.at[i];

		if (t->kind == TOKEN_LINE)
			continue;
		if (i > from && t->at > t[-1].at + t[-1].length)
			text_puts(out, " ");
		text_add(out, job->tokens.source->at + t->at, t->length);
	}
}
