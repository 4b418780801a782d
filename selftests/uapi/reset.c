// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reset of a device, on request and by the watchdog: running tasks fail, other
 * work goes on, and the reset is reported.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "coredump.h"
#include "param.h"
#include "stream.h"
#include "trouble.h"
#include "util.h"

#define NOP		((struct vnpu_task){})

FIXTURE(reset)
{
	struct client c;
	struct stream s;
	__u64 id;	/* of the client */
	__u64 va;	/* 8 MiB of device memory with host access */
	__u8 *mem;
	__u8 *buffer;
	int events;
	unsigned int hang_ms;	/* value before the test */
};

FIXTURE_SETUP(reset)
{
	ASSERT_EQ(0, param_get("hang_timeout_ms", &self->hang_ms));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->id = client_id(&self->c);
	self->va = self->c.base;
	self->mem = ptr(self->va);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(8), self->va));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	self->buffer = malloc(NL_BUFFER);
	ASSERT_NE(NULL, self->buffer);
	self->events = nl_open_events(self->buffer);
	ASSERT_GE(self->events, 0);
}

FIXTURE_TEARDOWN(reset)
{
	EXPECT_EQ(0, param_set("hang_timeout_ms", self->hang_ms));
	EXPECT_EQ(0, faults_clear(0));
	close(self->events);
	free(self->buffer);
	stream_destroy(&self->s);
	client_close(&self->c);
}

/* Submit a task that hangs, and wait until it has begun. */
static int run_hanging(const struct client *c, struct stream *s,
		       struct vnpu_task task)
{
	int ret = hang_next(client_id(c));

	if (!ret)
		ret = stream_run(s, task);
	if (!ret)
		ret = fault_wait(0, VNPU_INJECT_KIND_ENGINE_HANG);
	if (!ret && stream_wait(s, 60) != -ETIMEDOUT)
		ret = -EPROTO;
	return ret;
}

struct waiter {
	const struct stream *s;
	int ret;
};

static void *wait_for_it(void *arg)
{
	struct waiter *w = arg;

	w->ret = wait_point(w->s->c, w->s->id, w->s->last, in_ms(20000));
	return NULL;
}

TEST_F(reset, running_tasks_fail_and_the_rest_goes_on)
{
	__u64 resets = device_figure(0, VNPU_A_DEV_RESETS);
	__u64 lost = device_lost(&self->c, 0);
	struct waiter w = { .s = &self->s, .ret = 1 };
	struct vnpu_stream_query q;
	struct stream waits, other;
	pthread_t thread;
	__u64 id;

	ASSERT_EQ(0, stream_create(&waits, &self->c, 0));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	/* A stream that waits, with a task after the wait. */
	memset(self->mem, 0, KIB(64));
	stream_put(&waits, task_wait(id, 1));
	stream_put(&waits, task_fill(self->va, 64, 1, 1));
	ASSERT_EQ(0, stream_submit(&waits));
	/* A running stream with later tasks, one of which is waited for. */
	ASSERT_EQ(0, run_hanging(&self->c, &self->s,
				 task_fill(self->va + 64, 64, 2, 1)));
	stream_put(&self->s, task_fill(self->va + 128, 64, 3, 1));
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_run(&other, task_wait(self->s.id, 1)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_it, &w));

	ASSERT_EQ(0, device_reset(0));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, w.ret);
	EXPECT_EQ(lost + 1, device_lost(&self->c, 0));
	EXPECT_EQ(1, self->s.ring->errors);
	EXPECT_EQ(ECONNRESET, self->s.ring->error);
	EXPECT_EQ(1, self->s.ring->error_seq);
	EXPECT_TRUE(is_all(self->mem + 64, 0, 64));
	EXPECT_TRUE(is_all(self->mem + 128, 3, 64));
	ASSERT_EQ(0, stream_query(&self->s, &q));
	EXPECT_EQ(VNPU_TASK_FILL, q.out_error_op);
	EXPECT_EQ(0, stream_wait(&other, 20000));
	EXPECT_EQ(0, other.ring->errors);

	EXPECT_EQ(0, stream_completed(&waits));
	ASSERT_EQ(0, timeline_signal(&self->c, id, 1, VNPU_SIGNAL_ADVANCE));
	EXPECT_EQ(0, stream_wait(&waits, 20000));
	EXPECT_EQ(0, waits.ring->errors);
	EXPECT_TRUE(is_all(self->mem, 1, 64));

	EXPECT_EQ(resets + 1, device_figure(0, VNPU_A_DEV_RESETS));
	ASSERT_EQ(0, event_wait(self->events, VNPU_CMD_RESET_NTF,
				self->buffer));
	EXPECT_EQ(0, nl_u32((void *)self->buffer, VNPU_A_RESET_DEV_ID));
	EXPECT_EQ(VNPU_RESET_REASON_ADMIN,
		  nl_u32((void *)self->buffer, VNPU_A_RESET_REASON));
	EXPECT_EQ(resets + 1, nl_u64((void *)self->buffer, VNPU_A_RESET_COUNT));
	EXPECT_EQ(VNPU_HEALTH_OK,
		  nl_u32((void *)self->buffer, VNPU_A_RESET_HEALTH));
	stream_destroy(&waits);
	stream_destroy(&other);
}

