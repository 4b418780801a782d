// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: the reader of the memory that the ranks of a communicator share.
 *
 * It is read by pread(), as an access to a mapping could fault.
 */
#include <ctype.h>
#include <unistd.h>

#include "../../lib/hccl/kind.h"
#include "communicator.h"

static const char *operation_name(uint32_t kind)
{
	static const char *const names[] = {
		[HCCL_ALLREDUCE] = "AllReduce",
		[HCCL_REDUCE] = "Reduce",
		[HCCL_REDUCESCATTER] = "ReduceScatter",
		[HCCL_REDUCESCATTERV] = "ReduceScatterV",
		[HCCL_BROADCAST] = "Broadcast",
		[HCCL_SCATTER] = "Scatter",
		[HCCL_ALLGATHER] = "AllGather",
		[HCCL_ALLGATHERV] = "AllGatherV",
		[HCCL_ALLTOALL] = "AlltoAll",
		[HCCL_ALLTOALLV] = "AlltoAllV",
		[HCCL_ALLTOALLVC] = "AlltoAllVC",
		[HCCL_BARRIER] = "Barrier",
		[HCCL_MESSAGE] = "Message",
	};

	return kind < HCCL_KINDS ? names[kind] : NULL;
}

static const char *state_name(const struct communicator_rank *rank)
{
	switch (rank->view.state) {
	case HCCL_VIEW_ON:
		break;
	case HCCL_VIEW_LEFT:
		return "left";
	default:
		return "failed";
	}
	if (!rank->is_active)
		return "idle";
	return rank->is_waiting ? "waiting" : "running";
}

/* Control characters could change the screen. */
static void clean_name(char name[HCCL_VIEW_NAME])
{
	name[HCCL_VIEW_NAME - 1] = 0;
	for (size_t i = 0; name[i]; i++)
		if (!isprint((unsigned char)name[i]))
			name[i] = '?';
}

uint32_t communicator_ranks(int file)
{
	struct hccl_view_head head;

	if (pread(file, &head, sizeof(head), 0) != sizeof(head) ||
	    head.magic != HCCL_VIEW_MAGIC || head.ranks > HCCL_VIEW_RANKS)
		return 0;
	return head.ranks;
}

bool communicator_read(int file, uint32_t ranks, uint32_t rank,
		       struct communicator_rank *out)
{
	struct hccl_view *view = &out->view;
	off_t at = (off_t)(sizeof(struct hccl_view_head) +
			   rank * sizeof(*view));

	if (pread(file, view, sizeof(*view), at) != sizeof(*view) || !view->pid)
		return false;
	clean_name(view->name);
	out->is_active = view->state == HCCL_VIEW_ON && view->kind;
	out->is_waiting = out->is_active && view->waits_for &&
			  view->waits_for <= ranks;
	out->waits_for = out->is_waiting ? view->waits_for - 1 : 0;
	out->operation = out->is_active ? operation_name(view->kind) : NULL;
	out->state = state_name(out);
	return true;
}
