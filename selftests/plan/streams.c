// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random graphs on several streams, compared with naive algorithms: which
 * operators certainly run after which others, and uses of the same bytes.
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
	op.num_inputs = count;
	if (vnpu_plan_add_op(g->plan, &op))
		abort();
}

static void random_graph(struct graph *g)
{
	uint32_t t, o;

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
}

static uint32_t base_of(const struct graph *g, uint32_t t)
{
	while (g->tensor[t].flags & VNPU_PLAN_VIEW)
		t = g->tensor[t].of;
	return t;
}

/* Includes the views of a tensor, which are the same memory. */
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

/* Operator @op computes @b in the place of @a. */
static bool takes_over(const struct graph *g, uint32_t a, uint32_t b,
		       uint32_t op)
{
	return g->tensor[b].flags & VNPU_PLAN_INPLACE && g->tensor[b].of == a &&
	       b == INPUTS + op &&
	       test_offset(g->plan, a) == test_offset(g->plan, b);
}

/* All uses of @a come before all uses of @b. */
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

/* Check whether operators use @a on one stream and @b on another. */
static bool is_on_others(const struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t i, k, users[2] = { 0 };

	for (i = 0; i < OPS; i++) {
		users[0] += is_user(g, i, a);
		users[1] += is_user(g, i, b);
		for (k = 0; k < OPS; k++)
			if (is_user(g, i, a) && is_user(g, k, b) &&
			    g->stream[i] != g->stream[k])
				return true;
	}
	return !users[0] != !users[1];
}

static bool is_apart(const struct graph *g, uint32_t a, uint32_t b,
		     uint64_t guard)
{
	uint64_t x = test_offset(g->plan, a), y = test_offset(g->plan, b);

	return x + g->tensor[a].size + guard <= y ||
	       y + g->tensor[b].size + guard <= x;
}

static bool is_right(const struct graph *g, uint64_t guard, uint32_t *shared)
{
	uint32_t a, b;

	for (a = 0; a < TENSORS; a++) {
		for (b = a + 1; b < TENSORS; b++) {
			uint32_t x = base_of(g, a), y = base_of(g, b);

			if (x == y || is_apart(g, a, b,
					       is_on_others(g, x, y) ? guard : 0))
				continue;
			*shared += takes_over(g, a, b, b - INPUTS);
			if (!is_before(g, x, y) && !is_before(g, y, x))
				return false;
		}
	}
	return true;
}

/* Operators of one stream run in the order of their positions. */
static bool take_order(struct graph *g, bool is_other)
{
	uint32_t p[OPS], a, b, k;

	for (a = 0; a < OPS; a++)
		if (vnpu_plan_get_position(g->plan, a, &p[a]) ||
		    (!is_other && p[a] != a))
			return false;
	for (a = 0; a < OPS; a++)
		for (b = 0; b < OPS; b++)
			g->after[a][b] |= g->stream[a] == g->stream[b] &&
					  p[a] > p[b];
	for (k = 0; k < OPS; k++)
		for (a = 0; a < OPS; a++)
			for (b = 0; b < OPS; b++)
				g->after[a][b] |= g->after[a][k] &&
						  g->after[k][b];
	for (a = 0; a < OPS; a++)
		for (b = 0; b < OPS; b++)
			if (g->after[a][b] && p[a] <= p[b])
				return false;
	return true;
}

/* Check whether a plan in which operators run again is valid, if there is one. */
static bool is_right_again(struct vnpu_plan *plan, uint64_t capacity,
			   uint32_t *reruns)
{
	struct vnpu_plan_options options = {
		.capacity = capacity, .effort = 50,
	};
	struct vnpu_plan_result result;
	struct vnpu_plan *fits;
	uint64_t peak;

	if (vnpu_plan_recompute(plan, &options, &fits, &result))
		return true;
	EXPECT(!vnpu_plan_check(fits, NULL, 0, &peak));
	EXPECT(peak == result.peak && peak <= capacity);
	*reruns += result.reruns;
	vnpu_plan_destroy(fits);
	return true;
}

static bool test_graphs(void)
{
	uint32_t n, shared = 0, reruns = 0;

	for (n = 0; n < test_plans; n++) {
		struct vnpu_plan_options options = { .effort = 50 };
		struct vnpu_plan_result result;
		uint64_t peak, guard = test_below(2) ? test_below(20) : 0;
		struct graph g;

		random_graph(&g);
		if (!test_below(3))
			options.flags = VNPU_PLAN_REORDER;
		EXPECT(!vnpu_plan_set_guard(g.plan, guard));
		EXPECT(!vnpu_plan_solve(g.plan, &options, &result));
		EXPECT(!vnpu_plan_check(g.plan, NULL, 0, &peak));
		EXPECT(peak == result.peak && peak >= result.bound);
		EXPECT(take_order(&g, options.flags));
		EXPECT(is_right(&g, guard, &shared));
		EXPECT(is_right_again(g.plan, peak - 1, &reruns));
		vnpu_plan_destroy(g.plan);
	}
	/* Enough is computed in place, and some is computed again. */
	EXPECT(shared > test_plans / 10 && reruns > test_plans / 100);
	return true;
}

/*
 * A tensor that is transferred until a barrier is not dropped, even if that
 * would save memory.
 */
