// SPDX-License-Identifier: GPL-2.0-only
/*
 * Import of dma-bufs as memory objects. A dma-buf of another driver is accessed
 * through a kernel mapping that exists as long as the object. A dma-buf of this
 * driver is replaced by the object that it represents.
 *
 * The mapping keeps the other driver's memory where it is, and takes page
 * tables. So an import counts as host memory that its user has from this
 * driver, even if another driver allocated it (user_limit.c).
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "account/host_account.h"
#include "base/client.h"
#include "base/upcalls.h"
#include "compat.h"
#include "devmem.h"
#include "dmabuf.h"

/**
 * struct vnpu_import - an imported dma-buf of another driver
 * @mem: the memory object
 * @dmabuf: the dma-buf, with a reference; constant
 * @map: where the kernel reaches it; constant
 * @host_account: account that it is charged to, with a reference; constant
 */
struct vnpu_import {
	struct vnpu_mem mem;
	struct dma_buf *dmabuf;
	struct iosys_map map;
	struct vnpu_host_account *host_account;
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
 * Wait until the other users of the dma-buf have finished. This can take any
 * time, but a signal interrupts it. The direction of the access is not known
 * here.
 */
static int vnpu_import_begin_access(struct vnpu_mem *mem)
{
	int ret;

	vnpu_assert_may_wait();
	ret = dma_buf_begin_cpu_access(to_import(mem)->dmabuf,
				       DMA_BIDIRECTIONAL);
	if (ret == -ERESTARTSYS)
		return -EINTR;
	return ret ? -EIO : 0;
}

static void vnpu_import_end_access(struct vnpu_mem *mem)
{
	vnpu_assert_may_wait();
	dma_buf_end_cpu_access(to_import(mem)->dmabuf, DMA_BIDIRECTIONAL);
}

static void vnpu_import_release(struct vnpu_mem *mem)
{
	struct vnpu_import *import = to_import(mem);

	dma_buf_vunmap_unlocked(import->dmabuf, &import->map);
	dma_buf_put(import->dmabuf);
	vnpu_host_account_uncharge(import->host_account, VNPU_HOST_MEMORY,
				   mem->length);
	vnpu_host_account_put(import->host_account);
	kfree(import);
}

static const struct vnpu_mem_ops vnpu_import_ops = {
	.kind = VNPU_MEM_KIND_DMABUF,
	.is_foreign = true,
	.addr = vnpu_import_addr,
	.begin_access = vnpu_import_begin_access,
	.end_access = vnpu_import_end_access,
	.release = vnpu_import_release,
};

/* Map a dma-buf. The exporter may return any error, so convert it. */
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

static struct vnpu_mem *vnpu_import_create(struct vnpu_client *client,
					   struct dma_buf *dmabuf)
{
	struct vnpu_import *import;
	int ret;

	if (!dmabuf->ops->vmap)
		return ERR_PTR(-EOPNOTSUPP);
	/* A binding of whole pages could extend beyond the end. */
	if (!dmabuf->size || dmabuf->size & (VNPU_PAGE_SIZE - 1))
		return ERR_PTR(-EOPNOTSUPP);
	import = kzalloc(sizeof(*import), GFP_KERNEL_ACCOUNT);
	if (!import)
		return ERR_PTR(-ENOMEM);
	import->dmabuf = dmabuf;
	import->host_account = client->host_account;
	ret = vnpu_host_account_charge(import->host_account, VNPU_HOST_MEMORY,
				       dmabuf->size);
	if (ret)
		goto err_free;
	ret = vnpu_import_vmap(import, dmabuf);
	if (ret)
		goto err_uncharge;
	/*
	 * Start the thread now, for the first task that uses the memory. It
	 * comes last: nothing stops the thread before the client ends.
	 */
	ret = vnpu_foreign_start(&client->foreign);
	if (ret)
		goto err_vunmap;
	get_dma_buf(dmabuf);
	vnpu_host_account_get(import->host_account);
	import->mem.length = dmabuf->size;
	import->mem.page_shift = VNPU_PAGE_SHIFT;
	import->mem.read_only = !(dmabuf->file->f_mode & FMODE_WRITE);
	vnpu_mem_init(&import->mem, &vnpu_import_ops);
	return &import->mem;

err_vunmap:
	dma_buf_vunmap_unlocked(dmabuf, &import->map);
err_uncharge:
	vnpu_host_account_uncharge(import->host_account, VNPU_HOST_MEMORY,
				   dmabuf->size);
err_free:
	kfree(import);
	return ERR_PTR(ret);
}

/**
 * vnpu_import_get_fence() - get a fence that an access has to wait for
 * @mem: memory of another driver
 *
 * There may be more fences than this one, and new ones at any time. Engines
 * must not call this, because it calls the fences' drivers.
 *
 * Return: a fence that is not signalled, with a reference, or NULL.
 */
struct dma_fence *vnpu_import_get_fence(struct vnpu_mem *mem)
{
	struct dma_fence *fence, *found = NULL;
	struct dma_resv_iter cursor;

	vnpu_assert_may_wait();
	dma_resv_iter_begin(&cursor, to_import(mem)->dmabuf->resv,
			    dma_resv_usage_rw(true));
	dma_resv_for_each_fence_unlocked(&cursor, fence) {
		found = dma_fence_get(fence);
		break;
	}
	dma_resv_iter_end(&cursor);
	return found;
}

/**
 * vnpu_dmabuf_import() - import a dma-buf as a memory object
 * @client: the importing client, called by a thread of its process
 * @fd: any number
 *
 * Return: the object with a reference, or ERR_PTR of -EBADF, -EINVAL (not a
 * dma-buf), -EOPNOTSUPP (the CPU cannot access it), -EDQUOT (the user has too
 * much host memory from this driver), -EIO, -ENOMEM or -EINTR.
 */
struct vnpu_mem *vnpu_dmabuf_import(struct vnpu_client *client, int fd)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	struct vnpu_devmem *devmem;
	struct vnpu_mem *mem;

	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	devmem = vnpu_dmabuf_devmem(dmabuf);
	if (!devmem) {
		mem = vnpu_import_create(client, dmabuf);
	} else if (dmabuf->file->f_mode & FMODE_WRITE) {
		mem = &devmem->mem;
		vnpu_mem_get(mem);
	} else {
		mem = vnpu_alias_create(devmem);
	}
	dma_buf_put(dmabuf);
	return mem;
}
