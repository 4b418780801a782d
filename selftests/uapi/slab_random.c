// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slab objects that are allocated and freed: at random, by many threads, by
 * processes that are killed, and with failing allocations of the kernel.
 */
#include "slab.h"

#include <pthread.h>

#include "fail.h"

#define OBJECTS	512

struct model {
	struct rng r;
	struct object {
		__u64 va;
		__u64 cost;
		__u64 tag;
	} o[OBJECTS];
	__u64 errors;
};

static bool model_is_disjoint(const struct model *m, const struct object *o)
{
	__u32 i;

	for (i = 0; i < OBJECTS; i++)
		if (m->o[i].va && m->o[i].va < o->va + o->cost &&
		    o->va < m->o[i].va + m->o[i].cost)
			return false;
	return true;
}

/* The object writes its first and last 8 bytes only. */
static bool model_is_whole(const struct client *c, const struct object *o)
{
	__u64 first, last;

	return !copy(c, addr(&first), o->va, 8) &&
	       !copy(c, addr(&last), o->va + o->cost - 8, 8) &&
	       first == o->tag && last == o->tag;
}

static void model_step(struct model *m, const struct client *c)
{
	struct object *o = &m->o[rng_below(&m->r, OBJECTS)], new = {};

	if (o->va) {
		m->errors += !model_is_whole(c, o);
		m->errors += slab_free(c, o->va) != 0;
		o->va = 0;
		return;
	}
	m->errors += slab_alloc(c, 0, 1 + rng_below(&m->r, 1ULL << (5 +
				rng_below(&m->r, 7))), &new.va,
				&new.cost) != 0;
	m->errors += new.va % ALIGN != 0 || !model_is_disjoint(m, &new);
	new.tag = rng_next(&m->r);
	m->errors += fill(c, new.va, new.cost, new.tag, 8) != 0;
	*o = new;
}

static void model_end(struct model *m, const struct client *c)
{
	__u32 i;

	for (i = 0; i < OBJECTS; i++)
		if (m->o[i].va)
			m->errors += !model_is_whole(c, &m->o[i]) ||
				     slab_free(c, m->o[i].va);
}

TEST_F(slab, random)
{
	static struct model m;
	__u32 i;

	m.r = rng_init();
	for (i = 0; i < 4000; i++)
		model_step(&m, &self->c);
	model_end(&m, &self->c);
	EXPECT_EQ(0, m.errors);
	EXPECT_EQ(0, client_used(&self->c));
}

struct thread {
	pthread_t id;
	const struct client *c;
	struct model m;
};

static void *run_model(void *arg)
{
	struct thread *t = arg;
	__u32 i;

	for (i = 0; i < 1500; i++)
		model_step(&t->m, t->c);
	model_end(&t->m, t->c);
	return NULL;
}

TEST_F(slab, threads)
{
	static struct thread t[6];
	struct rng r = rng_init();
	__u32 i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		t[i].c = &self->c;
		t[i].m.r.state = rng_next(&r) | 1;
		ASSERT_EQ(0, pthread_create(&t[i].id, NULL, run_model, &t[i]));
	}
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		ASSERT_EQ(0, pthread_join(t[i].id, NULL));
		EXPECT_EQ(0, t[i].m.errors);
	}
	EXPECT_EQ(0, client_used(&self->c));
}

/* Many threads free the same object: one of them succeeds. */
static void *free_it(void *arg)
{
	struct thread *t = arg;

	t->m.errors = slab_free(t->c, t->m.o[0].va) != 0;
	return NULL;
}

TEST_F(slab, freed_once)
{
	static struct thread t[4];
	__u32 round, i, failed;
	__u64 va;

	for (round = 0; round < 50; round++) {
		ASSERT_EQ(0, slab_alloc(&self->c, 0, 64, &va, NULL));
		for (failed = i = 0; i < ARRAY_SIZE(t); i++) {
			t[i].c = &self->c;
			t[i].m.o[0].va = va;
			ASSERT_EQ(0, pthread_create(&t[i].id, NULL, free_it,
						    &t[i]));
		}
		for (i = 0; i < ARRAY_SIZE(t); i++) {
			ASSERT_EQ(0, pthread_join(t[i].id, NULL));
			failed += t[i].m.errors;
		}
		ASSERT_EQ(ARRAY_SIZE(t) - 1, failed);
	}
	EXPECT_EQ(0, client_used(&self->c));
}

static void die_allocating(void)
{
	struct client c;
	__u64 va;

	if (client_open(&c) || slab_window(&c, 0, c.base, GIB(1)))
		_exit(1);
	for (;;) {
		if (slab_alloc(&c, 0, 1 + now_ms() % MAX, &va, NULL))
			_exit(2);
		fill(&c, va, 64, ~0ULL, 8);
		if (now_ms() % 2)
			slab_free(&c, va);
	}
}

TEST_F(slab, killed)
{
	struct rng r = rng_init();
	__u32 i;

	for (i = 0; i < 12; i++) {
		pid_t pid = fork_bound();

		ASSERT_LE(0, pid);
		if (!pid)
			die_allocating();
		usleep(1000 + rng_below(&r, 60000));
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(256 + SIGKILL, child_wait(pid));
		ASSERT_EQ(self->start.out_total - self->start.out_free,
			  device_used(&self->c, 0));
	}
}

/* Create the first object, with each allocation of host memory failing. */
TEST_F(slab, host_memory_runs_out)
{
	unsigned int nth, refused = 0;
	bool failed = true;
	struct fail f;

	if (fail_begin(&f))
		SKIP(return, "the kernel cannot make allocations fail");
	for (nth = 1; failed && nth < 100; nth++) {
		struct client other;
		__u64 va;
		int ret;

		ASSERT_EQ(0, client_open(&other));
		fail_arm(&f, nth);
		ret = slab_window(&other, 0, other.base, MIB(1));
		if (!ret)
			ret = slab_alloc(&other, 0, 2048, &va, NULL);
		failed = fail_disarm(&f);
		/*
		 * Reading and writing the struct can be made to fail as well.
		 */
		ASSERT_TRUE(!ret || ret == -ENOMEM || ret == -EFAULT)
			TH_LOG("%d", ret);
		EXPECT_EQ(ret ? 0 : 3 * PAGE, client_used(&other));
		refused += ret != 0;

		/* The refused request succeeds now. */
		ret = slab_window(&other, 0, other.base, MIB(1));
		ASSERT_TRUE(!ret || ret == -EBUSY);
		ASSERT_EQ(0, slab_alloc(&other, 0, 2048, &va, NULL));
		ASSERT_EQ(0, slab_free(&other, va));
		client_close(&other);
	}
	fail_end(&f);
	TH_LOG("%u points of failure", refused);
	EXPECT_FALSE(failed);
	EXPECT_LE(5, refused);
}

TEST_HARNESS_MAIN
