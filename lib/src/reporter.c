// SPDX-License-Identifier: MIT
/*
 * Reporters: who runs the functions that streams call.
 *
 * A reporter is a thread, of the program or of this library, that serves any
 * number of streams.  What binds it to a stream keeps the calls that the stream
 * is to make, in its order.  A call is due when the task that marks its place
 * in the stream is complete; the reporter waits for the first call of each of
 * its streams at once, and for a timeline by which it is told of changes, the
 * kick.  Where the stream is to wait for the function, the task after the mark
 * waits for a timeline of the binding, the gate, which is advanced when the
 * function has returned.  A gate that is gone lets everything pass.
 *
 * Functions run without a lock, so they may do what the program may.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "error.h"
#include "fork.h"
#include "io_stream.h"
#include "reporter.h"

#define REPORTERS_MAX	1024	/* threads of the program, as with CANN */

struct call {
	struct call *next;
	aclrtCallback fn;
	void *data;
	uint64_t after;			/* number of the task it is due after */
	uint64_t gate_value;		/* 0 if the stream does not wait */
};

/* Under the lock unless it says otherwise. */
struct binding {
	struct binding *next;		/* of the reporter's */
	struct reporter *reporter;
	unsigned int refs;		/* the list's, and of who uses it */
	bool is_listed;			/* among the reporter's */
	uint64_t stream;		/* 0 once it ended */
	uint64_t queue;			/* the stream's timeline; constant */
	uint64_t gate;			/* timeline; constant */
	bool is_open;			/* the gate is gone */
	unsigned int running;		/* calls of it that are being run */
	pthread_mutex_t launch;		/* makes numbers grow with the order */
	uint64_t gate_last;		/* under the launch lock */
	struct call *first;
	struct call **end;
};

struct reporter {
	struct reporter *next;
	enum vnpu_binding_kind kind;	/* constant, as the next two */
	uint64_t owner;
	int32_t user_device;
	struct binding *bindings;
	unsigned int nr_bindings;
	unsigned int refs;		/* the list's, and of who processes */
	bool has_thread;		/* of the library's, with a reference */
	unsigned int waiters;
	uint64_t kick;			/* timeline; constant */
	uint64_t kick_value;
};

static pthread_mutex_t reporter_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct reporter *reporters;
static unsigned int nr_threads;		/* reporters of the program's */

void vnpu_reporter_lock(void)
{
	pthread_mutex_lock(&reporter_mutex);
}

void vnpu_reporter_unlock(void)
{
	pthread_mutex_unlock(&reporter_mutex);
}

static struct reporter *reporter_find(enum vnpu_binding_kind kind,
				      uint64_t owner)
{
	struct reporter *reporter = reporters;

	while (reporter &&
	       (reporter->kind != kind || reporter->owner != owner))
		reporter = reporter->next;
	return reporter;
}

static struct binding *binding_find(enum vnpu_binding_kind kind,
				    uint64_t stream)
{
	for (struct reporter *reporter = reporters; reporter;
	     reporter = reporter->next) {
		if (reporter->kind != kind)
			continue;
		for (struct binding *binding = reporter->bindings; binding;
		     binding = binding->next)
			if (binding->stream == stream)
				return binding;
	}
	return NULL;
}

/* Let who waits look again. */
static void kick(struct reporter *reporter)
{
	reporter->kick_value++;
	if (reporter->waiters)
		vnpu_io_signal(reporter->kick, reporter->kick_value,
			       VNPU_SIGNAL_ADVANCE);
}

