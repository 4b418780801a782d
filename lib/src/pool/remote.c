// SPDX-License-Identifier: MIT
/*
 * Frees of what another thread has allocated.
 *
 * The thread that frees sets a bit in the object's state, by which any second
 * free is found out; then the object waits in an outbox until there are enough
 * for its owner, and goes to its inbox, a list without a lock.  The owner looks
 * there when it is out of objects of some class.  Objects are linked by their
 * granules in a table of their own, so that nothing is allocated.
 *
 * An owner that frees the same object at that instant undoes the bit, since a
 * hit does not wait for others.  So an object can be allocated again, freed
 * again, even be another cache's, while a message with its granule is on its
 * way.  Therefore a message is only a hint to look at a state:
 *
 * - Who sends a granule has to claim its link, so it is in one message at most.
 *   If it is in one already, that one will do.
 * - Who receives it gives the link up first and then looks at the state, while
 *   who sends it sets the bit first and then looks at the link: one of them
 *   sees what the other did.
 * - What has the bit was freed, once, whichever message tells it.
 */
#include <errno.h>

#include "pool/pool.h"

static uint32_t slot_granule(uint32_t slot)
{
	return (slot & ((1U << VNPU_SLOT_RANGE_SHIFT) - 1)) - 1;
}

static struct vnpu_range *slot_range(struct vnpu_pool_object *pool,
				     uint32_t slot)
{
	return &pool->range[slot >> VNPU_SLOT_RANGE_SHIFT];
}

static uint32_t *link_of(struct vnpu_pool_object *pool, uint32_t slot)
{
	return &slot_range(pool, slot)->links[slot_granule(slot)];
}

static void outbox_send(struct vnpu_cache *cache, struct vnpu_outbox *outbox)
{
	struct vnpu_pool_object *pool = cache->pool;
	struct vnpu_cache *owner = atomic_load(&pool->cache[outbox->owner]);
	uint32_t *last = link_of(pool, outbox->last);
	uint32_t head = atomic_load_explicit(&owner->inbox,
					     memory_order_relaxed);

	do {
		__atomic_store_n(last, head, __ATOMIC_RELAXED);
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

/* Have the owner look at an object whose state has the bit. */
static void tell(struct vnpu_cache *cache, uint32_t slot, uint16_t state)
{
	unsigned int owner = (state & ~VNPU_STATE_REMOTE) >>
			     VNPU_STATE_CACHE_SHIFT;
	struct vnpu_outbox *outbox = &cache->outbox[owner % VNPU_OUTBOXES];
	uint32_t next, none = 0;

	if (outbox->count && outbox->owner != owner)
		outbox_send(cache, outbox);
	next = outbox->count ? outbox->first : VNPU_SLOT_NONE;
	if (!__atomic_compare_exchange_n(link_of(cache->pool, slot), &none,
					 next, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return;
	if (!outbox->count) {
		outbox->last = slot;
		outbox->owner = owner;
	}
	outbox->first = slot;
	outbox->count++;
	/* Large ones are not kept waiting. */
	if (outbox->count == VNPU_REMOTE_BATCH ||
	    cache->pool->classes.class[state % VNPU_CLASSES].size >
	    VNPU_MEDIUM_MAX)
		outbox_send(cache, outbox);
}

int vnpu_remote_give(struct vnpu_cache *cache, enum vnpu_range_kind kind,
		     uint32_t granule, uint16_t state)
{
	uint16_t *at = &cache->pool->range[kind].states[granule];

	if (!__atomic_compare_exchange_n(at, &state, state | VNPU_STATE_REMOTE,
					 false, __ATOMIC_SEQ_CST,
					 __ATOMIC_RELAXED))
		return -EALREADY;
	cache->remote_frees++;
	tell(cache, (granule + 1) | (uint32_t)kind << VNPU_SLOT_RANGE_SHIFT,
	     state);
	return 0;
}

static void receive(struct vnpu_cache *cache, uint32_t slot)
{
	struct vnpu_pool_object *pool = cache->pool;
	struct vnpu_range *range = slot_range(pool, slot);
	uint32_t granule = slot_granule(slot);
	uint16_t state = __atomic_load_n(&range->states[granule],
					 __ATOMIC_SEQ_CST);
	uint16_t live = state & ~VNPU_STATE_REMOTE;

	if (state == live || !(live % VNPU_CLASSES)) {
		/* Freed, or held, by who came in between. */
		atomic_fetch_add_explicit(&pool->bad_frees, 1,
					  memory_order_relaxed);
		return;
	}
	if (live >> VNPU_STATE_CACHE_SHIFT != cache->index) {
		tell(cache, slot, state);
		return;
	}
	vnpu_state_write(&range->states[granule], 0);
	vnpu_cache_give(cache, live % VNPU_CLASSES, granule);
}

void vnpu_remote_receive(struct vnpu_cache *cache)
{
	uint32_t slot, next;

	if (atomic_load_explicit(&cache->inbox, memory_order_relaxed) ==
	    VNPU_SLOT_NONE)
		return;
	slot = atomic_exchange_explicit(&cache->inbox, VNPU_SLOT_NONE,
					memory_order_acquire);
	for (; slot != VNPU_SLOT_NONE; slot = next) {
		next = __atomic_exchange_n(link_of(cache->pool, slot), 0,
					   __ATOMIC_SEQ_CST);
		receive(cache, slot);
	}
}
