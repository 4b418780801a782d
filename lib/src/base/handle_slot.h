/* SPDX-License-Identifier: MIT */
/*
 * The slots of handles, and their lookup, which is inlined because each task
 * needs it.
 *
 * The bits of a handle: 63-56 its kind, 55-22 the generation of its slot, 21-0
 * the index of the slot.  No user space address has such upper bits, so handles
 * and addresses cannot be confused.
 *
 * The state of a slot has the generation and the reference count in one word.
 * A lookup takes a reference only if the generation matches and the count is
 * not 0, so that a late caller cannot hold the successor of its object.
 */
#ifndef VNPU_LIB_HANDLE_SLOT_H
#define VNPU_LIB_HANDLE_SLOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lock.h"
#include "util.h"

/* The first byte of a handle. As an address it is none that a program has. */
enum vnpu_handle_kind {
	VNPU_HANDLE_ALLOCATOR = 'A',
	VNPU_HANDLE_ARGS,
	VNPU_HANDLE_BINARY,
	VNPU_HANDLE_CNT_NOTIFY,
	VNPU_HANDLE_CONTEXT,
	VNPU_HANDLE_DATASET,
	VNPU_HANDLE_DATA_BUFFER,
	VNPU_HANDLE_EVENT,
	VNPU_HANDLE_FUNCTION,
	VNPU_HANDLE_MBUF,
	VNPU_HANDLE_MODEL,
	VNPU_HANDLE_MODEL_CONFIG,
	VNPU_HANDLE_MODEL_DESC,
	VNPU_HANDLE_MODEL_RUN_CONFIG,
	VNPU_HANDLE_NOTIFY,
	VNPU_HANDLE_PHYSICAL,
	VNPU_HANDLE_POOL,
	VNPU_HANDLE_PROGRAM,
	VNPU_HANDLE_PROF_CONFIG,
	VNPU_HANDLE_PROF_STAMP,
	VNPU_HANDLE_PROF_STEP,
	VNPU_HANDLE_RAW_BINARY,
	VNPU_HANDLE_STREAM,
	VNPU_HANDLE_TENSOR_DESC,
	VNPU_HANDLE_OP_ATTR,
	VNPU_HANDLE_OP,
	VNPU_HANDLE_TASK_GROUP,
	VNPU_HANDLE_COND,
	VNPU_HANDLE_LABEL,
	VNPU_HANDLE_LABEL_LIST,
	VNPU_HANDLE_AIPP,
	VNPU_HANDLE_MODEL_STREAM,
	VNPU_HANDLE_MODEL_TASK,		/* no slot, see model_stream.h */
};

#define VNPU_INDEX_BITS		22
#define VNPU_GENERATION_BITS	34
#define VNPU_REF_BITS		(64 - VNPU_GENERATION_BITS)
#define VNPU_CHUNK_SLOTS	256
#define VNPU_SLOT_CHUNKS	((1U << VNPU_INDEX_BITS) / VNPU_CHUNK_SLOTS)

/* A cache line each, so that threads with different streams do not contend. */
struct vnpu_slot {
	_Alignas(64) _Atomic uint64_t handle;	/* 0 unless live */
	_Atomic uint64_t state;
	void *object;			/* constant while references exist */
	struct vnpu_slot *next_free;	/* protected by the slots' lock */
	uint32_t index;			/* constant */
	struct vnpu_lock lock;		/* see vnpu_slot_enter() */
};

/*
 * Slots are allocated in chunks and never freed, so reading one is always safe.
 */
extern __attribute__((visibility("hidden")))
_Atomic(struct vnpu_slot *) vnpu_slot_chunks[VNPU_SLOT_CHUNKS];

/* Free a slot after its last reference was dropped. */
void vnpu_slot_give_back(struct vnpu_slot *slot);

