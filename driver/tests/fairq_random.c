// SPDX-License-Identifier: GPL-2.0-only
/* The fair queue at random, compared with a naive model. */
#include "fairq_sim.h"

/*
 * The roots of the model: the parents of all users and of all urgent contexts.
 */
enum { ALL, FIRST, ROOTS };

#define USER(i)		(ROOTS + (i))
#define CLIENT(i)	(USER(NR_USERS) + (i))
#define CONTEXT(i)	(CLIENT(ALL_CLIENTS) + (i))
#define NR_NAIVE	CONTEXT(ALL_CONTEXTS)

/* A user, client or context in the naive model; ties are broken by arrival. */
struct naive {
	u32 parent;
	u32 children, count;	/* the first of them */
	u64 vtime;
	u64 came;
	u64 served;	/* virtual time of its children */
	u32 weight;
	u32 turns;
	u32 waiting;	/* number of streams that wait */
};

static struct naive naive[NR_NAIVE];
static u64 naive_came, naive_ahead;

static void naive_adopt(u32 parent, u32 children, u32 count)
{
	u32 i;

	naive[parent].children = children;
	naive[parent].count = count;
	for (i = children; i < children + count; i++) {
		naive[i].parent = parent;
		naive[i].weight = 1 + tap_below(4 * VNPU_FAIR_WEIGHT);
	}
}

static u64 naive_least(const struct naive *n)
{
	u64 lag = div_u64(VNPU_FAIR_LAG * VNPU_FAIR_WEIGHT, n->weight);
	u64 served = naive[n->parent].served;

	return served > lag ? served - lag : 0;
}

static void naive_push(u32 context)
{
	struct naive *n, *parent;

	for (n = &naive[context]; n >= &naive[ROOTS]; n = parent) {
		u64 least;

		parent = &naive[n->parent];
		least = n->turns ? naive_least(n) : parent->served;
		if (n->waiting++)
			continue;
		if (n->vtime < least)
			n->vtime = least;
		n->came = naive_came++;
	}
}

static void naive_remove(u32 context)
{
	u32 i;

	for (i = context; i >= ROOTS; i = naive[i].parent)
		naive[i].waiting--;
}

/* Return the child of @parent that is served next, or 0. */
static u32 naive_next(u32 parent)
{
	const struct naive *p = &naive[parent];
	u32 i, next = 0;

	for (i = p->children; i < p->children + p->count; i++) {
		const struct naive *n = &naive[i];

		if (!n->waiting)
			continue;
		if (!next || n->vtime < naive[next].vtime ||
		    (n->vtime == naive[next].vtime &&
		     n->came < naive[next].came))
			next = i;
	}
	return next;
}

static u32 naive_first(void)
{
	u32 urgent = naive_next(FIRST), user = naive_next(ALL);

	if (urgent && !(user && naive_ahead >= VNPU_FAIR_URGENT_NS))
		return urgent;
	return user ? naive_next(naive_next(user)) : 0;
}

static void naive_begin(u32 context)
{
	u32 i;

	for (i = context; i >= ROOTS; i = naive[i].parent) {
		struct naive *parent = &naive[naive[i].parent];

		if (parent->served < naive[i].vtime)
			parent->served = naive[i].vtime;
		naive[i].turns++;
		naive[i].waiting--;
	}
}

static void naive_end(u32 context)
{
	u32 i;

	for (i = context; i >= ROOTS; i = naive[i].parent)
		naive[i].turns--;
}

static void naive_balance(u32 context, u64 ns)
{
	if (ns > VNPU_FAIR_URGENT_NS)
		ns = VNPU_FAIR_URGENT_NS;
	if (naive[context].parent == FIRST)
		naive_ahead += naive_next(ALL) ? ns : 0;
	else
		naive_ahead -= naive_ahead < 16 * ns ? naive_ahead : 16 * ns;
	if (naive_ahead > 2 * VNPU_FAIR_URGENT_NS)
		naive_ahead = 2 * VNPU_FAIR_URGENT_NS;
}

static void naive_charge(u32 context, u64 ns)
{
	u32 i;

	ns = ns ?: 1;
	naive_balance(context, ns);
	ns = ns < VNPU_FAIR_CHARGE_MAX ? ns : VNPU_FAIR_CHARGE_MAX;
	for (i = context; i >= ROOTS; i = naive[i].parent) {
		naive[i].vtime += div_u64(ns * VNPU_FAIR_WEIGHT,
					  naive[i].weight) ?: 1;
		naive[i].came = naive_came++;
	}
}

static void naive_set_weight(u32 context, u32 weight)
{
	struct naive *n = &naive[context];
	u64 served = naive[n->parent].served;
	u32 old = n->weight;

	n->weight = weight;
	if (n->vtime <= served) {
		if ((n->turns || n->waiting) && n->vtime < naive_least(n))
			n->vtime = naive_least(n);
		n->came = naive_came++;
	} else {
		n->vtime = served + div_u64((n->vtime - served) * old +
					    weight - 1, weight);
		n->came = naive_came++;
	}
}

static void push_both(u32 context, u32 stream)
{
	sim_push(context, stream);
	naive_push(CONTEXT(context));
}

static void remove_both(u32 context, u32 stream)
{
	if (!sim.node[context][stream].is_queued)
		return;
	vnpu_fairq_remove(&sim.context[context], &sim.node[context][stream]);
	naive_remove(CONTEXT(context));
}

