// SPDX-License-Identifier: GPL-2.0-only
/* Operators: their order, the lives that follow from it, and invalid graphs. */
#include "test.h"

#define OPS		24
#define STREAMS		3

static void add_tensor(struct vnpu_plan *plan, uint64_t size, uint32_t flags)
{
	struct vnpu_plan_tensor t = {
		.size = size, .flags = VNPU_PLAN_OF_OPS | flags,
	};

	if (vnpu_plan_add_tensor(plan, &t))
		abort();
}

static int add_op(struct vnpu_plan *plan, uint32_t in, uint32_t out)
{
	struct vnpu_plan_op op = {
		.inputs = &in, .num_inputs = 1, .outputs = &out,
		.num_outputs = 1,
	};

	return vnpu_plan_add_op(plan, &op);
}

static bool lives(const struct vnpu_plan *plan, uint32_t tensor, uint64_t from,
		  uint64_t to)
{
	uint64_t lower, upper;

	return !vnpu_plan_get_life(plan, tensor, &lower, &upper) &&
	       lower == from && upper == to;
}

/* 0 -> a -> 1 -> b -> 2 -> c -> 3, with the operators in another order. */
static bool test_order(void)
{
	struct vnpu_plan *plan = test_plan(NULL, 0);
	struct vnpu_plan_result result;
	uint32_t position, i;

	for (i = 0; i < 4; i++)
		add_tensor(plan, 10, i == 3 ? VNPU_PLAN_KEEP : 0);
	for (i = 0; i < 3; i++) {
		uint32_t in = 2 - i, out = 3 - i;
		struct vnpu_plan_op op = {
			.inputs = &in, .num_inputs = 1, .outputs = &out,
			.num_outputs = 1, .stream = i,
		};

		EXPECT(!vnpu_plan_add_op(plan, &op));
	}
	EXPECT(!vnpu_plan_solve(plan, NULL, &result));
	for (i = 0; i < 3; i++) {
		EXPECT(!vnpu_plan_get_position(plan, i, &position));
		EXPECT(position == 2 - i);
	}
	EXPECT(lives(plan, 0, 0, 1) && lives(plan, 1, 0, 2));
	EXPECT(lives(plan, 2, 1, 3) && lives(plan, 3, 2, 3));
	EXPECT(result.peak == 20 && result.optimal);
	EXPECT(vnpu_plan_get_position(plan, 3, &position) == -ENOENT);
	EXPECT(vnpu_plan_get_position(plan, 0, NULL) == -EINVAL);
	EXPECT(vnpu_plan_get_life(plan, 4, NULL, NULL) == -EINVAL);
	vnpu_plan_destroy(plan);
	return true;
}

static bool test_refusals(void)
{
	struct vnpu_plan_tensor own = { .size = 1, .upper = 1 };
	struct vnpu_plan_op op = { .num_inputs = 1 };
	struct vnpu_plan *plan = test_plan(&own, 1);
	struct vnpu_plan_gap gap = { .upper = 1 };
	uint32_t i, none = 9, wait = 5;

	EXPECT(vnpu_plan_add_op(plan, NULL) == -EINVAL);
	EXPECT(vnpu_plan_add_op(plan, &op) == -EINVAL);
	op.inputs = &none;
	EXPECT(vnpu_plan_add_op(plan, &op) == -ENOENT);
	none = 0;
	EXPECT(vnpu_plan_add_op(plan, &op) == -EINVAL);
	EXPECT(strstr(vnpu_plan_fault(plan), "tensor 0 has its own lifetime"));
	op.num_inputs = 0;
	op.stream = 64;
	EXPECT(vnpu_plan_add_op(plan, &op) == -ERANGE);
	op.stream = 0;
	op.cost = VNPU_PLAN_MAX_COST + 1;
	EXPECT(vnpu_plan_add_op(plan, &op) == -ERANGE);
	op.cost = 0;
	op.num_waits = 1;
	EXPECT(vnpu_plan_add_op(plan, &op) == -EINVAL);

	own.flags = VNPU_PLAN_OF_OPS;
	EXPECT(vnpu_plan_add_tensor(plan, &own) == -EINVAL);
	own.flags = VNPU_PLAN_KEEP;
	EXPECT(vnpu_plan_add_tensor(plan, &own) == -EINVAL);
	for (i = 0; i < 3; i++)
		add_tensor(plan, 1, 0);
	EXPECT(vnpu_plan_add_gap(plan, 1, &gap) == -EINVAL);
	EXPECT(vnpu_plan_solve(plan, NULL, NULL) == -EINVAL);
	EXPECT(!strcmp(vnpu_plan_fault(plan), "tensor 1: no operator uses it"));

	/* 1 -> 2 -> 3 -> 1 */
	EXPECT(!add_op(plan, 1, 2) && !add_op(plan, 2, 3));
	EXPECT(!vnpu_plan_solve(plan, NULL, NULL));
	EXPECT(!add_op(plan, 3, 1));
	EXPECT(vnpu_plan_solve(plan, NULL, NULL) == -ELOOP);
	EXPECT(strstr(vnpu_plan_fault(plan), "depends on itself"));
	EXPECT(!add_op(plan, 2, 3));
	EXPECT(vnpu_plan_solve(plan, NULL, NULL) == -EEXIST);
	EXPECT(!strcmp(vnpu_plan_fault(plan),
		       "tensor 3: operators 1 and 3 both make it"));
	vnpu_plan_destroy(plan);

	plan = test_plan(NULL, 0);
	op.waits = &wait;
	EXPECT(!vnpu_plan_add_op(plan, &op));
	EXPECT(vnpu_plan_solve(plan, NULL, NULL) == -ENOENT);
	vnpu_plan_destroy(plan);
	plan = test_plan(NULL, 0);
	wait = 0;
	EXPECT(!vnpu_plan_add_op(plan, &op));
	EXPECT(vnpu_plan_solve(plan, NULL, NULL) == -ELOOP);
	vnpu_plan_destroy(plan);
	return true;
}