static inline struct vnpu_slot *vnpu_slot_of(uint64_t handle)
{
	uint32_t index = handle & ((1U << VNPU_INDEX_BITS) - 1);
	struct vnpu_slot *chunk =
		atomic_load_explicit(&vnpu_slot_chunks[index / VNPU_CHUNK_SLOTS],
				     memory_order_acquire);

	return chunk ? &chunk[index % VNPU_CHUNK_SLOTS] : NULL;
}

static inline bool vnpu_handle_is_of_kind(uint64_t handle,
					  enum vnpu_handle_kind kind)
{
	return handle >> (VNPU_INDEX_BITS + VNPU_GENERATION_BITS) == kind;
}

static inline bool vnpu_slot_has(const struct vnpu_slot *slot, uint64_t handle)
{
	return handle && slot &&
	       atomic_load_explicit(&slot->handle, memory_order_acquire) ==
	       handle;
}

/* Check whether a handle that was valid is still live. */
static inline bool vnpu_handle_is_live(uint64_t handle)
{
	return vnpu_slot_has(vnpu_slot_of(handle), handle);
}

/* Get the object with a new reference; NULL if the handle is not live. */
static inline void *vnpu_handle_get(enum vnpu_handle_kind kind,
				    const void *handle)
{
	const uint64_t refs = (1ULL << VNPU_REF_BITS) - 1;
	uint64_t value = vnpu_ptr_to_u64(handle);
	uint64_t generation = value >> VNPU_INDEX_BITS &
			      ((1ULL << VNPU_GENERATION_BITS) - 1);
	struct vnpu_slot *slot = vnpu_slot_of(value);
	uint64_t state;

	/* A handle that is removed from here on was looked up before that. */
	if (!vnpu_handle_is_of_kind(value, kind) || !vnpu_slot_has(slot, value))
		return NULL;
	state = atomic_load_explicit(&slot->state, memory_order_relaxed);
	do {
		if (state >> VNPU_REF_BITS != generation || !(state & refs))
			return NULL;
	} while (!atomic_compare_exchange_weak(&slot->state, &state,
					       state + 1));
	return slot->object;
}

/*
 * Lock the slot of a live handle, which keeps its object alive like a reference
 * but is cheaper; NULL, without the lock, if the handle is not live.
 *
 * This is for kinds that call vnpu_slot_wait() at destruction, after removing
 * the handle and before dropping its reference.  It waits there for a holder of
 * the lock that has seen the live handle.
 */
static inline struct vnpu_slot *vnpu_slot_enter(enum vnpu_handle_kind kind,
						const void *handle)
{
	uint64_t value = vnpu_ptr_to_u64(handle);
	struct vnpu_slot *slot = vnpu_slot_of(value);

	/*
	 * After the removal, there is no need to wait for the owner of the
	 * lock.
	 */
	if (!vnpu_handle_is_of_kind(value, kind) || !vnpu_slot_has(slot, value))
		return NULL;
	vnpu_lock(&slot->lock);
	if (__builtin_expect(vnpu_slot_has(slot, value), 1))
		return slot;
	vnpu_unlock(&slot->lock);
	return NULL;
}

static inline void vnpu_slot_leave(struct vnpu_slot *slot)
{
	vnpu_unlock(&slot->lock);
}

/* Wait for holders of the lock; the handle was removed, and has a reference. */
static inline void vnpu_slot_wait(struct vnpu_slot *slot)
{
	vnpu_lock(&slot->lock);
	vnpu_unlock(&slot->lock);
}

/* Drop a reference; true if it was the last, and the caller owns the object. */
static inline bool vnpu_handle_put(uint64_t handle)
{
	const uint64_t refs = (1ULL << VNPU_REF_BITS) - 1;
	struct vnpu_slot *slot = vnpu_slot_of(handle);

	if ((atomic_fetch_sub_explicit(&slot->state, 1, memory_order_acq_rel) &
	     refs) != 1)
		return false;
	vnpu_slot_give_back(slot);
	return true;
}

#endif /* VNPU_LIB_HANDLE_SLOT_H */
