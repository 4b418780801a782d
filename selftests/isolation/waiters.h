/* SPDX-License-Identifier: GPL-2.0-only */
/* One user with WAITERS streams that repeatedly wait for the same value. */
#ifndef SELFTESTS_VNPU_WAITERS_H
#define SELFTESTS_VNPU_WAITERS_H

#include "beside.h"

/* Number of times that they are woken: for longer than the other user copies. */
#ifndef ROUNDS
#define ROUNDS		VNPU_RING_TASKS_MIN
#endif

/* The stream that wakes the waiters, and the last waiter. */
static struct stream signaller, last;

/* The timeline that they wait for. */
static __u64 target;

/* Return the task that waiters wait with in a round. The first round is 1. */
typedef struct vnpu_task round_fn(__u64 round);

static inline struct vnpu_task wait_timeline(__u64 round)
{
	return task_wait(target, round);
}

static inline struct vnpu_task wait_counter(__u64 round)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COUNTER_WAIT,
		.src = target,
		.arg0 = round,
		.mode = VNPU_COND_NOT_LESS,
	};
}

/* The counter never reaches this value, although it changes. */
static inline struct vnpu_task wait_in_vain(__u64 round)
{
	return wait_counter(round + WAITERS * ROUNDS);
}

/* Wait for the first of the signaller's two tasks in a round. */
static inline struct vnpu_task wait_stream(__u64 round)
{
	return task_wait(signaller.id, 2 * round - 1);
}

static inline int begin_waiters(struct client *c, round_fn *task)
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
	watched = last;
	return ret;
}

/* Submit the rounds: each is a task, then a wait until the last waiter has passed. */
static inline int begin_rounds(round_fn *task, round_fn *pause)
{
	__u64 round;

	for (round = 1; round <= ROUNDS; round++) {
		stream_put(&signaller, task(round));
		stream_put(&signaller, pause(round));
	}
	return stream_submit(&signaller);
}

static inline int begin_signaller(struct client *c, __u32 flags)
{
	return begin_client(c) ?:
	       stream_create_sized(&signaller, c, 0, 0, 0, 0, 2 * ROUNDS) ?:
	       stream_map(&signaller) ?:
	       timeline_create(c, flags, 0, 0, &target);
}

static inline struct vnpu_task until_last(__u64 round)
{
	return task_wait(last.id, round);
}

static inline struct vnpu_task signal_timeline(__u64 round)
{
	return task_signal(target, round, VNPU_SIGNAL_ADVANCE);
}

static inline struct vnpu_task signal_counter(__u64 round)
{
	return task_signal(target, round, VNPU_SIGNAL_SET);
}

static inline struct vnpu_task nothing(__u64 round)
{
	(void)round;
	return (struct vnpu_task){ .op = VNPU_TASK_NOP };
}

static inline int begin_timeline(struct client *c)
{
	return begin_signaller(c, 0) ?: begin_waiters(c, wait_timeline) ?:
	       begin_rounds(signal_timeline, until_last);
}

static inline int begin_counter(struct client *c)
{
	return begin_signaller(c, VNPU_TIMELINE_F_COUNTER) ?:
	       begin_waiters(c, wait_counter) ?:
	       begin_rounds(signal_counter, until_last);
}

static inline int begin_in_vain(struct client *c)
{
	return begin_signaller(c, VNPU_TIMELINE_F_COUNTER) ?:
	       begin_waiters(c, wait_in_vain);
}

static inline int begin_stream(struct client *c)
{
	return begin_signaller(c, 0) ?: begin_waiters(c, wait_stream) ?:
	       begin_rounds(nothing, until_last);
}

/* Refill the ring whenever it has room, without an end. */
static inline void signal_in_vain(struct client *c)
{
	(void)c;
	do
		stream_put(&signaller, signal_counter(0));
	while (!stream_submit(&signaller));
}

#endif
