// SPDX-License-Identifier: MIT
/* Communicators: handles, creation and destruction. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buffer.h"
#include "vnpu.h"

#include "file.h"
#include "group.h"
#include "local.h"
#include "message.h"
#include "remains.h"
#include "worker.h"

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hccl_comm *comms;		/* under the lock */
static unsigned int numbers;		/* for names; under the lock */

void hccl_lock(void)
{
	pthread_mutex_lock(&list_lock);
}

void hccl_unlock(void)
{
	pthread_mutex_unlock(&list_lock);
}

/* A child has no communicators: it has neither the workers nor the device. */
static void in_child(void)
{
	comms = NULL;
	hccl_group_in_child();
	hccl_local_in_child();
	hccl_pool_in_child();
	hccl_remains_in_child();
	hccl_unlock();
}

static void watch_forks(void)
{
	pthread_atfork(hccl_lock, hccl_unlock, in_child);
}

struct hccl_comm *hccl_comm_find(bool (*is_wanted)(struct hccl_comm *comm,
						   const void *arg),
				 const void *arg)
{
	struct hccl_comm *comm;

	hccl_lock();
	for (comm = comms; comm && !is_wanted(comm, arg); comm = comm->next)
		;
	if (comm)
		comm->refs++;
	hccl_unlock();
	return comm;
}

static bool is_handle(struct hccl_comm *comm, const void *handle)
{
	return comm == handle;
}

bool hccl_comm_has_name(struct hccl_comm *comm, const void *name)
{
	return !strcmp(comm->name, name);
}

struct hccl_comm *hccl_comm_get(HcclComm handle)
{
	return hccl_comm_find(is_handle, handle);
}

HcclResult hccl_comm_lookup(HcclComm handle, struct hccl_comm **comm)
{
	*comm = handle ? hccl_comm_get(handle) : NULL;
	if (*comm)
		return HCCL_SUCCESS;
	return handle ? HCCL_E_PARA : HCCL_E_PTR;
}

static void comm_free(struct hccl_comm *comm)
{
	hccl_sentry_stop(comm);
	hccl_teardown(comm);
	hccl_areas_free(comm);
	hccl_region_unmap(&comm->region);
	hccl_local_put(comm->local);
	for (unsigned int r = 0; comm->peers && r < comm->ranks; r++)
		hccl_file_close(comm->peers[r].member.alive);
	free(comm->peers);
	hccl_file_close(comm->life);
	hccl_file_close(comm->memory);
	pthread_mutex_destroy(&comm->call_lock);
	pthread_mutex_destroy(&comm->lock);
	pthread_cond_destroy(&comm->captured);
	free(comm);
}

void hccl_comm_put(struct hccl_comm *comm)
{
	bool is_last;

	hccl_lock();
	is_last = !--comm->refs;
	hccl_unlock();
	if (is_last)
		comm_free(comm);
}

static struct hccl_comm *comm_alloc(unsigned int ranks, unsigned int rank)
{
	struct hccl_comm *comm = calloc(1, sizeof(*comm));

	if (!comm)
		return NULL;
	comm->refs = 1;
	comm->ranks = ranks;
	comm->rank = rank;
	comm->life = -1;
	comm->memory = -1;
	comm->stop = -1;
	comm->stages.count = HCCL_STAGE_OF_MESSAGE(ranks, 0);
	pthread_mutex_init(&comm->call_lock, NULL);
	pthread_mutex_init(&comm->lock, NULL);
	pthread_cond_init(&comm->captured, NULL);
	return comm;
}

static HcclResult adopt(struct hccl_comm *comm, struct hccl_meeting *meeting,
			const struct hccl_self *self)
{
	HcclResult ret = hccl_region_map(&comm->region, meeting->memory,
					 comm->ranks);

	comm->memory = meeting->memory;
	comm->life = meeting->life;
	if (!ret)
		ret = hccl_local_get(comm->memory, &comm->place, comm->ranks,
				     comm->rank, &comm->local, &comm->own);
	/* comm_free() closes the files of the peers, if there are any. */
	if (!ret)
		comm->peers = calloc(comm->ranks, sizeof(*comm->peers));
	if (!ret && !comm->peers)
		ret = HCCL_E_MEMORY;
	if (ret) {
		hccl_members_free(meeting->members, comm->ranks);
		return ret;
	}
	for (unsigned int r = 0; r < comm->ranks; r++) {
		struct hccl_peer *peer = &comm->peers[r];

		peer->member = meeting->members[r];
		peer->is_local = r == comm->rank ||
				 peer->member.self.client == self->client;
		comm->has_remote |= !peer->is_local;
	}
	free(meeting->members);
	return HCCL_SUCCESS;
}

