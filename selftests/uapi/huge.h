/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of pages of 2 MiB: a client with a window large
 * enough for them.
 */
#ifndef SELFTESTS_VNPU_HUGE_H
#define SELFTESTS_VNPU_HUGE_H

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define HUGE	MIB(2)
#define SHIFT	VNPU_PAGE_SHIFT_2M
#define HOST	VNPU_MEM_F_HOST_ACCESS

FIXTURE(huge)
{
	struct client c;
	__u64 va;	/* in the window, aligned to 2 MiB */
};

FIXTURE_SETUP(huge)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, MIB(512), PROT_READ | PROT_WRITE));
	self->va = (self->c.base + HUGE - 1) / HUGE * HUGE;
}

FIXTURE_TEARDOWN(huge)
{
	client_close(&self->c);
}

#endif
