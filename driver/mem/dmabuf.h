/* SPDX-License-Identifier: GPL-2.0-only */
/* Export of device memory as dma-bufs, and import of dma-bufs. */
#ifndef VNPU_DMABUF_H
#define VNPU_DMABUF_H

#include <linux/types.h>

struct dma_buf;
struct dma_fence;
struct file;
struct vnpu_client;
struct vnpu_devmem;
struct vnpu_mem;

struct file *vnpu_dmabuf_create(struct vnpu_devmem *devmem, bool read_only);
struct vnpu_devmem *vnpu_dmabuf_devmem(const struct dma_buf *dmabuf);
void vnpu_dmabuf_zap(struct vnpu_devmem *devmem, u64 first, u64 length);

struct vnpu_mem *vnpu_dmabuf_import(struct vnpu_client *client, int fd);
struct dma_fence *vnpu_import_get_fence(struct vnpu_mem *mem);
struct vnpu_mem *vnpu_alias_create(struct vnpu_devmem *target);

#endif
