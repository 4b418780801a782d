// SPDX-License-Identifier: MIT
/* The failure of a communicator, which is final. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stream/collective.h"

#include "capture.h"
#include "comm.h"

void hccl_fuse_blow(const struct hccl_comm *comm)
{
	void *nowhere = (void *)(uintptr_t)64;

	aclrtSetMemcpyDesc(comm->fuse, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
			   nowhere, comm->spare, sizeof(uint64_t), NULL);
}

static void release_lanes(struct hccl_comm *comm)
{
	hccl_fuse_blow(comm);
	for (unsigned int i = 0; i < HCCL_LANES; i++) {
		if (comm->lanes[i].stream)
			aclrtStreamAbort(comm->lanes[i].stream);
		vnpu_collective_count_set(comm->lanes[i].done, UINT64_MAX,
					  comm->rescue);
	}
}

/*
 * Release the streams of all calls into the copy that fails.  The context of a
 * captured stream may be current here.
 */
static void release_streams(struct hccl_comm *comm)
{
	aclrtContext before = NULL;

	aclrtGetCurrentContext(&before);
	/* The reset of the device has ended all streams, and freed the fuse. */
	if (!aclrtSetCurrentContext(comm->context))
		release_lanes(comm);
	hccl_captures_release(comm);
	if (before)
		aclrtSetCurrentContext(before);
}

void hccl_fail(struct hccl_comm *comm, HcclResult result, const char *format,
	       ...)
{
	struct hccl_rank *state = hccl_region_rank(&comm->region, comm->rank);
	va_list list;

	if (comm->result)
		return;
	va_start(list, format);
	vsnprintf(comm->text, sizeof(comm->text), format, list);
	va_end(list);
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
		  "HCCL communicator %s, rank %u: %s", comm->name, comm->rank,
		  comm->text);
	memcpy(state->text, comm->text, sizeof(state->text));
	comm->result = result;
	state->failed = result;
	hccl_region_view(&comm->region, comm->rank)->state = HCCL_VIEW_FAILED;
	release_streams(comm);
	for (unsigned int r = 0; r < comm->ranks; r++)
		hccl_wake(comm, r);
}
