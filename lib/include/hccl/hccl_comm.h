/* SPDX-License-Identifier: MIT */
/*
 * HCCL: communicators, see hccl.h.
 */
#ifndef HCCL_COMM_H
#define HCCL_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"
#include "hccl/hccl_sym_win.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * HcclGetRootInfo() - open the meeting point of a new communicator
 * @rootInfo: filled; the caller passes it to all other ranks
 *
 * The process serves the meeting point until all ranks have joined, or until
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
 * the meeting point is closed; HCCL_E_REMOTE if another rank gave up;
 * HCCL_E_SYSCALL if a system call fails; HCCL_E_PARA if the ranks disagree, or if
 * two ranks have the same number or the same device; HCCL_E_RUNTIME without a
 * current device.
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

/** HcclCommInitClusterInfoConfig() - the same, with a configuration */
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
 * Blocks until all ranks of the new communicator have joined.  The new
 * communicator does not depend on @comm afterwards.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCreateSubCommConfig(HcclComm *comm,
	uint32_t rankNum, uint32_t *rankIds, uint64_t subCommId,
	uint32_t subCommRankId, HcclCommConfig *config, HcclComm *subComm);

/**
 * HcclCommDestroy() - leave a communicator
 * @comm: the communicator
 *
 * Waits until the operations that this rank has called are done.  An operation
 * fails if another rank left without calling it.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommDestroy(HcclComm comm);

ACL_FUNC_VISIBILITY HcclResult HcclGetRankSize(HcclComm comm, uint32_t *rankSize);
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
 * Suspension
 */

/**
 * HcclCommSuspend() - refuse operations of a communicator for a time
 * @comm: the communicator
 *
 * Operations that were called before go on; further calls return
 * HCCL_E_SUSPENDING until HcclCommResume().  The other ranks wait for them.
 *
 * Errors: the failure of the communicator.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommSuspend(HcclComm comm);

/**
 * HcclCommResume() - accept operations of a communicator again
 * @comm: the communicator, which need not be suspended
 *
 * Calls the functions of HcclCommRegCommStateCallback() before and afterwards.
 *
 * Errors: the failure of the communicator, which stays failed.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommResume(HcclComm comm);

/**
 * HcclCommGetStatus() - get whether a communicator accepts operations
 * @commId: its name, from HcclGetCommName()
 * @status: set to HCCL_COMM_STATUS_READY, HCCL_COMM_STATUS_SUSPENDING, or
 *	HCCL_COMM_STATUS_INVALID if it has failed
 *
 * Errors: HCCL_E_NOT_FOUND.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommGetStatus(const char *commId,
	HcclCommStatus *status);

/**
 * HcclCommRegCommStateCallback() - register a function for changes of state
 * @regName: name of up to 159 bytes; a function of the same name is replaced
 * @cb: the function, which the threads that destroy and resume communicators call;
 *	an error that it returns is only logged
 * @args: passed to it
 *
 * After HCCL_COMM_STATE_PHASE_DESTROY_POST the handle is invalid.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommRegCommStateCallback(const char *regName,
	HcclCommStateCallback cb, void *args);

/**
 * HcclCommWorkingDevNicSet() - choose between the network cards of ranks
 * @comm: the communicator
 * @ranks: array of @nRanks distinct ranks
 * @useBackup: array of @nRanks choices
 * @nRanks: number of ranks
 *
 * The devices of a host have no network cards: as in CANN without such links, the
 * call is checked, logs a warning and has no effect.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommWorkingDevNicSet(HcclComm comm,
	uint32_t *ranks, bool *useBackup, uint32_t nRanks);

/*
 * Groups
 */

/**
 * HcclGroupStart() - begin a group of calls of this thread
 *
 * A group has calls of one kind; another kind returns HCCL_E_NOT_SUPPORT:
 *
 * - Calls that create or destroy communicators are made at the end of the group,
 *   each in a thread of its own with the caller's current device, so that one thread
 *   can be several ranks.  HcclCommInitAll() is not delayed.
 * - Messages of HcclSend() and HcclRecv() on the same communicator and stream are
 *   one batch, as of HcclBatchSendRecv(), at the end of the group.  A rank may send
 *   to itself.
 * - Other operations are called at once, as they wait for no rank; during a capture
 *   the end of the group waits for the other ranks.
 *
 * Groups nest; only the end of the outermost one makes the calls.
 */
ACL_FUNC_VISIBILITY HcclResult HcclGroupStart(void);

/**
 * HcclGroupEnd() - end a group
 *
 * Errors: HCCL_E_PARA without a group; the first error of a delayed call.
 */
ACL_FUNC_VISIBILITY HcclResult HcclGroupEnd(void);

/** HcclGroupStatusGet() - get whether the thread is between start and end */
ACL_FUNC_VISIBILITY HcclResult HcclGroupStatusGet(bool *isGroupEnabled);

/*
 * Memory without copies.  Operations always read the ranks' buffers directly, so
 * these calls only record the memory and check their arguments.
 */

/**
 * HcclCommSetMemoryRange() - register a reserved range of addresses
 * @comm: the communicator
 * @baseVirPtr: from aclrtReserveMemAddress()
 * @size: bytes
 * @alignment: 0
 * @flags: 0
 *
 * Errors: HCCL_E_PARA if it overlaps another range of the communicator.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommSetMemoryRange(HcclComm comm,
	void *baseVirPtr, size_t size, size_t alignment, uint64_t flags);

/**
 * HcclCommUnsetMemoryRange() - remove a range
 * @comm: the communicator
 * @baseVirPtr: start of the range; no memory in it may be active
 *
 * Errors: HCCL_E_NOT_FOUND; HCCL_E_PARA if memory in it is active.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommUnsetMemoryRange(HcclComm comm,
	void *baseVirPtr);

/**
 * HcclCommActivateCommMemory() - register memory that is mapped in a range
 * @comm: the communicator
 * @virPtr: address of the mapping, in a range
 * @size: bytes, inside the mapping
 * @offset: 0
 * @handle: of the memory
 * @flags: 0
 *
 * Errors: HCCL_E_PARA if it is not in a range, not mapped, or overlaps other
 * active memory.
 */
ACL_FUNC_VISIBILITY HcclResult HcclCommActivateCommMemory(HcclComm comm,
	void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
	uint64_t flags);

/** HcclCommDeactivateCommMemory() - remove active memory; HCCL_E_NOT_FOUND */
ACL_FUNC_VISIBILITY HcclResult HcclCommDeactivateCommMemory(HcclComm comm,
	void *virPtr);

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

/**
 * HcclConfigGetInfo() - get a configuration of a communicator
 * @comm: the communicator
 * @cfgType: HCCL_CONFIG_TYPE_OP_EXPANSION_MODE, of HcclConfigTypeOpExpansionMode
 * @infoLen: size of the type
 * @info: set; always HCCL_OP_EXPANSION_MODE_HOST, as a thread of the host submits
 *	the tasks of operations
 */
ACL_FUNC_VISIBILITY HcclResult HcclConfigGetInfo(HcclComm comm,
	HcclConfigType cfgType, uint32_t infoLen, void *info);

#ifdef __cplusplus
}
#endif

#endif /* HCCL_COMM_H */
