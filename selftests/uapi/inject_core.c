// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected faults of cores: each happens to the requested launch, and gives what
 * a core that really behaves so gives. engine_end.c has such cores.
 */
#include "inject.h"

#include <pthread.h>

#include "core.h"

/* inject.h uses the other names for faults of engines. */
#define KIND(name)	VNPU_INJECT_KIND_CORE_##name

/* An upper limit of waits, on a slow machine. */
#define SOON		8000

/* A delay that no test waits for, in microseconds. */
#define LONG_US		60000000

/* So many cores may die in a second. */
#define DEATHS		2

#define MILLION		1000000

/* The word that launches of the fixture's client increment. */
#define COUNT		((volatile __u64 *)(self->mem + PAGE))

/* Launches that increment the word: the arguments are in the first page. */
static void args_set(FIXTURE_DATA(inject) * self)
{
	__u64 *args = ptr(self->va);

	memset(self->mem, 0, 2 * PAGE);
	args[0] = self->va + PAGE;
	args[1] = 1;
}

static struct vnpu_task launch(FIXTURE_DATA(inject) * self, __u32 timeout_ms)
{
	struct vnpu_task task = task_launch(CORE_ADD, self->va, 16);

	task.timeout_ms = timeout_ms;
	return task;
}

static int begin(FIXTURE_DATA(inject) * self, struct core *k)
{
	args_set(self);
	return core_start(k, &self->c, 0, 0);
}

/* Start a core in place of one that has died; check that it works. */
static int replace(FIXTURE_DATA(inject) * self, struct core *k)
{
	__u64 before = *COUNT;
	int ret;

	core_end(k);
	ret = core_start(k, &self->c, 0, 0);
	if (!ret)
		ret = stream_do(&self->s, launch(self, 0));
	return ret ? ret : *COUNT == before + 1 ? 0 : -EIO;
}

static int core_fault(FIXTURE_DATA(inject) * self, __u32 kind, __u64 nth)
{
	return fault_set(kind, self->id, ANY_CLASS, nth, 0);
}

/* Inject a fault into each launch of a client. */
static int core_fault_of(__u32 device, __u32 kind, __u64 client,
			 __u64 delay_us)
{
	const struct fault f = {
		.device = device,
		.kind = kind,
		.client = client,
		.class = ANY_CLASS,
		.every = 1,
		.delay_us = delay_us,
	};

	return fault_change(&f, false);
}

static int slow(FIXTURE_DATA(inject) * self, __u64 delay_us)
{
	return core_fault_of(0, KIND(SLOW), self->id, delay_us);
}

TEST_F(inject, a_core_hangs)
{
	struct core k = { 0 };
	struct stream other;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, core_fault(self, KIND(HANG), 2));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(0, list().hits);
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 2000)));
	EXPECT_EQ(0, fault_wait(0, KIND(HANG)));
	/* Other streams go on, also with launches. */
	EXPECT_EQ(0, stream_do(&other, task_fill(self->va + MIB(1), 64, 1, 1)));
	EXPECT_EQ(0, stream_do(&other, launch(self, 0)));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(ETIMEDOUT, self->s.ring->error);
	/* The core was asked to stop it first. */
	EXPECT_EQ(256 + SIGKILL, core_wait(&k));
	EXPECT_EQ(1, k.report->stops);
	EXPECT_EQ(3, *COUNT);
	EXPECT_EQ(1, list().hits);
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
	EXPECT_EQ(0, replace(self, &k));
	stream_destroy(&other);
	core_end(&k);
}

/* A launch that runs beside it is reset, and one that waits is not. */
TEST_F(inject, a_core_hangs_with_other_launches)
{
	struct stream runs, waits;
	struct core k = { 0 };

	args_set(self);
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 2));
	ASSERT_EQ(0, stream_create(&runs, &self->c, 0));
	ASSERT_EQ(0, stream_create(&waits, &self->c, 0));
	ASSERT_EQ(0, stream_run(&runs, task_launch(CORE_HANG, self->va, 16)));
	ASSERT_TRUE(core_wait_launches(&k, 1));
	ASSERT_EQ(0, core_fault(self, KIND(HANG), 1));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 300)));
	ASSERT_EQ(0, fault_wait(0, KIND(HANG)));
	ASSERT_EQ(0, stream_run(&waits, launch(self, 0)));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(ETIMEDOUT, self->s.ring->error);
	EXPECT_EQ(0, stream_wait(&runs, SOON));
	EXPECT_EQ(ECONNRESET, runs.ring->error);
	core_end(&k);
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
	EXPECT_EQ(0, stream_wait(&waits, SOON));
	EXPECT_EQ(0, waits.ring->errors);
	EXPECT_EQ(2, *COUNT);
	stream_destroy(&runs);
	stream_destroy(&waits);
	core_end(&k);
}

