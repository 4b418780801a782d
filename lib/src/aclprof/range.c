// SPDX-License-Identifier: MIT
/*
 * Marks and ranges.  The ranges of a thread nest, those of the process may
 * overlap.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/local.h"
#include "base/tree.h"
#include "prof.h"

#define NAMES_MAX	65536
#define DEPTH_MAX	64
#define USER_DATA_MAX	18

struct stamp {
	uint64_t handle;
	char name[VNPU_PROF_NAME_MAX + 1];
};

/* A range of the process, by its id. */
struct range {
	struct vnpu_tree_node node;
	uint32_t session;	/* in which its beginning is recorded, or 0 */
	char name[VNPU_PROF_NAME_MAX + 1];
};

/* A text with a number, which is never freed. */
struct name {
	struct vnpu_tree_node node;
	char text[];
};

/* Under the lock. */
static struct vnpu_tree_node *ranges, *names;
static unsigned int nr_names;
static uint32_t last_range;

/*
 * The open ranges of a thread.  An end is recorded in the session of its
 * beginning.
 */
struct nest {
	unsigned int depth;
	uint32_t sessions[DEPTH_MAX];	/* as in a range */
};

static _Thread_local void *thread_nest;		/* a struct nest, or NULL */

/* Truncate a name where a reader of text would stop. */
static void name_copy(char *to, const char *from, size_t length)
{
	memcpy(to, from, length);
	to[length] = '\0';
}

void *aclprofCreateStamp(void)
{
	VNPU_CALL();
	struct stamp *stamp = calloc(1, sizeof(*stamp));
	uint64_t handle;

	handle = stamp ? vnpu_handle_add(VNPU_HANDLE_PROF_STAMP, stamp) : 0;
	if (!handle) {
		free(stamp);
		vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for a stamp");
		return NULL;
	}
	vnpu_prof_lock();
	stamp->handle = handle;
	vnpu_prof_unlock();
	return vnpu_u64_to_ptr(handle);
}

static aclError no_stamp(const void *stamp)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"stamp = %p is not from aclprofCreateStamp, or was destroyed",
		stamp);
}

void aclprofDestroyStamp(void *stamp)
{
	VNPU_CALL();
	struct stamp *found;

	vnpu_prof_lock();
	found = vnpu_handle_find(VNPU_HANDLE_PROF_STAMP, stamp);
	if (found)
		vnpu_handle_remove_put(found->handle);
	vnpu_prof_unlock();
	if (!found)
		no_stamp(stamp);
	free(found);
}

static aclError text_check(const char *text, size_t length)
{
	if (!text)
		return vnpu_error_null("msg");
	if (!length || length > VNPU_PROF_NAME_MAX)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"msgLen = %zu is out of range; use 1 to %d", length,
			VNPU_PROF_NAME_MAX);
	return ACL_SUCCESS;
}

aclError aclprofSetStampTraceMessage(void *stamp, const char *msg,
				     uint32_t msgLen)
{
	VNPU_CALL();
	aclError ret = text_check(msg, msgLen);
	struct stamp *found;

	if (ret)
		return ret;
	vnpu_prof_lock();
	found = vnpu_handle_find(VNPU_HANDLE_PROF_STAMP, stamp);
	if (found)
		name_copy(found->name, msg, msgLen);
	vnpu_prof_unlock();
	return found ? ACL_SUCCESS : no_stamp(stamp);
}

/* Get the current name of a stamp. */
static aclError stamp_name(const void *stamp, char *name)
{
	const struct stamp *found;

	vnpu_prof_lock();
	found = vnpu_handle_find(VNPU_HANDLE_PROF_STAMP, stamp);
	if (found)
		strcpy(name, found->name);
	vnpu_prof_unlock();
	return found ? ACL_SUCCESS : no_stamp(stamp);
}

/*
 * Record a mark while marks are recorded, or in session @only; returns the
 * session, or 0 if it is not recorded.
 */
