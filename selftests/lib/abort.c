// SPDX-License-Identifier: GPL-2.0-only
/* What becomes of a stream's work when it is aborted, and of who waits for it. */
#include "acl-stream.h"

FIXTURE(abort) {
	struct work w;
	uint8_t *freed;		/* a device address where nothing is */
};

FIXTURE_SETUP(abort)
{
	OK(work_init(&self->w));
	OK(aclrtMalloc((void **)&self->freed, 4 * MIB,
		       ACL_MEM_MALLOC_HUGE_ONLY));
	OK(aclrtFree(self->freed));
}

FIXTURE_TEARDOWN(abort)
{
	aclrtResetDeviceForce(0);
	if (self->w.pinned)
		aclrtFreeHost(self->w.pinned);
}

/* As after the abort of one stream, nothing is left to be told. */
TEST_F(abort, device_forgets_failures)
{
	struct work *w = &self->w;
	aclrtEvent failed;

	OK(aclrtCreateEvent(&failed));
	OK(aclrtMemsetAsync(self->freed, 64, 1, 64, w->a));
	OK(aclrtRecordEvent(failed, w->a));
	OK(aclrtSynchronizeEvent(failed));
	OK(aclrtDeviceTaskAbort(0, 0));
	OK(aclrtSynchronizeStream(w->a));
}

TEST_HARNESS_MAIN
