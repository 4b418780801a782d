/* SPDX-License-Identifier: MIT */
/*
 * Memory of a thread that is too large for thread-local variables.
 *
 * The library reaches its thread-local variables in the fastest way (see
 * lib.mk).  They are therefore part of a block that the dynamic loader takes
 * from a small reserve if the library is loaded by dlopen(), and have to stay
 * small: selftests/lib/load.c checks this.
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
 * is NULL again.
 *
 * Return: the memory, or NULL if there is none.
 */
void *vnpu_local_get(void **slot, size_t size);

#endif /* VNPU_LIB_LOCAL_H */
