/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of streams, tasks, engines, timelines and waits. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vnpu

#if !defined(VNPU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define VNPU_TRACE_H

#include <linux/tracepoint.h>

#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

#include "base/client.h"
#include "base/device.h"
#include "exec/engine.h"
#include "account/quota_report.h"
#include "exec/ring.h"
#include "exec/stream.h"
#include "sync/wait.h"

#define VNPU_SHOW_OP(op, name)	{ VNPU_TASK_##op, name }
#define vnpu_show_op(op)						\
	__print_symbolic(op, VNPU_TASK_NAMES(VNPU_SHOW_OP))

#define vnpu_show_class(class)					\
	__print_symbolic(class,					\
		{ VNPU_ENGINE_COPY,	"copy" },		\
		{ VNPU_ENGINE_VECTOR,	"vector" })

TRACE_EVENT(vnpu_oom,
	TP_PROTO(const struct vnpu_oom *oom),
	TP_ARGS(oom),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, length)
		__field(u64, free)
		__field(u64, largest)
		__field(u32, device)
		__field(u32, page_shift)
		__field(bool, contiguous)
		__field(bool, compaction_helps)
	),
	TP_fast_assign(
		__entry->client = oom->client;
		__entry->length = oom->length;
		__entry->free = (u64)oom->stats.free << VNPU_PAGE_SHIFT;
		__entry->largest = (u64)oom->stats.largest << VNPU_PAGE_SHIFT;
		__entry->device = oom->device;
		__entry->page_shift = oom->page_shift;
		__entry->contiguous = oom->flags & VNPU_MEM_F_CONTIGUOUS;
		__entry->compaction_helps = oom->compaction_helps;
	),
	TP_printk("device=%u client=%llu length=%llu page_shift=%u contiguous=%d free=%llu largest=%llu compaction_helps=%d",
		  __entry->device, __entry->client, __entry->length,
		  __entry->page_shift, __entry->contiguous, __entry->free,
		  __entry->largest, __entry->compaction_helps)
);

TRACE_EVENT(vnpu_quota,
	TP_PROTO(const struct vnpu_oom *oom),
	TP_ARGS(oom),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, length)
		__field(u64, id)
		__field(u64, limit)
		__field(u64, used)
		__field(u32, device)
		__field(u32, resource)
		__field(u32, scope)
	),
	TP_fast_assign(
		__entry->client = oom->client;
		__entry->length = oom->length;
		__entry->id = oom->quota.key.id;
		__entry->limit = oom->quota.limit;
		__entry->used = oom->quota.used;
		__entry->device = oom->device;
		__entry->resource = oom->quota.key.resource;
		__entry->scope = oom->quota.key.scope;
	),
	TP_printk("device=%u client=%llu resource=%u length=%llu scope=%u id=%llu limit=%llu used=%llu",
		  __entry->device, __entry->client, __entry->resource,
		  __entry->length, __entry->scope, __entry->id, __entry->limit,
		  __entry->used)
);

/*
 * A stream has copied a task from its ring. The fields are not validated yet. A
 * task that waits has this event when the wait begins. If it waits for a
 * timeline or counter, the event contains its id and the value.
 */
TRACE_EVENT(vnpu_task_start,
	TP_PROTO(const struct vnpu_stream *stream),
	TP_ARGS(stream),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, stream)
		__field(u64, seq)
		__field(u64, length)
		__field(u64, timeline)
		__field(u64, value)
		__field(u32, device)
		__field(u32, number)
		__field(u8, op)
	),
	TP_fast_assign(
		const struct vnpu_task *task = &stream->run.task;
		bool waits = task->op == VNPU_TASK_WAIT ||
			     task->op == VNPU_TASK_COUNTER_WAIT;

		__entry->client = stream->client->id;
		__entry->stream = stream->id;
		__entry->seq = stream->run.seq;
		__entry->length = task->length;
		__entry->timeline = waits ? task->src : 0;
		__entry->value = waits ? task->arg0 : 0;
		__entry->device = stream->dev->index;
		__entry->number = stream->number;
		__entry->op = task->op;
	),
	TP_printk("device=%u client=%llu stream=%llu number=%u seq=%llu op=%s length=%llu timeline=%llu value=%llu",
		  __entry->device, __entry->client, __entry->stream,
		  __entry->number, __entry->seq, vnpu_show_op(__entry->op),
		  __entry->length, __entry->timeline, __entry->value)
);

/*
 * A task is complete. The duration is in ns; it may be 0 if the event was
 * disabled when the task started.
 */
