// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that wait for accesses of other devices to their memory: they have a
 * state of their own, delay no other stream, and can be aborted. The fence
 * belongs to vgem and is not signalled; it would expire after ten seconds.
 */
#define _GNU_SOURCE

#include "../tool/nl_stream.h"

#include "graph.h"
#include "sync.h"
#include "trouble.h"
#include "vgem.h"

#define SIZE	(40 * PAGE)
/* ms within which everything that does not wait for the fence completes. */
#define SOON	5000

/* Objects, from the start of the client's window. */
#define BUFFERS	3
#define OWN	(1 + BUFFERS)

FIXTURE(wait)
{
	FIXTURE_DATA(streams) ask;
	struct client *c;
	struct stream s;
	int vgem;
	int fd[BUFFERS];
	__u32 handle[BUFFERS];
	__u32 id[BUFFERS];
	__u32 fence;	/* fence of the first buffer */
	__u64 *map;	/* handle of the first buffer */
	__u64 start;
};

static __u64 at(FIXTURE_DATA(wait) *self, int i)
{
	return self->c->base + i * MIB(1);
}

static int make_buffer(FIXTURE_DATA(wait) *self, int i)
{
	struct vnpu_mem_import_dmabuf import;
	int ret = vgem_create(self->vgem, SIZE, &self->handle[i]);

	if (ret)
		return ret;
	self->fd[i] = vgem_export(self->vgem, self->handle[i], DRM_RDWR);
	if (self->fd[i] < 0)
		return self->fd[i];
	ret = mem_import_dmabuf(self->c, self->fd[i], &import);
	self->id[i] = import.out_id;
	return ret ?: va_bind(self->c, import.out_id, at(self, i), SIZE, 0);
}

FIXTURE_SETUP(wait)
{
	int i;

	self->c = &self->ask.c;
	self->vgem = vgem_open();
	if (self->vgem < 0)
		SKIP(return, "the kernel has no vgem");
	client_allow_many();
	self->ask.fd = nl_open_family(&self->ask.family);
	ASSERT_LE(0, self->ask.fd);
	ASSERT_EQ(0, client_open(self->c));
	for (i = 0; i < BUFFERS; i++)
		ASSERT_EQ(0, make_buffer(self, i));
	self->map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			 self->fd[0], 0);
	ASSERT_NE(MAP_FAILED, (void *)self->map);
	ASSERT_EQ(0, mem_alloc_at(self->c, 0, 0, 0, SIZE, at(self, OWN)));
	ASSERT_EQ(0, stream_create(&self->s, self->c, 0));
	ASSERT_EQ(0, vgem_fence_attach(self->vgem, self->handle[0],
				       &self->fence));
	self->start = now_ms();
}

FIXTURE_TEARDOWN(wait)
{
	client_close(self->c);
	close(self->ask.fd);
	close(self->vgem);
}

static struct vnpu_task copy_from(FIXTURE_DATA(wait) *self, int i)
{
	return task_copy(at(self, OWN), at(self, i), SIZE);
}

/* Check that the task occupies no engine. */
static int begin(FIXTURE_DATA(wait) *self, struct vnpu_task task)
{
	struct stream_reply t;

	return stream_run(&self->s, task) ?:
	       ask_until(&self->ask, &self->s, VNPU_STREAM_STATE_REMOTE, &t);
}

TEST_F(wait, until_the_fence_is_signalled)
{
	self->map[0] = 0x1234;
	ASSERT_EQ(0, begin(self, copy_from(self, 0)));
	usleep(20000);
	EXPECT_EQ(0, stream_completed(&self->s));
	EXPECT_EQ(0, vgem_fence_signal(self->vgem, self->fence));
	ASSERT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(0, self->s.ring->errors);
	ASSERT_EQ(0, stream_do(&self->s, task_fill(at(self, 0), SIZE, 7, 1)));
	EXPECT_EQ(0x0707070707070707, self->map[SIZE / 8 - 1]);
}

TEST_F(wait, until_it_is_aborted)
{
	__u64 completed;

	ASSERT_EQ(0, begin(self, copy_from(self, 0)));
	ASSERT_EQ(0, stream_abort(&self->s, &completed));
	EXPECT_EQ(1, completed);
	EXPECT_EQ(1, self->s.ring->cancelled);
	EXPECT_EQ(0, stream_do(&self->s, copy_from(self, 1)));
	EXPECT_GT(SOON, now_ms() - self->start);
}

