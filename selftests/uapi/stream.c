// SPDX-License-Identifier: GPL-2.0-only
/* Streams: their lifetime, and rules for all kinds of tasks. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <pthread.h>
#include <sched.h>

#include "kselftest_harness.h"

#include "param.h"
#include "stream.h"
#include "util.h"

FIXTURE(stream)
{
	struct client c;
	struct stream s;
	__u64 va;	/* 4 MiB of device memory with host access */
	__u8 *mem;
	unsigned int poll_us;	/* value before the test */
};

FIXTURE_SETUP(stream)
{
	ASSERT_EQ(0, param_get("poll_us", &self->poll_us));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base;
	self->mem = ptr(self->va);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(4), self->va));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(stream)
{
	EXPECT_EQ(0, param_set("poll_us", self->poll_us));
	stream_destroy(&self->s);
	client_close(&self->c);
}

TEST_F(stream, a_task_runs_and_is_reported)
{
	__u64 end = now_ms() + 20000;

	EXPECT_EQ(0, stream_completed(&self->s));
	EXPECT_EQ(VNPU_RING_NEED_DOORBELL, self->s.ring->state);
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
	EXPECT_EQ(1, stream_completed(&self->s));
	/* It comes after its own result. */
	while (!__atomic_load_n(&self->s.ring->completed_ns, __ATOMIC_ACQUIRE) &&
	       now_ms() < end)
		usleep(1000);
	EXPECT_NE(0, self->s.ring->completed_ns);
	EXPECT_LE(self->s.ring->completed_ns, now_ns());
}

TEST_F(stream, tasks_run_in_order)
{
	__u64 i;

	/* Each copies the data of the one before. */
	memset(self->mem, 0, KIB(64));
	self->mem[0] = 1;
	for (i = 0; i < 1000; i++)
		stream_put(&self->s, task_copy(self->va + i + 1, self->va + i,
					       1));
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_wait(&self->s, 20000));
	for (i = 0; i <= 1000; i++)
		ASSERT_EQ(1, self->mem[i]);
	EXPECT_EQ(0, self->mem[1001]);
}

TEST_F(stream, a_full_ring_can_be_waited_for)
{
	__u64 i;

	for (i = 0; i < 3 * VNPU_RING_TASKS + 17; i++) {
		stream_put(&self->s, (struct vnpu_task){});
		if (i % 700 == 699)
			ASSERT_EQ(0, stream_submit(&self->s));
		/* Tasks that are not submitted cannot make room. */
		if (i + 1 - self->s.ring->tail >= VNPU_RING_TASKS / 2)
			ASSERT_EQ(0, stream_submit(&self->s));
	}
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_wait(&self->s, 20000));
	EXPECT_EQ(3 * VNPU_RING_TASKS + 17, stream_completed(&self->s));
	EXPECT_EQ(0, self->s.ring->errors);
}

static bool is_engine(const char *pid)
{
	char path[280], comm[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = '\0';
	fclose(f);
	return !strncmp(comm, "vnpu0-", strlen("vnpu0-"));
}

/* Let the engines run on these processors only.  Return: their number. */
static int engines_allow(const cpu_set_t *set)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int engines = 0;

	if (!proc)
		return -errno;
	while ((entry = readdir(proc)))
		if (is_engine(entry->d_name) &&
		    !sched_setaffinity(atoi(entry->d_name), sizeof(*set), set))
			engines++;
	closedir(proc);
	return engines;
}

/* An engine stops looking if its processor has other work, as this thread. */
TEST_F(stream, no_doorbell_while_an_engine_looks)
{
	cpu_set_t all, here, there;
	unsigned int calls = 0, i;
	int ret = 0;

	ASSERT_EQ(0, sched_getaffinity(0, sizeof(all), &all));
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	CPU_XOR(&there, &all, &here);
	if (!CPU_COUNT(&there))
		SKIP(return, "needs two processors");
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(here), &here));
	/* Longer than any machine under load needs to continue. */
	ASSERT_EQ(0, param_set("poll_us", 10000));
	EXPECT_LT(0, engines_allow(&there));
	for (i = 0; i < 1000 && !ret; i++) {
		stream_put(&self->s, (struct vnpu_task){});
		__atomic_store_n(&self->s.ring->tail, self->s.last,
				 __ATOMIC_SEQ_CST);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (self->s.ring->state & VNPU_RING_NEED_DOORBELL) {
			calls++;
			ret = stream_doorbell(&self->s);
		}
		while (!ret && stream_completed(&self->s) < self->s.last)
			;
	}
	EXPECT_LT(0, engines_allow(&all));
	EXPECT_EQ(0, ret);
	TH_LOG("%u doorbells for 1000 tasks", calls);
	EXPECT_GE(calls, 1);
	EXPECT_LT(calls, 500);
}

