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

struct vnpu_context;
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

/* A device of this process; the runtime lock protects it. */
struct vnpu_device_use {
	unsigned int refs;		/* sets without a reset */
	struct vnpu_context *primary;	/* set while refs is not 0 */
};

/* Get the use of a device, by the user's number. */
struct vnpu_device_use *vnpu_device_use(int32_t user_device);

/* Do the work of aclrtSetDevice(), in the room device/. */
typedef aclError vnpu_device_set_fn(int32_t user_device);

/*
 * Set the device of threads without a context, and the function that sets it;
 * -1, the default, for none, so that their calls fail.
 */
void vnpu_device_set_default(int32_t user_device, vnpu_device_set_fn *set);

/*
 * Get this device and the function; NULL without one, or in a callback that runs
 * because this thread is setting a device.
 */
vnpu_device_set_fn *vnpu_device_default(int32_t *user_device);

/* Record whether this thread is setting a device, and return the last record. */
bool vnpu_device_mark_setting(bool is_setting_now);

#endif /* VNPU_LIB_DEVICE_H */
