/* SPDX-License-Identifier: MIT */
/*
 * Notifies, see notify.c.
 */
#ifndef VNPU_LIB_NOTIFY_H
#define VNPU_LIB_NOTIFY_H

#include <stdint.h>

#include "base/handle.h"
#include "ipc/token.h"
#include "runtime/context.h"

/* A notify of either kind; protected by the runtime lock. */
struct vnpu_notify {
	struct vnpu_notify *next;	/* in the list of all */
	uint64_t handle;
	uint64_t counter;		/* its id in the driver; constant */
	uint32_t number;		/* constant */
	int32_t user_device;		/* a reset of it ends this; constant */
	uint32_t device;		/* its number in the driver */
	bool is_imported;
	bool is_exported;
	struct vnpu_token token;	/* valid if it is imported */
};

/* Create a notify for the current device. */
aclError vnpu_notify_create(enum vnpu_handle_kind kind, void **handle);

/* Create a notify from an imported counter; takes ownership of it. */
aclError vnpu_notify_adopt(uint64_t counter, uint32_t number,
			   const struct vnpu_current *current, void **handle);

/* Look up a notify; on success the runtime lock is held. */
aclError vnpu_notify_lock(enum vnpu_handle_kind kind, const void *handle,
			  struct vnpu_notify **notify);

/* Destroy a notify; the lock is held, and dropped. */
aclError vnpu_notify_destroy(struct vnpu_notify *notify);

/* Get the driver's id of a notify. */
aclError vnpu_notify_counter(enum vnpu_handle_kind kind, const void *handle,
			     uint64_t *counter);

/* Convert the limit of a task from seconds, where 0 means none. */
static inline uint32_t vnpu_seconds_to_ms(uint32_t seconds)
{
	return seconds < UINT32_MAX / 1000 ? seconds * 1000 : UINT32_MAX;
}

/* Destroy all notifies of a device; the runtime lock is held. */
void vnpu_notify_destroy_all(int32_t user_device);

#endif /* VNPU_LIB_NOTIFY_H */
