/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fair queue: choose the next stream to run, by user, client, context and
 * stream.
 *
 * Users share the engines in proportion to their weights, however many clients
 * they have. The clients of a user share its time in the same way, however many
 * contexts they have, and so do the contexts of a client, however many streams
 * they have. The streams of a context share by readyq.h. Shares are shares of
 * time. The caller measures the time of each turn and charges it afterwards;
 * turns may have any length, and several engines may run turns at the same
 * time.
 *
 * Urgent contexts belong to no user and no client here. They share among
 * themselves, and the queue serves them before all other contexts. While other
 * streams wait, these get one of VNPU_FAIR_URGENT_PARTS parts of the time of
 * all engines together. Urgent contexts can take VNPU_FAIR_URGENT_NS in
 * advance, and one more turn on each engine, before other streams get their
 * part. They are at most VNPU_FAIR_URGENT_MAX ahead. Other streams that arrive
 * after a long time of little other work are therefore served alone for at most
 * a 16th of the difference.
 *
 * The algorithm is start-time fair queueing at three levels. Each user, client
 * and context has a virtual time, which grows by the time of its turns divided
 * by its weight. It wraps after 584 years of turns at VNPU_FAIR_WEIGHT, and
 * after 5.8 years at a hundredth of it. The sibling with the lowest virtual
 * time is served next. The virtual time of a group of siblings is the highest
 * one at which any of them began a turn. A sibling that becomes ready after
 * having been idle starts at the virtual time of the group: it is served soon,
 * and gets nothing for its idle time. A sibling that always has a turn but
 * cannot use its whole share, because it has fewer streams than there are
 * engines, saves up at most VNPU_FAIR_LAG of its own turns.
 *
 * The virtual time of a group is not the lowest of its busy siblings, as it
 * would be with a single processor. There, the virtual times of all busy
 * siblings differ by a turn at most. Here, two users of different weights may
 * have one engine each, or share three engines. Then neither takes anything
 * from the other, but one virtual time falls behind without limit. A newcomer
 * that started at the lowest virtual time would keep the leading user off all
 * engines for as long as the gap had been growing. The highest virtual time
 * follows the leader, and VNPU_FAIR_LAG limits the distance of the other
 * siblings.
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

/* Default weight: a turn at this weight is charged with the real time. */
#define VNPU_FAIR_WEIGHT	1000

/*
 * Nanoseconds of turns that a sibling can save up while it has turns. In
 * virtual nanoseconds, this depends on its weight.
 */
#define VNPU_FAIR_LAG		10000000ull

/*
 * Maximum charge for a turn in nanoseconds. A turn that takes longer hangs or
 * was interrupted, and the excess is not charged.
 */
#define VNPU_FAIR_CHARGE_MAX	20000000ull

/* One of this many parts of the time is for contexts that are not urgent. */
#define VNPU_FAIR_URGENT_PARTS	17

/*
 * Nanoseconds that urgent contexts can be ahead of their parts before the queue
 * serves other streams that wait. Also the longest time of one turn that counts
 * for the parts: longer turns hang or were interrupted.
 */
#define VNPU_FAIR_URGENT_NS	100000000ull

/*
 * Maximum number of nanoseconds that urgent contexts can be ahead. Without a
 * limit, the number would grow for as long as other streams wait for less than
 * their part. Streams that arrive later would use all of it at once.
 */
#define VNPU_FAIR_URGENT_MAX	(2 * VNPU_FAIR_URGENT_NS)

struct vnpu_fair_siblings;

/**
 * struct vnpu_fair - a user, a client or a context among its siblings
 * @link: private: node in the siblings' @ready
 * @siblings: private: the siblings
 * @parent: private: the user of a client, the client of a context, or NULL
 * @vtime: private: virtual time
 * @lag: private: VNPU_FAIR_LAG in virtual nanoseconds of this sibling
 * @weight: private: weight
 * @turns: private: number of turns in progress
 * @is_queued: private: true if in the siblings' @ready
 */
struct vnpu_fair {
	struct rb_node link;
	struct vnpu_fair_siblings *siblings;
	struct vnpu_fair *parent;
	u64 vtime;
	u64 lag;
	u32 weight;
	u32 turns;
	bool is_queued;
};

/**
 * struct vnpu_fair_siblings - all users, all urgent contexts, the clients of a
 * user
 *	or the contexts of a client
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
 * @contexts: private: the client's contexts
 */
struct vnpu_fair_client {
	struct vnpu_fair fair;
	struct vnpu_fair_siblings contexts;
};

/**
 * struct vnpu_fair_context - a context
 * @fair: private: the context's share of its client's time, or among urgent
 *	ones
 * @streams: private: the context's ready streams
 */
