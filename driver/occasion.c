// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand: when and how they happen.
 *
 * Where one can happen the driver asks here; as long as none is set anywhere,
 * the question is a jump that is not taken.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include <linux/vnpu_netlink.h>

#include "client.h"
#include "core/philox.h"
#include "device.h"
#include "ecc.h"
#include "engine.h"
#include "inject.h"
#include "stream.h"
#include "task.h"
#include "trace_mem.h"
#include "usage.h"

/* ns between two looks whether a fault is to end. */
#define VNPU_FAULT_LOOK		NSEC_PER_MSEC

/* In so many millionths of occasions; the same of the same seed. */
static bool vnpu_fault_is_drawn(struct vnpu_fault *fault)
{
	const u64 counter[2] = { fault->drawn++ };
	u32 block[4];

	vnpu_philox(counter, fault->seed, block);
	return (u64)block[0] * 1000000 >> 32 < fault->ppm;
}

/* An occasion for a fault: does it happen? */
static bool vnpu_fault_is_due(struct vnpu_fault *fault)
{
	/* To be slow is for always. */
	if (fault->delay_us)
		return true;
	if (fault->ppm)
		return vnpu_fault_is_drawn(fault);
	if (!fault->nth || --fault->nth)
		return false;
	fault->nth = fault->every;
	return true;
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
		if (!vnpu_fault_is_due(fault))
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
		vnpu_engine_freeze(engine, stream);
		set_current_state(TASK_IDLE | TASK_FREEZABLE);
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
 * vnpu_inject_host_alloc() - memory of the host is about to be allocated
 * @client: for this client
 *
 * It is of no device, so those of each are asked.
 *
 * Return: true if there is to be none.
 */
bool vnpu_inject_host_alloc(const struct vnpu_client *client)
{
	struct vnpu_device *dev;
	unsigned long index = 0;
	bool fails = false;
	u64 delay_us;

	while ((dev = vnpu_device_get_next(&index))) {
		if (vnpu_inject_happens(dev, VNPU_INJECT_KIND_HOST_ALLOC_FAIL,
					VNPU_FAULT_ANY_CLASS, client->id,
					&delay_us))
			fails = true;
		vnpu_device_put(dev);
		index++;
	}
	return fails;
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
 * Return: 0, -EIO or -EFAULT.
 */
int vnpu_inject_memory(struct vnpu_device *dev, const struct vnpu_client *client,
		       u64 va, u64 length, u64 *addr)
{
	struct vnpu_inject *inject = &dev->inject;
	struct vnpu_fault_entry *entry;
	u32 corrected = 0, uncorrected = 0;
	int ret = 0;

	spin_lock(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link) {
		struct vnpu_fault *fault = &entry->fault;

		if (!fault->addr || fault->client != client->id ||
		    fault->addr - va >= length || !vnpu_fault_is_due(fault))
			continue;
		fault->hits++;
		trace_vnpu_inject(dev, fault, client->id);
		switch (fault->kind) {
		case VNPU_INJECT_KIND_ECC_CORRECTED:
			corrected++;
			break;
		case VNPU_INJECT_KIND_ECC_UNCORRECTED:
			uncorrected++;
			ret = -EIO;
			*addr = fault->addr;
			break;
		default:
			/* That the memory is bad comes before that there is none. */
			if (uncorrected)
				break;
			ret = -EFAULT;
			*addr = fault->addr;
		}
	}
	spin_unlock(&inject->lock);

	if (corrected)
		vnpu_ecc_corrected(&dev->ecc, corrected);
	if (uncorrected)
		vnpu_ecc_uncorrected(dev, uncorrected, client->id, *addr);
	return ret;
}
