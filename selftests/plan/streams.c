// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random graphs on several streams, beside what is naive: which operator
 * certainly runs after which other, and who uses which bytes.
 */
#include "test.h"

#define OPS		14
#define INPUTS		2
#define TENSORS		(INPUTS + OPS)
#define STREAMS		3

struct graph {
	/* Inputs are first, and operator o makes tensor INPUTS + o. */
	struct vnpu_plan_tensor tensor[TENSORS];
	bool uses[OPS][TENSORS];	/* makes, or reads */
	bool after[OPS][OPS];		/* certainly runs later */
	uint32_t stream[OPS];
	struct vnpu_plan *plan;
};

static void random_tensor(struct graph *g, uint32_t t, const uint32_t *reads,
			  uint32_t count)
{
	struct vnpu_plan_tensor *in = &g->tensor[t];

	*in = (struct vnpu_plan_tensor){
		.size = 16 + 16 * test_below(2), .flags = VNPU_PLAN_OF_OPS,
	};
	if (!test_below(8))
		in->flags |= VNPU_PLAN_KEEP;
	if (!count || test_below(3))
		return;
	in->of = reads[test_below(count)];
	if (test_below(3)) {
		in->flags |= VNPU_PLAN_INPLACE;
		in->size = g->tensor[in->of].size;
	} else {
		in->flags |= VNPU_PLAN_VIEW;
		in->size = 1 + test_below((uint32_t)g->tensor[in->of].size);
		in->offset = test_below((uint32_t)(g->tensor[in->of].size -
						   in->size + 1));
	}
}

static void random_op(struct graph *g, uint32_t o)
{
	uint32_t t = INPUTS + o, reads[TENSORS], waits[1], count = 0, i;
	struct vnpu_plan_op op = {
		.inputs = reads, .outputs = &t, .waits = waits,
		.num_outputs = 1, .cost = test_below(3),
		.stream = test_below(STREAMS),
	};

	g->stream[o] = op.stream;
	for (i = 0; i < t; i++) {
		if (test_below(6))
			continue;
		g->uses[o][i] = true;
		reads[count++] = i;
		if (i >= INPUTS)
			g->after[o][i - INPUTS] = true;
	}
	g->uses[o][t] = true;
	random_tensor(g, t, reads, count);
	if (vnpu_plan_add_tensor(g->plan, &g->tensor[t]))
		abort();
	if (o && test_below(2)) {
		waits[0] = test_below(o);
		op.num_waits = 1;
		g->after[o][waits[0]] = true;
	}
	for (i = 0; i < o; i++)
		g->after[o][i] |= g->stream[i] == op.stream;
	op.num_inputs = count;
	if (vnpu_plan_add_op(g->plan, &op))
		abort();
}

static void random_graph(struct graph *g)
{
	uint32_t t, o, d, k;

	memset(g, 0, sizeof(*g));
	g->plan = test_plan(NULL, 0);
	for (t = 0; t < INPUTS; t++) {
		random_tensor(g, t, NULL, 0);
		g->tensor[t].flags |= VNPU_PLAN_KEEP;
		if (vnpu_plan_add_tensor(g->plan, &g->tensor[t]))
			abort();
	}
	for (o = 0; o < OPS; o++)
		random_op(g, o);
	for (k = 0; k < OPS; k++)
		for (o = 0; o < OPS; o++)
			for (d = 0; d < OPS; d++)
				g->after[o][d] |= g->after[o][k] &&
						  g->after[k][d];
}

static uint32_t base_of(const struct graph *g, uint32_t t)
{
	while (g->tensor[t].flags & VNPU_PLAN_VIEW)
		t = g->tensor[t].of;
	return t;
}

/* With the views of a tensor, which are the same memory. */
static bool is_user(const struct graph *g, uint32_t op, uint32_t base)
{
	uint32_t t;

	for (t = 0; t < TENSORS; t++)
		if (g->uses[op][t] && base_of(g, t) == base)
			return true;
	return false;
}

static bool is_kept(const struct graph *g, uint32_t base)
{
	uint32_t t;

	for (t = 0; t < TENSORS; t++)
		if (g->tensor[t].flags & VNPU_PLAN_KEEP &&
		    base_of(g, t) == base)
			return true;
	return false;
}

/* Operator @op makes @b of what it reads in @a. */
static bool takes_over(const struct graph *g, uint32_t a, uint32_t b,
		       uint32_t op)
{
	return g->tensor[b].flags & VNPU_PLAN_INPLACE && g->tensor[b].of == a &&
	       b == INPUTS + op &&
	       test_offset(g->plan, a) == test_offset(g->plan, b);
}

/* All that is done with @a comes before all that is done with @b. */
static bool is_before(const struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t i, k;

	if (is_kept(g, a) || b < INPUTS)
		return false;
	for (i = 0; i < OPS; i++)
		for (k = 0; k < OPS; k++)
			if (is_user(g, i, a) && is_user(g, k, b) &&
			    !g->after[k][i] &&
			    !(i == k && takes_over(g, a, b, i)))
				return false;
	return true;
}

static bool is_apart(const struct graph *g, uint32_t a, uint32_t b)
{
	uint64_t x = test_offset(g->plan, a), y = test_offset(g->plan, b);

	return x + g->tensor[a].size <= y || y + g->tensor[b].size <= x;
}

static bool is_right(const struct graph *g, uint32_t *shared)
{
	uint32_t a, b;

	for (a = 0; a < TENSORS; a++) {
		for (b = a + 1; b < TENSORS; b++) {
			uint32_t x = base_of(g, a), y = base_of(g, b);

			if (x == y || is_apart(g, a, b))
				continue;
			*shared += takes_over(g, a, b, b - INPUTS);
			if (!is_before(g, x, y) && !is_before(g, y, x))
				return false;
		}
	}
	return true;
}

static bool keeps_order(const struct graph *g)
{
	uint32_t p[OPS], a, b;

	for (a = 0; a < OPS; a++)
		if (vnpu_plan_get_position(g->plan, a, &p[a]))
			return false;
	for (a = 0; a < OPS; a++)
		for (b = 0; b < OPS; b++)
			if (g->after[a][b] && p[a] <= p[b])
				return false;
	return true;
}

static bool test_graphs(void)
{
	uint32_t n, shared = 0;

	for (n = 0; n < test_plans; n++) {
		struct vnpu_plan_options options = { .effort = 50 };
		struct vnpu_plan_result result;
		uint64_t peak;
		struct graph g;

		random_graph(&g);
		EXPECT(!vnpu_plan_solve(g.plan, &options, &result));
		EXPECT(!vnpu_plan_check(g.plan, NULL, 0, &peak));
		EXPECT(peak == result.peak && peak >= result.bound);
		EXPECT(keeps_order(&g) && is_right(&g, &shared));
		vnpu_plan_destroy(g.plan);
	}
	/* Enough is computed in place. */
	EXPECT(shared > test_plans / 10);
	return true;
}

const struct test stream_tests[] = {
	{ "graphs on streams share what is over", test_graphs },
	{ NULL, NULL },
};
