// SPDX-License-Identifier: GPL-2.0-only
/* sync_files: of tasks, for other drivers; and of other drivers, for tasks. */
#include "sync_gate.h"

#include <pthread.h>

TEST_F(sync, a_completed_task_is_signalled)
{
	ASSERT_EQ(0, stream_do(&self->a, task_fill(self->va, 8, 1, 8)));
	ASSERT_EQ(0, export_last(self, &self->a));
	EXPECT_EQ(1, sync_status(self->fd));
	close(self->fd);
	self->fd = sync_export(&self->c, self->b.id, 0);
	EXPECT_EQ(1, sync_status(self->fd));
	close(self->fd);
	/* A known error is reported. */
	ASSERT_EQ(-EFAULT, stream_do(&self->a, task_fill(self->va + GIB(1), 8,
							 1, 8)));
	ASSERT_EQ(0, export_last(self, &self->a));
	EXPECT_EQ(-EFAULT, sync_status(self->fd));
}

/* A late caller gets an error if all tasks since then have failed. */
TEST_F(sync, a_failed_task_is_reported)
{
	int i;

	ASSERT_EQ(0, stream_do(&self->a, (struct vnpu_task){ }));
	for (i = 0; i < 10; i++)
		stream_put(&self->a, task_wait(self->id, 1));
	ASSERT_EQ(0, stream_submit(&self->a));
	ASSERT_EQ(0, stream_abort(&self->a, NULL));
	for (i = 1; i <= 11; i++) {
		self->fd = sync_export(&self->c, self->a.id, i);
		EXPECT_EQ(i == 1 ? 1 : -ECANCELED, sync_status(self->fd)) {
			TH_LOG("task %d", i);
		}
		close(self->fd);
	}
	/* Later successful tasks make no difference. */
	ASSERT_EQ(0, stream_do(&self->a, (struct vnpu_task){ }));
	self->fd = sync_export(&self->c, self->a.id, 2);
	EXPECT_EQ(-ECANCELED, sync_status(self->fd));
	close(self->fd);
	ASSERT_EQ(0, export_last(self, &self->a));
	EXPECT_EQ(1, sync_status(self->fd));
}

TEST_F(sync, poll_waits_for_the_task)
{
	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, stream_run(&self->a, task_fill(self->va, 8, 7, 8)));
	ASSERT_EQ(0, export_last(self, &self->a));
	EXPECT_EQ(0, sync_wait(self->fd, 50));
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(1, sync_wait(self->fd, 20000));
	EXPECT_EQ(7, self->mem[0]);
}

TEST_F(sync, info_and_merge)
{
	struct sync_fence_info fences[4] = { };
	struct sync_file_info i = {
		.num_fences = 4,
		.sync_fence_info = addr(fences),
	};
	char name[32];
	int other, both;

	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, shut(self, &self->b));
	ASSERT_EQ(0, export_last(self, &self->a));
	other = sync_export(&self->c, self->b.id, 1);
	ASSERT_LE(0, other);
	both = sync_merge(self->fd, other);
	ASSERT_LE(0, both);
	close(other);
	ASSERT_EQ(0, ioctl(both, SYNC_IOC_FILE_INFO, &i));
	EXPECT_EQ(2, i.num_fences);
	EXPECT_EQ(0, i.status);
	EXPECT_STREQ("both", i.name);
	EXPECT_STREQ("vnpu", fences[0].driver_name);
	snprintf(name, sizeof(name), "vnpu0-stream%u", self->a.number);
	EXPECT_TRUE(!strcmp(name, fences[0].obj_name) ||
		    !strcmp(name, fences[1].obj_name));
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(1, sync_wait(both, 20000));
	EXPECT_EQ(1, sync_status(self->fd));
	close(both);
	/* A later task of the same stream implies the earlier one. */
	both = sync_merge(self->fd, self->fd);
	EXPECT_EQ(1, sync_status(both));
	close(both);
}

