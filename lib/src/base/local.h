/* SPDX-License-Identifier: MIT */
/*
 * Memory of a thread that is too large for thread-local variables.
 *
 * The library uses the model initial-exec for its thread-local variables, the
 * fastest one (see lib.mk).  They are therefore part of a block that the dynamic
 * loader takes from a small reserve if the library is loaded by dlopen(), and have
 * to stay small: selftests/lib/load.c checks this.  If the program loads other
 * libraries in between, dlclose() does not return the block to the reserve.
 *
 * Each piece of memory here is a mapping of its own, so at least a page.
 */
#ifndef VNPU_LIB_LOCAL_H
#define VNPU_LIB_LOCAL_H

#include <stddef.h>

/**
 * vnpu_local_get() - get memory of the calling thread
 * @slot: a thread-local variable for it, NULL before the first call
 * @size: bytes, the same in each call
 *
 * The memory is zeroed at first.  When the thread ends, it is freed and @slot
 * is NULL again.  It stays if the library is unloaded or the program exits.
 *
 * Return: the memory, or NULL if there is none.
 */
void *vnpu_local_get(void **slot, size_t size);

#endif /* VNPU_LIB_LOCAL_H */
