// SPDX-License-Identifier: GPL-2.0-only
/*
 * A text that grows, and files as texts.  A compiler that runs out of memory or
 * cannot read a file has nothing left to do, so each failure ends it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/**
 * die() - print an error and exit
 * @format: the message, without an end
 */
void die(const char *format, ...)
{
	va_list args;

	fputs("vnpu-cc: error: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

/**
 * xrealloc() - change the size of an array, or die
 * @old: the array, or NULL
 * @count: elements that are wanted
 * @size: bytes of one
 *
 * Return: the array.
 */
void *xrealloc(void *old, size_t count, size_t size)
{
	void *new = reallocarray(old, count, size);

	if (!new)
		die("out of memory");
	return new;
}

/**
 * xasprintf() - format into new memory, or die
 * @format: as of printf()
 *
 * Return: the string, for free().
 */
char *xasprintf(const char *format, ...)
{
	va_list args;
	char *out;
	int length;

	va_start(args, format);
	length = vasprintf(&out, format, args);
	va_end(args);
	if (length < 0)
		die("out of memory");
	return out;
}

/**
 * text_fini() - free a text's memory
 * @text: afterwards empty
 */
void text_fini(struct text *text)
{
	free(text->at);
	memset(text, 0, sizeof(*text));
}

/**
 * text_add() - append bytes
 * @text: a text
 * @from: the bytes, not of @text itself
 * @length: their number
 */
void text_add(struct text *text, const char *from, size_t length)
{
	if (text->room - text->length <= length) {
		text->room = 2 * text->room + length + 64;
		text->at = xrealloc(text->at, text->room, 1);
	}
	if (length)
		memcpy(text->at + text->length, from, length);
	text->length += length;
	text->at[text->length] = '\0';
}

/**
 * text_puts() - append a string
 * @text: a text
 * @string: the string
 */
void text_puts(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

/**
 * text_printf() - append formatted text
 * @text: a text
 * @format: as of printf()
 */
void text_printf(struct text *text, const char *format, ...)
{
	va_list args;
	char *piece;
	int length;

	va_start(args, format);
	length = vasprintf(&piece, format, args);
	va_end(args);
	if (length < 0)
		die("out of memory");
	text_add(text, piece, length);
	free(piece);
}

/**
 * text_read() - append a file, or die
 * @text: a text
 * @path: the file
 */
void text_read(struct text *text, const char *path)
{
	FILE *file = fopen(path, "re");
	char piece[1 << 16];
	size_t length;

	if (!file)
		die("cannot read %s: %s", path, strerror(errno));
	while ((length = fread(piece, 1, sizeof(piece), file)))
		text_add(text, piece, length);
	if (ferror(file))
		die("cannot read %s: %s", path, strerror(errno));
	fclose(file);
}

/**
 * text_write() - make a file of a text, or die
 * @text: a text
 * @path: the file, which is replaced if it exists; or "-" for standard output
 */
void text_write(const struct text *text, const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "we") : stdout;

	if (!file || fwrite(text->at, 1, text->length, file) != text->length ||
	    fclose(file))
		die("cannot write %s: %s", path, strerror(errno));
}
