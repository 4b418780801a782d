// SPDX-License-Identifier: GPL-2.0-only
/*
 * Export of device memory as dma-bufs, for host mappings, and for drivers that
 * access the memory with the CPU.
 *
 * A dma-buf has an inode and so mappings of its own. A move of the memory
 * removes them like those of windows; the next access faults them in again, and
 * the fault waits for the end of the move. A kernel mapping (vmap) cannot be
 * removed, so while there is one, the memory is pinned.
 *
 * Most of this memory has no struct page, so it cannot be described by a
 * scatter list. Devices therefore cannot attach, whatever memory the arena is
 * made of. The memory is ordinary, coherent memory of the CPU; accesses need no
 * preparation.
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/iosys-map.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "base/device.h"
#include "compat.h"
#include "devmem.h"
#include "dmabuf.h"
#include "hostmap.h"

MODULE_IMPORT_NS(VNPU_DMA_BUF_NS);

/**
 * struct vnpu_dmabuf - an exported dma-buf
 * @link: in vnpu_devmem.dmabufs, while @mapped is not VNPU_MAPPED_NO; under the
 *	object's lock
 * @devmem: the object, with a reference
 * @inode: inode; its address space has all mappings of the dma-buf; with a
 *	reference
 * @vmap: kernel mapping made from discontiguous pages, or NULL. Under the lock
 *	that the callers of vmap and vunmap hold.
 * @mapped: VNPU_MAPPED_*, as for a binding; changed under the object's lock
 */
struct vnpu_dmabuf {
	struct hlist_node link;
	struct vnpu_devmem *devmem;
	struct inode *inode;
	void *vmap;
	u8 mapped;
};

/* Maximum number of dma-bufs of an object that the host can have mapped. */
#define VNPU_DMABUF_MAPPED	64

static int vnpu_dmabuf_attach(struct dma_buf *dmabuf,
			      struct dma_buf_attachment *attachment)
{
	return -EOPNOTSUPP;
}

/*
 * dma_buf_export() requires these two callbacks, although no device can attach.
 */
static struct sg_table *
vnpu_dmabuf_map_dma(struct dma_buf_attachment *attachment,
		    enum dma_data_direction direction)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void vnpu_dmabuf_unmap_dma(struct dma_buf_attachment *attachment,
				  struct sg_table *table,
				  enum dma_data_direction direction)
{
}

static void vnpu_dmabuf_revoke_locked(struct vnpu_dmabuf *export)
{
	lockdep_assert_held(export->devmem->mem.lock);
	WRITE_ONCE(export->mapped, VNPU_MAPPED_GOING);
	/*
	 * Order the store to mapped before the page tables are cleared. Pairs
	 * with smp_mb() in vnpu_dmabuf_fault().
	 */
	smp_mb();
	unmap_mapping_range(export->inode->i_mapping, 0, 0, 1);
	hlist_del(&export->link);
	WRITE_ONCE(export->mapped, VNPU_MAPPED_NO);
}

/* Return the oldest mapped dma-buf if there is no room for another, or NULL. */
static struct vnpu_dmabuf *
vnpu_dmabuf_find_excess_locked(struct vnpu_devmem *devmem)
{
	struct vnpu_dmabuf *export, *last = NULL;
	u32 nr = 0;

	hlist_for_each_entry(export, &devmem->dmabufs, link) {
		last = export;
		nr++;
	}
	return nr >= VNPU_DMABUF_MAPPED ? last : NULL;
}

/* As vnpu_binding_note_mapped(), for a dma-buf. The object is pinned. */
static void vnpu_dmabuf_note_mapped(struct vnpu_dmabuf *export)
{
	struct vnpu_devmem *devmem = export->devmem;
	struct vnpu_dmabuf *excess;

	if (likely(READ_ONCE(export->mapped) == VNPU_MAPPED_YES))
		return;
	mutex_lock(devmem->mem.lock);
	if (export->mapped == VNPU_MAPPED_NO) {
		excess = vnpu_dmabuf_find_excess_locked(devmem);
		if (excess)
			vnpu_dmabuf_revoke_locked(excess);
		hlist_add_head(&export->link, &devmem->dmabufs);
		WRITE_ONCE(export->mapped, VNPU_MAPPED_YES);
	}
	mutex_unlock(devmem->mem.lock);
}

