// SPDX-License-Identifier: GPL-2.0-only
/*
 * KCOV: the kernel code that runs for a task. The debug kernel has it, with
 * only the module under test instrumented.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/kcov.h>

#include "fuzz.h"

#define COVER_WORDS	(64 << 10)
#define COVER_BITS	18

/* Shared with the process that runs a program. */
static unsigned long *area;
static int kcov_fd = -1;

/* Steps from block to block that were seen, and blocks. */
static __u8 seen_steps[1 << COVER_BITS];
static __u8 seen_blocks[1 << COVER_BITS];
static unsigned int blocks;

/**
 * cover_open() - initialise the coverage
 *
 * Return: false if the kernel has no KCOV.
 */
bool cover_open(void)
{
	void *p;

	kcov_fd = open("/sys/kernel/debug/kcov", O_RDWR);
	if (kcov_fd < 0)
		return false;
	if (ioctl(kcov_fd, KCOV_INIT_TRACE, COVER_WORDS))
		return false;
	p = mmap(NULL, COVER_WORDS * sizeof(*area), PROT_READ | PROT_WRITE,
		 MAP_SHARED, kcov_fd, 0);
	if (p == MAP_FAILED)
		return false;
	area = p;
	return true;
}

/**
 * cover_begin() - record the calling task from now on, until it exits
 */
void cover_begin(void)
{
	if (!area || ioctl(kcov_fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return;
	__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
}

static unsigned int hash(unsigned long value)
{
	return (value * 0x9e3779b97f4a7c15ULL) >> (64 - COVER_BITS);
}

/**
 * cover_end() - evaluate the coverage of the task, which has exited
 *
 * Return: how many steps from block to block are new.
 */
unsigned int cover_end(void)
{
	unsigned long i, n, last = 0;
	unsigned int fresh = 0;

	if (!area)
		return 0;
	n = __atomic_load_n(&area[0], __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < COVER_WORDS; i++) {
		__u8 *block = &seen_blocks[hash(area[i])];
		__u8 *step = &seen_steps[hash(area[i] ^ (last << 1))];

		blocks += !*block;
		fresh += !*step;
		*block = 1;
		*step = 1;
		last = area[i];
	}
	area[0] = 0;
	return fresh;
}

/**
 * cover_blocks() - return the total coverage
 *
 * Return: the number of blocks of code.
 */
unsigned int cover_blocks(void)
{
	return blocks;
}
