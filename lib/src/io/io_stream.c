// SPDX-License-Identifier: MIT
/*
 * The interface to the kernel: streams, timelines and events, see io_stream.h.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

#include "base/util.h"
#include "io_call.h"
#include "io_stream.h"

_Static_assert(VNPU_IO_PRIORITIES == VNPU_STREAM_PRIORITIES, "priorities");
_Static_assert(VNPU_IO_WAIT_MAX == VNPU_WAIT_MAX, "points of a wait");
_Static_assert(VNPU_IO_TIMELINE == VNPU_TIMELINE_KIND_TIMELINE, "kind");
_Static_assert(VNPU_IO_COUNTER == VNPU_TIMELINE_KIND_COUNTER, "kind");
_Static_assert(VNPU_IO_STREAM == VNPU_TIMELINE_KIND_STREAM, "kind");

/* Points are passed to the kernel unchanged. */
_Static_assert(sizeof(struct vnpu_io_point) == sizeof(struct vnpu_point) &&
	       offsetof(struct vnpu_io_point, value) ==
	       offsetof(struct vnpu_point, value), "point");

int vnpu_io_context_create(uint32_t device, uint32_t *id)
{
	struct vnpu_context_create create = {
		.size = sizeof(create),
		.device = device,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_CONTEXT_CREATE, &create);

	if (!ret)
		*id = create.out_id;
	return ret;
}

int vnpu_io_context_destroy(uint32_t id)
{
	struct vnpu_context_destroy destroy = {
		.size = sizeof(destroy),
		.id = id,
	};

	return vnpu_io_retry(VNPU_IOCTL_CONTEXT_DESTROY, &destroy);
}

int vnpu_io_stream_create(uint32_t device, uint32_t priority, uint32_t context,
			  bool stops, struct vnpu_io_new_stream *out)
{
	struct vnpu_stream_create create = {
		.size = sizeof(create),
		.flags = stops ? VNPU_STREAM_F_STOP : 0,
		.device = device,
		.priority = priority,
		.context = context,
		.ring_tasks = VNPU_RING_TASKS,
		.task_size = sizeof(struct vnpu_task),
	};
	int ret = vnpu_io_call(VNPU_IOCTL_STREAM_CREATE, &create);

	if (!ret)
		*out = (struct vnpu_io_new_stream){
			.id = create.out_id,
			.number = create.out_number,
			.map_offset = create.out_mmap_offset,
			.map_size = create.out_map_size,
		};
	return ret;
}

int vnpu_io_stream_destroy(uint64_t id)
{
	struct vnpu_stream_destroy destroy = {
		.size = sizeof(destroy),
		.id = id,
	};

	return vnpu_io_retry(VNPU_IOCTL_STREAM_DESTROY, &destroy);
}

int vnpu_io_stream_map(uint64_t offset, uint64_t size, struct vnpu_ring **ring)
{
	*ring = vnpu_io_map(size, offset);
	return *ring == MAP_FAILED ? -errno : 0;
}

void vnpu_io_stream_unmap(struct vnpu_ring *ring, uint64_t size)
{
	munmap(ring, size);
}

int vnpu_io_stream_doorbell(uint64_t id)
{
	struct vnpu_stream_doorbell doorbell = {
		.size = sizeof(doorbell),
		.id = id,
	};

	return vnpu_io_retry(VNPU_IOCTL_STREAM_DOORBELL, &doorbell);
}

int vnpu_io_stream_abort(uint64_t id, uint64_t *completed)
{
	struct vnpu_stream_abort abort = { .size = sizeof(abort), .id = id };
	int ret;

	do {
		ret = vnpu_io_call(VNPU_IOCTL_STREAM_ABORT, &abort);
	} while (ret == -EINTR);
	if (!ret)
		*completed = abort.out_completed;
	return ret;
}

int vnpu_io_stream_set_priority(uint64_t id, uint32_t priority)
{
	struct vnpu_stream_set set = {
		.size = sizeof(set),
		.flags = VNPU_STREAM_SET_F_PRIORITY,
		.id = id,
		.priority = priority,
	};

	return vnpu_io_call(VNPU_IOCTL_STREAM_SET, &set);
}

int vnpu_io_stream_set_stop(uint64_t id, bool stops)
{
	struct vnpu_stream_set set = {
		.size = sizeof(set),
		.flags = VNPU_STREAM_SET_F_STOP,
		.id = id,
		.stop = stops,
	};

	return vnpu_io_call(VNPU_IOCTL_STREAM_SET, &set);
}

int vnpu_io_stream_query(uint64_t id, struct vnpu_io_stream *out)
{
	struct vnpu_stream_query query = { .size = sizeof(query), .id = id };
	int ret = vnpu_io_call(VNPU_IOCTL_STREAM_QUERY, &query);

	if (!ret)
		*out = (struct vnpu_io_stream){
			.completed = query.out_completed,
			.busy_ns = query.out_busy_ns,
			.errors = query.out_errors,
			.cancelled = query.out_cancelled,
			.error = query.out_error,
			.error_op = query.out_error_op,
			.error_seq = query.out_error_seq,
			.error_addr = query.out_error_addr,
			.state = query.out_state,
		};
	return ret;
}

