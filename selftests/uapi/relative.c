// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of tasks that are submitted repeatedly without changes: values relative
 * to the base of a stream, and signals that add to a timeline.
 */
#include "timeline.h"

#include "sync.h"

#define ROUNDS	50
#define ADDS	200

static struct vnpu_task task_base(__u16 mode, __u64 value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_BASE, .mode = mode, .arg0 = value,
	};
}

static struct vnpu_task relative(struct vnpu_task task)
{
	task.flags |= VNPU_TASK_F_RELATIVE;
	return task;
}

/* Signal the timeline relative to the base, and return the base. */
static __u64 base_of(FIXTURE_DATA(timeline) *self, struct stream *s)
{
	__u64 id, value = 0;

	if (timeline_create(&self->c, 0, 0, 0, &id) ||
	    stream_do(s, relative(task_signal(id, 0, VNPU_SIGNAL_ADVANCE))) ||
	    timeline_value(&self->c, id, &value))
		return ~0ULL - 1;
	timeline_destroy(&self->c, id);
	return value;
}

TEST_F(timeline, base_is_set_and_grows)
{
	struct vnpu_task stray = task_base(VNPU_BASE_SET, 1);

	EXPECT_EQ(0, base_of(self, &self->a));
	EXPECT_EQ(0, stream_do(&self->a, task_base(VNPU_BASE_SET, 1000)));
	EXPECT_EQ(1000, base_of(self, &self->a));
	EXPECT_EQ(0, stream_do(&self->a, task_base(VNPU_BASE_ADD, 24)));
	EXPECT_EQ(1024, base_of(self, &self->a));
	/* Each stream has its own base. */
	EXPECT_EQ(0, base_of(self, &self->b));
	/* Invalid requests change nothing. */
	EXPECT_EQ(-EOVERFLOW,
		  stream_do(&self->a, task_base(VNPU_BASE_ADD, ~0ULL)));
	EXPECT_EQ(-EINVAL, stream_do(&self->a, task_base(2, 1)));
	stray.dst = 1;
	EXPECT_EQ(-EOPNOTSUPP, stream_do(&self->a, stray));
	stray = relative(task_base(VNPU_BASE_SET, 1));
	EXPECT_EQ(-EOPNOTSUPP, stream_do(&self->a, stray));
	EXPECT_EQ(1024, base_of(self, &self->a));
}

TEST_F(timeline, overflowing_sums)
{
	struct vnpu_task copy = relative(task_copy(self->va, self->va + 64, 8));

	EXPECT_EQ(0, stream_do(&self->a, task_base(VNPU_BASE_SET, ~0ULL - 5)));
	EXPECT_EQ(-EOVERFLOW, stream_do(&self->a, relative(task_signal(
			self->id, 6, VNPU_SIGNAL_ADVANCE))));
	EXPECT_EQ(-EOVERFLOW,
		  stream_do(&self->a, relative(task_wait(self->id, 6))));
	/* Nor is the flag valid for other tasks. */
	EXPECT_EQ(-EOPNOTSUPP, stream_do(&self->a, copy));
}

/* Submit the same tasks again, in slots that are written once. */
TEST_F(timeline, a_list_runs_again_unchanged)
{
	struct stream a, b;
	__u64 i, k, value;

	ASSERT_EQ(0, stream_create_sized(&a, &self->c, 0, 0, 0, 0,
					 VNPU_RING_TASKS_MIN));
	ASSERT_EQ(0, stream_create_sized(&b, &self->c, 0, 0, 0, 0,
					 VNPU_RING_TASKS_MIN));
	ASSERT_EQ(0, stream_map(&a));
	ASSERT_EQ(0, stream_map(&b));
	/* Signals between the two streams, 30 times a round. */
	a.slots[0] = task_base(VNPU_BASE_ADD, 60);
	b.slots[0] = task_base(VNPU_BASE_ADD, 60);
	for (i = 0; i < 30; i++) {
		a.slots[2 * i + 1] = relative(task_wait(self->id, 2 * i));
		a.slots[2 * i + 2] = relative(task_signal(self->id, 2 * i + 1,
							  0));
		b.slots[2 * i + 1] = relative(task_wait(self->id, 2 * i + 1));
		b.slots[2 * i + 2] = relative(task_signal(self->id, 2 * i + 2,
							  0));
	}
	b.slots[62] = task_signal(self->counter, 1, VNPU_SIGNAL_ADD);
	/* The first base is 0. */
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 60, 0));
	for (k = 0; k < ROUNDS; k++) {
		a.last += a.tasks;
		b.last += b.tasks;
		ASSERT_EQ(0, stream_submit(&a));
		ASSERT_EQ(0, stream_submit(&b));
		ASSERT_EQ(0, stream_wait(&a, 20000));
		ASSERT_EQ(0, stream_wait(&b, 20000));
		ASSERT_EQ(0, timeline_value(&self->c, self->id, &value));
		ASSERT_EQ(60 * (k + 2), value);
	}
	EXPECT_EQ(0, a.ring->errors);
	EXPECT_EQ(0, b.ring->errors);
	ASSERT_EQ(0, timeline_value(&self->c, self->counter, &value));
	EXPECT_EQ(ROUNDS, value);
	EXPECT_EQ(0, stream_destroy(&a));
	EXPECT_EQ(0, stream_destroy(&b));
}

