// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that poll for a condition, and streams that wait for a value in
 * memory.
 *
 * The streams of a user poll at a bounded rate, independent of their number.
 * The first VNPU_PACE_FREE of them use timers of their own. The others poll in
 * turn: VNPU_PACE_BATCH of them every VNPU_PACE_NS. Timer interrupts are
 * charged to no client, so their number must not grow with that of streams. The
 * polling itself is done in turns of engines, which are charged. All this
 * applies to each task that pauses. This includes tasks that find memory or the
 * client's bindings in use, because a user can keep these in use all the time.
 *
 * A task that writes a value wakes the streams of its client on the same device
 * that wait for a value. It wakes some in each turn, until it has woken all
 * that were waiting.
 */
#include <linux/hrtimer.h>
#include <linux/sizes.h>

#include "base/client.h"
#include "compat.h"
#include "engine.h"
#include "sched.h"
#include "sched_client.h"

#define VNPU_PACE_FREE		8
#define VNPU_PACE_BATCH		8
#define VNPU_PACE_NS		NSEC_PER_MSEC

/* Maximum number of streams that are woken with the lock held. */
#define VNPU_VALUE_BATCH	32

/* The cost of waking one, in bytes that an engine could have moved. */
#define VNPU_VALUE_COST		SZ_512

static void vnpu_engines_call_all(struct vnpu_engines *engines)
{
	u32 class;

	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		vnpu_engines_call(engines, class);
}

static enum hrtimer_restart vnpu_pace_timer(struct hrtimer *timer)
{
	struct vnpu_sched_user *user =
		container_of(timer, struct vnpu_sched_user, pace);
	struct vnpu_engines *engines = user->engines;
	bool goes_on;
	u32 i;

	spin_lock_bh(&engines->lock);
	for (i = 0; i < VNPU_PACE_BATCH && !list_empty(&user->paced); i++) {
		struct vnpu_stream *stream =
			list_first_entry(&user->paced, struct vnpu_stream,
					 pace_link);

		vnpu_engines_unpace_locked(stream);
		vnpu_engines_wake_locked(stream);
	}
	goes_on = !list_empty(&user->paced);
	user->is_pacing = goes_on;
	spin_unlock_bh(&engines->lock);
	vnpu_engines_call_all(engines);
	if (!goes_on)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(VNPU_PACE_NS));
	return HRTIMER_RESTART;
}

/**
 * vnpu_pace_init() - initialise the pacing of a user's streams
 * @user: the user, which is not in vnpu_engines.users yet
 */
void vnpu_pace_init(struct vnpu_sched_user *user)
{
	INIT_LIST_HEAD(&user->paced);
	vnpu_hrtimer_setup(&user->pace, vnpu_pace_timer, CLOCK_MONOTONIC,
			   HRTIMER_MODE_REL_SOFT);
}

/**
 * vnpu_engines_pace() - schedule the end of a stream's pause
 * @stream: the stream, which is about to pause; called by its owner
 *
 * Return: true if the timer of the user will wake the stream; false if few of
 * the user's streams pause, and the caller has to start the stream's own timer.
 */
bool vnpu_engines_pace(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	struct vnpu_sched_user *user = stream->sched->user;
	bool is_paced, starts = false;

	spin_lock_bh(&engines->lock);
	vnpu_engines_unpace_locked(stream);
	is_paced = user->nr_free >= VNPU_PACE_FREE;
	if (!is_paced) {
		user->nr_free++;
		stream->pauses_free = true;
	} else {
		list_add_tail(&stream->pace_link, &user->paced);
		starts = !user->is_pacing;
		user->is_pacing = true;
	}
	/* If the timer's function is about to return, this restarts it. */
	if (starts)
		hrtimer_start(&user->pace, ns_to_ktime(VNPU_PACE_NS),
			      HRTIMER_MODE_REL_SOFT);
	spin_unlock_bh(&engines->lock);
	return is_paced;
}

/**
 * vnpu_engines_unpace_locked() - end the pause of a stream
 * @stream: the stream, pausing or not
 */
void vnpu_engines_unpace_locked(struct vnpu_stream *stream)
{
	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	list_del_init(&stream->pace_link);
	if (stream->pauses_free)
		stream->sched->user->nr_free--;
	stream->pauses_free = false;
}

