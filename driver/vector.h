/* SPDX-License-Identifier: GPL-2.0-only */
/* What vector engines compute: driver/core, by the machine's FPU if it helps. */
#ifndef VNPU_VECTOR_H
#define VNPU_VECTOR_H

#include <linux/types.h>

/**
 * vnpu_vector_reduce() - reduce an array into another
 * @dst: the elements, which get the results; aligned to one
 * @src: the other elements; aligned to one; @dst, or not overlapping it
 * @count: how many there are
 * @op: VNPU_REDUCE_*
 * @type: VNPU_TYPE_*; vnpu_reduce_check() has found it good with @op
 *
 * As vnpu_reduce(), bit by bit. Both are in kernel memory that does not fault.
 * Process context; preemption is off for at most 4 KiB at a time.
 */
void vnpu_vector_reduce(void *dst, const void *src, size_t count,
			unsigned int op, unsigned int type);

#endif
