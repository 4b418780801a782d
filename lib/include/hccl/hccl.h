/* SPDX-License-Identifier: MIT */
/*
 * HCCL: collective communication among the devices of a host.
 *
 * A communicator connects ranks, which are threads or processes with a device
 * each.  All ranks call the same operations on it in the same order, with the
 * same counts, types and roots.  An operation is asynchronous: it takes effect in
 * the order of the given stream, which waits for the other ranks.  The call
 * itself waits for no rank.  A buffer is inside one block of device memory, or one
 * mapping, of the rank's own process and stays allocated until the stream has
 * passed the operation.
 *
 * Any thread may call any function; one communicator's operations take effect in
 * the order of the calls.  Results of reductions are the same bits on all ranks
 * and in every run: floats are reduced in the order of the ranks, and sums and
 * products of FP16 and BFP16 are computed in FP32 and rounded once.
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
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Communicators
 */

/**
 * HcclGetRootInfo() - open the meeting point of a new communicator
 * @rootInfo: filled; the caller passes it to all other ranks
 *
 * The process serves the meeting point until all ranks have come, or until
 * HCCL_CONNECT_TIMEOUT has passed.
 */
ACL_FUNC_VISIBILITY HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo);

/**
 * HcclCommInitRootInfo() - become a rank of a new communicator
 * @nRanks: number of ranks
 * @rootInfo: from HcclGetRootInfo()
 * @rank: this rank, below @nRanks; its device is the calling thread's current one
 * @comm: set to the communicator
 *
 * Blocks until all ranks have come.
 *
 * Errors: HCCL_E_TIMEOUT after HCCL_CONNECT_TIMEOUT seconds; HCCL_E_TCP_CONNECT if
 * the meeting point is closed; HCCL_E_REMOTE if another rank gave up; HCCL_E_PARA
 * if the ranks disagree, or if two ranks have the same number or the same
 * device; HCCL_E_RUNTIME without a current device.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfo(uint32_t nRanks,
	const HcclRootInfo *rootInfo, uint32_t rank, HcclComm *comm);

/**
 * HcclCommInitRootInfoConfig() - become a rank, with a configuration
 * @config: filled by HcclCommConfigInit(), then changed
 *
 * Otherwise as HcclCommInitRootInfo().
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks,
	const HcclRootInfo *rootInfo, uint32_t rank,
	const HcclCommConfig *config, HcclComm *comm);

/**
 * HcclCommInitAll() - create a communicator of devices of this process
 * @ndev: their number
 * @devices: distinct devices; rank I has devices[I]
 * @comms: set to the communicator of each rank
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices,
	HcclComm *comms);

/**
 * HcclCommInitClusterInfo() - become a rank of a rank table
 * @clusterInfo: name of a file, the rank table in JSON
 * @rank: this rank
 * @comm: set to the communicator
 *
 * The current device must be the one that the table names.  The processes must be
 * of one user.
 *
 * Errors: HCCL_E_OPEN_FILE_FAILURE; HCCL_E_PARA for a bad table; and as
 * HcclCommInitRootInfo().
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommInitClusterInfo(const char *clusterInfo,
	uint32_t rank, HcclComm *comm);

/** HcclCommInitClusterInfoConfig() - become a rank of a table, with a configuration */
ACL_FUNC_VISIBILITY HcclResult HcclCommInitClusterInfoConfig(
	const char *clusterInfo, uint32_t rank, HcclCommConfig *config,
	HcclComm *comm);

/**
 * HcclCreateSubCommConfig() - create a communicator of some ranks of another one
 * @comm: points to the other one
 * @rankNum: number of ranks
 * @rankIds: their ranks in @comm, by their new ranks
 * @subCommId: distinguishes communicators of the same ranks
 * @subCommRankId: the caller's new rank, or 0xffffffff if it is not in @rankIds
 * @config: as for HcclCommInitRootInfoConfig()
 * @subComm: set to the new communicator, or to NULL if the caller is not a part
 *
 * Blocks until all ranks of the new communicator have come.  It does not depend on
 * @comm afterwards.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCreateSubCommConfig(HcclComm *comm,
	uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
	uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm);

/**
 * HcclCommDestroy() - leave a communicator
 * @comm: the communicator
 *
 * Waits for the operations that this rank has called, as long as the other
 * ranks take part in them.  An operation fails if another rank leaves without
 * calling it.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommDestroy(HcclComm comm);

/** HcclGetRankSize() - get the number of ranks */
ACL_FUNC_VISIBILITY HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);

/** HcclGetRankId() - get the rank of the caller */
ACL_FUNC_VISIBILITY HcclResult HcclGetRankId(HcclComm comm, uint32_t *rank);

/** HcclGetCommName() - get the name, at most 127 bytes and a NUL */
ACL_FUNC_VISIBILITY HcclResult HcclGetCommName(HcclComm comm, char *commName);

/** HcclCommGetHandleWithName() - find a communicator of this process by its name */
ACL_FUNC_VISIBILITY HcclResult HcclCommGetHandleWithName(const char *commName,
	HcclComm *comm);

/**
 * HcclGetCommAsyncError() - get the failure of a communicator
 * @comm: the communicator
 * @asyncError: set to HCCL_SUCCESS, or to the reason why its operations fail
 *
 * A communicator that has failed stays so; it can only be destroyed.
 */
ACL_FUNC_VISIBILITY HcclResult HcclGetCommAsyncError(HcclComm comm,
	HcclResult *asyncError);

/** HcclGetErrorString() - describe a result; never NULL */
ACL_FUNC_VISIBILITY const char *HcclGetErrorString(HcclResult code);

/*
 * Configuration
 */

/** HcclCommConfigInit() - fill a configuration with "not set" */
ACL_FUNC_VISIBILITY void HcclCommConfigInit(HcclCommConfig *config);

/** HcclGetCommConfigCapability() - the number of HCCL_COMM_CONFIG_* */
ACL_FUNC_VISIBILITY uint32_t HcclGetCommConfigCapability(void);

/** HcclSetConfig() - accept a value; results are deterministic in any case */
ACL_FUNC_VISIBILITY HcclResult HcclSetConfig(HcclConfig config,
	HcclConfigValue configValue);
ACL_FUNC_VISIBILITY HcclResult HcclGetConfig(HcclConfig config,
	HcclConfigValue *configValue);

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
 * Messages between the same two ranks match in the order of the array.
 */
ACL_FUNC_VISIBILITY HcclResult HcclBatchSendRecv(HcclSendRecvItem *sendRecvInfo,
	uint32_t itemNum, HcclComm comm, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* HCCL_H */
