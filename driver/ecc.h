/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors of device memory, see ecc.c. */
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
 * struct vnpu_ecc - errors of a device's memory
 * @corrected: how many did no harm
 * @uncorrected: how many did
 * @alarm: has the device's health tell of the latter
 * @is_alarmed: it does, until the device is reset; under
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
 * A piece of memory is about to be used: can it be? 0, or -EIO or -EFAULT with
 * the address where not. There are no errors but those on demand.
 */
static inline int vnpu_ecc_check(const struct vnpu_client *client, u64 va,
				 const struct vnpu_span *span, u64 *addr)
{
	return vnpu_inject_is_on() ? vnpu_ecc_meet(client, va, span, addr) : 0;
}

#endif
