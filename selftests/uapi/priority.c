// SPDX-License-Identifier: GPL-2.0-only
/*
 * Priorities of streams: urgent streams go first, and the others still make
 * progress.
 *
 * One client keeps the engines busy with tasks that are made slow; another
 * client requests turns with normal tasks. The test compares the order by the
 * device's own clock, not how long anything took.
 */
#include "kselftest_harness.h"

#include "stream.h"
#include "trouble.h"
#include "util.h"

#define CROWD		64	/* queued streams */
/* streams that are always ready, more than engines */
#define FEW		6
#define HIGHEST		0
#define MIDDLE		3
#define LOWEST		7
#define SLOT		16	/* bytes of a timestamp */

struct crowd {
	struct client c;
	struct stream s[CROWD];
	__u32 count, tasks;
};

FIXTURE(priority)
{
	struct crowd crowd;
	struct client c;
	struct stream a, b;
};

static int memory_open(struct client *c)
{
	int ret = client_open_only(c);

	ret = ret ? ret : window_map(c, WINDOW_SIZE, PROT_READ | PROT_WRITE);
	return ret ? ret : mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, MIB(2),
					c->base);
}

/* Create a stream of the vector engines, which have run a task of it. */
static int stream_open(struct stream *s, const struct client *c, __u32 priority)
{
	int ret = stream_create_only(s, c, 0, priority, 0, 0);

	ret = ret ? ret : stream_map(s);
	return ret ? ret : stream_do(s, task_fill(c->base + MIB(1), 64, 1, 1));
}

FIXTURE_SETUP(priority)
{
	memset(&self->crowd, 0, sizeof(self->crowd));
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(0, memory_open(&self->crowd.c));
	ASSERT_EQ(0, memory_open(&self->c));
	ASSERT_EQ(0, stream_open(&self->a, &self->c, LOWEST));
	ASSERT_EQ(0, stream_open(&self->b, &self->c, LOWEST));
}

FIXTURE_TEARDOWN(priority)
{
	__u32 i;

	EXPECT_EQ(0, faults_clear(0));
	for (i = 0; i < self->crowd.count; i++)
		EXPECT_EQ(0, stream_destroy(&self->crowd.s[i]));
	EXPECT_EQ(0, stream_destroy(&self->a));
	EXPECT_EQ(0, stream_destroy(&self->b));
	client_close(&self->crowd.c);
	client_close(&self->c);
}

static struct vnpu_task timestamp(__u64 dst)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_TIMESTAMP, .dst = dst, .arg0 = 1,
	};
}

static const __u64 *slot(const struct client *c, __u32 number)
{
	return ptr(c->base + (__u64)number * SLOT);
}

/* Create @count streams with this many tasks, each of which takes @us. */
static int crowd_start(struct crowd *crowd, __u32 count, __u32 priority,
		       __u32 tasks, __u64 us)
{
	const struct client *c = &crowd->c;
	__u32 i, k;
	int ret;

	crowd->tasks = tasks;
	for (; crowd->count < count; crowd->count++) {
		ret = stream_open(&crowd->s[crowd->count], c, priority);
		if (ret)
			return ret;
	}
	ret = fault_set(VNPU_INJECT_KIND_ENGINE_SLOW, client_id(c), ANY_CLASS,
			0, us);
	for (i = 0; !ret && i < count; i++) {
		for (k = 0; k < tasks; k++)
			stream_put(&crowd->s[i],
				   timestamp(addr(slot(c, i * tasks + k))));
		ret = stream_submit(&crowd->s[i]);
	}
	return ret ? ret : fault_wait(0, VNPU_INJECT_KIND_ENGINE_SLOW);
}

/* Return how many tasks of the crowd ended in between. */
static __u32 crowd_ran(const struct crowd *crowd, __u64 from, __u64 to)
{
	__u32 i, ran = 0;

	for (i = 0; i < crowd->count * crowd->tasks; i++) {
		__u64 at = *slot(&crowd->c, i);

		ran += at > from && at < to;
	}
	return ran;
}

/* Most of the crowd's tasks had not ended by then. */
static bool is_early(const struct crowd *crowd, __u64 at)
{
	return crowd_ran(crowd, 0, at) < crowd->count * crowd->tasks / 2;
}

/*
 * At most the tasks that are running when it comes, and those that engines run
 * while its own engine is delayed: far fewer than the crowd, all of which came
 * before.
 */
#define FIRST		(CROWD / 2)

TEST_F_TIMEOUT(priority, urgent_streams_go_first, 120)
{
	struct crowd *crowd = &self->crowd;
	struct stream *s = &self->a;
	__u64 start;

	ASSERT_EQ(0, stream_set(s, VNPU_STREAM_SET_F_PRIORITY, HIGHEST, 0, 0));
	ASSERT_EQ(0, crowd_start(crowd, CROWD, LOWEST, 4, 50000));
	stream_put(s, timestamp(self->c.base));
	ASSERT_EQ(0, stream_submit(s));
	start = now_ns();
	ASSERT_EQ(0, stream_wait(s, 100000));
	EXPECT_GT(FIRST, crowd_ran(crowd, start, *slot(&self->c, 0)));
}

/* The stream is in the same queue as all others, until it becomes urgent. */
TEST_F_TIMEOUT(priority, a_stream_that_becomes_urgent_goes_first, 120)
{
	struct crowd *crowd = &self->crowd;
	struct stream *s = &self->a;
	__u64 start;

	ASSERT_EQ(0, crowd_start(crowd, CROWD, LOWEST, 4, 50000));
	stream_put(s, timestamp(self->c.base));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_set(s, VNPU_STREAM_SET_F_PRIORITY, HIGHEST, 0, 0));
	start = now_ns();
	ASSERT_EQ(0, stream_wait(s, 100000));
	EXPECT_GT(FIRST, crowd_ran(crowd, start, *slot(&self->c, 0)));
}

/* A stream that had to wait for all more urgent ones would starve. */
TEST_F_TIMEOUT(priority, no_stream_starves, 120)
{
	struct crowd *crowd = &self->crowd;
	struct stream *s = &self->a;

	ASSERT_EQ(0, crowd_start(crowd, FEW, HIGHEST, 2000, 5000));
	stream_put(s, timestamp(self->c.base));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 100000));
	EXPECT_TRUE(is_early(crowd, *slot(&self->c, 0)));
	EXPECT_EQ(0, s->ring->errors);
}

/*
 * An urgent stream waits for one of normal priority, which waits for its turn
 * among more urgent streams.
 */
TEST_F_TIMEOUT(priority, urgent_streams_wait_for_normal_ones, 120)
{
	struct crowd *crowd = &self->crowd;
	struct stream *urgent = &self->b;

	ASSERT_EQ(0, stream_set(urgent, VNPU_STREAM_SET_F_PRIORITY, HIGHEST, 0,
				0));
	ASSERT_EQ(0, crowd_start(crowd, FEW, MIDDLE, 2000, 5000));
	stream_put(&self->a, timestamp(self->c.base));
	stream_put(urgent, task_wait(self->a.id, self->a.last));
	stream_put(urgent, timestamp(self->c.base + SLOT));
	ASSERT_EQ(0, stream_submit(urgent));
	ASSERT_EQ(0, stream_submit(&self->a));
	ASSERT_EQ(0, stream_wait(urgent, 100000));
	EXPECT_LE(*slot(&self->c, 0), *slot(&self->c, 1));
	EXPECT_TRUE(is_early(crowd, *slot(&self->c, 1)));
}

TEST_HARNESS_MAIN