TEST_F(reset, a_task_that_is_half_done_fails)
{
	struct stream *s = &self->s;

	ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_ENGINE_SLOW, self->id,
			       ANY_CLASS, 0, 1000000));
	ASSERT_EQ(0, stream_run(s, task_copy(self->va, self->va + MIB(4),
					     MIB(4))));
	ASSERT_EQ(0, fault_wait(0, VNPU_INJECT_KIND_ENGINE_SLOW));
	ASSERT_EQ(0, device_reset(0));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_EQ(ECONNRESET, s->ring->error);
}

TEST_F(reset, a_stream_with_the_flag_stops)
{
	struct stream *s = &self->s;

	ASSERT_EQ(0, stream_set(s, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	ASSERT_EQ(0, run_hanging(&self->c, s, NOP));
	stream_put(s, NOP);
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, device_reset(0));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_EQ(1, s->ring->errors);
	EXPECT_EQ(1, s->ring->cancelled);
	EXPECT_TRUE(s->ring->state & VNPU_RING_STOPPED);
	ASSERT_EQ(0, stream_abort(s, NULL));
	EXPECT_EQ(0, stream_do(s, NOP));
}

TEST_F(reset, of_an_idle_device)
{
	EXPECT_EQ(0, stream_do(&self->s, NOP));
	EXPECT_EQ(0, device_reset(0));
	EXPECT_EQ(0, stream_do(&self->s, NOP));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(-ENODEV, device_reset(64));
}

TEST_F(reset, only_an_administrator_can)
{
	__u64 resets = device_figure(0, VNPU_A_DEV_RESETS);
	pid_t pid = fork_bound();

	if (!pid)
		_exit(!setresuid(65534, 65534, 65534) &&
		      device_reset(0) == -EPERM ? 0 : 1);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(resets, device_figure(0, VNPU_A_DEV_RESETS));
}

TEST_F(reset, the_watchdog_finds_a_hang)
{
	__u64 resets = device_figure(0, VNPU_A_DEV_RESETS);
	__u64 hangs = device_figure(0, VNPU_A_DEV_HANGS);
	const struct nlmsghdr *event = (void *)self->buffer;
	struct stream *s = &self->s;
	__u64 start;

	ASSERT_EQ(0, param_set("hang_timeout_ms", 400));
	/* The new limit takes effect soon. */
	sleep(2);
	EXPECT_EQ(0, stream_do(s, NOP));
	start = now_ms();
	ASSERT_EQ(0, hang_next(self->id));
	EXPECT_EQ(-ECONNRESET, stream_do(s, task_fill(self->va, 64, 1, 1)));
	EXPECT_GE(now_ms() - start, 400);
	EXPECT_EQ(0, stream_do(s, NOP));

	ASSERT_EQ(0, event_wait(self->events, VNPU_CMD_HEALTH_NTF,
				self->buffer));
	EXPECT_EQ(0, nl_u32(event, VNPU_A_HEALTH_DEV_ID));
	EXPECT_EQ(VNPU_HEALTH_ALARM, nl_u32(event, VNPU_A_HEALTH_STATE));
	EXPECT_EQ(VNPU_HEALTH_OK, nl_u32(event, VNPU_A_HEALTH_BEFORE));
	EXPECT_EQ(hangs + 1, nl_u64(event, VNPU_A_HEALTH_HANGS));
	EXPECT_EQ(resets, nl_u64(event, VNPU_A_HEALTH_RESETS));
	ASSERT_EQ(0, event_wait(self->events, VNPU_CMD_HANG_NTF, self->buffer));
	EXPECT_EQ(0, nl_u32(event, VNPU_A_HANG_DEV_ID));
	EXPECT_EQ(VNPU_ENGINE_CLASS_VECTOR, nl_u32(event, VNPU_A_HANG_CLASS));
	EXPECT_LT(nl_u32(event, VNPU_A_HANG_ENGINE), 16);
	EXPECT_GE(nl_u64(event, VNPU_A_HANG_TIME_NS), 400000000ULL);
	EXPECT_EQ(self->id, nl_u64(event, VNPU_A_HANG_CLIENT_ID));
	EXPECT_EQ(s->id, nl_u64(event, VNPU_A_HANG_STREAM_ID));
	EXPECT_EQ(s->number, nl_u32(event, VNPU_A_HANG_STREAM_NUMBER));
	EXPECT_EQ(2, nl_u64(event, VNPU_A_HANG_TASK));
	EXPECT_EQ(VNPU_TASK_FILL, nl_u32(event, VNPU_A_HANG_OP));
	ASSERT_EQ(0, event_wait(self->events, VNPU_CMD_HEALTH_NTF,
				self->buffer));
	EXPECT_EQ(VNPU_HEALTH_OK, nl_u32(event, VNPU_A_HEALTH_STATE));
	EXPECT_EQ(VNPU_HEALTH_ALARM, nl_u32(event, VNPU_A_HEALTH_BEFORE));
	EXPECT_EQ(resets + 1, nl_u64(event, VNPU_A_HEALTH_RESETS));
	ASSERT_EQ(0, event_wait(self->events, VNPU_CMD_RESET_NTF,
				self->buffer));
	EXPECT_EQ(VNPU_RESET_REASON_HANG, nl_u32(event, VNPU_A_RESET_REASON));
	EXPECT_EQ(VNPU_HEALTH_OK, nl_u32(event, VNPU_A_RESET_HEALTH));
	EXPECT_EQ(resets + 1, device_figure(0, VNPU_A_DEV_RESETS));
	EXPECT_EQ(hangs + 1, device_figure(0, VNPU_A_DEV_HANGS));
}

/* A task that takes long but makes progress does not hang. */
TEST_F(reset, the_watchdog_distinguishes_slow_from_hung)
{
	__u64 hangs = device_figure(0, VNPU_A_DEV_HANGS);

	/* 16 parts, each of which takes far less than all of them together. */
	ASSERT_EQ(0, param_set("hang_timeout_ms", 2000));
	ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_ENGINE_SLOW, self->id,
			       ANY_CLASS, 0, 150000));
	sleep(2);
	EXPECT_EQ(0, stream_do(&self->s, task_copy(self->va, self->va + MIB(4),
						   MIB(4))));
	EXPECT_EQ(hangs, device_figure(0, VNPU_A_DEV_HANGS));
}

