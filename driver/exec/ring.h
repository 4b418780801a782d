/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory that a stream shares with its user. */
#ifndef VNPU_RING_H
#define VNPU_RING_H

#include <linux/kref.h>
#include <linux/mm_types.h>

#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

struct vnpu_client;

/* Offsets at which streams are mapped, in pages. */
#define VNPU_RING_OFFSETS	((VNPU_MMAP_HOST - VNPU_MMAP_STREAM) >> PAGE_SHIFT)

/**
 * struct vnpu_ring_mem - a ring and its pages
 * @ref: held by the stream and by each mapping
 * @ring: the first page, at its kernel address; the user may change its
 *	contents at any time
 * @slots: the tasks
 * @failures: the records of failures; the kernel only writes them. NULL for a
 *	private ring.
 * @nr_pages: number of pages; 0 for a private ring, which is not mapped
 * @pages: the pages
 */
struct vnpu_ring_mem {
	struct kref ref;
	struct vnpu_ring *ring;
	struct vnpu_task *slots;
	struct vnpu_task_failure *failures;
	unsigned int nr_pages;
	struct page *pages[];
};

size_t vnpu_ring_map_size(u32 ring_tasks);
struct vnpu_ring_mem *vnpu_ring_create(u32 ring_tasks);
struct vnpu_ring_mem *vnpu_ring_create_private(struct vnpu_task *slots);
void vnpu_ring_put(struct vnpu_ring_mem *mem);
int vnpu_ring_mmap(struct vnpu_client *client, struct vm_area_struct *vma);

#endif
