// SPDX-License-Identifier: GPL-2.0-only
/* The ready queue, compared with an array per priority and a log of pops. */
#include "core_test.h"

#define NR_NODES	64
#define NR_PRIOS	VNPU_READY_PRIORITIES
/*
 * Maximum number of pops that pass over the head of a priority; see readyq.h.
 */
#define LONGEST		(VNPU_READY_PASSES + NR_PRIOS - 2)

bool test_readyq_order(void)
{
	struct vnpu_ready_node node[5] = { };
	struct vnpu_readyq q;
	u32 i;

	vnpu_readyq_init(&q);
	EXPECT(vnpu_readyq_is_empty(&q) && !vnpu_readyq_pop(&q));
	EXPECT(vnpu_readyq_first(&q) == NR_PRIOS);
	EXPECT(!vnpu_readyq_remove(&q, &node[0]));

	vnpu_readyq_push(&q, &node[4], 7);
	EXPECT(vnpu_readyq_first(&q) == 7);
	vnpu_readyq_charge(&node[2], 1);
	vnpu_readyq_charge(&node[3], 1);
	vnpu_readyq_push(&q, &node[2], 3);
	vnpu_readyq_push(&q, &node[3], 3);
	vnpu_readyq_push(&q, &node[1], 3);
	vnpu_readyq_push(&q, &node[0], 0);
	EXPECT(!vnpu_readyq_is_empty(&q) && vnpu_readyq_first(&q) == 0);
	EXPECT(vnpu_readyq_remove(&q, &node[2]));
	EXPECT(!vnpu_readyq_remove(&q, &node[2]));
	for (i = 0; i < 5; i++)
		if (i != 2)
			EXPECT(vnpu_readyq_pop(&q) == &node[i]);
	EXPECT(vnpu_readyq_is_empty(&q) && !vnpu_readyq_pop(&q));
	return true;
}

/* Priorities that always have work, and one that has some only at times. */
bool test_readyq_starvation(void)
{
	struct vnpu_ready_node node[NR_PRIOS] = { };
	u32 served[NR_PRIOS] = { 0 }, since[NR_PRIOS] = { 0 };
	struct vnpu_readyq q;
	u32 i, prio, round = VNPU_READY_PASSES + NR_PRIOS - 1;

	vnpu_readyq_init(&q);
	for (prio = 0; prio < NR_PRIOS; prio++)
		vnpu_readyq_push(&q, &node[prio], prio);
	for (i = 0; i < 100 * round; i++) {
		struct vnpu_ready_node *n = vnpu_readyq_pop(&q);

		for (prio = 0; prio < NR_PRIOS; prio++)
			EXPECT(since[prio]++ <= LONGEST);
		prio = n - node;
		served[prio]++;
		since[prio] = 0;
		vnpu_readyq_push(&q, n, prio);
	}
	EXPECT(served[0] == 100 * VNPU_READY_PASSES);
	for (prio = 1; prio < NR_PRIOS; prio++)
		EXPECT(served[prio] == 100);

	/* A priority that becomes empty counts its passes from 0 again. */
	vnpu_readyq_init(&q);
	memset(node, 0, sizeof(node));
	vnpu_readyq_push(&q, &node[0], 0);
	for (i = 0; i < 3 * VNPU_READY_PASSES; i++) {
		if (i % VNPU_READY_PASSES == 0)
			vnpu_readyq_push(&q, &node[5], 5);
		EXPECT(vnpu_readyq_pop(&q) == &node[0]);
		vnpu_readyq_push(&q, &node[0], 0);
		if (i % VNPU_READY_PASSES == VNPU_READY_PASSES - 1)
			EXPECT(vnpu_readyq_remove(&q, &node[5]));
	}
	return true;
}

/* A pause is not made up for; a lead in used time is kept. */
bool test_readyq_fair(void)
{
	struct vnpu_ready_node node[2] = { }, *n;
	u32 served[2] = { 0 }, i;
	struct vnpu_readyq q;

	vnpu_readyq_init(&q);
	vnpu_readyq_push(&q, &node[0], 2);
	for (i = 0; i < 100; i++) {
		EXPECT(vnpu_readyq_pop(&q) == &node[0]);
		vnpu_readyq_charge(&node[0], 3);
		vnpu_readyq_push(&q, &node[0], 2);
	}
	vnpu_readyq_push(&q, &node[1], 2);
	for (i = 0; i < 400; i++) {
		n = vnpu_readyq_pop(&q);
		served[n - node]++;
		vnpu_readyq_charge(n, n == node ? 3 : 1);
		vnpu_readyq_push(&q, n, 2);
	}
	EXPECT(served[0] >= 99 && served[0] <= 101);

	/* A change of priority does not reset the used time. */
	EXPECT(vnpu_readyq_remove(&q, &node[0]));
	EXPECT(vnpu_readyq_remove(&q, &node[1]));
	vnpu_readyq_charge(&node[0], 1000);
	vnpu_readyq_push(&q, &node[0], 5);
	for (i = 0; i < 50; i++) {
		vnpu_readyq_push(&q, &node[1], 5);
		EXPECT(vnpu_readyq_pop(&q) == &node[1]);
		vnpu_readyq_charge(&node[1], 10);
	}
	return true;
}