static uint32_t record(enum vnpu_prof_kind kind, const char *name, uint64_t id,
		       const char *type, uint32_t only)
{
	struct vnpu_prof_event *event;

	if (only == VNPU_PROF_ANY_SESSION && !vnpu_prof_wants(VNPU_PROF_MARKS))
		return 0;
	event = vnpu_prof_event_create(kind, name);
	if (!event)
		return 0;
	event->id = id;
	event->type = type;
	return vnpu_prof_event_add(event, VNPU_PROF_MARKS, only);
}

aclError aclprofMark(void *stamp)
{
	VNPU_CALL();
	char name[VNPU_PROF_NAME_MAX + 1];
	aclError ret = stamp_name(stamp, name);

	if (!ret)
		record(VNPU_PROF_MARK, name, 0, NULL, VNPU_PROF_ANY_SESSION);
	return ret;
}

/* Mark this moment, and one in a stream; the stream is checked in any case. */
aclError vnpu_prof_mark_stream(const char *name, aclrtStream handle,
			       unsigned int what)
{
	struct vnpu_prof_event *event = NULL;
	struct vnpu_stream *stream;
	struct vnpu_task task;
	aclError ret = vnpu_stream_get(handle, false, &stream);

	if (ret)
		return ret;
	if (vnpu_prof_wants(what))
		event = vnpu_prof_event_create(VNPU_PROF_MARK, name);
	if (event) {
		event->device = stream->context->user_device;
		event->stream = stream->number;
		if (vnpu_prof_moment_init(&event->begin, &task))
			ret = vnpu_stream_submit(stream, &task, 1, NULL);
		if (ret)
			vnpu_prof_event_drop(event);
		else
			vnpu_prof_event_add(event, what,
					    VNPU_PROF_ANY_SESSION);
	}
	vnpu_stream_put(stream);
	return ret;
}

aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream)
{
	VNPU_CALL();
	char name[VNPU_PROF_NAME_MAX + 1];
	aclError ret = text_check(msg, msgLen);

	if (ret)
		return ret;
	name_copy(name, msg, msgLen);
	return vnpu_prof_mark_stream(name, stream, VNPU_PROF_MARKS);
}

aclError aclrtProfTrace(void *userdata, int32_t length, aclrtStream stream)
{
	VNPU_CALL();
	char name[2 + 2 * USER_DATA_MAX + 1] = "0x";

	if (!userdata)
		return vnpu_error_null("userdata");
	if (length < 1 || length > USER_DATA_MAX)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"length = %d is out of range; use 1 to %d", length, USER_DATA_MAX);
	for (int32_t i = 0; i < length; i++)
		snprintf(name + 2 + 2 * i, 3, "%02x",
			 ((const unsigned char *)userdata)[i]);
	return vnpu_prof_mark_stream(name, stream, VNPU_PROF_MARKS);
}

static aclError push(const char *name, const char *type)
{
	struct nest *nest = vnpu_local_get(&thread_nest, sizeof(*nest));

	if (!nest)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
			"no host memory for the ranges of this thread");
	if (nest->depth == DEPTH_MAX)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"this thread is in %d ranges already; end some",
			DEPTH_MAX);
	nest->sessions[nest->depth++] = record(VNPU_PROF_PUSH, name, 0, type,
					       VNPU_PROF_ANY_SESSION);
	return ACL_SUCCESS;
}

static aclError pop(void)
{
	struct nest *nest = thread_nest;
	uint32_t session;

	if (!nest || !nest->depth)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"this thread is in no range; begin one first");
	session = nest->sessions[--nest->depth];
	if (session)
		record(VNPU_PROF_POP, "", 0, NULL, session);
	return ACL_SUCCESS;
}

aclError aclprofPush(void *stamp)
{
	VNPU_CALL();
	char name[VNPU_PROF_NAME_MAX + 1];
	aclError ret = stamp_name(stamp, name);

	return ret ? ret : push(name, NULL);
}

aclError aclprofPop(void)
{
	VNPU_CALL();

	return pop();
}

aclError aclprofRangePop(void)
{
	VNPU_CALL();

	return pop();
}

