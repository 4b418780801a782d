// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state of a device at the time of a reset, as a text in the kernel's
 * device coredump class. The file in /sys/class/devcoredump exists for five
 * minutes or until user space writes to it. While it exists, further resets of
 * the device add no other.
 *
 * Each line is a word followed by pairs KEY=VALUE; a reader must expect new
 * words and keys. The last line is "end", so that a reader can detect a
 * truncated dump. The dump contains no data of tasks, so users can share it.
 * vnpu-smi coredump reads it.
 */
#include <linux/devcoredump.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/time.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include <linux/vnpu_netlink.h>

#include "account/id_pool.h"
#include "base/client.h"
#include "base/device.h"
#include "engine.h"
#include "reset.h"
#include "ring.h"
#include "stream.h"

/* Maximum length of a line in bytes. */
#define VNPU_COREDUMP_LINE	384

static const char * const vnpu_state_names[] = {
	[VNPU_STREAM_IDLE] = "idle",
	[VNPU_STREAM_READY] = "ready",
	[VNPU_STREAM_RUNNING] = "running",
	[VNPU_STREAM_POLLED] = "polling",
	[VNPU_STREAM_BLOCKED] = "blocked",
	[VNPU_STREAM_REMOTE] = "remote",
};

/**
 * struct vnpu_dump_stream - a copy of the state of a stream
 * @engine: engine that runs the stream, or NULL
 * @state: VNPU_STREAM_*
 * @class: class of the engines that run the stream
 * @priority: priority, 0 is the highest
 * @number: number of the stream on the device
 * @ring_state: VNPU_RING_*
 * @errors: number of failed tasks
 * @cancelled: number of cancelled tasks
 * @id: id of the stream
 * @client: id of the client
 * @has_task: true if the stream has a current task; @op, @seq and @done are of
 *	it
 * @op: operation of the task, VNPU_TASK_*
 * @seq: sequence number of the task
 * @done: progress of the task
 * @tail: tail of the ring as user space has written it
 * @taken: sequence number of the last task that was copied out of the ring
 * @completed: sequence number of the last task that was completed
 */
struct vnpu_dump_stream {
	const struct vnpu_engine *engine;
	enum vnpu_stream_owner state;
	u32 class;
	u32 priority;
	u32 number;
	u32 ring_state;
	u32 errors;
	u32 cancelled;
	u64 id;
	u64 client;
	bool has_task;
	u32 op;
	u64 seq;
	u64 done;
	u64 tail;
	u64 taken;
	u64 completed;
};

/* A buffer for text. Text that does not fit is left out. */
struct vnpu_text {
	char *data;
	size_t room;
	size_t length;
};

static __printf(2, 3) void vnpu_text_add(struct vnpu_text *text,
					 const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text->length += vscnprintf(text->data + text->length,
				   text->room - text->length, fmt, args);
	va_end(args);
}

/*
 * Copy the state of a stream. If an engine runs it, the copy may be
 * inconsistent.
 */
static void vnpu_dump_take(struct vnpu_dump_stream *dump,
			   const struct vnpu_stream *stream)
{
	/* Pairs with smp_store_release() in vnpu_stream_get_ring(). */
	const struct vnpu_ring_mem *mem = smp_load_acquire(&stream->ring);

	*dump = (struct vnpu_dump_stream){
		.engine = stream->state == VNPU_STREAM_RUNNING ?
			  stream->engine : NULL,
		.state = stream->state,
		.class = READ_ONCE(stream->class),
		.priority = stream->priority,
		.number = stream->number,
		.ring_state = READ_ONCE(stream->ring_state),
		.errors = READ_ONCE(stream->errors),
		.cancelled = READ_ONCE(stream->cancelled),
		.id = stream->id,
		.client = stream->client->id,
		.has_task = READ_ONCE(stream->run.op),
		.op = READ_ONCE(stream->run.task.op),
		.seq = READ_ONCE(stream->run.seq),
		.done = READ_ONCE(stream->run.done),
		.tail = mem ? READ_ONCE(mem->ring->tail) : 0,
		.taken = READ_ONCE(stream->taken),
		.completed = vnpu_timeline_value(&stream->timeline),
	};
}

static u32 vnpu_dump_take_all(struct vnpu_engines *engines,
			      struct vnpu_dump_stream *dumps, u32 room)
{
	struct vnpu_stream *stream;
	u32 count = 0;

	spin_lock_bh(&engines->lock);
	list_for_each_entry(stream, &engines->streams, dev_link) {
		if (count == room)
			break;
		if (stream->state != VNPU_STREAM_IDLE)
			vnpu_dump_take(&dumps[count++], stream);
	}
	spin_unlock_bh(&engines->lock);
	return count;
}

static void vnpu_dump_put_device(struct vnpu_text *text,
				 struct vnpu_device *dev, u32 reason)
{
	struct tm tm;

