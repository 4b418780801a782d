/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: streams, timelines, counters and sync_files. */
#ifndef SELFTESTS_VNPU_FAIL_NTH_STREAM_H
#define SELFTESTS_VNPU_FAIL_NTH_STREAM_H

#include "fail_nth_memory.h"

static int have_stream(data_t *self)
{
	return stream_create_only(&self->stream, &self->c, 0, 0, 0, 0);
}

/* Create a stream with a completed task. */
static int have_ring(data_t *self)
{
	return stream_create(&self->stream, &self->c, 0) ?:
	       stream_do(&self->stream, (struct vnpu_task){ });
}

static int have_timeline(data_t *self)
{
	return timeline_create(&self->c, 0, 0, 1, &self->timeline);
}

static int have_timeline_file(data_t *self)
{
	int ret = have_timeline(self);

	self->file = ret ?: timeline_export(&self->c, self->timeline, 0);
	return self->file < 0 ? self->file : 0;
}

static int have_sync_file(data_t *self)
{
	int ret = have_ring(self);

	self->file = ret ?: sync_export(&self->c, self->stream.id, 1);
	return self->file < 0 ? self->file : 0;
}

static int have_event(data_t *self)
{
	struct vnpu_event_alloc t = { .size = sizeof(t) };
	int ret = call(self->c.fd, VNPU_IOCTL_EVENT_ALLOC, &t);

	self->has_event = !ret;
	self->event = t.out_number;
	return ret;
}

static int event_free(data_t *self)
{
	struct vnpu_event_free g = { .size = sizeof(g), .number = self->event };
	int ret = call(self->c.fd, VNPU_IOCTL_EVENT_FREE, &g);

	self->has_event = ret;
	return ret;
}

static int have_context(data_t *self)
{
	return context_create(&self->c, 0, &self->context);
}

static int context_give(data_t *self)
{
	int ret = context_destroy(&self->c, self->context);

	if (!ret)
		self->context = 0;
	return ret;
}

/* Free all objects of the functions above and of the calls below. */
static void no_streams(data_t *self, int ret)
{
	if (self->has_event)
		event_free(self);
	if (self->context)
		context_give(self);
	if (self->stream.id)
		stream_destroy(&self->stream);
	if (self->timeline)
		timeline_destroy(&self->c, self->timeline);
	memset(&self->stream, 0, sizeof(self->stream));
	self->timeline = 0;
	have_nothing(self, ret);
}

#define SWEEP_STREAM(_name, _before, ...) \
	SWEEP(_name, _before, no_streams, true, __VA_ARGS__)

SWEEP_STREAM(context_create, NULL, {
	return have_context(self);
})

SWEEP_STREAM(context_destroy, have_context, {
	return context_give(self);
})

SWEEP_STREAM(context_set, have_context, {
	return context_clear(&self->c, self->context);
})

SWEEP_STREAM(context_query, have_context, {
	struct vnpu_context_query q;

	return context_query(&self->c, self->context, &q);
})

SWEEP_STREAM(stream_in_a_context, have_context, {
	return stream_create_only(&self->stream, &self->c, 0, 0, self->context,
				  0);
})

SWEEP_STREAM(stream_create, NULL, {
	return have_stream(self);
})

SWEEP_STREAM(stream_destroy, have_stream, {
	return stream_destroy(&self->stream);
})

SWEEP_STREAM(stream_map, have_stream, {
	return stream_map(&self->stream);
})

SWEEP_STREAM(stream_doorbell, have_ring, {
	return stream_doorbell(&self->stream);
})

SWEEP_STREAM(stream_query, have_ring, {
	struct vnpu_stream_query q;

	return stream_query(&self->stream, &q);
})

SWEEP_STREAM(stream_set, have_ring, {
	return stream_set(&self->stream, VNPU_STREAM_SET_F_PRIORITY, 1, 0, 0);
})

SWEEP_STREAM(stream_abort, have_ring, {
	return stream_abort(&self->stream, NULL);
})

SWEEP_STREAM(timeline_create, NULL, {
	return have_timeline(self);
})

SWEEP_STREAM(counter_create, NULL, {
	return timeline_create(c, VNPU_TIMELINE_F_COUNTER, 0, 0,
			       &self->timeline);
})

SWEEP_STREAM(timeline_destroy, have_timeline, {
	return timeline_destroy(c, self->timeline);
})

SWEEP_STREAM(timeline_query, have_timeline, {
	__u64 value;

	return timeline_value(c, self->timeline, &value);
})

SWEEP_STREAM(timeline_export, have_timeline, {
	int fd = timeline_export(c, self->timeline, 0);

	if (fd < 0)
		return fd;
	self->file = fd;
	return 0;
})

SWEEP_STREAM(timeline_import, have_timeline_file, {
	__u32 kind;
	__u64 id;

	return timeline_import(c, self->file, &id, &kind) ?:
	       timeline_destroy(c, id);
})

SWEEP_STREAM(signal, have_timeline, {
	return timeline_signal(c, self->timeline, 2, 0);
})

/* More points than the driver has room for without an allocation; each is copied. */
SWEEP_STREAM(wait_for_many, have_timeline, {
	struct vnpu_point points[8];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		points[i] = (struct vnpu_point){ self->timeline, 1 };
	return wait_points(c, points, ARRAY_SIZE(points), VNPU_WAIT_F_ALL, 0,
			   NULL);
})

SWEEP_STREAM(event_alloc, NULL, {
	return have_event(self);
})

SWEEP_STREAM(event_free, have_event, {
	return event_free(self);
})

SWEEP_STREAM(limits_query, NULL, {
	struct vnpu_limits_query q = { .size = sizeof(q) };

	return call(c->fd, VNPU_IOCTL_LIMITS_QUERY, &q);
})

/* Submitted while no engine looks, and without a doorbell. */
static int have_pending(data_t *self)
{
	int ret = have_ring(self);

	usleep(20000);
	stream_put(&self->stream, (struct vnpu_task){ });
	__atomic_store_n(&self->stream.ring->tail, 2, __ATOMIC_RELEASE);
	return ret;
}

SWEEP_STREAM(sync_export, have_pending, {
	int fd = sync_export(c, self->stream.id, 2);

	if (fd < 0)
		return fd;
	self->file = fd;
	return 0;
})

SWEEP_STREAM(sync_import, have_sync_file, {
	__u64 id;

	return sync_import(c, self->file, &id) ?: timeline_destroy(c, id);
})

#endif
