// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors of device memory, as memory with ECC has them.
 *
 * An engine or a call that uses memory by a device address checks each piece of
 * it here first. A corrected error is only counted. An uncorrected error fails
 * the use before any byte of the piece has moved, and sets the device's health
 * to alarm until the next reset. Two kinds of use are not checked: accesses
 * through host mappings, and the driver's own clearing and moving of memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>

#include <linux/vnpu.h>

#include "base/device.h"
#include "exec/engine.h"
#include "exec/reset.h"
#include "mem/mem.h"
#include "va/bind.h"
#include "ecc.h"

static void vnpu_ecc_alarm(struct work_struct *work)
{
	struct vnpu_device *dev = container_of(work, struct vnpu_device,
					       ecc.alarm);

	mutex_lock(&dev->engines->reset_lock);
	dev->ecc.is_alarmed = true;
	vnpu_device_set_health(dev, VNPU_HEALTH_ALARM);
	mutex_unlock(&dev->engines->reset_lock);
}

/**
 * vnpu_ecc_init() - initialize the error counters of a device
 * @ecc: the memory errors of the device
 */
void vnpu_ecc_init(struct vnpu_ecc *ecc)
{
	INIT_WORK(&ecc->alarm, vnpu_ecc_alarm);
}

/**
 * vnpu_ecc_fini() - stop the alarm work of a device
 * @ecc: the memory errors of the device, which has no users left
 */
void vnpu_ecc_fini(struct vnpu_ecc *ecc)
{
	cancel_work_sync(&ecc->alarm);
}

/**
 * vnpu_ecc_flush() - wait until all errors so far have changed the health
 * @ecc: the memory errors of the device; the caller does not hold
 *	vnpu_engines.reset_lock
 */
void vnpu_ecc_flush(struct vnpu_ecc *ecc)
{
	flush_work(&ecc->alarm);
}

/**
 * vnpu_ecc_corrected() - count corrected errors
 * @ecc: the memory errors of the device
 * @count: the number of errors
 */
void vnpu_ecc_corrected(struct vnpu_ecc *ecc, u32 count)
{
	atomic64_add(count, &ecc->corrected);
}

/**
 * vnpu_ecc_uncorrected() - count uncorrected errors, and raise the alarm
 * @dev: the device
 * @count: the number of errors
 * @client: id of the client that used the memory
 * @addr: the address of the last error
 *
 * May be called by engines and with locks held. A work item changes the health,
 * because it may have to wait for a reset.
 */
void vnpu_ecc_uncorrected(struct vnpu_device *dev, u32 count, u64 client,
			  u64 addr)
{
	atomic64_add(count, &dev->ecc.uncorrected);
	vnpu_device_note_lost(dev);
	pr_warn_ratelimited("device %u: uncorrected memory error at address 0x%llx of client %llu\n",
			    dev->index, addr, client);
	queue_work(system_long_wq, &dev->ecc.alarm);
}

/**
 * vnpu_ecc_meet() - inject errors into a use of a piece of memory
 * @client: the client that uses the memory
 * @va: the device address of the piece
 * @span: the piece
 * @addr: set to the address of the error, on failure
 *
 * Return: 0, -EIO, or -EFAULT to fail as if the address were not bound.
 */
int vnpu_ecc_meet(const struct vnpu_client *client, u64 va,
		  const struct vnpu_span *span, u64 *addr)
{
	struct vnpu_device *dev = span->mem->dev;

	/* Errors are injected into device memory only, not into host memory. */
	return dev ? vnpu_inject_memory(dev, client, va, span->length, addr) : 0;
}
