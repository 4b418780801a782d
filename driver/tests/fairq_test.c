// SPDX-License-Identifier: GPL-2.0-only
/* The fair queue: which share of time each gets, and when its turn comes. */
#include "fairq_sim.h"

static bool is_near(u64 value, u64 wanted, u64 slack)
{
	return value + slack >= wanted && value <= wanted + slack;
}

bool test_fairq_order(void)
{
	u32 context, stream, i;

	sim_init();
	EXPECT(vnpu_fairq_is_empty(&sim.q) && !sim_pop(&context, &stream));
	vnpu_fairq_remove(&sim.context[0], &sim.node[0][0]);
	sim_push_all(0, NR_STREAMS);
	EXPECT(!vnpu_fairq_is_empty(&sim.q));

	/*
	 * Another user comes next, however many streams wait; so do another
	 * client and another context.
	 */
	for (i = 0; i < 10; i++) {
		EXPECT(sim_pop(&context, &stream) && context == 0);
		sim_push(OF(1, 0), 0);
		sim_end(context, stream, true);
		EXPECT(sim_pop(&context, &stream) && context == OF(1, 0));
		sim_end(context, stream, false);
	}
	for (i = 0; i < 2; i++) {
		u32 other = i ? 1 : OF(0, 1);

		EXPECT(sim_pop(&context, &stream) && context == 0);
		sim_push(other, 0);
		sim_end(context, stream, true);
		EXPECT(sim_pop(&context, &stream) && context == other);
		sim_end(context, stream, false);
	}

	/* Removed streams are not served. */
	sim_push(1, 0);
	vnpu_fairq_remove(&sim.context[1], &sim.node[1][0]);
	for (i = 0; i < NR_STREAMS; i++)
		vnpu_fairq_remove(&sim.context[0], &sim.node[0][i]);
	EXPECT(vnpu_fairq_is_empty(&sim.q) && !sim_pop(&context, &stream));
	return true;
}

/* Shares are of time, whatever the number of streams and the turn length. */
bool test_fairq_weights(void)
{
	const u64 all = 1000000000;
	const u32 a = OF(0, 0), b = OF(1, 0), c = OF(2, 0);
	u32 i;

	sim_init();
	sim.turn[a] = 250000;
	sim.turn[b] = 40000;
	sim_push_all(a, NR_STREAMS);
	sim_push(b, 0);
	sim_run(1, all);
	EXPECT(is_near(sim.used[a], all / 2, all / 100));
	EXPECT(is_near(sim.used[b], all / 2, all / 100));

	/* A user counts once; its clients share by their weights. */
	sim_init();
	vnpu_fair_client_init(&sim.client[0], &sim.user[0],
			      3 * VNPU_FAIR_WEIGHT);
	vnpu_fair_user_init(&sim.user[2], &sim.q, VNPU_FAIR_WEIGHT / 2);
	for (i = 0; i < 2; i++)
		sim_push_all(OF(0, i), 1 + i * 16);
	for (i = 0; i < NR_CLIENTS; i++)
		sim_push_all(OF(1, i), 8);
	sim_push_all(c, NR_STREAMS);
	sim_run(1, all);
	EXPECT(is_near(sim.used[a], all * 3 / 10, all / 100));
	EXPECT(is_near(sim.used[OF(0, 1)], all / 10, all / 100));
	for (i = 0; i < NR_CLIENTS; i++)
		EXPECT(is_near(sim.used[OF(1, i)], all * 4 / 30, all / 100));
	EXPECT(is_near(sim.used[c], all / 5, all / 100));
	return true;
}

/* A stream uses one engine at most, even if its user's share is larger. */
bool test_fairq_engines(void)
{
	const u64 all = 1000000000;
	const u32 a = OF(0, 0), b = OF(1, 0), c = OF(2, 0);

	sim_init();
	sim.turn[a] = 90000;
	sim_push_all(a, NR_STREAMS);
	sim_push(b, 0);
	sim_run(NR_ENGINES, all);
	EXPECT(is_near(sim.used[b], all, all / 10));
	EXPECT(is_near(sim.used[a], 3 * all, all / 10));

	sim_init();
	sim.turn[a] = 130000;
	sim.turn[c] = 70000;
	sim_push_all(a, NR_STREAMS);
	sim_push_all(b, 2);
	sim_push_all(c, NR_STREAMS / 2);
	sim_run(3, all);
	EXPECT(is_near(sim.used[a], all, all / 25));
	EXPECT(is_near(sim.used[b], all, all / 25));
	EXPECT(is_near(sim.used[c], all, all / 25));
	return true;
}

