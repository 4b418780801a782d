// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ends of launches: a core completes a launch, or it has to stop.
 *
 * A launch that has to stop leaves WAITING, RESERVED and OUT at once, unless the
 * core has got it. Then the core is asked to stop it, and killed if it does not.
 * The slot belongs to the core until then, also if the stream has ended.
 *
 * core_slot.c draws the states, and core_close.c ends the launches of a core that
 * ends.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>

#include "base/device.h"
#include "core.h"
#include "engine.h"
#include "sched_client.h"
#include "stream.h"
#include "trace.h"

static void vnpu_launch_set_result_locked(struct vnpu_stream *stream,
					  int result, u64 fault)
{
	stream->launch.result = result;
	stream->launch.fault = fault;
	vnpu_launch_set_state(stream, VNPU_LAUNCH_DONE);
}

/**
 * vnpu_launch_fail_locked() - end a launch without its core
 * @stream: the stream of the launch
 * @error: -errno
 * @classes: set the bit of its class, for vnpu_core_call_engines()
 */
void vnpu_launch_fail_locked(struct vnpu_stream *stream, int error,
			     u32 *classes)
{
	lockdep_assert_held(&stream->dev->engines->lock);
	vnpu_launch_set_result_locked(stream, error, 0);
	vnpu_launch_wake_locked(stream, classes);
}

/* Ask the core to stop a launch that it has got. */
static void vnpu_core_stop_locked(struct vnpu_core *core,
				  struct vnpu_core_slot *slot, bool is_timeout)
{
	if (slot->is_stopping) {
		if (is_timeout || !slot->is_timeout)
			return;
		/* A debugger may have put off the end of the core. */
		slot->is_timeout = false;
		slot->kill_at = ktime_get_ns() + VNPU_CORE_STOP_NS;
		mod_delayed_work(system_freezable_wq, &core->stop_work,
				 msecs_to_jiffies(VNPU_ENGINE_STOP_MS) + 1);
		return;
	}
	trace_vnpu_launch(core, slot, VNPU_TRACE_STOP, 0);
	slot->is_stopping = true;
	slot->is_timeout = is_timeout;
	slot->kill_at = ktime_get_ns() + VNPU_CORE_STOP_NS;
	vnpu_core_queue_event_locked(core, slot, VNPU_CORE_STOPS);
	/* If the work is queued, it finds this slot when it runs. */
	queue_delayed_work(system_freezable_wq, &core->stop_work,
			   msecs_to_jiffies(VNPU_ENGINE_STOP_MS) + 1);
}

/**
 * vnpu_launch_stop() - stop the launch of a stream
 * @stream: the stream, which the caller owns; it may have no launch
 * @is_timeout: true if the reason is the time limit
 *
 * If the core has got the launch, it stays OUT until the core has ended it. The
 * core has ended it already if an injected fault delays the completion, which
 * then counts without a result for the stream.
 */
void vnpu_launch_stop(struct vnpu_stream *stream, bool is_timeout)
{
	struct vnpu_engines *engines = stream->dev->engines;
	struct vnpu_launch *launch = &stream->launch;
	struct vnpu_core_slot *slot;
	struct vnpu_core *core;
	bool is_out = false;
	u32 classes = 0;

	spin_lock_bh(&engines->lock);
	core = stream->sched->port.core;
	switch (launch->state) {
	case VNPU_LAUNCH_NONE:
	case VNPU_LAUNCH_DONE:
		break;
	case VNPU_LAUNCH_WAITING:
		vnpu_launch_remove_waiting_locked(stream);
		break;
	case VNPU_LAUNCH_OUT:
		slot = launch->slot;
		if (slot->late_until) {
			vnpu_core_end_launch_locked(core, slot, &slot->late,
						    ktime_get_ns(), &classes);
			break;
		}
		is_out = slot->is_fetched;
		if (is_out) {
			vnpu_core_stop_locked(core, slot, is_timeout);
			break;
		}
		fallthrough;
	case VNPU_LAUNCH_RESERVED:
		vnpu_core_free_slot_locked(core, launch->slot, ktime_get_ns(),
					   &classes);
		break;
	}
	if (!is_out)
		vnpu_launch_set_state(stream, VNPU_LAUNCH_NONE);
	spin_unlock_bh(&engines->lock);
	vnpu_core_call_engines(engines, classes);
}

