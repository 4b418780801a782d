// SPDX-License-Identifier: GPL-2.0-only
/*
 * Response files, with the rules of g++: @FILE stands for the words in FILE.  Blanks
 * separate words; quotes and backslashes keep them together.  A file may name other
 * ones.  A word stands for itself if there is no such file.
 */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "response.h"
#include "text.h"

/* More than this is a file that names itself. */
#define RESPONSE_DEPTH	16

/* The word at *@at, without its quotes.  *@at moves behind it. */
static char *take_word(const char **at)
{
	struct text word = { 0 };
	char quote = 0;
	const char *s;

	text_puts(&word, "");
	for (s = *at; *s && (quote || !isspace((unsigned char)*s)); s++) {
		if (*s == '\\' && s[1]) {
			text_add(&word, ++s, 1);
		} else if (quote ? *s == quote : *s == '"' || *s == '\'') {
			quote = quote ? 0 : *s;
		} else {
			text_add(&word, s, 1);
		}
	}
	*at = s;
	return word.at;
}

static void expand(struct list *out, const char *word, unsigned int depth)
{
	struct text file = { 0 };
	const char *at;

	if (word[0] != '@' || access(word + 1, R_OK)) {
		list_add(out, word);
		return;
	}
	if (depth == RESPONSE_DEPTH)
		die("%s: response files name each other", word);
	text_puts(&file, "");
	text_read(&file, word + 1);
	for (at = file.at;; ) {
		at += strspn(at, " \t\r\n\f\v");
		if (!*at)
			break;
		expand(out, take_word(&at), depth + 1);
	}
	text_fini(&file);
}

/**
 * response_expand() - put the words of response files into a command line
 * @argc: of main()
 * @argv: of main(); points to a longer one afterwards
 */
void response_expand(int *argc, char ***argv)
{
	struct list out = { 0 };

	for (int i = 0; i < *argc; i++)
		expand(&out, (*argv)[i], 0);
	*argc = (int)out.count;
	*argv = (char **)out.at;
}