static vm_fault_t vnpu_dmabuf_fault(struct vm_fault *vmf)
{
	struct vnpu_dmabuf *export = vmf->vma->vm_private_data;
	struct vnpu_mem *mem = &export->devmem->mem;
	u64 offset = (u64)vmf->pgoff << PAGE_SHIFT;
	struct vnpu_block block;
	vm_fault_t ret;

	/* Pin the object, so that it is not moved until the mark is set. */
	if (vnpu_mem_pin_killable(mem))
		return VM_FAULT_SIGBUS;
	vnpu_dmabuf_note_mapped(export);
	block = vnpu_block_around(vmf, offset, mem->length - offset);
	ret = vnpu_block_enter(vmf, mem, &block, true);
	/*
	 * Order the page table entries before the load of mapped. Pairs with
	 * smp_mb() in vnpu_dmabuf_revoke_locked().
	 */
	smp_mb();
	vnpu_dmabuf_note_mapped(export);
	vnpu_mem_unpin(mem);
	return ret;
}

static const struct vm_operations_struct vnpu_dmabuf_vm_ops = {
	.fault = vnpu_dmabuf_fault,
	.pfn_mkwrite = vnpu_block_mkwrite,
};

/* The caller has checked that the range is inside the dma-buf. */
static int vnpu_dmabuf_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	/*
	 * If another driver forwards the mmap(), vma->vm_file has another mode.
	 */
	if (!(dmabuf->file->f_mode & FMODE_WRITE)) {
		if (vma->vm_flags & VM_WRITE)
			return -EACCES;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	/* VM_IO keeps MADV_DOFORK from undoing VM_DONTCOPY. */
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND |
		     VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYEXEC);
	vma->vm_private_data = dmabuf->priv;
	vma->vm_ops = &vnpu_dmabuf_vm_ops;
	return 0;
}

/* Return the kernel address of an object, or NULL if it is not contiguous. */
static void *vnpu_dmabuf_linear(const struct vnpu_mem *mem)
{
	void *start = NULL;
	u64 at, length;

	for (at = 0; at < mem->length; at += length) {
		void *addr;

		length = mem->length - at;
		addr = vnpu_mem_addr(mem, at, &length);
		if (!at)
			start = addr;
		else if (addr != start + at)
			return NULL;
	}
	return start;
}

static void *vnpu_dmabuf_vmap_pages(const struct vnpu_mem *mem,
				    unsigned int count)
{
	struct page **pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	unsigned int i;
	void *addr;

	if (!pages)
		return NULL;
	for (i = 0; i < count; i++)
		pages[i] = pfn_to_page(mem->ops->pfn(mem, (u64)i << PAGE_SHIFT));
	addr = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	return addr;
}

static void *vnpu_dmabuf_vmap_pfns(const struct vnpu_mem *mem,
				   unsigned int count)
{
	unsigned long *pfns = kvmalloc_array(count, sizeof(*pfns), GFP_KERNEL);
	unsigned int i;
	void *addr;

	if (!pfns)
		return NULL;
	for (i = 0; i < count; i++)
		pfns[i] = mem->ops->pfn(mem, (u64)i << PAGE_SHIFT);
	addr = vmap_pfn(pfns, count, PAGE_KERNEL);
	kvfree(pfns);
	return addr;
}

/* Create a contiguous kernel mapping of a discontiguous object. */
static void *vnpu_dmabuf_stitch(const struct vnpu_mem *mem)
{
	unsigned int count = mem->length >> PAGE_SHIFT;
	void *addr;

	if (!mem->dev->arena.mapping)
		addr = vnpu_dmabuf_vmap_pages(mem, count);
	else if (IS_ENABLED(CONFIG_VMAP_PFN))
		addr = vnpu_dmabuf_vmap_pfns(mem, count);
	else
		return ERR_PTR(-EOPNOTSUPP);
	return addr ?: ERR_PTR(-ENOMEM);
}