/*
 * Check that a context saves up no more time than others at any weight. The
 * weights are @weight_a and @weight_b while context a saves up time, and the highest
 * weight while it uses the saved time.
 */
static bool is_lag_limited(u32 weight_a, u32 weight_b)
{
	const u32 a = OF(0, 0), b = a + 1;
	u32 context, stream, of_b, i;
	u64 alone = 0;

	sim_init();
	vnpu_fair_context_set_weight(&sim.context[a], weight_a);
	vnpu_fair_context_set_weight(&sim.context[b], weight_b);
	sim_push(a, 0);
	sim_push_all(b, 2);
	/* Two engines, of which a can only use one. */
	EXPECT(sim_pop(&context, &stream) && context == a);
	EXPECT(sim_pop(&context, &of_b) && context == b);
	for (i = 0; i < 20000; i++) {
		sim_end(b, of_b, true);
		sim_end(a, 0, true);
		EXPECT(sim_pop(&context, &stream) && context == a);
		EXPECT(sim_pop(&context, &of_b) && context == b);
	}
	for (i = 1; i < NR_STREAMS; i++)
		sim_push(a, i);
	vnpu_fair_context_set_weight(&sim.context[a], 100 * VNPU_FAIR_WEIGHT);
	vnpu_fair_context_set_weight(&sim.context[b], 100 * VNPU_FAIR_WEIGHT);
	for (; sim_pop(&context, &stream) && context == a; alone += sim.turn[a])
		sim_end(a, stream, true);
	EXPECT(context == b && alone >= VNPU_FAIR_LAG);
	EXPECT(alone <= 2 * VNPU_FAIR_LAG + 2 * sim.turn[a]);
	return true;
}

/* An unused share is not saved up, and a hang is charged only up to a limit. */
bool test_fairq_lag(void)
{
	const u64 all = 1000000000;
	const u32 a = OF(0, 0), b = OF(1, 0);
	u32 context, stream;
	u64 alone = 0;

	sim_init();
	sim_push_all(a, NR_STREAMS);
	sim_push(b, 0);
	sim_run(NR_ENGINES, all);
	sim.used[a] = 0;
	sim.used[b] = 0;
	sim_push_all(a, NR_STREAMS);
	sim_push_all(b, NR_STREAMS);
	sim_run(NR_ENGINES, all);
	EXPECT(is_near(sim.used[a], 2 * all, all / 25));

	EXPECT(is_lag_limited(100 * VNPU_FAIR_WEIGHT, VNPU_FAIR_WEIGHT));
	EXPECT(is_lag_limited(2, 1));

	/* The only stream of a hangs. */
	sim_init();
	sim_push(a, 0);
	sim_push(b, 0);
	EXPECT(sim_pop(&context, &stream) && context == a);
	sim.turn[a] = 100 * all;
	sim_end(a, 0, true);
	sim.turn[a] = 100000;
	for (;;) {
		EXPECT(sim_pop(&context, &stream));
		if (context == a)
			break;
		alone += sim.turn[b];
		sim_end(b, 0, true);
	}
	EXPECT(alone <= VNPU_FAIR_CHARGE_MAX + 2 * sim.turn[b]);
	return true;
}

/* Check that one stream of each of the two take turns strictly. */
static bool take_turns(u32 early, u32 late)
{
	u32 context, stream, last = NR_STREAMS, i, k;

	for (i = 0; i < 2; i++) {
		for (k = 0; k < 2; k++) {
			EXPECT(sim_pop(&context, &stream));
			EXPECT(context == early || context == late);
			EXPECT(k == 0 || context * NR_STREAMS + stream != last);
			last = context * NR_STREAMS + stream;
			sim_end(context, stream, true);
		}
	}
	return true;
}