TEST_F(inject, a_hang_of_a_core_ends_by_abort)
{
	struct core k = { 0 };

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, core_fault(self, KIND(HANG), 1));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_TRUE(is_stuck_by(&self->s, KIND(HANG)));
	/* The fault has happened, and what it did stays. */
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_TRUE(is_stuck(&self->s));
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(1, self->s.ring->cancelled);
	EXPECT_EQ(256 + SIGKILL, core_wait(&k));
	EXPECT_EQ(0, replace(self, &k));
	core_end(&k);
}

TEST_F(inject, a_core_dies)
{
	struct core k = { 0 };
	struct stream other;
	int fd;

	args_set(self);
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, core_fault(self, KIND(DIE), 1));
	/* The core can have one of them at a time. */
	fd = engine_create(&self->c, 0, 1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_TRUE(is_stuck(&self->s));
	ASSERT_EQ(0, stream_run(&other, launch(self, 0)));
	ASSERT_EQ(0, core_start_on(&k, fd, &self->c));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EIO, self->s.ring->error);
	EXPECT_TRUE(engine_has_ended(k.fd, SOON));
	EXPECT_EQ(256 + SIGKILL, core_wait(&k));
	EXPECT_EQ(0, *COUNT);
	EXPECT_EQ(1, list().hits);
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
	/* The next core runs the other. */
	core_end(&k);
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
	EXPECT_EQ(0, stream_wait(&other, SOON));
	EXPECT_EQ(0, other.ring->errors);
	EXPECT_EQ(1, *COUNT);
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	stream_destroy(&other);
	core_end(&k);
}

/* The process of the client is not killed if it is the core itself. */
TEST_F(inject, a_core_in_the_client_dies)
{
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e;
	int fd = engine_create(&self->c, 0, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, core_fault(self, KIND(DIE), 1));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_EQ(-EINTR, engine_next(fd, &e, 1, NO_TIMEOUT));
	EXPECT_TRUE(engine_has_ended(fd, 0));
	EXPECT_EQ(-ENODEV, engine_next(fd, &e, 1, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EIO, self->s.ring->error);
	close(fd);
}

TEST_F(inject, a_slow_core)
{
	struct core k = { 0 };
	struct stream other;
	struct listed l;
	__u64 start;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, slow(self, 100000));
	start = now_ms();
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_EQ(0, stream_do(&other, launch(self, 0)));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_LE(100, now_ms() - start);
	EXPECT_EQ(2, list().hits);
	/* One after the other. */
	start = now_ms();
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_LE(200, now_ms() - start);
	EXPECT_EQ(4, list().hits);
	EXPECT_EQ(4, *COUNT);
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(0, other.ring->errors);
	/* The end that is on its way comes late nevertheless. */
	ASSERT_EQ(0, slow(self, 300000));
	start = now_ms();
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_EQ(0, fault_wait(0, KIND(SLOW)));
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_LE(300, now_ms() - start);
	EXPECT_FALSE(engine_has_ended(k.fd, 0));
	EXPECT_EQ(0, k.report->stops);
	/* Of three, the second is late. */
	ASSERT_EQ(0, fault_set(KIND(SLOW), self->id, ANY_CLASS, 2, LONG_US));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, launch(self, 100)));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	l = list();
	EXPECT_EQ(LONG_US, l.last.delay_us);
	EXPECT_EQ(0, l.last.nth);
	EXPECT_EQ(1, l.hits);
	stream_destroy(&other);
	core_end(&k);
}

/* A slow core occupies neither an engine nor another core. */
TEST_F(inject, a_slow_core_delays_no_other)
{
	struct core k = { 0 }, own = { 0 };
	struct stream other, s;
	struct client c;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, stream_create(&s, &c, 0));
	ASSERT_EQ(0, core_start(&own, &c, 0, 0));
	ASSERT_EQ(0, slow(self, LONG_US));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_EQ(0, fault_wait(0, KIND(SLOW)));
	EXPECT_EQ(0, stream_do(&other, task_fill(self->va + MIB(1), 64, 1, 1)));
	EXPECT_EQ(0, stream_do(&s, task_launch(CORE_NOTHING, 0, 0)));
	EXPECT_EQ(1, list().hits);
	EXPECT_TRUE(is_stuck(&self->s));
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	core_end(&own);
	stream_destroy(&s);
	client_close(&c);
	stream_destroy(&other);
	core_end(&k);
}

