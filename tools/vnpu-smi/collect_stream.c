// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-smi: collect the streams, the engines and their load.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer.h"
#include "collect.h"

/* Time between two samples of the busy time of engines. */
#define USAGE_NS	100000000

static const struct nla_policy stream_policy[VNPU_A_STREAM_MAX + 1] = {
	[VNPU_A_STREAM_CLIENT_ID] = { .type = NLA_U64 },
	[VNPU_A_STREAM_PID] = { .type = NLA_U32 },
	[VNPU_A_STREAM_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_STREAM_ID] = { .type = NLA_U64 },
	[VNPU_A_STREAM_NUMBER] = { .type = NLA_U32 },
	[VNPU_A_STREAM_PRIORITY] = { .type = NLA_U32 },
	[VNPU_A_STREAM_STATE] = { .type = NLA_U32 },
	[VNPU_A_STREAM_CLASS] = { .type = NLA_U32 },
	[VNPU_A_STREAM_SUBMITTED] = { .type = NLA_U64 },
	[VNPU_A_STREAM_COMPLETED] = { .type = NLA_U64 },
	[VNPU_A_STREAM_TASK_SEQ] = { .type = NLA_U64 },
	[VNPU_A_STREAM_TASK_OP] = { .type = NLA_U32 },
	[VNPU_A_STREAM_TASK_TIME] = { .type = NLA_U64 },
	[VNPU_A_STREAM_ERRORS] = { .type = NLA_U32 },
	[VNPU_A_STREAM_CANCELLED] = { .type = NLA_U32 },
	[VNPU_A_STREAM_ERROR] = { .type = NLA_U32 },
	[VNPU_A_STREAM_ERROR_OP] = { .type = NLA_U32 },
	[VNPU_A_STREAM_ERROR_SEQ] = { .type = NLA_U64 },
	[VNPU_A_STREAM_BUSY] = { .type = NLA_U64 },
};

static void take_task(struct stream *s, struct nlattr **tb)
{
	if (HAS_ALL(tb, VNPU_A_STREAM_TASK_SEQ, VNPU_A_STREAM_TASK_OP,
		    VNPU_A_STREAM_TASK_TIME)) {
		s->task_seq = nla_get_u64(tb[VNPU_A_STREAM_TASK_SEQ]);
		s->task_op = nla_get_u32(tb[VNPU_A_STREAM_TASK_OP]);
		s->task_ns = nla_get_u64(tb[VNPU_A_STREAM_TASK_TIME]);
	}
	if (HAS_ALL(tb, VNPU_A_STREAM_ERROR, VNPU_A_STREAM_ERROR_OP,
		    VNPU_A_STREAM_ERROR_SEQ)) {
		s->error = nla_get_u32(tb[VNPU_A_STREAM_ERROR]);
		s->error_op = nla_get_u32(tb[VNPU_A_STREAM_ERROR_OP]);
		s->error_seq = nla_get_u64(tb[VNPU_A_STREAM_ERROR_SEQ]);
	}
}

