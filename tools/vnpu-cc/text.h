/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A text that grows, and files as texts.
 */
#ifndef VNPU_CC_TEXT_H
#define VNPU_CC_TEXT_H

#include <stddef.h>

/**
 * struct text - bytes, with a zero behind them
 * @at: the bytes, or NULL while there are none; freed by text_fini()
 * @length: their number, without the zero
 * @room: bytes of memory at @at
 */
struct text {
	char *at;
	size_t length;
	size_t room;
};

void text_fini(struct text *text);
void text_add(struct text *text, const char *from, size_t length);
void text_puts(struct text *text, const char *string);
void text_printf(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void text_read(struct text *text, const char *path);
void text_write(const struct text *text, const char *path);

/* Print "vnpu-cc: error: ..." and exit with 1. */
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void *xrealloc(void *old, size_t count, size_t size);
char *xasprintf(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif /* VNPU_CC_TEXT_H */
