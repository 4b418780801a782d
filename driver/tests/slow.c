// SPDX-License-Identifier: GPL-2.0-only
/*
 * An exporter of dma-bufs that delays CPU access, for tests of imports: it acts
 * like a driver that has to wait for a fence. Each ioctl() on its node makes a
 * dma-buf.
 */
#include <linux/delay.h>
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/iosys-map.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include "compat.h"

MODULE_IMPORT_NS(VNPU_DMA_BUF_NS);

static unsigned int delay_ms;
module_param(delay_ms, uint, 0644);
MODULE_PARM_DESC(delay_ms, "how long it takes to begin an access, unless a signal comes");

static int slow_attach(struct dma_buf *dmabuf,
		       struct dma_buf_attachment *attachment)
{
	return -EOPNOTSUPP;
}

static struct sg_table *slow_map(struct dma_buf_attachment *attachment,
				 enum dma_data_direction direction)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void slow_unmap(struct dma_buf_attachment *attachment,
		       struct sg_table *table,
		       enum dma_data_direction direction)
{
}

static int slow_begin_cpu_access(struct dma_buf *dmabuf,
				 enum dma_data_direction direction)
{
	return msleep_interruptible(READ_ONCE(delay_ms)) ? -ERESTARTSYS : 0;
}

static int slow_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	iosys_map_set_vaddr(map, dmabuf->priv);
	return 0;
}

static void slow_release(struct dma_buf *dmabuf)
{
	free_page((unsigned long)dmabuf->priv);
}

static const struct dma_buf_ops slow_ops = {
	.attach = slow_attach,
	.map_dma_buf = slow_map,
	.unmap_dma_buf = slow_unmap,
	.begin_cpu_access = slow_begin_cpu_access,
	.vmap = slow_vmap,
	.release = slow_release,
};

/* Create a dma-buf of one page and return a file descriptor. */
static long slow_ioctl(struct file *file, unsigned int nr, unsigned long arg)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *dmabuf;
	int fd;

	info.ops = &slow_ops;
	info.size = PAGE_SIZE;
	info.flags = O_RDWR;
	info.priv = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!info.priv)
		return -ENOMEM;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		free_page((unsigned long)info.priv);
		return PTR_ERR(dmabuf);
	}
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(dmabuf);
	return fd;
}

static const struct file_operations slow_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = slow_ioctl,
};

static struct miscdevice slow_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "vnpu_slow",
	.fops = &slow_fops,
};

module_misc_device(slow_device);

MODULE_DESCRIPTION("Test of vnpu with dma-bufs of other drivers");
MODULE_LICENSE("GPL");