static enum smi_exit take_stream(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_STREAM_MAX + 1];
	struct state *state = arg;
	struct stream *s;
	struct device *d;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_STREAM_MAX, stream_policy) ||
	    !HAS_ALL(tb, VNPU_A_STREAM_CLIENT_ID, VNPU_A_STREAM_PID,
		     VNPU_A_STREAM_DEV_ID, VNPU_A_STREAM_ID,
		     VNPU_A_STREAM_NUMBER, VNPU_A_STREAM_PRIORITY,
		     VNPU_A_STREAM_STATE, VNPU_A_STREAM_CLASS,
		     VNPU_A_STREAM_SUBMITTED, VNPU_A_STREAM_COMPLETED,
		     VNPU_A_STREAM_ERRORS, VNPU_A_STREAM_CANCELLED,
		     VNPU_A_STREAM_BUSY))
		return fail_answer("a stream");
	d = state_find_device(state, nla_get_u32(tb[VNPU_A_STREAM_DEV_ID]));
	if (!d)
		return SMI_OK;
	s = device_add_stream(d);
	if (!s)
		return fail_memory();
	*s = (struct stream){
		.client = nla_get_u64(tb[VNPU_A_STREAM_CLIENT_ID]),
		.pid = nla_get_u32(tb[VNPU_A_STREAM_PID]),
		.id = nla_get_u64(tb[VNPU_A_STREAM_ID]),
		.number = nla_get_u32(tb[VNPU_A_STREAM_NUMBER]),
		.priority = nla_get_u32(tb[VNPU_A_STREAM_PRIORITY]),
		.state = nla_get_u32(tb[VNPU_A_STREAM_STATE]),
		.class = nla_get_u32(tb[VNPU_A_STREAM_CLASS]),
		.is_stopped = tb[VNPU_A_STREAM_STOPPED],
		.is_broken = tb[VNPU_A_STREAM_BROKEN],
		.submitted = nla_get_u64(tb[VNPU_A_STREAM_SUBMITTED]),
		.completed = nla_get_u64(tb[VNPU_A_STREAM_COMPLETED]),
		.errors = nla_get_u32(tb[VNPU_A_STREAM_ERRORS]),
		.cancelled = nla_get_u32(tb[VNPU_A_STREAM_CANCELLED]),
		.busy_ns = nla_get_u64(tb[VNPU_A_STREAM_BUSY]),
	};
	take_task(s, tb);
	return SMI_OK;
}

static void forget_streams(void *arg)
{
	struct state *state = arg;
	size_t i;

	for (i = 0; i < state->devices.count; i++)
		state->devices.items[i].stream_count = 0;
}

enum smi_exit collect_streams(struct session *s, struct state *state)
{
	const struct dump streams = {
		.command = VNPU_CMD_STREAM_GET,
		.record = take_stream,
		.restart = forget_streams,
		.arg = state,
	};

	return session_dump(s, &streams);
}

static const struct nla_policy engine_policy[VNPU_A_ENGINE_MAX + 1] = {
	[VNPU_A_ENGINE_DEV_ID] = { .type = NLA_U32 },
	[VNPU_A_ENGINE_CLASS] = { .type = NLA_U32 },
	[VNPU_A_ENGINE_INDEX] = { .type = NLA_U32 },
	[VNPU_A_ENGINE_STATE] = { .type = NLA_U32 },
	[VNPU_A_ENGINE_BUSY] = { .type = NLA_U64 },
	[VNPU_A_ENGINE_TASKS] = { .type = NLA_U64 },
	[VNPU_A_ENGINE_CLIENT_ID] = { .type = NLA_U64 },
	[VNPU_A_ENGINE_STREAM_NUMBER] = { .type = NLA_U32 },
	[VNPU_A_ENGINE_FAILURES] = { .type = NLA_U64 },
	[VNPU_A_ENGINE_LAUNCHES] = { .type = NLA_U32 },
	[VNPU_A_ENGINE_WAITING] = { .type = NLA_U32 },
};

/* Take what only some engines have. */
static void take_present(struct engine *e, struct nlattr **tb)
{
	if (tb[VNPU_A_ENGINE_CLIENT_ID])
		e->client = nla_get_u64(tb[VNPU_A_ENGINE_CLIENT_ID]);
	e->has_stream = tb[VNPU_A_ENGINE_STREAM_NUMBER];
	if (e->has_stream)
		e->stream = nla_get_u32(tb[VNPU_A_ENGINE_STREAM_NUMBER]);
	e->is_core = HAS_ALL(tb, VNPU_A_ENGINE_FAILURES, VNPU_A_ENGINE_LAUNCHES,
			     VNPU_A_ENGINE_WAITING);
	if (e->is_core) {
		e->failures = nla_get_u64(tb[VNPU_A_ENGINE_FAILURES]);
		e->launches = nla_get_u32(tb[VNPU_A_ENGINE_LAUNCHES]);
		e->waiting = nla_get_u32(tb[VNPU_A_ENGINE_WAITING]);
	}
}

