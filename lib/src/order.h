/* SPDX-License-Identifier: MIT */
/*
 * Which tasks of other streams a stream runs after, since it was made to wait
 * for them.  Pools reuse memory by it, and nothing is noted while nobody cares.
 */
#ifndef VNPU_LIB_ORDER_H
#define VNPU_LIB_ORDER_H

#include <stdint.h>

#include "stream.h"

/* From now on it is noted, until as many do not care any more. */
void vnpu_order_care(void);
void vnpu_order_forget(void);

/* From here on @stream runs after the task @value of the stream @timeline. */
void vnpu_order_note(const struct vnpu_stream *stream, uint64_t timeline,
		     uint64_t value);

/* Nobody has the stream any more: it waits for none, and none for it. */
void vnpu_order_end(const struct vnpu_stream *stream);

/* The last task of the stream @timeline that @stream runs after, or 0. */
uint64_t vnpu_order_after(const struct vnpu_stream *stream, uint64_t timeline);

#endif /* VNPU_LIB_ORDER_H */
