// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected faults: each happens as requested, to the requested clients.
 * inject_hang.c tests hangs.
 */
#include "inject.h"

#include <pthread.h>
#include <sched.h>

TEST_F(inject, a_slow_engine)
{
	struct stream *s = &self->s;
	struct vnpu_task task = task_copy(self->va, self->va + MIB(4), MIB(4));
	__u64 start;

	memset(self->mem, 1, MIB(4));
	memset(self->mem + MIB(4), 2, MIB(4));
	ASSERT_EQ(0, fault_set(SLOW, self->id, COPY, 0, 10000));
	start = now_ms();
	EXPECT_EQ(0, stream_do(s, task));
	/* It consists of 16 parts. */
	EXPECT_GE(now_ms() - start, 160);
	EXPECT_TRUE(is_all(self->mem, 2, MIB(4)));
	/* Too slow for the time limit; completed parts stay. */
	memset(self->mem, 1, MIB(4));
	task.timeout_ms = 60;
	EXPECT_EQ(-ETIMEDOUT, stream_do(s, task));
	EXPECT_TRUE(is_all(self->mem + MIB(3), 1, MIB(1)));
	ASSERT_EQ(0, faults_clear(0));
	task.timeout_ms = 0;
	EXPECT_EQ(0, stream_do(s, task));
	EXPECT_TRUE(is_all(self->mem, 2, MIB(4)));
}

/* Return how long the engines of device 0 have been busy, in us. */
static __u64 busy_us(void)
{
	return file_u64("/sys/class/vnpu/vnpu0/copy_busy_time_us") +
	       file_u64("/sys/class/vnpu/vnpu0/vector_busy_time_us");
}

/* The busy time is visible long before the task is complete. */
TEST_F(inject, a_slow_engine_is_busy)
{
	struct stream *s = &self->s;
	__u64 before;

	ASSERT_EQ(0, fault_set(SLOW, self->id, ANY_CLASS, 0, 30000000));
	ASSERT_EQ(0, stream_run(s, NOP));
	ASSERT_TRUE(is_stuck_by(s, SLOW));
	before = busy_us();
	usleep(100000);
	EXPECT_LE(100000, busy_us() - before);
	EXPECT_EQ(0, stream_abort(s, NULL));
	/* The turn ends shortly after its task. */
	do {
		before = busy_us();
		usleep(10000);
	} while (busy_us() != before);
}

TEST_F(inject, a_slow_engine_can_be_aborted)
{
	struct stream *s = &self->s;
	__u64 start;

	ASSERT_EQ(0, fault_set(SLOW, self->id, ANY_CLASS, 0, 30000000));
	ASSERT_EQ(0, stream_run(s, NOP));
	EXPECT_TRUE(is_stuck_by(s, SLOW));
	start = now_ms();
	EXPECT_EQ(0, stream_abort(s, NULL));
	EXPECT_LT(now_ms() - start, 15000);
	EXPECT_EQ(1, s->ring->cancelled);
}

TEST_F(inject, a_lost_doorbell)
{
	struct stream *s = &self->s;

	ASSERT_EQ(0, fault_set(LOST, self->id, ANY_CLASS, 2, 0));
	ASSERT_EQ(0, stream_run(s, NOP));
	ASSERT_EQ(0, stream_wait(s, 20000));
	/* Wait until the engine has stopped looking. */
	while (!(__atomic_load_n(&s->ring->state, __ATOMIC_SEQ_CST) &
		 VNPU_RING_NEED_DOORBELL))
		sched_yield();
	ASSERT_EQ(0, stream_run(s, NOP));
	EXPECT_TRUE(is_stuck(s));
	/* The third doorbell works. */
	ASSERT_EQ(0, stream_doorbell(s));
	EXPECT_EQ(0, stream_wait(s, 20000));
	EXPECT_EQ(0, s->ring->errors);
}

TEST_F(inject, no_memory)
{
	struct client c;
	__u32 id;
	int i;

	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, fault_set(NO_MEMORY, self->id, ANY_CLASS, 3, 0));
	EXPECT_EQ(0, mem_alloc(&c, 0, 0, 0, PAGE, &id));
	for (i = 1; i <= 5; i++) {
		EXPECT_EQ(i == 3 ? -ENOSPC : 0,
			  mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
		EXPECT_EQ(0, mem_alloc(&c, 0, 0, 0, PAGE, &id));
	}
	client_close(&c);
}

