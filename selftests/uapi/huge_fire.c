// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host mappings of large pages while these are moved, bound elsewhere, or
 * replace small ones: a thread that touches them sees the memory that is bound
 * there.
 */
#include "huge.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* A page that was moved is faulted in at its new place. */
TEST_F(huge, moved_by_compaction)
{
	struct vnpu_device_query q;
	__u64 n = 0, i;
	__u32 id;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	if (q.out_free > self->c.size)
		SKIP(return, "too large a device");
	while (!mem_alloc_at(&self->c, 0, HOST | VNPU_MEM_F_NO_COMPACT, SHIFT,
			     HUGE, self->va + n * HUGE)) {
		*(volatile __u64 *)ptr(self->va + n * HUGE) = n;
		*(volatile __u64 *)ptr(self->va + (n + 1) * HUGE - 8) = ~n;
		n++;
	}
	ASSERT_LT(16, n);
	for (i = 0; i < n; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, self->va + i * HUGE, 0));
	for (i = 0; i < n / 8; i++) {
		struct vnpu_mem_alloc a = {
			.size = sizeof(a),
			.flags = VNPU_MEM_F_CONTIGUOUS,
			.length = 4 * HUGE,
			.alignment = HUGE,
		};

		ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	}
	for (i = 1; i < n; i += 2) {
		volatile __u64 *p = ptr(self->va + i * HUGE);

		ASSERT_EQ(i, p[0]);
		ASSERT_EQ(~i, p[HUGE / 8 - 1]);
		p[0] = ~i;
	}
	EXPECT_NE(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, SHIFT,
			       q.out_total, &id));
	for (i = 1; i < n; i += 2) {
		__u64 value;

		ASSERT_EQ(0, copy(&self->c, addr(&value), self->va + i * HUGE,
				  8));
		ASSERT_EQ(~i, value);
	}
}

struct fire {
	struct client *c;
	__u64 va;
	__u32 id[2];
	atomic_bool stop;
	atomic_ulong errors;
	atomic_ulong touched;
};

/* Sees one of the two memories, or no memory. */
static void *fire_touch(void *arg)
{
	struct fire *f = arg;
	struct rng r = { addr(&r) | 1 };

	while (!atomic_load(&f->stop)) {
		__u64 at = rng_below(&r, HUGE / PAGE) * PAGE;
		__u8 v = 0;

		if (touch(TOUCH_READ, ptr(f->va + at), &v))
			continue;
		atomic_fetch_add(&f->touched, 1);
		if (v != 1 && v != 2)
			atomic_fetch_add(&f->errors, 1);
		/* Data is written to one of them, or nowhere. */
		v = 0xee;
		touch(TOUCH_WRITE, ptr(f->va + at + 8), &v);
	}
	return NULL;
}

TEST_F(huge, rebound_under_fire)
{
	const __u64 away = self->va + MIB(64);
	struct fire f = { .c = &self->c, .va = self->va };
	uint64_t end = now_ms() + env_u64("VNPU_FIRE_MS", 2000);
	unsigned int i, round = 0;
	pthread_t threads[3];
	__u64 at;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, mem_alloc(&self->c, 0, HOST, SHIFT, HUGE,
				       &f.id[i]));
		ASSERT_EQ(0, va_bind(&self->c, f.id[i], away + i * HUGE, HUGE,
				     0));
		for (at = 0; at < HUGE; at += PAGE)
			ASSERT_EQ(0, fill(&self->c, away + i * HUGE + at, 8,
					  i + 1, 1));
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fire_touch, &f));
	for (; now_ms() < end || !atomic_load(&f.touched); round++) {
		ASSERT_EQ(0, va_bind(&self->c, f.id[round % 2], self->va, HUGE,
				     0));
		if (round % 3 == 0)
			ASSERT_EQ(0, va_protect(&self->c, self->va, 0,
						VNPU_DEVICE_HOST,
						VNPU_ACCESS_READ));
		if (round % 5 == 0)
			usleep(200);
		if (!touch_read(self->va)) {
			ASSERT_EQ(round % 2 + 1,
				  *(volatile __u8 *)ptr(self->va));
		}
		ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
		ASSERT_EQ(SIGSEGV, touch_read(self->va));
	}
	atomic_store(&f.stop, true);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	TH_LOG("%u rounds, touched %lu times", round, atomic_load(&f.touched));
	EXPECT_EQ(0, atomic_load(&f.errors));
	EXPECT_LT(0, atomic_load(&f.touched));
}

struct swap {
	struct client *c;
	__u32 id;		/* 2 MiB in one page */
	atomic_ulong touched;	/* address that the host writes, or 0 */
	atomic_ulong wanted;	/* address to bind that page at, or 0 */
	atomic_bool stop;
};

static void *swap_touch(void *arg)
{
	struct swap *s = arg;
	__u8 v = 1;

	while (!atomic_load(&s->stop)) {
		unsigned long va = atomic_load(&s->touched);

		if (va)
			touch(TOUCH_WRITE, ptr(va), &v);
	}
	return NULL;
}

/* As soon as nothing else is bound there. */
static void *swap_bind(void *arg)
{
	struct swap *s = arg;

	while (!atomic_load(&s->stop)) {
		unsigned long va = atomic_load(&s->wanted);

		if (!va)
			sched_yield();
		else if (!va_bind(s->c, s->id, va, HUGE, 0))
			atomic_store(&s->wanted, 0);
	}
	return NULL;
}

/*
 * Small pages at an address, and then a large one, while both are faulted in.
 */
static int swap_at(struct swap *s, __u32 small, __u64 va, unsigned int delay)
{
	volatile unsigned int i;
	int ret;

	ret = va_bind(s->c, small, va, HUGE, 0);
	if (ret)
		return ret;
	atomic_store(&s->wanted, va);
	atomic_store(&s->touched, va);
	for (i = 0; i < delay; i++)
		;
	ret = va_unbind(s->c, va, 0);
	while (atomic_load(&s->wanted))
		sched_yield();
	return ret ?: va_unbind(s->c, va, 0);
}

/* A new window has new page tables, in which nothing was mapped before. */
TEST_F(huge, small_and_large_under_fire)
{
	uint64_t end = now_ms() + env_u64("VNPU_FIRE_MS", 2000);
	struct swap s = { .c = &self->c };
	unsigned int i, round = 0;
	pthread_t threads[4];
	__u32 small;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, HOST, 0, HUGE, &small));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, HOST, SHIFT, HUGE, &s.id));
	ASSERT_EQ(0, pthread_create(&threads[0], NULL, swap_bind, &s));
	for (i = 1; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, swap_touch, &s));
	while (now_ms() < end) {
		__u64 va = (self->c.base + HUGE - 1) / HUGE * HUGE;
		__u64 last = self->c.base + MIB(512) - HUGE;

		for (; va <= last && now_ms() < end; va += HUGE, round++)
			ASSERT_EQ(0, swap_at(&s, small, va, round * 37 % 20000));
		ASSERT_EQ(0, munmap(ptr(self->c.base), MIB(512)));
		ASSERT_EQ(0, window_map(&self->c, MIB(512),
					PROT_READ | PROT_WRITE));
	}
	atomic_store(&s.stop, true);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	TH_LOG("%u rounds", round);
}

TEST_HARNESS_MAIN
