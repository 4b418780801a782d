/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory that a stream shares with its user. */
#ifndef VNPU_RING_H
#define VNPU_RING_H

#include <linux/kref.h>
#include <linux/mm_types.h>

#include <linux/vnpu_task.h>

struct vnpu_client;

#define VNPU_RING_PAGES		(VNPU_RING_MAP_SIZE >> PAGE_SHIFT)

/**
 * struct vnpu_ring_mem - a ring and its pages
 * @ref: held by the stream and by each mapping
 * @ring: the first page, as the kernel reaches it; what the user writes there
 *	may change at any time
 * @slots: the tasks
 * @pages: what it consists of
 */
struct vnpu_ring_mem {
	struct kref ref;
	struct vnpu_ring *ring;
	struct vnpu_task *slots;
	struct page *pages[VNPU_RING_PAGES];
};

struct vnpu_ring_mem *vnpu_ring_create(void);
void vnpu_ring_put(struct vnpu_ring_mem *mem);
int vnpu_ring_mmap(struct vnpu_client *client, struct vm_area_struct *vma);

#endif