static HcclResult start(struct hccl_comm *comm)
{
	return hccl_thread_start(&comm->worker, hccl_worker, comm) ?
	       HCCL_E_SYSCALL : HCCL_SUCCESS;
}

/* Other programs see the rank from now on. */
static void show(struct hccl_comm *comm)
{
	struct hccl_view *view = hccl_region_view(&comm->region, comm->rank);
	const struct hccl_self *self = &comm->peers[comm->rank].member.self;

	_Static_assert(sizeof(view->name) == COMM_NAME_MAX_LENGTH, "names fit");
	strcpy(view->name, comm->name);
	view->device = self->device;
	view->pid = (uint32_t)self->pid;
}

static void publish(struct hccl_comm *comm)
{
	hccl_lock();
	if (!*comm->name)
		snprintf(comm->name, sizeof(comm->name), "%s_%d_%u",
			 comm->place.name, comm->device, numbers++);
	comm->next = comms;
	comms = comm;
	hccl_unlock();
	show(comm);
}

/* Find out who this rank is. */
static HcclResult introduce(struct hccl_comm *comm, struct hccl_self *self)
{
	int32_t physical;

	if (aclrtGetDevice(&comm->device) ||
	    aclrtGetPhyDevIdByLogicDevId(comm->device, &physical) ||
	    vnpu_client_id(&self->client))
		return HCCL_E_RUNTIME;
	self->ranks = comm->ranks;
	self->rank = comm->rank;
	self->device = (uint32_t)physical;
	self->pid = getpid();
	return HCCL_SUCCESS;
}

/* Check whether a rank ended without leaving the parent communicator. */
static bool is_one_lost(const void *arg)
{
	const struct hccl_request *request = arg;
	const struct hccl_comm *parent = request->parent;

	for (unsigned int i = 0; i < request->ranks; i++) {
		unsigned int rank = request->ids[i];
		struct pollfd poller = {
			.fd = parent->peers[rank].member.alive,
			.events = POLLIN,
		};

		if (rank != parent->rank && poll(&poller, 1, 0) > 0 &&
		    !hccl_region_rank(&parent->region, rank)->left)
			return true;
	}
	return false;
}

static HcclResult connect_all(struct hccl_comm *comm,
			      const struct hccl_request *request)
{
	const struct hccl_watch watch = { is_one_lost, request };
	struct hccl_meeting meeting;
	struct hccl_self self;
	HcclResult ret = introduce(comm, &self);

	if (ret)
		return ret;
	ret = hccl_meet(&comm->place, &self, hccl_connect_seconds(),
			request->wait_server, request->parent ? &watch : NULL,
			&meeting);
	if (ret) {
		aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
			  "HCCL rank %u cannot meet the other ranks: %s",
			  comm->rank, meeting.text);
		return ret;
	}
	ret = adopt(comm, &meeting, &self);
	if (!ret)
		ret = hccl_sentry_start(comm);
	if (!ret)
		ret = hccl_setup(comm);
	return ret ? ret : start(comm);
}

HcclResult hccl_comm_create(const struct hccl_request *request)
{
	const struct hccl_settings *settings = &request->settings;
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct hccl_comm *comm;
	HcclResult ret;

	pthread_once(&once, watch_forks);
	hccl_remains_sweep();
	comm = comm_alloc(request->ranks, request->rank);
	if (!comm)
		return HCCL_E_MEMORY;
	comm->place = request->place;
	comm->buffer_size = settings->buffer_size;
	comm->execute_ms = settings->execute_ms;
	memcpy(comm->algorithms, settings->algorithms,
	       sizeof(comm->algorithms));
	strcpy(comm->name, settings->name);
	ret = connect_all(comm, request);
	if (ret) {
		comm_free(comm);
		return ret;
	}
	publish(comm);
	*request->handle = comm;
	return HCCL_SUCCESS;
}