TEST_F(reset, the_watchdog_can_be_off)
{
	__u64 hangs = device_figure(0, VNPU_A_DEV_HANGS);

	ASSERT_EQ(0, param_set("hang_timeout_ms", 0));
	ASSERT_EQ(0, run_hanging(&self->c, &self->s, NOP));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 2500));
	EXPECT_EQ(hangs, device_figure(0, VNPU_A_DEV_HANGS));
	/* The watchdog notices that it is enabled again. */
	ASSERT_EQ(0, param_set("hang_timeout_ms", 100));
	EXPECT_EQ(0, stream_wait(&self->s, 20000));
	EXPECT_EQ(ECONNRESET, self->s.ring->error);
}

TEST_F(reset, a_dump_describes_the_running_work)
{
	char path[PATH_MAX], expected[256];
	struct stream idle;
	ssize_t length;
	int fd;

	if (access(COREDUMPS, F_OK))
		SKIP(return, "the kernel has no device coredumps");
	forget_coredump();
	ASSERT_EQ(0, stream_create(&idle, &self->c, 0));
	ASSERT_EQ(0, stream_do(&self->s, NOP));
	ASSERT_EQ(0, run_hanging(&self->c, &self->s,
				 task_fill(self->va, 64, 1, 1)));
	ASSERT_EQ(0, device_reset(0));
	ASSERT_TRUE(find_coredump(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	length = read(fd, self->buffer, NL_BUFFER - 1);
	close(fd);
	ASSERT_GT(length, 0);
	self->buffer[length] = '\0';
	TH_LOG("%s", (char *)self->buffer);

	EXPECT_EQ(0, strncmp("vnpu version=1 module=", (char *)self->buffer,
			     22));
	EXPECT_NE(NULL, strstr((char *)self->buffer, " reason=admin\n"));
	EXPECT_NE(NULL, strstr((char *)self->buffer, "\ndevice id=0 uuid="));
	EXPECT_NE(NULL, strstr((char *)self->buffer, "\nengine name=copy0 "));
	snprintf(expected, sizeof(expected),
		 " stream=%llu client=%llu task=2 op=%u\n", self->s.id, self->id,
		 VNPU_TASK_FILL);
	EXPECT_NE(NULL, strstr((char *)self->buffer, expected));
	snprintf(expected, sizeof(expected),
		 "\nstream id=%llu client=%llu number=%u state=running class=vector priority=0 task=2 op=%u done=0 tail=2 taken=2 completed=1 ",
		 self->s.id, self->id, self->s.number, VNPU_TASK_FILL);
	EXPECT_NE(NULL, strstr((char *)self->buffer, expected));
	EXPECT_NE(NULL, strstr((char *)self->buffer, " streams=1\n"));
	snprintf(expected, sizeof(expected), "\nstream id=%llu ", idle.id);
	EXPECT_EQ(NULL, strstr((char *)self->buffer, expected));
	forget_coredump();
	EXPECT_FALSE(find_coredump(path));
	stream_destroy(&idle);
}

#define CLIENTS		3
#define STREAMS		2
#define SLOTS		6

/* Shared by the process that resets and those that work. */
struct load {
	__u32 resets;
	__u32 stop;
	__u32 failed[CLIENTS];	/* tasks */
	__u32 rounds[CLIENTS];
};

/*
 * Run one round of a stream, filling each of its slots. Each slot that is not
 * filled is a failed task, and a reset fails at most one task of a stream.
 */
static int work_round(struct load *l, int who, struct stream *s, __u64 va,
		      __u8 value)
{
	__u32 errors = s->ring->errors, bad = 0;
	int i;

	for (i = 0; i < SLOTS; i++)
		stream_put(s, task_fill(va + (__u64)i * MIB(1), MIB(1), value,
					1));
	if (stream_submit(s) || stream_wait(s, 60000))
		return 10;
	for (i = 0; i < SLOTS; i++)
		bad += !is_all(ptr(va + (__u64)i * MIB(1)), value, MIB(1));
	errors = s->ring->errors - errors;
	if (errors && s->ring->error != ECONNRESET)
		return 11;
	if (bad > errors)
		return 12;
	if (s->ring->errors > __atomic_load_n(&l->resets, __ATOMIC_SEQ_CST))
		return 13;
	l->failed[who] += errors;
	return 0;
}

static void work(struct load *l, int who)
{
	struct stream s[STREAMS];
	struct client c;
	__u8 value = 0;
	int i, ret = 0;

	if (client_open_only(&c) ||
	    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE) ||
	    mem_alloc_at(&c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
			 STREAMS * SLOTS * MIB(1), c.base))
		_exit(1);
	for (i = 0; i < STREAMS; i++)
		if (stream_create(&s[i], &c, 0))
			_exit(2);
	while (!__atomic_load_n(&l->stop, __ATOMIC_SEQ_CST)) {
		value++;
		for (i = 0; !ret && i < STREAMS; i++)
			ret = work_round(l, who, &s[i],
					 c.base + (__u64)i * SLOTS * MIB(1),
					 value);
		if (ret)
			_exit(ret);
		l->rounds[who]++;
	}
	_exit(0);
}

/* A process that is killed while it works, again and again. */
static void be_killed(struct rng *r)
{
	pid_t pid = fork_bound();

	if (!pid) {
		static struct load l = { .resets = ~0U };

		work(&l, 0);
	}
	usleep((useconds_t)rng_below(r, 40000));
	kill(pid, SIGKILL);
	child_wait(pid);
}

/* Whether a process has not ended a round, as on a busy machine. */
static bool has_idle(struct load *l)
{
	int i;

	for (i = 0; i < CLIENTS; i++)
		if (!__atomic_load_n(&l->rounds[i], __ATOMIC_RELAXED))
			return true;
	return false;
}

TEST_F_TIMEOUT(reset, under_load, 120)
{
	__u64 end = now_ms() + env_u64("VNPU_RESET_MS", 3000);
	struct rng r = rng_init();
	__u32 failed = 0, rounds = 0;
	pid_t pids[CLIENTS];
	struct load *l;
	int i;

	l = mmap(NULL, sizeof(*l), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)l);
	for (i = 0; i < CLIENTS; i++) {
		pids[i] = fork_bound();
		if (!pids[i])
			work(l, i);
	}
	while (now_ms() < end || has_idle(l)) {
		/* Read this before, since a task may fail at once. */
		__atomic_fetch_add(&l->resets, 1, __ATOMIC_SEQ_CST);
		ASSERT_EQ(0, device_reset(0));
		be_killed(&r);
	}
	__atomic_store_n(&l->stop, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < CLIENTS; i++) {
		EXPECT_EQ(0, child_wait(pids[i]));
		EXPECT_LT(0, l->rounds[i]);
		failed += l->failed[i];
		rounds += l->rounds[i];
	}
	TH_LOG("%u resets, %u rounds, %u tasks failed", l->resets, rounds,
	       failed);
	EXPECT_EQ(0, stream_do(&self->s, NOP));
	EXPECT_EQ(0, self->s.ring->errors);
}

TEST_HARNESS_MAIN
