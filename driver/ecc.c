// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors of device memory, as memory with ECC has them.
 *
 * Who uses memory by a device address, an engine or a call, asks here for each
 * piece of it. A corrected error is counted, and that is all. An uncorrected one
 * fails the use, before a byte of the piece has moved, and the device is not well
 * from then on until it is reset. What the host reaches by mapping is not looked
 * at, nor is what the driver does by itself: to clear memory and to move it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>

#include <linux/vnpu.h>

#include "bind.h"
#include "device.h"
#include "ecc.h"
#include "engine.h"
#include "mem.h"
#include "reset.h"

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
 * vnpu_ecc_init() - no errors
 * @ecc: of a device
 */
void vnpu_ecc_init(struct vnpu_ecc *ecc)
{
	INIT_WORK(&ecc->alarm, vnpu_ecc_alarm);
}

/**
 * vnpu_ecc_fini() - there will be no more
 * @ecc: of a device that nobody uses
 */
void vnpu_ecc_fini(struct vnpu_ecc *ecc)
{
	cancel_work_sync(&ecc->alarm);
}

/**
 * vnpu_ecc_flush() - have all that has happened told of
 * @ecc: of a device; its engines' reset_lock is not held
 */
void vnpu_ecc_flush(struct vnpu_ecc *ecc)
{
	flush_work(&ecc->alarm);
}

/**
 * vnpu_ecc_corrected() - there were errors that did no harm
 * @ecc: of a device
 * @count: how many
 */
void vnpu_ecc_corrected(struct vnpu_ecc *ecc, u32 count)
{
	atomic64_add(count, &ecc->corrected);
}

/**
 * vnpu_ecc_uncorrected() - there were errors that do harm
 * @dev: the device
 * @count: how many
 * @client: id of the client who met them
 * @addr: where; of several the last
 *
 * May be called with locks held, and by engines: its health is told of by who
 * can wait for a reset.
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
 * vnpu_ecc_meet() - is there an error in a piece of memory?
 * @client: who is about to use it
 * @va: by this device address
 * @span: the piece
 * @addr: set to where it cannot be used
 *
 * Return: 0, -EIO, or -EFAULT if it is to look as if there were none.
 */
int vnpu_ecc_meet(const struct vnpu_client *client, u64 va,
		  const struct vnpu_span *span, u64 *addr)
{
	struct vnpu_device *dev = span->mem->dev;

	/* Memory of the host is not ours. */
	return dev ? vnpu_inject_memory(dev, client, va, span->length, addr) : 0;
}
