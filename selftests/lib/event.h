/* SPDX-License-Identifier: GPL-2.0-only */
/* The fixture of tests of events: two streams, and an event of each kind. */
#ifndef SELFTESTS_VNPU_EVENT_H
#define SELFTESTS_VNPU_EVENT_H

#include "acl-stream.h"

FIXTURE(event) {
	struct work w;
	aclrtEvent plain, sync, timed, ex;
};

FIXTURE_SETUP(event)
{
	OK(work_init(&self->w));
	OK(aclrtCreateEvent(&self->plain));
	OK(aclrtCreateEventWithFlag(&self->sync, ACL_EVENT_SYNC));
	OK(aclrtCreateEventWithFlag(&self->timed, ACL_EVENT_TIME_LINE));
	OK(aclrtCreateEventExWithFlag(&self->ex, ACL_EVENT_SYNC |
				      ACL_EVENT_TIME_LINE));
}

FIXTURE_TEARDOWN(event)
{
	work_fini(&self->w);
}

#endif
