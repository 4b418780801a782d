// SPDX-License-Identifier: GPL-2.0-only
/*
 * The launches of cores that end or are about to, of cores that do not stop a
 * launch in time, and of streams that end. See core_end.c.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "base/device.h"
#include "core.h"
#include "engine.h"
#include "sched_client.h"
#include "stream.h"
#include "trace.h"

/* The number of launches that fail while the lock is held. */
#define VNPU_LAUNCH_BATCH	32

/* Find the first time at which a core is to be killed, or U64_MAX. */
static u64 vnpu_core_kill_time_locked(struct vnpu_core *core, u64 now)
{
	u64 first = U64_MAX;
	u32 i;

	for (i = 0; i < core->nr_slots; i++) {
		struct vnpu_core_slot *slot = &core->slots[i];

		if (!slot->is_stopping ||
		    (slot->is_timeout && core->is_debugged))
			continue;
		/* As in vnpu_launch_set_deadline_locked(). */
		if (now > slot->kill_at + VNPU_CORE_STOP_NS && !slot->was_late) {
			slot->was_late = true;
			slot->kill_at = now + VNPU_CORE_STOP_NS;
		}
		first = min(first, slot->kill_at);
	}
	return first;
}

/**
 * vnpu_core_stop_late() - end a core that has not stopped a launch in time
 * @work: vnpu_core.stop_work; the core lives until the work has been cancelled
 */
void vnpu_core_stop_late(struct work_struct *work)
{
	struct vnpu_core *core = container_of(to_delayed_work(work),
					      struct vnpu_core, stop_work);
	struct vnpu_engines *engines = core->dev->engines;
	u64 now, first = U64_MAX;

	spin_lock_bh(&engines->lock);
	now = ktime_get_ns();
	if (!core->has_ended)
		first = vnpu_core_kill_time_locked(core, now);
	spin_unlock_bh(&engines->lock);
	if (first <= now)
		vnpu_core_end(core, VNPU_CORE_STUCK);
	else if (first != U64_MAX)
		queue_delayed_work(system_freezable_wq, &core->stop_work,
				   nsecs_to_jiffies(first - now) + 1);
}

/*
 * Check if the end of a core counts as a death: of one that was killed, had a
 * launch, or has never ended one.
 */
static bool vnpu_core_has_failed_locked(const struct vnpu_core *core,
					enum vnpu_core_cause cause)
{
	return cause == VNPU_CORE_STUCK ||
	       (cause == VNPU_CORE_DIED &&
		(core->nr_fetched || !core->completed));
}

/* Note that a core has died. Too many deaths in a short time are a failure. */
static void vnpu_port_note_death_locked(struct vnpu_core_port *port, u64 now)
{
	u32 i;

	for (i = VNPU_CORE_DEATHS - 1; i; i--)
		port->deaths[i] = port->deaths[i - 1];
	port->deaths[0] = now;
	if (port->deaths[VNPU_CORE_DEATHS - 1] &&
	    now - port->deaths[VNPU_CORE_DEATHS - 1] < VNPU_CORE_DEATHS_NS)
		port->has_failed = true;
}

/* Let a launch wait for the next core, before others; its time limit changes. */
static void vnpu_launch_requeue_locked(struct vnpu_stream *stream, u32 *classes)
{
	vnpu_launch_add_waiting_locked(stream, true);
	vnpu_launch_wake_locked(stream, classes);
}

/* End the launch of a slot, or let it wait for the next core. */
static void vnpu_core_close_slot_locked(struct vnpu_core *core,
					struct vnpu_core_slot *slot, int result,
					u64 now, u32 *classes)
{
	struct vnpu_stream *stream = slot->stream;
	bool is_fetched = slot->is_fetched;

	if (is_fetched)
		vnpu_core_count_fetched_locked(core, -1, now);
	slot->is_fetched = false;
	slot->stream = NULL;
	if (!stream)
		return;
	if (is_fetched)
		vnpu_launch_fail_locked(stream, result, classes);
	else
		vnpu_launch_requeue_locked(stream, classes);
}

/* Fail launches that wait. Return true if there may be more. */
static bool vnpu_port_fail_some(struct vnpu_core_port *port,
				struct vnpu_engines *engines)
{
	u32 i, classes = 0;

	spin_lock_bh(&engines->lock);
	for (i = 0; i < VNPU_LAUNCH_BATCH && port->has_failed; i++) {
		struct vnpu_stream *stream =
			vnpu_port_first_waiting_locked(port);

		if (!stream)
			break;
		vnpu_launch_remove_waiting_locked(stream);
		vnpu_launch_fail_locked(stream, -EIO, &classes);
	}
	spin_unlock_bh(&engines->lock);
	vnpu_core_call_engines(engines, classes);
	return i == VNPU_LAUNCH_BATCH;
}

/**
 * vnpu_core_close_slots() - end all launches of a core that ends
 * @core: the core. Its process can no longer access the client's memory, and the
 *	caller holds vnpu_core.lock.
 * @cause: the reason
 */
