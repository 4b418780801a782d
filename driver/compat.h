/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that are supported: 6.1 and newer. No other
 * file asks for a kernel's version.
 */
#ifndef VNPU_COMPAT_H
#define VNPU_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#endif
