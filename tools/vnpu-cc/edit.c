// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of a source, applied together at the end.  None removes the end of a
 * line or a line marker, so each token keeps its line in messages and debuggers.
 */
#include <stdlib.h>
#include <string.h>

#include "edit.h"

static void add(struct edits *edits, struct edit edit)
{
	if (edits->count == edits->room) {
		edits->room = edits->room ? 2 * edits->room : 256;
		edits->at = xrealloc(edits->at, edits->room,
				     sizeof(*edits->at));
	}
	edits->at[edits->count++] = edit;
}

/**
 * edit_before() - insert text in front of a token
 * @edits: the changes
 * @token: index of the token
 * @insert: the text, which becomes theirs
 */
void edit_before(struct edits *edits, size_t token, char *insert)
{
	add(edits, (struct edit){
		.at = edits->tokens->at[token].at,
		.order = (long)edits->count + 1,
		.insert = insert,
	});
}

/**
 * edit_after() - insert text behind a token
 * @edits: the changes
 * @token: index of the token
 * @insert: the text, which becomes theirs
 */
void edit_after(struct edits *edits, size_t token, char *insert)
{
	const struct token *t = &edits->tokens->at[token];

	add(edits, (struct edit){
		.at = t->at + t->length,
		.order = -(long)edits->count - 1,
		.insert = insert,
	});
}

/**
 * edit_remove() - remove tokens, but no line markers
 * @edits: the changes
 * @first: index of the first token
 * @end: index behind the last one
 */
void edit_remove(struct edits *edits, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct token *t = &edits->tokens->at[i];

		if (t->kind != TOKEN_LINE)
			add(edits, (struct edit){
				.at = t->at,
				.order = (long)edits->count + 1,
				.remove = t->length,
			});
	}
}

/**
 * edit_remove_pragmas() - remove pragmas, which may need what follows them
 * @edits: the changes
 * @first: index of the first token
 * @end: index behind the last one
 */
void edit_remove_pragmas(struct edits *edits, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct token *t = &edits->tokens->at[i];
		const char *s = edits->tokens->source->at + t->at;

		if (t->kind == TOKEN_LINE &&
		    !strncmp(s + 1 + strspn(s + 1, " \t"), "pragma", 6))
			add(edits, (struct edit){
				.at = t->at,
				.order = (long)edits->count + 1,
				.remove = t->length,
			});
	}
}

static int compare(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* A space for each character would do as well; a literal may span lines. */
static void keep_lines(struct text *out, const char *from, size_t length)
{
	text_add(out, " ", 1);
	for (size_t i = 0; i < length; i++)
		if (from[i] == '\n')
			text_add(out, "\n", 1);
}

/**
 * edits_apply() - write the changed source
 * @edits: the changes; freed
 * @out: the source is appended to it
 */
void edits_apply(struct edits *edits, struct text *out)
{
	const struct text *source = edits->tokens->source;
	size_t from = 0;

	if (edits->count)
		qsort(edits->at, edits->count, sizeof(*edits->at), compare);
	for (size_t i = 0; i < edits->count; i++) {
		struct edit *edit = &edits->at[i];

		if (edit->at > from) {
			text_add(out, source->at + from, edit->at - from);
			from = edit->at;
		}
		if (edit->remove && edit->at == from) {
			keep_lines(out, source->at + from, edit->remove);
			from += edit->remove;
		}
		if (edit->insert)
			text_puts(out, edit->insert);
		free(edit->insert);
	}
	text_add(out, source->at + from, source->length - from);
	free(edits->at);
	memset(edits, 0, sizeof(*edits));
}
