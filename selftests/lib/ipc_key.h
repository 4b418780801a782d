/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of keys: memory full of 0x21, with a key that no
 * process may open yet.
 */
#ifndef SELFTESTS_LIB_IPC_KEY_H
#define SELFTESTS_LIB_IPC_KEY_H

#include "ipc.h"

FIXTURE(key) {
	struct memory m;
	char *key;
	size_t free_before;
};

FIXTURE_SETUP(key)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	OK(make(&self->m, KEY));
	OK(fill(&self->m, 0x21));
	OK(export(&self->m, 0));
	self->key = self->m.name.key;
}

FIXTURE_TEARDOWN(key)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

#endif