/* A request without memory: the event names its client. */
static void have_told(const struct client *c)
{
	__u32 id;

	mem_alloc(c, 0, 0, 0, 1ULL << 50, &id);
}

/* Return the client of the next out-of-memory event, or -errno. */
static __s64 next_told(int fd)
{
	static __u8 buffer[NL_BUFFER];
	int ret = event_wait(fd, VNPU_CMD_OOM_NTF, buffer);

	return ret ? ret : (__s64)nl_u64((void *)buffer, VNPU_A_OOM_CLIENT_ID);
}

TEST_F(inject, an_event_is_lost)
{
	static __u8 buffer[NL_BUFFER];
	int fd = nl_open_events(buffer), deaf = nl_open_events(buffer);
	const int yes = 1;
	struct client c;
	int i;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, setsockopt(deaf, SOL_NETLINK, NETLINK_NO_ENOBUFS, &yes,
				sizeof(yes)));
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, fault_set(OVERRUN, self->id, ANY_CLASS, 2, 0));
	have_told(&c);
	EXPECT_EQ(client_id(&c), next_told(fd));
	have_told(&self->c);
	EXPECT_EQ(self->id, next_told(fd));
	have_told(&self->c);
	EXPECT_EQ(-ENOBUFS, next_told(fd));
	EXPECT_EQ(-1, recv(fd, buffer, NL_BUFFER, MSG_DONTWAIT));
	EXPECT_EQ(EAGAIN, errno);
	/* The listener continues to work. */
	have_told(&self->c);
	EXPECT_EQ(self->id, next_told(fd));
	/* A listener that ignores the loss gets the remaining events. */
	EXPECT_EQ(client_id(&c), next_told(deaf));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(self->id, next_told(deaf));
	client_close(&c);
	close(deaf);
	close(fd);
}

TEST_F(inject, losses_are_reported_in_all_namespaces)
{
	int ready[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(ready));
	pid = fork_bound();
	if (!pid) {
		static __u8 buffer[NL_BUFFER];
		int fd;

		if (unshare(CLONE_NEWNET))
			_exit(1);
		fd = nl_open_events(buffer);
		if (fd < 0 || write(ready[1], "", 1) != 1)
			_exit(2);
		_exit(next_told(fd) == -ENOBUFS ? 0 : 3);
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, fault_set(OVERRUN, ANY_CLIENT, ANY_CLASS, 1, 0));
	have_told(&self->c);
	EXPECT_EQ(0, child_wait(pid));
}

TEST_F(inject, active_faults_are_listed)
{
	const struct fault other = { .kind = NO_MEMORY, .class = ANY_CLASS };
	struct listed l;
	__u64 client;
	__u32 id;

	EXPECT_EQ(0, list().count);
	ASSERT_EQ(0, fault_set(SLOW, ANY_CLIENT, VECTOR, 0, 7));
	l = list();
	EXPECT_EQ(1, l.count);
	EXPECT_EQ(0, l.last.device);
	EXPECT_EQ(SLOW, l.last.kind);
	EXPECT_EQ(VECTOR, l.last.class);
	EXPECT_EQ(7, l.last.delay_us);
	EXPECT_EQ(~0ULL, l.last.client);
	EXPECT_EQ(~0ULL, l.last.nth);
	EXPECT_EQ(0, l.hits);

	ASSERT_EQ(0, fault_set(NO_MEMORY, self->id, ANY_CLASS, 0, 0));
	l = list();
	EXPECT_EQ(2, l.count);
	EXPECT_EQ(self->id, l.last.client);
	EXPECT_EQ(1, l.last.nth);
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	l = list();
	EXPECT_EQ(2, l.count);
	EXPECT_EQ(0, l.last.nth);
	EXPECT_EQ(1, l.hits);

	/* Setting the same fault again replaces it. */
	ASSERT_EQ(0, fault_set(NO_MEMORY, self->id, ANY_CLASS, 5, 0));
	l = list();
	EXPECT_EQ(2, l.count);
	EXPECT_EQ(5, l.last.nth);
	EXPECT_EQ(-ENOENT, fault_change(&other, true));

	/* The number of faults is limited, and exceeds one message. */
	for (client = 1000000; !fault_set(NO_MEMORY, client, ANY_CLASS, 1, 0);)
		client++;
	EXPECT_EQ(1000062, client);
	EXPECT_EQ(-ENOSPC, fault_set(NO_MEMORY, client, ANY_CLASS, 1, 0));
	EXPECT_EQ(0, fault_set(NO_MEMORY, client - 1, ANY_CLASS, 2, 0));
	EXPECT_EQ(64, list().count);
	EXPECT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, list().count);
}

