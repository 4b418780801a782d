// SPDX-License-Identifier: GPL-2.0-only
/* Failures on demand, see fail_nth.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "../uapi/fail.h"
#include "fail_nth.h"

/* Alternative names of the C library's own functions. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

#define CALLER		__builtin_return_address(0)

static enum nth_kind kind;
static struct fail kernel;
static pid_t kernel_thread;	/* the thread */
static atomic_long blocks;
static atomic_bool others;	/* an allocation of another thread fails */
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

/*
 * The file belongs to the thread that opened it; a child has to open its own.
 */
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

/* Bytes of the dynamic linker in memory, from its own headers. */
static uintptr_t linker_size(uintptr_t linker)
{
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)linker;
	const ElfW(Phdr) *part = (const ElfW(Phdr) *)(linker + head->e_phoff);
	uintptr_t end = 0;

	for (int i = 0; i < head->e_phnum; i++)
		if (part[i].p_type == PT_LOAD)
			end = part[i].p_vaddr + part[i].p_memsz;
	return end;
}

/*
 * The dynamic linker has a block for each thread. It keeps the block of an
 * ended thread with its stack, for the next thread, so their number depends on
 * how soon threads end.  So these blocks are not counted.
 */
static bool is_counted(const void *caller)
{
	static _Atomic uintptr_t size;
	uintptr_t linker = getauxval(AT_BASE);

	if (linker && !size)
		size = linker_size(linker);
	return (uintptr_t)caller - linker >= size;
}

static void *counted(void *block, const void *caller)
{
	if (block && is_counted(caller))
		atomic_fetch_add(&blocks, 1);
	return block;
}

void *malloc(size_t size)
{
	return must_fail() ? NULL : counted(__libc_malloc(size), CALLER);
}

void *calloc(size_t count, size_t size)
{
	return must_fail() ? NULL : counted(__libc_calloc(count, size), CALLER);
}

static void release(void *block, const void *caller)
{
	if (block && is_counted(caller))
		atomic_fetch_sub(&blocks, 1);
	__libc_free(block);
}

void *realloc(void *block, size_t size)
{
	if (block && !size) {
		release(block, CALLER);
		return NULL;
	}
	if (must_fail())
		return NULL;
	return block ? __libc_realloc(block, size) :
		       counted(__libc_malloc(size), CALLER);
}

static void *align(size_t alignment, size_t size, const void *caller)
{
	return must_fail() ? NULL :
			     counted(__libc_memalign(alignment, size), caller);
}

void *memalign(size_t alignment, size_t size)
{
	return align(alignment, size, CALLER);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return align(alignment, size, CALLER);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	void *new = align(alignment, size, CALLER);

	if (!new)
		return ENOMEM;
	*block = new;
	return 0;
}

void free(void *block)
{
	release(block, CALLER);
}
