/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose turn it is: users, of each user the clients, of each client the streams.
 *
 * Users share what there is in proportion to their weights, however many clients
 * they have; clients of a user share what that has, however many streams they
 * have; a client's streams go by readyq.h. Shares are of time, which the caller
 * measures and charges after each turn, whatever number of turns are taken at the
 * same time (by several engines) and however long each is.
 *
 * This is start-time fair queueing at two levels. A user or client has a virtual
 * time, which grows by the time of its turns, divided by its weight; the lowest is
 * served. The virtual time of siblings is the highest with which one of them has
 * begun a turn. A sibling that had nothing to do begins there: it has its turn soon,
 * as it is not behind those that were busy, and gets nothing for the time in which it
 * wanted none. One that is busy all the time and cannot use its share, as it has
 * fewer streams than there are engines, saves up no more than VNPU_FAIR_LAG.
 *
 * The virtual time is not the lowest of those that wait or have a turn, as it is where
 * one processor is shared. There all that are busy have the same virtual time, but
 * for a turn. Here two users may have an engine each, and weigh differently, or have
 * three engines among them: nothing is taken from the one that has less, and its
 * virtual time falls behind without end. A newcomer that began there would keep the
 * other from all engines for as long as that had been so. The highest goes with the
 * other, and those that fall behind are kept within VNPU_FAIR_LAG of it.
 *
 * So a stream that has an engine for long begins a new turn whenever it is charged,
 * even if no other stream waits: vnpu_fairq_go_on(). Otherwise the virtual time would
 * stand still meanwhile, and a newcomer would begin there.
 *
 * With n siblings that are always busy, of the same weight, and turns of at most t,
 * one that comes has its turn before any of them has a second one. The shares of
 * any two over any period differ by at most VNPU_FAIR_LAG and two turns for
 * each engine.
 *
 * The caller embeds these structs in its own; nothing here allocates.
 * All is O(log n). Callers serialise.
 */
#ifndef VNPU_CORE_FAIRQ_H
#define VNPU_CORE_FAIRQ_H

#include "readyq.h"

/* A user or client of this weight is charged what its turns take. */
#define VNPU_FAIR_WEIGHT	1024

/* ns that one may save up while it has turns. */
#define VNPU_FAIR_LAG		10000000ull

/*
 * ns that are charged for a turn at most. One that takes longer hangs, or has been
 * interrupted; that is not paid off by standing still for as long.
 */
#define VNPU_FAIR_CHARGE_MAX	20000000ull

/**
 * struct vnpu_fair - a user or a client, among its siblings
 * @link: private
 * @vtime: private: its virtual time
 * @weight: private
 * @turns: private: that have begun and not ended
 * @is_queued: private
 */
struct vnpu_fair {
	struct rb_node link;
	u64 vtime;
	u32 weight;
	u32 turns;
	bool is_queued;
};

/**
 * struct vnpu_fair_siblings - users, or the clients of a user
 * @ready: private: those with streams that are ready, by virtual time
 * @vtime: private: their virtual time
 */
struct vnpu_fair_siblings {
	struct rb_root_cached ready;
	u64 vtime;
};

/**
 * struct vnpu_fair_user - a user
 * @fair: private: its share
 * @clients: private
 */
struct vnpu_fair_user {
	struct vnpu_fair fair;
	struct vnpu_fair_siblings clients;
};

/**
 * struct vnpu_fair_client - a client
 * @fair: private: its share of what its user has
 * @user: private
 * @streams: private: those that are ready
 */
struct vnpu_fair_client {
	struct vnpu_fair fair;
	struct vnpu_fair_user *user;
	struct vnpu_readyq streams;
};

/**
 * struct vnpu_fairq - all that wait for their turn
 * @users: private
 */
struct vnpu_fairq {
	struct vnpu_fair_siblings users;
};

/**
 * vnpu_fairq_init() - make a queue, empty
 * @q: the queue
 */
void vnpu_fairq_init(struct vnpu_fairq *q);

/**
 * vnpu_fair_user_init() - make a user, with no client
 * @user: the user
 * @weight: VNPU_FAIR_WEIGHT, or more or less, but at least 1
 */
void vnpu_fair_user_init(struct vnpu_fair_user *user, u32 weight);

/**
 * vnpu_fair_client_init() - make a client, with no stream
 * @client: the client
 * @user: whose; it stays as long as the client
 * @weight: among the user's, as of a user
 */
void vnpu_fair_client_init(struct vnpu_fair_client *client,
			   struct vnpu_fair_user *user, u32 weight);

/**
 * vnpu_fairq_push() - let a stream wait for its turn
 * @q: the queue
 * @client: whose
 * @node: the stream, which does not wait
 * @prio: among the client's, below VNPU_READY_PRIORITIES
 */
void vnpu_fairq_push(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		     struct vnpu_ready_node *node, unsigned int prio);

/**
 * vnpu_fairq_remove() - let a stream wait no longer
 * @q: the queue
 * @client: whose
 * @node: the stream, which may not wait
 */
void vnpu_fairq_remove(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		       struct vnpu_ready_node *node);

/**
 * vnpu_fairq_pop() - begin the next turn
 * @q: the queue
 *
 * Return: the stream whose turn it is, which waits no longer, or NULL if none
 * waits.
 */
struct vnpu_ready_node *vnpu_fairq_pop(struct vnpu_fairq *q);

/**
 * vnpu_fairq_charge() - count the time of a turn
 * @q: the queue
 * @client: whose
 * @node: the stream, which has a turn
 * @ns: how long that has taken, since it began or was charged
 */
void vnpu_fairq_charge(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		       struct vnpu_ready_node *node, u64 ns);

/**
 * vnpu_fairq_go_on() - end a turn, which is charged, and begin the stream's next
 * @q: the queue, in which no stream waits
 * @client: whose
 * @node: the stream, which has a turn
 * @prio: as for vnpu_fairq_push()
 *
 * This is what vnpu_fairq_push(), vnpu_fairq_end() and vnpu_fairq_pop() do.
 */
void vnpu_fairq_go_on(struct vnpu_fairq *q, struct vnpu_fair_client *client,
		      struct vnpu_ready_node *node, unsigned int prio);

/**
 * vnpu_fairq_end() - end a turn, which is charged
 * @client: whose
 *
 * If the stream is to wait for the next, it is pushed before this: a client with
 * nothing but turns of one stream has something to do all the time.
 */
void vnpu_fairq_end(struct vnpu_fair_client *client);

/**
 * vnpu_fairq_is_empty() - whether no stream waits
 * @q: the queue
 *
 * Return: that.
 */
static inline bool vnpu_fairq_is_empty(const struct vnpu_fairq *q)
{
	return RB_EMPTY_ROOT(&q->users.ready.rb_root);
}

#endif
