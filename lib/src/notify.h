/* SPDX-License-Identifier: MIT */
/*
 * Notifies, see notify.c.
 */
#ifndef VNPU_LIB_NOTIFY_H
#define VNPU_LIB_NOTIFY_H

#include <stdint.h>

#include "context.h"
#include "handle.h"
#include "token.h"

/* Of either kind; under the runtime lock. */
struct vnpu_notify {
	struct vnpu_notify *next;	/* of all */
	uint64_t handle;
	uint64_t counter;		/* its id for the driver; constant */
	uint32_t number;		/* constant */
	int32_t user_device;		/* whose reset ends it; constant */
	uint32_t device;		/* its number for the driver */
	bool is_imported;
	bool is_exported;
	struct vnpu_token token;	/* if it is */
};

/* Make one for the current device; fails for @call. */
aclError vnpu_notify_make(const char *call, enum vnpu_handle_kind kind,
			  void **handle);

/* The same of a counter that was imported, which it takes over. */
aclError vnpu_notify_adopt(const char *call, uint64_t counter, uint32_t number,
			   const struct vnpu_current *current, void **handle);

/* On success the runtime lock is held. */
aclError vnpu_notify_lock(const char *call, enum vnpu_handle_kind kind,
			  const void *handle, struct vnpu_notify **notify);

/* The lock is held, and dropped. */
aclError vnpu_notify_destroy(const char *call, struct vnpu_notify *notify);

/* The driver's id of one. */
aclError vnpu_notify_counter(const char *call, enum vnpu_handle_kind kind,
			     const void *handle, uint64_t *counter);

/* The limit of a task for one in seconds, of which 0 is none. */
static inline uint32_t vnpu_seconds_to_ms(uint32_t seconds)
{
	return seconds < UINT32_MAX / 1000 ? seconds * 1000 : UINT32_MAX;
}

/* Destroy all of a device.  The runtime lock is held. */
void vnpu_notify_destroy_all(int32_t user_device);

#endif /* VNPU_LIB_NOTIFY_H */