TEST_F(inject, a_slow_core_stops)
{
	struct core k = { 0 };
	struct stream other;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, slow(self, LONG_US));
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, launch(self, 100)));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_TRUE(is_stuck(&self->s));
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(1, self->s.ring->cancelled);
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, stream_run(&other, launch(self, 0)));
	EXPECT_TRUE(is_stuck(&other));
	EXPECT_EQ(0, stream_destroy(&other));
	EXPECT_EQ(3, list().hits);
	/* The core had ended them, so it need not stop anything. */
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(0, k.report->stops);
	EXPECT_EQ(4, *COUNT);
	core_end(&k);
}

/* The slot of a launch that ends late is neither free nor ended twice. */
TEST_F(inject, a_late_end_counts_once)
{
	struct vnpu_engine_event e, next;
	struct vnpu_engine_attach a;
	struct stream other;
	int fd = engine_create(&self->c, 0, 1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, slow(self, LONG_US));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_EQ(1, engine_next(fd, &e, 1, NO_TIMEOUT));
	ASSERT_EQ(0, stream_run(&other, launch(self, 0)));
	EXPECT_EQ(0, engine_complete(fd, e.id, 0, 0));
	EXPECT_EQ(-ENOENT, engine_complete(fd, e.id, 0, 0));
	EXPECT_TRUE(is_stuck(&self->s));
	EXPECT_EQ(0, engine_next(fd, &next, 1, 0));
	/* The next one gets the slot once it is free. */
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(-ENOENT, engine_complete(fd, e.id, 0, 0));
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(1, engine_next(fd, &next, 1, NO_TIMEOUT));
	EXPECT_EQ(0, engine_complete(fd, next.id, EACCES, 5));
	EXPECT_EQ(0, stream_wait(&other, SOON));
	EXPECT_EQ(EACCES, other.ring->error);
	stream_destroy(&other);
	close(fd);
}

/* A launch that has not begun is given back at once. */
TEST_F(inject, a_slow_core_gives_a_launch_back)
{
	struct vnpu_engine_event e;
	struct vnpu_engine_attach a;
	struct core k = { 0 };
	int fd = engine_create(&self->c, 0, 0);

	args_set(self);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, slow(self, LONG_US));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_EQ(1, engine_next(fd, &e, 1, NO_TIMEOUT));
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, engine_complete(fd, e.id, EAGAIN, 0));
	close(fd);
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(1, *COUNT);
	core_end(&k);
}

/* The launches that the core of a client has ended, as monitors see them. */
struct counted {
	__u64 client;
	__u64 launches;
};

static int count_launches(const struct nlmsghdr *head, void *arg)
{
	struct counted *n = arg;

	if (nl_u32(head, VNPU_A_ENGINE_CLASS) == VNPU_ENGINE_CLASS_AICORE &&
	    nl_u64(head, VNPU_A_ENGINE_CLIENT_ID) == n->client)
		n->launches = nl_u64(head, VNPU_A_ENGINE_TASKS);
	return 0;
}

static __u64 launches(__u64 client)
{
	struct counted n = { .client = client, .launches = ~0ULL };
	int fd = nl_open(), ret;

	do
		ret = nl_dump(fd, nl_family(fd), VNPU_CMD_ENGINE_GET,
			      count_launches, &n);
	while (ret == -EINTR);
	close(fd);
	return n.launches;
}

TEST_F(inject, a_core_completes_twice)
{
	struct core k = { 0 };
	int i;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, core_fault_of(0, KIND(TWICE), self->id, 0));
	/* The next launch gets the same slot at once. */
	for (i = 0; i < 8; i++)
		stream_put(&self->s, launch(self, 0));
	ASSERT_EQ(0, stream_submit(&self->s));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(8, *COUNT);
	EXPECT_EQ(8, list().hits);
	EXPECT_EQ(8, launches(self->id));
	core_end(&k);
}

TEST_F(inject, a_core_completes_with_nonsense)
{
	static __u8 buffer[NL_BUFFER];
	int events = nl_open_events(buffer);
	struct core k = { 0 };
	struct vnpu_stream_query q;

	ASSERT_LE(0, events);
	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, core_fault(self, KIND(GARBAGE), 2));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(-EFAULT, stream_do(&self->s, launch(self, 0)));
	ASSERT_EQ(0, stream_query(&self->s, &q));
	EXPECT_EQ(EFAULT, q.out_error);
	EXPECT_EQ(~0ULL, q.out_error_addr);
	EXPECT_EQ(0, event_wait(events, VNPU_CMD_TASK_FAULT_NTF, buffer));
	EXPECT_EQ(self->id, nl_u64((void *)buffer, VNPU_A_TASK_FAULT_CLIENT_ID));
	EXPECT_EQ(EFAULT, nl_u32((void *)buffer, VNPU_A_TASK_FAULT_ERROR));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(3, *COUNT);
	EXPECT_EQ(1, list().hits);
	EXPECT_FALSE(engine_has_ended(k.fd, 0));
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
	core_end(&k);
	close(events);
}

