/* SPDX-License-Identifier: MIT */
/*
 * The numbers by which this process sees devices, and those of the driver.
 * They differ with ASCEND_RT_VISIBLE_DEVICES, or if the process does not have
 * all devices.
 */
#ifndef VNPU_LIB_DEVICE_NUMBER_H
#define VNPU_LIB_DEVICE_NUMBER_H

#include <stdint.h>

#include "acl/acl_rt.h"

/**
 * vnpu_device_resolve() - convert the user's number to the driver's
 * @user_device: number that the program passed
 * @device: set to the number in the driver
 *
 * Opens the device node on first use.  The caller does not hold the runtime
 * lock.
 *
 * Return: ACL_SUCCESS, ACL_ERROR_RT_INVALID_DEVICEID, or the code of
 * vnpu_error_open().
 */
aclError vnpu_device_resolve(int64_t user_device, uint32_t *device);

/*
 * Convert the driver's number to the user's; -1 for a device that is not
 * visible.
 */
int32_t vnpu_device_user_number(int64_t device);

/* Count the visible devices; opens the device node on first use. */
aclError vnpu_device_count_get(uint32_t *count);

#endif /* VNPU_LIB_DEVICE_NUMBER_H */