	time64_to_tm(ktime_get_real_seconds(), 0, &tm);
	vnpu_text_add(text, "vnpu version=1 module=%s kernel=%s\n",
		      THIS_MODULE->version, init_utsname()->release);
	vnpu_text_add(text, "reset time=%04ld-%02d-%02dT%02d:%02d:%02dZ",
		      tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		      tm.tm_min, tm.tm_sec);
	vnpu_text_add(text, " monotonic_ns=%llu reason=%s\n", ktime_get_ns(),
		      reason == VNPU_RESET_REASON_HANG ? "hang" : "admin");
	vnpu_text_add(text, "device id=%u uuid=%pUb resets=%llu hangs=%llu\n",
		      dev->index, &dev->uuid, dev->engines->resets,
		      dev->engines->hangs);
}

static void vnpu_dump_put_engine(struct vnpu_text *text,
				 struct vnpu_engine *engine,
				 const struct vnpu_dump_stream *dumps, u32 count)
{
	u64 beat = READ_ONCE(engine->beat);
	u32 i;

	vnpu_text_add(text, "engine name=%s%u busy_ns=%llu tasks=%llu turn_ns=%llu",
		      vnpu_engine_class_name(engine->class), engine->index,
		      vnpu_engine_busy_ns(engine), READ_ONCE(engine->tasks),
		      beat ? ktime_get_ns() - beat : 0);
	for (i = 0; i < count; i++) {
		if (dumps[i].engine != engine)
			continue;
		vnpu_text_add(text, " stream=%llu client=%llu", dumps[i].id,
			      dumps[i].client);
		if (dumps[i].has_task)
			vnpu_text_add(text, " task=%llu op=%u", dumps[i].seq,
				      dumps[i].op);
		break;
	}
	vnpu_text_add(text, "\n");
}

static void vnpu_dump_put_stream(struct vnpu_text *text,
				 const struct vnpu_dump_stream *dump)
{
	vnpu_text_add(text, "stream id=%llu client=%llu number=%u",
		      dump->id, dump->client, dump->number);
	vnpu_text_add(text, " state=%s class=%s priority=%u",
		      vnpu_state_names[dump->state],
		      vnpu_engine_class_name(dump->class), dump->priority);
	if (dump->has_task)
		vnpu_text_add(text, " task=%llu op=%u done=%llu", dump->seq,
			      dump->op, dump->done);
	vnpu_text_add(text, " tail=%llu taken=%llu completed=%llu",
		      dump->tail, dump->taken, dump->completed);
	vnpu_text_add(text, " ring_state=%#x errors=%u cancelled=%u\n",
		      dump->ring_state, dump->errors, dump->cancelled);
}

static void vnpu_dump_put(struct vnpu_text *text, struct vnpu_device *dev,
			  u32 reason, const struct vnpu_dump_stream *dumps,
			  u32 count)
{
	struct vnpu_engines *engines = dev->engines;
	u32 class, i, nr_engines = 0;

	vnpu_dump_put_device(text, dev, reason);
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++) {
		nr_engines += engines->count[class];
		for (i = 0; i < engines->count[class]; i++)
			vnpu_dump_put_engine(text, &engines->engines[class][i],
					     dumps, count);
	}
	for (i = 0; i < count; i++)
		vnpu_dump_put_stream(text, &dumps[i]);
	vnpu_text_add(text, "end engines=%u streams=%u\n", nr_engines, count);
}

/**
 * vnpu_coredump() - dump the state of a device
 * @dev: the device, which is about to be reset and has started engines
 * @reason: VNPU_RESET_REASON_*
 *
 * If the host has no memory for the dump, there is no dump.
 */
void vnpu_coredump(struct vnpu_device *dev, u32 reason)
{
	struct vnpu_id_pool *numbers = &dev->id_pools[VNPU_ID_STREAM];
	u32 room = VNPU_MAX_STREAMS - vnpu_id_pool_available(numbers);
	/* Pairs with smp_store_release() in vnpu_device_register(). */
	struct device *sys = READ_ONCE(dev->sys);
	struct vnpu_dump_stream *dumps;
	struct vnpu_text text;
	u32 count;

	lockdep_assert_held(&dev->engines->reset_lock);
	if (!sys)
		return;
	dumps = kvcalloc(room + 1, sizeof(*dumps), GFP_KERNEL);
	if (!dumps)
		return;
	count = vnpu_dump_take_all(dev->engines, dumps, room);
	text = (struct vnpu_text){
		.room = VNPU_COREDUMP_LINE *
			(4 + VNPU_ENGINE_CLASSES * VNPU_ENGINE_MAX + count),
	};
	text.data = vmalloc(text.room);
	if (text.data) {
		vnpu_dump_put(&text, dev, reason, dumps, count);
		dev_coredumpv(sys, text.data, text.length, GFP_KERNEL);
	}
	kvfree(dumps);
}