TRACE_EVENT(vnpu_task_finish,
	TP_PROTO(const struct vnpu_stream *stream, int result),
	TP_ARGS(stream, result),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, stream)
		__field(u64, seq)
		__field(u64, length)
		__field(u64, ns)
		__field(u32, device)
		__field(u32, number)
		__field(int, result)
		__field(u8, op)
	),
	TP_fast_assign(
		__entry->client = stream->client->id;
		__entry->stream = stream->id;
		__entry->seq = stream->run.seq;
		__entry->length = stream->run.task.length;
		__entry->ns = stream->run.since ?
			      ktime_get_ns() - stream->run.since : 0;
		__entry->device = stream->dev->index;
		__entry->number = stream->number;
		__entry->result = result;
		__entry->op = stream->run.task.op;
	),
	TP_printk("device=%u client=%llu stream=%llu number=%u seq=%llu op=%s length=%llu result=%d ns=%llu",
		  __entry->device, __entry->client, __entry->stream,
		  __entry->number, __entry->seq, vnpu_show_op(__entry->op),
		  __entry->length, __entry->result, __entry->ns)
);

/* An engine has run a stream for a duration in ns. */
TRACE_EVENT(vnpu_engine_turn,
	TP_PROTO(const struct vnpu_engine *engine,
		 const struct vnpu_stream *stream, u64 ns),
	TP_ARGS(engine, stream, ns),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, stream)
		__field(u64, ns)
		__field(u32, device)
		__field(u32, class)
		__field(u32, index)
		__field(u32, number)
	),
	TP_fast_assign(
		__entry->client = stream->client->id;
		__entry->stream = stream->id;
		__entry->ns = ns;
		__entry->device = stream->dev->index;
		__entry->class = engine->class;
		__entry->index = engine->index;
		__entry->number = stream->number;
	),
	TP_printk("device=%u class=%s engine=%u client=%llu stream=%llu number=%u ns=%llu",
		  __entry->device, vnpu_show_class(__entry->class),
		  __entry->index, __entry->client, __entry->stream,
		  __entry->number, __entry->ns)
);

#define vnpu_show_launch(what)				\
	__print_symbolic(what,				\
		{ VNPU_TRACE_GIVE,	"give" },	\
		{ VNPU_TRACE_STOP,	"stop" },	\
		{ VNPU_TRACE_END,	"end" })

/*
 * A launch is given to a core, is to be stopped, or has ended. The result is
 * that of the core. A launch that is abandoned has no end.
 */
TRACE_EVENT(vnpu_launch,
	TP_PROTO(const struct vnpu_core *core,
		 const struct vnpu_core_slot *slot, u32 what, int result),
	TP_ARGS(core, slot, what, result),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, stream)
		__field(u64, seq)
		__field(u64, id)
		__field(u64, function)
		__field(u32, device)
		__field(u32, what)
		__field(int, result)
	),
	TP_fast_assign(
		__entry->client = core->client->id;
		__entry->stream = slot->event.stream;
		__entry->seq = slot->event.seq;
		__entry->id = slot->id;
		__entry->function = slot->event.function;
		__entry->device = core->dev->index;
		__entry->what = what;
		__entry->result = result;
	),
	TP_printk("device=%u client=%llu stream=%llu seq=%llu id=%llu function=%llu what=%s result=%d",
		  __entry->device, __entry->client, __entry->stream,
		  __entry->seq, __entry->id, __entry->function,
		  vnpu_show_launch(__entry->what), __entry->result)
);

/* A process attaches to a core. */
TRACE_EVENT(vnpu_core_attach,
	TP_PROTO(const struct vnpu_core *core),
	TP_ARGS(core),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u32, device)
		__field(u32, index)
		__field(u32, slots)
	),
	TP_fast_assign(
		__entry->client = core->client->id;
		__entry->device = core->dev->index;
		__entry->index = core->index;
		__entry->slots = core->nr_slots;
	),
	TP_printk("device=%u client=%llu index=%u slots=%u", __entry->device,
		  __entry->client, __entry->index, __entry->slots)
);

/* Let tools know the values. */
TRACE_DEFINE_ENUM(VNPU_CORE_DIED);
TRACE_DEFINE_ENUM(VNPU_CORE_STUCK);
TRACE_DEFINE_ENUM(VNPU_CORE_RESET);
TRACE_DEFINE_ENUM(VNPU_CORE_GONE);
TRACE_DEFINE_ENUM(VNPU_CORE_CLIENT);

