/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-smi: strings that others chose, made fit for a terminal.
 *
 * The name of a process is any 15 bytes.  In a table it must neither break the
 * frame nor carry escape sequences.
 */
#ifndef VNPU_SMI_TEXT_H
#define VNPU_SMI_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Names are shorter; what is longer is cut. */
#define TEXT_MAX	256

/*
 * Copy @src, with '?' for every character that the locale cannot print or that
 * takes no column of its own, such as one that changes the writing direction.
 * Returns the columns that @dst takes.
 */
size_t text_clean(char *dst, size_t size, const char *src);

/* Print @src cleaned, left-justified in @width columns. */
void text_print(FILE *f, const char *src, size_t width);

#endif /* VNPU_SMI_TEXT_H */
