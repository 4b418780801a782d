// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engines are everybody's: none frees what a client had. To free large memory takes
 * long, and where it is given back while a task uses it, that is for who gives it
 * back.
 *
 * How long others wait after that is compared with how long it takes to free it, in
 * a machine with one processor whose clock counts instructions (vnpu-vm --icount).
 * Who frees it gets that at once, in the midst of a task (preempt=full).
 */
#include "kselftest_harness.h"

#include <sched.h>

#include "../uapi/stream.h"
#include "../uapi/util.h"

/*
 * Registered memory. It begins with some in one run, which the task uses in large
 * pieces; of the rest each page is given back by itself, which takes the time.
 */
#define RUN		MIB(32)
#define LARGE		MIB(128)

#define REPEATS		40

/* Others wait for no more than one of so many parts of the time. */
#define PARTS		8

FIXTURE(release)
{
	struct client one, other;
	struct stream s, probe;
	struct rng rng;
	__u8 *pages;
};

/* In pages of 2 MiB as far as they are to be in one run, and small ones. */
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

/* The ns that it takes with no task at it, or 0 if it fails. */
static __u64 time_to_give(FIXTURE_DATA(release) *self)
{
	__u64 from;

	if (take(self))
		return 0;
	from = now_ns();
	return give(self) ? 0 : now_ns() - from;
}

/* A task of the one's that takes longer than to wait for some of it. */
static int begin_task(FIXTURE_DATA(release) *self)
{
	const __u64 va = self->one.base;
	int ret = stream_run(&self->s,
			     task_copy(va, va + RUN / 2, RUN / 2));

	usleep(100 + rng_below(&self->rng, 1000));
	return ret;
}

/* How long a task of the other's takes, in ns, once the memory is unbound. */
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

TEST_F_TIMEOUT(release, is_not_for_engines, 300)
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
	printf("# %llu us to free it, and others waited for %llu at most\n",
	       takes / 1000, worst / 1000);
	EXPECT_GT(takes, worst * PARTS);
	/* Each time the memory went under a task. */
	EXPECT_EQ(REPEATS, self->s.ring->errors);
}

TEST_HARNESS_MAIN
