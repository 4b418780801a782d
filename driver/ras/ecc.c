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
#include "ecc.h"
#include "inject.h"

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