/**
 * vnpu_core_end_launch_locked() - end a launch, and free its slot
 * @core: the core
 * @slot: the slot of the launch, which the core has got
 * @completion: the core's request
 * @now: CLOCK_MONOTONIC in ns, read while the caller held the lock
 * @classes: set the bits of classes of streams, for vnpu_core_call_engines()
 *
 * Return: the stream, which the caller wakes or takes; NULL if it has ended.
 */
struct vnpu_stream *
vnpu_core_end_launch_locked(struct vnpu_core *core, struct vnpu_core_slot *slot,
			    const struct vnpu_engine_completion *completion,
			    u64 now, u32 *classes)
{
	struct vnpu_stream *stream = slot->stream;
	int result = -(int)completion->error;

	lockdep_assert_held(&core->dev->engines->lock);
	trace_vnpu_launch(core, slot, VNPU_TRACE_END, result);
	WRITE_ONCE(core->completed, core->completed + 1);
	if (result)
		WRITE_ONCE(core->failures, core->failures + 1);
	vnpu_core_count_kernel_locked(core, slot, completion->kernel, now);
	if (stream)
		vnpu_launch_set_result_locked(stream, result, completion->addr);
	/* Launches that wait get the slot before the next of this. */
	vnpu_core_free_slot_locked(core, slot, now, classes);
	return stream;
}

/*
 * Take the completion of a launch that the core has got. Return the stream if the
 * caller owns it now, and calls vnpu_core_turn().
 */
static struct vnpu_stream *
vnpu_core_complete_locked(struct vnpu_core *core, struct vnpu_core_slot *slot,
			  struct vnpu_engine_completion *completion, u64 now,
			  u32 *classes)
{
	struct vnpu_stream *stream;

	/* It takes effect later, or never. */
	if (unlikely(slot->faults) &&
	    vnpu_core_inject_end_locked(core, slot, completion, now))
		return NULL;
	if (completion->error == EAGAIN) {
		trace_vnpu_launch(core, slot, VNPU_TRACE_END, -EAGAIN);
		vnpu_core_take_back_locked(core, slot, now, classes);
		return NULL;
	}
	stream = vnpu_core_end_launch_locked(core, slot, completion, now,
					     classes);
	if (stream && (completion->error ||
		       !vnpu_core_turn_begin_locked(stream))) {
		vnpu_launch_wake_locked(stream, classes);
		return NULL;
	}
	return stream;
}

/* Complete a launch; @is_twice is set if an injected fault repeats that. */
static int vnpu_core_complete_once(struct vnpu_core *core,
				   struct vnpu_engine_completion *completion,
				   bool *is_twice)
{
	struct vnpu_engines *engines = core->dev->engines;
	struct vnpu_stream *stream = NULL;
	struct vnpu_core_slot *slot;
	u32 classes = 0;
	int ret = 0;
	u64 now;

	spin_lock_bh(&engines->lock);
	now = ktime_get_ns();
	slot = vnpu_core_find_slot_locked(core, completion->id);
	if (core->has_ended) {
		ret = -ENODEV;
	} else if (!slot || !slot->is_fetched || slot->late_until) {
		ret = -ENOENT;
	} else {
		*is_twice = vnpu_core_inject_twice_locked(slot);
		stream = vnpu_core_complete_locked(core, slot, completion, now,
						   &classes);
	}
	spin_unlock_bh(&engines->lock);
	vnpu_core_call_engines(engines, classes);
	if (stream)
		vnpu_core_turn(stream, now);
	return ret;
}

/**
 * vnpu_core_complete() - end a launch, as its core requests
 * @core: the core
 * @completion: the request; the caller has checked its error. An injected fault
 *	may change it.
 *
 * Return: 0, or -ENOENT if the core has no such launch; -ENODEV.
 */
int vnpu_core_complete(struct vnpu_core *core,
		       struct vnpu_engine_completion *completion)
{
	bool is_twice = false;
	int ret = vnpu_core_complete_once(core, completion, &is_twice);

	/* Refused, also while the first is delayed. If that is discarded, so is this. */
	if (unlikely(is_twice))
		vnpu_core_complete_once(core, completion, &is_twice);
	return ret;
}
