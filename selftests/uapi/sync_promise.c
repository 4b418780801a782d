// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exported sync_files are always signalled: a fence that might not be is
 * refused, time is limited, and neither a dead process nor the end of the
 * module leaves waiters behind.
 */
#include "sync_gate.h"

#include <sys/syscall.h>

#include "../tool/nl.h"
#include "pass.h"

#define MANY_FENCES	200

/* Each on a stream of its own, as the running task and as a later one. */
static void refuse(struct __test_metadata *_metadata,
		   FIXTURE_DATA(sync) * self, struct vnpu_task task,
		   const char *what)
{
	struct stream s;

	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	ASSERT_EQ(0, stream_run(&s, task));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&s, 20));
	ASSERT_EQ(0, stream_run(&s, (struct vnpu_task){ }));
	EXPECT_EQ(-EBUSY, sync_export(&self->c, s.id, 1)) {
		TH_LOG("%s runs", what);
	}
	EXPECT_EQ(-EBUSY, sync_export(&self->c, s.id, 2)) {
		TH_LOG("%s before", what);
	}
	ASSERT_EQ(0, stream_destroy(&s));

	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	ASSERT_EQ(0, shut(self, &s));
	ASSERT_EQ(0, stream_run(&s, task));
	ASSERT_EQ(0, stream_run(&s, (struct vnpu_task){ }));
	EXPECT_EQ(-EBUSY, sync_export(&self->c, s.id, 3)) {
		TH_LOG("%s later", what);
	}
	/* Only earlier tasks count. */
	self->fd = sync_export(&self->c, s.id, 1);
	EXPECT_EQ(0, sync_status(self->fd));
	close(self->fd);
	/* Transitive waits count as well. */
	ASSERT_EQ(0, stream_run(&self->b, task_wait(s.id, 3)));
	EXPECT_EQ(-EBUSY, sync_export(&self->c, self->b.id, self->b.last)) {
		TH_LOG("%s elsewhere", what);
	}
	ASSERT_EQ(0, stream_destroy(&s));
}

TEST_F(sync, an_unbounded_wait_is_refused)
{
	struct client other;
	struct stream foreign;
	__u64 imported;
	__u32 kind;
	int fd;

	refuse(_metadata, self, task_wait(self->id, 1), "timeline");
	refuse(_metadata, self, (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WAIT, .src = self->va, .arg0 = 1,
		.mode = VNPU_COND_EQ,
	}, "value");
	refuse(_metadata, self, (struct vnpu_task){
		.op = VNPU_TASK_COUNTER_WAIT, .src = self->counter,
		.arg0 = 1, .mode = VNPU_COND_EQ,
	}, "counter");
	refuse(_metadata, self, task_wait(self->gate_id, 2), "beyond a fence");
	/* It is not submitted, though it may be later. */
	refuse(_metadata, self, task_wait(self->a.id, 100), "future");

	ASSERT_EQ(0, client_open_only(&other));
	ASSERT_EQ(0, stream_create(&foreign, &other, 0));
	fd = timeline_export(&other, foreign.id, 1);
	ASSERT_EQ(0, timeline_import(&self->c, fd, &imported, &kind));
	refuse(_metadata, self, task_wait(imported, 1), "foreign stream");
	close(fd);
	ASSERT_EQ(0, stream_do(&foreign, (struct vnpu_task){ }));
	ASSERT_EQ(0, stream_do(&self->a, task_wait(imported, 1)));
	ASSERT_EQ(0, export_last(self, &self->a));
	EXPECT_EQ(1, sync_status(self->fd));
	stream_destroy(&foreign);
	client_close(&other);
}

TEST_F(sync, an_unsubmitted_task_is_refused)
{
	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, stream_run(&self->a, task_wait(self->gate_id + 1, 1)));
	EXPECT_EQ(-EBUSY, export_last(self, &self->a));
	/* A destroyed stream is not waited for. */
	ASSERT_EQ(0, shut(self, &self->b));
	ASSERT_EQ(0, stream_run(&self->b, task_wait(self->id, 1)));
	EXPECT_EQ(-EBUSY, export_last(self, &self->b));
	ASSERT_EQ(0, timeline_destroy(&self->c, self->id));
	ASSERT_EQ(0, export_last(self, &self->b));
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(1, sync_wait(self->fd, 20000));
}

/*
 * More fences than are signalled in one turn, each with the error of its task.
 */
