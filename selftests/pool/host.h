/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory for tested pools: addresses of this process, and a record of mapped
 * memory, which detects invalid calls of a pool.
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
	uint64_t mapped;		/* bytes in use */
	uint64_t most;			/* limit, or 0 */
	uint64_t longest;		/* available addresses, or 0 */
	uint64_t unit;			/* unit of memory */
	unsigned int calls;		/* calls of map */
	unsigned int fail_at;		/* this call of map fails; 0: none */
	unsigned int moves;		/* calls of move */
	unsigned int fail_move_at;	/* like @fail_at */
	unsigned int errors;		/* the pool's addresses */
	/* limit of calls of map and move; or 0 */
	unsigned int fail_every;
	/* units of the mapping that begins there */
	uint32_t *lengths;
};

/* Make @host a provider; its previous use must have ended. */
void host_init(struct host *host);

#endif /* SELFTESTS_POOL_HOST_H */
