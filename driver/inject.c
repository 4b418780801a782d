// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand: which there are, and how they happen.
 *
 * An administrator sets them by netlink, each for a device and, if he likes, for
 * one client or class of engines. Where one can happen the driver asks here; as
 * long as none is set anywhere, the question is a jump that is not taken. A kind
 * of fault is a row of the table below, and the place that asks for it.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <linux/vnpu_netlink.h>

#include "client.h"
#include "device.h"
#include "ecc.h"
#include "engine.h"
#include "inject.h"
#include "stream.h"
#include "task.h"
#include "trace_mem.h"
#include "usage.h"

/* How many one device has at most. */
#define VNPU_FAULTS_MAX		64

/* The longest that a slow engine takes for a part of a task. */
#define VNPU_FAULT_DELAY_MAX	(60 * USEC_PER_SEC)

/* ns between two looks whether a fault is to end. */
#define VNPU_FAULT_LOOK		NSEC_PER_MSEC

atomic_t vnpu_inject_count = ATOMIC_INIT(0);

/**
 * struct vnpu_fault_kind - a kind of fault
 * @has_class: it may be for one class of engines
 * @has_nth: it happens once, at an occasion that is said
 * @has_delay: it takes a time that is said
 * @has_addr: it is at an address of a client, both of which are said
 */
struct vnpu_fault_kind {
	bool has_class;
	bool has_nth;
	bool has_delay;
	bool has_addr;
};

static const struct vnpu_fault_kind vnpu_fault_kinds[] = {
	[VNPU_INJECT_KIND_ENGINE_HANG] = { .has_class = true, .has_nth = true },
	[VNPU_INJECT_KIND_ENGINE_SLOW] = { .has_class = true, .has_delay = true },
	[VNPU_INJECT_KIND_DOORBELL_LOST] = { .has_nth = true },
	[VNPU_INJECT_KIND_ALLOC_FAIL] = { .has_nth = true },
	[VNPU_INJECT_KIND_ECC_CORRECTED] = { .has_nth = true, .has_addr = true },
	[VNPU_INJECT_KIND_ECC_UNCORRECTED] = { .has_nth = true, .has_addr = true },
	[VNPU_INJECT_KIND_EVENT_OVERRUN] = { .has_nth = true },
};

/**
 * struct vnpu_fault_entry - a fault in the list
 * @link: in vnpu_inject.faults
 * @number: of the fault; grows along the list
 * @fault: the fault
 */
struct vnpu_fault_entry {
	struct list_head link;
	u64 number;
	struct vnpu_fault fault;
};

/**
 * vnpu_inject_init() - no faults
 * @inject: of a device
 */
void vnpu_inject_init(struct vnpu_inject *inject)
{
	spin_lock_init(&inject->lock);
	INIT_LIST_HEAD(&inject->faults);
}

/**
 * vnpu_inject_check() - can a fault be set?
 * @fault: any values; the next occasion, if none is said
 * @extack: told why not
 *
 * Return: 0 or -EINVAL.
 */
int vnpu_inject_check(struct vnpu_fault *fault,
		      struct netlink_ext_ack *extack)
{
	const struct vnpu_fault_kind *kind;

	if (fault->kind >= ARRAY_SIZE(vnpu_fault_kinds)) {
		NL_SET_ERR_MSG(extack, "there is no such kind of fault");
		return -EINVAL;
	}
	kind = &vnpu_fault_kinds[fault->kind];
	if (fault->class != VNPU_FAULT_ANY_CLASS &&
	    (!kind->has_class || fault->class >= VNPU_ENGINE_CLASSES)) {
		NL_SET_ERR_MSG(extack, "it is of no class of engines, or of no such one");
		return -EINVAL;
	}
	if (fault->nth && !kind->has_nth) {
		NL_SET_ERR_MSG(extack, "it does not happen at one occasion");
		return -EINVAL;
	}
	if (kind->has_nth && !fault->nth)
		fault->nth = 1;
	if (kind->has_delay != !!fault->delay_us ||
	    fault->delay_us > VNPU_FAULT_DELAY_MAX) {
		NL_SET_ERR_MSG(extack, "it has no delay, or needs one of 1 us to 60 s");
		return -EINVAL;
	}
	if (kind->has_addr != !!fault->addr ||
	    (kind->has_addr && fault->client == VNPU_FAULT_ANY_CLIENT)) {
		NL_SET_ERR_MSG(extack, "it has no address, or needs one and its client");
		return -EINVAL;
	}
	return 0;
}

