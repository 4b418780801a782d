// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timelines, counters and values in memory, which streams wait for and change.
 */
#include "timeline.h"

#include <pthread.h>
#include <sys/time.h>

TEST_F(timeline, a_counter_belongs_to_a_device)
{
	__u64 id;

	EXPECT_EQ(-ENODEV, timeline_create(&self->c, VNPU_TIMELINE_F_COUNTER,
					   VNPU_MAX_DEVICES, 0, &id));
}

static struct vnpu_task counter_wait(__u64 id, __u16 cond, __u64 value,
				     __u64 mask, __u8 flags)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COUNTER_WAIT, .flags = flags, .mode = cond,
		.src = id, .arg0 = value, .arg1 = mask,
	};
}

TEST_F(timeline, a_signal_advances_it)
{
	__u64 value;

	ASSERT_EQ(0, timeline_value(&self->c, self->id, &value));
	EXPECT_EQ(0, value);
	EXPECT_EQ(0, timeline_signal(&self->c, self->id, 5, 0));
	EXPECT_EQ(0, timeline_signal(&self->c, self->id, 3, 0));
	ASSERT_EQ(0, timeline_value(&self->c, self->id, &value));
	EXPECT_EQ(5, value);
	EXPECT_EQ(0, wait_point(&self->c, self->id, 5, 0));
	EXPECT_EQ(-ETIMEDOUT, wait_point(&self->c, self->id, 6, 0));
}

TEST_F(timeline, kinds_are_not_mixed)
{
	struct client *c = &self->c;

	EXPECT_EQ(-EINVAL, timeline_signal(c, self->id, 1, VNPU_SIGNAL_SET));
	EXPECT_EQ(-EINVAL, timeline_signal(c, self->counter, 1,
					   VNPU_SIGNAL_ADVANCE));
	EXPECT_EQ(-EINVAL, timeline_signal(c, self->counter, 1, 5));
	EXPECT_EQ(-EACCES, timeline_signal(c, self->a.id, 1, 0));
	EXPECT_EQ(-EINVAL, wait_point(c, self->counter, 0, 0));
	EXPECT_EQ(-EINVAL, stream_do(&self->a, task_wait(self->counter, 0)));
	EXPECT_EQ(-EINVAL, stream_do(&self->a,
				     counter_wait(self->id, 0, 0, 0, 0)));
	EXPECT_EQ(-EINVAL, stream_do(&self->a,
				     counter_wait(self->counter, 7, 0, 0, 0)));
	EXPECT_EQ(-EACCES, stream_do(&self->a, task_signal(self->b.id, 1, 0)));
	EXPECT_EQ(-EINVAL, timeline_destroy(c, self->a.id));
}

TEST_F(timeline, invalid_and_destroyed_ids)
{
	struct client *c = &self->c;
	__u64 value, later = self->counter + 1000;

	EXPECT_EQ(-ENOENT, wait_point(c, later, 0, 0));
	EXPECT_EQ(-ENOENT, wait_point(c, 0, 0, 0));
	EXPECT_EQ(-ENOENT, stream_do(&self->a, task_wait(later, 1)));
	EXPECT_EQ(-ENOENT, stream_do(&self->a, task_signal(later, 1, 0)));
	ASSERT_EQ(0, timeline_destroy(c, self->id));
	EXPECT_EQ(-ENOENT, timeline_destroy(c, self->id));
	EXPECT_EQ(0, wait_point(c, self->id, 77, 0));
	ASSERT_EQ(0, timeline_value(c, self->id, &value));
	EXPECT_EQ(~0ULL, value);
	EXPECT_EQ(-ENOENT, timeline_signal(c, self->id, 1, 0));
	EXPECT_EQ(0, stream_do(&self->a, task_wait(self->id, 77)));
	EXPECT_EQ(0, stream_do(&self->a, task_signal(self->id, 77, 0)));
}