TEST_F(stream, a_failure_is_reported_and_the_stream_goes_on)
{
	struct vnpu_stream_query q;
	__u64 bad = self->va + GIB(1);

	stream_put(&self->s, task_fill(self->va, 64, 1, 1));
	stream_put(&self->s, task_copy(self->va, bad, 64));
	stream_put(&self->s, task_fill(self->va + 64, 64, 2, 1));
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_wait(&self->s, 20000));

	EXPECT_TRUE(is_all(self->mem, 1, 64));
	EXPECT_TRUE(is_all(self->mem + 64, 2, 64));
	EXPECT_EQ(1, self->s.ring->errors);
	EXPECT_EQ(EFAULT, self->s.ring->error);
	EXPECT_EQ(2, self->s.ring->error_seq);
	ASSERT_EQ(0, stream_query(&self->s, &q));
	EXPECT_EQ(3, q.out_completed);
	EXPECT_EQ(1, q.out_errors);
	EXPECT_EQ(0, q.out_cancelled);
	EXPECT_EQ(EFAULT, q.out_error);
	EXPECT_EQ(VNPU_TASK_COPY, q.out_error_op);
	EXPECT_EQ(2, q.out_error_seq);
	EXPECT_EQ(bad, q.out_error_addr);
	EXPECT_EQ(0, q.out_device);
	EXPECT_NE(0, q.out_busy_ns);
}

TEST_F(stream, invalid_values_are_refused)
{
	struct stream *s = &self->s;

	EXPECT_EQ(-EINVAL, stream_do(s, (struct vnpu_task){ .op = 99 }));
	EXPECT_EQ(-EINVAL, stream_do(s, (struct vnpu_task){ .op = 255 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .flags = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .mode = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .dst = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .src = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .length = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .arg0 = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .arg1 = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .arg2 = 1 }));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(s, (struct vnpu_task){ .arg3 = 1 }));
	/* It would end beyond the last address. */
	EXPECT_EQ(-EOVERFLOW, stream_do(s, (struct vnpu_task){
		.op = VNPU_TASK_REDUCE,
		.mode = VNPU_REDUCE(VNPU_REDUCE_SUM, VNPU_TYPE_FP32),
		.dst = -64ULL, .src = self->va, .length = 1000,
	}));
	EXPECT_EQ(12, s->ring->errors);
	EXPECT_EQ(0, stream_do(s, (struct vnpu_task){}));
}

/* The ring shows a stop, and its end, soon after the tasks are complete. */
static bool comes_to(const struct stream *s, __u32 stopped)
{
	int i;

	for (i = 0; i < 2000; i++) {
		if ((__atomic_load_n(&s->ring->state, __ATOMIC_RELAXED) &
		     VNPU_RING_STOPPED) == stopped)
			return true;
		usleep(1000);
	}
	return false;
}

TEST_F(stream, a_stopping_stream_cancels_the_rest)
{
	struct stream *s = &self->s;
	__u64 completed;

	memset(self->mem, 0, 4096);
	ASSERT_EQ(0, stream_set(s, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	stream_put(s, task_fill(self->va, 64, 1, 1));
	stream_put(s, (struct vnpu_task){ .op = 99 });
	stream_put(s, task_fill(self->va, 64, 2, 1));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_TRUE(is_all(self->mem, 1, 64));
	EXPECT_EQ(1, s->ring->errors);
	EXPECT_EQ(1, s->ring->cancelled);
	EXPECT_TRUE(comes_to(s, VNPU_RING_STOPPED));

	EXPECT_EQ(-ECANCELED, stream_do(s, (struct vnpu_task){}));
	/* Until the error is cleared. */
	ASSERT_EQ(0, stream_abort(s, &completed));
	EXPECT_EQ(4, completed);
	EXPECT_EQ(0, stream_do(s, (struct vnpu_task){}));
	EXPECT_TRUE(comes_to(s, 0));
}

TEST_F(stream, abort_ends_waiting_tasks)
{
	struct stream *s = &self->s;
	__u64 id, completed;
	int i;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	stream_put(s, task_wait(id, 1));
	for (i = 0; i < 10; i++)
		stream_put(s, task_fill(self->va, 64, 3, 1));
	memset(self->mem, 0, 64);
	ASSERT_EQ(0, stream_submit(s));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(s, 50));
	ASSERT_EQ(0, stream_abort(s, &completed));
	EXPECT_EQ(11, completed);
	EXPECT_EQ(11, stream_completed(s));
	EXPECT_EQ(11, s->ring->cancelled);
	EXPECT_TRUE(is_all(self->mem, 0, 64));
	EXPECT_EQ(0, stream_do(s, task_fill(self->va, 64, 4, 1)));
	EXPECT_TRUE(is_all(self->mem, 4, 64));
}

TEST_F(stream, destroy_ends_waiting_tasks)
{
	struct vnpu_point point = { .id = self->s.id, .value = 1000 };
	__u64 id;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	ASSERT_EQ(0, stream_run(&self->s, task_wait(id, 1)));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 20));
	EXPECT_EQ(0, stream_destroy(&self->s));
	/* A destroyed stream counts as reached. */
	EXPECT_EQ(0, wait_points(&self->c, &point, 1, 0, 0, NULL));
	EXPECT_EQ(-ENOENT, stream_doorbell(&self->s));
	EXPECT_EQ(-ENOENT, stream_destroy(&self->s));
}