static void set_weight_both(u32 context)
{
	u32 weight = 1 + tap_below(4 * VNPU_FAIR_WEIGHT);

	vnpu_fair_context_set_weight(&sim.context[context], weight);
	naive_set_weight(CONTEXT(context), weight);
}

static bool begin_both(u32 engine)
{
	u32 context = naive_first(), got, stream;

	EXPECT(vnpu_fairq_is_empty(&sim.q) == !context);
	if (!context) {
		EXPECT(!sim_pop(&got, &stream));
		return true;
	}
	EXPECT(sim_pop(&got, &stream) && CONTEXT(got) == context);
	naive_begin(context);
	sim.engine[engine].context = got;
	sim.engine[engine].stream = stream;
	sim.engine[engine].is_busy = true;
	return true;
}

static void end_both(u32 engine)
{
	u32 context = sim.engine[engine].context;
	u32 stream = sim.engine[engine].stream;
	u64 ns = tap_below(16) ? tap_below(300000) : tap_random() >> 20;

	sim_charge(context, stream, ns);
	naive_charge(CONTEXT(context), ns);
	if (tap_below(4))
		push_both(context, stream);
	vnpu_fairq_end(&sim.context[context]);
	naive_end(CONTEXT(context));
	sim.engine[engine].is_busy = false;
}

/* Begin another turn of the same stream, if no other one waits. */
static bool go_on_both(u32 engine)
{
	u32 context = sim.engine[engine].context;
	u64 ns = 1 + tap_below(300000);

	if (naive_first())
		return true;
	sim_charge(context, sim.engine[engine].stream, ns);
	naive_charge(CONTEXT(context), ns);
	sim_go_on(context, sim.engine[engine].stream);
	naive_push(CONTEXT(context));
	naive_end(CONTEXT(context));
	naive_begin(CONTEXT(context));
	EXPECT(vnpu_fairq_is_empty(&sim.q));
	return true;
}

/* Check if a stream has a turn. */
static bool has_turn(u32 context, u32 stream)
{
	u32 i;

	for (i = 0; i < NR_ENGINES; i++)
		if (sim.engine[i].is_busy && sim.engine[i].stream == stream &&
		    sim.engine[i].context == context)
			return true;
	return false;
}

static bool is_as(const struct vnpu_fair *fair, u32 index)
{
	const struct naive *n = &naive[index];

	EXPECT(fair->vtime == n->vtime && fair->turns == n->turns);
	EXPECT(fair->is_queued == !!n->waiting);
	/* Compare the virtual time at which newcomers start. */
	EXPECT(fair->siblings->vtime == naive[n->parent].served);
	return true;
}

static bool is_as_naive(void)
{
	u32 i;

	EXPECT(sim.q.ahead == naive_ahead);
	for (i = 0; i < NR_USERS; i++)
		EXPECT(is_as(&sim.user[i].fair, USER(i)));
	for (i = 0; i < ALL_CLIENTS; i++)
		EXPECT(is_as(&sim.client[i].fair, CLIENT(i)));
	for (i = 0; i < ALL_CONTEXTS; i++)
		EXPECT(is_as(&sim.context[i].fair, CONTEXT(i)));
	return true;
}

static void init_both(void)
{
	u32 i;

	memset(naive, 0, sizeof(naive));
	naive_came = 0;
	naive_ahead = 0;
	naive_adopt(ALL, USER(0), NR_USERS);
	naive_adopt(FIRST, CONTEXT(URGENT), NR_URGENT);
	for (i = 0; i < NR_USERS; i++)
		naive_adopt(USER(i), CLIENT(i * NR_CLIENTS), NR_CLIENTS);
	for (i = 0; i < ALL_CLIENTS; i++)
		naive_adopt(CLIENT(i), CONTEXT(i * NR_CONTEXTS), NR_CONTEXTS);

	sim_init();
	for (i = 0; i < NR_USERS; i++)
		vnpu_fair_user_init(&sim.user[i], &sim.q,
				    naive[USER(i)].weight);
	for (i = 0; i < ALL_CLIENTS; i++)
		vnpu_fair_client_init(&sim.client[i],
				      &sim.user[i / NR_CLIENTS],
				      naive[CLIENT(i)].weight);
	for (i = 0; i < ALL_CONTEXTS; i++)
		vnpu_fair_context_set_weight(&sim.context[i],
					     naive[CONTEXT(i)].weight);
}

bool test_fairq_random(void)
{
	unsigned long step;

	init_both();
	for (step = 0; step < tap_steps; step++) {
		u32 context = tap_below(ALL_CONTEXTS), dice = tap_below(100);
		u32 stream = tap_below(NR_STREAMS);
		u32 engine = tap_below(NR_ENGINES);
		/* Alternate between nearly empty and crowded. */
		u32 leave = step / 1024 % 2 ? 10 : 35;

		if (!tap_below(32))
			set_weight_both(tap_below(ALL_CONTEXTS));
		if (dice < leave) {
			remove_both(context, stream);
		} else if (dice < 40) {
			if (!sim.node[context][stream].is_queued &&
			    !has_turn(context, stream))
				push_both(context, stream);
		} else if (sim.engine[engine].is_busy && dice < 70) {
			EXPECT(go_on_both(engine));
		} else if (sim.engine[engine].is_busy) {
			end_both(engine);
		} else {
			EXPECT(begin_both(engine));
		}
		EXPECT(is_as_naive());
	}
	return true;
}
