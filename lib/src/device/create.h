/* SPDX-License-Identifier: MIT */
/*
 * Creation and destruction of contexts, see create.c.
 */
#ifndef VNPU_LIB_DEVICE_CREATE_H
#define VNPU_LIB_DEVICE_CREATE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/context.h"

/* Both need the runtime lock. */

/* Create a context; returns ACL_SUCCESS or a code without a message. */
aclError vnpu_context_create_locked(int32_t user_device, uint32_t device,
				    bool is_primary,
				    struct vnpu_context **context);

/* Destroy all contexts of a device. */
void vnpu_context_destroy_all(int32_t user_device);

#endif /* VNPU_LIB_DEVICE_CREATE_H */
