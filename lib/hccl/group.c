// SPDX-License-Identifier: MIT
/*
 * Groups, see group.h.  A group belongs to its thread, and so needs no lock.
 *
 * Calls that wait for other ranks are made at its end by a thread each, as the other
 * ranks may be in the same group.
 */
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "group.h"

/* The creation or the end of a communicator. */
struct action {
	struct action *next;
	pthread_t thread;
	aclrtContext context;	/* of the caller, or NULL */
	struct hccl_request request;
	HcclComm end;		/* to be destroyed; NULL for a creation */
	HcclResult result;
};

/* The messages of a communicator on a stream. */
struct bundle {
	struct bundle *next;
	HcclComm comm;
	aclrtStream stream;
	aclrtContext context;
	HcclSendRecvItem *items;
	uint32_t count;
};

static __thread struct {
	unsigned int depth;
	bool is_ending;		/* its messages are being made */
	enum hccl_group_kind kind;
	struct action *actions;	/* the last one first */
	struct bundle *bundles;	/* in the order of their first messages */
	struct hccl_capture_wait *captures;
} group;

bool hccl_group_is_open(void)
{
	return group.depth;
}

HcclResult hccl_group_join(enum hccl_group_kind kind)
{
	static const char *const names[] = {
		"", "communicators", "collective operations", "messages",
	};

	if (!group.depth || group.kind == kind)
		return HCCL_SUCCESS;
	if (group.kind == HCCL_GROUP_ANY) {
		group.kind = kind;
		return HCCL_SUCCESS;
	}
	aclAppLog(ACL_ERROR, __func__, __FILE__, __LINE__,
		  "a call of %s is in a group of calls of %s; end that group before",
		  names[kind], names[group.kind]);
	return HCCL_E_NOT_SUPPORT;
}

static struct action *action_add(void)
{
	struct action *action = calloc(1, sizeof(*action));

	if (!action)
		return NULL;
	if (aclrtGetCurrentContext(&action->context))
		action->context = NULL;
	action->next = group.actions;
	group.actions = action;
	return action;
}

static HcclResult create(const struct hccl_request *request)
{
	HcclResult ret = hccl_comm_create(request);

	if (request->parent)
		hccl_comm_put(request->parent);
	return ret;
}

static HcclResult create_later(const struct hccl_request *request)
{
	HcclResult ret = hccl_group_join(HCCL_GROUP_COMMUNICATORS);
	struct action *action;

	if (ret)
		return ret;
	action = action_add();
	if (!action)
		return HCCL_E_MEMORY;
	action->request = *request;
	return HCCL_SUCCESS;
}

HcclResult hccl_group_create(const struct hccl_request *request)
{
	HcclResult ret;

	if (!group.depth)
		return create(request);
	ret = create_later(request);
	if (ret && request->parent)
		hccl_comm_put(request->parent);
	return ret;
}

HcclResult hccl_group_add_destroy(HcclComm comm)
{
	HcclResult ret = hccl_group_join(HCCL_GROUP_COMMUNICATORS);
	struct action *action;

	if (ret)
		return ret;
	action = action_add();
	if (!action)
		return HCCL_E_MEMORY;
	action->end = comm;
	return HCCL_SUCCESS;
}

static struct bundle *bundle_of(HcclComm comm, aclrtStream stream)
{
	struct bundle **link = &group.bundles, *bundle;
	aclrtContext context = NULL;

	/* The default stream is that of the context. */
	if (aclrtGetCurrentContext(&context))
		return NULL;
	for (; *link; link = &(*link)->next)
		if ((*link)->comm == comm && (*link)->stream == stream &&
		    (*link)->context == context)
			return *link;
	bundle = calloc(1, sizeof(*bundle));
	if (!bundle)
		return NULL;
	bundle->comm = comm;
	bundle->stream = stream;
	bundle->context = context;
	*link = bundle;
	return bundle;
}

HcclResult hccl_group_add_message(const HcclSendRecvItem *item, HcclComm comm,
				  aclrtStream stream)
{
	struct bundle *bundle = bundle_of(comm, stream);
	HcclSendRecvItem *items;

	if (!bundle)
		return HCCL_E_MEMORY;
	items = reallocarray(bundle->items, bundle->count + 1, sizeof(*items));
	if (!items)
		return HCCL_E_MEMORY;
	items[bundle->count++] = *item;
	bundle->items = items;
	return HCCL_SUCCESS;
}

bool hccl_group_add_capture(struct hccl_capture_wait *wait)
{
	if (!group.depth && !group.is_ending)
		return false;
	wait->next = group.captures;
	group.captures = wait;
	return true;
}

