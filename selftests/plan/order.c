// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another order of operators: compared with all orders of small graphs, and
 * checked for general properties on any graph.
 */
#include "test.h"

#define MAX_OPS		24
#define SMALL		7

/* Each operator makes the tensor of its number. */
struct graph {
	uint32_t ops;
	uint32_t reads[MAX_OPS];	/* bits */
	uint32_t wait[MAX_OPS];		/* itself for none */
	uint32_t stream[MAX_OPS];
	uint32_t size[MAX_OPS];
	bool keep[MAX_OPS];
	struct vnpu_plan *plan;
};

static void add_tensors(struct graph *g, bool has_shared)
{
	uint32_t t;

	for (t = 0; t < g->ops; t++) {
		struct vnpu_plan_tensor tensor = {
			.size = g->size[t],
			.flags = VNPU_PLAN_OF_OPS |
				 (g->keep[t] ? VNPU_PLAN_KEEP : 0),
		};

		if (has_shared && g->reads[t] && !test_below(4)) {
			tensor.of = (uint32_t)__builtin_ctz(g->reads[t]);
			tensor.size = g->size[t] = g->size[tensor.of];
			tensor.flags |= test_below(2) ? VNPU_PLAN_INPLACE :
							VNPU_PLAN_VIEW;
		}
		if (vnpu_plan_add_tensor(g->plan, &tensor))
			abort();
	}
}

static void make_graph(struct graph *g, uint32_t ops, uint32_t streams,
		       bool has_shared)
{
	uint32_t list[MAX_OPS], o, d;

	memset(g, 0, sizeof(*g));
	g->ops = ops;
	g->plan = test_plan(NULL, 0);
	for (o = 0; o < ops; o++) {
		g->size[o] = test_below(20);
		g->keep[o] = !test_below(10);
		g->stream[o] = test_below(streams);
		g->wait[o] = o && !test_below(4) ? test_below(o) : o;
		for (d = 0; d < o; d++)
			if (!test_below(o < 4 ? 2 : o / 2))
				g->reads[o] |= 1U << d;
	}
	add_tensors(g, has_shared);
	for (o = 0; o < ops; o++) {
		struct vnpu_plan_op op = {
			.inputs = list, .outputs = &o, .num_outputs = 1,
			.waits = &g->wait[o], .num_waits = g->wait[o] != o,
			.stream = g->stream[o], .cost = test_below(3),
		};

		for (d = 0; d < o; d++)
			if (g->reads[o] >> d & 1)
				list[op.num_inputs++] = d;
		/* Reading a tensor twice counts as reading it. */
		if (op.num_inputs && op.num_inputs < MAX_OPS)
			list[op.num_inputs++] = list[0];
		if (vnpu_plan_add_op(g->plan, &op))
			abort();
	}
}

/* Bytes that are alive as operator @o runs, after the operators in @done. */
static uint32_t alive(const struct graph *g, uint32_t done, uint32_t o)
{
	uint32_t bytes = g->size[o], t, r;

	for (t = 0; t < g->ops; t++) {
		bool is_needed = g->keep[t];

		for (r = 0; r < g->ops; r++)
			is_needed |= g->reads[r] >> t & 1 && !(done >> r & 1);
		if (done >> t & 1 && is_needed)
			bytes += g->size[t];
	}
	return bytes;
}

/* The best of all orders, by the set of completed operators. */
static uint64_t least_peak(const struct graph *g)
{
	static uint64_t peak[1 << SMALL];
	uint32_t done, o, all = (1U << g->ops) - 1;

	memset(peak, 0xff, sizeof(peak));
	peak[0] = 0;
	for (done = 0; done < all; done++) {
		for (o = 0; o < g->ops && peak[done] != UINT64_MAX; o++) {
			uint64_t now = alive(g, done, o);
			uint32_t needs = g->reads[o];

			if (g->wait[o] != o)
				needs |= 1U << g->wait[o];
			if (done >> o & 1 || needs & ~done)
				continue;
			if (now < peak[done])
				now = peak[done];
			if (now < peak[done | 1U << o])
				peak[done | 1U << o] = now;
		}
	}
	return peak[all];
}

static bool test_small(void)
{
	const struct vnpu_plan_options options = {
		.effort = 100, .flags = VNPU_PLAN_REORDER,
	};
	uint32_t n, better = 0;

	for (n = 0; n < test_plans; n++) {
		struct vnpu_plan_result before, after;
		struct graph g;

		make_graph(&g, 1 + test_below(SMALL), 1, false);
		EXPECT(!vnpu_plan_solve(g.plan, NULL, &before));
		EXPECT(!vnpu_plan_solve(g.plan, &options, &after));
		EXPECT(after.bound_time < g.ops);
		EXPECT(after.peak >= least_peak(&g));
		better += after.peak < before.peak;
		/* A search may raise the bound above the sum. */
		if (after.bound != least_peak(&g))
			EXPECT(after.optimal && after.peak > least_peak(&g));
		EXPECT(!vnpu_plan_check(g.plan, NULL, 0, NULL));
		vnpu_plan_destroy(g.plan);
	}
	printf("# %u of %u need less in another order\n", better, n);
	EXPECT(better > n / 20);
	return true;
}

