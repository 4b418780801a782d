// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slots of cores: from a stream to a core, and back.
 *
 * A launch keeps its stream BLOCKED (sched.c) until it has ended. It goes
 * through the states of enum vnpu_launch_state:
 *
 *	NONE --> WAITING --> RESERVED --> OUT --> DONE --> NONE
 *	            ^                      |
 *	            +------------+---------+ the core ends or leaves before it has
 *	                                     got it, or gives it back
 *
 * core_end.c ends launches.
 *
 * All of this is done under vnpu_engines.lock, which the change of a stream's
 * state needs anyway.
 */
#include <linux/ktime.h>

#include "base/client.h"
#include "base/device.h"
#include "core.h"
#include "engine.h"
#include "sched_client.h"
#include "stream.h"
#include "trace.h"

static struct vnpu_core_port *vnpu_launch_port(const struct vnpu_stream *stream)
{
	return &stream->sched->port;
}

/**
 * vnpu_core_port_init() - initialise a port without a core
 * @port: the port, zeroed
 */
void vnpu_core_port_init(struct vnpu_core_port *port)
{
	u32 i;

	for (i = 0; i < VNPU_STREAM_PRIORITIES; i++)
		INIT_LIST_HEAD(&port->waiting[i]);
}

/**
 * vnpu_core_call_engines() - call engines for streams that were woken
 * @engines: the engines of a device; the caller has released the lock
 * @classes: bit N is set for class N
 */
void vnpu_core_call_engines(struct vnpu_engines *engines, u32 classes)
{
	u32 class;

	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		if (classes & BIT(class))
			vnpu_engines_call(engines, class);
}

/**
 * vnpu_launch_set_state() - change the state of a launch
 * @stream: the stream of the launch; the caller holds vnpu_engines.lock
 * @state: the new state
 */
void vnpu_launch_set_state(struct vnpu_stream *stream,
			   enum vnpu_launch_state state)
{
	lockdep_assert_held(&stream->dev->engines->lock);
	/* Owners of the stream read it without a lock. */
	WRITE_ONCE(stream->launch.state, state);
}

/**
 * vnpu_launch_wake_locked() - let an engine look at a launch
 * @stream: the stream of the launch
 * @classes: set the bit of its class, for vnpu_core_call_engines()
 */
void vnpu_launch_wake_locked(struct vnpu_stream *stream, u32 *classes)
{
	lockdep_assert_held(&stream->dev->engines->lock);
	*classes |= BIT(stream->class);
	vnpu_engines_wake_locked(stream);
}

static void vnpu_port_count_locked(struct vnpu_core_port *port, int change)
{
	WRITE_ONCE(port->nr_waiting, port->nr_waiting + change);
	if (port->core)
		WRITE_ONCE(port->core->state->waiting, port->nr_waiting);
}

/**
 * vnpu_launch_add_waiting_locked() - let a launch wait for a slot
 * @stream: the stream of the launch
 * @is_first: true to let it wait before others of its priority
 */
void vnpu_launch_add_waiting_locked(struct vnpu_stream *stream, bool is_first)
{
	struct vnpu_core_port *port = vnpu_launch_port(stream);
	struct list_head *list = &port->waiting[stream->priority];

	lockdep_assert_held(&stream->dev->engines->lock);
	if (is_first)
		list_add(&stream->launch.link, list);
	else
		list_add_tail(&stream->launch.link, list);
	vnpu_port_count_locked(port, 1);
	vnpu_launch_set_state(stream, VNPU_LAUNCH_WAITING);
}

/**
 * vnpu_launch_remove_waiting_locked() - let a launch no longer wait
 * @stream: the stream of the launch; the caller sets its state
 */
void vnpu_launch_remove_waiting_locked(struct vnpu_stream *stream)
{
	lockdep_assert_held(&stream->dev->engines->lock);
	list_del(&stream->launch.link);
	vnpu_port_count_locked(vnpu_launch_port(stream), -1);
}

