// SPDX-License-Identifier: MIT
/*
 * Handles of runtime objects, see handle.h; the fast paths of tasks are in
 * handle_slot.h.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fork.h"
#include "handle.h"
#include "util.h"

static pthread_mutex_t runtime_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t slots_mutex = PTHREAD_MUTEX_INITIALIZER;

_Atomic(struct vnpu_slot *) vnpu_slot_chunks[VNPU_SLOT_CHUNKS];
static unsigned int nr_chunks;		/* protected by the slots' lock, like
					 * the next */
static struct vnpu_slot *free_slots;

void vnpu_runtime_lock(void)
{
	pthread_mutex_lock(&runtime_mutex);
}

void vnpu_runtime_unlock(void)
{
	pthread_mutex_unlock(&runtime_mutex);
}

void vnpu_handle_lock(void)
{
	pthread_mutex_lock(&slots_mutex);
}

void vnpu_handle_unlock(void)
{
	pthread_mutex_unlock(&slots_mutex);
}

static bool add_chunk_locked(void)
{
	struct vnpu_slot *chunk;

	if (nr_chunks == VNPU_SLOT_CHUNKS)
		return false;
	chunk = aligned_alloc(_Alignof(struct vnpu_slot),
			      VNPU_CHUNK_SLOTS * sizeof(*chunk));
	if (!chunk)
		return false;

	for (unsigned int i = VNPU_CHUNK_SLOTS; i-- > 0;) {
		chunk[i] = (struct vnpu_slot){
			.index = nr_chunks * VNPU_CHUNK_SLOTS + i,
			.next_free = free_slots,
		};
		free_slots = &chunk[i];
	}
	atomic_store(&vnpu_slot_chunks[nr_chunks++], chunk);
	return true;
}

uint64_t vnpu_handle_add(enum vnpu_handle_kind kind, void *object)
{
	const uint64_t mask = (1ULL << VNPU_GENERATION_BITS) - 1;
	uint64_t generation, handle;
	struct vnpu_slot *slot;

	vnpu_handle_lock();
	if (!free_slots && !add_chunk_locked()) {
		vnpu_handle_unlock();
		return 0;
	}
	slot = free_slots;
	free_slots = slot->next_free;
	vnpu_handle_unlock();

	generation = ((atomic_load(&slot->state) >> VNPU_REF_BITS) + 1) & mask;
	slot->object = object;
	atomic_store_explicit(&slot->state, generation << VNPU_REF_BITS | 1,
			      memory_order_release);
	handle = (uint64_t)kind << (VNPU_INDEX_BITS + VNPU_GENERATION_BITS) |
		 generation << VNPU_INDEX_BITS | slot->index;
	atomic_store_explicit(&slot->handle, handle, memory_order_release);
	return handle;
}

void vnpu_slot_give_back(struct vnpu_slot *slot)
{
	vnpu_handle_lock();
	slot->next_free = free_slots;
	free_slots = slot;
	vnpu_handle_unlock();
}

void vnpu_handle_ref(uint64_t handle)
{
	atomic_fetch_add_explicit(&vnpu_slot_of(handle)->state, 1,
				  memory_order_relaxed);
}

bool vnpu_handle_remove_put(uint64_t handle)
{
	atomic_store(&vnpu_slot_of(handle)->handle, 0);
	return vnpu_handle_put(handle);
}

void *vnpu_handle_remove(enum vnpu_handle_kind kind, const void *handle)
{
	uint64_t value = vnpu_ptr_to_u64(handle);
	struct vnpu_slot *slot = vnpu_slot_of(value);

	if (!vnpu_handle_is_of_kind(value, kind) || !slot ||
	    !atomic_compare_exchange_strong(&slot->handle, &value, 0))
		return NULL;
	return slot->object;
}

void *vnpu_handle_find(enum vnpu_handle_kind kind, const void *handle)
{
	uint64_t value = vnpu_ptr_to_u64(handle);

	if (!vnpu_handle_is_of_kind(value, kind) || !vnpu_handle_is_live(value))
		return NULL;
	return vnpu_slot_of(value)->object;
}
