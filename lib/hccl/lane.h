/* SPDX-License-Identifier: MIT */
/* Submission of work to lanes, and the notifies among them, see lane.c. */
#ifndef VNPU_HCCL_LANE_H
#define VNPU_HCCL_LANE_H

#include "comm.h"

/* Get the lane of a work item, or the stream that captures it. */
static inline aclrtStream hccl_stream(const struct hccl_comm *comm,
				      const struct hccl_work *work)
{
	return work->stream ? work->stream : comm->lanes[work->lane].stream;
}

aclError hccl_lane_begin(struct hccl_comm *comm, struct hccl_work *work);
aclError hccl_lane_end(struct hccl_comm *comm, const struct hccl_work *work);

/* Make the lane of @work wait for the last work item that used an object. */
aclError hccl_use_wait(struct hccl_comm *comm, const struct hccl_use *last,
		       const struct hccl_work *work);
aclError hccl_turn_wait(struct hccl_comm *comm, struct hccl_turn *turn,
			unsigned int lane);
aclError hccl_turn_end(struct hccl_comm *comm, struct hccl_turn *turn,
		       unsigned int lane);
aclError hccl_signal_one(struct hccl_comm *comm, const struct hccl_work *work,
			 unsigned int rank, enum hccl_signal phase);
aclError hccl_wait_one(struct hccl_comm *comm, const struct hccl_work *work,
		       unsigned int rank, enum hccl_signal phase);
aclError hccl_signal_all(struct hccl_comm *comm, const struct hccl_work *work,
			 enum hccl_signal phase);
aclError hccl_wait_all(struct hccl_comm *comm, const struct hccl_work *work,
		       enum hccl_signal phase);
aclError hccl_copy(aclrtStream stream, uint64_t dst, uint64_t src,
		   uint64_t bytes);

#endif /* VNPU_HCCL_LANE_H */