TEST_F(sync, errors_are_those_of_the_tasks)
{
	int first, second;

	ASSERT_EQ(0, shut(self, &self->a));
	first = sync_export(&self->c, self->a.id, 1);
	ASSERT_LE(0, first);
	stream_put(&self->a, task_fill(self->va + GIB(1), 8, 1, 8));
	stream_put(&self->a, task_fill(self->va, 8, 1, 8));
	second = self->a.last;
	stream_put(&self->a, task_wait(self->a.id, 100));
	ASSERT_EQ(0, stream_submit(&self->a));
	ASSERT_EQ(0, export_last(self, &self->a));
	second = sync_export(&self->c, self->a.id, second);
	ASSERT_LE(0, second);
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(-EINVAL, sync_wait(self->fd, 20000));
	EXPECT_EQ(-EFAULT, sync_wait(second, 20000));
	EXPECT_EQ(1, sync_wait(first, 20000));
	EXPECT_EQ(EINVAL, self->a.ring->error);
	close(first);
	close(second);
}

TEST_F(sync, end_of_a_stream_is_reported)
{
	int other;

	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, shut(self, &self->b));
	ASSERT_EQ(0, export_last(self, &self->a));
	other = sync_export(&self->c, self->b.id, 1);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, stream_abort(&self->a, NULL));
	EXPECT_EQ(-ECANCELED, sync_wait(self->fd, 20000));
	EXPECT_EQ(0, sync_status(other));
	ASSERT_EQ(0, stream_destroy(&self->b));
	EXPECT_EQ(-ECANCELED, sync_status(other));
	close(other);
	/* A destroyed stream counts as complete. */
	other = sync_export(&self->c, self->b.id, 77);
	EXPECT_EQ(1, sync_status(other));
	close(other);
}

TEST_F(sync, invalid_values_and_ids)
{
	struct client *c = &self->c;
	struct stream none;

	EXPECT_EQ(-EINVAL, sync_export(c, self->a.id, 1));
	EXPECT_EQ(-EINVAL, sync_export(c, self->a.id, ~0ULL));
	EXPECT_EQ(-ENOENT, sync_export(c, 0, 1));
	EXPECT_EQ(-ENOENT, sync_export(c, 1000000, 1));
	EXPECT_EQ(-EINVAL, sync_export(c, self->counter, 0));
	EXPECT_EQ(-EBUSY, sync_export(c, self->id, 1));
	EXPECT_EQ(-EBUSY, sync_export(c, self->gate_id, 1));
	ASSERT_EQ(0, timeline_signal(c, self->id, 1, 0));
	self->fd = sync_export(c, self->id, 1);
	EXPECT_EQ(1, sync_status(self->fd));
	ASSERT_EQ(0, stream_create_only(&none, c, 0, 0, 0, 0));
	EXPECT_EQ(-EINVAL, sync_export(c, none.id, 1));
	/*
	 * An invalid tail is not a submission. Another stream is used, as
	 * engines may still look at the first.
	 */
	self->b.ring->tail = 5000;
	EXPECT_EQ(-EINVAL, sync_export(c, self->b.id, 4000));
	stream_doorbell(&self->b);
	EXPECT_EQ(-EIO, wait_point(c, self->b.id, 1, in_ms(20000)));
	EXPECT_EQ(-EIO, sync_export(c, self->b.id, 1));
}

