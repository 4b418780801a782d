/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fair queue: choose the next stream to run, by user, client and stream.
 *
 * Users share the engines in proportion to their weights, however many clients
 * they have. The clients of a user share what the user gets, however many
 * streams they have. The streams of a client share by readyq.h. Shares are
 * shares of time. The caller measures the time of each turn and charges it
 * afterwards; turns may have any length, and several engines may run turns at
 * the same time.
 *
 * The algorithm is start-time fair queueing at two levels. Each user and client
 * has a virtual time, which grows by the time of its turns divided by its
 * weight. The sibling with the lowest virtual time is served next. The virtual
 * time of a group of siblings is the highest one at which any of them began a
 * turn. A sibling that becomes ready after having been idle starts at the
 * virtual time of the group: it is served soon, and gets nothing for its idle
 * time. A sibling that always has a turn but cannot use its whole share,
 * because it has fewer streams than there are engines, saves up at most
 * VNPU_FAIR_LAG.
 *
 * The virtual time of a group is not the lowest of its busy siblings, as it
 * would be with a single processor. There, the virtual times of all busy
 * siblings differ by a turn at most. Here, two users of different weights may
 * have one engine each, or share three engines. Then neither takes anything
 * from the other, but one virtual time falls behind without limit. A newcomer
 * that started at the lowest virtual time would keep the leading user off all
 * engines for as long as the gap had been growing. The highest virtual time
 * follows the leader, and VNPU_FAIR_LAG limits the distance of the others.
 *
 * A stream that keeps an engine for long therefore begins a new turn whenever
 * it is charged, even if no other stream waits, see vnpu_fairq_go_on().
 * Otherwise the virtual time would stand still, and a newcomer would start
 * there.
 *
 * Take n siblings of the same weight that are always busy, and turns of at most
 * t. A newcomer gets a turn before any of them gets a second one. Over any
 * period, the shares of two of them differ by at most VNPU_FAIR_LAG and two
 * turns per engine.
 *
 * The caller embeds these structs in its own objects; the queue allocates
 * nothing. All operations are O(log n). Callers serialise.
 */
#ifndef VNPU_CORE_FAIRQ_H
#define VNPU_CORE_FAIRQ_H

#include "readyq.h"

/* Default weight: a user or client of this weight is charged the real time. */
#define VNPU_FAIR_WEIGHT	1024

/* Nanoseconds that a sibling can save up while it has turns. */
#define VNPU_FAIR_LAG		10000000ull

/*
 * Maximum charge for a turn in nanoseconds. A turn that takes longer hangs or
 * was interrupted, and the excess is not charged.
 */
#define VNPU_FAIR_CHARGE_MAX	20000000ull

/**
 * struct vnpu_fair - a user or a client among its siblings
 * @link: private: node in the siblings' @ready
 * @vtime: private: virtual time
 * @weight: private: weight
 * @turns: private: number of turns in progress
 * @is_queued: private: true if in the siblings' @ready
 */
struct vnpu_fair {
	struct rb_node link;
	u64 vtime;
	u32 weight;
	u32 turns;
	bool is_queued;
};

/**
 * struct vnpu_fair_siblings - all users, or the clients of a user
 * @ready: private: the siblings with ready streams, by virtual time
 * @vtime: private: virtual time of the group
 */
struct vnpu_fair_siblings {
	struct rb_root_cached ready;
	u64 vtime;
};

/**
 * struct vnpu_fair_user - a user
 * @fair: private: the user's share
 * @clients: private: the user's clients
 */
struct vnpu_fair_user {
	struct vnpu_fair fair;
	struct vnpu_fair_siblings clients;
};

/**
 * struct vnpu_fair_client - a client
 * @fair: private: the client's share of its user's time
 * @user: private: the client's user
 * @streams: private: the client's ready streams
 */
struct vnpu_fair_client {
	struct vnpu_fair fair;
	struct vnpu_fair_user *user;
	struct vnpu_readyq streams;
};

/**
 * struct vnpu_fairq - the streams that wait for a turn
 * @users: private: the users
 */
struct vnpu_fairq {
	struct vnpu_fair_siblings users;
};

/**
 * vnpu_fairq_init() - initialise an empty queue
 * @q: the queue
 */
void vnpu_fairq_init(struct vnpu_fairq *q);

/**
 * vnpu_fair_user_init() - initialise a user without clients
 * @user: the user
 * @weight: share relative to other users, at least 1; VNPU_FAIR_WEIGHT by
 *	default
 */
void vnpu_fair_user_init(struct vnpu_fair_user *user, u32 weight);

/**
 * vnpu_fair_client_init() - initialise a client without streams
 * @client: the client
 * @user: the client's user, which must outlive the client
 * @weight: share relative to other clients of @user, as for a user
 */
void vnpu_fair_client_init(struct vnpu_fair_client *client,
			   struct vnpu_fair_user *user, u32 weight);

/**
 * vnpu_fairq_push() - enqueue a stream that is ready to run
 * @q: the queue
 * @client: the stream's client
 * @node: the stream, not in the queue
 * @prio: the stream's priority in its client, below VNPU_READY_PRIORITIES
 */
void vnpu_fairq_push(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		     struct vnpu_ready_node *node, unsigned int prio);

/**
 * vnpu_fairq_remove() - dequeue a stream without a turn
 * @q: the queue
 * @client: the stream's client
 * @node: the stream, which need not be in the queue
 */
void vnpu_fairq_remove(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		       struct vnpu_ready_node *node);

/**
 * vnpu_fairq_pop() - dequeue the next stream and begin its turn
 * @q: the queue
 *
 * Return: the stream, or NULL if the queue is empty.
 */
struct vnpu_ready_node *vnpu_fairq_pop(struct vnpu_fairq *q);

/**
 * vnpu_fairq_charge() - charge the time of a turn
 * @q: the queue
 * @client: the stream's client
 * @node: the stream, which has a turn
 * @ns: nanoseconds since the turn began or was last charged
 */
void vnpu_fairq_charge(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		       struct vnpu_ready_node *node, u64 ns);

/**
 * vnpu_fairq_go_on() - end a charged turn and begin the stream's next one
 * @q: the queue, which is empty
 * @client: the stream's client
 * @node: the stream, which has a turn
 * @prio: as for vnpu_fairq_push()
 *
 * This is vnpu_fairq_push(), vnpu_fairq_end() and vnpu_fairq_pop() in one call.
 */
void vnpu_fairq_go_on(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		      struct vnpu_ready_node *node, unsigned int prio);

/**
 * vnpu_fairq_end() - end a charged turn
 * @client: the stream's client
 *
 * If the stream is to run again, the caller must push it before this call.
 * Otherwise a client with a single stream would count as idle between two
 * turns, although it is busy all the time.
 */
void vnpu_fairq_end(struct vnpu_fair_client *client);

/**
 * vnpu_fairq_is_empty() - check if no stream waits
 * @q: the queue
 *
 * Return: true if the queue is empty.
 */
static inline bool vnpu_fairq_is_empty(const struct vnpu_fairq *q)
{
	return RB_EMPTY_ROOT(&q->users.ready.rb_root);
}

#endif