static bool test_pinned(void)
{
	const struct vnpu_plan_op ops[] = {
		/* 0 makes the buffer, 1 and 2 work meanwhile, 3 is the barrier. */
		{ .outputs = (const uint32_t[]){ 0 }, .num_outputs = 1,
		  .cost = 1 },
		{ .outputs = (const uint32_t[]){ 1 }, .num_outputs = 1 },
		{ .inputs = (const uint32_t[]){ 1 }, .num_inputs = 1,
		  .outputs = (const uint32_t[]){ 2 }, .num_outputs = 1 },
		{ .inputs = (const uint32_t[]){ 0, 2 }, .num_inputs = 2 },
	};
	static const uint32_t sizes[] = { 100, 100, 1 };
	struct vnpu_plan_options options = { .capacity = 150 };
	struct vnpu_plan_tensor t = { 0 };
	struct vnpu_plan *plan, *fits;
	uint64_t lower, upper;
	uint32_t pinned, i;

	for (pinned = 0; pinned < 2; pinned++) {
		plan = test_plan(NULL, 0);
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			t.size = sizes[i];
			t.flags = VNPU_PLAN_OF_OPS;
			if (!i && pinned)
				t.flags |= VNPU_PLAN_PINNED;
			EXPECT(!vnpu_plan_add_tensor(plan, &t));
		}
		for (i = 0; i < ARRAY_SIZE(ops); i++)
			EXPECT(!vnpu_plan_add_op(plan, &ops[i]));
		EXPECT(!vnpu_plan_solve(plan, NULL, NULL));
		EXPECT(!vnpu_plan_get_life(plan, 0, &lower, &upper));
		EXPECT(lower == 0 && upper == 4);
		EXPECT(vnpu_plan_recompute(plan, &options, &fits, NULL) ==
		       (pinned ? -ENOSPC : 0));
		vnpu_plan_destroy(fits);
		vnpu_plan_destroy(plan);
	}
	t.flags = VNPU_PLAN_PINNED;
	t.upper = 1;
	plan = test_plan(NULL, 0);
	EXPECT(vnpu_plan_add_tensor(plan, &t) == -EINVAL);
	vnpu_plan_destroy(plan);
	return true;
}

/* Two tensors that are kept, the second one made on @stream. */
static struct vnpu_plan *two_streams(uint32_t stream)
{
	struct vnpu_plan *plan = test_plan(NULL, 0);
	struct vnpu_plan_tensor t = {
		.size = 10, .flags = VNPU_PLAN_OF_OPS | VNPU_PLAN_KEEP,
	};
	uint32_t i;

	for (i = 0; i < 2; i++) {
		struct vnpu_plan_op op = {
			.outputs = &i, .num_outputs = 1,
			.stream = i ? stream : 0,
		};

		if (vnpu_plan_add_tensor(plan, &t) ||
		    vnpu_plan_add_op(plan, &op))
			abort();
	}
	return plan;
}

static bool test_guard(void)
{
	struct vnpu_plan_options options = { .capacity = 23 };
	struct vnpu_plan_result result;
	struct vnpu_plan *plan = two_streams(0);
	uint64_t offset[] = { 0, 13 };

	EXPECT(vnpu_plan_set_guard(NULL, 1) == -EINVAL);
	EXPECT(vnpu_plan_set_guard(plan, VNPU_PLAN_MAX_GUARD + 1) == -ERANGE);
	EXPECT(strstr(vnpu_plan_fault(plan), "guard"));
	EXPECT(!vnpu_plan_set_guard(plan, 4));
	EXPECT(!vnpu_plan_solve(plan, NULL, &result) && result.peak == 20);
	vnpu_plan_destroy(plan);

	plan = two_streams(1);
	EXPECT(!vnpu_plan_solve(plan, NULL, &result) && result.peak == 20);
	EXPECT(!vnpu_plan_set_guard(plan, 4));
	EXPECT(vnpu_plan_check(plan, NULL, 0, NULL) == -EINVAL);
	EXPECT(!vnpu_plan_solve(plan, NULL, &result));
	EXPECT(result.peak == 24 && result.bound == 24 && result.optimal);
	EXPECT(result.greedy == 24);
	EXPECT(vnpu_plan_solve(plan, &options, NULL) == -ENOSPC);
	options.capacity = 24;
	EXPECT(!vnpu_plan_solve(plan, &options, NULL));
	options.capacity = UINT64_MAX;
	EXPECT(!vnpu_plan_solve(plan, &options, NULL));
	EXPECT(vnpu_plan_check(plan, offset, 0, NULL) == -EEXIST);
	EXPECT(!strcmp(vnpu_plan_fault(plan),
		       "tensors 0 and 1 are on different streams, and 3 bytes apart"));
	offset[1] = 14;
	EXPECT(!vnpu_plan_check(plan, offset, 0, NULL));
	EXPECT(!vnpu_plan_set_guard(plan, VNPU_PLAN_MAX_GUARD));
	EXPECT(!vnpu_plan_solve(plan, NULL, &result));
	EXPECT(result.peak == VNPU_PLAN_MAX_GUARD + 20);
	vnpu_plan_destroy(plan);
	return true;
}

const struct test stream_tests[] = {
	{ "lifetimes that a barrier ends are pinned", test_pinned },
	{ "a guard between streams", test_guard },
	{ "graphs on streams share memory after its last use", test_graphs },
	{ NULL, NULL },
};