TEST_F(inject, values_are_checked)
{
	const struct fault nowhere = { .device = 64, .class = ANY_CLASS };
	struct nl_msg m;

	EXPECT_EQ(-EINVAL, fault_set(VNPU_INJECT_KIND_CORE_GARBAGE + 1,
				     ANY_CLIENT, ANY_CLASS, 1, 0));
	EXPECT_EQ(-EINVAL, fault_set(~0U, ANY_CLIENT, ANY_CLASS, 1, 0));
	EXPECT_EQ(-ERANGE, fault_set(HANG, ANY_CLIENT, 2, 1, 0));
	EXPECT_EQ(-EINVAL, fault_set(HANG, ANY_CLIENT, ANY_CLASS, 1, 1));
	EXPECT_EQ(-EINVAL, fault_set(SLOW, ANY_CLIENT, ANY_CLASS, 0, 0));
	EXPECT_EQ(-EINVAL, fault_set(SLOW, ANY_CLIENT, ANY_CLASS, 1, 1));
	EXPECT_EQ(-EINVAL, fault_set(SLOW, ANY_CLIENT, ANY_CLASS, 0,
				     60000001));
	EXPECT_EQ(-EINVAL, fault_set(LOST, ANY_CLIENT, COPY, 1, 0));
	EXPECT_EQ(-EINVAL, fault_set(NO_MEMORY, ANY_CLIENT, COPY, 1, 0));
	EXPECT_EQ(-EINVAL, fault_set(OVERRUN, ANY_CLIENT, COPY, 1, 0));
	EXPECT_EQ(-EINVAL, fault_set(OVERRUN, ANY_CLIENT, ANY_CLASS, 1, 1));
	EXPECT_EQ(-ENODEV, fault_change(&nowhere, false));
	EXPECT_EQ(-ENODEV, faults_clear(64));
	nl_init(&m, 0, 0, VNPU_CMD_INJECT_SET);
	EXPECT_EQ(-EINVAL, trouble_ask(&m, NULL));
	nl_put_u32(&m, VNPU_A_INJECT_DEV_ID, 0);
	EXPECT_EQ(-EINVAL, trouble_ask(&m, NULL));
	nl_put_u64(&m, VNPU_A_INJECT_HITS, 1);
	EXPECT_EQ(-EINVAL, trouble_ask(&m, NULL));
	EXPECT_EQ(0, list().count);
}

TEST_F(inject, only_an_administrator_can)
{
	pid_t pid = fork_bound();

	if (!pid) {
		int ret = setresuid(65534, 65534, 65534);

		if (ret)
			_exit(1);
		if (hang_next(1) != -EPERM || faults_clear(0) != -EPERM)
			_exit(2);
		if (list().count != -1)
			_exit(3);
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
			_exit(0);
		_exit(hang_next(1) == -EPERM ? 0 : 4);
	}
	EXPECT_EQ(0, child_wait(pid));
}

struct setter {
	volatile bool stop;
	__u64 client;
};

static void *set_and_clear(void *arg)
{
	struct setter *w = arg;

	while (!w->stop) {
		hang_next(w->client);
		fault_set(SLOW, w->client, ANY_CLASS, 0, 50);
		fault_set(LOST, w->client, ANY_CLASS, 3, 0);
		faults_clear(0);
	}
	return NULL;
}

/* Set and clear faults while tasks and calls run. */
TEST_F(inject, set_and_cleared_under_load)
{
	struct setter w = { .client = self->id };
	struct stream *s = &self->s;
	__u64 end = now_ms() + 1500;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, set_and_clear, &w));
	while (now_ms() < end) {
		int i;

		for (i = 0; i < 32; i++)
			stream_put(s, task_copy(self->va, self->va + MIB(4),
						KIB(512)));
		ASSERT_EQ(0, stream_submit(s));
		if (stream_wait(s, 50))
			ASSERT_EQ(0, stream_abort(s, NULL));
	}
	w.stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(0, stream_abort(s, NULL));
	EXPECT_EQ(0, stream_do(s, NOP));
	EXPECT_EQ(0, s->ring->errors);
}

TEST_HARNESS_MAIN
