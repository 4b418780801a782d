// SPDX-License-Identifier: MIT
/*
 * Frees of memory that another thread has allocated.
 *
 * The freeing thread sets a bit in the state of the object, by which a second
 * free is detected.  The object then waits in an outbox until there are enough
 * for its owner, and goes to the owner's inbox, a lock-free list.  The owner
 * takes this list when a bin is empty, and receives objects until that bin has
 * one.  The others stay in the list, because the bins have no room for all.
 * When the pool is short of memory, the owner receives all of them at its next
 * call on a slow path.  Objects are linked by their granules in a separate
 * table, so that nothing is allocated.
 *
 * An owner that frees the same object at that moment undoes the bit, because
 * the fast path does not synchronize.  So an object can be allocated again,
 * freed again, or even belong to another cache while a message with its granule
 * is in transit.  Therefore a message is only a hint to check a state:
 *
 * - The sender of a granule has to claim its link, so the granule is in at most
 *   one message.  If it is in one already, that one suffices.
 * - The receiver first clears the link and then reads the state.  The sender
 *   first sets the bit and then reads the link.  So at least one of them sees
 *   the change of the other.
 * - An object with the bit was freed once, whichever message reports it.
 */
#include <errno.h>

#include "pool.h"

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

/* Have the owner check an object that has the bit in its state. */
static void notify(struct vnpu_cache *cache, uint32_t slot, uint16_t state)
{
	unsigned int owner = vnpu_state_cache(state);
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
	/* Large objects are sent at once. */
	if (outbox->count == VNPU_REMOTE_BATCH ||
	    cache->pool->classes.class[vnpu_state_class(state)].size >
	    VNPU_MEDIUM_MAX)
		outbox_send(cache, outbox);
}

int vnpu_remote_free(struct vnpu_cache *cache, enum vnpu_range_kind kind,
		     uint32_t granule, uint16_t state)
{
	uint16_t *at = &cache->pool->range[kind].states[granule];

	if (!__atomic_compare_exchange_n(at, &state, state | VNPU_STATE_REMOTE,
					 false, __ATOMIC_SEQ_CST,
					 __ATOMIC_RELAXED))
		return -EALREADY;
	cache->remote_frees++;
	notify(cache, (granule + 1) | (uint32_t)kind << VNPU_SLOT_RANGE_SHIFT,
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

	if (state == live || !vnpu_state_class(live)) {
		/* Another thread has freed or held it in the meantime. */
		atomic_fetch_add_explicit(&pool->bad_frees, 1,
					  memory_order_relaxed);
		return;
	}
	if (vnpu_state_cache(live) != cache->index) {
		notify(cache, slot, state);
		return;
	}
	vnpu_state_write(&range->states[granule], 0);
	vnpu_cache_put(cache, vnpu_state_class(live), granule);
}

/*
 * Take the next slots out of the list that the cache has received.  Returns
 * their number; the caller may then read their states.
 */
static unsigned int unlink_some(struct vnpu_cache *cache,
				uint32_t slots[VNPU_REMOTE_BATCH])
{
	uint32_t slot = cache->received;
	unsigned int count = 0;

	while (slot != VNPU_SLOT_NONE && count < VNPU_REMOTE_BATCH) {
		uint32_t *link = link_of(cache->pool, slot);

		slots[count++] = slot;
		slot = __atomic_load_n(link, __ATOMIC_RELAXED);
		__atomic_store_n(link, 0, __ATOMIC_RELAXED);
	}
	cache->received = slot;
	/* Pairs with the compare-and-exchanges of the state, then the link. */
	atomic_thread_fence(memory_order_seq_cst);
	return count;
}

void vnpu_remote_receive(struct vnpu_cache *cache, const struct vnpu_bin *bin)
{
	uint32_t slots[VNPU_REMOTE_BATCH];
	unsigned int count;

	while (!bin || bin->top == bin->base) {
		if (cache->received == VNPU_SLOT_NONE) {
			if (atomic_load_explicit(&cache->inbox,
						 memory_order_relaxed) ==
			    VNPU_SLOT_NONE)
				return;
			cache->received =
				atomic_exchange_explicit(&cache->inbox,
							 VNPU_SLOT_NONE,
							 memory_order_acquire);
		}
		count = unlink_some(cache, slots);
		for (unsigned int i = 0; i < count; i++)
			receive(cache, slots[i]);
	}
}