TEST_F(sync, all_kinds_of_work)
{
	__u64 va = self->va, fence;
	__u32 id;

	/* Memory of several objects, with host mappings. */
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, SIZE,
			       &id));
	ASSERT_EQ(0, va_bind(&self->c, id, va + SIZE, SIZE, 0));
	ASSERT_EQ(0, shut(self, &self->a));
	stream_put(&self->a, task_fill(va, SIZE, 0x11, 1));
	stream_put(&self->a, task_copy(va + SIZE, va, SIZE));
	stream_put(&self->a, task_copy(va + 8, va + SIZE / 2, SIZE));
	stream_put(&self->a, (struct vnpu_task){
		.op = VNPU_TASK_FILL_2D, .dst = va, .length = 64, .arg0 = 5,
		.arg1 = 100, .arg2 = PAGE, .mode = 8 });
	stream_put(&self->a, (struct vnpu_task){
		.op = VNPU_TASK_COPY_2D, .dst = va + SIZE, .src = va,
		.length = 64, .arg0 = 100, .arg1 = PAGE, .arg2 = PAGE });
	stream_put(&self->a, (struct vnpu_task){
		.op = VNPU_TASK_TIMESTAMP, .dst = va + 64, .arg0 = 1 });
	stream_put(&self->a, (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WRITE, .dst = va + 128, .arg0 = 9,
		.mode = 8 });
	stream_put(&self->a, (struct vnpu_task){
		.op = VNPU_TASK_RANDOM, .dst = va + SIZE + MIB(1),
		.length = KIB(64),
		.mode = VNPU_RANDOM(VNPU_RANDOM_NORMAL, VNPU_TYPE_FP32),
		.arg2 = 0x3f800000 });
	stream_put(&self->a, (struct vnpu_task){
		.op = VNPU_TASK_REDUCE, .dst = va + MIB(2), .src = va + MIB(3),
		.length = KIB(64),
		.mode = VNPU_REDUCE(VNPU_REDUCE_SUM, VNPU_TYPE_FP32) });
	stream_put(&self->a, task_signal(self->id, 4, 0));
	ASSERT_EQ(0, stream_submit(&self->a));
	ASSERT_EQ(0, export_last(self, &self->a));
	ASSERT_EQ(0, sync_import(&self->c, self->fd, &fence));
	close(self->fd);
	stream_put(&self->b, task_wait(fence, 1));
	stream_put(&self->b, task_copy(va + 256, va + 128, 8));
	ASSERT_EQ(0, stream_submit(&self->b));
	ASSERT_EQ(0, export_last(self, &self->b));
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(1, sync_wait(self->fd, 30000));
	EXPECT_EQ(0, self->a.ring->errors);
	EXPECT_EQ(5, self->mem[SIZE / 8]);
	EXPECT_EQ(9, self->mem[32]);
	EXPECT_EQ(0, wait_point(&self->c, self->id, 4, 0));
}

TEST_F(sync, memory_is_freed_while_it_runs)
{
	__u64 va = self->va + SIZE;
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, SIZE, va));
		stream_put(&self->a, task_fill(va, SIZE, 1, 1));
		stream_put(&self->a, task_copy(self->va, va, SIZE));
		ASSERT_EQ(0, stream_submit(&self->a));
		ASSERT_EQ(0, export_last(self, &self->a));
		ASSERT_EQ(0, va_unbind(&self->c, va, 0));
		EXPECT_NE(0, sync_wait(self->fd, 20000));
		close(self->fd);
	}
	self->fd = -1;
}

struct submitter {
	struct stream *s;
	__u64 va;
	bool stop;
};

static void *submit_all(void *arg)
{
	struct submitter *b = arg;

	while (!__atomic_load_n(&b->stop, __ATOMIC_RELAXED)) {
		/* A chain that shows each task that is lost, or run twice. */
		stream_put(b->s, task_copy(b->va + 8, b->va, 8));
		stream_put(b->s, task_fill(b->va, 8, b->s->last, 8));
		if (stream_submit(b->s))
			return (void *)1;
	}
	return NULL;
}

TEST_F_TIMEOUT(sync, export_while_the_stream_runs, 300)
{
	struct submitter b = { .s = &self->a, .va = self->va };
	__u64 until = now_ms() + 3000;
	pthread_t thread;
	void *result;
	int i;

	/* For a full ring, on a machine under load. */
	ASSERT_EQ(0, put_text(TIMEOUT_MS, "60000"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, submit_all, &b));
	for (i = 0; now_ms() < until; i++) {
		__u64 tail = __atomic_load_n(&self->a.ring->tail,
					     __ATOMIC_ACQUIRE);

		self->fd = sync_export(&self->c, self->a.id, tail);
		ASSERT_LE(0, self->fd);
		if (i % 2)
			EXPECT_EQ(1, sync_wait(self->fd, 70000));
		close(self->fd);
	}
	self->fd = -1;
	__atomic_store_n(&b.stop, true, __ATOMIC_RELAXED);
	ASSERT_EQ(0, pthread_join(thread, &result));
	EXPECT_EQ(NULL, result);
	printf("# %d exports, %llu tasks\n", i, self->a.last);
	fflush(stdout);
	ASSERT_EQ(0, stream_wait(&self->a, 70000));
	EXPECT_EQ(0, self->a.ring->errors);
	EXPECT_EQ(self->a.last - 1, self->mem[0]);
	EXPECT_EQ(self->a.last - 3, self->mem[1]);
}