struct waiter {
	const struct client *c;
	__u64 id;
	int ret;
};

static void *wait_for_ever(void *arg)
{
	struct waiter *w = arg;

	w->ret = wait_point(w->c, w->id, 1000000, NO_TIMEOUT);
	return NULL;
}

TEST_F(stream, destroy_wakes_waiters)
{
	struct waiter w = { .c = &self->c, .id = self->s.id, .ret = 1 };
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_ever, &w));
	usleep(20000);
	EXPECT_EQ(0, stream_destroy(&self->s));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, w.ret);
}

TEST_F(stream, number_of_streams_is_limited)
{
	static struct stream s[VNPU_MAX_STREAMS];
	struct vnpu_limits_query l = { .size = sizeof(l) };
	struct stream more;
	__u32 left, i;

	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_LIMITS_QUERY, &l));
	left = l.out_streams;
	ASSERT_LT(left, VNPU_MAX_STREAMS);
	for (i = 0; i < left; i++)
		ASSERT_EQ(0, stream_create_only(&s[i], &self->c, 0, 7, 0, 0));
	EXPECT_EQ(-EAGAIN, stream_create_only(&more, &self->c, 0, 0, 0, 0));
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_LIMITS_QUERY, &l));
	EXPECT_EQ(0, l.out_streams);
	/* The lowest free number is used next. */
	ASSERT_EQ(0, stream_destroy(&s[3]));
	ASSERT_EQ(0, stream_create_only(&more, &self->c, 0, 0, 0, 0));
	EXPECT_EQ(s[3].number, more.number);
	EXPECT_GT(more.id, s[left - 1].id);
	/* The other streams end with the client, which a mapping keeps. */
	ASSERT_EQ(0, munmap(self->s.ring, self->s.map_size));
	self->s.ring = NULL;
	client_close(&self->c);
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_LIMITS_QUERY, &l));
	EXPECT_EQ(VNPU_MAX_STREAMS, l.out_streams);
}

TEST_F(stream, values_of_set_are_checked)
{
	EXPECT_EQ(-EINVAL, stream_set(&self->s, VNPU_STREAM_SET_F_PRIORITY, 8,
				      0, 0));
	EXPECT_EQ(-EINVAL, stream_set(&self->s, VNPU_STREAM_SET_F_STOP, 0, 2,
				      0));
	EXPECT_EQ(0, stream_set(&self->s, VNPU_STREAM_SET_F_PRIORITY, 7, 0, 0));
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
}

TEST_F(stream, ids_of_other_clients_are_invalid)
{
	struct client c;
	struct stream s = self->s;

	ASSERT_EQ(0, client_open(&c));
	s.c = &c;
	EXPECT_EQ(-ENOENT, stream_doorbell(&s));
	EXPECT_EQ(-ENOENT, stream_abort(&s, NULL));
	EXPECT_EQ(-ENOENT, stream_map(&s));
	EXPECT_EQ(-ENOENT, wait_point(&c, s.id, 1, 0));
	client_close(&c);
}

/* Kill processes whose streams have tasks of any kind. */
TEST_F(stream, kill_with_tasks_in_flight)
{
	struct vnpu_limits_query l = { .size = sizeof(l) };
	__u64 used = device_used(&self->c, 0);
	struct rng r = rng_init();
	int i;

	for (i = 0; i < 20; i++) {
		pid_t pid = fork_bound();

		if (!pid) {
			struct client c;
			struct stream s[4];
			__u64 id;
			int k;

			if (client_open(&c) ||
			    mem_alloc_at(&c, 0, 0, 0, MIB(2), c.base) ||
			    timeline_create(&c, 0, 0, 0, &id))
				_exit(1);
			for (k = 0; k < 4; k++)
				if (stream_create(&s[k], &c, 0))
					_exit(1);
			for (;;) {
				for (k = 0; k < 3; k++) {
					stream_put(&s[k], task_copy(c.base,
						c.base + MIB(1), MIB(1)));
					stream_submit(&s[k]);
				}
				stream_run(&s[3], task_wait(id, 1));
			}
		}
		usleep((useconds_t)(rng_below(&r, 30) * 1000));
		kill(pid, SIGKILL);
		ASSERT_EQ(256 + SIGKILL, child_wait(pid));
	}
	EXPECT_EQ(used, device_used(&self->c, 0));
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_LIMITS_QUERY, &l));
	EXPECT_EQ(VNPU_MAX_STREAMS - 1, l.out_streams);
}

TEST_HARNESS_MAIN
