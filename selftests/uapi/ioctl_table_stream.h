/* SPDX-License-Identifier: GPL-2.0-only */
/* The ioctls of ioctl_table.h for streams and timelines. */
#ifndef SELFTESTS_VNPU_IOCTL_TABLE_STREAM_H
#define SELFTESTS_VNPU_IOCTL_TABLE_STREAM_H

#include "stream.h"
#include "sync.h"

/* Create a stream with a ring, whose mapping ends with the process. */
static __u64 prepared_stream(struct __test_metadata *_metadata,
			     FIXTURE_DATA(abi) * self)
{
	struct stream s = {};

	EXPECT_EQ(0, stream_create(&s, &self->c, 0));
	if (s.ring)
		munmap(s.ring, s.map_size);
	return s.id;
}

static __u32 prepared_context(struct __test_metadata *_metadata,
			      FIXTURE_DATA(abi) * self)
{
	__u32 id = 0;

	EXPECT_EQ(0, context_create(&self->c, 0, &id));
	return id;
}

static void prepare_context_destroy(struct __test_metadata *_metadata,
				    FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_context_destroy *a = arg;

	a->id = prepared_context(_metadata, self);
}

static void prepare_context_set(struct __test_metadata *_metadata,
				FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_context_set *a = arg;

	a->id = prepared_context(_metadata, self);
}

static void prepare_context_query(struct __test_metadata *_metadata,
				  FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_context_query *a = arg;

	a->id = prepared_context(_metadata, self);
}

static void prepare_stream_create(struct __test_metadata *_metadata,
				  FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_stream_create *a = arg;

	(void)_metadata;
	(void)self;
	a->priority = 7;
	a->ring_tasks = VNPU_RING_TASKS_MIN;
	a->task_size = sizeof(struct vnpu_task);
}

static void prepare_stream_destroy(struct __test_metadata *_metadata,
				   FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_stream_destroy *a = arg;
	struct stream s;

	ASSERT_EQ(0, stream_create_only(&s, &self->c, 0, 0, 0, 0));
	a->id = s.id;
}

static void prepare_stream_doorbell(struct __test_metadata *_metadata,
				    FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_stream_doorbell *a = arg;

	a->id = prepared_stream(_metadata, self);
}

static void prepare_stream_abort(struct __test_metadata *_metadata,
				 FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_stream_abort *a = arg;

	a->id = prepared_stream(_metadata, self);
}

static void prepare_stream_set(struct __test_metadata *_metadata,
			       FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_stream_set *a = arg;

	a->id = prepared_stream(_metadata, self);
}

static void prepare_stream_query(struct __test_metadata *_metadata,
				 FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_stream_query *a = arg;

	a->id = prepared_stream(_metadata, self);
}

static void prepare_timeline_destroy(struct __test_metadata *_metadata,
				     FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_timeline_destroy *a = arg;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &a->id));
}

static void prepare_wait(struct __test_metadata *_metadata,
			 FIXTURE_DATA(abi) * self, void *arg)
{
	static struct vnpu_point point;
	struct vnpu_wait *a = arg;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 1, &point.id));
	point.value = 1;
	a->points = addr(&point);
	a->count = 1;
	a->timeout_ns = NO_TIMEOUT;
}

static void prepare_signal(struct __test_metadata *_metadata,
			   FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_signal *a = arg;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &a->id));
	a->value = 1;
}

static void prepare_timeline_query(struct __test_metadata *_metadata,
				   FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_timeline_query *a = arg;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &a->id));
}

static void prepare_timeline_export(struct __test_metadata *_metadata,
				    FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_timeline_export *a = arg;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &a->id));
}

static void prepare_timeline_import(struct __test_metadata *_metadata,
				    FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_timeline_import *a = arg;
	__u64 id;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	a->fd = timeline_export(&self->c, id, 0);
	ASSERT_LE(0, a->fd);
}

static void prepare_event_free(struct __test_metadata *_metadata,
			       FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_event_alloc take = { .size = sizeof(take) };
	struct vnpu_event_free *a = arg;

	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_EVENT_ALLOC, &take));
	a->number = take.out_number;
}

