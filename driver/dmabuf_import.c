// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dma-bufs as memory objects: those of other drivers through a mapping of the
 * kernel, which there is for as long as the object lives; our own as what they
 * stand for.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "compat.h"
#include "devmem.h"
#include "dmabuf.h"

/**
 * struct vnpu_import - a dma-buf of another driver
 * @mem: the memory object
 * @dmabuf: the dma-buf, with a reference; constant
 * @map: where the kernel reaches it; constant
 */
struct vnpu_import {
	struct vnpu_mem mem;
	struct dma_buf *dmabuf;
	struct iosys_map map;
};

static struct vnpu_import *to_import(const struct vnpu_mem *mem)
{
	return container_of(mem, struct vnpu_import, mem);
}

static void *vnpu_import_addr(const struct vnpu_mem *mem, u64 offset,
			      u64 *length)
{
	return to_import(mem)->map.vaddr + offset;
}

/*
 * Waits for what other devices do with it, for which there is no limit of
 * time. Whether it is to be read or written is not known here.
 */
static int vnpu_import_begin_access(struct vnpu_mem *mem)
{
	int ret = dma_buf_begin_cpu_access(to_import(mem)->dmabuf,
					   DMA_BIDIRECTIONAL);

	if (ret == -ERESTARTSYS)
		return -EINTR;
	return ret ? -EIO : 0;
}

/* With nothing to wait for, to begin an access is to make caches agree. */
static int vnpu_import_try_access(struct vnpu_mem *mem)
{
	if (!dma_resv_test_signaled(to_import(mem)->dmabuf->resv,
				    DMA_RESV_USAGE_READ))
		return -EAGAIN;
	return vnpu_import_begin_access(mem);
}

static void vnpu_import_end_access(struct vnpu_mem *mem)
{
	dma_buf_end_cpu_access(to_import(mem)->dmabuf, DMA_BIDIRECTIONAL);
}

static void vnpu_import_release(struct vnpu_mem *mem)
{
	struct vnpu_import *import = to_import(mem);

	dma_buf_vunmap_unlocked(import->dmabuf, &import->map);
	dma_buf_put(import->dmabuf);
	kfree(import);
}

static const struct vnpu_mem_ops vnpu_import_ops = {
	.kind = VNPU_MEM_KIND_DMABUF,
	.addr = vnpu_import_addr,
	.begin_access = vnpu_import_begin_access,
	.try_access = vnpu_import_try_access,
	.end_access = vnpu_import_end_access,
	.release = vnpu_import_release,
};

/* Another driver's errors are its own. */
static int vnpu_import_vmap(struct vnpu_import *import, struct dma_buf *dmabuf)
{
	int ret = dma_buf_vmap_unlocked(dmabuf, &import->map);

	if (ret)
		return ret == -ENOMEM ? -ENOMEM : -EIO;
	if (import->map.is_iomem) {
		dma_buf_vunmap_unlocked(dmabuf, &import->map);
		return -EOPNOTSUPP;
	}
	return 0;
}

static struct vnpu_mem *vnpu_import_create(struct dma_buf *dmabuf)
{
	struct vnpu_import *import;
	int ret;

	if (!dmabuf->ops->vmap)
		return ERR_PTR(-EOPNOTSUPP);
	/* A binding could reach beyond its end. */
	if (!dmabuf->size || dmabuf->size & (VNPU_PAGE_SIZE - 1))
		return ERR_PTR(-EOPNOTSUPP);
	import = kzalloc(sizeof(*import), GFP_KERNEL_ACCOUNT);
	if (!import)
		return ERR_PTR(-ENOMEM);
	ret = vnpu_import_vmap(import, dmabuf);
	if (ret) {
		kfree(import);
		return ERR_PTR(ret);
	}
	get_dma_buf(dmabuf);
	import->dmabuf = dmabuf;
	import->mem.length = dmabuf->size;
	import->mem.page_shift = VNPU_PAGE_SHIFT;
	import->mem.read_only = !(dmabuf->file->f_mode & FMODE_WRITE);
	vnpu_mem_init(&import->mem, &vnpu_import_ops);
	return &import->mem;
}

/**
 * vnpu_dmabuf_import() - a dma-buf as a memory object
 * @fd: any number
 *
 * Return: the object with a reference, or ERR_PTR of -EBADF, -EINVAL (no
 * dma-buf), -EOPNOTSUPP (the CPU cannot reach it), -EIO or -ENOMEM.
 */
struct vnpu_mem *vnpu_dmabuf_import(int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	struct vnpu_devmem *devmem;
	struct vnpu_mem *mem;

	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	devmem = vnpu_dmabuf_devmem(dmabuf);
	if (!devmem) {
		mem = vnpu_import_create(dmabuf);
	} else if (dmabuf->file->f_mode & FMODE_WRITE) {
		mem = &devmem->mem;
		vnpu_mem_get(mem);
	} else {
		mem = vnpu_view_create(devmem);
	}
	dma_buf_put(dmabuf);
	return mem;
}
