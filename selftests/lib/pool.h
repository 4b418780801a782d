/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared parts of the tests of pools on a device. */
#ifndef SELFTESTS_LIB_POOL_H
#define SELFTESTS_LIB_POOL_H

#include <stdlib.h>
#include <string.h>

#include "acl-test.h"
#include "vnpu.h"

static inline struct vnpu_pool_stats stats_of(vnpu_pool_t pool)
{
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };

	if (vnpu_pool_get_stats(pool, &stats))
		abort();
	return stats;
}

#endif
