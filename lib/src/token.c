// SPDX-License-Identifier: MIT
/*
 * Tokens, see token.h: as text the service in 5 and the secret in 32
 * hexadecimal digits, as a number the service in bits 63-44.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "token.h"

#define SHORT_BITS	44
#define SHORT_MASK	((1ULL << SHORT_BITS) - 1)

#define TEXT_PREFIX	"vnpu-"
#define TEXT_PREFIX_LEN	(sizeof(TEXT_PREFIX) - 1)
#define SERVICE_DIGITS	5
#define SECRET_DIGITS	16
#define TEXT_LEN	(TEXT_PREFIX_LEN + SERVICE_DIGITS + 2 * SECRET_DIGITS)

int vnpu_token_init(struct vnpu_token *token, uint32_t service, bool is_short)
{
	token->service = service;
	/* As little as this is never given in parts. */
	if (getrandom(token->secret, sizeof(token->secret), 0) < 0)
		return -errno;
	if (is_short) {
		token->secret[0] &= SHORT_MASK;
		token->secret[1] = 0;
	}
	return 0;
}

void vnpu_token_to_text(const struct vnpu_token *token, void *text,
			size_t length)
{
	memset(text, 0, length);
	snprintf(text, length, TEXT_PREFIX "%05x%016llx%016llx",
		 token->service, (unsigned long long)token->secret[0],
		 (unsigned long long)token->secret[1]);
}

static bool parse_digits(const char **text, unsigned int digits,
			 uint64_t *value)
{
	char copy[SECRET_DIGITS + 1] = { 0 };

	memcpy(copy, *text, digits);
	*text += digits;
	if (strspn(copy, "0123456789abcdef") != digits)
		return false;
	*value = strtoull(copy, NULL, 16);
	return true;
}

bool vnpu_token_from_text(const void *text, struct vnpu_token *token)
{
	const char *p = text;
	uint64_t service;

	if (strnlen(p, VNPU_TOKEN_TEXT) != TEXT_LEN ||
	    memcmp(p, TEXT_PREFIX, TEXT_PREFIX_LEN))
		return false;
	p += TEXT_PREFIX_LEN;
	if (!parse_digits(&p, SERVICE_DIGITS, &service) ||
	    !parse_digits(&p, SECRET_DIGITS, &token->secret[0]) ||
	    !parse_digits(&p, SECRET_DIGITS, &token->secret[1]))
		return false;
	token->service = service;
	return service;
}

uint64_t vnpu_token_to_number(const struct vnpu_token *token)
{
	return (uint64_t)token->service << SHORT_BITS | token->secret[0];
}

bool vnpu_token_from_number(uint64_t number, struct vnpu_token *token)
{
	token->service = number >> SHORT_BITS;
	token->secret[0] = number & SHORT_MASK;
	token->secret[1] = 0;
	return token->service;
}

bool vnpu_token_is_same(const struct vnpu_token *a, const struct vnpu_token *b)
{
	return a->service == b->service && a->secret[0] == b->secret[0] &&
	       a->secret[1] == b->secret[1];
}