struct graph {
	/* By operator: each makes the tensor of its number. */
	bool reads[OPS][OPS];
	bool after[OPS][OPS];	/* certainly runs later */
	uint32_t stream[OPS];
};

static struct vnpu_plan *random_graph(struct graph *g)
{
	struct vnpu_plan *plan = test_plan(NULL, 0);
	uint32_t list[OPS], waits[1], o, d, k;

	memset(g, 0, sizeof(*g));
	for (o = 0; o < OPS; o++)
		add_tensor(plan, 1 + test_below(50), 0);
	for (o = 0; o < OPS; o++) {
		struct vnpu_plan_op op = {
			.inputs = list, .outputs = &o, .waits = waits,
			.num_outputs = 1, .stream = test_below(STREAMS),
		};

		g->stream[o] = op.stream;
		for (d = 0; d < o; d++) {
			g->reads[o][d] = !test_below(12);
			if (g->reads[o][d])
				list[op.num_inputs++] = d;
			g->after[o][d] = g->reads[o][d] ||
					 g->stream[d] == op.stream;
		}
		if (o && test_below(2)) {
			waits[0] = test_below(o);
			op.num_waits = 1;
			g->after[o][waits[0]] = true;
		}
		if (vnpu_plan_add_op(plan, &op))
			abort();
	}
	for (k = 0; k < OPS; k++)
		for (o = 0; o < OPS; o++)
			for (d = 0; d < OPS; d++)
				g->after[o][d] |= g->after[o][k] &&
						  g->after[k][d];
	return plan;
}

static bool is_used_by(const struct graph *g, uint32_t tensor, uint32_t op)
{
	return tensor == op || g->reads[op][tensor];
}

/* All uses of @a come before all uses of @b. */
static bool is_before(const struct graph *g, uint32_t a, uint32_t b)
{
	uint32_t i, k;

	for (i = 0; i < OPS; i++)
		for (k = 0; k < OPS; k++)
			if (is_used_by(g, a, i) && is_used_by(g, b, k) &&
			    !g->after[k][i])
				return false;
	return true;
}

/* Tensors share memory only if one life ends before the other begins. */
static bool test_streams(void)
{
	uint32_t n, a, b, shared = 0;

	for (n = 0; n < test_plans / 10; n++) {
		struct vnpu_plan_options options = { .effort = 200 };
		struct vnpu_plan *plan;
		uint64_t lower, upper;
		struct graph g;

		plan = random_graph(&g);
		EXPECT(!vnpu_plan_solve(plan, &options, NULL));
		EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
		for (a = 0; a < OPS; a++) {
			EXPECT(!vnpu_plan_get_life(plan, a, &lower, &upper));
			EXPECT(lower == a && upper > a);
			for (b = a + 1; b < OPS; b++) {
				if (test_offset(plan, a) != test_offset(plan, b))
					continue;
				shared++;
				EXPECT(is_before(&g, a, b) ||
				       is_before(&g, b, a));
			}
		}
		vnpu_plan_destroy(plan);
	}
	EXPECT(shared > test_plans / 10);
	return true;
}

/* One after the other, in place: as much memory as one takes. */
static bool test_in_place(void)
{
	struct vnpu_plan *plan = test_plan(NULL, 0);
	struct vnpu_plan_result result;
	struct vnpu_plan_tensor t = { .size = 100, .flags = VNPU_PLAN_OF_OPS };
	uint32_t i;

	for (i = 0; i < 10; i++) {
		t.of = i ? i - 1 : 0;
		t.flags |= i ? VNPU_PLAN_INPLACE : 0;
		EXPECT(!vnpu_plan_add_tensor(plan, &t));
	}
	for (i = 0; i < 9; i++)
		EXPECT(!add_op(plan, i, i + 1));
	EXPECT(!vnpu_plan_solve(plan, NULL, &result));
	EXPECT(result.peak == 100 && result.optimal);
	EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
	vnpu_plan_destroy(plan);
	return true;
}

const struct test graph_tests[] = {
	{ "operators in any order", test_order },
	{ "graphs that are refused", test_refusals },
	{ "operators in place", test_in_place },
	{ "streams do not share memory that both may use", test_streams },
	{ NULL, NULL },
};