static enum smi_exit take_engine(struct nlmsghdr *msg, void *arg)
{
	struct nlattr *tb[VNPU_A_ENGINE_MAX + 1];
	struct state *state = arg;
	struct device *d;
	struct engine *e;

	if (genlmsg_parse(msg, 0, tb, VNPU_A_ENGINE_MAX, engine_policy) ||
	    !HAS_ALL(tb, VNPU_A_ENGINE_DEV_ID, VNPU_A_ENGINE_CLASS,
		     VNPU_A_ENGINE_INDEX, VNPU_A_ENGINE_STATE,
		     VNPU_A_ENGINE_BUSY, VNPU_A_ENGINE_TASKS))
		return fail_answer("an engine");
	d = state_find_device(state, nla_get_u32(tb[VNPU_A_ENGINE_DEV_ID]));
	if (!d)
		return SMI_OK;
	e = device_add_engine(d);
	if (!e)
		return fail_memory();
	*e = (struct engine){
		.class = nla_get_u32(tb[VNPU_A_ENGINE_CLASS]),
		.index = nla_get_u32(tb[VNPU_A_ENGINE_INDEX]),
		.state = nla_get_u32(tb[VNPU_A_ENGINE_STATE]),
		.busy_ns = nla_get_u64(tb[VNPU_A_ENGINE_BUSY]),
		.tasks = nla_get_u64(tb[VNPU_A_ENGINE_TASKS]),
	};
	take_present(e, tb);
	return SMI_OK;
}

static void forget_engines(void *arg)
{
	struct state *state = arg;
	size_t i;

	for (i = 0; i < state->devices.count; i++)
		state->devices.items[i].engine_count = 0;
}

enum smi_exit collect_engines(struct session *s, struct state *state)
{
	const struct dump engines = {
		.command = VNPU_CMD_ENGINE_GET,
		.record = take_engine,
		.restart = forget_engines,
		.arg = state,
	};

	return session_dump(s, &engines);
}

/* Set the load of engines from two samples of a device. */
static void set_percent(struct device *d, const struct device *before)
{
	uint64_t ns = d->time_ns - before->time_ns;
	int i;

	for (i = 0; i < ENGINE_CLASSES; i++) {
		struct engine_class *c = &d->engines[i];
		uint64_t busy = c->busy_ns - before->engines[i].busy_ns;
		uint32_t count = c->count;

		/* All AI cores of a device are busy together, or none is. */
		if (i == VNPU_ENGINE_CLASS_AICORE)
			count = 1;
		if (!count || !ns)
			continue;
		/*
		 * The samples are taken slightly later than the clock is read.
		 */
		c->percent = busy >= ns * count ? 100 :
			     (unsigned int)(busy * 100 / (ns * count));
	}
}

static bool has_engines(const struct device_list *devices)
{
	size_t i;
	int class;

	for (i = 0; i < devices->count; i++)
		for (class = 0; class < ENGINE_CLASSES; class++)
			if (devices->items[i].engines[class].count)
				return true;
	return false;
}

void state_set_usage(struct state *state, struct state *before)
{
	size_t i;

	for (i = 0; i < state->devices.count; i++) {
		struct device *d = &state->devices.items[i];
		const struct device *old = state_find_device(before, d->id);

		if (old)
			set_percent(d, old);
	}
}

enum smi_exit collect_usage(struct session *s, const struct dump *devices,
			    struct state *state)
{
	const struct timespec moment = { .tv_nsec = USAGE_NS };
	struct state before = { 0 };
	enum smi_exit status;

	if (!has_engines(&state->devices))
		return SMI_OK;
	/* The second sample fills a new list. */
	before.devices = state->devices;
	state->devices = (struct device_list){ 0 };
	nanosleep(&moment, NULL);
	status = session_dump(s, devices);
	state_set_usage(state, &before);
	state_fini(&before);
	return status;
}