struct vnpu_fair_context {
	struct vnpu_fair fair;
	struct vnpu_readyq streams;
};

/**
 * struct vnpu_fairq - the streams that wait for a turn
 * @users: private: the users
 * @urgent: private: the urgent contexts
 * @ahead: private: nanoseconds that urgent contexts are ahead of their parts,
 *	at most VNPU_FAIR_URGENT_MAX
 */
struct vnpu_fairq {
	struct vnpu_fair_siblings users;
	struct vnpu_fair_siblings urgent;
	u64 ahead;
};

/**
 * vnpu_fairq_init() - initialise an empty queue
 * @q: the queue
 */
void vnpu_fairq_init(struct vnpu_fairq *q);

/**
 * vnpu_fair_user_init() - initialise a user without clients
 * @user: the user
 * @q: the queue for its streams
 * @weight: share relative to other users, at least 1; VNPU_FAIR_WEIGHT by
 *	default
 */
void vnpu_fair_user_init(struct vnpu_fair_user *user, struct vnpu_fairq *q,
			 u32 weight);

/**
 * vnpu_fair_client_init() - initialise a client without contexts
 * @client: the client
 * @user: the client's user, which must outlive the client
 * @weight: share relative to other clients of @user, as for a user
 */
void vnpu_fair_client_init(struct vnpu_fair_client *client,
			   struct vnpu_fair_user *user, u32 weight);

/**
 * vnpu_fair_context_init() - initialise a context without streams
 * @context: the context
 * @client: the context's client, which must live as long as streams of the
 *	context wait or have turns
 * @weight: share relative to other contexts of @client, as for a user
 */
void vnpu_fair_context_init(struct vnpu_fair_context *context,
			    struct vnpu_fair_client *client, u32 weight);

/**
 * vnpu_fair_context_init_urgent() - initialise an urgent context without
 * streams
 * @context: the context
 * @q: the queue for its streams
 * @weight: share relative to other urgent contexts, as for a user
 */
void vnpu_fair_context_init_urgent(struct vnpu_fair_context *context,
				   struct vnpu_fairq *q, u32 weight);

/**
 * vnpu_fair_context_set_weight() - change the weight of a context
 * @context: the context; its streams may wait or have turns
 * @weight: as for vnpu_fair_context_init()
 *
 * Later charges are by the new weight. If the context has to wait because it
 * got more time than its siblings, it waits from now on as if it got that time
 * at the new weight.
 */
void vnpu_fair_context_set_weight(struct vnpu_fair_context *context, u32 weight);

/**
 * vnpu_fairq_push() - enqueue a stream that is ready to run
 * @context: the stream's context
 * @node: the stream, not in the queue
 * @prio: the stream's priority in its context, below VNPU_READY_PRIORITIES
 */
void vnpu_fairq_push(struct vnpu_fair_context *context,
		     struct vnpu_ready_node *node, unsigned int prio);

/**
 * vnpu_fairq_remove() - dequeue a stream without a turn
 * @context: the stream's context
 * @node: the stream, which need not be in the queue
 */
void vnpu_fairq_remove(struct vnpu_fair_context *context,
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
 * @context: the stream's context
 * @node: the stream, which has a turn
 * @ns: nanoseconds since the turn began or was last charged
 */
void vnpu_fairq_charge(struct vnpu_fairq *q, struct vnpu_fair_context *context,
		       struct vnpu_ready_node *node, u64 ns);

/**
 * vnpu_fairq_go_on() - end a charged turn and begin the stream's next one
 * @q: the queue, which is empty
 * @context: the stream's context
 * @node: the stream, which has a turn
 * @prio: as for vnpu_fairq_push()
 *
 * This is vnpu_fairq_push(), vnpu_fairq_end() and vnpu_fairq_pop() in one call.
 */
void vnpu_fairq_go_on(struct vnpu_fairq *q, struct vnpu_fair_context *context,
		      struct vnpu_ready_node *node, unsigned int prio);

/**
 * vnpu_fairq_end() - end a charged turn
 * @context: the stream's context
 *
 * If the stream is to run again, the caller must push it before this call.
 * Otherwise a context with a single stream would count as idle between two
 * turns, although it is busy all the time.
 */
void vnpu_fairq_end(struct vnpu_fair_context *context);

/**
 * vnpu_fairq_is_empty() - check if no stream waits
 * @q: the queue
 *
 * Return: true if the queue is empty.
 */
static inline bool vnpu_fairq_is_empty(const struct vnpu_fairq *q)
{
	return RB_EMPTY_ROOT(&q->users.ready.rb_root) &&
	       RB_EMPTY_ROOT(&q->urgent.ready.rb_root);
}

#endif
