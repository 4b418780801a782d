/* SPDX-License-Identifier: MIT */
/*
 * Memory of a device for pools.
 */
#ifndef VNPU_LIB_POOL_PROVIDER_H
#define VNPU_LIB_POOL_PROVIDER_H

#include <stdbool.h>

#include "vnpu/pool.h"

/*
 * Let a pool be of the current device: @provider, which is filled, and a limit
 * that is not more than there is.  Fails for @call without a current device.
 */
aclError vnpu_provider_current(const char *call,
			       struct vnpu_pool_config *config,
			       struct vnpu_pool_provider *provider);

/* The same for any device, by the driver's number; 0 or -errno. */
int vnpu_provider_device(uint32_t device, struct vnpu_pool_config *config,
			 struct vnpu_pool_provider *provider);

/* Memory of a device. */
void vnpu_provider_of(uint32_t device, struct vnpu_pool_provider *provider);

/* Give back what pools of a device have free; whether there are such. */
bool vnpu_provider_trim(uint32_t device);

/* The pools of a device, by the driver's number, end. */
void vnpu_provider_reset(uint32_t device);

#endif /* VNPU_LIB_POOL_PROVIDER_H */
