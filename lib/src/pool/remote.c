// SPDX-License-Identifier: MIT
/*
 * Frees of what another thread has allocated.
 *
 * The thread that frees sets a bit in the object's state, by which any second
 * free is found out; then the object waits in an outbox until there are enough
 * for its owner, and goes to its inbox, a list without a lock.  The owner looks
 * there when it is out of objects of some class.  Objects are linked by their
 * granules in a table of their own, so that nothing is allocated.
 */
#include <errno.h>

#include "pool/pool.h"

static uint32_t *link_of(struct vnpu_pool_object *pool, uint32_t slot)
{
	if (slot & VNPU_SLOT_COARSE)
		return &pool->range[VNPU_COARSE].links[slot -
						       VNPU_SLOT_COARSE];
	return &pool->range[VNPU_FINE].links[slot];
}

static void outbox_send(struct vnpu_cache *cache, struct vnpu_outbox *outbox)
{
	struct vnpu_pool_object *pool = cache->pool;
	struct vnpu_cache *owner = atomic_load(&pool->cache[outbox->owner]);
	uint32_t *last = link_of(pool, outbox->last);
	uint32_t head = atomic_load_explicit(&owner->inbox,
					     memory_order_relaxed);

	do {
		*last = head;
	} while (!atomic_compare_exchange_weak_explicit(&owner->inbox, &head,
							outbox->first,
							memory_order_release,
							memory_order_relaxed));
	outbox->count = 0;
}

void vnpu_remote_send(struct vnpu_cache *cache)
{
	for (int i = 0; i < VNPU_OUTBOXES; i++)
		if (cache->outbox[i].count)
			outbox_send(cache, &cache->outbox[i]);
}

int vnpu_remote_give(struct vnpu_cache *cache, enum vnpu_range_kind kind,
		     uint32_t granule)
{
	struct vnpu_range *range = &cache->pool->range[kind];
	uint16_t state = vnpu_state_read(&range->states[granule]);
	unsigned int owner = state >> VNPU_STATE_CACHE_SHIFT;
	struct vnpu_outbox *outbox = &cache->outbox[owner % VNPU_OUTBOXES];
	uint32_t slot = granule;

	if (!state || state & VNPU_STATE_REMOTE)
		return -EALREADY;
	if (!__atomic_compare_exchange_n(&range->states[granule], &state,
					 state | VNPU_STATE_REMOTE, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return -EALREADY;
	if (kind == VNPU_COARSE)
		slot |= VNPU_SLOT_COARSE;
	if (outbox->count && outbox->owner != owner)
		outbox_send(cache, outbox);
	if (!outbox->count) {
		outbox->last = slot;
		outbox->owner = owner;
	} else {
		*link_of(cache->pool, slot) = outbox->first;
	}
	outbox->first = slot;
	outbox->count++;
	cache->remote_frees++;
	/* Large ones are not kept waiting. */
	if (outbox->count == VNPU_REMOTE_BATCH ||
	    cache->pool->classes.class[state % VNPU_CLASSES].size >
	    VNPU_MEDIUM_MAX)
		outbox_send(cache, outbox);
	return 0;
}

void vnpu_remote_receive(struct vnpu_cache *cache)
{
	struct vnpu_pool_object *pool = cache->pool;
	uint32_t slot;

	if (atomic_load_explicit(&cache->inbox, memory_order_relaxed) ==
	    VNPU_SLOT_NONE)
		return;
	slot = atomic_exchange_explicit(&cache->inbox, VNPU_SLOT_NONE,
					memory_order_acquire);
	while (slot != VNPU_SLOT_NONE) {
		struct vnpu_range *range =
			&pool->range[!!(slot & VNPU_SLOT_COARSE)];
		uint32_t granule = slot & ~VNPU_SLOT_COARSE;
		uint16_t state = vnpu_state_read(&range->states[granule]);

		slot = *link_of(pool, slot);
		/* Unless its own thread has freed it at the same time. */
		if (!(state & VNPU_STATE_REMOTE)) {
			atomic_fetch_add_explicit(&pool->bad_frees, 1,
						  memory_order_relaxed);
			continue;
		}
		vnpu_state_write(&range->states[granule], 0);
		vnpu_cache_give(cache, state % VNPU_CLASSES, granule);
	}
}
