// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waking is work as any other: however many streams of one user wait for the same
 * value, and whatever changes it, a copy of another user takes at most twice as long
 * as beside a user with one busy stream, the longest of them as well.
 *
 * Both are measured in the same run. What else delays copies comes and goes: one try
 * in which they are fast enough will do. With a clock that counts instructions
 * (vnpu-vm --icount) it is the first.
 */
#include "kselftest_harness.h"

#include "beside.h"

#define COPIES		400

/* Streams that wait; a device has few more. */
#define WAITERS		1900

/* How often they are woken: for longer than the other user copies. */
#define ROUNDS		VNPU_RING_TASKS_MIN

#define HONEST		3
#define TRIES		5

FIXTURE(waking)
{
	struct said *said;
	mode_t mode;
};

/* What the streams wait for, and what wakes them again and again. */
FIXTURE_VARIANT(waking)
{
	int (*begin)(struct client *c);
	void (*go_on)(struct client *c);
};

/* What wakes the others, and the last of those. */
static struct stream signaller, last;

/* What they wait for. */
static __u64 target;

static int honest(struct client *c)
{
	static struct stream s;

	return begin_client(c) ?: begin_copies(c, &s, 0);
}

/* The task that the waiters wait with in a round from 1 on. */
typedef struct vnpu_task round_fn(__u64 round);

static struct vnpu_task wait_timeline(__u64 round)
{
	return task_wait(target, round);
}

static struct vnpu_task wait_counter(__u64 round)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COUNTER_WAIT,
		.src = target,
		.arg0 = round,
		.mode = VNPU_COND_NOT_LESS,
	};
}

/* Never: the counter is looked at in vain. */
static struct vnpu_task wait_in_vain(__u64 round)
{
	return wait_counter(round + WAITERS * ROUNDS);
}

/* Of two tasks of the signaller in each round, the first. */
static struct vnpu_task wait_stream(__u64 round)
{
	return task_wait(signaller.id, 2 * round - 1);
}

static int begin_waiters(struct client *c, round_fn *task)
{
	int i, ret = 0;

	for (i = 0; !ret && i < WAITERS; i++) {
		__u64 round;

		ret = stream_create_sized(&last, c, 0, 0, 0, 0, ROUNDS) ?:
		      stream_map(&last);
		for (round = 1; !ret && round <= ROUNDS; round++)
			stream_put(&last, task(round));
		ret = ret ?: stream_submit(&last);
	}
	return ret;
}

/* Rounds: a task, and when the last waiter is through with it, the next one. */
static int begin_rounds(round_fn *task, round_fn *pause)
{
	__u64 round;

	for (round = 1; round <= ROUNDS; round++) {
		stream_put(&signaller, task(round));
		stream_put(&signaller, pause(round));
	}
	return stream_submit(&signaller);
}

static int begin(struct client *c, __u32 flags)
{
	return begin_client(c) ?:
	       stream_create_sized(&signaller, c, 0, 0, 0, 0, 2 * ROUNDS) ?:
	       stream_map(&signaller) ?:
	       timeline_create(c, flags, 0, 0, &target);
}

static struct vnpu_task until_last(__u64 round)
{
	return task_wait(last.id, round);
}

static struct vnpu_task signal_timeline(__u64 round)
{
	return task_signal(target, round, VNPU_SIGNAL_ADVANCE);
}

static struct vnpu_task signal_counter(__u64 round)
{
	return task_signal(target, round, VNPU_SIGNAL_SET);
}

static struct vnpu_task nothing(__u64 round)
{
	(void)round;
	return (struct vnpu_task){ .op = VNPU_TASK_NOP };
}

static int begin_timeline(struct client *c)
{
	return begin(c, 0) ?: begin_waiters(c, wait_timeline) ?:
	       begin_rounds(signal_timeline, until_last);
}

static int begin_counter(struct client *c)
{
	return begin(c, VNPU_TIMELINE_F_COUNTER) ?:
	       begin_waiters(c, wait_counter) ?:
	       begin_rounds(signal_counter, until_last);
}

static int begin_in_vain(struct client *c)
{
	return begin(c, VNPU_TIMELINE_F_COUNTER) ?:
	       begin_waiters(c, wait_in_vain);
}

static int begin_stream(struct client *c)
{
	return begin(c, 0) ?: begin_waiters(c, wait_stream) ?:
	       begin_rounds(nothing, until_last);
}

/* Without an end: the ring is filled again whenever it has room. */
static void signal_in_vain(struct client *c)
{
	(void)c;
	do
		stream_put(&signaller, signal_counter(0));
	while (!stream_submit(&signaller));
}

FIXTURE_SETUP(waking)
{
	const uint64_t limit = VNPU_MAX_STREAMS;

	ASSERT_EQ(0, let_users_in(&self->said, &self->mode, COPIES, KIB(64)));
	ASSERT_EQ(0, alice_limit_streams(&limit));
}

FIXTURE_TEARDOWN(waking)
{
	chmod(VNPU_NODE, self->mode);
	EXPECT_EQ(0, alice_limit_streams(NULL));
}

FIXTURE_VARIANT_ADD(waking, timeline) { .begin = begin_timeline };
FIXTURE_VARIANT_ADD(waking, stream) { .begin = begin_stream };
FIXTURE_VARIANT_ADD(waking, counter) { .begin = begin_counter };
FIXTURE_VARIANT_ADD(waking, counter_in_vain) {
	.begin = begin_in_vain,
	.go_on = signal_in_vain,
};

/* Beside one busy stream, when nothing else delays them. */
static int measure_honest(struct said *said, __u64 *sum, __u64 *worst)
{
	int i, ret = 0;

	for (i = 0; !ret && i < HONEST; i++) {
		ret = measure(said, honest, NULL);
		*sum = said->sum < *sum ? said->sum : *sum;
		*worst = said->worst < *worst ? said->worst : *worst;
	}
	return ret;
}

TEST_F_TIMEOUT(waking, takes_turns, 300)
{
	__u64 beside = ~0ULL, beside_worst = ~0ULL;
	bool ok = false;
	int i;

	ASSERT_EQ(0, measure_honest(self->said, &beside, &beside_worst));
	for (i = 0; !ok && i < TRIES; i++) {
		ASSERT_EQ(0, measure(self->said, variant->begin,
				     variant->go_on));
		printf("# a copy takes %llu us beside one stream, %llu at most; %llu and %llu beside this\n",
		       beside / COPIES / 1000, beside_worst / 1000,
		       self->said->sum / COPIES / 1000,
		       self->said->worst / 1000);
		ok = self->said->sum <= 2 * beside &&
		     self->said->worst <= 2 * beside_worst;
	}
	EXPECT_TRUE(ok);
}

TEST_HARNESS_MAIN
