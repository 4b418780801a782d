// SPDX-License-Identifier: MIT
/*
 * Handles of runtime objects, see handle.h.
 *
 * The bits of a handle: 63-56 its kind, 55-22 the generation of its slot,
 * 21-0 the index of the slot.  No address of user space has such upper bits,
 * so one is never taken for the other.
 *
 * The state of a slot is the generation and the count of references, in one
 * word: a reference is taken only where the generation is that of the handle
 * and the count is not 0, so that a late caller cannot hold the successor.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fork.h"
#include "handle.h"
#include "util.h"

#define INDEX_BITS	22
#define GENERATION_BITS	34
#define REF_BITS	(64 - GENERATION_BITS)
#define CHUNK_SLOTS	256
#define CHUNKS		((1U << INDEX_BITS) / CHUNK_SLOTS)

/* A cache line each: threads with a stream of their own do not disturb. */
struct slot {
	_Alignas(64) _Atomic uint64_t handle;	/* 0 unless live */
	_Atomic uint64_t state;
	void *object;			/* constant while there are references */
	struct slot *next_free;		/* under the lock */
	uint32_t index;			/* constant */
};

static pthread_mutex_t runtime_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t slots_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Slots are made in chunks and never given back: reading one is always safe. */
static _Atomic(struct slot *) chunks[CHUNKS];
static unsigned int nr_chunks;		/* under the slots' lock, as the next */
static struct slot *free_slots;

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
	struct slot *chunk;

	if (nr_chunks == CHUNKS)
		return false;
	chunk = aligned_alloc(_Alignof(struct slot),
			      CHUNK_SLOTS * sizeof(*chunk));
	if (!chunk)
		return false;

	for (unsigned int i = CHUNK_SLOTS; i-- > 0;) {
		chunk[i] = (struct slot){
			.index = nr_chunks * CHUNK_SLOTS + i,
			.next_free = free_slots,
		};
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

static uint64_t generation_of(uint64_t handle)
{
	return handle >> INDEX_BITS & ((1ULL << GENERATION_BITS) - 1);
}

static bool is_of_kind(uint64_t handle, enum vnpu_handle_kind kind)
{
	return handle >> (INDEX_BITS + GENERATION_BITS) == kind;
}

uint64_t vnpu_handle_add(enum vnpu_handle_kind kind, void *object)
{
	const uint64_t mask = (1ULL << GENERATION_BITS) - 1;
	uint64_t generation, handle;
	struct slot *slot;

	vnpu_handle_lock();
	if (!free_slots && !add_chunk_locked()) {
		vnpu_handle_unlock();
		return 0;
	}
	slot = free_slots;
	free_slots = slot->next_free;
	vnpu_handle_unlock();

	generation = ((atomic_load(&slot->state) >> REF_BITS) + 1) & mask;
	slot->object = object;
	atomic_store_explicit(&slot->state, generation << REF_BITS | 1,
			      memory_order_release);
	handle = (uint64_t)kind << (INDEX_BITS + GENERATION_BITS) |
		 generation << INDEX_BITS | slot->index;
	atomic_store_explicit(&slot->handle, handle, memory_order_release);
	return handle;
}

bool vnpu_handle_put(uint64_t handle)
{
	const uint64_t refs = (1ULL << REF_BITS) - 1;
	struct slot *slot = slot_of(handle);

	if ((atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel) &
	     refs) != 1)
		return false;
	vnpu_handle_lock();
	slot->next_free = free_slots;
	free_slots = slot;
	vnpu_handle_unlock();
	return true;
}

void vnpu_handle_ref(uint64_t handle)
{
	atomic_fetch_add_explicit(&slot_of(handle)->state, 1,
				  memory_order_relaxed);
}

bool vnpu_handle_remove(uint64_t handle)
{
	atomic_store(&slot_of(handle)->handle, 0);
	return vnpu_handle_put(handle);
}

void *vnpu_handle_take(enum vnpu_handle_kind kind, const void *handle)
{
	uint64_t value = vnpu_ptr_to_u64(handle);
	struct slot *slot = slot_of(value);

	if (!is_of_kind(value, kind) || !slot ||
	    !atomic_compare_exchange_strong(&slot->handle, &value, 0))
		return NULL;
	return slot->object;
}

void *vnpu_handle_get(enum vnpu_handle_kind kind, const void *handle)
{
	const uint64_t refs = (1ULL << REF_BITS) - 1;
	uint64_t value = vnpu_ptr_to_u64(handle);
	struct slot *slot = slot_of(value);
	uint64_t state;

	/* What is removed from here on has been got before. */
	if (!is_of_kind(value, kind) || !vnpu_handle_is_live(value))
		return NULL;
	state = atomic_load_explicit(&slot->state, memory_order_relaxed);
	do {
		if (state >> REF_BITS != generation_of(value) ||
		    !(state & refs))
			return NULL;
	} while (!atomic_compare_exchange_weak(&slot->state, &state,
					       state + 1));
	return slot->object;
}

void *vnpu_handle_find(enum vnpu_handle_kind kind, const void *handle)
{
	uint64_t value = vnpu_ptr_to_u64(handle);

	if (!is_of_kind(value, kind) || !vnpu_handle_is_live(value))
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
