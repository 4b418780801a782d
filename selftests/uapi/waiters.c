// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many waiters, which are woken in batches: all waiters of a signal are woken
 * when it is complete, whatever happens meanwhile. To other threads, a change
 * of a counter looks atomic.
 */
#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

/*
 * More waiters than two turns of an engine wake, and more than one turn checks
 * in vain.
 */
#define WOKEN	160
#define MANY	600

#define ROUNDS	10

static struct stream many[MANY];
static int nr_many;	/* number of waiters */

static struct vnpu_task task_nop(void)
{
	return (struct vnpu_task){ .op = VNPU_TASK_NOP };
}

static struct vnpu_task wait_counter(__u64 id, __u16 cond, __u64 value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COUNTER_WAIT, .src = id, .arg0 = value,
		.mode = cond,
	};
}

static struct vnpu_task take_counter(__u64 id)
{
	struct vnpu_task task = wait_counter(id, VNPU_COND_GREATER, 0);

	task.flags = VNPU_TASK_F_CLEAR;
	return task;
}

static int many_create(struct client *c, int count)
{
	int ret = 0;

	for (; !ret && nr_many < count; nr_many++)
		ret = stream_create_sized(&many[nr_many], c, 0, 0, 0, 0,
					  VNPU_RING_TASKS_MIN) ?:
		      stream_map(&many[nr_many]);
	return ret;
}

/* An empty task reports when an engine comes to the task after it. */
static int many_run(struct vnpu_task task)
{
	int i, ret = 0;

	for (i = 0; !ret && i < nr_many; i++) {
		stream_put(&many[i], task_nop());
		ret = stream_run(&many[i], task);
	}
	return ret;
}

/* Wait until all of them wait for it. */
static int many_settle(void)
{
	int i, ret = 0;

	for (i = 0; !ret && i < nr_many; i++)
		ret = wait_point(many[i].c, many[i].id, many[i].last - 1,
				 in_ms(60000));
	usleep(10000);
	return ret;
}

static int many_wait(void)
{
	int i, ret = 0;

	for (i = 0; !ret && i < nr_many; i++)
		ret = stream_wait(&many[i], 60000);
	return ret;
}

/* Return how many have not got beyond their last task but one. */
static unsigned int many_waiting(void)
{
	unsigned int i, count = 0;

	for (i = 0; i < nr_many; i++)
		count += stream_completed(&many[i]) == many[i].last - 1;
	return count;
}

FIXTURE(waiters)
{
	struct client c;
	struct stream a;
	struct stream b;
	__u64 id;	/* a timeline at 0 */
	__u64 counter;	/* a counter at 0 */
};

FIXTURE_SETUP(waiters)
{
	ASSERT_EQ(0, pair_open(&self->c, PAGE, &self->a, &self->b, &self->id,
			       &self->counter));
	ASSERT_EQ(0, many_create(&self->c, WOKEN));
}

FIXTURE_TEARDOWN(waiters)
{
	while (nr_many)
		stream_destroy(&many[--nr_many]);
	client_close(&self->c);
}

TEST_F_TIMEOUT(waiters, all_are_woken, 120)
{
	__u64 round;

	for (round = 1; round <= ROUNDS; round++) {
		ASSERT_EQ(0, many_run(task_wait(self->id, round)));
		ASSERT_EQ(0, round % 2 ?
			  stream_do(&self->a, task_signal(self->id, round,
							  VNPU_SIGNAL_ADVANCE)) :
			  timeline_signal(&self->c, self->id, 1,
					  VNPU_SIGNAL_ADD));
		ASSERT_EQ(0, many_wait());
	}
}

/* The last task of these streams completes in the same turn as the first. */
TEST_F_TIMEOUT(waiters, tasks_of_a_stream, 120)
{
	__u64 round;
	int i;

	for (round = 1; round <= ROUNDS; round++) {
		stream_put(&self->a, task_wait(self->id, round));
		for (i = 0; i < 4; i++)
			stream_put(&self->a, task_nop());
		ASSERT_EQ(0, stream_submit(&self->a));
		ASSERT_EQ(0, many_run(task_wait(self->a.id,
						self->a.last - round % 5)));
		ASSERT_EQ(0, many_settle());
		ASSERT_EQ(0, timeline_signal(&self->c, self->id, round,
					     VNPU_SIGNAL_ADVANCE));
		ASSERT_EQ(0, many_wait());
	}
}

/* An invalid tail ends the stream for all of its waiters. */
TEST_F_TIMEOUT(waiters, broken_stream, 120)
{
	ASSERT_EQ(0, many_run(task_wait(self->a.id, 2)));
	ASSERT_EQ(0, many_settle());
	ASSERT_EQ(0, stream_do(&self->a, task_nop()));
	self->a.last += 1 << 20;
	ASSERT_EQ(0, stream_submit(&self->a));
	ASSERT_EQ(0, many_wait());
	EXPECT_EQ(-EIO, stream_doorbell(&self->a));
}

