// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client that allocates and frees many extents takes turns with other
 * clients: another user's allocation of a page waits for a small part of that
 * time only.
 *
 * The other client is scheduled first, so it can only wait for the device's
 * lock. For a machine with one processor whose clock counts instructions
 * (vnpu-vm --icount).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kselftest_harness.h"

#include <sched.h>

#include "../uapi/client.h"
#include "../uapi/util.h"

#define ALICE		54321
#define ROUNDS		4

/* Extents of one object, if the device has twice as many pages. */
#define MANY		131008

/* Pages that are left for the other client. */
#define SPARE		16

/* The other client waits for at most one of this many parts of the time. */
#define PARTS		16

static __u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

struct times {
	__u64 extents;
	__u64 alloc;
	__u64 free;
	__u64 error;
};

/* Leave every other page free, so that an object has an extent for each. */
static int take_every_other(struct client *c, __u64 *extents)
{
	struct vnpu_device_query q;
	__u64 pages, i;
	__u32 id;
	int ret = device_query(c, 0, &q);

	if (ret)
		return ret;
	pages = q.out_free / PAGE < 2 * MANY ? q.out_free / PAGE : 2 * MANY;
	for (i = 0; !ret && i < pages; i++)
		ret = mem_alloc_at(c, 0, 0, 0, PAGE, c->base + i * PAGE);
	if (!ret && q.out_free > pages * PAGE)
		ret = mem_alloc(c, 0, 0, 0, q.out_free - pages * PAGE, &id);
	for (i = 0; !ret && i < pages; i += 2)
		ret = va_unbind(c, c->base + i * PAGE, PAGE);
	*extents = pages / 2 - SPARE;
	return ret;
}

/* Return the mean times of one allocation of many extents, and of its end. */
static int take_and_give(int ready, int done)
{
	struct times t = { 0 };
	struct client c;
	__u64 from;
	__u32 id;
	int ret, i;

	ret = setresuid(ALICE, ALICE, ALICE) ? -errno : client_open(&c);
	if (!ret)
		ret = take_every_other(&c, &t.extents);
	baton_pass(ready);
	for (i = 0; !ret && i < ROUNDS; i++) {
		from = now_ns();
		ret = mem_alloc(&c, 0, 0, 0, t.extents * PAGE, &id);
		t.alloc += now_ns() - from;
		from = now_ns();
		ret = ret ?: mem_free(&c, id);
		t.free += now_ns() - from;
	}
	t.alloc /= ROUNDS;
	t.free /= ROUNDS;
	t.error = -ret;
	return write(done, &t, sizeof(t)) == sizeof(t) ? 0 : 1;
}

static int allocate_page(const struct client *c, __u64 *worst)
{
	__u64 from = now_ns();
	__u32 id;
	int ret = mem_alloc(c, 0, 0, 0, PAGE, &id) ?: mem_free(c, id);

	from = now_ns() - from;
	*worst = from > *worst ? from : *worst;
	return ret;
}

FIXTURE(turns)
{
	struct client c;
};

FIXTURE_SETUP(turns)
{
	ASSERT_EQ(0, client_open_only(&self->c));
}

FIXTURE_TEARDOWN(turns)
{
	client_close(&self->c);
}

TEST_F_TIMEOUT(turns, page_allocation_beside_many_extents, 300)
{
	const struct sched_param first = { .sched_priority = 50 };
	__u64 worst = 0, pages = 0;
	int ready[2], done[2];
	struct times t;
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe2(done, O_NONBLOCK));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(take_and_give(ready[1], done[1]));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	baton_take(ready[0]);
	while (read(done[0], &t, sizeof(t)) != sizeof(t)) {
		ASSERT_EQ(0, allocate_page(&self->c, &worst));
		pages++;
		usleep(100);
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0, t.error);
	printf("# %llu extents: %llu us to allocate, %llu to free; of %llu pages one took %llu us at most\n",
	       t.extents, t.alloc / 1000, t.free / 1000, pages, worst / 1000);
	EXPECT_GE(t.alloc + t.free, worst * PARTS);
}

TEST_HARNESS_MAIN
