/* SPDX-License-Identifier: MIT */
/* A collective that is being submitted to a lane, for all algorithms. */
#ifndef VNPU_HCCL_MESH_H
#define VNPU_HCCL_MESH_H

#include "buffer.h"

/**
 * struct hccl_collective - a collective that all ranks have posted
 * @comm: the communicator
 * @work: the call of this rank
 * @calls: what each rank has called
 * @stream: the lane
 * @unit: bytes of an element
 * @send: the send buffers; unset if not needed
 * @recv: likewise, of the receive buffers
 */
struct hccl_collective {
	struct hccl_comm *comm;
	struct hccl_work *work;
	const struct hccl_call *const *calls;
	aclrtStream stream;
	unsigned int unit;
	struct hccl_span send[HCCL_RANKS_MAX];
	struct hccl_span recv[HCCL_RANKS_MAX];
};

/*
 * Return the first element of part @rank of an array that is divided among the
 * ranks.
 */
uint64_t hccl_cut(const struct hccl_collective *collective, unsigned int rank);

aclError hccl_find_sends(struct hccl_collective *collective);
aclError hccl_find_recvs(struct hccl_collective *collective);

/*
 * Reduce this rank's part of an array, and wait until all ranks have.  Then the
 * send buffers are no longer read.
 */
aclError hccl_mesh_reduce_part(struct hccl_collective *collective);

/* Submit the rest of a collective, by a mesh or by an algorithm with steps. */
aclError hccl_mesh(struct hccl_collective *collective);
aclError hccl_steps(struct hccl_collective *collective);

/* Check whether the call uses an algorithm with steps instead of the mesh. */
bool hccl_has_steps(const struct hccl_comm *comm, const struct hccl_work *work);

/* Check whether the other ranks read the receive buffer, too. */
bool hccl_shares_result(const struct hccl_comm *comm,
			const struct hccl_work *work);

#endif /* VNPU_HCCL_MESH_H */