/* A signal takes effect with all its consequences, or not at all. */
TEST_F_TIMEOUT(waiters, stream_ends_during_a_signal, 240)
{
	__u64 round, id, value, at;
	struct stream s;

	for (round = 1; round <= ROUNDS; round++) {
		ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
		ASSERT_EQ(0, stream_create(&s, &self->c, 0));
		ASSERT_EQ(0, many_run(task_wait(id, 1)));
		ASSERT_EQ(0, many_settle());
		ASSERT_EQ(0, stream_run(&s, task_signal(id, 1,
						VNPU_SIGNAL_ADVANCE)));
		for (at = now_ns() + round * 100000; now_ns() < at;)
			;
		if (round % 2)
			ASSERT_EQ(0, stream_abort(&s, NULL));
		ASSERT_EQ(0, stream_destroy(&s));
		ASSERT_EQ(0, timeline_value(&self->c, id, &value));
		if (!value)
			ASSERT_EQ(0, timeline_destroy(&self->c, id));
		ASSERT_EQ(0, many_wait());
		if (value)
			ASSERT_EQ(0, timeline_destroy(&self->c, id));
	}
}

TEST_F_TIMEOUT(waiters, stream_ends_during_a_signal_of_a_counter, 240)
{
	__u64 round, id, value, at;
	struct stream s;

	for (round = 1; round <= ROUNDS; round++) {
		ASSERT_EQ(0, timeline_create(&self->c, VNPU_TIMELINE_F_COUNTER,
					     0, 0, &id));
		ASSERT_EQ(0, stream_create(&s, &self->c, 0));
		ASSERT_EQ(0, many_run(wait_counter(id, VNPU_COND_EQ, 1)));
		ASSERT_EQ(0, many_settle());
		ASSERT_EQ(0, stream_run(&s, task_signal(id, 1,
							VNPU_SIGNAL_SET)));
		for (at = now_ns() + round * 100000; now_ns() < at;)
			;
		ASSERT_EQ(0, stream_destroy(&s));
		ASSERT_EQ(0, timeline_value(&self->c, id, &value));
		/*
		 * The next change comes after all consequences of the last one.
		 */
		ASSERT_EQ(0, value ? timeline_signal(&self->c, id, 2,
						     VNPU_SIGNAL_SET) :
				     timeline_destroy(&self->c, id));
		ASSERT_EQ(0, many_wait());
		if (value)
			ASSERT_EQ(0, timeline_destroy(&self->c, id));
	}
}

/* All waiters see a value that exists only for a moment. */
TEST_F_TIMEOUT(waiters, each_change_is_seen, 120)
{
	__u64 round, i;

	for (round = 1; round <= ROUNDS; round++) {
		ASSERT_EQ(0, many_run(wait_counter(self->counter, VNPU_COND_EQ,
						   round)));
		ASSERT_EQ(0, many_settle());
		/* Several threads signal at once. */
		stream_put(&self->a, task_signal(self->counter, round,
						 VNPU_SIGNAL_SET));
		for (i = 0; i < 4; i++)
			stream_put(&self->a, task_signal(self->counter, 1000,
							 VNPU_SIGNAL_ADD));
		for (i = 0; i < 4; i++)
			stream_put(&self->b, task_signal(self->counter, 1 << 20,
							 VNPU_SIGNAL_OR));
		ASSERT_EQ(0, stream_submit(&self->a));
		ASSERT_EQ(0, stream_submit(&self->b));
		ASSERT_EQ(0, timeline_signal(&self->c, self->counter, 1 << 20,
					     VNPU_SIGNAL_OR));
		ASSERT_EQ(0, stream_wait(&self->a, 20000));
		ASSERT_EQ(0, stream_wait(&self->b, 20000));
		ASSERT_EQ(0, timeline_signal(&self->c, self->counter, round,
					     VNPU_SIGNAL_SET));
		ASSERT_EQ(0, many_wait());
	}
}

/* Each waiter consumes one change, so the numbers are equal. */
TEST_F_TIMEOUT(waiters, one_waiter_for_each_change, 120)
{
	unsigned int i;

	ASSERT_EQ(0, many_run(take_counter(self->counter)));
	ASSERT_EQ(0, many_settle());
	for (i = 1; i <= WOKEN; i++) {
		ASSERT_EQ(0, i % 2 ?
			  stream_do(&self->a, task_signal(self->counter, 1,
							  VNPU_SIGNAL_ADD)) :
			  timeline_signal(&self->c, self->counter, 1,
					  VNPU_SIGNAL_ADD));
		if (i == WOKEN / 2)
			EXPECT_LE(WOKEN - i, many_waiting());
	}
	EXPECT_EQ(0, many_wait());
}

TEST_F_TIMEOUT(waiters, match_after_many_mismatches, 120)
{
	ASSERT_EQ(0, many_create(&self->c, MANY));
	ASSERT_EQ(0, many_run(wait_counter(self->counter, VNPU_COND_EQ, 7)));
	ASSERT_EQ(0, many_settle());
	ASSERT_EQ(0, stream_run(&self->b, wait_counter(self->counter,
						       VNPU_COND_EQ, 5)));
	usleep(10000);
	ASSERT_EQ(0, stream_do(&self->a, task_signal(self->counter, 5,
						     VNPU_SIGNAL_SET)));
	EXPECT_EQ(0, stream_wait(&self->b, 20000));
	EXPECT_EQ(MANY, many_waiting());
	/* Nothing can signal it any more. */
	ASSERT_EQ(0, timeline_destroy(&self->c, self->counter));
	EXPECT_EQ(0, many_wait());
}

TEST_HARNESS_MAIN