/**
 * vnpu_port_first_waiting_locked() - find the launch that gets the next slot
 * @port: the port
 *
 * Return: its stream, or NULL.
 */
struct vnpu_stream *
vnpu_port_first_waiting_locked(const struct vnpu_core_port *port)
{
	u32 i;

	if (!port->nr_waiting)
		return NULL;
	for (i = 0; i < VNPU_STREAM_PRIORITIES; i++)
		if (!list_empty(&port->waiting[i]))
			return list_first_entry(&port->waiting[i],
						struct vnpu_stream,
						launch.link);
	return NULL;
}

static struct vnpu_core_slot *vnpu_core_take_slot_locked(struct vnpu_core *core)
{
	u32 i = __ffs64(core->free);

	core->free &= core->free - 1;
	return &core->slots[i];
}

/* Check if a core can get one more launch. */
static bool vnpu_core_can_take_locked(const struct vnpu_core *core)
{
	return core->is_attached && !core->has_ended && !core->is_leaving &&
	       core->free;
}

/* Reserve free slots for the launches that wait. */
static void vnpu_core_reserve_locked(struct vnpu_core *core, u32 *classes)
{
	struct vnpu_core_port *port = &core->sched->port;
	struct vnpu_stream *stream;

	while (port->nr_waiting && vnpu_core_can_take_locked(core)) {
		stream = vnpu_port_first_waiting_locked(port);
		vnpu_launch_remove_waiting_locked(stream);
		stream->launch.slot = vnpu_core_take_slot_locked(core);
		stream->launch.slot->stream = stream;
		vnpu_launch_set_state(stream, VNPU_LAUNCH_RESERVED);
		vnpu_launch_wake_locked(stream, classes);
	}
}

/**
 * vnpu_core_free_slot_locked() - free the slot of a launch
 * @core: the core
 * @slot: the slot; the next launch that waits gets it
 * @now: CLOCK_MONOTONIC in ns, read while the caller held the lock
 * @classes: set the bits of classes of streams, for vnpu_core_call_engines()
 */
void vnpu_core_free_slot_locked(struct vnpu_core *core,
				struct vnpu_core_slot *slot, u64 now,
				u32 *classes)
{
	lockdep_assert_held(&core->dev->engines->lock);
	/* Remove an event that the core has not fetched. */
	if (!list_empty(&slot->link)) {
		list_del_init(&slot->link);
		vnpu_core_count_events_locked(core, -1);
	}
	if (slot->is_fetched)
		vnpu_core_count_fetched_locked(core, -1, now);
	if (slot->is_stopping)
		wake_up_all(&core->stopped);
	slot->id = 0;
	slot->stream = NULL;
	slot->is_fetched = false;
	slot->is_stopping = false;
	slot->faults = 0;
	slot->delay_ns = 0;
	slot->late_until = 0;
	core->free |= BIT_ULL(slot - core->slots);
	vnpu_core_reserve_locked(core, classes);
}

/* Give a launch to the core. The caller runs its stream. */
static void vnpu_launch_give_locked(struct vnpu_stream *stream,
				    struct vnpu_core *core,
				    struct vnpu_core_slot *slot)
{
	const struct vnpu_run *run = &stream->run;
	const struct vnpu_task *task = &run->task;

	slot->id = ++core->launches << VNPU_CORE_SLOT_BITS | (slot - core->slots);
	slot->stream = stream;
	slot->was_late = false;
	slot->restarts_limit = false;
	slot->event = (struct vnpu_engine_event){
		.kind = VNPU_ENGINE_EVENT_LAUNCH,
		.cores = task->mode,
		.id = slot->id,
		.function = task->arg0,
		.args = task->src,
		.args_length = task->length,
		.blocks = task->arg1,
		.attributes = task->arg2,
		.stream = stream->id,
		.seq = run->seq,
		.priority = stream->priority,
	};
	trace_vnpu_launch(core, slot, VNPU_TRACE_GIVE, 0);
	stream->launch.slot = slot;
	vnpu_launch_set_state(stream, VNPU_LAUNCH_OUT);
	vnpu_core_queue_event_locked(core, slot,
				     VNPU_CORE_STOPS + 1 + stream->priority);
}

