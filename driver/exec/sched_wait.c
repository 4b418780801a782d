// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that look again and again for what they wait for, and those that the
 * writing of a value wakes.
 *
 * Whatever number of clients a user has, and streams these, the streams look at a
 * bounded rate: VNPU_PACE_FREE of them whenever they want to, the others in turn,
 * VNPU_PACE_BATCH each VNPU_PACE_NS. Timers are not charged to anybody, nor are they
 * to be as many as there are streams; the looks are turns of engines, which are
 * charged. This holds for all tasks that pause, also for those that find memory, or
 * the client's bindings, in use: a user can have these in use all the time.
 *
 * A task that writes a value wakes its client's streams that wait for one, of the
 * same device, some in each turn until it has woken all that were there.
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

/* How many streams are woken with the lock held. */
#define VNPU_VALUE_BATCH	32

/* What it costs to wake one, in bytes that could have been moved. */
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
 * vnpu_pace_init() - prepare a user whose streams may pause
 * @user: the user, which no engine knows yet
 */
void vnpu_pace_init(struct vnpu_sched_user *user)
{
	INIT_LIST_HEAD(&user->paced);
	vnpu_hrtimer_setup(&user->pace, vnpu_pace_timer, CLOCK_MONOTONIC,
			   HRTIMER_MODE_REL_SOFT);
}

/**
 * vnpu_engines_pace() - have a stream look again when it is its turn to
 * @stream: the stream, with the engine that has it, which is about to pause
 *
 * Return: false if few streams of the user's clients pause: then the caller starts
 * the stream's own timer.
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
	/* If its function is still at the end, it is started anew by this. */
	if (starts)
		hrtimer_start(&user->pace, ns_to_ktime(VNPU_PACE_NS),
			      HRTIMER_MODE_REL_SOFT);
	spin_unlock_bh(&engines->lock);
	return is_paced;
}

/**
 * vnpu_engines_unpace_locked() - a stream pauses no longer
 * @stream: the stream, which may not have paused
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
 * vnpu_engines_add_value_waiter() - wake a stream when values are written
 * @stream: the stream; harmless if it is one already
 *
 * The caller looks at the value after this.
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
	 * The waiter is counted before the caller looks at the value. Pairs with
	 * smp_mb() in vnpu_engines_begin_value_waking().
	 */
	smp_mb();
}

static void vnpu_value_waiter_del_locked(struct vnpu_stream *stream)
{
	struct vnpu_sched_client *sched = stream->sched;

	if (list_empty(&stream->run.value_link))
		return;
	list_del_init(&stream->run.value_link);
	WRITE_ONCE(sched->nr_value_waiters, sched->nr_value_waiters - 1);
}

/**
 * vnpu_engines_remove_value_waiter() - do not
 * @stream: the stream; harmless if it is none
 */
void vnpu_engines_remove_value_waiter(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	vnpu_value_waiter_del_locked(stream);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_are_few_value_waiters() - whether all can be woken at once
 * @writer: the stream that is about to write a value
 *
 * Return: that.
 */
bool vnpu_engines_are_few_value_waiters(const struct vnpu_stream *writer)
{
	return READ_ONCE(writer->sched->nr_value_waiters) <= VNPU_VALUE_BATCH;
}

/**
 * vnpu_engines_begin_value_waking() - a value was written
 * @writer: the stream that wrote it
 *
 * For streams of the same client and device; others find it when they look.
 *
 * Return: how many streams are to be woken, by vnpu_engines_wake_value_waiters().
 */
u32 vnpu_engines_begin_value_waking(struct vnpu_stream *writer)
{
	struct vnpu_engines *engines = vnpu_engines_of(writer);
	struct vnpu_sched_client *sched = writer->sched;
	u32 count;

	/*
	 * The value is written before waiters are looked for. Pairs with smp_mb()
	 * in vnpu_engines_add_value_waiter().
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
 * vnpu_engines_wake_value_waiters() - wake some of those that are to be woken
 * @writer: the stream that wrote a value
 * @left: how many are left
 * @cost: grows by what this costs
 *
 * Another writer may have woken them.
 *
 * Return: how many are left after this.
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

		vnpu_value_waiter_del_locked(stream);
		vnpu_engines_wake_locked(stream);
	}
	left = list_empty(&sched->value_waking) ? 0 : left - i;
	spin_unlock_bh(&engines->lock);
	vnpu_engines_call_all(engines);
	*cost += (u64)i * VNPU_VALUE_COST;
	return left;
}
