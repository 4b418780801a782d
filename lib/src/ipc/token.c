// SPDX-License-Identifier: MIT
/*
 * Tokens, see token.h: as text both words of the key in 32 hexadecimal digits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "token.h"

#define TEXT_PREFIX	"vnpu-"
#define TEXT_PREFIX_LEN	(sizeof(TEXT_PREFIX) - 1)
#define WORD_DIGITS	16
#define TEXT_LEN	(TEXT_PREFIX_LEN + 2 * WORD_DIGITS)

void vnpu_token_to_text(const struct vnpu_token *token, void *text,
			size_t length)
{
	memset(text, 0, length);
	snprintf(text, length, TEXT_PREFIX "%016llx%016llx",
		 (unsigned long long)token->key[0],
		 (unsigned long long)token->key[1]);
}

static bool parse_word(const char *text, uint64_t *word)
{
	char copy[WORD_DIGITS + 1] = { 0 };

	memcpy(copy, text, WORD_DIGITS);
	if (strspn(copy, "0123456789abcdef") != WORD_DIGITS)
		return false;
	*word = strtoull(copy, NULL, 16);
	return true;
}

bool vnpu_token_from_text(const void *text, struct vnpu_token *token)
{
	const char *p = text;

	return strnlen(p, VNPU_TOKEN_TEXT) == TEXT_LEN &&
	       !memcmp(p, TEXT_PREFIX, TEXT_PREFIX_LEN) &&
	       parse_word(p + TEXT_PREFIX_LEN, &token->key[0]) &&
	       parse_word(p + TEXT_PREFIX_LEN + WORD_DIGITS, &token->key[1]);
}

uint64_t vnpu_token_to_number(const struct vnpu_token *token)
{
	return token->key[0];
}

bool vnpu_token_from_number(uint64_t number, struct vnpu_token *token)
{
	token->key[0] = number;
	token->key[1] = 0;
	return number;
}

bool vnpu_token_is_same(const struct vnpu_token *a, const struct vnpu_token *b)
{
	return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}
