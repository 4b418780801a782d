/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of host memory: a client, its mappings, and its
 * pinned memory.
 */
#ifndef SELFTESTS_VNPU_HOSTMEM_H
#define SELFTESTS_VNPU_HOSTMEM_H

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define LENGTH		(16 * PAGE)
#define HUGE		MIB(2)
#define NOBODY		65534

static inline void *host_map(const struct client *c, __u32 id, __u64 length,
			     int prot, int flags)
{
	return mmap(NULL, length, prot, flags, c->fd,
		    VNPU_MMAP_HOST + id * PAGE);
}

static inline void *anonymous(__u64 length)
{
	return mmap(NULL, length, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* HUGE bytes, which are one page if the kernel has pages of this size. */
static inline __u8 *anonymous_huge(void)
{
	__u8 *p = anonymous(2 * HUGE);

	if (p == MAP_FAILED)
		return p;
	p += -addr(p) & (HUGE - 1);
	madvise(p, HUGE, MADV_HUGEPAGE);
	return p;
}

/* Another user, without privileges. */
static inline void become_nobody(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(120);
}

FIXTURE(hostmem)
{
	struct client c;
	__u64 va;	/* an address without a binding */
	long pinned;	/* KiB at the start */
};

FIXTURE_SETUP(hostmem)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->va = self->c.base + MIB(4);
	self->pinned = pinned_kib();
}

FIXTURE_TEARDOWN(hostmem)
{
	client_close(&self->c);
}

#endif
