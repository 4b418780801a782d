// SPDX-License-Identifier: GPL-2.0-only
/*
 * All clients share the engines, so no engine waits for one client. Tasks of
 * one client use bindings that the client removes: very many, while it gets
 * hardly any processor time.
 *
 * The wait of another client is compared with the time that this removal takes.
 * Other delays are random: the test passes if there is none in one of the
 * tries.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <linux/vnpu_netlink.h>

#include "../uapi/stream.h"
#include "../uapi/sync.h"
#include "../uapi/trouble.h"
#include "../uapi/util.h"

/* At least the default number of engines. */
#define STREAMS		4

/*
 * Remove bindings that take this many ms; at low priority this takes seconds.
 */
#define UNBIND_MS	20
#define BINDINGS_FEW	4096
#define BINDINGS_MOST	65536

#define TRIES		3

/* The memory that the tasks of each stream work on, after the bindings. */
#define OFFSET		GIB(1)
#define LENGTH		MIB(1)

FIXTURE(engine)
{
	struct client one, other;
	struct stream s[STREAMS], probe;
	int fences[STREAMS];
	pthread_t slow, spinner;
	__u32 id;	/* bytes that are bound */
	__u64 bindings;	/* number of bindings */
	atomic_bool begun, done, stop;
	__u64 took;	/* ns that the removal of the bindings took */
	/* ns that the longest task of the other client took meanwhile */
	__u64 worst;
	int ret;
};

/*
 * If the tasks are latched, they take another lock, which is held for less of
 * the time. The other client waits for at most one of @parts of that time.
 */
FIXTURE_VARIANT(engine)
{
	bool taken_in;
	unsigned int parts;
};

FIXTURE_VARIANT_ADD(engine, own)
{
	.taken_in = false,
	.parts = 12,
};

FIXTURE_VARIANT_ADD(engine, taken_in)
{
	.taken_in = true,
	.parts = 24,
};

static int bind_many(FIXTURE_DATA(engine) *self)
{
	int ret = 0;
	__u64 i;

	for (i = 0; !ret && i < self->bindings; i++)
		ret = va_bind(&self->one, self->id, self->one.base + i * PAGE,
			      PAGE, 0);
	return ret;
}

static int unbind_many(FIXTURE_DATA(engine) *self)
{
	return va_unbind(&self->one, self->one.base, self->bindings * PAGE);
}

/*
 * Bind enough for the removal to take UNBIND_MS here, even if the kernel checks
 * locks or memory.
 */
static int count_bindings(FIXTURE_DATA(engine) *self)
{
	__u64 from;
	int ret;

	self->bindings = BINDINGS_FEW;
	ret = bind_many(self);
	from = now_ns();
	ret = ret ?: unbind_many(self);
	self->bindings = UNBIND_MS * 1000000ull * BINDINGS_FEW /
			 (now_ns() - from);
	if (self->bindings > BINDINGS_MOST)
		self->bindings = BINDINGS_MOST;
	return ret;
}

static __u64 work_of(FIXTURE_DATA(engine) *self, int i)
{
	return self->one.base + OFFSET + i * LENGTH;
}

FIXTURE_SETUP(engine)
{
	int i;

	self->one.fd = -1;
	self->other.fd = -1;
	ASSERT_EQ(0, client_open(&self->one));
	ASSERT_EQ(0, client_open(&self->other));
	ASSERT_EQ(0, mem_alloc(&self->one, 0, 0, 0, PAGE, &self->id));
	ASSERT_EQ(0, count_bindings(self));
	ASSERT_EQ(0, mem_alloc_at(&self->one, 0, 0, 0, STREAMS * LENGTH,
				  work_of(self, 0)));
	ASSERT_EQ(0, mem_alloc_at(&self->other, 0, 0, 0, 2 * PAGE,
				  self->other.base));
	ASSERT_EQ(0, stream_create(&self->probe, &self->other, 0));
	for (i = 0; i < STREAMS; i++) {
		self->fences[i] = -1;
		ASSERT_EQ(0, stream_create(&self->s[i], &self->one, 0));
	}
}

FIXTURE_TEARDOWN(engine)
{
	int i;

	for (i = 0; i < STREAMS; i++)
		close(self->fences[i]);
	client_close(&self->one);
	client_close(&self->other);
}

static void pin_to_first(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
}

static void *spin(void *arg)
{
	FIXTURE_DATA(engine) *self = arg;

	pin_to_first();
	while (!atomic_load(&self->stop))
		;
	return NULL;
}

/* Get one part in 69 of the time that the spinner gets on this processor. */
static void *unbind_slowly(void *arg)
{
	FIXTURE_DATA(engine) *self = arg;
	__u64 from;

	pin_to_first();
	setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
	atomic_store(&self->begun, true);
	from = now_ns();
	self->ret = unbind_many(self);
	self->took = now_ns() - from;
	atomic_store(&self->done, true);
	return NULL;
}