TEST_F(wait, until_its_time_limit)
{
	struct vnpu_task task = copy_from(self, 0);

	task.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, task));
	ASSERT_EQ(0, stream_set(&self->s, VNPU_STREAM_SET_F_TIMEOUT, 0, 0, 50));
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, copy_from(self, 0)));
	EXPECT_EQ(0, stream_do(&self->s, copy_from(self, 1)));
	EXPECT_GT(SOON, now_ms() - self->start);
}

TEST_F(wait, until_the_stream_ends)
{
	ASSERT_EQ(0, begin(self, copy_from(self, 0)));
	EXPECT_EQ(0, stream_destroy(&self->s));
	EXPECT_GT(SOON, now_ms() - self->start);
}

TEST_F(wait, until_its_context_stops)
{
	struct stream a, b;
	__u32 context;

	ASSERT_EQ(0, context_create(self->c, 0, &context));
	ASSERT_EQ(0, stream_create_only(&a, self->c, 0, 0, context, 0));
	ASSERT_EQ(0, stream_create_only(&b, self->c, 0, 0, context, 0));
	ASSERT_EQ(0, stream_map(&a));
	ASSERT_EQ(0, stream_map(&b));
	ASSERT_EQ(0, stream_set(&b, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	ASSERT_EQ(0, stream_run(&a, copy_from(self, 0)));
	EXPECT_EQ(-EINVAL, stream_do(&b, (struct vnpu_task){ .op = 255 }));
	ASSERT_EQ(0, stream_wait(&a, SOON));
	EXPECT_EQ(1, a.ring->cancelled);
	EXPECT_GT(SOON, now_ms() - self->start);
}

/*
 * No fence can stand for such a task: the task fails if a fence is requested,
 * perhaps even before the request notices it.
 */
TEST_F(wait, until_a_fence_is_requested)
{
	int fd;

	ASSERT_EQ(0, begin(self, copy_from(self, 0)));
	fd = sync_export(self->c, self->s.id, 1);
	if (fd < 0) {
		EXPECT_EQ(-EBUSY, fd);
	} else {
		EXPECT_EQ(-EBUSY, sync_wait(fd, SOON));
		close(fd);
	}
	ASSERT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EBUSY, self->s.ring->error);
	EXPECT_GT(SOON, now_ms() - self->start);
}

/* Other streams of the client that use the same memory go on. */
TEST_F(wait, does_not_delay_other_streams)
{
	struct stream s;
	int i;

	ASSERT_EQ(0, begin(self, copy_from(self, 0)));
	ASSERT_EQ(0, stream_create(&s, self->c, 0));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, stream_do(&s, copy_from(self, 1 + i % 2)));
	EXPECT_EQ(0, stream_completed(&self->s));
	EXPECT_GT(SOON, now_ms() - self->start);
}

TEST_F(wait, until_the_process_is_killed)
{
	int pipes[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct vnpu_mem_import_dmabuf i;
		struct stream s[8];
		struct client c;
		int n;

		if (client_open(&c) || mem_import_dmabuf(&c, self->fd[0], &i) ||
		    va_bind(&c, i.out_id, c.base, SIZE, 0))
			_exit(1);
		for (n = 0; n < 8; n++)
			if (stream_create(&s[n], &c, 0) ||
			    stream_run(&s[n], task_fill(c.base, SIZE, 1, 1)))
				_exit(2);
		baton_pass(pipes[1]);
		for (;;)
			pause();
	}
	baton_take(pipes[0]);
	usleep(20000);
	kill(pid, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	EXPECT_GT(SOON, now_ms() - self->start);
}

TEST_F(wait, until_the_device_is_removed)
{
	struct stream s;
	int dev = device_add(MIB(64));

	if (dev < 0)
		SKIP(return, "no room for another device");
	ASSERT_EQ(0, stream_create(&s, self->c, (__u32)dev));
	ASSERT_EQ(0, stream_run(&s, task_fill(at(self, 0), SIZE, 1, 1)));
	usleep(20000);
	self->start = now_ms();
	EXPECT_EQ(0, device_remove((__u32)dev));
	ASSERT_EQ(0, stream_wait(&s, SOON));
	EXPECT_EQ(ENODEV, s.ring->error);
	EXPECT_GT(SOON, now_ms() - self->start);
	EXPECT_EQ(0, stream_destroy(&s));
}

/* A debugger's access takes a lock that the whole process needs. */
TEST_F(wait, debugger_access_does_not_wait)
{
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	__u64 value = 0;

	ASSERT_LE(0, mem);
	EXPECT_EQ(-1, pread(mem, &value, 8, (off_t)at(self, 0)));
	EXPECT_EQ(EIO, errno);
	EXPECT_EQ(-1, pwrite(mem, &value, 8, (off_t)at(self, 0)));
	EXPECT_EQ(EIO, errno);
	/* It also fails at addresses for which it would not have to wait. */
	EXPECT_EQ(-1, pread(mem, &value, 8, (off_t)at(self, 1)));
	EXPECT_EQ(8, pread(mem, &value, 8, (off_t)at(self, OWN)));
	EXPECT_GT(SOON, now_ms() - self->start);
	close(mem);
}

/* The task polls the memory, and only has access during each check. */
TEST_F(wait, while_polling_a_value)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_VALUE_WAIT,
		.src = at(self, 0),
		.arg0 = 5,
		.mode = VNPU_COND_GEQ,
	};

	self->map[0] = 0;
	ASSERT_EQ(0, begin(self, task));
	__atomic_store_n(self->map, 5, __ATOMIC_SEQ_CST);
	usleep(20000);
	EXPECT_EQ(0, stream_completed(&self->s));
	__atomic_store_n(self->map, 4, __ATOMIC_SEQ_CST);
	EXPECT_EQ(0, vgem_fence_signal(self->vgem, self->fence));
	usleep(20000);
	EXPECT_EQ(0, stream_completed(&self->s));
	__atomic_store_n(self->map, 5, __ATOMIC_SEQ_CST);
	ASSERT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(0, self->s.ring->errors);
}

