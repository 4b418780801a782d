/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated engines that serve a fair queue, to test the shares of its streams.
 */
#ifndef VNPU_TESTS_FAIRQ_SIM_H
#define VNPU_TESTS_FAIRQ_SIM_H

#include "core_test.h"

#define NR_USERS	3
#define NR_CLIENTS	3	/* per user */
#define NR_CONTEXTS	2	/* per client */
#define NR_URGENT	2	/* contexts */
#define NR_STREAMS	32	/* per context */
#define NR_ENGINES	4
#define ALL_CLIENTS	(NR_USERS * NR_CLIENTS)
#define URGENT		(ALL_CLIENTS * NR_CONTEXTS)
#define ALL_CONTEXTS	(URGENT + NR_URGENT)

/* The first context of a client; the urgent ones come after all others. */
#define OF(user, client)	(((user) * NR_CLIENTS + (client)) * NR_CONTEXTS)

/**
 * struct fairq_sim - a queue with users, clients, contexts and streams
 * @q: the queue
 * @user: the users
 * @client: the clients, NR_CLIENTS of each user
 * @context: the contexts, NR_CONTEXTS of each client, then the urgent ones
 * @node: the streams of each context
 * @used: ns that each context was charged
 * @turn: length of each turn of the context's streams, in ns
 * @engine: the engines, each with its current stream and the end of the turn
 */
struct fairq_sim {
	struct vnpu_fairq q;
	struct vnpu_fair_user user[NR_USERS];
	struct vnpu_fair_client client[ALL_CLIENTS];
	struct vnpu_fair_context context[ALL_CONTEXTS];
	struct vnpu_ready_node node[ALL_CONTEXTS][NR_STREAMS];
	u64 used[ALL_CONTEXTS];
	u64 turn[ALL_CONTEXTS];
	struct {
		u32 context, stream;
		bool is_busy;
		u64 end;
	} engine[NR_ENGINES];
};

/* Static, because it is too large for a kernel stack. */
extern struct fairq_sim sim;

/* Begin with an empty queue, the same weight for all, and turns of 100 us. */
void sim_init(void);

void sim_push(u32 context, u32 stream);
void sim_push_all(u32 context, u32 streams);

/* Begin a turn; false if no stream waits. */
bool sim_pop(u32 *context, u32 *stream);

void sim_charge(u32 context, u32 stream, u64 ns);

/* Continue with the same stream, as an engine does if no other one waits. */
void sim_go_on(u32 context, u32 stream);

/* Charge a turn and end it; the stream may wait for the next. */
void sim_end(u32 context, u32 stream, bool again);

/* Let a stream keep its engine for some time while no other one waits. */
void sim_run_alone(u32 context, u32 stream, u64 ns);

/* Run streams that always have work for some time. */
void sim_run(u32 engines, u64 ns);

#endif
