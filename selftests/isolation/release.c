// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engines are shared by all clients, so no engine frees a client's memory.
 * Freeing large memory takes long, and if a task uses the memory when it is
 * freed, the freeing process does the work.
 *
 * The wait of other clients after that is compared with the time that freeing
 * takes, in a machine with one processor whose clock counts instructions
 * (vnpu-vm --icount). The freeing process gets the processor at once, in the
 * middle of a task (preempt=full).
 */
#include "kselftest_harness.h"

#include <sched.h>

#include "../uapi/stream.h"
#include "../uapi/util.h"

/*
 * Registered memory. It begins with a contiguous part, which the task uses in
 * large pieces. The other pages are freed one by one, which takes the time.
 */
#define RUN		MIB(32)
#define LARGE		MIB(128)

#define REPEATS		40

/* Other clients wait for at most one of this many parts of the time. */
#define PARTS		8

FIXTURE(release)
{
	struct client one, other;
	struct stream s, probe;
	struct rng rng;
	__u8 *pages;
};

/* Map pages of 2 MiB for the contiguous part, and small ones after it. */
static __u8 *make_pages(void)
{
	__u8 *p = mmap(NULL, LARGE + MIB(2), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	p += -addr(p) & (MIB(2) - 1);
	if (madvise(p, RUN, MADV_HUGEPAGE) ||
	    madvise(p + RUN, LARGE - RUN, MADV_NOHUGEPAGE))
		return NULL;
	memset(p, 1, LARGE);
	return p;
}

FIXTURE_SETUP(release)
{
	self->rng = rng_init();
	self->pages = make_pages();
	ASSERT_TRUE(self->pages);
	self->one.fd = -1;
	self->other.fd = -1;
	ASSERT_EQ(0, client_open(&self->one));
	ASSERT_EQ(0, client_open(&self->other));
	ASSERT_EQ(0, mem_alloc_at(&self->other, 0, 0, 0, 2 * PAGE,
				  self->other.base));
	ASSERT_EQ(0, stream_create(&self->s, &self->one, 0));
	ASSERT_EQ(0, stream_create(&self->probe, &self->other, 0));
}

FIXTURE_TEARDOWN(release)
{
	client_close(&self->one);
	client_close(&self->other);
}

static int take(FIXTURE_DATA(release) *self)
{
	__u32 id;
	int ret = host_register(&self->one, 0, self->pages, LARGE, &id);

	if (ret)
		return ret;
	ret = va_bind(&self->one, id, self->one.base, LARGE, 0);
	return mem_free(&self->one, id) ?: ret;
}

static int give(FIXTURE_DATA(release) *self)
{
	return va_unbind(&self->one, self->one.base, LARGE);
}

/*
 * Return the ns that freeing takes while no task uses the memory, or 0 on
 * failure.
 */
static __u64 time_to_give(FIXTURE_DATA(release) *self)
{
	__u64 from;

	if (take(self))
		return 0;
	from = now_ns();
	return give(self) ? 0 : now_ns() - from;
}

/* A task of the first client that takes longer than a wait for a part of it. */
static int begin_task(FIXTURE_DATA(release) *self)
{
	const __u64 va = self->one.base;
	int ret = stream_run(&self->s,
			     task_copy(va, va + RUN / 2, RUN / 2));

	usleep(100 + rng_below(&self->rng, 1000));
	return ret;
}

/*
 * Return the ns that a task of the other client takes once the memory is
 * unbound.
 */
static int give_under_task(FIXTURE_DATA(release) *self, __u64 *waited)
{
	const __u64 va = self->other.base;
	__u64 from;
	int ret;

	ret = take(self) ?: begin_task(self) ?: give(self);
	from = now_ns();
	ret = ret ?: stream_run(&self->probe, task_copy(va + PAGE, va, PAGE));
	ret = ret ?: stream_wait(&self->probe, 60000);
	*waited = now_ns() - from;
	return ret ?: stream_wait(&self->s, 60000);
}

TEST_F_TIMEOUT(release, engines_do_not_free_memory, 300)
{
	__u64 takes = time_to_give(self), waited, worst = 0;
	const struct sched_param first = { .sched_priority = 50 };
	int i;

	ASSERT_NE(0, takes);
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &first));
	for (i = 0; i < REPEATS; i++) {
		ASSERT_EQ(0, give_under_task(self, &waited));
		worst = waited > worst ? waited : worst;
	}
	printf("# %llu us to free it, and other clients waited for %llu at most\n",
	       takes / 1000, worst / 1000);
	EXPECT_GT(takes, worst * PARTS);
	/* Each time, a task was using the memory. */
	EXPECT_EQ(REPEATS, self->s.ring->errors);
}

TEST_HARNESS_MAIN
