/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tokens of a preprocessed C++ source.
 */
#ifndef VNPU_CC_TOKEN_H
#define VNPU_CC_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

enum token_kind {
	TOKEN_NAME,	/* an identifier or a keyword */
	TOKEN_NUMBER,
	TOKEN_STRING,	/* a literal of characters */
	TOKEN_MARK,	/* one character of punctuation, or "::" or "->" */
	TOKEN_LINE,	/* a line marker or another directive */
	TOKEN_END,
};

/**
 * struct token - a token
 * @kind: its kind
 * @at: where in the source it begins
 * @length: bytes
 */
struct token {
	enum token_kind kind;
	size_t at;
	size_t length;
};

/**
 * struct tokens - all tokens of a source
 * @source: the source, not owned
 * @at: the tokens; the one behind the last is a TOKEN_END
 * @count: their number, without the end
 * @room: tokens that there is memory for
 */
struct tokens {
	const struct text *source;
	struct token *at;
	size_t count;
	size_t room;
};

void tokens_init(struct tokens *tokens, const struct text *source);
void tokens_fini(struct tokens *tokens);
bool token_is(const struct tokens *tokens, size_t index, const char *text);
size_t token_close(const struct tokens *tokens, size_t open);

#endif /* VNPU_CC_TOKEN_H */