/* A stream is not charged later for having run while no other one waited. */
bool test_fairq_alone(void)
{
	const u64 all = 1000000000;
	const u32 a = OF(0, 0), b = OF(1, 0), light = OF(0, 1), new = OF(0, 2);
	static const struct {
		u32 context, stream;
	} late[] = {
		{ OF(1, 0), 0 }, { OF(0, 1), 0 }, { 1, 0 }, { 0, 1 },
	};
	u32 i, context, stream;

	/*
	 * The newcomer: another user, another client, another context, another
	 * stream.
	 */
	for (i = 0; i < 4; i++) {
		sim_init();
		sim_push(a, 0);
		EXPECT(sim_pop(&context, &stream) && context == a && !stream);
		sim_run_alone(a, 0, all);
		sim_push(late[i].context, late[i].stream);
		sim_end(a, 0, true);
		EXPECT(take_turns(a, late[i].context));
	}

	/*
	 * Two clients with an engine each: the lighter one's time grows faster.
	 */
	sim_init();
	vnpu_fair_client_init(&sim.client[1], &sim.user[0],
			      VNPU_FAIR_WEIGHT / 64);
	for (i = 0; i < 2; i++) {
		sim_push(OF(0, i), 0);
		EXPECT(sim_pop(&context, &stream) && context == OF(0, i));
	}
	for (i = 0; i < 1000; i++) {
		sim_run_alone(a, 0, sim.turn[a]);
		sim_run_alone(light, 0, sim.turn[a]);
	}
	sim_end(a, 0, true);
	sim_end(light, 0, true);
	sim_push_all(new, NR_ENGINES);
	memset(sim.used, 0, sizeof(sim.used));
	sim_run(2, all);
	EXPECT(is_near(sim.used[a], all * 128 / 129, all / 20));
	EXPECT(is_near(sim.used[new], all * 128 / 129, all / 20));
	EXPECT(is_near(sim.used[light], 2 * all / 129, all / 100));

	/* Users with different numbers of streams, and a newcomer with many. */
	sim_init();
	sim_push_all(a, 2);
	sim_push(b, 0);
	sim_run(3, all);
	sim_push_all(a, 2);
	sim_push(b, 0);
	sim_push_all(OF(2, 0), NR_STREAMS);
	memset(sim.used, 0, sizeof(sim.used));
	sim_run(3, all);
	for (i = 0; i < NR_USERS; i++)
		EXPECT(is_near(sim.used[OF(i, 0)], all, all / 20));
	return true;
}

/* Check that contexts share the time of their client by weight. */
bool test_fairq_contexts(void)
{
	const u64 all = 1000000000;
	const u32 a = OF(0, 0), b = OF(1, 0);

	sim_init();
	vnpu_fair_context_set_weight(&sim.context[a + 1], 2 * VNPU_FAIR_WEIGHT);
	sim_push_all(a, NR_STREAMS);
	sim_push(a + 1, 0);
	sim_push(b, 0);
	sim_run(1, all);
	EXPECT(is_near(sim.used[a], all / 6, all / 100));
	EXPECT(is_near(sim.used[a + 1], all / 3, all / 100));
	EXPECT(is_near(sim.used[b], all / 2, all / 100));

	/* The highest weight beside the lowest, then the other way round. */
	vnpu_fair_context_set_weight(&sim.context[a], 100 * VNPU_FAIR_WEIGHT);
	vnpu_fair_context_set_weight(&sim.context[a + 1],
				     VNPU_FAIR_WEIGHT / 100);
	memset(sim.used, 0, sizeof(sim.used));
	sim_push_all(a, 2);
	sim_push(a + 1, 0);
	sim_run(1, all);
	EXPECT(is_near(sim.used[a], all, all / 1000));
	vnpu_fair_context_set_weight(&sim.context[a], VNPU_FAIR_WEIGHT);
	vnpu_fair_context_set_weight(&sim.context[a + 1], 4 * VNPU_FAIR_WEIGHT);
	memset(sim.used, 0, sizeof(sim.used));
	sim_push_all(a, 2);
	sim_push(a + 1, 0);
	sim_run(1, all);
	EXPECT(is_near(sim.used[a], all / 5, all / 100));
	EXPECT(is_near(sim.used[a + 1], all * 4 / 5, all / 100));
	return true;
}