TEST_F(timeline, a_stream_waits_for_another)
{
	__u64 i;

	/* b may continue only when a has signalled. */
	for (i = 1; i <= 200; i++) {
		stream_put(&self->b, task_wait(self->a.id, i));
		stream_put(&self->b, task_copy(self->va + 8, self->va, 8));
	}
	ASSERT_EQ(0, stream_submit(&self->b));
	EXPECT_EQ(-ETIMEDOUT, wait_point(&self->c, self->b.id, 1, in_ms(20)));
	for (i = 1; i <= 200; i++)
		ASSERT_EQ(0, stream_run(&self->a, task_fill(self->va, 8, i, 8)));
	ASSERT_EQ(0, stream_wait(&self->a, 20000));
	ASSERT_EQ(0, stream_wait(&self->b, 20000));
	EXPECT_EQ(200, self->mem[1]);
	EXPECT_EQ(0, self->b.ring->errors);
}

TEST_F(timeline, a_stream_cannot_wait_for_its_own_future)
{
	EXPECT_EQ(-EINVAL, stream_do(&self->a, task_wait(self->a.id, 1)));
	EXPECT_EQ(0, stream_do(&self->a, task_wait(self->a.id, 1)));
	EXPECT_EQ(-EINVAL, stream_do(&self->a, task_wait(self->a.id, 100)));
}

TEST_F(timeline, the_host_signals_a_stream)
{
	ASSERT_EQ(0, stream_run(&self->a, task_wait(self->id, 3)));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 2, 0));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 3, 0));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));
}

TEST_F(timeline, destroy_ends_waits_of_streams)
{
	ASSERT_EQ(0, stream_run(&self->a, task_wait(self->id, 3)));
	ASSERT_EQ(0, stream_run(&self->b, counter_wait(self->counter,
						       VNPU_COND_EQ, 9, 0, 0)));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->b, 20));
	ASSERT_EQ(0, timeline_destroy(&self->c, self->id));
	ASSERT_EQ(0, timeline_destroy(&self->c, self->counter));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));
	EXPECT_EQ(0, stream_wait(&self->b, 20000));
	EXPECT_EQ(0, self->a.ring->errors);
	EXPECT_EQ(0, self->b.ring->errors);
}

/* A thread that waits for it. */
struct waiter {
	const struct client *c;
	__u64 id;
};

static void *wait_for_three(void *arg)
{
	const struct waiter *w = arg;

	return ptr(-wait_point(w->c, w->id, 3, in_ms(60000)));
}

/* Its last user is the waiter. */
TEST_F(timeline, destroy_ends_waits_of_the_host)
{
	struct waiter w = { .c = &self->c };
	pthread_t thread[2];
	void *error;
	int i, k;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &w.id));
		for (k = 0; k < 2; k++)
			ASSERT_EQ(0, pthread_create(&thread[k], NULL,
						    wait_for_three, &w));
		usleep(i * 1000);
		EXPECT_EQ(0, timeline_destroy(&self->c, w.id));
		for (k = 0; k < 2; k++) {
			ASSERT_EQ(0, pthread_join(thread[k], &error));
			/* It may have come too late to find the id. */
			EXPECT_TRUE(!error || error == ptr(ENOENT));
		}
	}
}

TEST_F(timeline, waits_have_time_limits)
{
	struct vnpu_task t = task_wait(self->id, 3);
	__u64 start = now_ms();

	t.timeout_ms = 30;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->a, t));
	t = counter_wait(self->counter, VNPU_COND_EQ, 9, 0, 0);
	t.timeout_ms = 30;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->a, t));
	t = (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WAIT, .src = self->va, .arg0 = 1,
		.mode = VNPU_COND_EQ, .timeout_ms = 30,
	};
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->a, t));
	EXPECT_LE(90, now_ms() - start);
	/* The time limit of a stream does not apply to waits. */
	ASSERT_EQ(0, stream_set(&self->a, VNPU_STREAM_SET_F_TIMEOUT, 0, 0, 20));
	ASSERT_EQ(0, stream_run(&self->a, task_wait(self->id, 3)));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 100));
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 3, 0));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));
	EXPECT_EQ(3, self->a.ring->errors);
}

