/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that are supported: 6.1 and newer. No other
 * file asks for a kernel's version.
 */
#ifndef VNPU_COMPAT_H
#define VNPU_COMPAT_H

#include <linux/device/class.h>
#include <linux/dma-buf.h>
#include <linux/file.h>
#include <linux/hrtimer.h>
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

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* They took a lock that was the dma-buf's own. */
static inline int dma_buf_vmap_unlocked(struct dma_buf *dmabuf,
					struct iosys_map *map)
{
	return dma_buf_vmap(dmabuf, map);
}

static inline void dma_buf_vunmap_unlocked(struct dma_buf *dmabuf,
					   struct iosys_map *map)
{
	dma_buf_vunmap(dmabuf, map);
}
#endif

/* Install a file of another process unless a security module refuses it. */
static inline int vnpu_receive_fd(struct file *file, unsigned int flags)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
	return receive_fd(file, flags);
#else
	return receive_fd(file, NULL, flags);
#endif
}

/* For MODULE_IMPORT_NS(), which took a word and takes a string. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define VNPU_DMA_BUF_NS	DMA_BUF
#else
#define VNPU_DMA_BUF_NS	"DMA_BUF"
#endif

/* What the operations of a class are given. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define VNPU_CLASS_CONST
#else
#define VNPU_CLASS_CONST	const
#endif

/* What the operation of a class that names a node is given. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define VNPU_DEVNODE_CONST
#else
#define VNPU_DEVNODE_CONST	const
#endif

/* It took the module that the class belongs to. */
static inline struct class *vnpu_class_create(const char *name)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	return class_create(THIS_MODULE, name);
#else
	return class_create(name);
#endif
}

static inline void
vnpu_hrtimer_setup(struct hrtimer *timer,
		   enum hrtimer_restart (*function)(struct hrtimer *timer),
		   clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#else
	hrtimer_setup(timer, function, clock, mode);
#endif
}

/*
 * Before 6.12 the kernel can enter 2 MiB into a mapping by number as well, but
 * does not know such an entry from that of a page that it has a struct for.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) && \
	defined(CONFIG_ARCH_SUPPORTS_PMD_PFNMAP)
#define VNPU_HAS_PMD_PFNMAP	1

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#include <linux/pfn_t.h>
#endif

static inline vm_fault_t vnpu_insert_pmd(struct vm_fault *vmf,
					 unsigned long pfn, bool write)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
	return vmf_insert_pfn_pmd(vmf, __pfn_to_pfn_t(pfn, PFN_DEV), write);
#else
	return vmf_insert_pfn_pmd(vmf, pfn, write);
#endif
}
#endif

#endif