/*
 * More tasks than are run in the time of the removal, and a bound for the ring.
 */
static int fill_ring(FIXTURE_DATA(engine) *self, int i)
{
	struct stream *s = &self->s[i];
	int ret;

	while (s->last < VNPU_RING_TASKS)
		stream_put(s, (struct vnpu_task){
			.op = VNPU_TASK_RANDOM,
			.dst = work_of(self, i),
			.length = LENGTH / 4,
			.mode = VNPU_RANDOM(VNPU_RANDOM_NORMAL, VNPU_TYPE_FP32),
			.arg2 = 0x3f800000,
		});
	ret = stream_submit(s);
	if (ret)
		return ret;
	self->fences[i] = sync_export(&self->one, s->id, s->last);
	return self->fences[i] < 0 ? self->fences[i] : 0;
}

static int top_up(FIXTURE_DATA(engine) *self, int i)
{
	struct stream *s = &self->s[i];
	const __u64 va = work_of(self, i);

	return stream_completed(s) == s->last ?
	       stream_run(s, task_copy(va + PAGE, va, PAGE)) : 0;
}

/*
 * Submit a task of the other client to an engine that also has tasks of the
 * first client.
 */
static struct vnpu_task probe_task(FIXTURE_DATA(engine) *self, bool taken_in)
{
	const __u64 va = self->other.base;

	return taken_in ? task_fill(va, PAGE, 1, 1) :
			  task_copy(va + PAGE, va, PAGE);
}

/*
 * Submit tasks of the other client until the bindings are gone; return 0 or
 * -errno.
 */
static int work_on(FIXTURE_DATA(engine) *self, bool taken_in)
{
	__u64 from, tasks = 0;
	int i, ret = 0;

	self->worst = 0;
	while (!ret && !atomic_load(&self->done)) {
		for (i = 0; !ret && !taken_in && i < STREAMS; i++)
			ret = top_up(self, i);
		from = now_ns();
		ret = ret ?: stream_run(&self->probe,
					probe_task(self, taken_in));
		ret = ret ?: stream_wait(&self->probe, 60000);
		if (now_ns() - from > self->worst)
			self->worst = now_ns() - from;
		tasks++;
	}
	printf("# %llu bindings, %llu ms, in which the other client did %llu tasks, the longest in %llu us\n",
	       self->bindings, self->took / 1000000, tasks, self->worst / 1000);
	return ret;
}

static int try_once(FIXTURE_DATA(engine) *self, bool taken_in)
{
	int ret = bind_many(self);

	if (ret)
		return ret;
	atomic_store(&self->begun, false);
	atomic_store(&self->done, false);
	atomic_store(&self->stop, false);
	if (pthread_create(&self->spinner, NULL, spin, self) ||
	    pthread_create(&self->slow, NULL, unbind_slowly, self))
		return -EAGAIN;
	while (!atomic_load(&self->begun))
		usleep(1000);
	ret = work_on(self, taken_in);
	atomic_store(&self->stop, true);
	pthread_join(self->slow, NULL);
	pthread_join(self->spinner, NULL);
	return ret ?: self->ret;
}

TEST_F_TIMEOUT(engine, engine_does_not_wait_for_client, 300)
{
	__u64 resets = device_figure(0, VNPU_A_DEV_RESETS);
	bool ok = false;
	int i;

	for (i = 0; variant->taken_in && i < STREAMS; i++)
		ASSERT_EQ(0, fill_ring(self, i));
	for (i = 0; !ok && i < TRIES; i++) {
		ASSERT_EQ(0, try_once(self, variant->taken_in));
		ok = self->worst * variant->parts < self->took;
	}
	EXPECT_TRUE(ok);
	for (i = 0; variant->taken_in && i < STREAMS; i++)
		EXPECT_GT(VNPU_RING_TASKS, stream_completed(&self->s[i]));
	EXPECT_EQ(0, self->probe.ring->errors);
	EXPECT_EQ(resets, device_figure(0, VNPU_A_DEV_RESETS));
}

/* Threads that change bindings all the time. */
#define CHANGERS	8

#define COPIES		1000
#define ROUNDS		5

#define STREAMS_ENDED	100

/* ns that the threads allow a sleep to take longer: 10 minutes. */
#define SLACK_NS	600000000000ul

/*
 * A copy must complete within the time of this many ms of changes. It takes a
 * part of one, and from two to thirty if the changing threads do not give way.
 */
#define TURN_MS		2

/*
 * If changes are slow because locks are checked, this many by each thread are
 * enough.
 */
