/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: untrusted strings, made safe for a terminal.
 *
 * The name of a process is any 15 bytes.  In a table it must neither break the
 * frame nor carry escape sequences.
 */
#ifndef VNPU_SMI_TEXT_H
#define VNPU_SMI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Names are shorter; what is longer is cut. */
#define TEXT_MAX	256

/*
 * Copy @src, with '?' for every character that the locale cannot print or that
 * takes no column of its own, such as one that changes the writing direction.
 * Returns the columns that @dst takes.
 */
size_t text_clean(char *dst, size_t size, const char *src);

/* Bytes in the largest unit that leaves at most four digits, as "4M". */
#define SIZE_TEXT	24
void format_size(char text[SIZE_TEXT], uint64_t bytes);

/* Now, as ISO 8601 in UTC with microseconds, and short in local time. */
#define TIME_TEXT	40
void format_time(char text[TIME_TEXT]);
void format_time_short(char text[TIME_TEXT]);

/* Print @src cleaned, left-justified in @width columns. */
void text_print(FILE *f, const char *src, size_t width);

#endif /* VNPU_SMI_TEXT_H */
