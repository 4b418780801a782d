/* SPDX-License-Identifier: MIT */
/* A collective that is being submitted to a lane, for all algorithms. */
#ifndef VNPU_HCCL_MESH_H
#define VNPU_HCCL_MESH_H

#include "comm.h"

/**
 * struct hccl_collective - a collective that all ranks have posted
 * @comm: the communicator
 * @work: the call of this rank
 * @calls: what each rank has called
 * @stream: the lane
 * @unit: bytes of an element
 * @send: addresses of the send buffers in this process; 0 if not needed
 * @recv: likewise, of the receive buffers
 */
struct hccl_collective {
	struct hccl_comm *comm;
	struct hccl_work *work;
	const struct hccl_call *const *calls;
	aclrtStream stream;
	unsigned int unit;
	uint64_t send[HCCL_RANKS_MAX];
	uint64_t recv[HCCL_RANKS_MAX];
};

/* Part @rank of an array that is cut among all ranks: its first element. */
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

/* Whether the call has steps, rather than being a mesh. */
bool hccl_has_steps(const struct hccl_comm *comm, const struct hccl_work *work);

/* Whether the other ranks read the receive buffer, too. */
bool hccl_shares_result(const struct hccl_comm *comm,
			const struct hccl_work *work);

#endif /* VNPU_HCCL_MESH_H */
