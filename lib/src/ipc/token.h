/* SPDX-License-Identifier: MIT */
/*
 * Tokens: the keys of the driver by which processes share memory, notifies,
 * events and streams, and how AscendCL's keys and handles spell them.
 */
#ifndef VNPU_LIB_TOKEN_H
#define VNPU_LIB_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VNPU_TOKEN_TEXT		65	/* bytes of a token as text, padded with
					 * NULs */

struct vnpu_token {
	uint64_t key[2];	/* key[1] is 0 where the token has to fit in a number */
};

/* Write a token as text; all @length bytes of @text are written. */
void vnpu_token_to_text(const struct vnpu_token *token, void *text,
			size_t length);

/* Read at most VNPU_TOKEN_TEXT bytes; returns false if this is no token. */
bool vnpu_token_from_text(const void *text, struct vnpu_token *token);

/* Convert a short token. */
uint64_t vnpu_token_to_number(const struct vnpu_token *token);
bool vnpu_token_from_number(uint64_t number, struct vnpu_token *token);

bool vnpu_token_is_same(const struct vnpu_token *a, const struct vnpu_token *b);

#endif /* VNPU_LIB_TOKEN_H */
