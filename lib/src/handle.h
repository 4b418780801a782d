/* SPDX-License-Identifier: MIT */
/*
 * Handles of runtime objects, and the lock of the runtime.
 *
 * A handle is a number, not an address: kind, generation and index of a slot.
 * So whatever a program passes as a handle is looked up, never dereferenced,
 * and one of a destroyed object is not taken for its successor in the slot.
 */
#ifndef VNPU_LIB_HANDLE_H
#define VNPU_LIB_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

enum vnpu_handle_kind {
	VNPU_HANDLE_CONTEXT	= 'C',
	VNPU_HANDLE_STREAM	= 'S',
	VNPU_HANDLE_PHYSICAL	= 'P',
};

/*
 * The runtime lock protects devices, contexts, streams, physical
 * memory, address reservations and the handles' objects.  It may be held across calls to the driver, and is not taken on the
 * way of allocations and copies.
 */
void vnpu_runtime_lock(void);
void vnpu_runtime_unlock(void);

/* 0 when there are too many or no memory.  The lock is held. */
uint64_t vnpu_handle_add(enum vnpu_handle_kind kind, void *object);

/* @handle is live.  The lock is held. */
void vnpu_handle_remove(uint64_t handle);

/* NULL for what is no live handle of the kind.  The lock is held. */
void *vnpu_handle_find(enum vnpu_handle_kind kind, const void *handle);

/* Whether a handle that once was good still is.  Needs no lock. */
bool vnpu_handle_is_live(uint64_t handle);

#endif /* VNPU_LIB_HANDLE_H */
