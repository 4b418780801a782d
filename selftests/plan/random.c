// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random plans, compared with naive algorithms: every pair of tensors in every
 * moment, and every order of placing them.
 */
#include "test.h"

#define MAX_TENSORS	24
#define MAX_TIME	16

struct model {
	struct vnpu_plan_tensor tensor[MAX_TENSORS];
	/* Bytes [from, to) that are needed at each moment. */
	uint64_t from[MAX_TENSORS][MAX_TIME], to[MAX_TENSORS][MAX_TIME];
	bool is_apart[MAX_TENSORS][MAX_TENSORS];
	uint32_t count;
	struct vnpu_plan *plan;
};

static void random_life(struct vnpu_plan_tensor *t)
{
	t->lower = test_below(MAX_TIME - 1);
	t->upper = t->lower + 1 + test_below(MAX_TIME - 1 - (uint32_t)t->lower);
	t->size = 1 + test_below(test_below(4) ? 20 : 200);
}

static void random_gap(struct model *m, uint32_t i)
{
	const struct vnpu_plan_tensor *t = &m->tensor[i];
	uint32_t life = (uint32_t)(t->upper - t->lower);
	struct vnpu_plan_gap gap;
	uint64_t s;

	gap.lower = t->lower + test_below(life);
	gap.upper = gap.lower + 1 + test_below((uint32_t)(t->upper - gap.lower));
	gap.from = test_below((uint32_t)t->size + 1);
	gap.to = gap.from + (test_below(2) ?
		 test_below((uint32_t)(t->size - gap.from) + 1) : 0);
	if (vnpu_plan_add_gap(m->plan, i, &gap))
		return;
	for (s = gap.lower; s < gap.upper; s++) {
		m->from[i][s] = gap.from;
		m->to[i][s] = gap.to;
	}
}

static void random_pair(struct model *m)
{
	uint32_t a = test_below(m->count), b = test_below(m->count);
	int err = vnpu_plan_add_separation(m->plan, a, b);

	if (err != (a == b ? -EINVAL : 0))
		abort();
	m->is_apart[a][b] = a != b;
	m->is_apart[b][a] = a != b;
}

/* A plain model has neither fixed tensors nor gaps. */
static void random_model(struct model *m, uint32_t count, bool is_plain)
{
	uint32_t i;
	uint64_t s;

	memset(m, 0, sizeof(*m));
	m->count = count;
	for (i = 0; i < count; i++) {
		struct vnpu_plan_tensor *t = &m->tensor[i];

		random_life(t);
		if (!test_below(3))
			t->align = 1 + test_below(16);
		for (s = t->lower; s < t->upper; s++)
			m->to[i][s] = t->size;
	}
	/* The first may be anywhere: there is nothing that it overlaps with. */
	if (!is_plain && !test_below(4)) {
		m->tensor[0].align = 1;
		m->tensor[0].flags = VNPU_PLAN_FIXED;
		m->tensor[0].offset = test_below(50);
	}
	m->plan = test_plan(m->tensor, count);
	for (i = 0; !is_plain && i < count; i++)
		if (!test_below(4))
			random_gap(m, i);
	if (!test_below(3))
		for (i = test_below(2 * count); i > 0; i--)
			random_pair(m);
}

static bool is_used(const struct model *m, uint32_t a)
{
	uint32_t s;

	for (s = 0; s < MAX_TIME; s++)
		if (m->from[a][s] < m->to[a][s])
			return true;
	return false;
}

static bool overlaps(const struct model *m, const uint64_t *offset, uint32_t a,
		     uint32_t b)
{
	uint32_t s;

	if (m->is_apart[a][b] && is_used(m, a) && is_used(m, b) &&
	    offset[a] < offset[b] + m->tensor[b].size &&
	    offset[b] < offset[a] + m->tensor[a].size)
		return true;

	for (s = 0; s < MAX_TIME; s++)
		if (m->from[a][s] < m->to[a][s] && m->from[b][s] < m->to[b][s] &&
		    offset[a] + m->from[a][s] < offset[b] + m->to[b][s] &&
		    offset[b] + m->from[b][s] < offset[a] + m->to[a][s])
			return true;
	return false;
}

static bool is_right(const struct model *m, const uint64_t *offset)
{
	uint32_t a, b;

	for (a = 0; a < m->count; a++) {
		const struct vnpu_plan_tensor *t = &m->tensor[a];

		if ((t->align && offset[a] % t->align) ||
		    (t->flags & VNPU_PLAN_FIXED && offset[a] != t->offset))
			return false;
		for (b = 0; b < a; b++)
			if (overlaps(m, offset, a, b))
				return false;
	}
	return true;
}

