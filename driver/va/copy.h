/* SPDX-License-Identifier: GPL-2.0-only */
/* Synchronous copies and fills of device memory, in the caller's context. */
#ifndef VNPU_COPY_H
#define VNPU_COPY_H

#include <linux/string.h>
#include <linux/types.h>

#include <linux/vnpu.h>

struct vnpu_client;

int vnpu_va_copy(struct vnpu_client *client, u64 dst, u64 src, u64 length,
		 u64 *done);
int vnpu_va_fill(struct vnpu_client *client, u64 dst, u64 length, u64 value,
		 unsigned int value_size, u64 *done);
u64 vnpu_copy_next(u64 *dst, u64 *src, u64 length, u64 done, u64 most);
void vnpu_fill_pattern(u8 pattern[8], u64 value, unsigned int value_size);
void vnpu_fill_span(void *dst, const u8 pattern[8], unsigned int phase,
		    size_t length);

/* Same as memmove(), but use the faster memcpy() if nothing overlaps. */
static inline void vnpu_move_bytes(void *dst, const void *src, size_t length)
{
	if (dst + length <= src || src + length <= dst)
		memcpy(dst, src, length);
	else
		memmove(dst, src, length);
}

#endif
