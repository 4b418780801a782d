/* SPDX-License-Identifier: MIT */
/*
 * Device memory for pools.
 */
#ifndef VNPU_LIB_POOL_PROVIDER_H
#define VNPU_LIB_POOL_PROVIDER_H

#include <stdbool.h>

#include "vnpu/pool.h"

/*
 * Set up a pool of the current device: fills @provider, and limits the pool to
 * the memory of the device.  Fails without a current device.
 */
aclError vnpu_provider_current(struct vnpu_pool_config *config,
			       struct vnpu_pool_provider *provider);

/* Set up a pool of any device, by the driver's number; 0 or -errno. */
int vnpu_provider_device(uint32_t device, struct vnpu_pool_config *config,
			 struct vnpu_pool_provider *provider);

/* Get the provider of a device. */
void vnpu_provider_of(uint32_t device, struct vnpu_pool_provider *provider);

/* Check whether any device has pools, without a lock. */
bool vnpu_provider_has_pools(void);

/* Return the free memory of a device's pools; true if there are any. */
bool vnpu_provider_trim(uint32_t device);

/* End the pools of a device, by the driver's number. */
void vnpu_provider_reset(uint32_t device);

#endif /* VNPU_LIB_POOL_PROVIDER_H */
