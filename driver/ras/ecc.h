/* SPDX-License-Identifier: GPL-2.0-only */
/* Errors of device memory: counters, and a check for each use of memory. */
#ifndef VNPU_ECC_H
#define VNPU_ECC_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "base/device.h"

struct vnpu_client;
struct vnpu_device;

void vnpu_ecc_corrected(struct vnpu_ecc *ecc, u32 count);
void vnpu_ecc_uncorrected(struct vnpu_device *dev, u32 count, u64 client,
			  u64 addr);

#endif
