/* SPDX-License-Identifier: MIT */
/*
 * What a run asks a pool for, so that a later run begins with what this one
 * has learned: see vnpu_pool_save_profile().
 *
 * Sizes up to 2 MiB are counted in steps in which classes can be made, see
 * class.h.  A pool that learns lets no allocation be a hit, so that all of them
 * are counted.
 */
#ifndef VNPU_LIB_POOL_PATTERN_H
#define VNPU_LIB_POOL_PATTERN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "pool/class.h"

/* There are not more sizes that each make over 1 % of requests. */
#define VNPU_PATTERN_MOST	99

struct vnpu_pattern_size {
	uint64_t size;
	uint64_t requests;
};

/* A profile. */
struct vnpu_pattern {
	uint64_t requests;			/* of all sizes */
	uint64_t reserve[VNPU_RANGES];		/* most bytes in chunks */
	unsigned int count;
	struct vnpu_pattern_size size[VNPU_PATTERN_MOST];
};

/* Requests by vnpu_size_index(); what has none is at 0. */
struct vnpu_tally {
	_Atomic uint64_t requests[VNPU_SIZES];
};

void vnpu_tally_note(struct vnpu_tally *tally, uint64_t size, uint64_t align);

/* The most requested sizes, the first of them first; not what is reserved. */
void vnpu_pattern_of(struct vnpu_pattern *pattern,
		     const struct vnpu_tally *tally);

/* Which sizes are to be classes, by vnpu_size_index(). */
void vnpu_pattern_choose(const struct vnpu_pattern *pattern,
			 uint32_t alignment, bool is_compact,
			 bool is_exact[VNPU_SIZES]);

/*
 * Read a file, or replace it.  They fail for @call, and tell which line of the
 * file is not as it should be.
 */
aclError vnpu_pattern_read(const char *call, const char *path,
			   struct vnpu_pattern *pattern);
aclError vnpu_pattern_write(const char *call, const char *path,
			    const struct vnpu_pattern *pattern);

#endif /* VNPU_LIB_POOL_PATTERN_H */
