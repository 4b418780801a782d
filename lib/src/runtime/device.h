/* SPDX-License-Identifier: MIT */
/*
 * Devices, and how often this process has set them.
 */
#ifndef VNPU_LIB_DEVICE_H
#define VNPU_LIB_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "io/device_number.h"

struct vnpu_io_device;

/* Query the driver about a device, by the driver's number. */
aclError vnpu_device_query(uint32_t device, struct vnpu_io_device *info);

/* Query the driver about a device, by the user's number. */
aclError vnpu_device_query_user(int64_t user_device,
				struct vnpu_io_device *info);

/* Check that a device is set; ACL_ERROR_RT_CONTEXT_NULL if not. */
aclError vnpu_device_check_set(int32_t user_device);

/* Get the devices that are set: bit N stands for the user's number N. */
uint64_t vnpu_device_set_mask(void);

/*
 * Set the device of threads without a context; -1, the default, for none, so
 * that their calls fail.
 */
void vnpu_device_set_default(int32_t user_device);
int32_t vnpu_device_default(void);

/* Do the work of aclrtSetDevice(). */
aclError vnpu_device_set(int32_t user_device);

/*
 * Check whether this thread is setting a device, and runs a callback for that.
 */
bool vnpu_device_is_setting(void);

#endif /* VNPU_LIB_DEVICE_H */
