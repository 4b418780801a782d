/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the supported kernels, which are 6.1 and newer. No other
 * file checks the version of the kernel.
 */
#ifndef VNPU_COMPAT_H
#define VNPU_COMPAT_H

#include <linux/device/class.h>
#include <linux/dma-buf.h>
#include <linux/file.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <net/netlink.h>

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

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
/* Before 6.7, a policy cannot refer to a constant range. */
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(_range),		\
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
/* Before 6.2, these functions took a lock of the dma-buf itself. */
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

/* The argument of MODULE_IMPORT_NS(), a string since 6.13. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define VNPU_DMA_BUF_NS	DMA_BUF
#else
#define VNPU_DMA_BUF_NS	"DMA_BUF"
#endif

/* The class argument of class attributes is const since 6.4. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define VNPU_CLASS_CONST
#else
#define VNPU_CLASS_CONST	const
#endif

/* The device argument of class->devnode() is const since 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define VNPU_DEVNODE_CONST
#else
#define VNPU_DEVNODE_CONST	const
#endif

/* class_create() takes no module since 6.4. */
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
 * Before 6.12, the kernel can map 2 MiB by page frame number, too. But it
 * cannot distinguish such an entry from an entry for a page with a struct page.
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
