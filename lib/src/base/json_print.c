// SPDX-License-Identifier: MIT
/*
 * Strings for JSON, which has to be UTF-8; strings of a program need not be.
 */
#include <stdint.h>

#include "json.h"

/* Get the length of the character at @text, or 0 if it is not UTF-8. */
static size_t utf8_length(const unsigned char *text)
{
	uint32_t code = text[0];
	size_t length = code < 0x80 ? 1 : code < 0xc2 ? 0 : code < 0xe0 ? 2 :
			code < 0xf0 ? 3 : code < 0xf5 ? 4 : 0;

	if (length < 2)
		return length;
	code &= 0x7f >> length;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	/* Overlong, a surrogate, or beyond the last code point. */
	if ((length == 3 && (code < 0x800 || code >> 11 == 0x1b)) ||
	    (length == 4 && (code < 0x10000 || code > 0x10ffff)))
		return 0;
	return length;
}

void vnpu_json_print_string(FILE *file, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t length;

	fputc('"', file);
	for (; *p; p += length ? length : 1) {
		length = utf8_length(p);
		if (*p == '"' || *p == '\\')
			fprintf(file, "\\%c", *p);
		else if (!length || *p < ' ' || *p == 0x7f)
			fprintf(file, "\\u%04x", *p);
		else
			fwrite(p, 1, length, file);
	}
	fputc('"', file);
}
