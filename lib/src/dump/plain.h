/* SPDX-License-Identifier: MIT */
/* Numbers in files: the locale of a program may have a comma in them. */
#ifndef VNPU_LIB_DUMP_PLAIN_H
#define VNPU_LIB_DUMP_PLAIN_H

#include <locale.h>

/**
 * struct vnpu_plain - a part of a thread that prints numbers with points
 * @own: its locale, or 0 without memory
 * @old: the one before
 */
struct vnpu_plain {
	locale_t own;
	locale_t old;
};

static inline void vnpu_plain_begin(struct vnpu_plain *plain)
{
	plain->own = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	if (plain->own)
		plain->old = uselocale(plain->own);
}

static inline void vnpu_plain_end(const struct vnpu_plain *plain)
{
	if (!plain->own)
		return;
	uselocale(plain->old);
	freelocale(plain->own);
}

#endif /* VNPU_LIB_DUMP_PLAIN_H */
