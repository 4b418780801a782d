// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tokens of a preprocessed C++ source: enough of the language to find launches,
 * definitions of kernels and matching brackets.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "token.h"

static void add(struct tokens *tokens, enum token_kind kind, size_t from,
		size_t to)
{
	if (tokens->count == tokens->room) {
		tokens->room = tokens->room ? 2 * tokens->room : 1 << 14;
		tokens->at = xrealloc(tokens->at, tokens->room,
				      sizeof(*tokens->at));
	}
	tokens->at[tokens->count++] = (struct token){
		.kind = kind,
		.at = from,
		.length = to - from,
	};
}

static bool is_name_start(int c)
{
	return isalpha(c) || c == '_' || c == '$' || c >= 0x80;
}

static bool is_name(int c)
{
	return is_name_start(c) || isdigit(c);
}

/* Find the end of the literal that has its quote at @from. */
static size_t end_of_literal(const char *s, size_t from)
{
	size_t i;

	for (i = from + 1; s[i] && s[i] != s[from] && s[i] != '\n'; i++)
		if (s[i] == '\\' && s[i + 1])
			i++;
	return s[i] == s[from] ? i + 1 : i;
}

/* Find the end of the raw string at @from: "tag( ... )tag". */
static size_t end_of_raw(const struct text *source, size_t from)
{
	const char *s = source->at, *open = strchr(s + from, '('), *end;
	char close[20] = ")";
	size_t length;

	if (!open || (length = open - s - from - 1) > 16)
		return from + 1;
	memcpy(close + 1, s + from + 1, length);
	close[length + 1] = '"';
	end = strstr(open, close);
	return end ? (size_t)(end - s) + length + 2 : source->length;
}

/* Behind the comment at @from.  One of a line ends in front of its newline. */
static size_t end_of_comment(const struct text *source, size_t from)
{
	const char *s = source->at, *end;

	if (s[from + 1] == '*') {
		end = strstr(s + from + 2, "*/");
		return end ? (size_t)(end - s) + 2 : source->length;
	}
	for (end = s + from; *end && *end != '\n'; end++)
		if (*end == '\\' && end[1])
			end++;
	return end - s;
}

/* "R", "u8R" and the like make the literal behind them a raw one. */
static bool is_raw_prefix(const char *s, size_t length)
{
	return s[length - 1] == 'R' &&
		(length == 1 || (length == 2 && strchr("uUL", s[0])) ||
		 (length == 3 && !memcmp(s, "u8", 2)));
}

static size_t end_of_number(const char *s, size_t i)
{
	while (is_name((unsigned char)s[i]) || s[i] == '.' ||
	       (s[i] == '\'' && is_name((unsigned char)s[i + 1])) ||
	       ((s[i] == '+' || s[i] == '-') && strchr("eEpP", s[i - 1])))
		i++;
	return i;
}

static size_t add_name(struct tokens *tokens, size_t from)
{
	const struct text *source = tokens->source;
	const char *s = source->at;
	size_t i = from;

	while (is_name((unsigned char)s[i]))
		i++;
	if (s[i] == '"' && is_raw_prefix(s + from, i - from)) {
		i = end_of_raw(source, i);
		add(tokens, TOKEN_STRING, from, i);
	} else {
		add(tokens, TOKEN_NAME, from, i);
	}
	return i;
}

/**
 * tokens_init() - take a source apart
 * @tokens: set to its tokens; for tokens_fini()
 * @source: a preprocessed source, which lives as long
 */
void tokens_init(struct tokens *tokens, const struct text *source)
{
	const char *s = source->at;
	bool is_line_start = true;
	size_t i = 0, end;

	memset(tokens, 0, sizeof(*tokens));
	tokens->source = source;
	while (i < source->length) {
		unsigned char c = s[i];

		if (c == '\n') {
			is_line_start = true;
			i++;
			continue;
		}
		if (isspace(c) || !c) {
			i++;
			continue;
		}
		/* The preprocessor keeps comments if it has the option -C. */
		if (c == '/' && (s[i + 1] == '*' || s[i + 1] == '/')) {
			i = end_of_comment(source, i);
			continue;
		}
		if (c == '#' && is_line_start) {
			end = i + strcspn(s + i, "\n");
			add(tokens, TOKEN_LINE, i, end);
		} else if (is_name_start(c)) {
			end = add_name(tokens, i);
		} else if (isdigit(c) ||
			   (c == '.' && isdigit((unsigned char)s[i + 1]))) {
			end = end_of_number(s, i);
			add(tokens, TOKEN_NUMBER, i, end);
		} else if (c == '"' || c == '\'') {
			end = end_of_literal(s, i);
			add(tokens, TOKEN_STRING, i, end);
		} else {
			end = i + 1;
			if ((c == ':' && s[end] == ':') ||
			    (c == '-' && s[end] == '>'))
				end++;
			add(tokens, TOKEN_MARK, i, end);
		}
		is_line_start = false;
		i = end;
	}
	add(tokens, TOKEN_END, i, i);
	tokens->count--;
}

/**
 * tokens_fini() - free them
 * @tokens: afterwards empty
 */
void tokens_fini(struct tokens *tokens)
{
	free(tokens->at);
	memset(tokens, 0, sizeof(*tokens));
}

/**
 * token_is() - compare a token
 * @tokens: tokens of a source
 * @index: one of them, or their number
 * @text: the text of a name or a mark
 *
 * Return: true if it is that text, and no literal.
 */
bool token_is(const struct tokens *tokens, size_t index, const char *text)
{
	const struct token *token = &tokens->at[index];

	return (token->kind == TOKEN_NAME || token->kind == TOKEN_MARK) &&
		token->length == strlen(text) &&
		!memcmp(tokens->source->at + token->at, text, token->length);
}

/**
 * token_close() - find the bracket that closes another one
 * @tokens: tokens of a source
 * @open: one that is ( [ or {
 *
 * Return: the index of the closing bracket, or the number of tokens if there is
 * none.
 */
size_t token_close(const struct tokens *tokens, size_t open)
{
	size_t depth = 0, i;

	for (i = open; i < tokens->count; i++) {
		const struct token *token = &tokens->at[i];
		char c = tokens->source->at[token->at];

		if (token->kind != TOKEN_MARK)
			continue;
		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && !--depth)
			break;
	}
	return i;
}
