/* SPDX-License-Identifier: MIT */
/*
 * Devices: which of them this process sees under which number, and how often
 * it has set them.
 */
#ifndef VNPU_LIB_DEVICE_H
#define VNPU_LIB_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_io_device;

/**
 * vnpu_device_resolve() - from the user's number to the driver's
 * @call: name of the AscendCL call
 * @user_device: what the program passed
 * @device: set to the number for the driver
 *
 * Opens the device node at the first need.  The runtime lock is not held.
 *
 * Return: ACL_SUCCESS, ACL_ERROR_RT_INVALID_DEVICEID, or the code of
 * vnpu_error_open().
 */
aclError vnpu_device_resolve(const char *call, int64_t user_device,
			     uint32_t *device);

/* What the driver says of a device, by the driver's number. */
aclError vnpu_device_query(const char *call, uint32_t device,
			   struct vnpu_io_device *info);

/* From the driver's number to the user's; -1 for a device that is not seen. */
int32_t vnpu_device_user_number(int64_t device);

/* Number of devices that are seen; opens the device node at the first need. */
aclError vnpu_device_count_get(const char *call, uint32_t *count);

/* ACL_ERROR_RT_CONTEXT_NULL for a device that is not set. */
aclError vnpu_device_check_set(const char *call, int32_t user_device);

/* What aclrtSetDevice() does, on behalf of @call. */
aclError vnpu_device_set(const char *call, int32_t user_device);

/* Whether this thread is about to, and is in a function that is told of it. */
bool vnpu_device_is_setting(void);

#endif /* VNPU_LIB_DEVICE_H */