aclError aclprofRangeStart(void *stamp, uint32_t *rangeId)
{
	VNPU_CALL();
	struct range *range;
	aclError ret;

	if (!rangeId)
		return vnpu_error_null("rangeId");
	range = calloc(1, sizeof(*range));
	if (!range)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a range");
	ret = stamp_name(stamp, range->name);
	if (ret) {
		free(range);
		return ret;
	}
	/* Record it first: once it has a number, another thread may end it. */
	vnpu_prof_lock();
	range->node.hi = ++last_range;
	vnpu_prof_unlock();
	*rangeId = range->node.hi;
	range->session = record(VNPU_PROF_RANGE_START, range->name, *rangeId,
				NULL, VNPU_PROF_ANY_SESSION);
	vnpu_prof_lock();
	vnpu_tree_add(&ranges, &range->node);
	vnpu_prof_unlock();
	return ACL_SUCCESS;
}

aclError aclprofRangeStop(uint32_t rangeId)
{
	VNPU_CALL();
	struct vnpu_tree_node *node;
	struct range *range;

	vnpu_prof_lock();
	node = vnpu_tree_at_least(ranges, rangeId, 0);
	if (node && node->hi == rangeId)
		vnpu_tree_remove(&ranges, node);
	else
		node = NULL;
	vnpu_prof_unlock();
	if (!node)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"rangeId = %u is not a range, or has ended", rangeId);
	range = container_of(node, struct range, node);
	if (range->session)
		record(VNPU_PROF_RANGE_STOP, range->name, rangeId, NULL,
		       range->session);
	free(range);
	return ACL_SUCCESS;
}

static struct name *name_find_locked(uint64_t id)
{
	struct vnpu_tree_node *node = vnpu_tree_at_least(names, id, 0);

	return node && node->hi == id ? container_of(node, struct name, node) :
					NULL;
}

/* Texts with the same hash get the following numbers. */
static uint64_t name_intern_locked(const char *text)
{
	size_t length = strlen(text) + 1;
	uint64_t id = 0xcbf29ce484222325ULL;
	struct name *name;

	for (const char *c = text; *c; c++)
		id = (id ^ (unsigned char)*c) * 0x100000001b3ULL;
	for (;; id++) {
		if (id == UINT64_MAX)
			id = 0;
		name = name_find_locked(id);
		if (!name)
			break;
		if (!strcmp(name->text, text))
			return id;
	}
	name = nr_names < NAMES_MAX ? malloc(sizeof(*name) + length) : NULL;
	if (!name)
		return UINT64_MAX;
	memcpy(name->text, text, length);
	name->node.hi = id;
	name->node.lo = 0;
	vnpu_tree_add(&names, &name->node);
	nr_names++;
	return id;
}

uint64_t aclprofStr2Id(const char *message)
{
	VNPU_CALL();
	uint64_t id;

	if (!message) {
		vnpu_error_null("message");
		return UINT64_MAX;
	}
	vnpu_prof_lock();
	id = name_intern_locked(message);
	vnpu_prof_unlock();
	if (id == UINT64_MAX)
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			   "no host memory, or there are already %d different texts",
			   NAMES_MAX);
	return id;
}

/* Get the text of a number; it is never freed. */
static const char *name_get(uint64_t id, const char *otherwise)
{
	const struct name *name;

	vnpu_prof_lock();
	name = name_find_locked(id);
	vnpu_prof_unlock();
	return name ? name->text : otherwise;
}

aclError aclprofRangePushEx(aclprofEventAttributes *attr)
{
	VNPU_CALL();

	if (!attr)
		return vnpu_error_null("attr");
	if (attr->version != ACL_PROF_EVENT_ATTR_VERSION ||
	    attr->size != sizeof(*attr))
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"attr->version = %u or attr->size = %u is invalid; use ACL_PROF_EVENT_ATTR_VERSION and sizeof(*attr)",
			attr->version, attr->size);
	if (attr->messageType != ACL_PROF_MESSAGE_TYPE_TENSOR_INFO)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"attr->messageType = %u is not ACL_PROF_MESSAGE_TYPE_TENSOR_INFO",
			attr->messageType);
	if (!attr->message.tensorInfo)
		return vnpu_error_null("attr->message.tensorInfo");
	return push(name_get(attr->message.tensorInfo->opNameId,
				       "operator"),
		    name_get(attr->message.tensorInfo->opTypeId, NULL));
}
