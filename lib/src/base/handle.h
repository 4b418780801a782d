/* SPDX-License-Identifier: MIT */
/*
 * Handles of runtime objects, and the lock of the runtime.
 *
 * A handle is a number, not an address: kind, generation and index of a slot.
 * The library looks up any value that a program passes as a handle, and never
 * dereferences it.  The handle of a destroyed object does not match its
 * successor in the slot.
 *
 * Slots count references, so that an object can be used without a lock: an
 * object from vnpu_handle_get() stays until vnpu_handle_put(), even if its
 * handle is removed in between.  The handle itself is one reference.
 */
#ifndef VNPU_LIB_HANDLE_H
#define VNPU_LIB_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "handle_slot.h"

/*
 * The runtime lock protects devices, contexts, the lists of streams, physical
 * memory and address reservations.  It may be held across calls to the driver.
 * Allocations, copies and tasks do not take it.
 */
void vnpu_runtime_lock(void);
void vnpu_runtime_unlock(void);

/* Add an object; 0 if there are too many, or without memory. */
uint64_t vnpu_handle_add(enum vnpu_handle_kind kind, void *object);

/*
 * Remove a live handle of a kind, so that lookups fail, and return its object;
 * NULL if it is not one.  Only one of two threads that destroy an object
 * succeeds.  It then has the reference of the handle.
 */
void *vnpu_handle_remove(enum vnpu_handle_kind kind, const void *handle);

/* Remove a live handle, and drop its reference: see vnpu_handle_put(). */
bool vnpu_handle_remove_put(uint64_t handle);

/* Take another reference; the caller has one already. */
void vnpu_handle_ref(uint64_t handle);

/*
 * Find the object of a live handle; NULL if it is not one of the kind.  The
 * object stays only as long as the caller prevents its removal.
 */
void *vnpu_handle_find(enum vnpu_handle_kind kind, const void *handle);

#endif /* VNPU_LIB_HANDLE_H */
