// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reset of a device: what its engines work on fails, all else goes on.
 *
 * A task remembers how often the engines had been reset when it was begun; where
 * that has changed by the time that its next part is due, it ends with
 * ECONNRESET.
 * Tasks that were not begun, and those that wait, are not harmed; nor is memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/sched/signal.h>

#include <linux/vnpu_netlink.h>

#include "device.h"
#include "engine.h"
#include "netlink.h"
#include "reset.h"

/* How long a reset waits for engines to end what they do, in ms. */
#define VNPU_RESET_MS	5000

/* When the turns began that the engines were in. */
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
 * vnpu_device_set_health() - say how a device is
 * @dev: the device; its engines' reset_lock is held
 * @health: VNPU_HEALTH_*
 */
void vnpu_device_set_health(struct vnpu_device *dev, u32 health)
{
	u32 before = dev->health;

	lockdep_assert_held(&dev->engines->reset_lock);
	if (before == health)
		return;
	WRITE_ONCE(dev->health, health);
	vnpu_netlink_send_health(dev, before);
}

static const char *vnpu_reset_reason(u32 reason)
{
	return reason == VNPU_RESET_REASON_HANG ? "an engine hung" :
						  "requested by the administrator";
}

static int vnpu_reset_locked(struct vnpu_device *dev, u32 reason)
{
	struct vnpu_engines *engines = dev->engines;
	struct vnpu_beats beats;
	int ret = 0;

	lockdep_assert_held(&engines->reset_lock);
	if (vnpu_engines_are_started(engines)) {
		vnpu_coredump(dev, reason);
		vnpu_reset_take_beats(engines, &beats);
	}
	vnpu_device_note_lost(dev);
	WRITE_ONCE(engines->resets, engines->resets + 1);
	dev->ecc.is_alarmed = false;
	if (vnpu_engines_are_started(engines))
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
 * vnpu_device_reset() - fail what the engines of a device work on
 * @dev: the device
 * @reason: VNPU_RESET_REASON_*
 *
 * Who waits for those tasks is woken. If engines do not end what they do, they
 * will fail it as soon as they have.
 *
 * Return: 0, -EINTR, or -ETIMEDOUT where engines have not come back.
 */
int vnpu_device_reset(struct vnpu_device *dev, u32 reason)
{
	struct vnpu_engines *engines = dev->engines;
	u64 resets;
	int ret;

	/* What happened before is not told of as if it were after. */
	vnpu_ecc_flush(&dev->ecc);
	if (mutex_lock_killable(&engines->reset_lock))
		return -EINTR;
	ret = vnpu_reset_locked(dev, reason);
	resets = engines->resets;
	mutex_unlock(&engines->reset_lock);
	vnpu_netlink_send_reset(dev, reason, resets);
	return ret;
}

/**
 * vnpu_engines_are_back() - is a device well again?
 * @dev: the device, which is not well
 *
 * Its health is good once no engine is in the turn any more that was told of,
 * unless its memory needs a reset.
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

			if (engine->told &&
			    READ_ONCE(engine->beat) == engine->told)
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
