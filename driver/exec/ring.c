// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that a stream shares with its user: ordinary pages, which the
 * kernel maps contiguously like the user.
 */
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "base/mm_owner.h"
#include "sync/timeline.h"
#include "compat.h"
#include "ring.h"
#include "stream.h"

/* Records begin after the ring, and none crosses a cache line. */
static_assert(sizeof(struct vnpu_ring) == 192);
static_assert(sizeof(struct vnpu_task_failure) == 32);
static_assert(sizeof(struct vnpu_task) == 64);
/* As many as all devices can have together, for a client that has them all. */
static_assert(VNPU_MAX_STREAMS * VNPU_MAX_DEVICES <= VNPU_RING_OFFSETS);
/* mmap2() passes a 32-bit number of pages. */
static_assert(VNPU_MMAP_HOST >> VNPU_PAGE_SHIFT <= U32_MAX);

static void vnpu_ring_free(struct vnpu_ring_mem *mem)
{
	unsigned int i;

	if (mem->ring && mem->nr_pages)
		vunmap(mem->ring);
	for (i = 0; i < mem->nr_pages && mem->pages[i]; i++)
		__free_page(mem->pages[i]);
	kvfree(mem);
}

static void vnpu_ring_release(struct kref *ref)
{
	vnpu_ring_free(container_of(ref, struct vnpu_ring_mem, ref));
}

/* The records of failures are between the ring and the tasks. */
static size_t vnpu_ring_tasks_offset(u32 ring_tasks)
{
	return PAGE_ALIGN(sizeof(struct vnpu_ring) +
			  (size_t)ring_tasks * sizeof(struct vnpu_task_failure));
}

/**
 * vnpu_ring_map_size() - get the size of a ring
 * @ring_tasks: number of tasks that it holds, up to VNPU_RING_TASKS_MAX
 *
 * Return: bytes, a multiple of PAGE_SIZE
 */
size_t vnpu_ring_map_size(u32 ring_tasks)
{
	return vnpu_ring_tasks_offset(ring_tasks) +
	       PAGE_ALIGN((size_t)ring_tasks * sizeof(struct vnpu_task));
}

/* Only the user reads these. */
static void vnpu_ring_write_shape(struct vnpu_ring *ring, u32 ring_tasks)
{
	ring->version = VNPU_RING_VERSION;
	ring->task_size = sizeof(struct vnpu_task);
	ring->ring_tasks = ring_tasks;
	ring->tasks_offset = vnpu_ring_tasks_offset(ring_tasks);
	ring->failure_size = sizeof(struct vnpu_task_failure);
	ring->ring_failures = ring_tasks;
	ring->failures_offset = sizeof(*ring);
}

/**
 * vnpu_ring_create() - create a ring, charged to the caller's memory cgroup
 * @ring_tasks: number of tasks that it holds: a power of two, up to
 *	VNPU_RING_TASKS_MAX
 *
 * Return: the ring with one reference, or NULL.
 */
struct vnpu_ring_mem *vnpu_ring_create(u32 ring_tasks)
{
	unsigned int i, nr_pages = vnpu_ring_map_size(ring_tasks) >> PAGE_SHIFT;
	struct vnpu_ring_mem *mem;

	mem = kvzalloc(struct_size(mem, pages, nr_pages), GFP_KERNEL_ACCOUNT);
	if (!mem)
		return NULL;
	kref_init(&mem->ref);
	mem->nr_pages = nr_pages;
	for (i = 0; i < nr_pages; i++) {
		mem->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!mem->pages[i])
			goto err;
	}
	mem->ring = vmap(mem->pages, nr_pages, VM_MAP, PAGE_KERNEL);
	if (!mem->ring)
		goto err;
	vnpu_ring_write_shape(mem->ring, ring_tasks);
	mem->slots = (void *)mem->ring + vnpu_ring_tasks_offset(ring_tasks);
	mem->failures = (void *)mem->ring + sizeof(*mem->ring);
	return mem;

err:
	vnpu_ring_free(mem);
	return NULL;
}

/**
 * vnpu_ring_create_private() - create a ring that user space never maps
 * @slots: its tasks, which the caller frees when nothing uses the ring
 *
 * Return: the ring with one reference, or NULL.
 */
struct vnpu_ring_mem *vnpu_ring_create_private(struct vnpu_task *slots)
{
	struct vnpu_ring_mem *mem;

	mem = kvzalloc(sizeof(*mem) + sizeof(*mem->ring), GFP_KERNEL_ACCOUNT);
	if (!mem)
		return NULL;
	kref_init(&mem->ref);
	mem->ring = (void *)mem->pages;
	mem->slots = slots;
	return mem;
}

/**
 * vnpu_ring_put() - drop a reference
 * @mem: the ring
 */
void vnpu_ring_put(struct vnpu_ring_mem *mem)
{
	kref_put(&mem->ref, vnpu_ring_release);
}

static void vnpu_ring_vma_open(struct vm_area_struct *vma)
{
	struct vnpu_ring_mem *mem = vma->vm_private_data;

	kref_get(&mem->ref);
}

static void vnpu_ring_vma_close(struct vm_area_struct *vma)
{
	vnpu_ring_put(vma->vm_private_data);
}

/* As vnpu_hostmem_vma_fault(). */
static vm_fault_t vnpu_ring_vma_fault(struct vm_fault *vmf)
{
	const struct vnpu_client *client = vmf->vma->vm_file->private_data;
	struct vnpu_ring_mem *mem = vmf->vma->vm_private_data;

	if (!vnpu_mm_owner_has_vma(client->mm_owner, vmf->vma))
		return VM_FAULT_SIGSEGV;
	if (vmf->pgoff >= mem->nr_pages)
		return VM_FAULT_SIGBUS;
	vmf->page = mem->pages[vmf->pgoff];
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct vnpu_ring_vm_ops = {
	.open = vnpu_ring_vma_open,
	.close = vnpu_ring_vma_close,
	.fault = vnpu_ring_vma_fault,
};

/**
 * vnpu_ring_mmap() - map a stream's ring, which is created if there is none
 * @client: the client, of the calling process
 * @vma: the new mapping
 *
 * Return: 0, -EINVAL, -EACCES, -ENOENT or -ENOMEM; see VNPU_MMAP_STREAM.
 */
int vnpu_ring_mmap(struct vnpu_client *client, struct vm_area_struct *vma)
{
	struct vnpu_stream *stream;
	struct vnpu_ring_mem *mem;
	unsigned long pages;
	int ret;

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	/* VM_SHARED is missing if the file is not open for writing. */
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EACCES;
	stream = vnpu_stream_get_by_offset(client, vma->vm_pgoff -
					   (VNPU_MMAP_STREAM >> PAGE_SHIFT));
	if (!stream)
		return -ENOENT;
	mem = ERR_PTR(-EINVAL);
	if (vma->vm_end - vma->vm_start ==
	    vnpu_ring_map_size(stream->ring_tasks))
		mem = vnpu_stream_get_ring(stream);
	vnpu_timeline_put(&stream->timeline);
	if (IS_ERR(mem))
		return PTR_ERR(mem);

	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYEXEC);
	pages = mem->nr_pages;
	ret = vm_insert_pages(vma, vma->vm_start, mem->pages, &pages);
	if (ret) {
		vnpu_ring_put(mem);
		return ret;
	}
	vnpu_vma_fork_by_fault(vma);
	vma->vm_pgoff = 0;
	vma->vm_private_data = mem;
	vma->vm_ops = &vnpu_ring_vm_ops;
	return 0;
}
