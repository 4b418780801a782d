// SPDX-License-Identifier: MIT
/*
 * Handles of runtime objects, see handle.h.
 *
 * The bits of a handle: 63-56 its kind, 55-16 the generation of its slot,
 * 15-0 the index of the slot.  No address of user space has such upper bits,
 * so one is never taken for the other.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "handle.h"
#include "util.h"

#define INDEX_BITS	16
#define GENERATION_BITS	40
#define CHUNK_SLOTS	256
#define CHUNKS		((1U << INDEX_BITS) / CHUNK_SLOTS)

struct slot {
	_Atomic uint64_t handle;	/* 0 while free; written under the lock */
	uint64_t generation;		/* of the last handle; under the lock */
	void *object;			/* under the lock */
	struct slot *next_free;		/* under the lock */
	uint32_t index;			/* constant */
};

static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;

/* Slots are made in chunks and never given back: reading one is always safe. */
static _Atomic(struct slot *) chunks[CHUNKS];
static unsigned int nr_chunks;		/* under the lock */
static struct slot *free_slots;		/* under the lock */

void vnpu_runtime_lock(void)
{
	pthread_mutex_lock(&runtime_lock);
}

void vnpu_runtime_unlock(void)
{
	pthread_mutex_unlock(&runtime_lock);
}

static bool add_chunk(void)
{
	struct slot *chunk;

	if (nr_chunks == CHUNKS)
		return false;
	chunk = calloc(CHUNK_SLOTS, sizeof(*chunk));
	if (!chunk)
		return false;

	for (unsigned int i = CHUNK_SLOTS; i-- > 0;) {
		chunk[i].index = nr_chunks * CHUNK_SLOTS + i;
		chunk[i].next_free = free_slots;
		free_slots = &chunk[i];
	}
	atomic_store(&chunks[nr_chunks++], chunk);
	return true;
}

static struct slot *slot_of(uint64_t handle)
{
	uint32_t index = handle & ((1U << INDEX_BITS) - 1);
	struct slot *chunk = atomic_load_explicit(&chunks[index / CHUNK_SLOTS],
						  memory_order_acquire);

	return chunk ? &chunk[index % CHUNK_SLOTS] : NULL;
}

uint64_t vnpu_handle_add(enum vnpu_handle_kind kind, void *object)
{
	const uint64_t mask = (1ULL << GENERATION_BITS) - 1;
	struct slot *slot;
	uint64_t handle;

	if (!free_slots && !add_chunk())
		return 0;
	slot = free_slots;
	free_slots = slot->next_free;

	slot->generation = (slot->generation + 1) & mask;
	slot->object = object;
	handle = (uint64_t)kind << (INDEX_BITS + GENERATION_BITS) |
		 slot->generation << INDEX_BITS | slot->index;
	atomic_store_explicit(&slot->handle, handle, memory_order_release);
	return handle;
}

void vnpu_handle_remove(uint64_t handle)
{
	struct slot *slot = slot_of(handle);

	atomic_store_explicit(&slot->handle, 0, memory_order_release);
	slot->object = NULL;
	slot->next_free = free_slots;
	free_slots = slot;
}

void *vnpu_handle_find(enum vnpu_handle_kind kind, const void *handle)
{
	uint64_t value = vnpu_ptr_to_u64(handle);

	if (value >> (INDEX_BITS + GENERATION_BITS) != kind ||
	    !vnpu_handle_is_live(value))
		return NULL;
	return slot_of(value)->object;
}

bool vnpu_handle_is_live(uint64_t handle)
{
	struct slot *slot = slot_of(handle);

	return handle && slot &&
	       atomic_load_explicit(&slot->handle, memory_order_acquire) ==
	       handle;
}