static int vnpu_dmabuf_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct vnpu_dmabuf *export = dmabuf->priv;
	struct vnpu_mem *mem = &export->devmem->mem;
	void *addr;

	vnpu_mem_pin(mem);
	addr = vnpu_dmabuf_linear(mem);
	if (!addr) {
		addr = vnpu_dmabuf_stitch(mem);
		if (IS_ERR(addr)) {
			vnpu_mem_unpin(mem);
			return PTR_ERR(addr);
		}
		export->vmap = addr;
	}
	/* The importer writes through the address without notice. */
	vnpu_mem_mark_written(mem, 0, mem->length);
	iosys_map_set_vaddr(map, addr);
	return 0;
}

static void vnpu_dmabuf_vunmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct vnpu_dmabuf *export = dmabuf->priv;

	vunmap(export->vmap);
	export->vmap = NULL;
	vnpu_mem_unpin(&export->devmem->mem);
}

static void vnpu_dmabuf_release(struct dma_buf *dmabuf)
{
	struct vnpu_dmabuf *export = dmabuf->priv;
	struct vnpu_mem *mem = &export->devmem->mem;

	mutex_lock(mem->lock);
	if (export->mapped)
		hlist_del(&export->link);
	mutex_unlock(mem->lock);
	iput(export->inode);
	vnpu_mem_put(mem);
	kfree(export);
}

static const struct dma_buf_ops vnpu_dmabuf_ops = {
	.attach = vnpu_dmabuf_attach,
	.map_dma_buf = vnpu_dmabuf_map_dma,
	.unmap_dma_buf = vnpu_dmabuf_unmap_dma,
	.mmap = vnpu_dmabuf_mmap,
	.vmap = vnpu_dmabuf_vmap,
	.vunmap = vnpu_dmabuf_vunmap,
	.release = vnpu_dmabuf_release,
};

/**
 * vnpu_dmabuf_create() - make a dma-buf
 * @devmem: the object; the dma-buf takes a reference of its own
 * @read_only: true if users of the file may not write
 *
 * Return: the file of the dma-buf, or ERR_PTR.
 */
struct file *vnpu_dmabuf_create(struct vnpu_devmem *devmem, bool read_only)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct vnpu_mem *mem = &devmem->mem;
	struct vnpu_dmabuf *export;
	struct dma_buf *dmabuf;

	export = kzalloc(sizeof(*export), GFP_KERNEL_ACCOUNT);
	if (!export)
		return ERR_PTR(-ENOMEM);
	info.ops = &vnpu_dmabuf_ops;
	info.size = mem->length;
	info.flags = read_only ? O_RDONLY : O_RDWR;
	info.priv = export;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		kfree(export);
		return ERR_CAST(dmabuf);
	}

	vnpu_mem_get(mem);
	export->devmem = devmem;
	/*
	 * Keep the inode: the file drops it before it calls
	 * vnpu_dmabuf_release(), and the dma-buf is in the list until then.
	 */
	export->inode = file_inode(dmabuf->file);
	ihold(export->inode);
	return dmabuf->file;
}

/**
 * vnpu_dmabuf_devmem() - get the device memory that a dma-buf represents
 * @dmabuf: any dma-buf
 *
 * Return: the device memory, to which the dma-buf has a reference, or NULL if
 * another driver exported the dma-buf.
 */
struct vnpu_devmem *vnpu_dmabuf_devmem(const struct dma_buf *dmabuf)
{
	const struct vnpu_dmabuf *export = dmabuf->priv;

	return dmabuf->ops == &vnpu_dmabuf_ops ? export->devmem : NULL;
}

/**
 * vnpu_dmabuf_zap() - remove a part of an object from all mappings of its
 * dma-bufs
 * @devmem: the object, being moved or stale, so that no fault enters it again
 * @first: offset of the part in bytes
 * @length: bytes of the part, not 0
 */
void vnpu_dmabuf_zap(struct vnpu_devmem *devmem, u64 first, u64 length)
{
	struct vnpu_dmabuf *export;
	struct hlist_node *next;

	mutex_lock(devmem->mem.lock);
	hlist_for_each_entry_safe(export, next, &devmem->dmabufs, link) {
		if (length == devmem->mem.length)
			vnpu_dmabuf_revoke_locked(export);
		else
			unmap_mapping_range(export->inode->i_mapping, first,
					    length, 1);
	}
	mutex_unlock(devmem->mem.lock);
}