/* Run 32 launches; return a bit for each that has failed. */
static __u32 failures(FIXTURE_DATA(inject) * self, const struct fault *f)
{
	__u32 bits = 0;
	int i;

	if (fault_change(f, false))
		return ~0U;
	for (i = 0; i < 32; i++) {
		int ret = stream_do(&self->s, launch(self, 0));

		if (ret == -EFAULT)
			bits |= 1U << i;
		else if (ret)
			return ~0U;
	}
	return bits;
}

TEST_F(inject, launches_are_counted_and_drawn)
{
	struct fault f = {
		.kind = KIND(GARBAGE), .client = self->id, .class = ANY_CLASS,
		.nth = 2, .every = 4,
	};
	struct core k = { 0 };
	__u32 drawn;

	ASSERT_EQ(0, begin(self, &k));
	EXPECT_EQ(0x22222222, failures(self, &f));
	EXPECT_EQ(8, list().hits);
	f.nth = f.every = 0;
	f.ppm = MILLION / 2;
	f.seed = 7;
	drawn = failures(self, &f);
	EXPECT_EQ(__builtin_popcount(drawn), list().hits);
	EXPECT_NE(0, drawn);
	EXPECT_NE(~0U, drawn);
	EXPECT_EQ(drawn, failures(self, &f));
	f.client = self->id + 1000;
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, failures(self, &f));
	EXPECT_EQ(0, list().hits);
	EXPECT_EQ(96 + 32, *COUNT);
	core_end(&k);
}

/* The core gets it again with the fault, which has happened once. */
TEST_F(inject, a_launch_cannot_be_delivered)
{
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e;
	int fd = engine_create(&self->c, 0, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, core_fault(self, KIND(GARBAGE), 1));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_EQ(-EFAULT, engine_next(fd, ptr(8), 1, NO_TIMEOUT));
	ASSERT_EQ(1, engine_next(fd, &e, 1, 0));
	EXPECT_EQ(1, list().hits);
	EXPECT_EQ(0, engine_complete(fd, e.id, 0, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EFAULT, self->s.ring->error);
	close(fd);
}

TEST_F(inject, faults_of_cores_are_checked)
{
	struct fault f = { .kind = KIND(SLOW), .class = ANY_CLASS };
	__u32 kind;

	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.delay_us = LONG_US + 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.delay_us = 1;
	f.every = f.ppm = 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	for (kind = KIND(HANG); kind <= KIND(GARBAGE); kind++) {
		f = (struct fault){
			.kind = kind, .class = COPY,
			.delay_us = kind == KIND(SLOW),
		};
		EXPECT_EQ(-EINVAL, fault_change(&f, false));
		f.class = ANY_CLASS;
		f.client = self->id;
		f.addr = self->va;
		EXPECT_EQ(-EINVAL, fault_change(&f, false));
		f.addr = 0;
		EXPECT_EQ(0, fault_change(&f, false));
		f.delay_us = kind != KIND(SLOW);
		EXPECT_EQ(-EINVAL, fault_change(&f, false));
	}
	EXPECT_EQ(KIND(GARBAGE) - KIND(HANG) + 1, list().count);
}

/* A launch whose end is late, or never comes, keeps nothing from ending. */
static const struct {
	__u32 kind;
	__u64 delay_us;
} pending[] = { { KIND(HANG), 0 }, { KIND(SLOW), LONG_US } };

TEST_F(inject, a_device_is_reset_under_a_fault)
{
	struct core k = { 0 };
	int i;

	ASSERT_EQ(0, begin(self, &k));
	for (i = 0; i < DEATHS; i++) {
		ASSERT_EQ(0, core_fault_of(0, pending[i].kind, self->id,
					   pending[i].delay_us));
		ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
		ASSERT_TRUE(is_stuck_by(&self->s, pending[i].kind));
		ASSERT_EQ(0, device_reset(0));
		EXPECT_EQ(0, stream_wait(&self->s, SOON));
		EXPECT_EQ(ECONNRESET, self->s.ring->error);
		EXPECT_EQ(256 + SIGKILL, core_wait(&k));
		ASSERT_EQ(0, faults_clear(0));
		EXPECT_EQ(0, replace(self, &k));
	}
	core_end(&k);
}

TEST_F(inject, a_device_is_removed_under_a_fault)
{
	int i;

	args_set(self);
	for (i = 0; i < DEATHS; i++) {
		int device = device_add(MIB(16));
		struct core k = { 0 };
		struct stream s;

		ASSERT_GT(device, 0);
		ASSERT_EQ(0, core_start(&k, &self->c, (__u32)device, 0));
		ASSERT_EQ(0, stream_create(&s, &self->c, (__u32)device));
		ASSERT_EQ(0, core_fault_of((__u32)device, pending[i].kind,
					   self->id, pending[i].delay_us));
		ASSERT_EQ(0, stream_run(&s, task_launch(CORE_NOTHING, 0, 0)));
		ASSERT_EQ(0, fault_wait((__u32)device, pending[i].kind));
		EXPECT_TRUE(is_stuck(&s));
		ASSERT_EQ(0, device_remove((__u32)device));
		EXPECT_EQ(0, stream_wait(&s, SOON));
		EXPECT_EQ(ENODEV, s.ring->error);
		EXPECT_EQ(256 + SIGKILL, core_wait(&k));
		stream_destroy(&s);
		core_end(&k);
	}
}

TEST_F(inject, a_client_is_killed_under_a_fault)
{
	__u64 used = device_used(&self->c, 0);
	int i;

	for (i = 0; i < DEATHS; i++) {
		int pair[2];
		pid_t pid;
		char c;

		ASSERT_EQ(0, pipe(pair));
		pid = fork_bound();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct client own;
			struct core k = { 0 };
			struct stream s;

			if (client_open(&own) || stream_create(&s, &own, 0) ||
			    core_start(&k, &own, 0, 0) ||
			    core_fault_of(0, pending[i].kind, client_id(&own),
					  pending[i].delay_us) ||
			    stream_run(&s, task_launch(CORE_NOTHING, 0, 0)) ||
			    !is_stuck_by(&s, pending[i].kind) ||
			    write(pair[1], "", 1) != 1)
				_exit(1);
			pause();
		}
		close(pair[1]);
		ASSERT_EQ(1, read(pair[0], &c, 1));
		kill(pid, SIGKILL);
		EXPECT_EQ(256 + SIGKILL, child_wait(pid));
		EXPECT_EQ(used, device_used(&self->c, 0));
		ASSERT_EQ(0, faults_clear(0));
		close(pair[0]);
	}
}

