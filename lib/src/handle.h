/* SPDX-License-Identifier: MIT */
/*
 * Handles of runtime objects, and the lock of the runtime.
 *
 * A handle is a number, not an address: kind, generation and index of a slot.
 * So whatever a program passes as a handle is looked up, never dereferenced,
 * and one of a destroyed object is not taken for its successor in the slot.
 *
 * Slots count references, so that an object can be used without a lock: what
 * vnpu_handle_get() found stays until vnpu_handle_put(), also when the handle
 * is removed meanwhile.  The handle itself is one reference.
 */
#ifndef VNPU_LIB_HANDLE_H
#define VNPU_LIB_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "handle_slot.h"

/*
 * The runtime lock protects devices, contexts, the lists of streams, physical
 * memory and address reservations.  It may be held across calls to the driver,
 * and is not taken on the way of allocations, copies and tasks.
 */
void vnpu_runtime_lock(void);
void vnpu_runtime_unlock(void);

/* 0 when there are too many or no memory. */
uint64_t vnpu_handle_add(enum vnpu_handle_kind kind, void *object);

/*
 * Let nobody find a live handle any more, and drop its reference: see
 * vnpu_handle_put().
 */
bool vnpu_handle_remove(uint64_t handle);

/*
 * The same, if it is a live handle of the kind; false if not, so that one of
 * two who destroy an object finds that the other did.  On success the caller
 * has the handle's reference.
 */
void *vnpu_handle_take(enum vnpu_handle_kind kind, const void *handle);

/* Another reference for who has one. */
void vnpu_handle_ref(uint64_t handle);

/*
 * The object as it is, NULL for what is no live handle of the kind.  It stays
 * only as long as the caller keeps others from removing it.
 */
void *vnpu_handle_find(enum vnpu_handle_kind kind, const void *handle);

#endif /* VNPU_LIB_HANDLE_H */