/*
 * Set the time limit of a launch, which begins when the core can get it, or when
 * there is no core. Do so each time that an engine looks at the launch.
 */
static void vnpu_launch_set_deadline_locked(struct vnpu_stream *stream,
					    u64 now, bool begins)
{
	const struct vnpu_core_port *port = vnpu_launch_port(stream);
	struct vnpu_launch *launch = &stream->launch;
	struct vnpu_run *run = &stream->run;
	u64 since = now;

	if (!launch->limit_ns)
		return;
	if (launch->state == VNPU_LAUNCH_WAITING) {
		if (!port->core || !port->core->is_attached ||
		    port->core->is_leaving)
			since = max(launch->since, port->lost_at);
	} else if (launch->slot->restarts_limit) {
		launch->slot->restarts_limit = false;
	} else if (!begins && !port->core->is_debugged) {
		/*
		 * If no engine has looked for long after the end of the time,
		 * the system was suspended, and the core as well.
		 */
		if (launch->was_late ||
		    now < run->deadline + VNPU_CORE_STOP_NS)
			return;
		launch->was_late = true;
	}
	run->deadline = since + launch->limit_ns;
}

/**
 * vnpu_launch_look() - begin or continue a launch
 * @stream: the stream, which the calling engine runs, with a launch as its task
 *
 * Return: VNPU_TASK_BLOCKED as an int until the launch has ended, then its
 * result: 0 or -errno. Sets the deadline and the fault of the task.
 */
int vnpu_launch_look(struct vnpu_stream *stream)
{
	struct vnpu_core_port *port = vnpu_launch_port(stream);
	struct vnpu_engines *engines = stream->dev->engines;
	struct vnpu_launch *launch = &stream->launch;
	struct vnpu_core *core;
	bool begins = false;
	int ret = 1;
	u64 now;

	spin_lock_bh(&engines->lock);
	core = port->core;
	now = ktime_get_ns();
	switch (launch->state) {
	case VNPU_LAUNCH_NONE:
		if (port->has_failed) {
			ret = -EIO;
			break;
		}
		launch->since = now;
		if (core && vnpu_core_can_take_locked(core)) {
			vnpu_launch_give_locked(stream, core,
						vnpu_core_take_slot_locked(core));
			begins = true;
		} else {
			vnpu_launch_add_waiting_locked(stream, false);
		}
		break;
	case VNPU_LAUNCH_RESERVED:
		vnpu_launch_give_locked(stream, core, launch->slot);
		begins = true;
		break;
	case VNPU_LAUNCH_DONE:
		vnpu_launch_set_state(stream, VNPU_LAUNCH_NONE);
		stream->run.fault = launch->fault;
		ret = launch->result;
		break;
	case VNPU_LAUNCH_WAITING:
	case VNPU_LAUNCH_OUT:
		break;
	}
	if (ret > 0)
		vnpu_launch_set_deadline_locked(stream, now, begins);
	spin_unlock_bh(&engines->lock);
	return ret;
}

/**
 * vnpu_core_open_slots() - let the process of a core get launches
 * @core: the core, to which the caller has attached
 */
void vnpu_core_open_slots(struct vnpu_core *core)
{
	struct vnpu_engines *engines = core->dev->engines;
	u32 classes = 0;

	spin_lock_bh(&engines->lock);
	WRITE_ONCE(core->is_attached, true);
	vnpu_core_reserve_locked(core, &classes);
	spin_unlock_bh(&engines->lock);
	vnpu_core_call_engines(engines, classes);
}
