/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of virtual memory: reserved addresses, and physical
 * memory of a large page.
 */
#ifndef SELFTESTS_LIB_VMM_H
#define SELFTESTS_LIB_VMM_H

#include "acl-test.h"

#define ADDRESSES	(16 * HUGE_SIZE)

FIXTURE(vmm) {
	size_t free_before;
	char *va;
	aclrtPhysicalMemProp prop;
	aclrtDrvMemHandle handle;
};

FIXTURE_SETUP(vmm)
{
	void *va;

	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	self->prop.memAttr = ACL_HBM_MEM_HUGE;
	self->prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	OK(aclrtReserveMemAddress(&va, ADDRESSES, 0, NULL, 0));
	self->va = va;
	OK(aclrtMallocPhysical(&self->handle, HUGE_SIZE, &self->prop, 0));
}

FIXTURE_TEARDOWN(vmm)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

#endif
