// SPDX-License-Identifier: GPL-2.0-only
/*
 * The events of cores: launches to run, and requests to stop. A core gets each
 * once, those with priority first. They are in the slots of their launches
 * (core_slot.c), so that no event is lost for lack of memory.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>

#include "base/device.h"
#include "ras/inject.h"
#include "core.h"
#include "engine.h"

/**
 * vnpu_core_count_events_locked() - change the number of events of a core
 * @core: the core
 * @change: 1 for one more, -1 for one less
 */
void vnpu_core_count_events_locked(struct vnpu_core *core, int change)
{
	lockdep_assert_held(&core->dev->engines->lock);
	WRITE_ONCE(core->nr_events, core->nr_events + change);
	WRITE_ONCE(core->state->pending, core->nr_events);
}

/*
 * Wake a thread that waits for an event, if there is one. The number of events
 * was stored before. Pairs with the full barrier of prepare_to_wait_exclusive()
 * in vnpu_core_wait(), which comes before the load of that number: either this
 * finds the thread, or the thread finds the event.
 */
static void vnpu_core_wake_one(struct vnpu_core *core)
{
	/* Each thread waits exclusively: this wakes one. */
	if (wq_has_sleeper(&core->wait))
		wake_up(&core->wait);
}

/**
 * vnpu_core_queue_event_locked() - queue an event for a core
 * @core: the core
 * @slot: the slot of the event, which is in no list
 * @list: VNPU_CORE_STOPS, or one more than the priority of a launch
 */
void vnpu_core_queue_event_locked(struct vnpu_core *core,
				  struct vnpu_core_slot *slot, u32 list)
{
	lockdep_assert_held(&core->dev->engines->lock);
	list_add_tail(&slot->link, &core->events[list]);
	vnpu_core_count_events_locked(core, 1);
	vnpu_core_wake_one(core);
	vnpu_pollers_call(&core->pollers);
}

/**
 * vnpu_core_find_slot_locked() - find a launch by its number
 * @core: the core
 * @id: any number
 *
 * Return: its slot or NULL.
 */
struct vnpu_core_slot *vnpu_core_find_slot_locked(struct vnpu_core *core,
						  u64 id)
{
	u32 i = id & (BIT(VNPU_CORE_SLOT_BITS) - 1);

	if (!id || i >= core->nr_slots)
		return NULL;
	i = array_index_nospec(i, core->nr_slots);
	return core->slots[i].id == id ? &core->slots[i] : NULL;
}

static bool vnpu_core_has_news(const struct vnpu_core *core)
{
	return READ_ONCE(core->nr_events) || READ_ONCE(core->has_ended);
}

/**
 * vnpu_core_wait() - wait for an event
 * @core: the core
 * @timeout_ns: when to stop waiting, CLOCK_MONOTONIC; U64_MAX for never
 *
 * Another thread may take the event before the caller does.
 *
 * Return: 0 if there is an event, or the core has ended; -EINTR or -ETIMEDOUT.
 */
int vnpu_core_wait(struct vnpu_core *core, u64 timeout_ns)
{
	ktime_t until = min_t(u64, timeout_ns, KTIME_MAX);
	DEFINE_WAIT(wait);
	int ret = 0;

	for (;;) {
		/*
		 * Each event wakes one thread. Pairs with wq_has_sleeper() in
		 * vnpu_core_wake_one().
		 */
		prepare_to_wait_exclusive(&core->wait, &wait,
					  TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		if (vnpu_core_has_news(core))
			break;
		if (signal_pending(current))
			ret = -EINTR;
		else if (!schedule_hrtimeout_range(timeout_ns == U64_MAX ? NULL :
							       &until,
						   current->timer_slack_ns,
						   HRTIMER_MODE_ABS))
			ret = -ETIMEDOUT;
		if (ret)
			break;
	}
	finish_wait(&core->wait, &wait);
	/* The wake-up may have been meant for this thread. */
	if (ret && vnpu_core_has_news(core)) {
		if (ret == -ETIMEDOUT)
			return 0;
		vnpu_core_wake_one(core);
	}
	return ret;
}

/**
 * vnpu_core_take_event() - take the next event of a core
 * @core: the core
 * @event: filled with the event
 *
 * Return: 0, -EAGAIN if there is none, -ENODEV, or -EINTR if an injected fault
 * kills the core.
 */
int vnpu_core_take_event(struct vnpu_core *core,
			 struct vnpu_engine_event *event)
{
	struct vnpu_engines *engines = core->dev->engines;
	struct vnpu_core_slot *slot;
	u32 list;
	int ret;

	if (!vnpu_core_has_news(core))
		return -EAGAIN;
	spin_lock_bh(&engines->lock);
	ret = core->has_ended ? -ENODEV : core->nr_events ? 0 : -EAGAIN;
	if (ret) {
		spin_unlock_bh(&engines->lock);
		return ret;
	}
	for (list = 0; list_empty(&core->events[list]); list++)
		;
	slot = list_first_entry(&core->events[list], struct vnpu_core_slot,
				link);
	list_del_init(&slot->link);
	vnpu_core_count_events_locked(core, -1);
	if (list == VNPU_CORE_STOPS) {
		*event = (struct vnpu_engine_event){
			.kind = VNPU_ENGINE_EVENT_STOP,
			.id = slot->id,
		};
	} else {
		*event = slot->event;
		slot->is_fetched = true;
		slot->fetched_at = ktime_get_ns();
		vnpu_core_count_fetched_locked(core, 1, slot->fetched_at);
	}
	if (core->nr_events)
		vnpu_core_wake_one(core);
	spin_unlock_bh(&engines->lock);
	if (vnpu_inject_is_on() && event->kind == VNPU_ENGINE_EVENT_LAUNCH)
		return vnpu_core_inject_launch(core, event->id);
	return 0;
}

/**
 * vnpu_core_return_event() - return an event that could not be delivered
 * @core: the core
 * @event: the event of vnpu_core_take_event()
 */
void vnpu_core_return_event(struct vnpu_core *core,
			    const struct vnpu_engine_event *event)
{
	struct vnpu_engines *engines = core->dev->engines;
	struct vnpu_core_slot *slot;
	u32 classes = 0;

	spin_lock_bh(&engines->lock);
	slot = vnpu_core_find_slot_locked(core, event->id);
	/*
	 * Another thread of the core may have guessed the number, and completed
	 * the launch, which may still have its slot if an injected fault delays
	 * that. If the driver wants it to stop by now, the core gets the request
	 * to stop alone. If the core is leaving by now, the launch waits for the
	 * next one.
	 */
	if (core->has_ended || !slot || slot->late_until ||
	    !list_empty(&slot->link)) {
		spin_unlock_bh(&engines->lock);
		return;
	}
	if (event->kind == VNPU_ENGINE_EVENT_STOP) {
		vnpu_core_queue_event_locked(core, slot, VNPU_CORE_STOPS);
	} else if (!slot->is_stopping && core->is_leaving) {
		vnpu_core_take_back_locked(core, slot, ktime_get_ns(),
					   &classes);
	} else if (!slot->is_stopping) {
		slot->is_fetched = false;
		vnpu_core_count_fetched_locked(core, -1, ktime_get_ns());
		vnpu_core_queue_event_locked(core, slot, VNPU_CORE_STOPS + 1 +
					     slot->event.priority);
	}
	spin_unlock_bh(&engines->lock);
	vnpu_core_call_engines(engines, classes);
}
