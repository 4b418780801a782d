/* SPDX-License-Identifier: GPL-2.0-only */
/* Registered memory: memory of a process as a memory object. */
#ifndef VNPU_USERPTR_H
#define VNPU_USERPTR_H

#include <linux/types.h>

struct vnpu_mem;

struct vnpu_mem *vnpu_userptr_create(unsigned long addr, u64 length,
				     bool read_only);
int vnpu_userptr_init(void);
void vnpu_userptr_fini(void);

#endif
