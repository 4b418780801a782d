// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operators that run again: compared with all possible ways for small graphs,
 * and run in any order that their streams permit.
 */
#include "test.h"

#define MAX_OPS		16
#define MAX_ALL		(2 * MAX_OPS)
#define SMALL		7
#define MAX_BYTES	1024
#define NEVER		UINT64_MAX

/* Each operator makes the tensor of its number. */
struct graph {
	uint32_t ops;
	uint32_t reads[MAX_OPS];	/* bits */
	uint32_t wait[MAX_OPS];		/* itself for none */
	uint32_t stream[MAX_OPS];
	uint32_t size[MAX_OPS];
	uint32_t cost[MAX_OPS];
	struct vnpu_plan *plan;
};

static void make_plan(struct graph *g)
{
	uint32_t list[MAX_OPS], o, d;

	g->plan = test_plan(NULL, 0);
	for (o = 0; o < g->ops; o++) {
		struct vnpu_plan_tensor t = {
			.size = g->size[o], .flags = VNPU_PLAN_OF_OPS,
		};

		if (vnpu_plan_add_tensor(g->plan, &t))
			abort();
	}
	for (o = 0; o < g->ops; o++) {
		struct vnpu_plan_op op = {
			.inputs = list, .outputs = &o, .num_outputs = 1,
			.waits = &g->wait[o], .num_waits = g->wait[o] != o,
			.stream = g->stream[o], .cost = g->cost[o],
		};

		for (d = 0; d < o; d++)
			if (g->reads[o] >> d & 1)
				list[op.num_inputs++] = d;
		if (vnpu_plan_add_op(g->plan, &op))
			abort();
	}
}

/* Half of the operators compute, the others read the results in reverse. */
static void random_graph(struct graph *g, uint32_t ops, uint32_t streams)
{
	uint32_t o, d;

	memset(g, 0, sizeof(*g));
	g->ops = ops;
	for (o = 0; o < ops; o++) {
		g->size[o] = 1 + test_below(8);
		g->cost[o] = test_below(8) ? 1 + test_below(9) : 0;
		g->stream[o] = test_below(streams);
		g->wait[o] = o && streams > 1 ? test_below(o) : o;
		if (o && test_below(4))
			g->reads[o] |= 1U << (o - 1);
		if (o > ops / 2)
			g->reads[o] |= 1U << (ops - o);
		for (d = 0; d < o; d++)
			if (!test_below(8))
				g->reads[o] |= 1U << d;
	}
	make_plan(g);
}

static uint32_t held_bytes(const struct graph *g, uint32_t held)
{
	uint32_t bytes = 0, t;

	for (t = 0; t < g->ops; t++)
		bytes += held >> t & 1 ? g->size[t] : 0;
	return bytes;
}

static bool improve(uint64_t *cost, uint64_t to)
{
	bool is_better = to < *cost;

	if (is_better)
		*cost = to;
	return is_better;
}

/*
 * The least cost of any way to run all within @capacity, if held tensors never
 * had to be contiguous: by the next operator, and the held tensors.
 */
static uint64_t least_cost(const struct graph *g, uint64_t capacity)
{
	static uint64_t cost[SMALL + 1][1 << SMALL];
	uint32_t next, held, t;
	uint64_t best = NEVER;
	bool more = true;

	memset(cost, 0xff, sizeof(cost));
	cost[0][0] = 0;
	for (next = 0; next <= g->ops; next++) {
		for (more = true; more; ) {
			more = false;
			for (held = 0; held < 1U << g->ops; held++) {
				uint64_t now = cost[next][held];

				for (t = 0; now != NEVER && t < next; t++) {
					uint32_t bit = 1U << t;

					if (held & bit)
						more |= improve(&cost[next][held & ~bit],
								now);
					else if (g->cost[t] &&
						 !(g->reads[t] & ~held) &&
						 held_bytes(g, held | bit) <= capacity)
						more |= improve(&cost[next][held | bit],
								now + g->cost[t]);
				}
			}
		}
		for (held = 0; next < g->ops && held < 1U << next; held++)
			if (cost[next][held] != NEVER &&
			    !(g->reads[next] & ~held) &&
			    held_bytes(g, held | 1U << next) <= capacity)
				improve(&cost[next + 1][held | 1U << next],
					cost[next][held]);
	}
	for (held = 0; held < 1U << g->ops; held++)
		improve(&best, cost[g->ops][held]);
	return best;
}

