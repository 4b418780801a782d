/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes of a source, made all at once at the end.
 */
#ifndef VNPU_CC_EDIT_H
#define VNPU_CC_EDIT_H

#include "token.h"

/**
 * struct edit - one change
 * @at: where in the source
 * @order: edits at the same place are made in this order
 * @remove: bytes of the source that go
 * @insert: text that comes, owned, or NULL
 */
struct edit {
	size_t at;
	long order;
	size_t remove;
	char *insert;
};

/**
 * struct edits - the changes of a source
 * @tokens: its tokens, not owned
 * @at: the changes
 * @count: their number
 * @room: changes that there is memory for
 */
struct edits {
	const struct tokens *tokens;
	struct edit *at;
	size_t count;
	size_t room;
};

/*
 * Insert text before or after a token, or remove tokens or pragmas.  Of two insertions at one
 * place, the first one is the outer one.
 */
void edit_before(struct edits *edits, size_t token, char *insert);
void edit_after(struct edits *edits, size_t token, char *insert);
void edit_remove(struct edits *edits, size_t first, size_t end);
void edit_remove_pragmas(struct edits *edits, size_t first, size_t end);
void edits_apply(struct edits *edits, struct text *out);

#endif /* VNPU_CC_EDIT_H */