struct setter {
	volatile bool stop;
	__u64 client;
};

static void *set_and_clear(void *arg)
{
	struct setter *w = arg;

	while (!w->stop) {
		core_fault_of(0, KIND(SLOW), w->client, 300);
		fault_set(KIND(GARBAGE), w->client, ANY_CLASS, 3, 0);
		fault_set(KIND(TWICE), w->client, ANY_CLASS, 2, 0);
		usleep(2000);
		fault_set(KIND(HANG), w->client, ANY_CLASS, 50, 0);
		fault_set(KIND(DIE), w->client, ANY_CLASS, 200, 0);
		usleep(5000);
		faults_clear(0);
	}
	return NULL;
}

/* Set and clear faults while launches run, and cores come and go. */
TEST_F_TIMEOUT(inject, set_and_cleared_under_launches, 60)
{
	enum { STREAMS = 4 };
	struct setter w = { .client = self->id };
	__u64 end = now_ms() + 2000;
	struct stream s[STREAMS];
	struct core k = { 0 };
	__u64 failed = 0;
	pthread_t thread;
	int i, j;

	ASSERT_EQ(0, begin(self, &k));
	for (i = 0; i < STREAMS; i++)
		ASSERT_EQ(0, stream_create(&s[i], &self->c, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, set_and_clear, &w));
	while (now_ms() < end) {
		for (i = 0; i < STREAMS; i++) {
			for (j = 0; j < 16; j++)
				stream_put(&s[i], launch(self, 50));
			ASSERT_EQ(0, stream_submit(&s[i]));
		}
		for (i = 0; i < STREAMS; i++)
			ASSERT_EQ(0, stream_wait(&s[i], SOON));
		if (engine_has_ended(k.fd, 0)) {
			core_end(&k);
			ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
		}
	}
	w.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, faults_clear(0));
	for (i = 0; i < STREAMS; i++) {
		failed += s[i].ring->errors;
		stream_destroy(&s[i]);
	}
	EXPECT_LT(0, failed);
	EXPECT_EQ(0, replace(self, &k));
	core_end(&k);
}

TEST_HARNESS_MAIN
