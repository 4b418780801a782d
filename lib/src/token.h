/* SPDX-License-Identifier: MIT */
/*
 * Tokens: what the keys and handles that name shared memory say.
 *
 * A token says at which service the memory is to be had, which is no secret,
 * and holds a secret that is never sent: both sides prove that they know it.
 */
#ifndef VNPU_LIB_TOKEN_H
#define VNPU_LIB_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VNPU_TOKEN_TEXT		65	/* bytes of a token as text, with NULs */

struct vnpu_token {
	uint32_t service;		/* 20 bits, not 0 */
	uint64_t secret[2];
};

/*
 * Fill the secret; 44 bits of it where the token has to fit in a number.
 * 0 or -errno.
 */
int vnpu_token_init(struct vnpu_token *token, uint32_t service, bool is_short);

/* Whatever length the text has, all of its bytes are written. */
void vnpu_token_to_text(const struct vnpu_token *token, void *text,
			size_t length);

/* Reads at most VNPU_TOKEN_TEXT bytes; false if this is no token. */
bool vnpu_token_from_text(const void *text, struct vnpu_token *token);

/* Only of short tokens. */
uint64_t vnpu_token_to_number(const struct vnpu_token *token);
bool vnpu_token_from_number(uint64_t number, struct vnpu_token *token);

bool vnpu_token_is_same(const struct vnpu_token *a, const struct vnpu_token *b);

#endif /* VNPU_LIB_TOKEN_H */
