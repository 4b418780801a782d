// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packings without a gap: a rectangle that is cut into pieces, from which the
 * search has to restore it.  They are the same in each run.
 */
#include <pthread.h>

#include "generate.h"
#include "test.h"

#define WHOLE	(1U << 20)

/* Enough for mergers, and for others in their place. */
#define MERGED_EFFORT	150000
#define UNIT	512U

struct piece {
	uint64_t lower, upper, from, to;
};

static uint32_t below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)((*state >> 32) * bound >> 32);
}

/* Cut a sufficiently large piece in two, across time or across offsets. */
static bool cut(struct piece *p, struct piece *other, uint64_t *state)
{
	uint32_t life = (uint32_t)(p->upper - p->lower) / UNIT;
	uint32_t size = (uint32_t)(p->to - p->from) / UNIT;

	*other = *p;
	if (life > 1 && (size < 2 || below(state, 2))) {
		p->upper = p->lower + UNIT * (1 + below(state, life - 1));
		other->lower = p->upper;
		return true;
	}
	if (size > 1) {
		p->to = p->from + UNIT * (1 + below(state, size - 1));
		other->from = p->to;
		return true;
	}
	return false;
}

static struct vnpu_plan *cut_up(uint32_t count, uint64_t *state)
{
	struct vnpu_plan_tensor *tensor = calloc(count, sizeof(*tensor));
	struct piece *piece = calloc(count, sizeof(*piece));
	struct vnpu_plan *plan;
	uint32_t i = 1, k;

	piece[0] = (struct piece){ 0, WHOLE, 0, WHOLE };
	while (i < count)
		i += cut(&piece[below(state, i)], &piece[i], state);
	for (k = 0; k < count; k++) {
		tensor[k].lower = piece[k].lower;
		tensor[k].upper = piece[k].upper;
		tensor[k].size = piece[k].to - piece[k].from;
	}
	plan = test_plan(tensor, count);
	free(piece);
	free(tensor);
	return plan;
}

static bool test_perfect(void)
{
	static const uint32_t sizes[] = { 2, 10, 30, 60, 100, 150, 200, 300 };
	uint64_t state = 1;
	size_t i;

	for (i = 0; i < 5 * ARRAY_SIZE(sizes); i++) {
		struct vnpu_plan *plan = cut_up(sizes[i / 5], &state);
		struct vnpu_plan_result result;
		uint64_t peak;

		EXPECT(!vnpu_plan_solve(plan, NULL, &result));
		EXPECT(!vnpu_plan_check(plan, NULL, 0, &peak));
		if (peak != WHOLE || !result.optimal) {
			printf("# plan %zu: %llu\n", i,
			       (unsigned long long)peak);
			return false;
		}
		vnpu_plan_destroy(plan);
	}
	return true;
}

/* Solve a packing of a thousand tensors, changed by @change. */
static uint64_t solve_large(enum generate_kind kind, uint64_t seed,
			    uint64_t effort,
			    void (*change)(struct vnpu_plan_tensor *t,
					   uint32_t i))
{
	static struct vnpu_plan_tensor tensor[1000];
	struct vnpu_plan_options options = { .effort = effort };
	struct vnpu_plan *plan;
	uint64_t peak;
	uint32_t i;

	generate(kind, seed, tensor, ARRAY_SIZE(tensor));
	for (i = 0; change && i < ARRAY_SIZE(tensor); i++)
		change(&tensor[i], i);
	plan = test_plan(tensor, ARRAY_SIZE(tensor));
	if (vnpu_plan_solve(plan, &options, NULL) ||
	    vnpu_plan_check(plan, NULL, 0, &peak))
		abort();
	vnpu_plan_destroy(plan);
	return peak;
}