/* No operator before its dependencies, and each once. */
static bool is_order(const struct graph *g)
{
	uint32_t at[MAX_OPS], o, d, seen = 0;

	for (o = 0; o < g->ops; o++) {
		EXPECT(!vnpu_plan_get_position(g->plan, o, &at[o]));
		EXPECT(at[o] < g->ops);
		seen |= 1U << at[o];
		EXPECT(g->wait[o] == o || at[g->wait[o]] < at[o]);
		for (d = 0; d < o; d++)
			EXPECT(!(g->reads[o] >> d & 1) || at[d] < at[o]);
	}
	EXPECT(seen == (1U << g->ops) - 1);
	return true;
}

static bool test_any(void)
{
	const struct vnpu_plan_options options = {
		.flags = VNPU_PLAN_GREEDY | VNPU_PLAN_REORDER,
	}, greedy = { .flags = VNPU_PLAN_GREEDY };
	uint32_t n;

	for (n = 0; n < test_plans; n++) {
		struct vnpu_plan_result before, after, again;
		struct graph g;

		make_graph(&g, 1 + test_below(MAX_OPS), 1 + test_below(3), true);
		EXPECT(!vnpu_plan_solve(g.plan, &greedy, &before));
		EXPECT(!vnpu_plan_solve(g.plan, &options, &after));
		EXPECT(after.bound <= before.bound);
		EXPECT(is_order(&g));
		EXPECT(!vnpu_plan_check(g.plan, NULL, 0, NULL));
		/* Solving again does not change it. */
		EXPECT(!vnpu_plan_solve(g.plan, &greedy, &again));
		EXPECT(again.bound == after.bound && again.peak == after.peak);
		vnpu_plan_destroy(g.plan);
	}
	return true;
}

/* A later solution respects all dependencies. */
static bool test_recompute(void)
{
	struct vnpu_plan_options options = {
		.effort = 300, .flags = VNPU_PLAN_REORDER,
		.time_limit_ns = UINT64_C(3600) * 1000000000,
	};
	uint32_t n;

	for (n = 0; n < test_plans / 10; n++) {
		struct vnpu_plan_result before, after;
		struct vnpu_plan *fits;
		struct graph g;
		int err;

		make_graph(&g, 1 + test_below(MAX_OPS), 1 + test_below(2),
			   false);
		EXPECT(!vnpu_plan_solve(g.plan, NULL, &before));
		options.capacity = before.peak * 4 / 5 + 1;
		err = vnpu_plan_recompute(g.plan, &options, &fits, &after);
		EXPECT(!err || err == -ENOSPC);
		EXPECT(err || after.peak <= options.capacity);
		EXPECT(err || !vnpu_plan_check(fits, NULL, 0, NULL));
		vnpu_plan_destroy(fits);
		/* Without time, the greedy result is left. */
		options.time_limit_ns = 1;
		err = vnpu_plan_recompute(g.plan, &options, &fits, &after);
		EXPECT(!err || err == -ENOSPC);
		EXPECT(err || !vnpu_plan_check(fits, NULL, 0, NULL));
		options.time_limit_ns = UINT64_C(3600) * 1000000000;
		vnpu_plan_destroy(fits);
		vnpu_plan_destroy(g.plan);
	}
	return true;
}

/* Many at once, each of which needs a large tensor for a moment. */
static bool test_wide(void)
{
	const struct vnpu_plan_options options = {
		.flags = VNPU_PLAN_GREEDY | VNPU_PLAN_REORDER,
	};
	const uint32_t pairs = 3000;
	struct vnpu_plan *plan = test_plan(NULL, 0);
	struct vnpu_plan_result result;
	uint32_t i;

	for (i = 0; i < 2 * pairs; i++) {
		struct vnpu_plan_tensor t = {
			.size = i < pairs ? 1000 : 1,
			.flags = VNPU_PLAN_OF_OPS |
				 (i < pairs ? 0 : VNPU_PLAN_KEEP),
		};

		EXPECT(!vnpu_plan_add_tensor(plan, &t));
	}
	for (i = 0; i < 2 * pairs; i++) {
		uint32_t input = i - pairs;
		struct vnpu_plan_op op = {
			.inputs = &input, .num_inputs = i >= pairs,
			.outputs = &i, .num_outputs = 1,
		};

		EXPECT(!vnpu_plan_add_op(plan, &op));
	}
	EXPECT(!vnpu_plan_solve(plan, &options, &result));
	EXPECT(result.bound == 1000 + pairs);
	EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
	vnpu_plan_destroy(plan);
	return true;
}

const struct test order_tests[] = {
	{ "beside all orders of small graphs", test_small },
	{ "another order is one", test_any },
	{ "before operators run again", test_recompute },
	{ "of a wide graph", test_wide },
	{ NULL, NULL },
};