TEST_F(timeline, any_and_all)
{
	struct vnpu_point p[100];
	__u32 index = 99;
	int i;

	for (i = 0; i < 100; i++) {
		p[i].value = 1;
		ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &p[i].id));
	}
	EXPECT_EQ(-ETIMEDOUT, wait_points(&self->c, p, 100, 0, 0, NULL));
	ASSERT_EQ(0, timeline_signal(&self->c, p[70].id, 1, 0));
	ASSERT_EQ(0, timeline_signal(&self->c, p[42].id, 1, 0));
	EXPECT_EQ(0, wait_points(&self->c, p, 100, 0, 0, &index));
	EXPECT_EQ(42, index);
	EXPECT_EQ(-ETIMEDOUT, wait_points(&self->c, p, 100, VNPU_WAIT_F_ALL,
					  in_ms(20), NULL));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, timeline_signal(&self->c, p[i].id, 1, 0));
	EXPECT_EQ(0, wait_points(&self->c, p, 100, VNPU_WAIT_F_ALL, 0, &index));
	EXPECT_EQ(0, index);
}

TEST_F(timeline, arguments_of_wait)
{
	struct vnpu_point p[2] = {
		{ .id = self->id, .value = 0 }, { .id = self->id, .value = 0 },
	};
	struct vnpu_wait w = {
		.size = sizeof(w), .points = addr(p), .count = 0,
		.timeout_ns = NO_TIMEOUT,
	};
	int fd = self->c.fd;

	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_WAIT, &w));
	w.count = VNPU_WAIT_MAX + 1;
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_WAIT, &w));
	w.count = 2;
	w.stride = 8;
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_WAIT, &w));
	w.stride = 20;
	EXPECT_EQ(-EINVAL, call(fd, VNPU_IOCTL_WAIT, &w));
	w.stride = 24;
	w.count = 1;
	EXPECT_EQ(0, call(fd, VNPU_IOCTL_WAIT, &w));
	w.count = 2;
	w.stride = 0;
	w.points = 8;
	EXPECT_EQ(-EFAULT, call(fd, VNPU_IOCTL_WAIT, &w));
	w.points = ~7ULL;
	EXPECT_EQ(-EFAULT, call(fd, VNPU_IOCTL_WAIT, &w));
}

static void nothing(int sig)
{
	(void)sig;
}

TEST_F(timeline, a_signal_handler_ends_a_wait)
{
	struct sigaction act = { .sa_handler = nothing };
	struct itimerval soon = { .it_value.tv_usec = 30000 };

	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	EXPECT_EQ(-EINTR, wait_point(&self->c, self->id, 1, in_ms(20000)));

	/* With SA_RESTART the call continues, until the same time as before. */
	act.sa_flags = SA_RESTART;
	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
	EXPECT_EQ(-ETIMEDOUT, wait_point(&self->c, self->id, 1, in_ms(200)));
}

TEST_F(timeline, conditions_of_counters)
{
	static const struct {
		__u16 cond;
		__u64 value, no, yes;
	} cases[] = {
		{ VNPU_COND_EQ, 5, 4, 5 },
		{ VNPU_COND_GEQ, 5, 4, 6 },
		{ VNPU_COND_GEQ, 5, ~0ULL, 5 },
		{ VNPU_COND_AND, 6, 9, 4 },
		{ VNPU_COND_NOR, ~7ULL, 7, 5 },
		{ VNPU_COND_LESS, 5, 5, 4 },
		{ VNPU_COND_GREATER, 5, 5, ~0ULL },
		{ VNPU_COND_NOT_LESS, 5, 4, 5 },
	};
	struct client *c = &self->c;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ASSERT_EQ(0, timeline_signal(c, self->counter, cases[i].no,
					     VNPU_SIGNAL_SET));
		ASSERT_EQ(0, stream_run(&self->a,
					counter_wait(self->counter,
						     cases[i].cond,
						     cases[i].value, 0, 0)));
		EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 10)) {
			TH_LOG("case %u", i);
		}
		ASSERT_EQ(0, timeline_signal(c, self->counter, cases[i].yes,
					     VNPU_SIGNAL_SET));
		EXPECT_EQ(0, stream_wait(&self->a, 20000)) {
			TH_LOG("case %u", i);
		}
	}
}