void vnpu_core_close_slots(struct vnpu_core *core, enum vnpu_core_cause cause)
{
	struct vnpu_engines *engines = core->dev->engines;
	struct vnpu_core_port *port = &core->sched->port;
	int result = cause == VNPU_CORE_DIED ? -EIO : -ECONNRESET;
	u32 i, classes = 0;
	bool has_failed;
	u64 now;

	spin_lock_bh(&engines->lock);
	now = ktime_get_ns();
	/* From now on, no launch that waits gets a slot. */
	WRITE_ONCE(core->has_ended, true);
	/* The core has completed these, so it does not die with them. */
	if (cause != VNPU_CORE_RESET && cause != VNPU_CORE_GONE)
		vnpu_core_end_late_locked(core, now, U64_MAX, &classes);
	trace_vnpu_core_end(core, cause);
	/* A core that was not published has no link. */
	if (port->core == core) {
		port->core = NULL;
		list_del(&core->link);
		WRITE_ONCE(engines->cores.count, engines->cores.count - 1);
		port->lost_at = now;
		if (vnpu_core_has_failed_locked(core, cause))
			vnpu_port_note_death_locked(port, now);
	}
	WRITE_ONCE(core->state->ended, 1);
	/* In reverse, because each is put first. */
	for (i = core->nr_slots; i--; )
		vnpu_core_close_slot_locked(core, &core->slots[i], result, now,
					    &classes);
	has_failed = port->has_failed;
	spin_unlock_bh(&engines->lock);
	wake_up_all(&core->wait);
	wake_up_all(&core->stopped);
	vnpu_pollers_call(&core->pollers);
	vnpu_core_call_engines(engines, classes);

	while (has_failed && vnpu_port_fail_some(port, engines))
		cond_resched();
}

/* Check if a core has no access to memory by a launch any more. */
static bool vnpu_core_has_dropped(struct vnpu_core *core, u64 id)
{
	struct vnpu_engines *engines = core->dev->engines;
	bool ret;

	spin_lock_bh(&engines->lock);
	ret = core->has_ended || !vnpu_core_find_slot_locked(core, id);
	spin_unlock_bh(&engines->lock);
	return ret;
}

/**
 * vnpu_launch_abandon() - leave a launch to the core, as its stream ends
 * @stream: the stream; its launch was stopped
 * @wait: true to wait until the core has stopped it, or was killed, or the caller
 *	was. User space may then reuse the memory of the launch.
 */
void vnpu_launch_abandon(struct vnpu_stream *stream, bool wait)
{
	struct vnpu_engines *engines = stream->dev->engines;
	struct vnpu_launch *launch = &stream->launch;
	struct vnpu_core *core = NULL;
	u64 id = 0;

	spin_lock_bh(&engines->lock);
	if (launch->state == VNPU_LAUNCH_OUT) {
		core = stream->sched->port.core;
		vnpu_core_get(core);
		id = launch->slot->id;
		launch->slot->stream = NULL;
	}
	vnpu_launch_set_state(stream, VNPU_LAUNCH_NONE);
	spin_unlock_bh(&engines->lock);
	if (!core)
		return;
	if (wait)
		wait_event_killable(core->stopped,
				    vnpu_core_has_dropped(core, id));
	vnpu_core_put(core);
}

/* Let the launch of a slot wait for the next core. */
static void vnpu_core_return_slot_locked(struct vnpu_core *core,
					 struct vnpu_core_slot *slot, u64 now,
					 u32 *classes)
{
	struct vnpu_stream *stream = slot->stream;
	bool is_stopping = slot->is_stopping;

	vnpu_core_free_slot_locked(core, slot, now, classes);
	if (!stream)
		return;
	if (is_stopping)
		vnpu_launch_fail_locked(stream, -ECANCELED, classes);
	else
		vnpu_launch_requeue_locked(stream, classes);
}

/*
 * Give the core no more launches, as it is about to end. Those that it has not
 * got wait for the next one.
 */
static void vnpu_core_leave_locked(struct vnpu_core *core, u64 now,
				   u32 *classes)
{
	u32 i;

	if (core->is_leaving)
		return;
	core->is_leaving = true;
	core->sched->port.lost_at = now;
	/* In reverse, because each is put first. */
	for (i = core->nr_slots; i--; )
		if (core->slots[i].stream && !core->slots[i].is_fetched)
			vnpu_core_return_slot_locked(core, &core->slots[i], now,
						     classes);
}

/**
 * vnpu_core_take_back_locked() - take a launch back that has not begun
 * @core: the core, which gets no more launches
 * @slot: the slot of the launch
 * @now: CLOCK_MONOTONIC in ns, read while the caller held the lock
 * @classes: set the bits of classes of streams, for vnpu_core_call_engines()
 */
void vnpu_core_take_back_locked(struct vnpu_core *core,
				struct vnpu_core_slot *slot, u64 now,
				u32 *classes)
{
	lockdep_assert_held(&core->dev->engines->lock);
	vnpu_core_return_slot_locked(core, slot, now, classes);
	vnpu_core_leave_locked(core, now, classes);
}

/**
 * vnpu_core_set_mode() - change the mode of a core
 * @core: the core
 * @flags: VNPU_ENGINE_SET_F_*
 *
 * Return: the number of launches that the core has got, and not completed.
 */
u32 vnpu_core_set_mode(struct vnpu_core *core, u32 flags)
{
	struct vnpu_engines *engines = core->dev->engines;
	u32 i, nr, classes = 0;
	bool was_debugged;

	spin_lock_bh(&engines->lock);
	was_debugged = core->is_debugged;
	core->is_debugged = flags & VNPU_ENGINE_SET_F_DEBUGGED;
	if (flags & VNPU_ENGINE_SET_F_LEAVING && !core->has_ended)
		vnpu_core_leave_locked(core, ktime_get_ns(), &classes);
	nr = core->nr_fetched;
	/* The owners of the streams set new time limits. */
	for (i = 0; i < core->nr_slots && !core->has_ended; i++) {
		struct vnpu_core_slot *slot = &core->slots[i];

		/* The core has completed it: only the effect is delayed. */
		if (slot->late_until)
			nr--;
		if (!slot->id || !slot->stream)
			continue;
		slot->restarts_limit |= was_debugged;
		vnpu_launch_wake_locked(slot->stream, &classes);
	}
	spin_unlock_bh(&engines->lock);
	vnpu_core_call_engines(engines, classes);
	queue_delayed_work(system_freezable_wq, &core->stop_work, 0);
	return nr;
}
