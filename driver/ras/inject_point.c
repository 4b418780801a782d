// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault injection: the points in the driver where faults happen.
 *
 * The driver calls these functions wherever a fault may happen. As long as no
 * fault is set on any device, it skips the call with a branch.
 */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/sched.h>

#include <linux/vnpu_netlink.h>

#include "account/account.h"
#include "base/client.h"
#include "base/device.h"
#include "core/philox.h"
#include "ecc.h"
#include "inject.h"
#include "trace_mem.h"

/* Draw by the fault's probability; equal seeds give equal sequences. */
static bool vnpu_injection_is_drawn(struct vnpu_injection *fault)
{
	const u64 counter[2] = { fault->drawn++ };
	u32 block[4];

	vnpu_philox(counter, fault->seed, block);
	return (u64)block[0] * 1000000 >> 32 < fault->ppm;
}

/* Count a pass of the injection point, and check whether the fault happens. */
static bool vnpu_injection_is_due(struct vnpu_injection *fault)
{
	/* A slow engine is slow at every pass. */
	if (fault->kind == VNPU_INJECT_KIND_ENGINE_SLOW)
		return true;
	if (fault->ppm)
		return vnpu_injection_is_drawn(fault);
	if (!fault->nth || --fault->nth)
		return false;
	fault->nth = fault->every;
	return true;
}

/**
 * vnpu_inject_happens() - check at an injection point whether a fault happens
 * @dev: the device
 * @kind: VNPU_INJECT_KIND_*
 * @class: class of the engine, or VNPU_INJECT_ANY_CLASS
 * @client: id of the client, or VNPU_INJECT_ANY_CLIENT
 * @delay_us: set to the sum of the delays of all faults that happen
 *
 * Each fault that is set for this point counts the call.
 *
 * Return: true if at least one fault happens.
 */
bool vnpu_inject_happens(struct vnpu_device *dev, u32 kind, u32 class, u64 client,
			 u64 *delay_us)
{
	struct vnpu_inject *inject = &dev->inject;
	struct vnpu_injection_entry *entry;
	bool happens = false;

	*delay_us = 0;
	spin_lock(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link) {
		struct vnpu_injection *fault = &entry->fault;

		if (fault->kind != kind ||
		    (fault->class != class &&
		     fault->class != VNPU_INJECT_ANY_CLASS) ||
		    (fault->client != client &&
		     fault->client != VNPU_INJECT_ANY_CLIENT))
			continue;
		if (!vnpu_injection_is_due(fault))
			continue;
		fault->hits++;
		trace_vnpu_inject(dev, fault, client);
		*delay_us += fault->delay_us;
		happens = true;
	}
	spin_unlock(&inject->lock);
	return happens;
}

/**
 * vnpu_inject_alloc() - check whether an allocation of device memory is to fail
 * @account: the account that the memory is charged to
 *
 * Return: true if the allocation must fail.
 */
bool vnpu_inject_alloc(const struct vnpu_account *account)
{
	u64 delay_us;

	return vnpu_inject_happens(account->dev, VNPU_INJECT_KIND_ALLOC_FAIL,
				   VNPU_INJECT_ANY_CLASS, account->client->id,
				   &delay_us);
}

/**
 * vnpu_inject_host_alloc() - check whether an allocation of host memory is to
 * fail
 * @client: the client that allocates
 *
 * Host memory belongs to no device, so the faults of all devices apply.
 *
 * Return: true if the allocation must fail.
 */
bool vnpu_inject_host_alloc(const struct vnpu_client *client)
{
	struct vnpu_device *dev;
	unsigned long index = 0;
	bool fails = false;
	u64 delay_us;

	while ((dev = vnpu_device_get_next(&index))) {
		if (vnpu_inject_happens(dev, VNPU_INJECT_KIND_HOST_ALLOC_FAIL,
					VNPU_INJECT_ANY_CLASS, client->id,
					&delay_us))
			fails = true;
		vnpu_device_put(dev);
		index++;
	}
	return fails;
}

/**
 * vnpu_inject_event() - check whether a netlink event is to be lost
 * @dev: the device of the event
 * @client: id of the client that caused the event, or 0
 *
 * Return: true if the event must be reported as lost.
 */
bool vnpu_inject_event(struct vnpu_device *dev, u64 client)
{
	u64 delay_us;

	return vnpu_inject_happens(dev, VNPU_INJECT_KIND_EVENT_OVERRUN,
				   VNPU_INJECT_ANY_CLASS, client, &delay_us);
}

/**
 * vnpu_inject_memory() - inject faults into a use of device memory
 * @dev: the device of the memory
 * @client: the client that has the device addresses
 * @va: the first device address
 * @length: the length in bytes
 * @addr: set to the address of a fault, on error
 *
 * Return: 0, -EIO or -EFAULT.
 */
int vnpu_inject_memory(struct vnpu_device *dev, const struct vnpu_client *client,
		       u64 va, u64 length, u64 *addr)
{
	struct vnpu_inject *inject = &dev->inject;
	struct vnpu_injection_entry *entry;
	u32 corrected = 0, uncorrected = 0;
	int ret = 0;

	spin_lock(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link) {
		struct vnpu_injection *fault = &entry->fault;

		if (!fault->addr || fault->client != client->id ||
		    fault->addr - va >= length || !vnpu_injection_is_due(fault))
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
			/*
			 * An uncorrected error takes precedence over -EFAULT.
			 */
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
