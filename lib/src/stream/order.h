/* SPDX-License-Identifier: MIT */
/*
 * The tasks of other streams that a stream runs after, because it waits for
 * them.  Pools use this to reuse memory; without pools nothing is recorded.
 */
#ifndef VNPU_LIB_ORDER_H
#define VNPU_LIB_ORDER_H

#include <stdint.h>

#include "stream.h"

/* Start recording; the last of as many calls to forget stops it. */
void vnpu_order_care(void);
void vnpu_order_forget(void);

/*
 * Record that @stream now runs after the task @value of the stream @timeline.
 */
void vnpu_order_note(const struct vnpu_stream *stream, uint64_t timeline,
		     uint64_t value);

/* Remove all records of a stream that no longer exists. */
void vnpu_order_end(const struct vnpu_stream *stream);

/* Get the last task of stream @timeline that @stream runs after, or 0. */
uint64_t vnpu_order_after(const struct vnpu_stream *stream, uint64_t timeline);

#endif /* VNPU_LIB_ORDER_H */