/* Every plan is valid, and the check of a damaged one finds the error. */
static bool test_validator(void)
{
	uint32_t n, i, wrong = 0;

	for (n = 0; n < test_plans; n++) {
		struct vnpu_plan_options options = { .effort = 200 };
		struct vnpu_plan_result result;
		uint64_t offset[MAX_TENSORS], peak;
		struct model m;

		random_model(&m, 1 + test_below(MAX_TENSORS), false);
		EXPECT(!vnpu_plan_solve(m.plan, &options, &result));
		EXPECT(!vnpu_plan_check(m.plan, NULL, 0, &peak));
		EXPECT(peak == result.peak && peak >= result.bound);
		EXPECT(!result.optimal || result.peak <= result.greedy);
		for (i = 0; i < m.count; i++)
			offset[i] = test_offset(m.plan, i);
		EXPECT(is_right(&m, offset));
		i = test_below(m.count);
		offset[i] += test_below(2) ? 1 + test_below(20) :
			     -(uint64_t)test_below((uint32_t)offset[i] + 1);
		EXPECT(!vnpu_plan_check(m.plan, offset, 0, NULL) ==
		       is_right(&m, offset));
		wrong += !is_right(&m, offset);
		vnpu_plan_destroy(m.plan);
	}
	EXPECT(wrong > test_plans / 10);
	return true;
}

/* Lowest place above all tensors that were placed before. */
static uint64_t lowest(const struct model *m, uint64_t *offset,
		       const uint32_t *order, uint32_t placed)
{
	uint32_t i = order[placed], k;
	uint64_t align = m->tensor[i].align ? m->tensor[i].align : 1;

	for (offset[i] = 0; ; offset[i] += align) {
		for (k = 0; k < placed && !overlaps(m, offset, i, order[k]);
		     k++)
			;
		if (k == placed)
			return offset[i] + m->tensor[i].size;
	}
}

/*
 * The least peak over all orders.  In an optimal plan each tensor, in order of
 * the offsets, can sink to its lowest possible place; so one of the orders
 * finds it.
 */
static void best_of(const struct model *m, uint64_t *offset, uint32_t *order,
		    uint32_t placed, uint64_t peak, uint64_t *best)
{
	uint32_t k, i;

	if (peak >= *best)
		return;
	if (placed == m->count) {
		*best = peak;
		return;
	}
	for (k = placed; k < m->count; k++) {
		uint64_t top;

		i = order[k];
		order[k] = order[placed];
		order[placed] = i;
		top = lowest(m, offset, order, placed);
		best_of(m, offset, order, placed + 1, top > peak ? top : peak,
			best);
		order[placed] = order[k];
		order[k] = i;
	}
}

static uint64_t brute_force(const struct model *m)
{
	uint64_t offset[MAX_TENSORS] = { 0 }, best = UINT64_MAX;
	uint32_t order[MAX_TENSORS], i;

	for (i = 0; i < m->count; i++)
		order[i] = i;
	best_of(m, offset, order, 0, 0, &best);
	return best;
}

static bool has_pairs(const struct model *m)
{
	uint32_t a, b;

	for (a = 0; a < m->count; a++)
		for (b = 0; b < a; b++)
			if (m->is_apart[a][b])
				return true;
	return false;
}

/*
 * The best plan is found, and proven to be the best.  Of a million plans, all
 * were; with separations a proof might take more than the default effort, so
 * one of the plans may lack it.
 */
static bool test_optimum(void)
{
	uint32_t n, unproven = 0;

	for (n = 0; n < test_plans / 10; n++) {
		struct vnpu_plan_result result;
		struct model m;
		uint64_t best;

		random_model(&m, 1 + test_below(6), true);
		best = brute_force(&m);
		EXPECT(!vnpu_plan_solve(m.plan, NULL, &result));
		EXPECT(result.peak == best && result.greedy >= best);
		EXPECT(result.bound <= best);
		EXPECT(result.optimal == (result.bound == best));
		EXPECT(result.optimal || has_pairs(&m));
		unproven += !result.optimal;
		vnpu_plan_destroy(m.plan);
	}
	EXPECT(unproven <= 1);
	return true;
}

/* The result is the same twice, whatever was queried in between. */
static bool test_same(void)
{
	uint32_t n, i;

	for (n = 0; n < 100; n++) {
		struct vnpu_plan_options options = { .effort = 1000 };
		struct vnpu_plan_result a, b;
		uint64_t offset[MAX_TENSORS];
		struct model m;

		random_model(&m, MAX_TENSORS, false);
		EXPECT(!vnpu_plan_solve(m.plan, &options, &a));
		for (i = 0; i < m.count; i++)
			offset[i] = test_offset(m.plan, i);
		options.effort = 300;
		EXPECT(!vnpu_plan_solve(m.plan, &options, NULL));
		options.effort = 1000;
		EXPECT(!vnpu_plan_solve(m.plan, &options, &b));
		EXPECT(!memcmp(&a, &b, sizeof(a)));
		/* A time without uses changes nothing either. */
		options.time_limit_ns = UINT64_MAX;
		EXPECT(!vnpu_plan_solve(m.plan, &options, &b));
		EXPECT(!memcmp(&a, &b, sizeof(a)));
		for (i = 0; i < m.count; i++)
			EXPECT(offset[i] == test_offset(m.plan, i));
		vnpu_plan_destroy(m.plan);
	}
	return true;
}

const struct test random_tests[] = {
	{ "plans are right, and damage is seen", test_validator },
	{ "small plans are the best there are", test_optimum },
	{ "the same again", test_same },
	{ NULL, NULL },
};
