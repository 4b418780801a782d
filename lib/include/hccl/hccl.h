/* SPDX-License-Identifier: MIT */
/*
 * HCCL: collective communication among the devices of a host.
 *
 * A communicator connects ranks, which are threads or processes with a device
 * each.  All ranks call the same operations on it in the same order, with the
 * same counts, types and roots.  An operation is asynchronous: it takes effect in
 * the order of the given stream, which waits for the other ranks.  The call
 * itself waits for no rank.  A buffer is device memory of the rank's own process: one
 * allocation, or adjoining mappings, or memory of a pool.  It stays allocated until
 * the stream has passed the operation.  If ranks are in several processes, it is in one
 * allocation or mapping, as other processes can read no other (HCCL_E_NOT_SUPPORT).
 *
 * Any thread may call any function; one communicator's operations take effect in
 * the order of the calls.  Results of reductions are the same bits on all ranks
 * and in every run: floats are reduced in the order of the ranks, and sums and
 * products of FP16 and BFP16 are computed in FP32 and rounded once.
 *
 * On a stream between aclmdlRICaptureBegin() and aclmdlRICaptureEnd(), an operation
 * is captured.  All ranks capture the same collectives, and messages that match, in
 * the same order.  A rank runs each model as often as the other ranks do; it may run
 * several at the same time on several streams, in another order.  Such a call waits until all ranks have
 * made it, that of a message until the other rank has; between HcclGroupStart() and
 * HcclGroupEnd(), the end of the group waits.
 *
 * Each call returns HCCL_E_PTR for a NULL argument and HCCL_E_PARA for an
 * invalid one, such as a handle that is not a communicator's.  If another rank
 * has ended, failed, or called another operation, the stream fails, and later
 * calls return HCCL_E_REMOTE.  The log has the reason; see
 * Documentation/hccl.md.
 */
#ifndef HCCL_H
#define HCCL_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Operations.  Counts are in elements.  A receive buffer must not overlap a send
 * buffer, unless it is documented as being in place.
 */

/**
 * HcclAllReduce() - reduce @count elements of all ranks, for all ranks
 *
 * In place if @recvBuf is @sendBuf.
 */
ACL_FUNC_VISIBILITY HcclResult HcclAllReduce(void *sendBuf, void *recvBuf,
	uint64_t count, HcclDataType dataType, HcclReduceOp op, HcclComm comm,
	aclrtStream stream);

/** HcclReduce() - reduce @count elements of all ranks, for @root only */
ACL_FUNC_VISIBILITY HcclResult HcclReduce(void *sendBuf, void *recvBuf,
	uint64_t count, HcclDataType dataType, HcclReduceOp op, uint32_t root,
	HcclComm comm, aclrtStream stream);

/**
 * HcclReduceScatter() - reduce, and give each rank a part of @recvCount elements
 *
 * In place if @recvBuf is the rank's part of @sendBuf.
 */
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatter(void *sendBuf, void *recvBuf,
	uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
	HcclComm comm, aclrtStream stream);

/**
 * HcclReduceScatterV() - reduce, and give each rank a part of its own size
 * @sendCounts: of each rank's part, the same on all ranks; an array of uint64_t
 * @sendDispls: where the parts are in @sendBuf, in elements; likewise
 * @recvCount: sendCounts[rank]
 */
ACL_FUNC_VISIBILITY HcclResult HcclReduceScatterV(void *sendBuf,
	const void *sendCounts, const void *sendDispls, void *recvBuf,
	uint64_t recvCount, HcclDataType dataType, HcclReduceOp op,
	HcclComm comm, aclrtStream stream);

/** HcclBroadcast() - copy the buffer of @root to all ranks */
ACL_FUNC_VISIBILITY HcclResult HcclBroadcast(void *buf, uint64_t count,
	HcclDataType dataType, uint32_t root, HcclComm comm,
	aclrtStream stream);

/** HcclScatter() - give each rank its part of the buffer of @root */
ACL_FUNC_VISIBILITY HcclResult HcclScatter(void *sendBuf, void *recvBuf,
	uint64_t recvCount, HcclDataType dataType, uint32_t root,
	HcclComm comm, aclrtStream stream);

/**
 * HcclAllGather() - give all ranks the buffers of all, by rank
 *
 * In place if @sendBuf is the rank's part of @recvBuf.
 */
ACL_FUNC_VISIBILITY HcclResult HcclAllGather(void *sendBuf, void *recvBuf,
	uint64_t sendCount, HcclDataType dataType, HcclComm comm,
	aclrtStream stream);

/**
 * HcclAllGatherV() - give all ranks the buffers of all, which differ in size
 * @recvCounts: of each rank's buffer, an array of uint64_t
 * @recvDispls: where the parts are in @recvBuf, in elements; likewise
 */
ACL_FUNC_VISIBILITY HcclResult HcclAllGatherV(void *sendBuf, uint64_t sendCount,
	void *recvBuf, const void *recvCounts, const void *recvDispls,
	HcclDataType dataType, HcclComm comm, aclrtStream stream);

/** HcclAlltoAll() - send a part to each rank, and receive one from each */
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAll(const void *sendBuf,
	uint64_t sendCount, HcclDataType sendType, const void *recvBuf,
	uint64_t recvCount, HcclDataType recvType, HcclComm comm,
	aclrtStream stream);

/**
 * HcclAlltoAllV() - send a part of any size to each rank, and receive one from each
 *
 * Counts and displacements are arrays of uint64_t, in elements.
 */
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllV(const void *sendBuf,
	const void *sendCounts, const void *sdispls, HcclDataType sendType,
	const void *recvBuf, const void *recvCounts, const void *rdispls,
	HcclDataType recvType, HcclComm comm, aclrtStream stream);

/**
 * HcclAlltoAllVC() - exchange parts that follow each other without gaps
 * @sendCountMatrix: uint64_t, row by row: element [i][j] is the count from rank i
 *	to rank j; the same on all ranks
 */
ACL_FUNC_VISIBILITY HcclResult HcclAlltoAllVC(const void *sendBuf,
	const void *sendCountMatrix, HcclDataType sendType,
	const void *recvBuf, HcclDataType recvType, HcclComm comm,
	aclrtStream stream);

/** HcclBarrier() - let the stream wait for all ranks */
ACL_FUNC_VISIBILITY HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);

/** HcclSend() - send to one rank; the stream waits until that rank has received */
ACL_FUNC_VISIBILITY HcclResult HcclSend(void *sendBuf, uint64_t count,
	HcclDataType dataType, uint32_t destRank, HcclComm comm,
	aclrtStream stream);

/** HcclRecv() - receive the next message that a rank sends to this one */
ACL_FUNC_VISIBILITY HcclResult HcclRecv(void *recvBuf, uint64_t count,
	HcclDataType dataType, uint32_t srcRank, HcclComm comm,
	aclrtStream stream);

/**
 * HcclBatchSendRecv() - send and receive several messages at the same time
 * @sendRecvInfo: array of messages
 * @itemNum: their number
 *
 * Messages between the same two ranks match in the order of the array.  A
 * message of a rank to itself must be received in the same array.
 *
 * Errors: HCCL_E_NOT_SUPPORT between HcclGroupStart() and HcclGroupEnd(), where
 * HcclSend() and HcclRecv() make a batch.
 */
ACL_FUNC_VISIBILITY HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo,
	uint32_t itemNum, HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* HCCL_H */
