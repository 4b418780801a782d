/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of the profiler's records: events of the library,
 * and counts.
 */
#ifndef SELFTESTS_LIB_PROFILE_BOOK_H
#define SELFTESTS_LIB_PROFILE_BOOK_H

#include "acl-test.h"

#include "vnpu.h"

#include "memprof/profile.h"

static inline void on_alloc(uint64_t address, uint64_t size, uint32_t device)
{
	vnpu_profile_alloc(VNPU_PROFILE_MALLOC, address, size, device,
			   VNPU_PROFILE_NO_STREAM);
}

static inline void on_free(uint64_t address)
{
	vnpu_profile_free_end(vnpu_profile_free_begin(address), true);
}

static inline struct vnpu_profile_stats stats(void)
{
	struct vnpu_profile_stats s;

	if (vnpu_profile_get_stats(&s, sizeof(s)))
		abort();
	return s;
}

#endif