/* The operators that run in the plan that fits. */
struct run {
	uint32_t all;
	/* its operator, or the one that it repeats */
	uint32_t op[MAX_ALL];
	uint32_t stream[MAX_ALL];
	uint32_t position[MAX_ALL];
	bool after[MAX_ALL][MAX_ALL];	/* it waits for these */
	/* operator that made each tensor */
	uint32_t read[MAX_ALL][MAX_OPS];
	uint64_t at[MAX_ALL];
	uint8_t state[MAX_ALL];		/* 0, 1 as it runs, 2 */
	uint8_t memory[MAX_BYTES];
};

static bool describe(const struct graph *g, const struct vnpu_plan *fits,
		     uint32_t reruns, struct run *run)
{
	struct vnpu_plan_rerun again;
	uint32_t o, d, t;

	memset(run, 0, sizeof(*run));
	run->all = g->ops + reruns;
	for (o = 0; o < run->all; o++) {
		run->op[o] = o;
		run->stream[o] = o < g->ops ? g->stream[o] : 0;
		if (o >= g->ops) {
			EXPECT(!vnpu_plan_get_rerun(fits, o - g->ops, &again));
			EXPECT(again.tensor == again.op && again.copy == o);
			EXPECT(again.before < o && g->cost[again.op]);
			run->op[o] = again.op;
			run->stream[o] = run->stream[again.before];
		}
		EXPECT(!vnpu_plan_get_position(fits, o, &run->position[o]));
		EXPECT(!vnpu_plan_get_offset(fits, o, &run->at[o]));
	}
	EXPECT(vnpu_plan_get_rerun(fits, reruns, &again) == -ENOENT);
	for (o = 0; o < run->all; o++) {
		for (t = 0; t < g->ops; t++) {
			uint32_t last = t;

			if (!(g->reads[run->op[o]] >> t & 1))
				continue;
			for (d = g->ops; d < run->all; d++)
				if (run->op[d] == t && run->position[d] <
				    run->position[o] && run->position[d] >
				    run->position[last])
					last = d;
			run->read[o][t] = last;
			run->after[o][last] = true;
		}
		d = g->wait[run->op[o]];
		if (d != run->op[o])
			run->after[o][d] = true;
		for (d = 0; d < run->all; d++)
			if (run->stream[d] == run->stream[o] &&
			    run->position[d] < run->position[o])
				run->after[o][d] = true;
	}
	return true;
}

static bool holds(const struct graph *g, const struct run *run, uint32_t o)
{
	uint32_t i;

	for (i = 0; i < g->size[run->op[o]]; i++)
		if (run->memory[run->at[o] + i] != o + 1)
			return false;
	return true;
}

static bool inputs_hold(const struct graph *g, const struct run *run,
			uint32_t o)
{
	uint32_t t;

	for (t = 0; t < g->ops; t++)
		if (g->reads[run->op[o]] >> t & 1 &&
		    !holds(g, run, run->read[o][t]))
			return false;
	return true;
}

static bool may_begin(const struct run *run, uint32_t o)
{
	uint32_t d;

	for (d = 0; d < run->all; d++)
		if (run->after[o][d] && run->state[d] != 2)
			return false;
	return true;
}

