// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injection points of engines, tasks and doorbells. Those of memory are in
 * ras/inject_point.c.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include <linux/vnpu_netlink.h>

#include "base/client.h"
#include "base/device.h"
#include "ras/inject.h"
#include "engine.h"
#include "stream.h"
#include "task.h"

/* Interval of checks whether a stall is over, in ns. */
#define VNPU_INJECT_LOOK		NSEC_PER_MSEC

/*
 * Stall an engine until a time, or until its task must end. The engine polls,
 * so that the code that ends tasks need not wake it.
 */
static int vnpu_inject_stall(struct vnpu_engine *engine,
			     struct vnpu_stream *stream, u64 until)
{
	/* Stop polling streams, so that other engines can run them. */
	vnpu_engine_stop_busy_poll(engine);
	for (;;) {
		int ret = vnpu_task_must_end(stream);
		u64 now = ktime_get_ns();
		ktime_t pause;

		if (ret || now >= until)
			return ret;
		pause = ns_to_ktime(min_t(u64, until - now, VNPU_INJECT_LOOK));
		vnpu_engine_freeze(engine, stream);
		set_current_state(TASK_IDLE | TASK_FREEZABLE);
		schedule_hrtimeout(&pause, HRTIMER_MODE_REL);
	}
}

/**
 * vnpu_inject_task() - inject faults before an engine runs a part of a task
 * @engine: the engine of the calling thread
 * @stream: the stream of the task
 * @starts: true for the first part of the task
 * @cost: the cost of the turn so far; raised after a delay, to end the turn
 *
 * Return: 0, or -errno to end the task with.
 */
int vnpu_inject_task(struct vnpu_engine *engine, struct vnpu_stream *stream,
		     bool starts, u64 *cost)
{
	u64 client = stream->client->id, delay_us;
	int ret;

	/* A waiting task occupies no engine. */
	if (stream->run.op->waits)
		return 0;
	if (starts && vnpu_inject_happens(stream->dev,
					  VNPU_INJECT_KIND_ENGINE_HANG,
					  engine->class, client, &delay_us))
		return vnpu_inject_stall(engine, stream, U64_MAX);
	if (!vnpu_inject_happens(stream->dev, VNPU_INJECT_KIND_ENGINE_SLOW,
				 engine->class, client, &delay_us))
		return 0;
	ret = vnpu_inject_stall(engine, stream,
				ktime_get_ns() + delay_us * NSEC_PER_USEC);
	/* A slow engine does not hang: restart the watchdog's time. */
	WRITE_ONCE(engine->beat, ktime_get_ns());
	*cost += VNPU_TASK_CHUNK;
	return ret;
}

/**
 * vnpu_inject_doorbell() - check whether a doorbell is to be lost
 * @stream: the stream of the doorbell
 *
 * Return: true if the driver must ignore the doorbell.
 */
bool vnpu_inject_doorbell(const struct vnpu_stream *stream)
{
	const struct vnpu_client *client = READ_ONCE(stream->client);
	u64 delay_us;

	/* The client may have closed meanwhile. */
	return client &&
	       vnpu_inject_happens(stream->dev, VNPU_INJECT_KIND_DOORBELL_LOST,
				   VNPU_INJECT_ANY_CLASS, client->id, &delay_us);
}
