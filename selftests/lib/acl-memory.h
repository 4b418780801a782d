/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of memory: a device on which all memory must be
 * free at the end, and a call that takes a configuration.
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

/* At the end all memory of the device must be free. */
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