static struct vnpu_fault_entry *
vnpu_inject_find_locked(struct vnpu_inject *inject,
			const struct vnpu_fault *fault)
{
	struct vnpu_fault_entry *entry;

	lockdep_assert_held(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link)
		if (entry->fault.kind == fault->kind &&
		    entry->fault.class == fault->class &&
		    entry->fault.client == fault->client &&
		    entry->fault.addr == fault->addr)
			return entry;
	return NULL;
}

static void vnpu_inject_remove_locked(struct vnpu_inject *inject,
				      struct vnpu_fault_entry *entry)
{
	lockdep_assert_held(&inject->lock);
	list_del(&entry->link);
	inject->count--;
}

static void vnpu_fault_entry_free(struct vnpu_fault_entry *entry)
{
	kfree(entry);
	atomic_dec(&vnpu_inject_count);
}

/**
 * vnpu_inject_set() - have a fault happen
 * @inject: of the device
 * @fault: the fault, which was checked; it takes the place of the one that is
 *	there for the same
 *
 * Return: 0, -ENOMEM or -ENOSPC (there are too many).
 */
int vnpu_inject_set(struct vnpu_inject *inject, const struct vnpu_fault *fault)
{
	struct vnpu_fault_entry *entry, *old;
	bool full;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->fault = *fault;
	/* Before it can happen, so that no occasion is missed. */
	atomic_inc(&vnpu_inject_count);

	spin_lock(&inject->lock);
	old = vnpu_inject_find_locked(inject, fault);
	full = !old && inject->count == VNPU_FAULTS_MAX;
	if (!full) {
		if (old)
			vnpu_inject_remove_locked(inject, old);
		entry->number = ++inject->last;
		list_add_tail(&entry->link, &inject->faults);
		inject->count++;
	}
	spin_unlock(&inject->lock);
	if (full)
		old = entry;
	if (old)
		vnpu_fault_entry_free(old);
	return full ? -ENOSPC : 0;
}

/**
 * vnpu_inject_clear() - have a fault not happen any more
 * @inject: of the device
 * @fault: its kind, class, client and address
 *
 * What has happened stays so: an engine that hangs goes on doing it.
 *
 * Return: 0 or -ENOENT.
 */
int vnpu_inject_clear(struct vnpu_inject *inject,
		      const struct vnpu_fault *fault)
{
	struct vnpu_fault_entry *entry;

	spin_lock(&inject->lock);
	entry = vnpu_inject_find_locked(inject, fault);
	if (entry)
		vnpu_inject_remove_locked(inject, entry);
	spin_unlock(&inject->lock);
	if (!entry)
		return -ENOENT;
	vnpu_fault_entry_free(entry);
	return 0;
}

/**
 * vnpu_inject_clear_all() - have none happen any more
 * @inject: of the device
 */
void vnpu_inject_clear_all(struct vnpu_inject *inject)
{
	struct vnpu_fault_entry *entry, *next;
	LIST_HEAD(faults);

	spin_lock(&inject->lock);
	list_splice_init(&inject->faults, &faults);
	inject->count = 0;
	spin_unlock(&inject->lock);
	list_for_each_entry_safe(entry, next, &faults, link)
		vnpu_fault_entry_free(entry);
}

/**
 * vnpu_inject_get_next() - look at the faults one after the other
 * @inject: of the device
 * @number: of the last that was looked at, 0 at first; of this one
 * @fault: filled
 *
 * Return: false if there is none left.
 */
bool vnpu_inject_get_next(struct vnpu_inject *inject, u64 *number,
			  struct vnpu_fault *fault)
{
	struct vnpu_fault_entry *entry;
	bool found = false;

	spin_lock(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link) {
		found = entry->number > *number;
		if (found) {
			*number = entry->number;
			*fault = entry->fault;
			break;
		}
	}
	spin_unlock(&inject->lock);
	return found;
}

/*
 * An occasion for faults of a kind: does one happen? Each that is meant counts
 * it. Of several that happen, *@delay_us is what all take together.
 */
static bool vnpu_inject_happens(struct vnpu_device *dev, u32 kind, u32 class,
				u64 client, u64 *delay_us)
{
	struct vnpu_inject *inject = &dev->inject;
	struct vnpu_fault_entry *entry;
	bool happens = false;

	*delay_us = 0;
	spin_lock(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link) {
		struct vnpu_fault *fault = &entry->fault;

		if (fault->kind != kind ||
		    (fault->class != class &&
		     fault->class != VNPU_FAULT_ANY_CLASS) ||
		    (fault->client != client &&
		     fault->client != VNPU_FAULT_ANY_CLIENT))
			continue;
		if (vnpu_fault_kinds[kind].has_nth &&
		    (!fault->nth || --fault->nth))
			continue;
		fault->hits++;
		trace_vnpu_inject(dev, fault, client);
		*delay_us += fault->delay_us;
		happens = true;
	}
	spin_unlock(&inject->lock);
	return happens;
}