TEST_F(timeline, changes_of_counters)
{
	struct client *c = &self->c;
	__u64 value;

	ASSERT_EQ(0, stream_do(&self->a, task_signal(self->counter, 12,
						     VNPU_SIGNAL_SET)));
	ASSERT_EQ(0, stream_do(&self->a, task_signal(self->counter, 3,
						     VNPU_SIGNAL_ADD)));
	ASSERT_EQ(0, timeline_value(c, self->counter, &value));
	EXPECT_EQ(15, value);
	ASSERT_EQ(0, stream_do(&self->a, task_signal(self->counter, 6,
						     VNPU_SIGNAL_AND)));
	ASSERT_EQ(0, stream_do(&self->a, task_signal(self->counter, 1,
						     VNPU_SIGNAL_OR)));
	ASSERT_EQ(0, timeline_value(c, self->counter, &value));
	EXPECT_EQ(7, value);
	EXPECT_EQ(-EINVAL, stream_do(&self->a, task_signal(self->counter, 1,
							   9)));
	/* The mask applies to the value that was found. */
	EXPECT_EQ(0, stream_do(&self->a, counter_wait(self->counter,
						      VNPU_COND_EQ, 3, 3, 0)));
}

TEST_F(timeline, one_signal_wakes_one_taking_waiter)
{
	struct vnpu_task t = counter_wait(self->counter, VNPU_COND_GREATER, 0,
					  0, VNPU_TASK_F_CLEAR);
	struct vnpu_point p[2];
	__u64 value;

	ASSERT_EQ(0, stream_run(&self->a, t));
	ASSERT_EQ(0, stream_run(&self->b, t));
	ASSERT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	p[0] = (struct vnpu_point){ self->a.id, 1 };
	p[1] = (struct vnpu_point){ self->b.id, 1 };
	ASSERT_EQ(0, timeline_signal(&self->c, self->counter, 1,
				     VNPU_SIGNAL_SET));
	EXPECT_EQ(0, wait_points(&self->c, p, 2, 0, in_ms(20000), NULL));
	EXPECT_EQ(-ETIMEDOUT, wait_points(&self->c, p, 2, VNPU_WAIT_F_ALL,
					  in_ms(30), NULL));
	ASSERT_EQ(0, timeline_value(&self->c, self->counter, &value));
	EXPECT_EQ(0, value);
	ASSERT_EQ(0, timeline_signal(&self->c, self->counter, 1,
				     VNPU_SIGNAL_SET));
	EXPECT_EQ(0, wait_points(&self->c, p, 2, VNPU_WAIT_F_ALL,
				 in_ms(20000), NULL));
}

TEST_F(timeline, a_value_in_memory)
{
	struct vnpu_task wait = {
		.op = VNPU_TASK_VALUE_WAIT, .src = self->va,
		.arg0 = 0x123456789ULL, .mode = VNPU_COND_EQ,
	};
	struct vnpu_task write = {
		.op = VNPU_TASK_VALUE_WRITE, .dst = self->va,
		.arg0 = 0x123456789ULL, .mode = 8,
	};

	/* Changed by a task, by the host, and by a copy. */
	ASSERT_EQ(0, stream_run(&self->a, wait));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	ASSERT_EQ(0, stream_do(&self->b, write));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));

	self->mem[0] = 0;
	ASSERT_EQ(0, stream_run(&self->a, wait));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	__atomic_store_n(self->mem, 0x123456789ULL, __ATOMIC_SEQ_CST);
	EXPECT_EQ(0, stream_wait(&self->a, 20000));

	self->mem[0] = 0;
	self->mem[1] = 0x123456789ULL;
	ASSERT_EQ(0, stream_run(&self->a, wait));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	ASSERT_EQ(0, stream_do(&self->b, task_copy(self->va, self->va + 8, 8)));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));

	write.mode = 4;
	EXPECT_EQ(-EINVAL, stream_do(&self->a, write));
	write.arg0 = 0xffffffff;
	EXPECT_EQ(0, stream_do(&self->a, write));
	EXPECT_EQ(0x1ffffffffULL, self->mem[0]);
	write.dst += 2;
	EXPECT_EQ(-EINVAL, stream_do(&self->a, write));
	wait.src += 4;
	EXPECT_EQ(-EINVAL, stream_do(&self->a, wait));
	wait.src = self->va + GIB(1);
	EXPECT_EQ(-EFAULT, stream_do(&self->a, wait));
	wait.src = self->va;
	wait.mode = VNPU_COND_LESS;
	EXPECT_EQ(-EINVAL, stream_do(&self->a, wait));
}

