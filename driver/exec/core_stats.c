// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of cores for monitors, which read them without vnpu_engines.lock.
 * The cores of a device, and those of a client, are busy while one of them has a
 * launch.
 */
#include "base/client.h"
#include "base/device.h"
#include "core.h"
#include "engine.h"
#include "sched_client.h"

static void vnpu_busy_count_locked(struct vnpu_busy_clock *clock, int change,
				   u64 now)
{
	u32 users = clock->users;

	clock->users += change;
	if (!users)
		WRITE_ONCE(clock->busy, vnpu_busy_begin(clock->busy, now));
	else if (!clock->users)
		WRITE_ONCE(clock->busy, vnpu_busy_at(clock->busy, now));
}

/**
 * vnpu_core_count_fetched_locked() - count the launches that a core has got
 * @core: the core
 * @change: 1 for one more, -1 for one less
 * @now: CLOCK_MONOTONIC in ns, read while the caller held the lock
 */
void vnpu_core_count_fetched_locked(struct vnpu_core *core, int change, u64 now)
{
	struct vnpu_engines *engines = core->dev->engines;

	lockdep_assert_held(&engines->lock);
	WRITE_ONCE(core->nr_fetched, core->nr_fetched + change);
	vnpu_busy_count_locked(&engines->cores.clock, change, now);
	vnpu_busy_count_locked(&core->sched->port.clock, change, now);
}

static u64 vnpu_busy_clock_read(struct vnpu_busy_clock *clock)
{
	return vnpu_busy_read(&clock->busy, &clock->reported);
}

/**
 * vnpu_client_core_busy_ns() - return the time for which cores had launches of
 *   a client
 * @client: the client
 *
 * Return: the time in ns, the sum over all devices.
 */
u64 vnpu_client_core_busy_ns(const struct vnpu_client *client)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < VNPU_MAX_DEVICES; i++) {
		struct vnpu_sched_client *sched;

		/* Pairs with smp_store_release() in vnpu_sched_client_publish(). */
		sched = smp_load_acquire(&client->sched[i]);
		if (sched)
			ns += vnpu_busy_clock_read(&sched->port.clock);
	}
	return ns;
}

/**
 * vnpu_cores_read() - read the statistics of all cores of a device
 * @engines: the engines of the device
 * @f: filled; the time is that for which at least one core had a launch
 */
void vnpu_cores_read(struct vnpu_engines *engines, struct vnpu_class_stats *f)
{
	f->count = READ_ONCE(engines->cores.count);
	f->busy_ns = vnpu_busy_clock_read(&engines->cores.clock);
}

/**
 * vnpu_core_get_next() - get a core of a device
 * @engines: the engines of the device
 * @index: the lowest index; set to the index of the core
 *
 * Return: the core with a reference; NULL if there is none with such an index.
 */
struct vnpu_core *vnpu_core_get_next(struct vnpu_engines *engines, u32 *index)
{
	unsigned long at = *index;
	struct vnpu_core *core;

	/* vnpu_core_end() removes it before the last reference is dropped. */
	xa_lock(&engines->cores.by_index);
	core = xa_find(&engines->cores.by_index, &at, ULONG_MAX, XA_PRESENT);
	if (core)
		vnpu_core_get(core);
	xa_unlock(&engines->cores.by_index);
	if (core)
		*index = at;
	return core;
}

/**
 * vnpu_core_read_next() - read the statistics of a core
 * @engines: the engines of a device
 * @index: the lowest index; set to the index of the core
 * @f: filled with the statistics
 *
 * Return: false if there is no core with such an index.
 */
bool vnpu_core_read_next(struct vnpu_engines *engines, u32 *index,
			 struct vnpu_core_stats *f)
{
	struct vnpu_core *core = vnpu_core_get_next(engines, index);

	if (!core)
		return false;
	f->client = core->client->id;
	f->busy_ns = vnpu_busy_clock_read(&core->sched->port.clock);
	f->launches = READ_ONCE(core->completed);
	f->failures = READ_ONCE(core->failures);
	f->running = READ_ONCE(core->nr_fetched);
	f->waiting = READ_ONCE(core->sched->port.nr_waiting);
	f->is_attached = READ_ONCE(core->is_attached);
	vnpu_core_put(core);
	return true;
}
