// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client can leave or request as much work for the kernel as memory permits.
 * Meanwhile other processes get the processor, even if the
 * kernel is not preempted (preempt=none, as on servers).
 *
 * Their wait is compared with the total time, so that the test holds on any
 * machine. Other delays are random: the test passes if there is none in one of
 * the tries. With a clock that counts instructions (vnpu-vm --icount) this is
 * the first.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../tool/nl.h"
#include "../uapi/stream.h"
#include "../uapi/util.h"

#define TRIES	10

/* How many of each, if the device has as many pages. */
#define MANY	65536

/* Streams that wait for a counter. */
#define WAITERS	1024

#define LOOK_NS	50000

#define PREEMPT	"/sys/kernel/debug/sched/preempt"

FIXTURE(processor)
{
	struct client c;
	__u32 pages;	/* free pages, at most MANY */
	__u64 rest;	/* free bytes beyond these */
	__u32 id;	/* id of the last allocation */
	__u64 counter;
	int nl;
	int family;
	char preempt[16];	/* value before the test, if changed */
	pthread_t watcher;
	atomic_bool stop;
	/* ns that the watcher waited for the processor */
	_Atomic __u64 worst;
	__u64 begun;
};

/*
 * Other processes wait for at most one of @parts of the time that @run takes.
 */
FIXTURE_VARIANT(processor)
{
	int (*take)(FIXTURE_DATA(processor) *self);
	int (*run)(FIXTURE_DATA(processor) *self);
	unsigned int parts;
};

/* The current mode is in parentheses. */
static bool preempt_get(char mode[16])
{
	char line[80] = "";
	FILE *f = fopen(PREEMPT, "r");
	bool found;

	if (!f)
		return false;
	found = fgets(line, sizeof(line), f) && strchr(line, '(') &&
		sscanf(strchr(line, '('), "(%15[a-z])", mode) == 1;
	fclose(f);
	return found;
}

static bool preempt_set(const char *mode)
{
	FILE *f = fopen(PREEMPT, "w");

	if (!f)
		return false;
	fputs(mode, f);
	return !fclose(f);
}

/* Want the processor all the time, at the highest priority. */
static void *watch(void *arg)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	FIXTURE_DATA(processor) *self = arg;

	while (!atomic_load(&self->stop)) {
		__u64 waited, from = now_ns();

		clock_nanosleep(CLOCK_MONOTONIC, 0, &look, NULL);
		waited = now_ns() - from - LOOK_NS;
		if (waited > atomic_load(&self->worst))
			atomic_store(&self->worst, waited);
	}
	return NULL;
}

static int watcher_start(FIXTURE_DATA(processor) *self)
{
	const struct sched_param first = { .sched_priority = 50 };
	pthread_attr_t attr;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return errno;
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &first);
	return pthread_create(&self->watcher, &attr, watch, self);
}

FIXTURE_SETUP(processor)
{
	struct vnpu_device_query q;

	/* If the mode cannot be set, the kernel is preempted anyway. */
	if (preempt_get(self->preempt) && !preempt_set("none"))
		self->preempt[0] = '\0';
	self->nl = nl_open_family(&self->family);
	ASSERT_LE(0, self->nl);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	self->pages = q.out_free / PAGE < MANY ? q.out_free / PAGE : MANY;
	self->rest = q.out_free - self->pages * PAGE;
	ASSERT_EQ(0, watcher_start(self));
}

FIXTURE_TEARDOWN(processor)
{
	atomic_store(&self->stop, true);
	pthread_join(self->watcher, NULL);
	client_close(&self->c);
	close(self->nl);
	if (self->preempt[0])
		EXPECT_TRUE(preempt_set(self->preempt));
}

static void begin(FIXTURE_DATA(processor) *self)
{
	/* Deferred work of earlier steps is complete. */
	usleep(20000);
	atomic_store(&self->worst, 0);
	self->begun = now_ns();
}

/*
 * Check whether the watcher got the processor meanwhile. It runs first when the
 * kernel reschedules.
 */
static bool end(FIXTURE_DATA(processor) *self, unsigned int parts)
{
	__u64 took = now_ns() - self->begun;
	__u64 worst = atomic_load(&self->worst);

	printf("# %llu us, of which other processes waited %llu at once\n", took / 1000,
	       worst / 1000);
	return worst * parts <= took;
}

static int take_events(FIXTURE_DATA(processor) *self)
{
	struct vnpu_event_alloc t = { .size = sizeof(t) };
	__u32 i;
	int ret;

	for (i = 0; i < MANY; i++) {
		ret = call(self->c.fd, VNPU_IOCTL_EVENT_ALLOC, &t);
		if (ret)
			return ret;
	}
	return 0;
}

static int take_ids(FIXTURE_DATA(processor) *self)
{
	__u32 i, id;
	int ret;

	for (i = 0; i < self->pages; i++) {
		ret = mem_alloc(&self->c, 0, 0, 0, PAGE, &id);
		if (ret)
			return ret;
	}
	return 0;
}

static int take_addresses(FIXTURE_DATA(processor) *self)
{
	__u32 i;
	int ret;

	for (i = 0; i < self->pages; i++) {
		ret = mem_alloc_at(&self->c, 0, 0, 0, PAGE,
				   self->c.base + i * PAGE);
		if (ret)
			return ret;
	}
	return 0;
}

static int take_slabs(FIXTURE_DATA(processor) *self)
{
	__u64 va;
	__u32 i;
	int ret;

	ret = slab_window(&self->c, 0, self->c.base, MIB(512));
	for (i = 0; !ret && i < self->pages; i++)
		ret = slab_alloc(&self->c, 0, PAGE / 2, &va, NULL);
	return ret;
}