#define vnpu_show_cause(cause)				\
	__print_symbolic(cause,				\
		{ VNPU_CORE_DIED,	"died" },	\
		{ VNPU_CORE_STUCK,	"stuck" },	\
		{ VNPU_CORE_RESET,	"reset" },	\
		{ VNPU_CORE_GONE,	"gone" },	\
		{ VNPU_CORE_CLIENT,	"client" })

/* A core ends. It had @launches launches, which fail. */
TRACE_EVENT(vnpu_core_end,
	TP_PROTO(const struct vnpu_core *core, u32 cause),
	TP_ARGS(core, cause),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u32, device)
		__field(u32, index)
		__field(u32, launches)
		__field(u32, cause)
	),
	TP_fast_assign(
		__entry->client = core->client->id;
		__entry->device = core->dev->index;
		__entry->index = core->index;
		__entry->launches = core->nr_fetched;
		__entry->cause = cause;
	),
	TP_printk("device=%u client=%llu index=%u cause=%s launches=%u",
		  __entry->device, __entry->client, __entry->index,
		  vnpu_show_cause(__entry->cause), __entry->launches)
);

/*
 * User space rings a doorbell. The client is an argument: the stream may end.
 */
TRACE_EVENT(vnpu_doorbell,
	TP_PROTO(const struct vnpu_client *client,
		 const struct vnpu_stream *stream),
	TP_ARGS(client, stream),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, stream)
		__field(u64, tail)
		__field(u32, device)
		__field(u32, number)
	),
	TP_fast_assign(
		struct vnpu_ring_mem *mem;

		/* Pairs with smp_store_release() in vnpu_stream_get_ring(). */
		mem = smp_load_acquire(&stream->ring);
		__entry->client = client->id;
		__entry->stream = stream->id;
		__entry->tail = mem ? READ_ONCE(mem->ring->tail) : 0;
		__entry->device = stream->dev->index;
		__entry->number = stream->number;
	),
	TP_printk("device=%u client=%llu stream=%llu number=%u tail=%llu",
		  __entry->device, __entry->client, __entry->stream,
		  __entry->number, __entry->tail)
);

/* A stream, or a thread if @stream is 0, changes a timeline or counter. */
TRACE_EVENT(vnpu_timeline_signal,
	TP_PROTO(const struct vnpu_client *client, u64 stream, u64 timeline,
		 u64 value, u32 mode),
	TP_ARGS(client, stream, timeline, value, mode),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, stream)
		__field(u64, timeline)
		__field(u64, value)
		__field(u32, mode)
	),
	TP_fast_assign(
		__entry->client = client->id;
		__entry->stream = stream;
		__entry->timeline = timeline;
		__entry->value = value;
		__entry->mode = mode;
	),
	TP_printk("client=%llu stream=%llu timeline=%llu mode=%s value=%llu",
		  __entry->client, __entry->stream, __entry->timeline,
		  __print_symbolic(__entry->mode,
			{ VNPU_SIGNAL_ADVANCE,	"advance" },
			{ VNPU_SIGNAL_SET,	"set" },
			{ VNPU_SIGNAL_ADD,	"add" },
			{ VNPU_SIGNAL_OR,	"or" },
			{ VNPU_SIGNAL_AND,	"and" }),
		  __entry->value)
);

/* A thread begins to wait for any or all of @count points. */
TRACE_EVENT(vnpu_wait_begin,
	TP_PROTO(const struct vnpu_client *client,
		 const struct vnpu_wait_point *first, u32 count, bool all),
	TP_ARGS(client, first, count, all),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(u64, timeline)
		__field(u64, value)
		__field(u32, count)
		__field(bool, all)
	),
	TP_fast_assign(
		__entry->client = client->id;
		__entry->timeline = first->id;
		__entry->value = first->value;
		__entry->count = count;
		__entry->all = all;
	),
	TP_printk("client=%llu timeline=%llu value=%llu count=%u all=%d",
		  __entry->client, __entry->timeline, __entry->value,
		  __entry->count, __entry->all)
);

/* A thread has ended its wait. */
TRACE_EVENT(vnpu_wait_end,
	TP_PROTO(const struct vnpu_client *client, int result),
	TP_ARGS(client, result),
	TP_STRUCT__entry(
		__field(u64, client)
		__field(int, result)
	),
	TP_fast_assign(
		__entry->client = client->id;
		__entry->result = result;
	),
	TP_printk("client=%llu result=%d", __entry->client, __entry->result)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
