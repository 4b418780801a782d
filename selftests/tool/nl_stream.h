/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of streams and engines by netlink: a client with a
 * stream, and the reports of it and of the engines of device 0.
 */
#ifndef SELFTESTS_TOOL_NL_STREAM_H
#define SELFTESTS_TOOL_NL_STREAM_H

#include "kselftest_harness.h"

#include "nl.h"
#include "stream.h"
#include "util.h"

FIXTURE(streams) {
	int fd;
	int family;
	struct client c;
	struct stream s;
	__u64 va;
};

FIXTURE_SETUP(streams)
{
	client_allow_many();
	self->fd = nl_open_family(&self->family);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, client_open(&self->c));
	self->va = self->c.base;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(16), self->va));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(streams)
{
	stream_destroy(&self->s);
	client_close(&self->c);
	close(self->fd);
}

/* Get the record of one stream of this process. */
struct stream_reply {
	uint64_t id;		/* its number */
	uint64_t client;
	uint32_t number, priority, state, class, op, errors, cancelled, error;
	uint32_t error_op, device;
	uint64_t submitted, completed, seq, time, error_seq, busy;
	bool stopped, broken, has_error, found;
};

static inline int take_stream(const struct nlmsghdr *head, void *arg)
{
	struct stream_reply *t = arg;
	uint16_t size;

	if (nl_u32(head, VNPU_A_STREAM_PID) != (uint32_t)getpid() ||
	    nl_u64(head, VNPU_A_STREAM_ID) != t->id)
		return 0;
	*t = (struct stream_reply){
		.id = t->id,
		.client = nl_u64(head, VNPU_A_STREAM_CLIENT_ID),
		.number = nl_u32(head, VNPU_A_STREAM_NUMBER),
		.device = nl_u32(head, VNPU_A_STREAM_DEV_ID),
		.priority = nl_u32(head, VNPU_A_STREAM_PRIORITY),
		.state = nl_u32(head, VNPU_A_STREAM_STATE),
		.class = nl_u32(head, VNPU_A_STREAM_CLASS),
		.op = nl_u32(head, VNPU_A_STREAM_TASK_OP),
		.seq = nl_u64(head, VNPU_A_STREAM_TASK_SEQ),
		.time = nl_u64(head, VNPU_A_STREAM_TASK_TIME),
		.submitted = nl_u64(head, VNPU_A_STREAM_SUBMITTED),
		.completed = nl_u64(head, VNPU_A_STREAM_COMPLETED),
		.errors = nl_u32(head, VNPU_A_STREAM_ERRORS),
		.cancelled = nl_u32(head, VNPU_A_STREAM_CANCELLED),
		.error = nl_u32(head, VNPU_A_STREAM_ERROR),
		.error_op = nl_u32(head, VNPU_A_STREAM_ERROR_OP),
		.error_seq = nl_u64(head, VNPU_A_STREAM_ERROR_SEQ),
		.busy = nl_u64(head, VNPU_A_STREAM_BUSY),
		.stopped = nl_attr(head, VNPU_A_STREAM_STOPPED, &size),
		.broken = nl_attr(head, VNPU_A_STREAM_BROKEN, &size),
		.has_error = nl_attr(head, VNPU_A_STREAM_ERROR, &size),
		.found = true,
	};
	return 0;
}

static inline int ask(FIXTURE_DATA(streams) * self, const struct stream *s,
	       struct stream_reply *t)
{
	int ret;

	*t = (struct stream_reply){ .id = s->id };
	ret = nl_dump(self->fd, self->family, VNPU_CMD_STREAM_GET, take_stream,
		      t);
	if (ret >= 0 && !t->found)
		ret = -ENOENT;
	return ret < 0 ? ret : 0;
}

/* Wait for this state; -ETIMEDOUT after a while. */
static inline int ask_until(FIXTURE_DATA(streams) * self, const struct stream *s,
		     uint32_t state, struct stream_reply *t)
{
	uint64_t end = now_ms() + 10000;
	int ret;

	do {
		ret = ask(self, s, t);
		if (ret || t->state == state)
			return ret;
		usleep(200);
	} while (now_ms() < end);
	return -ETIMEDOUT;
}

struct engines {
	uint32_t count[2];
	uint64_t busy[2];
	uint64_t tasks[2];
	uint32_t running[2];
	uint32_t asleep;
	uint64_t client;	/* stream that an engine runs, and its number */
	uint32_t number;
	uint64_t time;
};

static inline int take_engine(const struct nlmsghdr *head, void *arg)
{
	uint32_t class = nl_u32(head, VNPU_A_ENGINE_CLASS);
	uint32_t state = nl_u32(head, VNPU_A_ENGINE_STATE);
	struct engines *e = arg;

	if (nl_u32(head, VNPU_A_ENGINE_DEV_ID))
		return 0;
	if (class > 1 || nl_u32(head, VNPU_A_ENGINE_INDEX) != e->count[class])
		return -EBADMSG;
	e->count[class]++;
	e->busy[class] += nl_u64(head, VNPU_A_ENGINE_BUSY);
	e->tasks[class] += nl_u64(head, VNPU_A_ENGINE_TASKS);
	e->time = nl_u64(head, VNPU_A_ENGINE_TIME);
	e->asleep += state == VNPU_ENGINE_STATE_ASLEEP;
	if (state != VNPU_ENGINE_STATE_RUNNING)
		return nl_u64(head, VNPU_A_ENGINE_CLIENT_ID) == UINT64_MAX ?
		       0 : -EBADMSG;
	e->running[class]++;
	e->client = nl_u64(head, VNPU_A_ENGINE_CLIENT_ID);
	e->number = nl_u32(head, VNPU_A_ENGINE_STREAM_NUMBER);
	return 0;
}

static inline int ask_engines(FIXTURE_DATA(streams) * self, struct engines *e)
{
	memset(e, 0, sizeof(*e));
	return nl_dump(self->fd, self->family, VNPU_CMD_ENGINE_GET, take_engine,
		       e);
}

#endif