/**
 * vnpu_engines_add_value_waiter() - add a stream that waits for a value
 * @stream: the stream; nothing happens if it was added before
 *
 * The caller reads the value after this.
 */
void vnpu_engines_add_value_waiter(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	struct vnpu_sched_client *sched = stream->sched;

	spin_lock_bh(&engines->lock);
	if (list_empty(&stream->run.value_link)) {
		list_add_tail(&stream->run.value_link, &sched->value_waiters);
		WRITE_ONCE(sched->nr_value_waiters,
			   sched->nr_value_waiters + 1);
	}
	spin_unlock_bh(&engines->lock);
	/*
	 * Order the store of the count before the caller's load of the value.
	 * Pairs with smp_mb() in vnpu_engines_begin_value_waking().
	 */
	smp_mb();
}

static void vnpu_value_waiter_remove_locked(struct vnpu_stream *stream)
{
	struct vnpu_sched_client *sched = stream->sched;

	if (list_empty(&stream->run.value_link))
		return;
	list_del_init(&stream->run.value_link);
	WRITE_ONCE(sched->nr_value_waiters, sched->nr_value_waiters - 1);
}

/**
 * vnpu_engines_remove_value_waiter() - remove a stream that waits for a value
 * @stream: the stream; nothing happens if it does not wait
 */
void vnpu_engines_remove_value_waiter(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	vnpu_value_waiter_remove_locked(stream);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_are_few_value_waiters() - check if all waiters can be woken at
 * once
 * @writer: the stream that is about to write a value
 *
 * Return: true if one batch suffices for the waiting streams of the client.
 */
bool vnpu_engines_are_few_value_waiters(const struct vnpu_stream *writer)
{
	return READ_ONCE(writer->sched->nr_value_waiters) <= VNPU_VALUE_BATCH;
}

/**
 * vnpu_engines_begin_value_waking() - begin to wake the waiters for a value
 * @writer: the stream that has written the value
 *
 * This concerns streams of the same client on the same device. Other streams
 * find the value by polling.
 *
 * Return: the number of streams for vnpu_engines_wake_value_waiters() to wake.
 */
u32 vnpu_engines_begin_value_waking(struct vnpu_stream *writer)
{
	struct vnpu_engines *engines = vnpu_engines_of(writer);
	struct vnpu_sched_client *sched = writer->sched;
	u32 count;

	/*
	 * Order the store of the value before the load of the count. Pairs with
	 * smp_mb() in vnpu_engines_add_value_waiter().
	 */
	smp_mb();
	if (!READ_ONCE(sched->nr_value_waiters))
		return 0;
	spin_lock_bh(&engines->lock);
	list_splice_tail_init(&sched->value_waiters, &sched->value_waking);
	count = sched->nr_value_waiters;
	spin_unlock_bh(&engines->lock);
	return count;
}

/**
 * vnpu_engines_wake_value_waiters() - wake a batch of the waiters for a value
 * @writer: the stream that has written the value
 * @left: number of waiters left
 * @cost: increased by the cost of this call
 *
 * Another writer may have woken some of them meanwhile.
 *
 * Return: the number of waiters that are left after this.
 */
u32 vnpu_engines_wake_value_waiters(struct vnpu_stream *writer, u32 left,
				    u64 *cost)
{
	struct vnpu_engines *engines = vnpu_engines_of(writer);
	struct vnpu_sched_client *sched = writer->sched;
	u32 i, count = min_t(u32, left, VNPU_VALUE_BATCH);

	if (!left)
		return 0;
	spin_lock_bh(&engines->lock);
	for (i = 0; i < count && !list_empty(&sched->value_waking); i++) {
		struct vnpu_stream *stream =
			list_first_entry(&sched->value_waking,
					 struct vnpu_stream, run.value_link);

		vnpu_value_waiter_remove_locked(stream);
		vnpu_engines_wake_locked(stream);
	}
	left = list_empty(&sched->value_waking) ? 0 : left - i;
	spin_unlock_bh(&engines->lock);
	vnpu_engines_call_all(engines);
	*cost += (u64)i * VNPU_VALUE_COST;
	return left;
}