static void prepare_sync_export(struct __test_metadata *_metadata,
				FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_sync_export *a = arg;

	a->id = prepared_stream(_metadata, self);
}

static void prepare_sync_import(struct __test_metadata *_metadata,
				FIXTURE_DATA(abi) * self, void *arg)
{
	struct vnpu_sync_import *a = arg;

	a->fd = sync_export(&self->c, prepared_stream(_metadata, self), 0);
	ASSERT_LE(0, a->fd);
}

/* clang-format off */
FIXTURE_VARIANT_ADD(abi, context_create)
{
	.name = "VNPU_IOCTL_CONTEXT_CREATE",
	.nr = VNPU_IOCTL_CONTEXT_CREATE,
	.size = sizeof(struct vnpu_context_create),
	.mandatory = END(vnpu_context_create, device),
	.flags = VNPU_CONTEXT_F_URGENT,
	.reserved = { SPAN(vnpu_context_create, __reserved) },
	.out = { SPAN(vnpu_context_create, out_id) },
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(abi, context_destroy)
{
	.name = "VNPU_IOCTL_CONTEXT_DESTROY",
	.nr = VNPU_IOCTL_CONTEXT_DESTROY,
	.size = sizeof(struct vnpu_context_destroy),
	.mandatory = END(vnpu_context_destroy, id),
	.reserved = { SPAN(vnpu_context_destroy, __reserved) },
	.prepare = prepare_context_destroy,
};

FIXTURE_VARIANT_ADD(abi, context_set)
{
	.name = "VNPU_IOCTL_CONTEXT_SET",
	.nr = VNPU_IOCTL_CONTEXT_SET,
	.size = sizeof(struct vnpu_context_set),
	.mandatory = END(vnpu_context_set, id),
	.flags = VNPU_CONTEXT_SET_F_CLEAR_ERROR | VNPU_CONTEXT_SET_F_WEIGHT,
	.prepare = prepare_context_set,
};

FIXTURE_VARIANT_ADD(abi, context_query)
{
	.name = "VNPU_IOCTL_CONTEXT_QUERY",
	.nr = VNPU_IOCTL_CONTEXT_QUERY,
	.size = sizeof(struct vnpu_context_query),
	.mandatory = END(vnpu_context_query, id),
	.out = {
		SPAN(vnpu_context_query, out_device),
		SPAN(vnpu_context_query, out_streams),
		SPAN(vnpu_context_query, out_errors),
		SPAN(vnpu_context_query, out_error),
		SPAN(vnpu_context_query, out_error_op),
		SPAN(vnpu_context_query, out_error_stream),
		SPAN(vnpu_context_query, out_error_seq),
		SPAN(vnpu_context_query, out_error_addr),
		SPAN(vnpu_context_query, out_weight),
		SPAN(vnpu_context_query, out_context_flags),
	},
	.prepare = prepare_context_query,
};

FIXTURE_VARIANT_ADD(abi, stream_create)
{
	.name = "VNPU_IOCTL_STREAM_CREATE",
	.nr = VNPU_IOCTL_STREAM_CREATE,
	.size = sizeof(struct vnpu_stream_create),
	.mandatory = END(vnpu_stream_create, priority),
	.flags = VNPU_STREAM_F_STOP,
	.out = {
		SPAN(vnpu_stream_create, out_number),
		SPAN(vnpu_stream_create, out_id),
		SPAN(vnpu_stream_create, out_mmap_offset),
		SPAN(vnpu_stream_create, out_map_size),
	},
	.prepare = prepare_stream_create,
};

FIXTURE_VARIANT_ADD(abi, stream_destroy)
{
	.name = "VNPU_IOCTL_STREAM_DESTROY",
	.nr = VNPU_IOCTL_STREAM_DESTROY,
	.size = sizeof(struct vnpu_stream_destroy),
	.mandatory = END(vnpu_stream_destroy, id),
	.prepare = prepare_stream_destroy,
};

FIXTURE_VARIANT_ADD(abi, stream_doorbell)
{
	.name = "VNPU_IOCTL_STREAM_DOORBELL",
	.nr = VNPU_IOCTL_STREAM_DOORBELL,
	.size = sizeof(struct vnpu_stream_doorbell),
	.mandatory = END(vnpu_stream_doorbell, id),
	.prepare = prepare_stream_doorbell,
};

FIXTURE_VARIANT_ADD(abi, stream_abort)
{
	.name = "VNPU_IOCTL_STREAM_ABORT",
	.nr = VNPU_IOCTL_STREAM_ABORT,
	.size = sizeof(struct vnpu_stream_abort),
	.mandatory = END(vnpu_stream_abort, id),
	.out = { SPAN(vnpu_stream_abort, out_completed) },
	.prepare = prepare_stream_abort,
};

FIXTURE_VARIANT_ADD(abi, stream_set)
{
	.name = "VNPU_IOCTL_STREAM_SET",
	.nr = VNPU_IOCTL_STREAM_SET,
	.size = sizeof(struct vnpu_stream_set),
	.mandatory = END(vnpu_stream_set, id),
	.flags = VNPU_STREAM_SET_F_PRIORITY | VNPU_STREAM_SET_F_STOP |
		 VNPU_STREAM_SET_F_TIMEOUT,
	.reserved = { SPAN(vnpu_stream_set, __reserved) },
	.prepare = prepare_stream_set,
};

FIXTURE_VARIANT_ADD(abi, stream_query)
{
	.name = "VNPU_IOCTL_STREAM_QUERY",
	.nr = VNPU_IOCTL_STREAM_QUERY,
	.size = sizeof(struct vnpu_stream_query),
	.mandatory = END(vnpu_stream_query, id),
	.out = {
		SPAN(vnpu_stream_query, out_completed),
		SPAN(vnpu_stream_query, out_busy_ns),
		SPAN(vnpu_stream_query, out_errors),
		SPAN(vnpu_stream_query, out_cancelled),
		SPAN(vnpu_stream_query, out_error),
		SPAN(vnpu_stream_query, out_error_op),
		SPAN(vnpu_stream_query, out_error_seq),
		SPAN(vnpu_stream_query, out_error_addr),
		SPAN(vnpu_stream_query, out_state),
		SPAN(vnpu_stream_query, out_device),
	},
	.prepare = prepare_stream_query,
};

FIXTURE_VARIANT_ADD(abi, timeline_create)
{
	.name = "VNPU_IOCTL_TIMELINE_CREATE",
	.nr = VNPU_IOCTL_TIMELINE_CREATE,
	.size = sizeof(struct vnpu_timeline_create),
	.mandatory = END(vnpu_timeline_create, flags),
	.flags = VNPU_TIMELINE_F_COUNTER,
	.out = {
		SPAN(vnpu_timeline_create, out_number),
		SPAN(vnpu_timeline_create, out_id),
	},
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(abi, timeline_destroy)
{
	.name = "VNPU_IOCTL_TIMELINE_DESTROY",
	.nr = VNPU_IOCTL_TIMELINE_DESTROY,
	.size = sizeof(struct vnpu_timeline_destroy),
	.mandatory = END(vnpu_timeline_destroy, id),
	.prepare = prepare_timeline_destroy,
};

FIXTURE_VARIANT_ADD(abi, wait)
{
	.name = "VNPU_IOCTL_WAIT",
	.nr = VNPU_IOCTL_WAIT,
	.size = sizeof(struct vnpu_wait),
	.mandatory = END(vnpu_wait, timeout_ns),
	.flags = VNPU_WAIT_F_ALL,
	.reserved = { SPAN(vnpu_wait, __reserved) },
	.out = { SPAN(vnpu_wait, out_index) },
	.prepare = prepare_wait,
};

FIXTURE_VARIANT_ADD(abi, signal)
{
	.name = "VNPU_IOCTL_SIGNAL",
	.nr = VNPU_IOCTL_SIGNAL,
	.size = sizeof(struct vnpu_signal),
	.mandatory = END(vnpu_signal, value),
	.reserved = { SPAN(vnpu_signal, __reserved) },
	.prepare = prepare_signal,
};

FIXTURE_VARIANT_ADD(abi, timeline_query)
{
	.name = "VNPU_IOCTL_TIMELINE_QUERY",
	.nr = VNPU_IOCTL_TIMELINE_QUERY,
	.size = sizeof(struct vnpu_timeline_query),
	.mandatory = END(vnpu_timeline_query, id),
	.out = { SPAN(vnpu_timeline_query, out_value) },
	.prepare = prepare_timeline_query,
};

FIXTURE_VARIANT_ADD(abi, timeline_export)
{
	.name = "VNPU_IOCTL_TIMELINE_EXPORT",
	.nr = VNPU_IOCTL_TIMELINE_EXPORT,
	.size = sizeof(struct vnpu_timeline_export),
	.mandatory = END(vnpu_timeline_export, id),
	.flags = VNPU_TIMELINE_EXPORT_F_WAIT_ONLY,
	.reserved = { SPAN(vnpu_timeline_export, __reserved) },
	.out = { SPAN(vnpu_timeline_export, out_fd) },
	.prepare = prepare_timeline_export,
};

FIXTURE_VARIANT_ADD(abi, timeline_import)
{
	.name = "VNPU_IOCTL_TIMELINE_IMPORT",
	.nr = VNPU_IOCTL_TIMELINE_IMPORT,
	.size = sizeof(struct vnpu_timeline_import),
	.mandatory = END(vnpu_timeline_import, fd),
	.out = {
		SPAN(vnpu_timeline_import, out_kind),
		SPAN(vnpu_timeline_import, out_id),
	},
	.prepare = prepare_timeline_import,
};

FIXTURE_VARIANT_ADD(abi, event_alloc)
{
	.name = "VNPU_IOCTL_EVENT_ALLOC",
	.nr = VNPU_IOCTL_EVENT_ALLOC,
	.size = sizeof(struct vnpu_event_alloc),
	.mandatory = END(vnpu_event_alloc, device),
	.reserved = { SPAN(vnpu_event_alloc, __reserved) },
	.out = {
		SPAN(vnpu_event_alloc, out_number),
		SPAN(vnpu_event_alloc, out_available),
	},
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(abi, event_free)
{
	.name = "VNPU_IOCTL_EVENT_FREE",
	.nr = VNPU_IOCTL_EVENT_FREE,
	.size = sizeof(struct vnpu_event_free),
	.mandatory = END(vnpu_event_free, number),
	.prepare = prepare_event_free,
};

FIXTURE_VARIANT_ADD(abi, limits_query)
{
	.name = "VNPU_IOCTL_LIMITS_QUERY",
	.nr = VNPU_IOCTL_LIMITS_QUERY,
	.size = sizeof(struct vnpu_limits_query),
	.mandatory = END(vnpu_limits_query, device),
	.out = {
		SPAN(vnpu_limits_query, out_streams),
		SPAN(vnpu_limits_query, out_events),
		SPAN(vnpu_limits_query, out_counters),
		SPAN(vnpu_limits_query, out_scope),
		SPAN(vnpu_limits_query, out_id),
		SPAN(vnpu_limits_query, out_limit),
		SPAN(vnpu_limits_query, out_used),
	},
	.prepare = prepare_nothing,
};

FIXTURE_VARIANT_ADD(abi, sync_export)
{
	.name = "VNPU_IOCTL_SYNC_EXPORT",
	.nr = VNPU_IOCTL_SYNC_EXPORT,
	.size = sizeof(struct vnpu_sync_export),
	.mandatory = END(vnpu_sync_export, value),
	.reserved = { SPAN(vnpu_sync_export, __reserved) },
	.out = { SPAN(vnpu_sync_export, out_fd) },
	.prepare = prepare_sync_export,
};

FIXTURE_VARIANT_ADD(abi, sync_import)
{
	.name = "VNPU_IOCTL_SYNC_IMPORT",
	.nr = VNPU_IOCTL_SYNC_IMPORT,
	.size = sizeof(struct vnpu_sync_import),
	.mandatory = END(vnpu_sync_import, fd),
	.reserved = { SPAN(vnpu_sync_import, __reserved) },
	.out = { SPAN(vnpu_sync_import, out_id) },
	.prepare = prepare_sync_import,
};
/* clang-format on */

#endif