/* Boxes that fill a rectangle are merged: at most 2 % above the optimum. */
static bool test_thousand(void)
{
	uint64_t seed, peak;
	int kind;

	for (kind = GENERATE_GUILLOTINE; kind <= GENERATE_PINWHEEL; kind++) {
		for (seed = 1001; seed < 1004; seed++) {
			peak = solve_large((enum generate_kind)kind, seed,
					   400000, NULL);
			if (peak <= GENERATE_WHOLE + GENERATE_WHOLE / 50)
				continue;
			printf("# kind %d, seed %llu: %llu\n", kind,
			       (unsigned long long)seed,
			       (unsigned long long)peak);
			return false;
		}
	}
	return true;
}

static void align(struct vnpu_plan_tensor *t, uint32_t i)
{
	t->align = 512U << i % 3;
}

static void fix(struct vnpu_plan_tensor *t, uint32_t i)
{
	t->align = 1 + i % 2;
	if (i != 500)
		return;
	t->flags = VNPU_PLAN_FIXED;
	t->offset = 8192;
}

/* Merged boxes keep alignments, and do not move fixed ones. */
static bool test_merged(void)
{
	uint64_t seed;

	for (seed = 1001; seed < 1003; seed++) {
		EXPECT(solve_large(GENERATE_GUILLOTINE, seed, MERGED_EFFORT,
				   align) < 2 * GENERATE_WHOLE);
		EXPECT(solve_large(GENERATE_GUILLOTINE, seed, MERGED_EFFORT,
				   fix) < 2 * GENERATE_WHOLE);
	}
	return true;
}

/* A ladder with the maximum number of tensors for a search. */
static bool test_ladder(void)
{
	struct vnpu_plan_options options = { .effort = 20000 };
	struct vnpu_plan *plan = test_plan(NULL, 0);
	struct vnpu_plan_result result;
	uint32_t i;

	for (i = 0; i < 8192; i++) {
		struct vnpu_plan_tensor t = {
			.size = 1 + i * 7919 % 1000, .lower = i, .upper = i + 3,
		};

		EXPECT(!vnpu_plan_add_tensor(plan, &t));
	}
	EXPECT(!vnpu_plan_solve(plan, &options, &result));
	EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
	EXPECT(result.peak >= result.bound);
	vnpu_plan_destroy(plan);
	return true;
}

#define DEEP	2000

/* All of them at once, so the depth of the search is their number. */
static void *solve_deep(void *arg)
{
	const struct vnpu_plan_options options = { .effort = 2 * DEEP };
	struct vnpu_plan_result *result = arg;
	struct vnpu_plan *plan = test_plan(NULL, 0);
	uint32_t i;

	for (i = 0; i < DEEP; i++) {
		const struct vnpu_plan_tensor t = {
			.size = 1 + i * 7919 % 1000, .upper = 1,
			.align = i % 2 ? 8 : 1,
		};

		if (vnpu_plan_add_tensor(plan, &t))
			abort();
	}
	if (vnpu_plan_solve(plan, &options, result) ||
	    vnpu_plan_check(plan, NULL, 0, NULL))
		abort();
	vnpu_plan_destroy(plan);
	return NULL;
}

/* The depth is not limited by the stack, which may be small in threads. */
static bool test_deep(void)
{
	struct vnpu_plan_result result = { 0 };
	pthread_attr_t attr;
	pthread_t thread;

	EXPECT(!pthread_attr_init(&attr));
	EXPECT(!pthread_attr_setstacksize(&attr, 128 << 10));
	EXPECT(!pthread_create(&thread, &attr, solve_deep, &result));
	EXPECT(!pthread_join(thread, NULL));
	EXPECT(!pthread_attr_destroy(&attr));
	EXPECT(result.nodes >= DEEP && result.peak >= result.bound);
	return true;
}

const struct test perfect_tests[] = {
	{ "tensors that fill a rectangle are packed without gaps", test_perfect },
	{ "a thousand tensors without gaps", test_thousand },
	{ "merged boxes with alignments and fixed ones", test_merged },
	{ "a ladder", test_ladder },
	{ "a deep search on a small stack", test_deep },
	{ NULL, NULL },
};