/* Each begins when it may, and takes any time. */
static bool execute(const struct graph *g, struct run *run)
{
	uint32_t ended = 0, tries;

	for (tries = 0; ended < run->all; tries++) {
		uint32_t o = test_below(run->all);

		EXPECT(tries < 1000000);
		if (run->state[o] == 2 ||
		    (!run->state[o] && !may_begin(run, o)))
			continue;
		if (!run->state[o])
			memset(run->memory + run->at[o], (int)o + 1,
			       g->size[run->op[o]]);
		EXPECT(inputs_hold(g, run, o) && holds(g, run, o));
		ended += run->state[o]++;
	}
	return true;
}

static bool runs(const struct graph *g, struct vnpu_plan *fits,
		 const struct vnpu_plan_result *result)
{
	struct run run;
	uint32_t i;

	for (i = 0; i < 4; i++) {
		EXPECT(describe(g, fits, result->reruns, &run));
		EXPECT(execute(g, &run));
	}
	EXPECT(!vnpu_plan_check(fits, NULL, 0, NULL));
	return true;
}

/* Never cheaper than the optimum, and mostly equal. */
static bool test_small(void)
{
	uint32_t n, could = 0, did = 0, best = 0, none = 0;
	uint64_t cost = 0, least = 0;

	for (n = 0; n < test_plans / 10; n++) {
		struct vnpu_plan_options options = { .effort = 1000 };
		struct vnpu_plan_result result;
		struct vnpu_plan *fits;
		struct graph g;
		uint64_t all;
		int err;

		random_graph(&g, 2 + test_below(SMALL - 1), 1);
		EXPECT(!vnpu_plan_solve(g.plan, NULL, &result));
		options.capacity = result.peak - 1 -
				   test_below((uint32_t)result.peak / 6 + 1);
		if (!options.capacity)
			options.capacity = 1;
		all = least_cost(&g, options.capacity);
		err = vnpu_plan_recompute(g.plan, &options, &fits, &result);
		EXPECT(!err || err == -ENOSPC);
		EXPECT(err || result.peak <= options.capacity);
		EXPECT(err ? *vnpu_plan_fault(g.plan) && !fits :
			     !*vnpu_plan_fault(g.plan));
		EXPECT(err || (all != NEVER && result.cost >= all));
		could += all != NEVER;
		none += all == NEVER;
		if (!err) {
			EXPECT(runs(&g, fits, &result));
			did++;
			best += result.cost == all;
			cost += result.cost;
			least += all;
		}
		vnpu_plan_destroy(fits);
		vnpu_plan_destroy(g.plan);
	}
	printf("# %u of %u that fit, %u at the least cost, %llu for %llu; %u do not\n",
	       did, could, best, (unsigned long long)cost,
	       (unsigned long long)least, none);
	EXPECT(did > could / 2 && best > did / 2);
	return true;
}

static bool test_streams(void)
{
	uint32_t n, reruns = 0;

	for (n = 0; n < test_plans / 10; n++) {
		struct vnpu_plan_options options = { .effort = 300 };
		struct vnpu_plan_result result;
		struct vnpu_plan *fits;
		struct graph g;
		int err;

		random_graph(&g, MAX_OPS, 1 + test_below(3));
		EXPECT(!vnpu_plan_solve(g.plan, &options, &result));
		options.capacity = result.peak * (3 + test_below(2)) / 5;
		err = vnpu_plan_recompute(g.plan, &options, &fits, &result);
		EXPECT(!err || err == -ENOSPC);
		if (!err) {
			EXPECT(runs(&g, fits, &result));
			reruns += result.reruns;
		}
		vnpu_plan_destroy(fits);
		vnpu_plan_destroy(g.plan);
	}
	EXPECT(reruns > test_plans / 100);
	return true;
}