#define TURN_CHANGES	8

FIXTURE(turn)
{
	struct client c;
	struct stream s;
	__u32 id;
	pthread_t changers[CHANGERS];
	atomic_uint next;
	atomic_uint changes;
	atomic_bool give_way;	/* use only idle processor time */
	atomic_bool stop;
	atomic_int ret;
};

static void *change(void *arg)
{
	FIXTURE_DATA(turn) *self = arg;
	__u64 va = self->c.base +
		   (2 + atomic_fetch_add(&self->next, 1)) * PAGE;
	int ret = prctl(PR_SET_TIMERSLACK, SLACK_NS), nice = 0;

	while (!ret && !atomic_load(&self->stop)) {
		if (!nice && atomic_load(&self->give_way)) {
			nice = 19;
			setpriority(PRIO_PROCESS, (id_t)gettid(), nice);
		}
		ret = va_bind(&self->c, self->id, va, PAGE, 0);
		if (!ret)
			ret = va_unbind(&self->c, va, PAGE);
		atomic_fetch_add(&self->changes, 2);
	}
	if (ret)
		atomic_store(&self->ret, ret);
	return NULL;
}

FIXTURE_SETUP(turn)
{
	int i;

	self->c.fd = -1;
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, 2 * PAGE, self->c.base));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &self->id));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	for (i = 0; i < CHANGERS; i++)
		ASSERT_EQ(0, pthread_create(&self->changers[i], NULL, change,
					    self));
}

FIXTURE_TEARDOWN(turn)
{
	int i;

	atomic_store(&self->stop, true);
	for (i = 0; i < CHANGERS; i++)
		pthread_join(self->changers[i], NULL);
	EXPECT_EQ(0, atomic_load(&self->ret));
	client_close(&self->c);
}

/*
 * Streams are destroyed while their engine waits for the lock, so the changing
 * threads must not give way to it for ever. These threads allow a very long
 * sleep, and share a processor with a thread that never sleeps, so that timers
 * with slack may not expire there.
 */
TEST_F_TIMEOUT(turn, destroyed_stream_is_not_waited_for, 120)
{
	const struct vnpu_task task = task_copy(self->c.base + PAGE,
						self->c.base, PAGE);
	struct stream s;
	cpu_set_t first;
	__u64 until;
	int i, k;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	for (i = 0; i < CHANGERS; i++)
		ASSERT_EQ(0, pthread_setaffinity_np(self->changers[i],
						    sizeof(first), &first));
	pin_to_first();
	for (i = 0; i < STREAMS_ENDED; i++) {
		ASSERT_EQ(0, stream_create(&s, &self->c, 0));
		for (k = 0; k < 64; k++)
			stream_put(&s, task);
		ASSERT_EQ(0, stream_submit(&s));
		usleep(i % 8 * 500);
		stream_destroy(&s);
		atomic_store(&self->changes, 0);
		until = now_ms() + 10000;
		while (!atomic_load(&self->changes))
			ASSERT_GT(until, now_ms()) TH_LOG("stream %d", i);
	}
}

/* Return the number of changes per ms since the counter was reset. */
static __u64 changes_in_ms(FIXTURE_DATA(turn) *self, __u64 since)
{
	return atomic_load(&self->changes) / (now_ms() - since);
}

/*
 * Check whether copies complete in time, measured in changes, as their speed
 * varies widely.
 */
static bool copies_come(FIXTURE_DATA(turn) *self)
{
	const struct vnpu_task task = task_copy(self->c.base + PAGE,
						self->c.base, PAGE);
	__u64 since = now_ms(), in_ms, each;
	int i;

	atomic_store(&self->changes, 0);
	usleep(200000);
	in_ms = changes_in_ms(self, since);
	since = now_ms();
	atomic_store(&self->changes, 0);
	for (i = 0; i < COPIES; i++)
		if (stream_do(&self->s, task))
			return false;
	each = atomic_load(&self->changes) / COPIES;
	if (in_ms < changes_in_ms(self, since))
		in_ms = changes_in_ms(self, since);
	printf("# %llu changes for each copy, %llu in a ms\n", each, in_ms);
	return each < TURN_MS * in_ms || each < TURN_CHANGES * CHANGERS;
}

/*
 * An engine only tries the lock, while the changing threads queue for it. It
 * must get it nevertheless, without luck.
 */
TEST_F_TIMEOUT(turn, engine_gets_the_lock, 120)
{
	int i, come = 0;

	/* The copies must wait for the lock, not for a processor. */
	atomic_store(&self->give_way, true);
	for (i = 0; i < ROUNDS; i++)
		come += copies_come(self);
	EXPECT_LT(ROUNDS / 2, come);
}

TEST_HARNESS_MAIN
