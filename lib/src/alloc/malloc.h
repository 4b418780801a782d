/* SPDX-License-Identifier: MIT */
/*
 * Device memory for objects of the library, see malloc.c.
 */
#ifndef VNPU_LIB_ALLOC_MALLOC_H
#define VNPU_LIB_ALLOC_MALLOC_H

#include <stdint.h>

#include "acl/acl_base.h"

/* Allocate memory of the current device as aclrtMalloc(). */
aclError vnpu_mem_alloc(void **ptr, uint64_t size);

/* Free memory as aclrtFree(). */
aclError vnpu_mem_free(void *ptr);

#endif /* VNPU_LIB_ALLOC_MALLOC_H */
