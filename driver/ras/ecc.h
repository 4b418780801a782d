/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors of device memory: counters, and a check for each use of memory. */
#ifndef VNPU_ECC_H
#define VNPU_ECC_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "inject.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_span;

/**
 * struct vnpu_ecc - memory errors of a device
 * @corrected: number of corrected errors
 * @uncorrected: number of uncorrected errors
 * @alarm: work that sets the device's health to alarm
 * @is_alarmed: true from an uncorrected error until the device is reset; under
 *	vnpu_engines.reset_lock
 */
struct vnpu_ecc {
	atomic64_t corrected;
	atomic64_t uncorrected;
	struct work_struct alarm;
	bool is_alarmed;
};

void vnpu_ecc_init(struct vnpu_ecc *ecc);
void vnpu_ecc_fini(struct vnpu_ecc *ecc);
void vnpu_ecc_flush(struct vnpu_ecc *ecc);
void vnpu_ecc_corrected(struct vnpu_ecc *ecc, u32 count);
void vnpu_ecc_uncorrected(struct vnpu_device *dev, u32 count, u64 client,
			  u64 addr);
int vnpu_ecc_meet(const struct vnpu_client *client, u64 va,
		  const struct vnpu_span *span, u64 *addr);

/*
 * Check a piece of memory for errors before its use. All errors are injected.
 * Return 0, or -EIO or -EFAULT with the address of the error in *@addr.
 */
static inline int vnpu_ecc_check(const struct vnpu_client *client, u64 va,
				 const struct vnpu_span *span, u64 *addr)
{
	return vnpu_inject_is_on() ? vnpu_ecc_meet(client, va, span, addr) : 0;
}

#endif