TEST_F(sync, many_fences_and_a_failing_task)
{
	int fds[3][MANY_FENCES], i, task;

	ASSERT_EQ(0, shut(self, &self->a));
	stream_put(&self->a, task_wait(self->gate_id, 1));
	stream_put(&self->a, task_fill(self->va + GIB(1), 8, 0, 8));
	stream_put(&self->a, task_wait(self->gate_id, 1));
	stream_put(&self->a, task_fill(self->va + GIB(1), 8, 0, 8));
	ASSERT_EQ(0, stream_submit(&self->a));
	for (i = 0; i < MANY_FENCES; i++)
		for (task = 0; task < 3; task++) {
			fds[task][i] = sync_export(&self->c, self->a.id,
						   2 + task);
			ASSERT_LE(0, fds[task][i]);
		}
	ASSERT_EQ(0, gate_open(&self->gate));
	for (i = 0; i < MANY_FENCES; i++) {
		EXPECT_EQ(1, sync_wait(fds[0][i], 20000));
		EXPECT_EQ(-EFAULT, sync_wait(fds[1][i], 20000));
		EXPECT_EQ(-EFAULT, sync_wait(fds[2][i], 20000));
	}
	for (i = 0; i < MANY_FENCES; i++)
		for (task = 0; task < 3; task++)
			close(fds[task][i]);
	EXPECT_EQ(0, stream_wait(&self->a, 20000));
	EXPECT_EQ(2, self->a.ring->errors);
}

/* A stream of this process, and its state. */
struct whereabouts {
	__u64 id;
	__u32 state;
};

static int take_state(const struct nlmsghdr *head, void *arg)
{
	struct whereabouts *w = arg;

	if (nl_u32(head, VNPU_A_STREAM_PID) == (__u32)getpid() &&
	    nl_u64(head, VNPU_A_STREAM_ID) == w->id)
		w->state = nl_u32(head, VNPU_A_STREAM_STATE);
	return 0;
}

/* Wait until its task waits, and its timelines have been looked up. */
static int until_blocked(const struct stream *s)
{
	struct whereabouts w = { .id = s->id };
	int family, fd = nl_open_family(&family), ret;

	do {
		ret = nl_dump(fd, family, VNPU_CMD_STREAM_GET, take_state, &w);
	} while ((ret >= 0 || ret == -EINTR) &&
		 w.state != VNPU_STREAM_STATE_BLOCKED && !usleep(1000));
	close(fd);
	return w.state == VNPU_STREAM_STATE_BLOCKED ? 0 : ret;
}

/* Without its id, the timeline exists as long as its file. */
TEST_F(sync, a_waited_for_timeline_outlives_its_id)
{
	__u64 id;
	__u32 kind;
	int fd;

	fd = timeline_export(&self->c, self->id, 1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stream_run(&self->a, task_wait(self->id, 1)));
	ASSERT_EQ(0, until_blocked(&self->a));
	ASSERT_EQ(0, timeline_destroy(&self->c, self->id));
	EXPECT_EQ(-EBUSY, export_last(self, &self->a));
	/* Also if the wait was latched, and behind the waiting stream. */
	EXPECT_EQ(-EBUSY, export_last(self, &self->a));
	ASSERT_EQ(0, stream_run(&self->b, task_wait(self->a.id, 1)));
	EXPECT_EQ(-EBUSY, export_last(self, &self->b));

	ASSERT_EQ(0, timeline_import(&self->c, fd, &id, &kind));
	close(fd);
	ASSERT_EQ(0, timeline_signal(&self->c, id, 1, VNPU_SIGNAL_ADVANCE));
	EXPECT_EQ(0, stream_wait(&self->b, 20000));
	EXPECT_EQ(0, self->a.ring->errors);
	EXPECT_EQ(0, self->b.ring->errors);
}

/*
 * Submit tasks that wait for a destroyed timeline as soon as a value is
 * written.
 */
static __u64 put_what_is_gone(FIXTURE_DATA(sync) * self, __u64 value)
{
	__u64 first = stream_put(&self->a, (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WAIT, .src = self->va, .arg0 = value,
		.mode = VNPU_COND_EQ });
	int i;

	for (i = 0; i < 500; i++)
		stream_put(&self->a, task_wait(self->id, 1));
	return first;
}

/* They are latched first, so that an engine runs them all the while. */
TEST_F_TIMEOUT(sync, latched_tasks_run_during_the_check, 120)
{
	__u64 end = now_ms() + 2000, first, round = 0;

	ASSERT_EQ(0, put_text(TIMEOUT_MS, "60000"));
	ASSERT_EQ(0, timeline_destroy(&self->c, self->id));
	do {
		first = put_what_is_gone(self, ++round);
		ASSERT_EQ(0, stream_submit(&self->a));
		ASSERT_EQ(-EBUSY, export_last(self, &self->a));
		ASSERT_EQ(0, stream_run(&self->b, (struct vnpu_task){
			.op = VNPU_TASK_VALUE_WRITE, .dst = self->va,
			.arg0 = round, .mode = 8 }));
		ASSERT_EQ(0, wait_point(&self->c, self->a.id, first,
					NO_TIMEOUT));
		ASSERT_EQ(0, export_last(self, &self->a));
		EXPECT_EQ(1, sync_wait(self->fd, 60000));
		close(self->fd);
		self->fd = -1;
		ASSERT_EQ(0, self->a.ring->errors);
	} while (round < 200 && now_ms() < end);
}