/* The naive model: nodes by number, the log of pops, and where counts began. */
struct waiting {
	u32 node[NR_PRIOS][NR_NODES];
	u32 nr[NR_PRIOS];
	u64 used[NR_NODES];	/* used time of a node, as vtime */
	u8 prio[NR_NODES];	/* last priority of a node */
	u64 served[NR_PRIOS];	/* most used time of a node when popped */
	u8 popped[16 * LONGEST];
	u32 pops;
	u32 since[NR_PRIOS];
};

static u32 waiting_passes(const struct waiting *w, u32 prio)
{
	u32 i, passes = 0;

	for (i = w->since[prio]; i < w->pops; i++)
		passes += w->popped[i % ARRAY_SIZE(w->popped)] < prio;
	return passes;
}

static u32 waiting_next(const struct waiting *w)
{
	u32 prio, first = NR_PRIOS;

	for (prio = NR_PRIOS; prio-- > 0;)
		if (w->nr[prio])
			first = prio;
	for (prio = first; prio < NR_PRIOS; prio++)
		if (w->nr[prio] && waiting_passes(w, prio) >= VNPU_READY_PASSES)
			return prio;
	return first;
}

static void waiting_add(struct waiting *w, u32 prio, u32 number)
{
	u64 lead = w->used[number] - w->served[w->prio[number]];
	u32 *node = w->node[prio];
	u32 at = w->nr[prio];

	if ((s64)lead < 0)
		lead = 0;
	w->used[number] = w->served[prio] + lead;
	w->prio[number] = prio;
	while (at && w->used[node[at - 1]] > w->used[number])
		at--;
	if (!w->nr[prio])
		w->since[prio] = w->pops;
	memmove(&node[at + 1], &node[at], (w->nr[prio]++ - at) * sizeof(*node));
	node[at] = number;
}

static void waiting_remove(struct waiting *w, u32 prio, u32 number)
{
	u32 *node = w->node[prio];
	u32 at = 0;

	while (node[at] != number)
		at++;
	memmove(&node[at], &node[at + 1], (--w->nr[prio] - at) * sizeof(*node));
}

static bool pop_both(struct vnpu_readyq *q, struct waiting *w,
		     struct vnpu_ready_node *node, s8 *prio_of)
{
	struct vnpu_ready_node *got = vnpu_readyq_pop(q);
	u32 number, prio = waiting_next(w);

	if (prio == NR_PRIOS) {
		EXPECT(!got);
		return true;
	}
	number = w->node[prio][0];
	EXPECT(got == &node[number]);
	waiting_remove(w, prio, number);
	if (w->served[prio] < w->used[number])
		w->served[prio] = w->used[number];
	w->popped[w->pops++ % ARRAY_SIZE(w->popped)] = prio;
	w->since[prio] = w->pops;
	prio_of[number] = -1;
	if (tap_below(2)) {
		u32 time = tap_below(1000);

		vnpu_readyq_charge(got, time);
		w->used[number] += time;
	}
	return true;
}

static bool nobody_starves(const struct waiting *w)
{
	u32 prio;

	for (prio = 0; prio < NR_PRIOS; prio++)
		EXPECT(!w->nr[prio] || waiting_passes(w, prio) <= LONGEST);
	return true;
}

bool test_readyq_random(void)
{
	static struct vnpu_ready_node node[NR_NODES];
	static struct waiting w;
	s8 prio_of[NR_NODES];
	struct vnpu_readyq q;
	unsigned long step;

	vnpu_readyq_init(&q);
	memset(node, 0, sizeof(node));
	memset(&w, 0, sizeof(w));
	memset(prio_of, -1, sizeof(prio_of));
	for (step = 0; step < tap_steps; step++) {
		/* Alternate between nearly empty and nearly full. */
		u32 busy = step / 1024 % 2 ? 60 : 30;
		u32 number = tap_below(NR_NODES), dice = tap_below(100);
		u32 prio = tap_below(4) ? tap_below(2) : tap_below(NR_PRIOS);

		if (dice >= busy) {
			EXPECT(pop_both(&q, &w, node, prio_of));
		} else if (dice < 3) {
			EXPECT(vnpu_readyq_remove(&q, &node[number]) ==
			       (prio_of[number] >= 0));
			if (prio_of[number] >= 0)
				waiting_remove(&w, prio_of[number], number);
			prio_of[number] = -1;
		} else if (prio_of[number] < 0) {
			waiting_add(&w, prio, number);
			prio_of[number] = prio;
			vnpu_readyq_push(&q, &node[number], prio);
		}
		for (prio = 0; prio < NR_PRIOS && !w.nr[prio]; prio++)
			;
		EXPECT(vnpu_readyq_first(&q) == prio);
		EXPECT(vnpu_readyq_is_empty(&q) == (prio == NR_PRIOS));
		EXPECT(nobody_starves(&w));
	}
	return true;
}
