/* SPDX-License-Identifier: MIT */
/*
 * Setting of devices, see set.c.
 */
#ifndef VNPU_LIB_DEVICE_SET_H
#define VNPU_LIB_DEVICE_SET_H

#include <stdint.h>

#include "acl/acl_base.h"

/* Do the work of aclrtSetDevice(). */
aclError vnpu_device_set(int32_t user_device);

#endif /* VNPU_LIB_DEVICE_SET_H */
