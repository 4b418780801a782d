// SPDX-License-Identifier: MIT
/*
 * The state of a communicator: its suspension, and the functions that a program has
 * called at changes.
 */
#include <stdlib.h>
#include <string.h>

#include "comm.h"

#define CALLBACK_NAME	160
#define CALLBACKS	64

struct callback {
	char name[CALLBACK_NAME];	/* "" if unused */
	HcclCommStateCallback fn;
	void *args;
};

static pthread_mutex_t callback_lock = PTHREAD_MUTEX_INITIALIZER;
static struct callback callbacks[CALLBACKS];	/* under the lock */

HcclResult HcclCommRegCommStateCallback(const char *regName,
					HcclCommStateCallback cb, void *args)
{
	struct callback *found = NULL;

	if (!regName || !cb)
		return HCCL_E_PTR;
	if (!*regName || strnlen(regName, CALLBACK_NAME) == CALLBACK_NAME)
		return HCCL_E_PARA;
	pthread_mutex_lock(&callback_lock);
	for (unsigned int i = 0; i < CALLBACKS; i++) {
		if (!strcmp(callbacks[i].name, regName)) {
			found = &callbacks[i];
			break;
		}
		if (!found && !*callbacks[i].name)
			found = &callbacks[i];
	}
	if (found) {
		strcpy(found->name, regName);
		found->fn = cb;
		found->args = args;
	}
	pthread_mutex_unlock(&callback_lock);
	return found ? HCCL_SUCCESS : HCCL_E_UNAVAIL;
}

/* The functions are called without the lock, as they may call anything. */
void hccl_state_notify(HcclComm comm, HcclCommStatePhase phase)
{
	for (unsigned int i = 0; i < CALLBACKS; i++) {
		struct callback callback;
		HcclResult ret;

		pthread_mutex_lock(&callback_lock);
		callback = callbacks[i];
		pthread_mutex_unlock(&callback_lock);
		if (!*callback.name)
			continue;
		ret = callback.fn(comm, phase, callback.args);
		if (ret)
			aclAppLog(ACL_WARNING, __func__, __FILE__, __LINE__,
				  "state callback %s returned %d (%s) in phase %d",
				  callback.name, ret, HcclGetErrorString(ret),
				  phase);
	}
}

HcclResult HcclCommSuspend(HcclComm handle)
{
	struct hccl_comm *comm;
	HcclResult ret;

	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	ret = (HcclResult)comm->result;
	if (!ret)
		comm->is_suspended = true;
	hccl_comm_put(comm);
	return ret;
}

HcclResult HcclCommResume(HcclComm handle)
{
	struct hccl_comm *comm;
	HcclResult ret;

	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	hccl_state_notify(handle, HCCL_COMM_STATE_PHASE_RESUME_PRE);
	ret = (HcclResult)comm->result;
	if (!ret)
		comm->is_suspended = false;
	hccl_state_notify(handle, HCCL_COMM_STATE_PHASE_RESUME_POST);
	hccl_comm_put(comm);
	return ret;
}

HcclResult HcclCommGetStatus(const char *commId, HcclCommStatus *status)
{
	struct hccl_comm *comm;

	if (!commId || !status)
		return HCCL_E_PTR;
	comm = hccl_comm_find(hccl_comm_has_name, commId);
	if (!comm)
		return HCCL_E_NOT_FOUND;
	*status = comm->result ? HCCL_COMM_STATUS_INVALID :
		  comm->is_suspended ? HCCL_COMM_STATUS_SUSPENDING :
				       HCCL_COMM_STATUS_READY;
	hccl_comm_put(comm);
	return HCCL_SUCCESS;
}

/* Whether they are distinct ranks of the communicator. */
static bool are_ranks(const struct hccl_comm *comm, const uint32_t ranks[],
		      uint32_t count)
{
	if (!count || count > comm->ranks)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (ranks[i] >= comm->ranks)
			return false;
		for (uint32_t j = 0; j < i; j++)
			if (ranks[i] == ranks[j])
				return false;
	}
	return true;
}

HcclResult HcclCommWorkingDevNicSet(HcclComm handle, uint32_t *ranks,
				    bool *useBackup, uint32_t nRanks)
{
	struct hccl_comm *comm;
	HcclResult ret;

	if (!ranks || !useBackup)
		return HCCL_E_PTR;
	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	ret = are_ranks(comm, ranks, nRanks) ? HCCL_SUCCESS : HCCL_E_PARA;
	if (!ret)
		aclAppLog(ACL_WARNING, __func__, __FILE__, __LINE__,
			  "HcclCommWorkingDevNicSet has no effect: the devices of this host have no network cards");
	hccl_comm_put(comm);
	return ret;
}