/* The access ends while the graph runs, whose end is not missed. */
TEST_F(wait, not_for_a_graph_with_a_condition)
{
	const struct vnpu_task tasks[1] = {};
	struct graph g;
	int i;

	ASSERT_EQ(0, graph_create_one(&g, self->c, tasks, 1));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, stream_do(&self->s,
				       task_graph_cond(&g, VNPU_GRAPH_IF,
						       VNPU_COND_EQ,
						       at(self, 1), 0)));
	EXPECT_EQ(0, graph_destroy(&g));
}

/*
 * The addresses and the length of a copy are in three buffers, its operands in
 * two.
 */
TEST_F(wait, for_all_buffers_of_an_indirect_copy)
{
	const __u64 dst = at(self, 2) + PAGE, src = at(self, 1) + PAGE;
	const __u64 length = 2 * PAGE;
	__u64 bytes[2 * PAGE / 8];
	struct stream *s = &self->s;
	int i;

	EXPECT_EQ(0, vgem_fence_signal(self->vgem, self->fence));
	ASSERT_EQ(0, stream_do(s, task_fill(src, length, 0x42, 1)));
	ASSERT_EQ(0, copy(self->c, at(self, 0), addr(&dst), 8));
	ASSERT_EQ(0, copy(self->c, at(self, 1), addr(&src), 8));
	ASSERT_EQ(0, copy(self->c, at(self, 2), addr(&length), 8));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, stream_do(s, task_fill(dst, length, i, 1)));
		ASSERT_EQ(0, stream_do(s, (struct vnpu_task){
			.op = VNPU_TASK_COPY_INDIRECT,
			.dst = at(self, 0),
			.src = at(self, 1),
			.arg2 = at(self, 2),
		}));
		ASSERT_EQ(0, copy(self->c, addr(bytes), dst, length));
		EXPECT_EQ(0x4242424242424242, bytes[0]);
		EXPECT_EQ(0x4242424242424242, bytes[length / 8 - 1]);
	}
}

/*
 * Tasks that fail after they have begun access to some buffers end that access.
 */
TEST_F(wait, failure_ends_all_accesses)
{
	struct vnpu_stream_query q;

	EXPECT_EQ(0, vgem_fence_signal(self->vgem, self->fence));
	EXPECT_EQ(-EFAULT, stream_do(&self->s, task_fill(at(self, 0), SIZE + 1,
							 1, 1)));
	EXPECT_EQ(0x0101010101010101, self->map[0]);
	ASSERT_EQ(0, stream_query(&self->s, &q));
	EXPECT_EQ(at(self, 0) + SIZE, q.out_error_addr);
	ASSERT_EQ(0, va_unbind(self->c, at(self, 0), 0));
	ASSERT_EQ(0, mem_free(self->c, self->id[0]));
	EXPECT_EQ(-EFAULT, stream_do(&self->s, copy_from(self, 0)));
}

TEST_HARNESS_MAIN