/* A base depends on what was submitted, not on the results. */
TEST_F(timeline, base_of_an_aborted_stream)
{
	struct stream *s = &self->a;

	ASSERT_EQ(0, stream_do(s, task_base(VNPU_BASE_SET, 100)));
	stream_put(s, task_wait(self->id, 1));
	stream_put(s, task_base(VNPU_BASE_ADD, 11));
	stream_put(s, task_base(VNPU_BASE_ADD, ~0ULL));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_abort(s, NULL));
	EXPECT_EQ(3, s->ring->cancelled);
	EXPECT_EQ(111, base_of(self, s));
}

TEST_F(timeline, add_advances)
{
	__u64 i, value;

	for (i = 0; i < ADDS; i++) {
		stream_put(&self->a, task_signal(self->id, 2, VNPU_SIGNAL_ADD));
		stream_put(&self->b, task_signal(self->id, 3, VNPU_SIGNAL_ADD));
	}
	ASSERT_EQ(0, stream_submit(&self->a));
	ASSERT_EQ(0, stream_submit(&self->b));
	for (i = 0; i < ADDS; i++)
		ASSERT_EQ(0, timeline_signal(&self->c, self->id, 1,
					     VNPU_SIGNAL_ADD));
	/* It wakes waiters, and none of the additions is lost. */
	EXPECT_EQ(0, wait_point(&self->c, self->id, 6 * ADDS, in_ms(20000)));
	EXPECT_EQ(0, timeline_value(&self->c, self->id, &value));
	EXPECT_EQ(6 * ADDS, value);

	EXPECT_EQ(-EOVERFLOW, timeline_signal(&self->c, self->id, ~0ULL,
					      VNPU_SIGNAL_ADD));
	EXPECT_EQ(-EOVERFLOW, timeline_signal(&self->c, self->id,
					      ~0ULL - value, VNPU_SIGNAL_ADD));
	EXPECT_EQ(-EACCES, timeline_signal(&self->c, self->a.id, 1,
					   VNPU_SIGNAL_ADD));
	EXPECT_EQ(0, timeline_signal(&self->c, self->id, ~0ULL - 1 - value,
				     VNPU_SIGNAL_ADD));
	EXPECT_EQ(0, timeline_value(&self->c, self->id, &value));
	EXPECT_EQ(~0ULL - 1, value);
}

/*
 * Submit two tasks after one that waits; return the sync_file of the last, or
 * -errno.
 */
static int export_behind(FIXTURE_DATA(timeline) *self, struct vnpu_task first,
			 struct vnpu_task second)
{
	int ret;

	stream_put(&self->a, first);
	stream_put(&self->a, second);
	ret = stream_submit(&self->a);
	return ret ? ret : sync_export(&self->c, self->a.id, self->a.last);
}

/* A latched wait uses the base that its task will have. */
TEST_F(timeline, latching_with_a_base)
{
	const struct vnpu_task back = task_base(VNPU_BASE_SET, 0);
	struct vnpu_task from_b = relative(task_wait(self->b.id, 0));
	int fd;

	/* A submitted task of another stream: the third. */
	stream_put(&self->b, task_wait(self->id, 3));
	ASSERT_EQ(0, stream_submit(&self->b));
	EXPECT_EQ(-EBUSY, export_behind(self, task_base(VNPU_BASE_SET, 1),
					from_b));
	ASSERT_EQ(0, stream_abort(&self->b, NULL));
	ASSERT_EQ(0, stream_wait(&self->a, 20000));

	/* Reached with one base, and not with the other. */
	ASSERT_EQ(0, timeline_signal(&self->c, self->id, 10, 0));
	fd = export_behind(self, back, relative(task_wait(self->id, 10)));
	EXPECT_LE(0, fd);
	EXPECT_EQ(1, sync_wait(fd, 20000));
	close(fd);
	EXPECT_EQ(-EBUSY, export_behind(self, task_base(VNPU_BASE_ADD, 1),
					relative(task_wait(self->id, 10))));
	ASSERT_EQ(0, stream_abort(&self->a, NULL));
	EXPECT_EQ(1, base_of(self, &self->a));

	/* Tasks that are not submitted may never be. */
	EXPECT_EQ(-EBUSY, export_behind(self, task_base(VNPU_BASE_SET,
							self->b.last + 1),
					from_b));
	ASSERT_EQ(0, stream_abort(&self->a, NULL));
	fd = export_behind(self, task_base(VNPU_BASE_SET, self->b.last),
			   from_b);
	EXPECT_LE(0, fd);
	EXPECT_EQ(1, sync_wait(fd, 20000));
	close(fd);
}

/* The base of latched tasks is the same, and later tasks continue from it. */
TEST_F(timeline, base_of_latched_tasks)
{
	struct stream *s = &self->a;
	__u64 value;
	int i, fd;

	for (i = 0; i < 20; i++) {
		stream_put(s, task_base(VNPU_BASE_ADD, 5));
		stream_put(s, relative(task_signal(self->id, 1, 0)));
		ASSERT_EQ(0, stream_submit(s));
		fd = sync_export(&self->c, s->id, s->last);
		ASSERT_LE(0, fd);
		stream_put(s, task_base(VNPU_BASE_ADD, 2));
		stream_put(s, relative(task_signal(self->id, 0, 0)));
		ASSERT_EQ(0, stream_submit(s));
		/* The slots may be overwritten by now. */
		EXPECT_EQ(1, sync_wait(fd, 20000));
		close(fd);
		ASSERT_EQ(0, stream_wait(s, 20000));
		ASSERT_EQ(0, timeline_value(&self->c, self->id, &value));
		EXPECT_EQ(7ULL * (__u64)(i + 1), value);
	}
	EXPECT_EQ(0, s->ring->errors);
}

TEST_HARNESS_MAIN
