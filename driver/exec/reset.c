// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reset of a device, which fails the tasks that its engines are running.
 *
 * A task records the number of resets when it begins. If the number has changed
 * before the next part of the task, the task ends with ECONNRESET. A reset does
 * not affect waiting tasks, tasks that have not begun, and memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>

#include <linux/vnpu_netlink.h>

#include "base/device.h"
#include "base/events.h"
#include "core.h"
#include "engine.h"
#include "reset.h"

/* How long a reset waits for engines to end their current turn, in ms. */
#define VNPU_RESET_MS	5000

/* The start of each engine's current turn. */
struct vnpu_beats {
	u64 beat[VNPU_ENGINE_CLASSES][VNPU_ENGINE_MAX];
};

static void vnpu_reset_take_beats(struct vnpu_engines *engines,
				  struct vnpu_beats *beats)
{
	u32 class, i;

	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		for (i = 0; i < engines->count[class]; i++)
			beats->beat[class][i] =
				READ_ONCE(engines->engines[class][i].beat);
}

static bool vnpu_reset_is_done(struct vnpu_engines *engines,
			       const struct vnpu_beats *beats)
{
	u32 class, i;

	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		for (i = 0; i < engines->count[class]; i++) {
			u64 beat = beats->beat[class][i];

			if (beat &&
			    READ_ONCE(engines->engines[class][i].beat) == beat)
				return false;
		}
	return true;
}

static int vnpu_reset_wait(struct vnpu_engines *engines,
			   const struct vnpu_beats *beats)
{
	unsigned long end = jiffies + msecs_to_jiffies(VNPU_RESET_MS);

	while (!vnpu_reset_is_done(engines, beats)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		usleep_range(100, 1000);
	}
	return 0;
}

/**
 * vnpu_device_set_health() - set the health of a device, and report a change
 * @dev: the device; the caller holds vnpu_engines.reset_lock
 * @health: VNPU_HEALTH_*
 */
void vnpu_device_set_health(struct vnpu_device *dev, u32 health)
{
	u32 before = dev->health;

	lockdep_assert_held(&dev->engines->reset_lock);
	if (before == health)
		return;
	WRITE_ONCE(dev->health, health);
	vnpu_event_send_health(dev, before);
}

static const char *vnpu_reset_reason(u32 reason)
{
	return reason == VNPU_RESET_REASON_HANG ? "an engine hung" :
						  "requested by the administrator";
}

static int vnpu_reset_locked(struct vnpu_device *dev, u32 reason)
{
	struct vnpu_engines *engines = dev->engines;
	/* Another thread may start them now; those have nothing to give back. */
	bool is_started = vnpu_engines_are_started(engines);
	struct vnpu_beats beats;
	int ret = 0;

	lockdep_assert_held(&engines->reset_lock);
	if (is_started) {
		vnpu_coredump(dev, reason);
		vnpu_reset_take_beats(engines, &beats);
	}
	vnpu_device_note_lost(dev);
	WRITE_ONCE(engines->resets, engines->resets + 1);
	dev->ecc.is_alarmed = false;
	vnpu_cores_reset(engines);
	if (is_started)
		ret = vnpu_reset_wait(engines, &beats);
	if (!ret)
		vnpu_device_set_health(dev, VNPU_HEALTH_OK);
	pr_warn_ratelimited("device %u: reset: %s%s\n", dev->index,
			    vnpu_reset_reason(reason),
			    ret == -ETIMEDOUT ? "; an engine did not come back" :
						"");
	return ret;
}

/**
 * vnpu_device_reset() - reset a device
 * @dev: the device
 * @reason: VNPU_RESET_REASON_*
 *
 * The running tasks fail, and their waiters are woken. If an engine does not
 * end its turn in time, its task fails when the turn ends.
 *
 * Return: 0, -EINTR, or -ETIMEDOUT if an engine is still in the same turn.
 */
int vnpu_device_reset(struct vnpu_device *dev, u32 reason)
{
	struct vnpu_engines *engines = dev->engines;
	u64 resets;
	int ret;

	/* Report earlier memory errors now: they precede the reset. */
	vnpu_ecc_flush(&dev->ecc);
	if (mutex_lock_killable(&engines->reset_lock))
		return -EINTR;
	ret = vnpu_reset_locked(dev, reason);
	resets = engines->resets;
	mutex_unlock(&engines->reset_lock);
	vnpu_event_send_reset(dev, reason, resets);
	return ret;
}

/**
 * vnpu_engines_are_back() - check whether no engine hangs, and update the
 * health
 * @dev: the device; its health is not good
 *
 * The health is good again once each reported turn has ended, unless a memory
 * error requires a reset.
 *
 * Return: true if no engine is in a reported turn any more.
 */
bool vnpu_engines_are_back(struct vnpu_device *dev)
{
	struct vnpu_engines *engines = dev->engines;
	bool back = true;
	u32 class, i;

	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		for (i = 0; i < engines->count[class]; i++) {
			const struct vnpu_engine *engine =
				&engines->engines[class][i];

			if (engine->hung_beat &&
			    READ_ONCE(engine->beat) == engine->hung_beat)
				back = false;
		}
	if (back) {
		mutex_lock(&engines->reset_lock);
		if (!dev->ecc.is_alarmed)
			vnpu_device_set_health(dev, VNPU_HEALTH_OK);
		mutex_unlock(&engines->reset_lock);
	}
	return back;
}

static void vnpu_ecc_alarm(struct work_struct *work)
{
	struct vnpu_device *dev = container_of(work, struct vnpu_device,
					       ecc.alarm);

	mutex_lock(&dev->engines->reset_lock);
	dev->ecc.is_alarmed = true;
	vnpu_device_set_health(dev, VNPU_HEALTH_ALARM);
	mutex_unlock(&dev->engines->reset_lock);
}

/**
 * vnpu_ecc_init() - initialize the error counters of a device
 * @ecc: the memory errors of the device
 */
void vnpu_ecc_init(struct vnpu_ecc *ecc)
{
	INIT_WORK(&ecc->alarm, vnpu_ecc_alarm);
}

/**
 * vnpu_ecc_fini() - stop the alarm work of a device
 * @ecc: the memory errors of the device, which has no users left
 */
void vnpu_ecc_fini(struct vnpu_ecc *ecc)
{
	cancel_work_sync(&ecc->alarm);
}

/**
 * vnpu_ecc_flush() - wait until all errors so far have changed the health
 * @ecc: the memory errors of the device; the caller does not hold
 *	vnpu_engines.reset_lock
 */
void vnpu_ecc_flush(struct vnpu_ecc *ecc)
{
	flush_work(&ecc->alarm);
}