/* Every other page is free, and no others. */
static int take_every_other(FIXTURE_DATA(processor) *self)
{
	int ret = take_addresses(self);
	__u32 i, id;

	if (!ret && self->rest)
		ret = mem_alloc(&self->c, 0, 0, 0, self->rest, &id);
	for (i = 0; !ret && i < self->pages; i += 2)
		ret = va_unbind(&self->c, self->c.base + i * PAGE, PAGE);
	return ret;
}

static int take_pieces(FIXTURE_DATA(processor) *self)
{
	return mem_alloc(&self->c, 0, 0, 0, self->pages / 2 * PAGE, &self->id);
}

static int take_all_in_pieces(FIXTURE_DATA(processor) *self)
{
	return take_every_other(self) ?: take_pieces(self);
}

static int take_waiters(FIXTURE_DATA(processor) *self)
{
	struct stream s;
	int i, ret;

	ret = timeline_create(&self->c, VNPU_TIMELINE_F_COUNTER, 0, 0,
			      &self->counter);
	for (i = 0; !ret && i < WAITERS; i++) {
		ret = stream_create(&s, &self->c, 0) ?:
		      stream_run(&s, (struct vnpu_task){
			      .op = VNPU_TASK_COUNTER_WAIT,
			      .src = self->counter,
			      .arg0 = 1,
		      });
		/* The client ends with the last mapping. */
		if (s.ring)
			munmap(s.ring, s.map_size);
	}
	return ret;
}

static int signal_waiters(FIXTURE_DATA(processor) *self)
{
	return timeline_signal(&self->c, self->counter, 1, VNPU_SIGNAL_SET);
}

static int give_pieces(FIXTURE_DATA(processor) *self)
{
	return mem_free(&self->c, self->id);
}

/* Half of the free memory; objects are moved to the other half. */
static int take_run(FIXTURE_DATA(processor) *self)
{
	return mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			 self->pages / 4 * PAGE, &self->id);
}

static int end_client(FIXTURE_DATA(processor) *self)
{
	client_close(&self->c);
	return 0;
}

static int give_all(FIXTURE_DATA(processor) *self)
{
	return va_unbind(&self->c, self->c.base, self->pages * PAGE);
}

static int ask(FIXTURE_DATA(processor) *self, struct nl_msg *m)
{
	static __u8 answer[NL_BUFFER];

	m->head.nlmsg_type = (__u16)self->family;
	return nl_ask(self->nl, m, answer);
}

static int ask_fit(FIXTURE_DATA(processor) *self, __u64 length, __u64 page,
		   bool contiguous)
{
	struct nl_msg m;

	nl_init(&m, 0, 0, VNPU_CMD_FIT_GET);
	nl_put_u32(&m, VNPU_A_FIT_DEV_ID, 0);
	nl_put_u64(&m, VNPU_A_FIT_LENGTH, length);
	nl_put_u64(&m, VNPU_A_FIT_PAGE_SIZE, page);
	if (contiguous)
		nl_put(&m, VNPU_A_FIT_CONTIGUOUS, NULL, 0);
	return ask(self, &m);
}

static int fit_small(FIXTURE_DATA(processor) *self)
{
	return ask_fit(self, 2 * PAGE, PAGE, true);
}

static int fit_large(FIXTURE_DATA(processor) *self)
{
	return ask_fit(self, MIB(16), MIB(2), true);
}

static int fit_scattered(FIXTURE_DATA(processor) *self)
{
	return ask_fit(self, MIB(16), MIB(2), false);
}

static int draw_map(FIXTURE_DATA(processor) *self)
{
	struct nl_msg m;

	nl_init(&m, 0, 0, VNPU_CMD_MAP_GET);
	nl_put_u32(&m, VNPU_A_MAP_DEV_ID, 0);
	return ask(self, &m);
}

#define VARIANT(name, taken, what, n)					\
	FIXTURE_VARIANT_ADD(processor, name)				\
	{								\
		.take = taken,						\
		.run = what,						\
		.parts = n,						\
	}

VARIANT(end_of_events, take_events, end_client, 4);
VARIANT(end_of_ids, take_ids, end_client, 4);
VARIANT(end_of_addresses, take_addresses, end_client, 4);
VARIANT(end_of_slabs, take_slabs, end_client, 8);
VARIANT(unbind, take_addresses, give_all, 4);
VARIANT(fit_small, take_every_other, fit_small, 8);
VARIANT(fit_large, take_every_other, fit_large, 4);
VARIANT(fit_scattered, take_every_other, fit_scattered, 4);
VARIANT(map, take_every_other, draw_map, 4);
VARIANT(alloc_of_pieces, take_every_other, take_pieces, 4);
VARIANT(free_of_pieces, take_all_in_pieces, give_pieces, 4);
VARIANT(signal, take_waiters, signal_waiters, 8);
VARIANT(compaction, take_every_other, take_run, 16);

TEST_F_TIMEOUT(processor, others_get_the_processor, 300)
{
	bool ok = false;
	int i;

	for (i = 0; !ok && i < TRIES; i++) {
		ASSERT_EQ(0, variant->take(self));
		begin(self);
		ASSERT_EQ(0, variant->run(self));
		ok = end(self, variant->parts);
		client_close(&self->c);
		ASSERT_EQ(0, client_open(&self->c));
	}
	EXPECT_TRUE(ok);
}

TEST_HARNESS_MAIN
