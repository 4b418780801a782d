// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters of a kernel: their names, and names for unnamed ones.
 */
#include <stdlib.h>
#include <string.h>

#include "params.h"

/* Words that end a type, so that the parameter has no name. */
static const char * const type_words[] = {
	"bool", "char", "short", "int", "long", "unsigned", "signed", "float",
	"double", "void", "auto", "const", "volatile", "wchar_t", "char16_t",
	"char32_t", "char8_t", "_Float16", "__restrict", "__restrict__",
	"restrict",
};

/* Words in front of a type, after which a name is still the type. */
static const char * const type_prefixes[] = {
	"const", "volatile", "struct", "class", "enum", "union", "typename",
	"register",
};

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static bool is_one_of(const struct tokens *tokens, size_t i,
		      const char * const *words, size_t count)
{
	for (size_t n = 0; n < count; n++)
		if (token_is(tokens, i, words[n]))
			return true;
	return false;
}

/**
 * params_close_angle() - find the > that closes template arguments
 * @tokens: tokens of a source
 * @open: a <
 *
 * Return: the index of the >, or 0 if there is none in this declaration.
 */
size_t params_close_angle(const struct tokens *tokens, size_t open)
{
	size_t depth = 0, i;

	for (i = open; i < tokens->count; i++) {
		if (token_is(tokens, i, "(") || token_is(tokens, i, "[") ||
		    token_is(tokens, i, "{"))
			i = token_close(tokens, i);
		else if (token_is(tokens, i, ";"))
			return 0;
		else if (token_is(tokens, i, "<"))
			depth++;
		else if (token_is(tokens, i, ">") && !--depth)
			return i;
	}
	return 0;
}

/*
 * The token that names the parameter in [from, end), or @end.  It is the last
 * one, or in front of an array's brackets, and something of a type is before.
 */
static size_t find_name(const struct tokens *tokens, size_t from, size_t end)
{
	size_t last = end, before, i;

	for (i = from; i < end; i++) {
		if (token_is(tokens, i, "="))
			break;
		if (token_is(tokens, i, "<")) {
			size_t close = params_close_angle(tokens, i);

			i = close ? close : i;
			last = i;
		} else if (token_is(tokens, i, "(")) {
			i = token_close(tokens, i);
			last = i;
		} else if (token_is(tokens, i, "[")) {
			i = token_close(tokens, i);
		} else if (tokens->at[i].kind != TOKEN_LINE) {
			last = i;
		}
	}
	if (last == end || tokens->at[last].kind != TOKEN_NAME ||
	    is_one_of(tokens, last, type_words, COUNT(type_words)))
		return end;
	for (before = last; before > from; before--)
		if (tokens->at[before - 1].kind != TOKEN_LINE)
			break;
	if (before == from || token_is(tokens, before - 1, "::"))
		return end;
	/* "const Tile" has no name yet, "const Tile t" and "int t" have. */
	for (i = from; i < last; i++)
		if (tokens->at[i].kind != TOKEN_LINE &&
		    !is_one_of(tokens, i, type_prefixes, COUNT(type_prefixes)))
			return last;
	return end;
}

static void add(struct params *params, const struct tokens *tokens,
		size_t from, size_t end, struct edits *edits)
{
	struct param param = { 0 };
	size_t name, i;

	while (from < end && tokens->at[from].kind == TOKEN_LINE)
		from++;
	while (end > from && tokens->at[end - 1].kind == TOKEN_LINE)
		end--;
	if (from == end || (end - from == 1 && token_is(tokens, from, "void")))
		return;
	for (i = from; i + 2 < end; i++)
		if (token_is(tokens, i, ".") && token_is(tokens, i + 1, ".") &&
		    token_is(tokens, i + 2, "."))
			param.is_pack = true;
	name = find_name(tokens, from, end);
	param.from = from;
	for (param.end = from; param.end < end; param.end++) {
		if (token_is(tokens, param.end, "="))
			break;
		param.is_pointer |= token_is(tokens, param.end, "*");
	}
	param.is_named = name != end;
	if (!param.is_named) {
		param.name = xasprintf("vnpu_unnamed_%zu", params->count);
		edit_after(edits, param.end - 1, xasprintf(" %s", param.name));
	} else {
		param.name = xasprintf("%.*s", (int)tokens->at[name].length,
				       tokens->source->at +
				       tokens->at[name].at);
	}
	params->at = xrealloc(params->at, params->count + 1,
			      sizeof(*params->at));
	params->at[params->count++] = param;
}

/**
 * params_init() - find the parameters of a kernel
 * @params: set to them; for params_fini()
 * @tokens: tokens of the source
 * @open: the ( in front of them
 * @edits: receives names for unnamed parameters
 */
void params_init(struct params *params, const struct tokens *tokens,
		 size_t open, struct edits *edits)
{
	size_t close = token_close(tokens, open), from = open + 1, i;

	memset(params, 0, sizeof(*params));
	for (i = open + 1; i <= close; i++) {
		if (i == close || token_is(tokens, i, ",")) {
			add(params, tokens, from, i, edits);
			from = i + 1;
		} else if (token_is(tokens, i, "(") ||
			   token_is(tokens, i, "[") ||
			   token_is(tokens, i, "{")) {
			i = token_close(tokens, i);
		} else if (token_is(tokens, i, "<")) {
			size_t end = params_close_angle(tokens, i);

			if (end && end < close)
				i = end;
		}
	}
}

/**
 * params_fini() - free them
 * @params: afterwards empty
 */
void params_fini(struct params *params)
{
	for (size_t i = 0; i < params->count; i++)
		free(params->at[i].name);
	free(params->at);
	memset(params, 0, sizeof(*params));
}
