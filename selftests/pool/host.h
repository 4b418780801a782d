/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for pools under test: addresses of this process, and a book of what
 * has memory, which says when a pool does what it may not.
 */
#ifndef SELFTESTS_POOL_HOST_H
#define SELFTESTS_POOL_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "vnpu/pool.h"

#define HOST_SLOT	(2ULL << 20)
#define HOST_UNIT	(64ULL << 10)

struct host {
	struct vnpu_pool_provider provider;
	uint64_t base;
	uint64_t length;
	uint64_t mapped;		/* bytes */
	uint64_t most;			/* that may be, or 0 */
	uint64_t longest;		/* addresses there are, or 0 */
	uint64_t unit;			/* that memory comes in multiples of */
	unsigned int calls;		/* of map */
	unsigned int fail_at;		/* this call of map fails; 0: none */
	unsigned int moves;		/* calls of move */
	unsigned int fail_move_at;	/* as @fail_at */
	unsigned int errors;		/* of the pool's */
	unsigned int fail_every;	/* so many calls of map and move; or 0 */
	uint32_t *lengths;		/* units of what begins there */
};

/* Make @host a provider; what it was before must have ended. */
void host_init(struct host *host);

#endif /* SELFTESTS_POOL_HOST_H */
