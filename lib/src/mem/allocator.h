/* SPDX-License-Identifier: MIT */
/*
 * Allocators of programs, see allocator.c.
 */
#ifndef VNPU_LIB_ALLOCATOR_H
#define VNPU_LIB_ALLOCATOR_H

#include <stdint.h>

/* Drop the registration of a stream that ends; the runtime lock is held. */
void vnpu_allocator_forget(uint64_t stream);

#endif /* VNPU_LIB_ALLOCATOR_H */
