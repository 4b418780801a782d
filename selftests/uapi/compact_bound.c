// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction of an object with so many bindings that unmapping it takes long.
 * Meanwhile other threads bind, unbind and read it, and only find its contents.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

#define BINDINGS	16384	/* so many that unmapping takes many turns */
#define ROUNDS		4
#define ATTEMPTS	20
#define WORD		0x600d600d600d600dull

FIXTURE(bound)
{
	struct client c;
	__u32 id;
	atomic_bool is_over;
	int failed;		/* errno of a thread that changes bindings */
	/* the value that a reader found instead of the word */
	__u64 bad;
};

FIXTURE_SETUP(bound)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
}

FIXTURE_TEARDOWN(bound)
{
	client_close(&self->c);
}

/* Remove bindings from anywhere in the list, and add them at its head. */
static void *meddle(void *arg)
{
	FIXTURE_DATA(bound) *self = arg;
	const struct client *c = &self->c;
	struct vnpu_mem_query q;
	__u64 i, va, word;
	int ret = 0;

	for (i = 0; !ret && !atomic_load(&self->is_over); i++) {
		va = c->base + i * 7919 % BINDINGS * PAGE;
		ret = va_unbind(c, va, PAGE) ?:
		      va_bind(c, self->id, va, PAGE, 0) ?:
		      mem_query(c, self->id, &q);
		word = ret ? WORD : *(volatile __u64 *)ptr(va);
		if (word != WORD)
			self->bad = word;
	}
	self->failed = -ret;
	return NULL;
}

/* Bind a page in the middle of free memory, and map all its bindings. */
static int prepare(FIXTURE_DATA(bound) * self)
{
	const struct client *c = &self->c;
	struct vnpu_device_query q;
	__u32 below, above;
	__u64 i;
	int ret;

	ret = device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			q.out_largest_free / 2 / PAGE * PAGE, &below) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE, &self->id) ?:
	      device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, 0, 0, q.out_free, &above);
	for (i = 0; i < BINDINGS && !ret; i++)
		ret = va_bind(c, self->id, c->base + i * PAGE, PAGE, 0);
	if (!ret)
		*(volatile __u64 *)ptr(c->base) = WORD;
	for (i = 0; i < BINDINGS && !ret; i++)
		ret = *(volatile __u64 *)ptr(c->base + i * PAGE) == WORD ?
			0 : -EIO;
	return ret ?: mem_free(c, below) ?: mem_free(c, above);
}

/*
 * Allocate a run. A fault pins the page, and a thread that is preempted in its
 * fault may pin it for longer than a compaction waits.
 */
static int alloc_run(const struct client *c, __u64 length, __u32 *id)
{
	int attempts = 0, ret;

	do
		ret = mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0, length, id);
	while (ret == -ENOSPC && ++attempts < ATTEMPTS);
	return ret;
}

/*
 * Allocate a run that is free only if the page is moved, while other threads
 * change bindings.
 */
static void move(struct __test_metadata *_metadata, FIXTURE_DATA(bound) *self)
{
	struct vnpu_device_query q;
	pthread_t meddler;
	__u32 id;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	atomic_store(&self->is_over, false);
	ASSERT_EQ(0, pthread_create(&meddler, NULL, meddle, self));
	EXPECT_EQ(0, alloc_run(&self->c, q.out_largest_free + PAGE, &id));
	atomic_store(&self->is_over, true);
	ASSERT_EQ(0, pthread_join(meddler, NULL));
	EXPECT_EQ(0, self->failed);
	EXPECT_EQ(0, self->bad);
	ASSERT_EQ(0, mem_free(&self->c, id));
}

TEST_F_TIMEOUT(bound, bindings_change_meanwhile, 300)
{
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(0, prepare(self));
		move(_metadata, self);
		for (i = 0; i < BINDINGS; i++)
			ASSERT_EQ(WORD, *(volatile __u64 *)
					ptr(self->c.base + i * PAGE));
		ASSERT_EQ(0, va_unbind(&self->c, self->c.base,
				       BINDINGS * PAGE));
		ASSERT_EQ(0, mem_free(&self->c, self->id));
	}
}

TEST_HARNESS_MAIN
