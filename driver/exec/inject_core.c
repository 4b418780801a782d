// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injection points of cores. A fault is chosen when a core gets a launch, and
 * takes effect then (core-die), or when the core completes the launch. So a
 * launch passes the point each time that a core gets it. It passes it again if
 * the event could not be delivered, or if the core gave the launch back.
 *
 * A delayed completion occupies the slot of its launch, but no thread: a timer
 * lets it take effect. It takes effect at once if the core ends or the launch has
 * to stop meanwhile; the stream then has another result for a launch that has to
 * stop. A reset and the removal of the device discard it.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>

#include <linux/vnpu_netlink.h>

#include "base/client.h"
#include "base/device.h"
#include "ras/inject.h"
#include "compat.h"
#include "core.h"
#include "engine.h"

/* Faults that discard the completion of the launch. */
#define VNPU_CORE_DROPS	(BIT_ULL(VNPU_INJECT_KIND_CORE_HANG) | \
			 BIT_ULL(VNPU_INJECT_KIND_CORE_DIE))

/* Start the timer for the first completion that is due, if there is one. */
static void vnpu_core_start_late_locked(struct vnpu_core *core)
{
	u64 first = U64_MAX;
	u32 i;

	for (i = 0; i < core->nr_slots; i++)
		if (core->slots[i].late_until)
			first = min(first, core->slots[i].late_until);
	if (first != U64_MAX)
		hrtimer_start(&core->late_timer, ns_to_ktime(first),
			      HRTIMER_MODE_ABS_SOFT);
}

/**
 * vnpu_core_end_late_locked() - let delayed completions take effect
 * @core: the core
 * @now: CLOCK_MONOTONIC in ns, read while the caller held the lock
 * @until: those that are due at this time
 * @classes: set the bits of classes of streams, for vnpu_core_call_engines()
 */
void vnpu_core_end_late_locked(struct vnpu_core *core, u64 now, u64 until,
			       u32 *classes)
{
	u32 i;

	lockdep_assert_held(&core->dev->engines->lock);
	for (i = 0; i < core->nr_slots; i++) {
		struct vnpu_core_slot *slot = &core->slots[i];
		struct vnpu_stream *stream;

		if (!slot->late_until || slot->late_until > until)
			continue;
		stream = vnpu_core_end_launch_locked(core, slot, &slot->late,
						     now, classes);
		if (stream)
			vnpu_launch_wake_locked(stream, classes);
	}
}

static enum hrtimer_restart vnpu_core_late_timer(struct hrtimer *timer)
{
	struct vnpu_core *core = container_of(timer, struct vnpu_core,
					      late_timer);
	struct vnpu_engines *engines = core->dev->engines;
	u32 classes = 0;
	u64 now;

	spin_lock_bh(&engines->lock);
	now = ktime_get_ns();
	if (!core->has_ended) {
		vnpu_core_end_late_locked(core, now, now, &classes);
		vnpu_core_start_late_locked(core);
	}
	spin_unlock_bh(&engines->lock);
	vnpu_core_call_engines(engines, classes);
	return HRTIMER_NORESTART;
}

/**
 * vnpu_core_inject_init() - initialise the timer of delayed completions
 * @core: the core
 */
void vnpu_core_inject_init(struct vnpu_core *core)
{
	vnpu_hrtimer_setup(&core->late_timer, vnpu_core_late_timer,
			   CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}

/* Choose the faults of a launch; add up the time by which they delay its end. */
static u64 vnpu_core_choose_faults(struct vnpu_core *core, u64 *delay_us)
{
	u64 faults = 0, added;
	u32 kind;

	*delay_us = 0;
	for (kind = VNPU_INJECT_KIND_CORE_HANG;
	     kind <= VNPU_INJECT_KIND_CORE_GARBAGE; kind++) {
		if (!vnpu_inject_happens(core->dev, kind, VNPU_INJECT_ANY_CLASS,
					 core->client->id, &added))
			continue;
		faults |= BIT_ULL(kind);
		*delay_us += added;
	}
	return faults;
}

/**
 * vnpu_core_inject_launch() - inject faults into a launch that a core gets
 * @core: the core of the calling process
 * @id: number of the launch, which the process does not know yet
 *
 * Return: 0, or -EINTR if the core dies.
 */
int vnpu_core_inject_launch(struct vnpu_core *core, u64 id)
{
	struct vnpu_engines *engines = core->dev->engines;
	struct vnpu_core_slot *slot;
	u64 delay_us, faults = vnpu_core_choose_faults(core, &delay_us);

	if (!faults)
		return 0;
	spin_lock_bh(&engines->lock);
	slot = vnpu_core_find_slot_locked(core, id);
	if (slot) {
		/* If it cannot be delivered, the core gets it again. */
		slot->faults |= faults;
		slot->delay_ns = max(slot->delay_ns, delay_us * NSEC_PER_USEC);
	}
	spin_unlock_bh(&engines->lock);
	if (!(faults & BIT_ULL(VNPU_INJECT_KIND_CORE_DIE)))
		return 0;
	vnpu_core_die(core);
	return -EINTR;
}

/**
 * vnpu_core_inject_end_locked() - inject faults into the end of a launch
 * @core: the core, which has not ended
 * @slot: the slot of the launch
 * @completion: the core's request, which is changed if it is to be nonsense
 * @now: CLOCK_MONOTONIC in ns, read while the caller held the lock
 *
 * Return: true if the launch does not end now.
 */
bool vnpu_core_inject_end_locked(struct vnpu_core *core,
				 struct vnpu_core_slot *slot,
				 struct vnpu_engine_completion *completion,
				 u64 now)
{
	lockdep_assert_held(&core->dev->engines->lock);
	if (slot->faults & VNPU_CORE_DROPS)
		return true;
	if (slot->faults & BIT_ULL(VNPU_INJECT_KIND_CORE_GARBAGE)) {
		completion->error = EFAULT;
		completion->addr = U64_MAX;
	}
	/* A launch that has to stop, or has not begun, is not delayed. */
	if (!slot->delay_ns || slot->is_stopping || completion->error == EAGAIN)
		return false;
	slot->late = *completion;
	slot->late_until = now + slot->delay_ns;
	vnpu_core_start_late_locked(core);
	return true;
}

/**
 * vnpu_core_inject_twice_locked() - check if a core completes a launch twice
 * @slot: the slot of the launch
 */
bool vnpu_core_inject_twice_locked(const struct vnpu_core_slot *slot)
{
	return slot->faults & BIT_ULL(VNPU_INJECT_KIND_CORE_TWICE);
}
