// SPDX-License-Identifier: MIT
/*
 * Reporters, which run the functions that streams call.
 *
 * A reporter is a thread, of the program or of this library, that serves any
 * number of streams.  A binding of a stream to a reporter holds the pending
 * calls of the stream, in order.  This file has the bindings and the launch of
 * calls; reporter_run.c runs the calls that are due.
 *
 * The task of a call marks its place in the stream.  If the stream has to wait
 * for the function, the task after the mark waits for a timeline of the
 * binding, the gate, which is advanced when the function has returned.  A gate
 * that is destroyed lets all tasks pass.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "io/io_stream.h"
#include "capture.h"
#include "reporter_internal.h"

#define REPORTERS_MAX	1024	/* threads of the program, as with CANN */

static pthread_mutex_t reporter_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_reporter *reporters;
static unsigned int nr_threads;		/* reporters of the program */

void vnpu_reporter_lock(void)
{
	pthread_mutex_lock(&reporter_mutex);
}

void vnpu_reporter_unlock(void)
{
	pthread_mutex_unlock(&reporter_mutex);
}

struct vnpu_reporter *vnpu_reporter_find(enum vnpu_binding_kind kind,
					 uint64_t owner)
{
	struct vnpu_reporter *reporter = reporters;

	while (reporter &&
	       (reporter->kind != kind || reporter->owner != owner))
		reporter = reporter->next;
	return reporter;
}

static struct vnpu_binding *binding_find(enum vnpu_binding_kind kind,
					 uint64_t stream)
{
	for (struct vnpu_reporter *reporter = reporters; reporter;
	     reporter = reporter->next) {
		if (reporter->kind != kind)
			continue;
		for (struct vnpu_binding *binding = reporter->bindings; binding;
		     binding = binding->next)
			if (binding->stream == stream)
				return binding;
	}
	return NULL;
}

void vnpu_reporter_put(struct vnpu_reporter *reporter)
{
	struct vnpu_reporter **link = &reporters;

	if (--reporter->refs)
		return;
	while (*link != reporter)
		link = &(*link)->next;
	*link = reporter->next;
	if (reporter->kind == VNPU_BINDING_REPORT)
		nr_threads--;
	vnpu_io_timeline_destroy(reporter->kick);
	free(reporter);
}

void vnpu_binding_open_gate(struct vnpu_binding *binding)
{
	if (binding->is_listed || binding->running || binding->is_open)
		return;
	vnpu_io_timeline_destroy(binding->gate);
	binding->is_open = true;
}

void vnpu_binding_put(struct vnpu_binding *binding)
{
	if (--binding->refs)
		return;
	pthread_mutex_destroy(&binding->launch);
	vnpu_reporter_put(binding->reporter);
	free(binding);
}

static void drop_calls(struct vnpu_binding *binding)
{
	struct vnpu_call *call;

	while ((call = binding->first)) {
		binding->first = call->next;
		free(call);
	}
	binding->end = &binding->first;
}

void vnpu_binding_remove(struct vnpu_binding *binding)
{
	struct vnpu_reporter *reporter = binding->reporter;
	struct vnpu_binding **link = &reporter->bindings;

	while (*link != binding)
		link = &(*link)->next;
	*link = binding->next;
	reporter->nr_bindings--;
	binding->stream = 0;
	binding->is_listed = false;
	drop_calls(binding);
	vnpu_binding_open_gate(binding);
	vnpu_reporter_kick(reporter);
	vnpu_binding_put(binding);
}

static struct vnpu_reporter *reporter_create(enum vnpu_binding_kind kind,
					     uint64_t owner,
					     int32_t user_device, int *ret)
{
	struct vnpu_reporter *new;

	*ret = -EUSERS;
	if (kind == VNPU_BINDING_REPORT && nr_threads == REPORTERS_MAX)
		return NULL;
	*ret = -ENOMEM;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	*ret = vnpu_io_timeline_create(0, &new->kick);
	if (*ret) {
		free(new);
		return NULL;
	}
	new->kind = kind;
	new->owner = owner;
	new->user_device = user_device;
	new->next = reporters;
	reporters = new;
	if (kind == VNPU_BINDING_REPORT)
		nr_threads++;
	return new;
}

static int binding_create(const struct vnpu_stream *stream,
			  struct vnpu_binding **binding)
{
	struct vnpu_binding *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	ret = vnpu_io_timeline_create(0, &new->gate);
	if (ret) {
		free(new);
		return ret;
	}
	pthread_mutex_init(&new->launch, NULL);
	new->refs = 1;
	new->stream = stream->handle;
	new->queue = stream->queue.id;
	new->end = &new->first;
	*binding = new;
	return 0;
}

/* The thread waits for the lock, and has a reference. */
static int start_thread(struct vnpu_reporter *reporter,
			const struct vnpu_stream *stream,
			int (*start)(struct vnpu_context *context))
{
	int ret = start(stream->context);

	if (ret)
		return ret;
	reporter->has_thread = true;
	reporter->refs++;
	return 0;
}