TEST_F(timeline, unbound_memory_fails_the_wait)
{
	struct vnpu_task wait = {
		.op = VNPU_TASK_VALUE_WAIT, .src = self->va, .arg0 = 1,
		.mode = VNPU_COND_EQ,
	};

	ASSERT_EQ(0, stream_run(&self->a, wait));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	ASSERT_EQ(0, va_unbind(&self->c, self->va, PAGE));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));
	EXPECT_EQ(1, self->a.ring->errors);
	EXPECT_EQ(EFAULT, self->a.ring->error);
}

TEST_F(timeline, timestamps_keep_the_latest_request)
{
	struct vnpu_task t = {
		.op = VNPU_TASK_TIMESTAMP, .dst = self->va + 32, .arg0 = 2,
	};
	__u64 before = now_ns(), first;

	ASSERT_EQ(0, stream_do(&self->a, t));
	first = self->mem[4];
	EXPECT_LE(before, first);
	EXPECT_LE(first, now_ns());
	EXPECT_EQ(2, self->mem[5]);
	t.arg0 = 1;
	ASSERT_EQ(0, stream_do(&self->b, t));
	EXPECT_EQ(first, self->mem[4]);
	EXPECT_EQ(2, self->mem[5]);
	t.arg0 = 2;
	ASSERT_EQ(0, stream_do(&self->b, t));
	EXPECT_LT(first, self->mem[4]);
	t.dst += 8;
	EXPECT_EQ(-EINVAL, stream_do(&self->b, t));
}

TEST_F(timeline, numbers_of_counters_and_events_are_limited)
{
	struct vnpu_event_alloc take = { .size = sizeof(take) };
	struct vnpu_event_free give = { .size = sizeof(give) };
	struct vnpu_limits_query l = { .size = sizeof(l) };
	int fd = self->c.fd;
	__u64 id;
	__u32 i;

	ASSERT_EQ(0, call(fd, VNPU_IOCTL_LIMITS_QUERY, &l));
	EXPECT_EQ(VNPU_MAX_COUNTERS - 1, l.out_counters);
	EXPECT_EQ(VNPU_MAX_EVENTS, l.out_events);
	for (i = 1; i < VNPU_MAX_COUNTERS; i++)
		ASSERT_EQ(0, timeline_create(&self->c, VNPU_TIMELINE_F_COUNTER,
					     0, 0, &id));
	EXPECT_EQ(-EAGAIN, timeline_create(&self->c, VNPU_TIMELINE_F_COUNTER,
					   0, 0, &id));
	EXPECT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	for (i = 0; i < VNPU_MAX_EVENTS; i++) {
		ASSERT_EQ(0, call(fd, VNPU_IOCTL_EVENT_ALLOC, &take));
		ASSERT_EQ(i, take.out_number);
		ASSERT_EQ(VNPU_MAX_EVENTS - 1 - i, take.out_available);
	}
	EXPECT_EQ(-EAGAIN, call(fd, VNPU_IOCTL_EVENT_ALLOC, &take));
	give.number = 500;
	EXPECT_EQ(0, call(fd, VNPU_IOCTL_EVENT_FREE, &give));
	EXPECT_EQ(-ENOENT, call(fd, VNPU_IOCTL_EVENT_FREE, &give));
	EXPECT_EQ(0, call(fd, VNPU_IOCTL_EVENT_ALLOC, &take));
	EXPECT_EQ(500, take.out_number);
	give.number = VNPU_MAX_EVENTS;
	EXPECT_EQ(-ENOENT, call(fd, VNPU_IOCTL_EVENT_FREE, &give));
	give.device = 63;
	EXPECT_EQ(-ENODEV, call(fd, VNPU_IOCTL_EVENT_FREE, &give));
}

TEST_HARNESS_MAIN
