// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that maps a dma-buf for the CPU, for a test. It inverts all bytes of
 * the dma-buf when it is loaded. When it is unloaded, it inverts them back,
 * unless the parameter leave is set, and unmaps the dma-buf.
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/iosys-map.h>
#include <linux/module.h>

#include "compat.h"

MODULE_IMPORT_NS(VNPU_DMA_BUF_NS);

static int fd = -1;
module_param(fd, int, 0);
MODULE_PARM_DESC(fd, "the dma-buf, in the process that loads this");

static bool leave;
module_param(leave, bool, 0);
MODULE_PARM_DESC(leave, "the bytes inverted at the end");

static struct dma_buf *dmabuf;
static struct iosys_map map;

static void invert(void)
{
	u8 *bytes = map.vaddr;
	size_t i;

	for (i = 0; i < dmabuf->size; i++)
		bytes[i] = ~bytes[i];
}

static int __init vnpu_vmap_init(void)
{
	int ret;

	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	ret = dma_buf_vmap_unlocked(dmabuf, &map);
	if (ret) {
		dma_buf_put(dmabuf);
		return ret;
	}
	invert();
	return 0;
}

static void __exit vnpu_vmap_exit(void)
{
	if (!leave)
		invert();
	dma_buf_vunmap_unlocked(dmabuf, &map);
	dma_buf_put(dmabuf);
}

module_init(vnpu_vmap_init);
module_exit(vnpu_vmap_exit);

MODULE_DESCRIPTION("Test of vnpu's dma-bufs");
MODULE_LICENSE("GPL");
