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

#include "fail_nth.h"

#define DEBUG		"/sys/kernel/debug/"

/* What the C library's own functions are called beside their names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static const struct {
	const char *file;
	const char *value;
} knobs[] = {
	{ DEBUG "failslab/ignore-gfp-wait", "N" },
	{ DEBUG "failslab/verbose", "0" },
	{ DEBUG "fail_page_alloc/ignore-gfp-wait", "N" },
	{ DEBUG "fail_page_alloc/min-order", "0" },
	{ DEBUG "fail_page_alloc/verbose", "0" },
	{ DEBUG "fail_usercopy/verbose", "0" },
};

#define KNOBS	(sizeof(knobs) / sizeof(knobs[0]))

static enum fail_kind kind;
static char old[KNOBS][16];
static atomic_long blocks;
static atomic_bool others;	/* one of another thread is to fail */
static __thread bool is_armer;
static __thread unsigned int heap_left;
/* Fail-nth is of the thread that opens it. */
static int kernel_fd = -1;
static pid_t kernel_thread;

/* What went in comes out again: it begins at the file's start. */
static bool knob(unsigned int i, char *get, const char *put)
{
	int fd = open(knobs[i].file, (put ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = put ? write(fd, put, strlen(put)) : read(fd, get, sizeof(*old) - 1);
	close(fd);
	return n > 0;
}

static void open_kernel(void)
{
	if (kernel_fd >= 0)
		close(kernel_fd);
	kernel_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	kernel_thread = gettid();
}

bool fail_init(enum fail_kind new)
{
	unsigned int i;

	kind = new;
	if (kind != FAIL_KERNEL)
		return true;
	for (i = 0; i < KNOBS; i++)
		if (!knob(i, old[i], NULL))
			return false;
	for (i = 0; i < KNOBS; i++)
		if (!knob(i, NULL, knobs[i].value))
			return false;
	open_kernel();
	return true;
}

void fail_fini(void)
{
	unsigned int i;

	for (i = 0; kind == FAIL_KERNEL && i < KNOBS; i++)
		knob(i, NULL, old[i]);
	if (kernel_fd >= 0)
		close(kernel_fd);
	kernel_fd = -1;
}

void fail_arm(unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (kind == FAIL_HEAP) {
		heap_left = n;
		return;
	}
	if (kernel_thread != gettid())
		open_kernel();
	if (pwrite(kernel_fd, text, (size_t)length, 0) != length)
		abort();
}

void fail_arm_others(void)
{
	is_armer = true;
	atomic_store(&others, true);
}

bool fail_is_armed_for_others(void)
{
	return atomic_load(&others);
}

/*
 * To ask takes a copy too, and so does to switch it off; where one of them
 * fails, it had not come to that before.
 */
bool fail_disarm(void)
{
	char text[16] = "";
	bool hit;

	if (kind == FAIL_HEAP) {
		hit = !heap_left;
		heap_left = 0;
		return hit;
	}
	if (pread(kernel_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text))
		return true;
	while (pwrite(kernel_fd, "0", 1, 0) != 1)
		;
	return false;
}

long fail_blocks(void)
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