/*
 * Check that urgent contexts are served soon, even if other streams asked for
 * less than their part for a long time.
 */
static bool is_soon_after_light(void)
{
	const u64 all = 60000000000;
	const u32 light = OF(0, 0), flood = OF(1, 0);
	u32 context, stream, turns = 0;
	u64 ns;

	sim_init();
	sim.turn[light] = 1000;
	sim.turn[URGENT] = 1000000;
	sim_push(URGENT, 0);
	for (ns = 0; ns < all; ns += sim.turn[context]) {
		EXPECT(sim_pop(&context, &stream));
		if (context == URGENT && !sim.node[light][0].is_queued)
			sim_push(light, 0);
		turns += context == light;
		sim_end(context, 0, context == URGENT);
	}
	EXPECT(turns > all / sim.turn[URGENT] / 2);
	if (sim.node[light][0].is_queued)
		vnpu_fairq_remove(&sim.context[light], &sim.node[light][0]);
	sim_push_all(flood, NR_STREAMS);
	for (ns = 0; sim_pop(&context, &stream) && context == flood;
	     ns += sim.turn[flood])
		sim_end(flood, stream, true);
	EXPECT(context == URGENT);
	EXPECT(ns <= (VNPU_FAIR_URGENT_MAX - VNPU_FAIR_URGENT_NS) /
		     (VNPU_FAIR_URGENT_PARTS - 1) + sim.turn[flood]);
	return true;
}

/*
 * Check that urgent contexts are served first, except for a part of the time.
 */
bool test_fairq_urgent(void)
{
	const u64 all = 1000000000, part = all / VNPU_FAIR_URGENT_PARTS;
	const u32 a = OF(0, 0), b = OF(1, 0);
	u32 context, stream, i;

	sim_init();
	vnpu_fair_context_set_weight(&sim.context[URGENT + 1],
				     3 * VNPU_FAIR_WEIGHT);
	sim.turn[a] = 130000;
	sim.turn[URGENT] = 70000;
	sim_push_all(a, NR_STREAMS);
	sim_push(b, 0);
	sim_push(URGENT, 0);
	sim_push_all(URGENT + 1, 2);
	/* Start at the time when other streams get their part. */
	sim.q.ahead = VNPU_FAIR_URGENT_NS;
	sim_run(1, all);
	EXPECT(is_near(sim.used[a], part / 2, all / 200));
	EXPECT(is_near(sim.used[b], part / 2, all / 200));
	EXPECT(is_near(sim.used[URGENT], (all - part) / 4, all / 50));
	EXPECT(is_near(sim.used[URGENT + 1], (all - part) * 3 / 4, all / 50));

	/* A context that has work now and then is always next. */
	sim_init();
	sim_push_all(a, NR_STREAMS);
	for (i = 0; i < 100; i++) {
		EXPECT(sim_pop(&context, &stream) && context == a);
		sim_push(URGENT, 0);
		sim_end(a, stream, true);
		EXPECT(sim_pop(&context, &stream) && context == URGENT);
		sim_end(URGENT, 0, false);
	}

	/* Only the time in which other streams wait counts. */
	sim_init();
	sim_push(URGENT, 0);
	sim_run(1, all);
	sim_push(URGENT, 0);
	sim_push(a, 0);
	for (i = 0; i < VNPU_FAIR_URGENT_NS / sim.turn[URGENT]; i++) {
		EXPECT(sim_pop(&context, &stream) && context == URGENT);
		sim_end(URGENT, 0, true);
	}
	EXPECT(sim_pop(&context, &stream) && context == a);

	/*
	 * A turn of any length is made up for soon, and does not make up for
	 * more.
	 */
	sim_charge(a, stream, 1000000 * all);
	EXPECT(!sim.q.ahead);
	sim_push(a, stream);
	vnpu_fairq_end(&sim.context[a]);
	EXPECT(sim_pop(&context, &stream) && context == URGENT);
	sim_charge(URGENT, stream, 1000000 * all);
	EXPECT(sim.q.ahead == VNPU_FAIR_URGENT_NS);
	return is_soon_after_light();
}
