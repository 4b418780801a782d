/* SPDX-License-Identifier: MIT */
/* Checks and submission that all calls of operations have in common. */
#ifndef VNPU_HCCL_CALL_H
#define VNPU_HCCL_CALL_H

#include "comm.h"

/**
 * hccl_call_begin() - check the arguments that all collectives have
 * @handle: the communicator
 * @type: HcclDataType
 * @comm: set to the communicator, which hccl_call_end() puts
 *
 * Return: HCCL_SUCCESS; HCCL_E_PTR; HCCL_E_PARA; HCCL_E_SUSPENDING;
 * HCCL_E_NOT_SUPPORT in a group of other calls; or the failure of the communicator.
 */
HcclResult hccl_call_begin(HcclComm handle, uint32_t type,
			   struct hccl_comm **comm);

/* Check the arguments that all messages have. */
HcclResult hccl_call_begin_message(HcclComm handle, struct hccl_comm **comm);

/**
 * hccl_call_end() - queue a work item, and make a stream wait for it
 * @comm: the communicator
 * @ret: an earlier error; then the work item is only freed
 * @work: the work item, which is copied; the call takes over its arrays
 * @stream: stream of the caller
 *
 * Return: @ret; HCCL_E_MEMORY; HCCL_E_RUNTIME.
 */
HcclResult hccl_call_end(struct hccl_comm *comm, HcclResult ret,
			 const struct hccl_work *work, aclrtStream stream);

/*
 * Check that @count elements are in device memory, aligned to their type.  Other
 * processes can only read one allocation, or one mapping.
 */
HcclResult hccl_check_buffer(const struct hccl_comm *comm, const void *ptr,
			     uint64_t count, uint32_t type);

/* Check that a reduction exists for a type. */
HcclResult hccl_check_reduction(uint32_t type, uint32_t op);

#endif /* VNPU_HCCL_CALL_H */