static void reporter_put(struct reporter *reporter)
{
	struct reporter **link = &reporters;

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

/*
 * Let the stream pass where it waits for calls that were dropped. Not when the last
 * reference is given back: who launches has one, and may be waiting for room in
 * the stream.
 */
static void open_gate(struct binding *binding)
{
	if (binding->is_listed || binding->running || binding->is_open)
		return;
	vnpu_io_timeline_destroy(binding->gate);
	binding->is_open = true;
}

static void binding_put(struct binding *binding)
{
	if (--binding->refs)
		return;
	pthread_mutex_destroy(&binding->launch);
	reporter_put(binding->reporter);
	free(binding);
}

static void drop_calls(struct binding *binding)
{
	struct call *call;

	while ((call = binding->first)) {
		binding->first = call->next;
		free(call);
	}
	binding->end = &binding->first;
}

/* Take a binding off its reporter. */
static void binding_remove(struct binding *binding)
{
	struct reporter *reporter = binding->reporter;
	struct binding **link = &reporter->bindings;

	while (*link != binding)
		link = &(*link)->next;
	*link = binding->next;
	reporter->nr_bindings--;
	binding->stream = 0;
	binding->is_listed = false;
	drop_calls(binding);
	open_gate(binding);
	kick(reporter);
	binding_put(binding);
}

static struct reporter *reporter_create(enum vnpu_binding_kind kind,
					uint64_t owner, int32_t user_device,
					int *ret)
{
	struct reporter *new;

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
			  struct binding **binding)
{
	struct binding *new = calloc(1, sizeof(*new));
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

static int bind_locked(enum vnpu_binding_kind kind, uint64_t owner,
		       const struct vnpu_stream *stream, bool *needs_thread)
{
	int32_t user_device = stream->context->user_device;
	struct reporter *reporter = reporter_find(kind, owner);
	struct binding *binding;
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
	*needs_thread = kind == VNPU_BINDING_HOST_FUNC && !reporter->has_thread;
	if (*needs_thread) {
		reporter->has_thread = true;
		reporter->refs++;
	}
	kick(reporter);
	return 0;
}

int vnpu_reporter_bind(enum vnpu_binding_kind kind, uint64_t owner,
		       const struct vnpu_stream *stream, bool *needs_thread)
{
	int ret;

	vnpu_reporter_lock();
	ret = bind_locked(kind, owner, stream, needs_thread);
	vnpu_reporter_unlock();
	return ret;
}

int vnpu_reporter_unbind(enum vnpu_binding_kind kind, uint64_t owner,
			 uint64_t stream)
{
	struct binding *binding;
	int ret = 0;

	vnpu_reporter_lock();
	binding = binding_find(kind, stream);
	if (!binding)
		ret = -ENOENT;
	else if (binding->reporter->owner != owner)
		ret = -ESRCH;
	else
		binding_remove(binding);
	vnpu_reporter_unlock();
	return ret;
}

/* The gates stay as they are: what waits there is aborted. */
void vnpu_reporter_drop(uint64_t stream)
{
	struct binding *binding;

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
	struct binding *binding;

	vnpu_reporter_lock();
	for (int kind = VNPU_BINDING_REPORT; kind <= VNPU_BINDING_HOST_FUNC;
	     kind++) {
		binding = binding_find(kind, stream);
		if (!binding)
			continue;
		binding->stream = 0;
		if (!is_done || !binding->first)
			binding_remove(binding);
	}
	vnpu_reporter_unlock();
}

/* Submit the mark and the gate; the launch lock is held. */
static aclError submit(const char *name, struct binding *binding,
		       struct vnpu_stream *stream, struct call *call,
		       bool blocks)
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
	aclError ret = vnpu_stream_submit(name, stream, tasks, blocks ? 2 : 1,
					  &seq);

	if (ret)
		return ret;
	call->after = blocks ? seq - 1 : seq;
	if (blocks)
		call->gate_value = ++binding->gate_last;
	return ACL_SUCCESS;
}

/* Append a call whose task was submitted, unless the binding is gone. */
static bool append(struct binding *binding, struct call *call)
{
	bool is_bound;

	vnpu_reporter_lock();
	is_bound = binding->stream;
	if (is_bound) {
		*binding->end = call;
		binding->end = &call->next;
		kick(binding->reporter);
	}
	vnpu_reporter_unlock();
	return is_bound;
}

static aclError not_bound(const char *name, const struct vnpu_stream *stream)
{
	return vnpu_error(ACL_ERROR_RT_STREAM_NO_CB_REG, name,
		"no thread is subscribed to stream %u; call aclrtSubscribeReport first",
		stream->number);
}

aclError vnpu_reporter_launch(const char *name, enum vnpu_binding_kind kind,
			      struct vnpu_stream *stream, aclrtCallback fn,
			      void *data, bool blocks)
{
	struct call *call = calloc(1, sizeof(*call));
	struct binding *binding;
	aclError ret;

	if (!call)
		return vnpu_error(ACL_ERROR_BAD_ALLOC, name,
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
		return not_bound(name, stream);
	}

	pthread_mutex_lock(&binding->launch);
	ret = submit(name, binding, stream, call, blocks);
	if (!ret && !append(binding, call))
		ret = not_bound(name, stream);
	pthread_mutex_unlock(&binding->launch);
	if (ret)
		free(call);

	vnpu_reporter_lock();
	binding_put(binding);
	vnpu_reporter_unlock();
	return ret;
}

/* What to wait for: the first call of each stream, and last the kick. */
static uint32_t collect(const struct reporter *reporter,
			struct vnpu_io_point *points, uint32_t max)
{
	uint32_t count = 0;

	for (const struct binding *binding = reporter->bindings;
	     binding && count < max - 1; binding = binding->next)
		if (binding->first)
			points[count++] = (struct vnpu_io_point){
				.id = binding->queue,
				.value = binding->first->after,
			};
	points[count++] = (struct vnpu_io_point){
		.id = reporter->kick,
		.value = reporter->kick_value + 1,
	};
	return count;
}

/* The call that was waited for, if it is still there; takes a reference. */
static struct call *take_call(struct reporter *reporter,
			      const struct vnpu_io_point *point,
			      struct binding **binding)
{
	struct call *call;

	for (*binding = reporter->bindings; *binding;
	     *binding = (*binding)->next) {
		call = (*binding)->first;
		if ((*binding)->queue != point->id || !call ||
		    call->after > point->value)
			continue;
		(*binding)->first = call->next;
		if (!call->next)
			(*binding)->end = &(*binding)->first;
		(*binding)->refs++;
		return call;
	}
	return NULL;
}

/* Run a call; the lock is dropped meanwhile. */
static void run_call(struct binding *binding, struct call *call)
{
	binding->running++;
	vnpu_reporter_unlock();
	call->fn(call->data);
	if (call->gate_value)
		vnpu_io_signal(binding->gate, call->gate_value,
			       VNPU_SIGNAL_ADVANCE);
	free(call);
	vnpu_reporter_lock();
	binding->running--;
	open_gate(binding);
	/* The last call of a stream that ended. */
	if (!binding->stream && !binding->first && binding->is_listed)
		binding_remove(binding);
	binding_put(binding);
}

/* One wait; the lock is dropped meanwhile. */
static int wait_once(struct reporter *reporter, struct vnpu_io_point *points,
		     uint32_t max, uint64_t deadline, uint32_t *index)
{
	uint32_t count = collect(reporter, points, max);
	int ret;

	reporter->waiters++;
	vnpu_reporter_unlock();
	ret = vnpu_io_wait(points, count, false, deadline, index);
	vnpu_reporter_lock();
	reporter->waiters--;
	return ret;
}

static int process_locked(struct reporter *reporter, int64_t timeout_ms)
{
	uint64_t deadline = vnpu_queue_deadline(timeout_ms);
	struct vnpu_io_point *points;
	struct binding *binding;
	struct call *call;
	bool has_run = false;
	uint32_t index, max;
	int ret;

	while (reporter->nr_bindings) {
		max = reporter->nr_bindings + 1;
		if (max > VNPU_IO_WAIT_MAX)
			max = VNPU_IO_WAIT_MAX;
		points = calloc(max, sizeof(*points));
		if (!points)
			return -ENOMEM;
		ret = wait_once(reporter, points, max, has_run ? 0 : deadline,
				&index);
		call = ret ? NULL : take_call(reporter, &points[index],
					      &binding);
		free(points);
		if (ret)
			return ret == -ETIMEDOUT && has_run ? 0 : ret;
		if (call) {
			run_call(binding, call);
			has_run = true;
		}
	}
	return has_run ? 0 : -ESRCH;
}

int vnpu_reporter_process(enum vnpu_binding_kind kind, uint64_t owner,
			  int64_t timeout_ms)
{
	struct reporter *reporter;
	int ret = -ESRCH;

	vnpu_reporter_lock();
	reporter = reporter_find(kind, owner);
	if (reporter) {
		reporter->refs++;
		ret = process_locked(reporter, timeout_ms);
		reporter_put(reporter);
	}
	vnpu_reporter_unlock();
	return ret;
}

/* The next stream that is bound needs a thread. */
static void end_thread(struct reporter *reporter)
{
	reporter->has_thread = false;
	reporter_put(reporter);
}

int vnpu_reporter_serve(uint64_t context)
{
	struct reporter *reporter;
	int ret;

	vnpu_reporter_lock();
	/* It is there: the thread has a reference. */
	reporter = reporter_find(VNPU_BINDING_HOST_FUNC, context);
	do
		ret = process_locked(reporter, -1);
	while (!ret);
	if (ret == -ESRCH) {
		end_thread(reporter);
		ret = 0;
	}
	vnpu_reporter_unlock();
	return ret;
}

void vnpu_reporter_no_thread(uint64_t context, uint64_t stream)
{
	struct binding *binding;

	vnpu_reporter_lock();
	binding = binding_find(VNPU_BINDING_HOST_FUNC, stream);
	if (binding)
		binding_remove(binding);
	end_thread(reporter_find(VNPU_BINDING_HOST_FUNC, context));
	vnpu_reporter_unlock();
}