static int bind_locked(enum vnpu_binding_kind kind, uint64_t owner,
		       const struct vnpu_stream *stream,
		       int (*start)(struct vnpu_context *context))
{
	int32_t user_device = stream->context->user_device;
	struct vnpu_reporter *reporter = vnpu_reporter_find(kind, owner);
	struct vnpu_binding *binding;
	int ret;

	if (binding_find(kind, stream->handle))
		return -EBUSY;
	if (reporter && reporter->user_device != user_device)
		return -EXDEV;
	ret = binding_create(stream, &binding);
	if (ret)
		return ret;

	if (!reporter)
		reporter = reporter_create(kind, owner, user_device, &ret);
	if (!reporter) {
		vnpu_io_timeline_destroy(binding->gate);
		pthread_mutex_destroy(&binding->launch);
		free(binding);
		return ret;
	}
	binding->reporter = reporter;
	binding->next = reporter->bindings;
	reporter->bindings = binding;
	binding->is_listed = true;
	reporter->nr_bindings++;
	reporter->refs++;
	if (start && !reporter->has_thread)
		ret = start_thread(reporter, stream, start);
	if (ret)
		vnpu_binding_remove(binding);
	else
		vnpu_reporter_kick(reporter);
	return ret;
}

int vnpu_reporter_bind(enum vnpu_binding_kind kind, uint64_t owner,
		       const struct vnpu_stream *stream,
		       int (*start)(struct vnpu_context *context))
{
	int ret;

	vnpu_reporter_lock();
	ret = bind_locked(kind, owner, stream, start);
	vnpu_reporter_unlock();
	return ret;
}

int vnpu_reporter_unbind(enum vnpu_binding_kind kind, uint64_t owner,
			 uint64_t stream)
{
	struct vnpu_binding *binding;
	int ret = 0;

	vnpu_reporter_lock();
	binding = binding_find(kind, stream);
	if (!binding)
		ret = -ENOENT;
	else if (binding->reporter->owner != owner)
		ret = -ESRCH;
	else
		vnpu_binding_remove(binding);
	vnpu_reporter_unlock();
	return ret;
}

/* The gates do not change: the tasks that wait there are aborted. */
void vnpu_reporter_drop(uint64_t stream)
{
	struct vnpu_binding *binding;

	vnpu_reporter_lock();
	for (int kind = VNPU_BINDING_REPORT; kind <= VNPU_BINDING_HOST_FUNC;
	     kind++) {
		binding = binding_find(kind, stream);
		if (binding)
			drop_calls(binding);
	}
	vnpu_reporter_unlock();
}

void vnpu_reporter_forget(uint64_t stream, bool is_done)
{
	struct vnpu_binding *binding;

	vnpu_reporter_lock();
	for (int kind = VNPU_BINDING_REPORT; kind <= VNPU_BINDING_HOST_FUNC;
	     kind++) {
		binding = binding_find(kind, stream);
		if (!binding)
			continue;
		binding->stream = 0;
		if (!is_done || !binding->first)
			vnpu_binding_remove(binding);
	}
	vnpu_reporter_unlock();
}

/* Submit the mark and the gate; the launch lock is held. */
static aclError submit(struct vnpu_binding *binding, struct vnpu_stream *stream,
		       struct vnpu_call *call, bool blocks)
{
	const struct vnpu_task tasks[] = {
		{ .op = VNPU_TASK_NOP },
		{
			.op = VNPU_TASK_WAIT,
			.src = binding->gate,
			.arg0 = binding->gate_last + 1,
		},
	};
	uint64_t seq;
	aclError ret = vnpu_stream_submit(stream, tasks, blocks ? 2 : 1, &seq);

	if (ret)
		return ret;
	call->after = blocks ? seq - 1 : seq;
	if (blocks)
		call->gate_value = ++binding->gate_last;
	return ACL_SUCCESS;
}

/* Append the call of a submitted task, unless the binding has ended. */
static bool append(struct vnpu_binding *binding, struct vnpu_call *call)
{
	bool is_bound;

	vnpu_reporter_lock();
	is_bound = binding->stream;
	if (is_bound) {
		*binding->end = call;
		binding->end = &call->next;
		vnpu_reporter_kick(binding->reporter);
	}
	vnpu_reporter_unlock();
	return is_bound;
}

static aclError not_bound(const struct vnpu_stream *stream)
{
	return vnpu_error(ACL_ERROR_RT_STREAM_NO_CB_REG,
		"no thread is subscribed to stream %u; call aclrtSubscribeReport first",
		stream->number);
}

aclError vnpu_reporter_launch(enum vnpu_binding_kind kind,
			      struct vnpu_stream *stream, aclrtCallback fn,
			      void *data, bool blocks)
{
	struct vnpu_call *call = calloc(1, sizeof(*call));
	struct vnpu_binding *binding;
	aclError ret = vnpu_capture_refuse_work(stream, "a call of the host");

	if (ret) {
		free(call);
		return ret;
	}
	if (!call)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a callback");
	call->fn = fn;
	call->data = data;

	vnpu_reporter_lock();
	binding = binding_find(kind, stream->handle);
	if (binding)
		binding->refs++;
	vnpu_reporter_unlock();
	if (!binding) {
		free(call);
		return not_bound(stream);
	}

	pthread_mutex_lock(&binding->launch);
	ret = submit(binding, stream, call, blocks);
	if (!ret && !append(binding, call))
		ret = not_bound(stream);
	pthread_mutex_unlock(&binding->launch);
	if (ret)
		free(call);

	vnpu_reporter_lock();
	vnpu_binding_put(binding);
	vnpu_reporter_unlock();
	return ret;
}
