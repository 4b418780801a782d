/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects below a page: the slabs of one client on one device. */
#ifndef VNPU_SLABS_H
#define VNPU_SLABS_H

#include <linux/mutex.h>

#include "core/slab.h"
#include "core/va.h"

struct vnpu_client;

/**
 * struct vnpu_slabs - the slabs of a client on a device
 * @client: whose; constant
 * @device: index of the device; constant
 * @window: their device addresses, in vnpu_client.slab_windows; constant
 * @grow_lock: held by whoever adds a slab, while its pages are found and
 *	cleared: so that of many who miss one and the same, one fetches it, and
 *	nobody is refused for what another is about to add. Outside of @lock,
 *	and of all that allocating device memory takes.
 * @lock: protects @cache. Outside of vnpu_client.lock; nothing is allocated
 *	under it.
 * @cache: which objects there are. A slab that is in it is bound.
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
 * struct vnpu_slab_place - an object as the client sees it
 * @va: device address
 * @length: bytes that it costs
 */
struct vnpu_slab_place {
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

int vnpu_slabs_alloc(struct vnpu_slabs *slabs, u32 size, bool is_try,
		     struct vnpu_slab_place *place);
int vnpu_slabs_free(struct vnpu_slabs *slabs, u64 va, u64 *length);
int vnpu_slabs_find(struct vnpu_slabs *slabs, u64 va, u64 last,
		    struct vnpu_slab_place *place);
void vnpu_slabs_read(struct vnpu_slabs *slabs,
		     struct vnpu_slab_stats stats[VNPU_SLAB_CLASSES]);

#endif