/* 0 is large, needed at once and at the end; 1 lies between. */
static void make_simple(struct graph *g)
{
	*g = (struct graph){
		.ops = 4, .size = { 10, 1, 10, 1 }, .cost = { 7, 1, 1, 1 },
		.reads = { 0, 1, 2, 5 }, .wait = { 0, 1, 2, 3 },
	};
	g->reads[2] = 1 << 1;
	g->reads[3] = 1 << 0 | 1 << 1;
	make_plan(g);
}

static bool test_simple(void)
{
	struct vnpu_plan_options options = { .capacity = 20 };
	struct vnpu_plan_result result;
	struct vnpu_plan_rerun again;
	struct vnpu_plan *fits;
	struct graph g;

	make_simple(&g);
	EXPECT(vnpu_plan_solve(g.plan, &options, &result) == -ENOSPC);
	EXPECT(result.peak == 21 && !result.reruns && !result.cost);
	EXPECT(!vnpu_plan_recompute(g.plan, &options, &fits, &result));
	EXPECT(result.peak <= 20 && result.reruns == 1 && result.cost == 7);
	EXPECT(!vnpu_plan_get_rerun(fits, 0, &again));
	EXPECT(again.tensor == 0 && again.op == 0 && again.before == 3 &&
	       again.copy == 4);
	EXPECT(vnpu_plan_get_rerun(fits, 1, &again) == -ENOENT);
	EXPECT(vnpu_plan_get_rerun(fits, 0, NULL) == -EINVAL);
	EXPECT(vnpu_plan_get_rerun(NULL, 0, &again) == -EINVAL);
	EXPECT(vnpu_plan_get_rerun(g.plan, 0, &again) == -ENOENT);
	vnpu_plan_destroy(fits);

	/* A plan that fits is unchanged. */
	options.capacity = 21;
	EXPECT(!vnpu_plan_recompute(g.plan, &options, &fits, &result));
	EXPECT(result.peak == 21 && !result.reruns && !result.cost);
	vnpu_plan_destroy(fits);
	vnpu_plan_destroy(g.plan);
	return true;
}

static bool test_refusals(void)
{
	struct vnpu_plan_options options = { .capacity = 10 };
	struct vnpu_plan_result result;
	struct vnpu_plan *fits = NULL;
	struct graph g;

	make_simple(&g);
	EXPECT(vnpu_plan_recompute(NULL, &options, &fits, NULL) == -EINVAL);
	EXPECT(vnpu_plan_recompute(g.plan, NULL, &fits, NULL) == -EINVAL);
	EXPECT(vnpu_plan_recompute(g.plan, &options, NULL, NULL) == -EINVAL);
	EXPECT(vnpu_plan_recompute(g.plan, &options, &fits, &result) ==
	       -ENOSPC);
	EXPECT(!fits && result.peak == 21);
	EXPECT(strstr(vnpu_plan_fault(g.plan), "21 bytes, "));
	options.capacity = 0;
	EXPECT(vnpu_plan_recompute(g.plan, &options, &fits, NULL) == -EINVAL);
	EXPECT(!strcmp(vnpu_plan_fault(g.plan), "options: the capacity is missing"));
	options.capacity = 20;
	options.flags = 1U << 31;
	EXPECT(vnpu_plan_recompute(g.plan, &options, &fits, NULL) == -EINVAL);
	EXPECT(strstr(vnpu_plan_fault(g.plan), "unknown flags"));
	vnpu_plan_destroy(g.plan);

	/* An operator of no cost does not run again. */
	make_simple(&g);
	vnpu_plan_destroy(g.plan);
	g.cost[0] = 0;
	make_plan(&g);
	options.flags = 0;
	EXPECT(vnpu_plan_recompute(g.plan, &options, &fits, NULL) == -ENOSPC);
	vnpu_plan_destroy(g.plan);
	return true;
}

const struct test recompute_tests[] = {
	{ "one operator runs again", test_simple },
	{ "graphs that cannot fit", test_refusals },
	{ "beside all ways to run small graphs", test_small },
	{ "in any order that streams allow", test_streams },
	{ NULL, NULL },
};
