// SPDX-License-Identifier: GPL-2.0-only
/*
 * The watchdog, which detects hung engines and resets their device.
 *
 * An engine's turn with a stream is short: it moves 256 KiB or runs a few dozen
 * small tasks. The engine records the start of each turn. A turn that lasts for
 * hang_timeout_ms is a hang. The watchdog does not limit the duration of a
 * whole task: that is up to the timeouts of streams.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/printk.h>

#include <linux/vnpu_netlink.h>

#include "account/id_pool.h"
#include "base/client.h"
#include "base/device.h"
#include "base/events.h"
#include "engine.h"
#include "reset.h"
#include "stream.h"

static unsigned int hang_timeout_ms = 10000;
module_param(hang_timeout_ms, uint, 0644);
MODULE_PARM_DESC(hang_timeout_ms, "Milliseconds that an engine may take for a part of a task before the driver resets its device, 0 for no limit (default: 10000)");

/* Limits of the check interval, in ms; it is a quarter of the hang timeout. */
#define VNPU_WATCHDOG_MIN	10
#define VNPU_WATCHDOG_MAX	1000

/* Look up the task of an engine; its stream may end meanwhile. */
static void vnpu_hang_look(struct vnpu_hang *hang, struct vnpu_engine *engine)
{
	struct vnpu_engines *engines = engine->engines;
	struct vnpu_stream *stream;

	spin_lock_bh(&engines->lock);
	list_for_each_entry(stream, &engines->streams, dev_link) {
		if (stream->state != VNPU_STREAM_RUNNING ||
		    stream->engine != engine)
			continue;
		hang->stream = stream->id;
		hang->number = stream->number;
		hang->client = stream->client->id;
		/*
		 * Only the engine writes these, and it does not while it hangs.
		 */
		hang->op = READ_ONCE(stream->run.task.op);
		hang->seq = READ_ONCE(stream->run.seq);
		break;
	}
	spin_unlock_bh(&engines->lock);
}

static void vnpu_watchdog_report_hang(struct vnpu_engine *engine, u64 ns)
{
	struct vnpu_hang hang = {
		.device = engine->engines->dev->index,
		.class = engine->class,
		.engine = engine->index,
		.ns = ns,
	};

	vnpu_hang_look(&hang, engine);
	pr_warn_ratelimited("device %u: engine %s%u has hung for %llu ms in task %llu (operation %u) of stream %u of client %llu\n",
			    hang.device, vnpu_engine_class_name(hang.class),
			    hang.engine, hang.ns / NSEC_PER_MSEC, hang.seq,
			    hang.op, hang.number, hang.client);
	vnpu_event_send_hang(engine->engines->dev, &hang);
}

/* Report an engine that hangs, once per hang. Return true for a new hang. */
static bool vnpu_watchdog_look_at(struct vnpu_engine *engine, u64 limit_ns)
{
	u64 beat = READ_ONCE(engine->beat), now = ktime_get_ns();
	struct vnpu_engines *engines = engine->engines;

	if (!beat || now < beat + limit_ns || engine->hung_beat == beat)
		return false;
	engine->hung_beat = beat;
	mutex_lock(&engines->reset_lock);
	WRITE_ONCE(engines->hangs, engines->hangs + 1);
	vnpu_device_set_health(engines->dev, VNPU_HEALTH_ALARM);
	mutex_unlock(&engines->reset_lock);
	vnpu_watchdog_report_hang(engine, now - beat);
	return true;
}

static void vnpu_watchdog_look(struct vnpu_engines *engines, u64 limit_ns)
{
	bool found = false;
	u32 class, i;

	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		for (i = 0; i < engines->count[class]; i++)
			if (vnpu_watchdog_look_at(&engines->engines[class][i],
						  limit_ns))
				found = true;
	if (found)
		vnpu_device_reset(engines->dev, VNPU_RESET_REASON_HANG);
	else if (READ_ONCE(engines->dev->health) != VNPU_HEALTH_OK)
		vnpu_engines_are_back(engines->dev);
}

static void vnpu_watchdog_arm(struct vnpu_engines *engines)
{
	u32 ms = READ_ONCE(hang_timeout_ms) / 4;

	/* A disabled watchdog keeps checking whether it is enabled again. */
	ms = ms ? clamp_t(u32, ms, VNPU_WATCHDOG_MIN, VNPU_WATCHDOG_MAX) :
		  VNPU_WATCHDOG_MAX;
	queue_delayed_work(system_long_wq, &engines->watchdog,
			   msecs_to_jiffies(ms));
}

static void vnpu_watchdog_work(struct work_struct *work)
{
	struct vnpu_engines *engines =
		container_of(work, struct vnpu_engines, watchdog.work);
	const struct vnpu_id_pool *streams =
		&engines->dev->id_pools[VNPU_ID_STREAM];
	u64 limit_ns = (u64)READ_ONCE(hang_timeout_ms) * NSEC_PER_MSEC;

	if (limit_ns)
		vnpu_watchdog_look(engines, limit_ns);
	/* Creating the first stream arms the watchdog, even while this runs. */
	if (vnpu_id_pool_available(streams) < VNPU_MAX_STREAMS)
		vnpu_watchdog_arm(engines);
}

/**
 * vnpu_watchdog_init() - initialize the watchdog of a device
 * @engines: the engines of the device
 */
void vnpu_watchdog_init(struct vnpu_engines *engines)
{
	INIT_DELAYED_WORK(&engines->watchdog, vnpu_watchdog_work);
}

/**
 * vnpu_watchdog_start() - start the watchdog of a device that has streams
 * @engines: the engines of the device, which are started
 *
 * The watchdog stops by itself when the device has no streams left.
 */
void vnpu_watchdog_start(struct vnpu_engines *engines)
{
	vnpu_watchdog_arm(engines);
}

/**
 * vnpu_watchdog_stop() - stop the watchdog, and wait for a check in progress
 * @engines: the engines, which have no stream left or are frozen
 */
void vnpu_watchdog_stop(struct vnpu_engines *engines)
{
	cancel_delayed_work_sync(&engines->watchdog);
}

/**
 * vnpu_watchdog_timeout_ms() - get the time after which a turn is a hang
 *
 * Return: ms, or 0 for no limit.
 */
u64 vnpu_watchdog_timeout_ms(void)
{
	return READ_ONCE(hang_timeout_ms);
}