TEST_F(sync, import_is_a_timeline)
{
	struct client *c = &self->c;
	__u64 value, id;
	__u32 kind;
	int fd;

	ASSERT_EQ(0, timeline_value(c, self->gate_id, &value));
	EXPECT_EQ(0, value);
	EXPECT_EQ(-EACCES, timeline_signal(c, self->gate_id, 1, 0));
	EXPECT_EQ(-ETIMEDOUT, wait_point(c, self->gate_id, 1, in_ms(20)));
	fd = timeline_export(c, self->gate_id, 1);
	ASSERT_EQ(0, timeline_import(c, fd, &id, &kind));
	EXPECT_EQ(VNPU_TIMELINE_KIND_FENCE, kind);
	close(fd);
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(0, wait_point(c, self->gate_id, 1, in_ms(20000)));
	EXPECT_EQ(0, wait_point(c, id, 1, in_ms(20000)));
	ASSERT_EQ(0, timeline_value(c, self->gate_id, &value));
	EXPECT_EQ(1, value);
	EXPECT_EQ(-ETIMEDOUT, wait_point(c, self->gate_id, 2, 0));
	/* One that is already signalled. */
	ASSERT_EQ(0, sync_import(c, self->gate.fd, &id));
	EXPECT_EQ(0, wait_point(c, id, 1, 0));
	EXPECT_EQ(0, timeline_destroy(c, id));
	EXPECT_EQ(-EBADF, sync_import(c, -1, &id));
	EXPECT_EQ(-EBADF, sync_import(c, 999, &id));
	EXPECT_EQ(-EINVAL, sync_import(c, c->fd, &id));
	EXPECT_EQ(-EINVAL, sync_import(c, self->gate.dmabuf, &id));
}

TEST_F(sync, destroying_an_import_ends_the_wait)
{
	ASSERT_EQ(0, shut(self, &self->a));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->a, 20));
	ASSERT_EQ(0, timeline_destroy(&self->c, self->gate_id));
	EXPECT_EQ(0, stream_wait(&self->a, 20000));
	EXPECT_EQ(0, self->a.ring->errors);
}

TEST_F(sync, import_of_our_own)
{
	__u64 id, bad;
	int fd;

	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, export_last(self, &self->a));
	ASSERT_EQ(0, sync_import(&self->c, self->fd, &id));
	ASSERT_EQ(0, stream_run(&self->b, task_wait(id, 1)));
	/* From fence to fence. */
	fd = sync_export(&self->c, self->b.id, self->b.last);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, sync_import(&self->c, fd, &bad));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->b, 20));
	ASSERT_EQ(0, stream_abort(&self->a, NULL));
	/* Errors are propagated. */
	EXPECT_EQ(-EIO, wait_point(&self->c, id, 1, in_ms(20000)));
	EXPECT_EQ(0, stream_wait(&self->b, 20000));
	EXPECT_EQ(EIO, self->b.ring->error);
	EXPECT_EQ(-EIO, sync_wait(fd, 20000));
	EXPECT_EQ(-EIO, wait_point(&self->c, bad, 1, in_ms(20000)));
	EXPECT_EQ(-EIO, sync_export(&self->c, bad, 1));
	close(fd);
}

static int wait_in_child(int fd, int ready)
{
	struct client c;
	struct stream s;
	__u64 id;

	if (client_open_only(&c) || stream_create(&s, &c, 0) ||
	    sync_import(&c, fd, &id))
		return 1;
	if (wait_point(&c, id, 1, in_ms(20)) != -ETIMEDOUT)
		return 2;
	stream_put(&s, task_wait(id, 1));
	if (stream_submit(&s))
		return 3;
	baton_pass(ready);
	return stream_wait(&s, 20000) || s.ring->errors ? 4 : 0;
}

TEST_F(sync, another_process_waits)
{
	int ready[2];
	pid_t pid;

	ASSERT_EQ(0, shut(self, &self->a));
	ASSERT_EQ(0, export_last(self, &self->a));
	ASSERT_EQ(0, pipe(ready));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(wait_in_child(self->fd, ready[1]));
	close(ready[1]);
	baton_take(ready[0]);
	close(ready[0]);
	ASSERT_EQ(0, gate_open(&self->gate));
	EXPECT_EQ(0, child_wait(pid));
}

TEST_HARNESS_MAIN
