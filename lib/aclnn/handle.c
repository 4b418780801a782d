// SPDX-License-Identifier: MIT
/*
 * Handles: numbers made of the kind, generation and index of a slot, which
 * never equal an aligned address.  A slot that is reused gets another
 * generation.
 *
 * Lookups take no lock.  Slots are never freed, so a handle of any age can be
 * looked up.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "launch/operators.h"
#include "aclnn.h"

#define SLAB_SLOTS	4096U
#define SLABS		4096U
#define KIND_BITS	4
#define INDEX_BITS	24
#define NO_SLOT		UINT32_MAX

/**
 * struct slot - the place of a handle
 * @handle: the live handle, or 0
 * @object: its object
 * @generation: of the next handle; protected by the lock
 * @next: the next free slot, likewise
 */
struct slot {
	_Atomic uint64_t handle;
	void *_Atomic object;
	uint32_t generation;
	uint32_t next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *_Atomic slabs[SLABS];
static uint32_t slot_count;		/* protected by the lock, like this */
static uint32_t free_first = NO_SLOT;
static uint32_t free_last = NO_SLOT;

/* The lock of executors, which is taken before the other one. */
static pthread_mutex_t executors = PTHREAD_MUTEX_INITIALIZER;

void aclnn_executors_lock(void)
{
	pthread_mutex_lock(&executors);
}

void aclnn_executors_unlock(void)
{
	pthread_mutex_unlock(&executors);
}

static void fork_prepare(void)
{
	pthread_mutex_lock(&executors);
	pthread_mutex_lock(&lock);
}

static void fork_done(void)
{
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&executors);
}

/* A child must not inherit a lock that another thread of its parent holds. */
static __attribute__((constructor)) void watch_fork(void)
{
	pthread_atfork(fork_prepare, fork_done, fork_done);
}

static struct slot *slot_at(uint32_t index)
{
	struct slot *slab = index < SLABS * SLAB_SLOTS ?
				    slabs[index / SLAB_SLOTS] : NULL;

	return slab ? &slab[index % SLAB_SLOTS] : NULL;
}

/* Take a free slot; its index, or NO_SLOT. */
static uint32_t slot_take_locked(void)
{
	uint32_t index = free_first;
	struct slot *slab;

	if (index != NO_SLOT) {
		free_first = slot_at(index)->next;
		if (free_first == NO_SLOT)
			free_last = NO_SLOT;
		return index;
	}
	if (slot_count == SLABS * SLAB_SLOTS)
		return NO_SLOT;
	if (slot_count % SLAB_SLOTS == 0) {
		slab = calloc(SLAB_SLOTS, sizeof(*slab));
		if (!slab)
			return NO_SLOT;
		slabs[slot_count / SLAB_SLOTS] = slab;
	}
	return slot_count++;
}

void *aclnn_handle_add(enum aclnn_object kind, void *object)
{
	struct slot *slot;
	uint64_t handle;
	uint32_t index;

	pthread_mutex_lock(&lock);
	index = slot_take_locked();
	if (index == NO_SLOT) {
		pthread_mutex_unlock(&lock);
		return NULL;
	}
	slot = slot_at(index);
	/* The lowest bit is 1, so it is no address of an object. */
	handle = ((uint64_t)++slot->generation << (KIND_BITS + INDEX_BITS + 1) |
		  (uint64_t)index << (KIND_BITS + 1) | kind << 1 | 1);
	slot->object = object;
	slot->handle = handle;
	pthread_mutex_unlock(&lock);
	return (void *)(uintptr_t)handle;
}

static struct slot *find(enum aclnn_object kind, const void *handle)
{
	uint64_t value = (uintptr_t)handle;
	struct slot *slot;

	if (!(value & 1) || (value >> 1 & ((1U << KIND_BITS) - 1)) != kind)
		return NULL;
	slot = slot_at(value >> (KIND_BITS + 1) & ((1U << INDEX_BITS) - 1));
	return slot && slot->handle == value ? slot : NULL;
}

void *aclnn_handle_get(enum aclnn_object kind, const void *handle)
{
	struct slot *slot = find(kind, handle);
	void *object = slot ? slot->object : NULL;

	/* The slot may have been reused for another object meanwhile. */
	return object && slot->handle == (uintptr_t)handle ? object : NULL;
}

/* Free a slot; it is used again after all others that are free. */
static void slot_free_locked(struct slot *slot, uint32_t index)
{
	slot->handle = 0;
	slot->object = NULL;
	slot->next = NO_SLOT;
	if (free_last == NO_SLOT)
		free_first = index;
	else
		slot_at(free_last)->next = index;
	free_last = index;
}

void *aclnn_handle_remove(enum aclnn_object kind, const void *handle)
{
	struct slot *slot;
	void *object = NULL;

	pthread_mutex_lock(&lock);
	slot = find(kind, handle);
	if (slot) {
		object = slot->object;
		slot_free_locked(slot, (uintptr_t)handle >> (KIND_BITS + 1) &
				       ((1U << INDEX_BITS) - 1));
	}
	pthread_mutex_unlock(&lock);
	return object;
}

aclnnStatus aclnn_error(const char *name, aclnnStatus status,
			const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	vnpu_operator_error(name, status, text);
	return status;
}

aclnnStatus aclnn_error_memory(const char *name)
{
	return aclnn_error(name, ACLNN_ERR_INNER, "no host memory");
}

aclnnStatus aclnn_error_handle(const char *name, const char *argument,
			       const void *handle, const char *what)
{
	if (!handle)
		return aclnn_error(name, ACLNN_ERR_PARAM_NULLPTR,
				   "%s: expected %s, given NULL", argument,
				   what);
	return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
			   "%s: expected %s, given %p, which is another object or was destroyed",
			   argument, what, handle);
}
