/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams that are always busy, and the engine time that they get. */
#ifndef SELFTESTS_VNPU_BUSY_H
#define SELFTESTS_VNPU_BUSY_H

#include <stdlib.h>

#include "stream.h"

/* At least as many as there are copy engines. */
#define BUSY_STREAMS	4

/* Length of each copy: a full ring lasts for many seconds. */
#define BUSY_LENGTH	MIB(8)

/* Length and number of the measurements. */
#define BUSY_US		400000
#define BUSY_TRIES	5

/**
 * struct busy - streams of one context, with rings full of copies
 * @s: the streams
 * @before: engine time that they had got when the measurement began, in ns
 */
struct busy {
	struct stream s[BUSY_STREAMS];
	__u64 before;
};

/* Allocate the memory that the streams of @c copy. */
static inline int busy_prepare(struct client *c)
{
	return window_map(c, MIB(64), PROT_NONE) ?:
	       mem_alloc_at(c, 0, 0, 0, 2 * BUSY_LENGTH, c->base);
}

/* Begin in a context, or in none if @context is 0. */
static inline int busy_begin(struct busy *b, const struct client *c,
			     __u32 context, __u32 priority)
{
	int i, ret = 0;

	for (i = 0; !ret && i < BUSY_STREAMS; i++) {
		struct stream *s = &b->s[i];

		ret = stream_create_only(s, c, 0, priority, context, 0) ?:
		      stream_map(s);
		while (!ret && s->last < s->tasks)
			stream_put(s, task_copy(c->base + BUSY_LENGTH, c->base,
						BUSY_LENGTH));
		ret = ret ?: stream_submit(s);
	}
	return ret;
}

static inline void busy_end(struct busy *b)
{
	int i;

	for (i = 0; i < BUSY_STREAMS; i++)
		if (b->s[i].ring)
			stream_destroy(&b->s[i]);
}

/* Return the engine time of all streams in ns, or 0 if one has no task left. */
static inline __u64 busy_ns(const struct busy *b)
{
	struct vnpu_stream_query q;
	__u64 sum = 0;
	int i;

	for (i = 0; i < BUSY_STREAMS; i++) {
		if (stream_query(&b->s[i], &q) ||
		    q.out_completed == b->s[i].last)
			return 0;
		sum += q.out_busy_ns;
	}
	return sum;
}

/*
 * Return the share of @a in the engine time that @a and @b get, in thousandths, or
 * a negative number if a stream has no task left.
 */
static inline int busy_share(struct busy *a, struct busy *b)
{
	__u64 of_a, of_b;

	/* Skip the time in which the first one was ahead. */
	usleep(BUSY_US / 4);
	a->before = busy_ns(a);
	b->before = busy_ns(b);
	usleep(BUSY_US);
	of_a = busy_ns(a);
	of_b = busy_ns(b);
	if (!of_a || !of_b)
		return -1;
	of_a -= a->before;
	of_b -= b->before;
	return of_a * 1000 / (of_a + of_b ?: 1);
}

static inline int busy_compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * Return the median of some measurements, or a negative number as busy_share() does.
 * Single ones are off if the host stops an engine in a turn: the engine is not charged
 * for all of that time.
 */
static inline int busy_share_median(struct busy *a, struct busy *b)
{
	int i, share[BUSY_TRIES];

	for (i = 0; i < BUSY_TRIES; i++) {
		share[i] = busy_share(a, b);
		if (share[i] < 0)
			return share[i];
	}
	qsort(share, BUSY_TRIES, sizeof(share[0]), busy_compare);
	return share[BUSY_TRIES / 2];
}

#endif
