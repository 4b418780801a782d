/* SPDX-License-Identifier: MIT */
/*
 * Devices: the numbers by which this process sees them, and how often it has
 * set them.
 */
#ifndef VNPU_LIB_DEVICE_H
#define VNPU_LIB_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_io_device;

/**
 * vnpu_device_resolve() - convert the user's number to the driver's
 * @call: name of the AscendCL call
 * @user_device: number that the program passed
 * @device: set to the number in the driver
 *
 * Opens the device node on first use.  The caller does not hold the runtime
 * lock.
 *
 * Return: ACL_SUCCESS, ACL_ERROR_RT_INVALID_DEVICEID, or the code of
 * vnpu_error_open().
 */
aclError vnpu_device_resolve(const char *call, int64_t user_device,
			     uint32_t *device);

/* Query the driver about a device, by the driver's number. */
aclError vnpu_device_query(const char *call, uint32_t device,
			   struct vnpu_io_device *info);

/* Query the driver about a device, by the user's number. */
aclError vnpu_device_query_user(const char *call, int64_t user_device,
				struct vnpu_io_device *info);

/*
 * Convert the driver's number to the user's; -1 for a device that is not
 * visible.
 */
int32_t vnpu_device_user_number(int64_t device);

/* Count the visible devices; opens the device node on first use. */
aclError vnpu_device_count_get(const char *call, uint32_t *count);

/* Check that a device is set; ACL_ERROR_RT_CONTEXT_NULL if not. */
aclError vnpu_device_check_set(const char *call, int32_t user_device);

/* Do the work of aclrtSetDevice() on behalf of @call. */
aclError vnpu_device_set(const char *call, int32_t user_device);

/*
 * Check whether this thread is setting a device, and runs a callback for that.
 */
bool vnpu_device_is_setting(void);

#endif /* VNPU_LIB_DEVICE_H */