/* Wait until all works are done, and stop the worker. */
static void finish(struct hccl_comm *comm)
{
	pthread_mutex_lock(&comm->lock);
	comm->is_closing = true;
	pthread_mutex_unlock(&comm->lock);
	hccl_wake(comm, comm->rank);
	pthread_join(comm->worker, NULL);
	hccl_region_rank(&comm->region, comm->rank)->left = 1;
	hccl_region_view(&comm->region, comm->rank)->state = HCCL_VIEW_LEFT;
	for (unsigned int r = 0; r < comm->ranks; r++)
		if (r != comm->rank)
			hccl_wake(comm, r);
}

HcclResult HcclCommDestroy(HcclComm handle)
{
	struct hccl_comm *comm, **link = &comms;

	if (!handle)
		return HCCL_E_PTR;
	if (hccl_group_is_open())
		return hccl_group_add_destroy(handle);
	comm = hccl_comm_get(handle);
	if (!comm)
		return HCCL_E_PARA;
	hccl_comm_put(comm);
	hccl_state_notify(handle, HCCL_COMM_STATE_PHASE_DESTROY_PRE);
	hccl_lock();
	while (*link && *link != handle)
		link = &(*link)->next;
	comm = *link;
	if (comm)
		*link = comm->next;
	hccl_unlock();
	if (!comm)
		return HCCL_E_PARA;
	/* After this, calls in progress add no more work items. */
	pthread_mutex_lock(&comm->call_lock);
	comm->is_closed = true;
	pthread_mutex_unlock(&comm->call_lock);
	finish(comm);
	hccl_comm_put(comm);
	hccl_state_notify(handle, HCCL_COMM_STATE_PHASE_DESTROY_POST);
	return HCCL_SUCCESS;
}

struct named {
	const char *name;
	int32_t device;
};

/* Check whether it has this name, and the device. */
static bool is_here(struct hccl_comm *comm, const void *arg)
{
	const struct named *wanted = arg;

	return comm->device == wanted->device &&
	       hccl_comm_has_name(comm, wanted->name);
}

HcclResult HcclCommGetHandleWithName(const char *commName, HcclComm *handle)
{
	struct named wanted = { .name = commName };
	struct hccl_comm *comm = NULL;

	if (!commName || !handle)
		return HCCL_E_PTR;
	if (!aclrtGetDevice(&wanted.device))
		comm = hccl_comm_find(is_here, &wanted);
	if (!comm)
		comm = hccl_comm_find(hccl_comm_has_name, commName);
	if (!comm)
		return HCCL_E_NOT_FOUND;
	*handle = comm;
	hccl_comm_put(comm);
	return HCCL_SUCCESS;
}

HcclResult HcclGetRankSize(HcclComm handle, uint32_t *rankSize)
{
	struct hccl_comm *comm;
	HcclResult ret;

	if (!rankSize)
		return HCCL_E_PTR;
	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	*rankSize = comm->ranks;
	hccl_comm_put(comm);
	return HCCL_SUCCESS;
}

HcclResult HcclGetRankId(HcclComm handle, uint32_t *rank)
{
	struct hccl_comm *comm;
	HcclResult ret;

	if (!rank)
		return HCCL_E_PTR;
	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	*rank = comm->rank;
	hccl_comm_put(comm);
	return HCCL_SUCCESS;
}

HcclResult HcclGetCommName(HcclComm handle, char *commName)
{
	struct hccl_comm *comm;
	HcclResult ret;

	if (!commName)
		return HCCL_E_PTR;
	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	strcpy(commName, comm->name);
	hccl_comm_put(comm);
	return HCCL_SUCCESS;
}

HcclResult HcclGetCommAsyncError(HcclComm handle, HcclResult *asyncError)
{
	struct hccl_comm *comm;
	HcclResult ret;

	if (!asyncError)
		return HCCL_E_PTR;
	ret = hccl_comm_lookup(handle, &comm);
	if (ret)
		return ret;
	*asyncError = (HcclResult)comm->result;
	hccl_comm_put(comm);
	return HCCL_SUCCESS;
}
