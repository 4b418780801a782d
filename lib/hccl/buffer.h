/* SPDX-License-Identifier: MIT */
/* Memory of ranks in other processes, and reductions of it. */
#ifndef VNPU_HCCL_BUFFER_H
#define VNPU_HCCL_BUFFER_H

#include "lane.h"
#include "pool.h"

/* reduce.c: reduce in the order of the ranks */

/**
 * hccl_reduce() - submit the reduction of a work item
 * @dst: the result; may be equal to one of @src
 * @src: array of one address for each rank
 * @count: elements
 */
aclError hccl_reduce(struct hccl_comm *comm, const struct hccl_work *work,
		     uint64_t dst, const uint64_t src[], uint64_t count);

/* Reduce an array into another one, in the driver's arithmetic. */
aclError hccl_reduce_into(aclrtStream stream, uint64_t dst, uint64_t src,
			  uint64_t count, uint32_t type, uint32_t op);

/*
 * Begin to use the buffer for partial results, of @bytes or less, at least 1 MiB:
 * get its address and size.
 */
aclError hccl_scratch_begin(struct hccl_comm *comm,
			    const struct hccl_work *work, uint64_t bytes,
			    uint64_t *at, uint64_t *size);
void hccl_scratch_end(struct hccl_comm *comm, const struct hccl_work *work);
void hccl_scratch_free(struct hccl_pool *pool, struct hccl_scratch *scratch);

/* Check whether reductions accept the type; other types can only be copied. */
bool hccl_type_is_reducible(uint32_t type);

/*
 * Check whether the type is an integer: then the order of the ranks is
 * irrelevant.
 */
bool hccl_type_is_integer(uint32_t type);

/* Bytes of an element, or 0 for an unknown type. */
unsigned int hccl_type_size(uint32_t type);

/* buffer.c: buffers of ranks in other processes, and of this one's own */

/* Allocate a communication buffer, which counts as the communicator's. */
aclError hccl_buffer_alloc(struct hccl_comm *comm, uint64_t size,
			   uint64_t alignment, void **at);

/* Stages: for collectives by slot, then for messages by receiver and slot. */
#define HCCL_STAGE_OF_MESSAGE(peer, number) \
	(HCCL_SLOTS + (peer) * HCCL_MESSAGE_SLOTS + \
	 (unsigned int)((number) % HCCL_MESSAGE_SLOTS))

/*
 * Stages of a captured model: one for its collectives, and one for each message
 * slot.
 */
#define HCCL_CAPTURE_STAGE(peer, slot) \
	(1 + (peer) * HCCL_MESSAGE_SLOTS + (slot))

/* Free stages; does nothing if @pool is NULL, as hccl_pool_free(). */
void hccl_stages_free(const struct hccl_pool *pool,
		      const struct hccl_stages *stages);

/**
 * hccl_buffer_share() - refer to a buffer
 * @stages: its memory is made with the first stage
 * @index: index of the stage that the buffer may use
 * @ref: filled; other processes can import it, if there are any
 * @stage: copy that the lane makes before the buffer is ready
 */
aclError hccl_buffer_share(struct hccl_comm *comm, const void *ptr,
			   struct hccl_stages *stages, unsigned int index,
			   struct hccl_ref *ref, struct hccl_stage *stage);

/**
 * struct hccl_span - memory of a rank, from the beginning of its buffer
 * @va: address in this process
 * @room: bytes that may be read; those of this process have no limit
 * @rank: rank of the buffer
 */
struct hccl_span {
	uint64_t va;
	uint64_t room;
	unsigned int rank;
};

/* Find another rank's buffer; with @is_kept it is valid until the communicator ends. */
aclError hccl_buffer_find(struct hccl_comm *comm, unsigned int rank,
			  const struct hccl_ref *ref, bool is_kept,
			  struct hccl_span *span);

/*
 * Get the address of the elements of @unit bytes from @first on.  The communicator
 * fails if the other rank does not share that memory.
 */
aclError hccl_span_at(struct hccl_comm *comm, const struct hccl_span *span,
		      uint64_t first, uint64_t count, unsigned int unit,
		      uint64_t *va);
void hccl_buffers_close(struct hccl_comm *comm);

/*
 * Take over the imports that captured models use, before the others are closed.
 */
struct hccl_kept *hccl_buffers_keep(struct hccl_comm *comm);
void hccl_kept_free(struct hccl_kept *kept);

#endif /* VNPU_HCCL_BUFFER_H */
