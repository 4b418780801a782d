/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of memory have in common: a device that has all of it back in
 * the end, and a call that takes a configuration.
 */
#ifndef SELFTESTS_LIB_ACL_MEMORY_H
#define SELFTESTS_LIB_ACL_MEMORY_H

#include "acl-test.h"

FIXTURE(memory) {
	size_t free_before;
};

FIXTURE_SETUP(memory)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	ASSERT_LT(64 * MIB, self->free_before);
}

/* Whatever a test did, the device has all of it back. */
FIXTURE_TEARDOWN(memory)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

typedef aclError (*alloc_fn)(void **, size_t, aclrtMemMallocPolicy);

static inline aclError with_cfg(void **p, size_t size,
				aclrtMemMallocPolicy policy)
{
	return aclrtMallocWithCfg(p, size, policy, NULL);
}

#endif
