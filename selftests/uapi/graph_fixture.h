/* SPDX-License-Identifier: GPL-2.0-only */
/* The fixture of tests of graphs: two streams, a timeline, and memory. */
#ifndef SELFTESTS_VNPU_GRAPH_FIXTURE_H
#define SELFTESTS_VNPU_GRAPH_FIXTURE_H

#include "kselftest_harness.h"

#include "graph.h"
#include "util.h"

#define NOP	((struct vnpu_task){})

FIXTURE(graph)
{
	struct client c;
	struct stream s, other;
	__u64 id;	/* of a timeline */
	__u64 counter;
	__u64 va;	/* 1 MiB with host access; its first page is zero, but */
	volatile __u64 *mem;	/* mem[1] is 1 */
	__u64 bad;	/* an address where nothing is bound */
	struct graph g;
};

FIXTURE_SETUP(graph)
{
	ASSERT_EQ(0, pair_open(&self->c, MIB(1), &self->s, &self->other,
			       &self->id, &self->counter));
	self->va = self->c.base;
	self->mem = ptr(self->va);
	self->bad = self->va + MIB(64);
	self->mem[1] = 1;
}

FIXTURE_TEARDOWN(graph)
{
	client_close(&self->c);
}

/* The address of word @i. */
#define AT(i)	(self->va + 8 * (i))

#endif /* SELFTESTS_VNPU_GRAPH_FIXTURE_H */