int vnpu_io_timeline_create(uint64_t value, uint64_t *id)
{
	struct vnpu_timeline_create create = {
		.size = sizeof(create),
		.value = value,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_TIMELINE_CREATE, &create);

	if (!ret)
		*id = create.out_id;
	return ret;
}

int vnpu_io_counter_create(uint32_t device, uint64_t value, uint64_t *id,
			   uint32_t *number)
{
	struct vnpu_timeline_create create = {
		.size = sizeof(create),
		.flags = VNPU_TIMELINE_F_COUNTER,
		.device = device,
		.value = value,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_TIMELINE_CREATE, &create);

	if (!ret) {
		*id = create.out_id;
		*number = create.out_number;
	}
	return ret;
}

int vnpu_io_timeline_destroy(uint64_t id)
{
	struct vnpu_timeline_destroy destroy = {
		.size = sizeof(destroy),
		.id = id,
	};

	return vnpu_io_retry(VNPU_IOCTL_TIMELINE_DESTROY, &destroy);
}

int vnpu_io_timeline_query(uint64_t id, uint64_t *value)
{
	struct vnpu_timeline_query query = { .size = sizeof(query), .id = id };
	int ret = vnpu_io_call(VNPU_IOCTL_TIMELINE_QUERY, &query);

	if (!ret)
		*value = query.out_value;
	return ret;
}

int vnpu_io_signal(uint64_t id, uint64_t value, uint32_t mode)
{
	struct vnpu_signal signal = {
		.size = sizeof(signal),
		.id = id,
		.value = value,
		.mode = mode,
	};

	return vnpu_io_retry(VNPU_IOCTL_SIGNAL, &signal);
}

int vnpu_io_timeline_export(uint64_t id, uint64_t value, bool can_signal,
			    int *fd)
{
	struct vnpu_timeline_export export = {
		.size = sizeof(export),
		.flags = can_signal ? 0 : VNPU_TIMELINE_EXPORT_F_WAIT_ONLY,
		.id = id,
		.value = value,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_TIMELINE_EXPORT, &export);

	if (!ret)
		*fd = export.out_fd;
	return ret;
}

int vnpu_io_timeline_import(int fd, uint64_t *id,
			    enum vnpu_io_timeline_kind *kind)
{
	struct vnpu_timeline_import import = {
		.size = sizeof(import),
		.fd = fd,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_TIMELINE_IMPORT, &import);

	if (!ret) {
		*id = import.out_id;
		*kind = import.out_kind;
	}
	return ret;
}

int vnpu_io_wait(const struct vnpu_io_point *points, uint32_t count, bool all,
		 uint64_t deadline_ns, uint32_t *index)
{
	struct vnpu_wait wait = {
		.size = sizeof(wait),
		.flags = all ? VNPU_WAIT_F_ALL : 0,
		.points = vnpu_ptr_to_u64(points),
		.count = count,
		.timeout_ns = deadline_ns,
	};
	int ret;

	do {
		ret = vnpu_io_call(VNPU_IOCTL_WAIT, &wait);
	} while (ret == -EINTR);
	if (!ret && index)
		*index = wait.out_index;
	return ret;
}

int vnpu_io_event_alloc(uint32_t device, uint32_t *number)
{
	struct vnpu_event_alloc take = {
		.size = sizeof(take),
		.device = device,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_EVENT_ALLOC, &take);

	if (!ret)
		*number = take.out_number;
	return ret;
}

int vnpu_io_event_free(uint32_t device, uint32_t number)
{
	struct vnpu_event_free give = {
		.size = sizeof(give),
		.device = device,
		.number = number,
	};

	return vnpu_io_retry(VNPU_IOCTL_EVENT_FREE, &give);
}

int vnpu_io_limits(uint32_t device, struct vnpu_io_limits *out)
{
	struct vnpu_limits_query query = {
		.size = sizeof(query),
		.device = device,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_LIMITS_QUERY, &query);

	if (!ret)
		*out = (struct vnpu_io_limits){
			.streams = query.out_streams,
			.events = query.out_events,
			.counters = query.out_counters,
		};
	return ret;
}

_Static_assert(VNPU_IO_LIMIT_STREAMS == VNPU_LIMIT_STREAMS &&
	       VNPU_IO_LIMIT_EVENTS == VNPU_LIMIT_EVENTS &&
	       VNPU_IO_LIMIT_COUNTERS == VNPU_LIMIT_COUNTERS, "limits");

int vnpu_io_limit(uint32_t device, enum vnpu_io_limit_kind kind,
		  struct vnpu_io_limit *out)
{
	struct vnpu_limits_query query = {
		.size = sizeof(query),
		.device = device,
		.kind = kind,
	};
	int ret = vnpu_io_call(VNPU_IOCTL_LIMITS_QUERY, &query);

	if (!ret)
		*out = (struct vnpu_io_limit){
			.scope = query.out_scope,
			.id = query.out_id,
			.limit = query.out_limit,
			.used = query.out_used,
		};
	return ret;
}
