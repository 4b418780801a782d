/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The targets of libFuzzer: each interprets its input as a list of operations,
 * and runs them beside a naive model. A difference aborts.
 */
#ifndef VNPU_CORE_FUZZ_H
#define VNPU_CORE_FUZZ_H

#include "core_shim.h"

void fuzz_allocator(const u8 *data, size_t size);
void fuzz_compact(const u8 *data, size_t size);
void fuzz_slab(const u8 *data, size_t size);
void fuzz_va(const u8 *data, size_t size);

#define MUST(cond) do { if (!(cond)) abort(); } while (0)

/* Read the input; all zeroes from its end on. */
struct fuzz_input {
	const u8 *data;
	size_t size;
};

static inline u8 fuzz_byte(struct fuzz_input *in)
{
	if (!in->size)
		return 0;
	in->size--;
	return *in->data++;
}

static inline u32 fuzz_word(struct fuzz_input *in)
{
	u32 low = fuzz_byte(in);

	return low | fuzz_byte(in) << 8;
}

#endif