/*
 * An engine that does nothing until then, unless the task is to end before. It
 * looks rather than is woken, so that what ends tasks need not know of it.
 */
static int vnpu_inject_stall(struct vnpu_engine *engine,
			     struct vnpu_stream *stream, u64 until)
{
	/* Nobody else is to wait for what it had in sight. */
	vnpu_engine_stop_lingering(engine);
	for (;;) {
		int ret = vnpu_task_must_end(stream);
		u64 now = ktime_get_ns();
		ktime_t pause;

		if (ret || now >= until)
			return ret;
		pause = ns_to_ktime(min_t(u64, until - now, VNPU_FAULT_LOOK));
		set_current_state(TASK_IDLE);
		schedule_hrtimeout(&pause, HRTIMER_MODE_REL);
	}
}

/**
 * vnpu_inject_task() - an engine is about to run a part of a task
 * @engine: the engine, of the calling thread
 * @stream: the stream, with the task
 * @starts: it is the first part
 * @cost: may grow, so that the turn is over
 *
 * Return: 0, or -errno: then the task ends with that.
 */
int vnpu_inject_task(struct vnpu_engine *engine, struct vnpu_stream *stream,
		     bool starts, u64 *cost)
{
	u64 client = stream->client->id, delay_us;
	int ret;

	/* Who waits takes no engine's time. */
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
	/* Slow is not hung: what counts is the time of one part. */
	WRITE_ONCE(engine->beat, ktime_get_ns());
	*cost += VNPU_TASK_CHUNK;
	return ret;
}

/**
 * vnpu_inject_doorbell() - a doorbell is rung
 * @stream: of this stream
 *
 * Return: true if it is not to be heard.
 */
bool vnpu_inject_doorbell(const struct vnpu_stream *stream)
{
	const struct vnpu_client *client = READ_ONCE(stream->client);
	u64 delay_us;

	/* It may have ended meanwhile. */
	return client &&
	       vnpu_inject_happens(stream->dev, VNPU_INJECT_KIND_DOORBELL_LOST,
				   VNPU_FAULT_ANY_CLASS, client->id, &delay_us);
}

/**
 * vnpu_inject_alloc() - memory is about to be allocated
 * @usage: the account it is for
 *
 * Return: true if there is to be none.
 */
bool vnpu_inject_alloc(const struct vnpu_usage *usage)
{
	u64 delay_us;

	return vnpu_inject_happens(usage->dev, VNPU_INJECT_KIND_ALLOC_FAIL,
				   VNPU_FAULT_ANY_CLASS, usage->client->id,
				   &delay_us);
}

/**
 * vnpu_inject_event() - an event is about to be told
 * @dev: of this device
 * @client: and this client; 0 if of none
 *
 * Return: true if there is to be no room for it.
 */
bool vnpu_inject_event(struct vnpu_device *dev, u64 client)
{
	u64 delay_us;

	return vnpu_inject_happens(dev, VNPU_INJECT_KIND_EVENT_OVERRUN,
				   VNPU_FAULT_ANY_CLASS, client, &delay_us);
}

/**
 * vnpu_inject_memory() - memory of a device is about to be used
 * @dev: the device
 * @client: whose device addresses
 * @va: the first of them
 * @length: bytes
 * @addr: set to where it cannot be used
 *
 * Return: 0 or -EIO.
 */
int vnpu_inject_memory(struct vnpu_device *dev, const struct vnpu_client *client,
		       u64 va, u64 length, u64 *addr)
{
	struct vnpu_inject *inject = &dev->inject;
	struct vnpu_fault_entry *entry;
	u32 hits[2] = {};

	spin_lock(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link) {
		struct vnpu_fault *fault = &entry->fault;
		bool is_fatal = fault->kind == VNPU_INJECT_KIND_ECC_UNCORRECTED;

		if (!vnpu_fault_kinds[fault->kind].has_addr ||
		    fault->client != client->id || fault->addr - va >= length ||
		    !fault->nth || --fault->nth)
			continue;
		fault->hits++;
		trace_vnpu_inject(dev, fault, client->id);
		hits[is_fatal]++;
		if (is_fatal)
			*addr = fault->addr;
	}
	spin_unlock(&inject->lock);

	if (hits[false])
		vnpu_ecc_corrected(&dev->ecc, hits[false]);
	if (!hits[true])
		return 0;
	vnpu_ecc_uncorrected(dev, hits[true], client->id, *addr);
	return -EIO;
}
