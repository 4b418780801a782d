/* SPDX-License-Identifier: MIT */
/*
 * Sites: a call stack and a tag.  Each combination is stored once, and never
 * freed.
 *
 * The profiler's lock protects everything, unless noted otherwise.
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
	struct vnpu_site *next;		/* list of the bucket */
	uint64_t hash;
	const char *tag;
	uint64_t reset_blocks;		/* blocks that ended with their device
					 * */
	uint64_t reset_bytes;
	bool is_traced;			/* written to the trace, or about to be
					 * */
	uint32_t number;		/* from 1, in the order of creation */
	uint32_t nr_frames;
	void *frames[];			/* the innermost first */
};

/* Find an unwinder, before the first vnpu_stack_capture().  Needs no lock. */
void vnpu_stack_init(void);

/* Capture the stack of the caller.  Needs no lock. */
void vnpu_stack_capture(struct vnpu_stack *stack);

/* Get the tag of the thread, "" for none.  Needs no lock. */
const char *vnpu_tag_current(void);

/* Find or create the site of a stack and a tag; NULL without memory. */
struct vnpu_site *vnpu_site_get(const struct vnpu_stack *stack,
				const char *tag);

/* Get the site with the lowest number above @after; NULL for none. */
struct vnpu_site *vnpu_site_next(uint32_t after);

#endif /* VNPU_LIB_PROFILE_SITE_H */