/* Even if its task is submitted and waits for a sync_file only. */
TEST_F(sync, a_wait_for_another_stream_is_refused)
{
	__u64 id;

	ASSERT_EQ(0, shut(self, &self->a));
	refuse(_metadata, self, task_wait(self->a.id, self->a.last), "stream");
	ASSERT_EQ(0, stream_wait(&self->b, 20000));
	/* A sync_file of that stream may be waited for instead. */
	ASSERT_EQ(0, export_last(self, &self->a));
	ASSERT_EQ(0, sync_import(&self->c, self->fd, &id));
	close(self->fd);
	ASSERT_EQ(0, stream_run(&self->b, task_wait(id, 1)));
	ASSERT_EQ(0, export_last(self, &self->b));
	EXPECT_EQ(0, sync_status(self->fd));
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(1, sync_wait(self->fd, 20000));
	close(self->fd);
	/* A wait for a completed task does not count. */
	ASSERT_EQ(0, stream_run(&self->b, task_wait(self->a.id, self->a.last)));
	ASSERT_EQ(0, export_last(self, &self->b));
	EXPECT_EQ(1, sync_wait(self->fd, 20000));
	EXPECT_EQ(0, self->b.ring->errors);
}

TEST_F(sync, streams_that_wait_for_each_other)
{
	__u64 i;

	/* In turns: b waits for a's tasks, and a for b's. */
	ASSERT_EQ(0, shut(self, &self->a));
	for (i = 1; i <= 500; i++) {
		stream_put(&self->b, task_wait(self->a.id, i));
		stream_put(&self->a, task_wait(self->b.id, i));
	}
	ASSERT_EQ(0, stream_submit(&self->b));
	ASSERT_EQ(0, stream_submit(&self->a));
	EXPECT_EQ(-EBUSY, export_last(self, &self->a));
	EXPECT_EQ(-EBUSY, export_last(self, &self->b));
	/* The latched tasks run all the same. */
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));
	EXPECT_EQ(0, self->a.ring->errors);
	EXPECT_EQ(0, self->b.ring->errors);
	ASSERT_EQ(0, export_last(self, &self->a));
	EXPECT_EQ(1, sync_status(self->fd));
	/* Each waits for the other's next task. */
	i = self->a.last + 1;
	ASSERT_EQ(0, stream_run(&self->a, task_wait(self->b.id,
						    self->b.last + 1)));
	ASSERT_EQ(0, stream_run(&self->b, task_wait(self->a.id, i)));
	EXPECT_EQ(-EBUSY, sync_export(&self->c, self->a.id, self->a.last));
	EXPECT_EQ(-EBUSY, sync_export(&self->c, self->b.id, self->b.last));
}

TEST_F(sync, latched_tasks_cannot_be_changed)
{
	__u64 i, last;

	ASSERT_EQ(0, shut(self, &self->a));
	for (i = 0; i < 100; i++)
		stream_put(&self->a, task_fill(self->va + 8 * i, 8, 1 + i, 8));
	ASSERT_EQ(0, stream_submit(&self->a));
	ASSERT_EQ(0, export_last(self, &self->a));
	last = self->a.last;
	memset(self->a.slots, 0xff, self->a.tasks * sizeof(*self->a.slots));
	self->a.ring->tail = 3;
	stream_doorbell(&self->a);
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(1, sync_wait(self->fd, 20000));
	EXPECT_EQ(last, self->a.ring->completed);
	EXPECT_EQ(0, self->a.ring->errors);
	for (i = 0; i < 100; i++)
		EXPECT_EQ(1 + i, self->mem[i]);
	/* The tail is checked after that. */
	EXPECT_EQ(-EIO, wait_point(&self->c, self->a.id, last + 1,
				   in_ms(20000)));
}

