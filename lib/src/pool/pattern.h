/* SPDX-License-Identifier: MIT */
/*
 * The requests of a run to a pool, so that a later run begins with the
 * knowledge of this one: see vnpu_pool_save_profile().
 *
 * Sizes up to 2 MiB are counted in the steps of classes, see class.h.  A pool
 * that learns has no fast path, so that all requests are counted.
 */
#ifndef VNPU_LIB_POOL_PATTERN_H
#define VNPU_LIB_POOL_PATTERN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "class.h"

/* At most this many sizes can each be over 1 % of the requests. */
#define VNPU_PATTERN_MOST	99

struct vnpu_pattern_size {
	uint64_t size;
	uint64_t requests;
};

/* A profile. */
struct vnpu_pattern {
	uint64_t requests;			/* of all sizes */
	uint64_t reserve[VNPU_RANGES];		/* peak bytes in chunks */
	unsigned int count;
	struct vnpu_pattern_size size[VNPU_PATTERN_MOST];
};

/* Requests by vnpu_size_index(); those without an index are at 0. */
struct vnpu_tally {
	_Atomic uint64_t requests[VNPU_SIZES];
};

void vnpu_tally_note(struct vnpu_tally *tally, uint64_t size, uint64_t align);

/* List the most requested sizes in descending order; leave reserve alone. */
void vnpu_pattern_of(struct vnpu_pattern *pattern,
		     const struct vnpu_tally *tally);

/* Choose the sizes that become classes, by vnpu_size_index(). */
void vnpu_pattern_choose(const struct vnpu_pattern *pattern,
			 uint32_t alignment, bool is_compact,
			 bool is_exact[VNPU_SIZES]);

/*
 * Read a file, or replace it.  Both report the line of the
 * file that is malformed.
 */
aclError vnpu_pattern_read(const char *path, struct vnpu_pattern *pattern);
aclError vnpu_pattern_write(const char *path,
			    const struct vnpu_pattern *pattern);

#endif /* VNPU_LIB_POOL_PATTERN_H */