/* Returns the first failure. */
static HcclResult capture_all(struct hccl_capture_wait *captures)
{
	HcclResult ret = HCCL_SUCCESS;

	while (captures) {
		struct hccl_capture_wait *next = captures->next;
		HcclResult one = hccl_capture_wait_end(captures);

		if (!ret)
			ret = one;
		captures = next;
	}
	return ret;
}

static void *run(void *arg)
{
	struct action *action = arg;

	/* Without its context, the call fails by itself. */
	if (action->context)
		aclrtSetCurrentContext(action->context);
	if (action->end)
		action->result = HcclCommDestroy(action->end);
	else
		action->result = create(&action->request);
	return NULL;
}

/* All of them at the same time; returns the result of the first that failed. */
static HcclResult run_all(struct action *actions)
{
	HcclResult ret = HCCL_SUCCESS;
	struct action *action, *next;

	for (action = actions; action; action = action->next)
		if (pthread_create(&action->thread, NULL, run, action)) {
			action->thread = pthread_self();
			action->result = HCCL_E_SYSCALL;
			if (action->request.parent)
				hccl_comm_put(action->request.parent);
		}
	for (action = actions; action; action = next) {
		next = action->next;
		if (!pthread_equal(action->thread, pthread_self()))
			pthread_join(action->thread, NULL);
		if (action->result)
			ret = action->result;
		free(action);
	}
	return ret;
}

static HcclResult send_all(struct bundle *bundles)
{
	HcclResult ret = HCCL_SUCCESS;
	aclrtContext before = NULL;
	struct bundle *next;

	if (!bundles)
		return ret;
	aclrtGetCurrentContext(&before);
	for (struct bundle *bundle = bundles; bundle; bundle = next) {
		HcclResult one = HCCL_E_RUNTIME;

		next = bundle->next;
		if (!bundle->count)
			one = HCCL_SUCCESS;
		else if (!aclrtSetCurrentContext(bundle->context))
			one = hccl_batch(bundle->items, bundle->count,
					 bundle->comm, bundle->stream);
		if (!ret)
			ret = one;
		free(bundle->items);
		free(bundle);
	}
	if (before)
		aclrtSetCurrentContext(before);
	return ret;
}

static void actions_drop(struct action *action)
{
	while (action) {
		struct action *next = action->next;

		if (action->request.parent)
			hccl_comm_put(action->request.parent);
		free(action);
		action = next;
	}
}

static void bundles_drop(struct bundle *bundle)
{
	while (bundle) {
		struct bundle *next = bundle->next;

		free(bundle->items);
		free(bundle);
		bundle = next;
	}
}

/* Drop the calls of a group when its thread ends. */
static void abandon(void *unused)
{
	struct hccl_capture_wait *wait = group.captures;

	(void)unused;
	actions_drop(group.actions);
	bundles_drop(group.bundles);
	while (wait) {
		struct hccl_capture_wait *next = wait->next;

		hccl_capture_wait_drop(wait);
		wait = next;
	}
	memset(&group, 0, sizeof(group));
}

void hccl_group_in_child(void)
{
	memset(&group, 0, sizeof(group));
}

static pthread_key_t key;
static bool has_key;

static void make_key(void)
{
	has_key = !pthread_key_create(&key, abandon);
}

/* A thread may end after the library was unloaded, when abandon() is gone. */
static __attribute__((destructor)) void unload(void)
{
	if (has_key)
		pthread_key_delete(key);
}

HcclResult HcclGroupStart(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_key);
	if (has_key)
		pthread_setspecific(key, &group);
	group.depth++;
	return HCCL_SUCCESS;
}

HcclResult HcclGroupEnd(void)
{
	struct action *actions = group.actions;
	struct bundle *bundles = group.bundles;
	struct hccl_capture_wait *captures;
	HcclResult ret, captured;

	if (!group.depth)
		return HCCL_E_PARA;
	if (--group.depth)
		return HCCL_SUCCESS;
	group.actions = NULL;
	group.bundles = NULL;
	group.kind = HCCL_GROUP_ANY;
	ret = run_all(actions);
	/* Captured messages of several streams wait together. */
	group.is_ending = true;
	if (!ret)
		ret = send_all(bundles);
	group.is_ending = false;
	captures = group.captures;
	group.captures = NULL;
	captured = capture_all(captures);
	return ret ? ret : captured;
}

HcclResult HcclGroupStatusGet(bool *isGroupEnabled)
{
	if (!isGroupEnabled)
		return HCCL_E_PTR;
	*isGroupEnabled = hccl_group_is_open();
	return HCCL_SUCCESS;
}
