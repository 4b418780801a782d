/* SPDX-License-Identifier: MIT */
/*
 * Sites: a call stack and a tag, of which each combination is kept once, and
 * for as long as the process lives.
 *
 * All of it is under the profiler's lock, unless said otherwise.
 */
#ifndef VNPU_LIB_PROFILE_SITE_H
#define VNPU_LIB_PROFILE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VNPU_SITE_DEPTH		64

struct vnpu_stack {
	int nr_frames;
	void *frames[VNPU_SITE_DEPTH];
};

struct vnpu_site {
	struct vnpu_site *next;		/* with a similar hash */
	uint64_t hash;
	const char *tag;
	uint64_t reset_blocks;		/* that ended with their device */
	uint64_t reset_bytes;
	bool is_traced;			/* or is about to be */
	uint32_t number;		/* from 1, as they were found */
	uint32_t nr_frames;
	void *frames[];			/* the innermost first */
};

/* Find an unwinder.  Needs no lock; before the first vnpu_stack_capture(). */
void vnpu_stack_init(void);

/* The stack of the caller.  Needs no lock. */
void vnpu_stack_capture(struct vnpu_stack *stack);

/* The tag of the thread, "" for none.  Needs no lock. */
const char *vnpu_tag_current(void);

/* NULL without memory. */
struct vnpu_site *vnpu_site_get(const struct vnpu_stack *stack,
				const char *tag);

/* Those with a number greater than @after, the nearest first; NULL for none. */
struct vnpu_site *vnpu_site_next(uint32_t after);

#endif /* VNPU_LIB_PROFILE_SITE_H */
