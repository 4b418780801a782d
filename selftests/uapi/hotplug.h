/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of hotplug: an added device, and a client with
 * memory on it.
 */
#ifndef SELFTESTS_VNPU_HOTPLUG_H
#define SELFTESTS_VNPU_HOTPLUG_H

#include "kselftest_harness.h"

#include "stream.h"
#include "trouble.h"
#include "util.h"

#define SMALL	MIB(16)

FIXTURE(hotplug)
{
	struct client c;
	int device;	/* the added device, which is the last */
	__u64 va;	/* 4 MiB of its memory with host access */
	__u64 near;	/* 4 MiB of device 0 */
};

FIXTURE_SETUP(hotplug)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base;
	self->near = self->va + MIB(4);
	self->device = device_add(SMALL);
	ASSERT_GT(self->device, 0);
	ASSERT_EQ(0, mem_alloc_at(&self->c, self->device,
				  VNPU_MEM_F_HOST_ACCESS, 0, MIB(4), self->va));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(4), self->near));
}

FIXTURE_TEARDOWN(hotplug)
{
	int device = self->device;

	faults_clear(0);
	device_remove((__u32)device);
	client_close(&self->c);
	/*
	 * The device has no users, so its number is free again: nothing leaks.
	 */
	EXPECT_EQ(device, device_add_at(SMALL, device));
	EXPECT_EQ(0, device_remove((__u32)device));
}

#endif
