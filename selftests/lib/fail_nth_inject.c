// SPDX-License-Identifier: GPL-2.0-only
/* Failures on demand, see fail_nth.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../uapi/fail.h"
#include "fail_nth.h"

/* What the C library's own functions are called beside their names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static enum nth_kind kind;
static struct fail kernel;
static pid_t kernel_thread;	/* whose it is */
static atomic_long blocks;
static atomic_bool others;	/* one of another thread is to fail */
static __thread bool is_armer;
static __thread unsigned int heap_left;

bool nth_begin(enum nth_kind new)
{
	kind = new;
	kernel_thread = gettid();
	return kind != NTH_KERNEL || !fail_begin(&kernel);
}

void nth_end(void)
{
	if (kind == NTH_KERNEL)
		fail_end(&kernel);
}

/* It is of the thread that opened it; a child has to do so anew. */
static void own_kernel(void)
{
	if (kernel_thread == gettid())
		return;
	close(kernel.fd);
	kernel.fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	kernel_thread = gettid();
}

void nth_arm(unsigned int n)
{
	if (kind == NTH_HEAP) {
		heap_left = n;
		return;
	}
	own_kernel();
	fail_arm(&kernel, n);
}

void nth_arm_others(void)
{
	is_armer = true;
	atomic_store(&others, true);
}

bool nth_is_armed_for_others(void)
{
	return atomic_load(&others);
}

bool nth_disarm(void)
{
	bool hit = !heap_left;

	if (kind == NTH_KERNEL)
		return fail_disarm(&kernel);
	heap_left = 0;
	return hit;
}

long nth_blocks(void)
{
	return atomic_load(&blocks);
}

static bool must_fail(void)
{
	if (atomic_load(&others) && !is_armer)
		heap_left = atomic_exchange(&others, false);
	if (!heap_left || --heap_left)
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *block)
{
	if (block)
		atomic_fetch_add(&blocks, 1);
	return block;
}

void *malloc(size_t size)
{
	return must_fail() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return must_fail() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
	if (!block)
		return malloc(size);
	if (size)
		return must_fail() ? NULL : __libc_realloc(block, size);
	free(block);
	return NULL;
}

void *memalign(size_t alignment, size_t size)
{
	return must_fail() ? NULL : counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	void *new = memalign(alignment, size);

	if (!new)
		return ENOMEM;
	*block = new;
	return 0;
}

void free(void *block)
{
	if (block)
		atomic_fetch_sub(&blocks, 1);
	__libc_free(block);
}