TEST_F(sync, dma_bufs_of_other_drivers_are_refused)
{
	struct vnpu_mem_import_dmabuf i;
	__u64 va = self->va + SIZE;

	ASSERT_EQ(0, mem_import_dmabuf(&self->c, self->gate.dmabuf, &i));
	ASSERT_EQ(0, va_bind(&self->c, i.out_id, va, i.out_length, 0));
	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, stream_run(&self->a, task_copy(self->va, va, 8)));
	EXPECT_EQ(-EBUSY, export_last(self, &self->a));
	ASSERT_EQ(0, stream_abort(&self->a, NULL));
	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, stream_run(&self->a, task_fill(va - 8, 16, 1, 8)));
	EXPECT_EQ(-EBUSY, export_last(self, &self->a));
	ASSERT_EQ(0, stream_abort(&self->a, NULL));

	/* A dma-buf that is bound later makes the task fail. */
	ASSERT_EQ(0, va_unbind(&self->c, va, 0));
	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, stream_run(&self->a, task_fill(va, 16, 1, 8)));
	ASSERT_EQ(0, export_last(self, &self->a));
	ASSERT_EQ(0, va_bind(&self->c, i.out_id, va, i.out_length, 0));
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(-EBUSY, sync_wait(self->fd, 20000));
	EXPECT_EQ(EBUSY, self->a.ring->error);
}

/* Each address of an indirect copy, and the memory at these addresses. */
TEST_F(sync, indirect_copies_with_dma_bufs_are_refused)
{
	struct vnpu_mem_import_dmabuf i;
	__u64 va = self->va, shared = va + SIZE;
	const __u64 at[][3] = {
		{ shared, va, va }, { va, shared, va }, { va, va, shared },
	};
	int k;

	ASSERT_EQ(0, mem_import_dmabuf(&self->c, self->gate.dmabuf, &i));
	ASSERT_EQ(0, va_bind(&self->c, i.out_id, shared, i.out_length, 0));
	for (k = 0; k < 3; k++) {
		ASSERT_EQ(0, shut(self, &self->a));
		ASSERT_EQ(0, stream_run(&self->a, (struct vnpu_task){
			.op = VNPU_TASK_COPY_INDIRECT, .dst = at[k][0],
			.src = at[k][1], .arg2 = at[k][2] }));
		EXPECT_EQ(-EBUSY, export_last(self, &self->a))
			TH_LOG("address %d", k);
		ASSERT_EQ(0, stream_abort(&self->a, NULL));
	}

	self->mem[0] = va + 64;
	self->mem[1] = shared;
	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, stream_run(&self->a, (struct vnpu_task){
		.op = VNPU_TASK_COPY_INDIRECT, .dst = va, .src = va + 8,
		.length = 8 }));
	ASSERT_EQ(0, export_last(self, &self->a));
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(-EBUSY, sync_wait(self->fd, 20000));
	EXPECT_EQ(EBUSY, self->a.ring->error);
}

TEST_F(sync, time_is_limited)
{
	ASSERT_EQ(0, put_text(TIMEOUT_MS, "50"));
	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, export_last(self, &self->a));
	EXPECT_EQ(-ETIMEDOUT, sync_wait(self->fd, 20000));
	/* The task is not affected. */
	EXPECT_EQ(0, self->a.ring->completed);
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));
	EXPECT_EQ(0, self->a.ring->errors);
	EXPECT_EQ(-ETIMEDOUT, sync_status(self->fd));
}

static void export_in_child(int socket, int gate)
{
	struct client c;
	struct stream s;
	__u64 id;

	if (client_open_only(&c) || stream_create(&s, &c, 0) ||
	    sync_import(&c, gate, &id) || stream_run(&s, task_wait(id, 1)))
		_exit(1);
	if (file_send(socket, sync_export(&c, s.id, 1)))
		_exit(124);
	pause();
}

TEST_F(sync, kill_signals)
{
	int sockets[2], fd;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid)
		export_in_child(sockets[1], self->gate.fd);
	fd = file_receive(sockets[0]);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, sync_status(fd));
	kill(pid, SIGKILL);
	EXPECT_EQ(-ECANCELED, sync_wait(fd, 20000));
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	close(fd);
	close(sockets[0]);
	close(sockets[1]);
}

static int module_refs(void)
{
	char text[16] = "";
	int fd = open("/sys/module/vnpu/refcnt", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	return n > 0 ? atoi(text) : -1;
}

TEST_F(sync, the_module_stays_while_a_fence_does)
{
	int i;

	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, export_last(self, &self->a));
	munmap(self->a.ring, self->a.map_size);
	munmap(self->b.ring, self->b.map_size);
	self->a.ring = NULL;
	self->b.ring = NULL;
	client_close(&self->c);
	EXPECT_EQ(-ECANCELED, sync_wait(self->fd, 20000));
	EXPECT_EQ(1, module_refs());
	EXPECT_EQ(-1, syscall(SYS_delete_module, "vnpu", O_NONBLOCK));
	EXPECT_EQ(EAGAIN, errno);
	close(self->fd);
	self->fd = -1;
	for (i = 0; i < 500 && module_refs(); i++)
		usleep(10000);
	EXPECT_EQ(0, module_refs());
}

TEST_HARNESS_MAIN
