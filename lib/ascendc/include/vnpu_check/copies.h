/* SPDX-License-Identifier: MIT */
/*
 * A copy between device memory and a core's memory, apart from the tensors that it
 * was called with, so that it can be executed at once or later; see late.h.
 */
#ifndef VNPU_CHECK_COPIES_H
#define VNPU_CHECK_COPIES_H

#include <stdint.h>

namespace vnpu {

/* Rows with gaps: their number, their bytes, and from one to the next. */
struct rows {
	uint32_t count;
	uint64_t bytes;
	uint64_t from_step;
	uint64_t to_step;

	uint64_t from_extent() const
	{
		return count ? (count - 1) * from_step + bytes : 0;
	}

	uint64_t to_extent() const
	{
		return count ? (count - 1) * to_step + bytes : 0;
	}
};

/* The padding that DataCopyPad adds to each row on its way into the core. */
struct padding {
	uint64_t bytes;		/* of a row in device memory */
	uint64_t before;	/* bytes in front of it */
	uint64_t value;		/* an element, in the first bytes */
	bool is_given;		/* else its end is filled with the row's own */
};

struct copy {
	void (*execute)(const struct copy &copy);
	uint8_t *to;
	const uint8_t *from;
	struct rows rows;
	struct padding pad;
	/* To device memory: the registers when the copy was issued. */
	uint8_t atomic;
	uint8_t atomic_type;
};

} /* namespace vnpu */

#endif /* VNPU_CHECK_COPIES_H */
