/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects smaller than a page: the slabs of one client on one device. */
#ifndef VNPU_SLABS_H
#define VNPU_SLABS_H

#include <linux/mutex.h>

#include "core/slab.h"
#include "core/va.h"

struct vnpu_client;

/**
 * struct vnpu_slabs - the slabs of a client on a device
 * @client: the client; constant
 * @device: index of the device; constant
 * @window: device addresses of the slabs, in vnpu_client.slab_windows; constant
 * @grow_lock: held by a task that adds a slab, while it allocates and clears
 *	the pages. If several tasks need the same slab, one adds it, and none
 *	fails because of a slab that another is about to add. Outside of @lock,
 *	and of all locks that the allocation of device memory takes.
 * @lock: protects @cache. Outside of vnpu_client.lock; no memory is allocated
 *	under it.
 * @cache: the objects. A slab in the cache is bound.
 */
struct vnpu_slabs {
	struct vnpu_client *client;
	unsigned int device;
	struct vnpu_va_node window;
	struct mutex grow_lock;
	struct mutex lock;
	struct vnpu_slab_cache cache;
};

/**
 * struct vnpu_slab_object_range - an object as the client sees it
 * @va: device address
 * @length: number of bytes that the object takes up
 */
struct vnpu_slab_object_range {
	u64 va;
	u64 length;
};

int vnpu_slabs_create(struct vnpu_client *client, unsigned int device, u64 va,
		      u64 length);
void vnpu_slabs_end_all(struct vnpu_client *client);
void vnpu_slabs_destroy_all(struct vnpu_client *client);

struct vnpu_slabs *vnpu_slabs_of(struct vnpu_client *client,
				 unsigned int device);
struct vnpu_slabs *vnpu_slabs_at_locked(struct vnpu_client *client, u64 va);
struct vnpu_slabs *vnpu_slabs_at(struct vnpu_client *client, u64 va);

int vnpu_slabs_alloc(struct vnpu_slabs *slabs, u32 size, u64 *report,
		     struct vnpu_slab_object_range *place);
int vnpu_slabs_free(struct vnpu_slabs *slabs, u64 va, u64 *length);
int vnpu_slabs_find(struct vnpu_slabs *slabs, u64 va, u64 last,
		    struct vnpu_slab_object_range *place);
void vnpu_slabs_read(struct vnpu_slabs *slabs,
		     struct vnpu_slab_stats stats[VNPU_SLAB_CLASSES]);

#endif
