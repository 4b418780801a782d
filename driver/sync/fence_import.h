/* SPDX-License-Identifier: GPL-2.0-only */
/* Timelines that stand for fences of the kernel. */
#ifndef VNPU_FENCE_IMPORT_H
#define VNPU_FENCE_IMPORT_H

struct dma_fence;
struct vnpu_timeline;

struct vnpu_timeline *vnpu_fence_import(struct dma_fence *fence);
int vnpu_fence_import_init(void);
void vnpu_fence_import_fini(void);

#endif
