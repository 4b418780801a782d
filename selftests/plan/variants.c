// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same problem in other forms, and with more effort: neither may make a
 * result worse.
 */
#include <time.h>

#include "generate.h"
#include "test.h"

#define MOST	450

enum form {
	AS_IT_IS,
	MIRRORED,
	SHUFFLED,
	SCALED,
	PERTURBED,
	ALL_OF_THESE,
	FORMS,
};

/* Transform the tensors.  Return: the factor of their sizes. */
static uint64_t transform(struct vnpu_plan_tensor *tensor, uint32_t count,
			  enum form form, uint64_t seed)
{
	bool all = form == ALL_OF_THESE;

	if (form == MIRRORED || all)
		generate_mirror(tensor, count);
	if (form == PERTURBED || all)
		generate_perturb(tensor, count, seed);
	if (form == SHUFFLED || all)
		generate_shuffle(tensor, count, seed);
	if (form != SCALED && !all)
		return 1;
	generate_scale(tensor, count, 7, 1000003);
	return 1000003;
}

struct sample {
	enum generate_kind kind;
	uint32_t count;
	uint64_t effort;
};

/* Solve a sample in a form for a capacity that is known to suffice. */
static bool is_solved(const struct sample *sample, uint64_t seed,
		      enum form form)
{
	struct vnpu_plan_options options = { .effort = sample->effort };
	struct vnpu_plan_tensor tensor[MOST];
	struct vnpu_plan_result result;
	struct vnpu_plan *plan;
	int err;

	generate(sample->kind, seed, tensor, sample->count);
	options.capacity = GENERATE_WHOLE *
			   transform(tensor, sample->count, form, seed);
	plan = test_plan(tensor, sample->count);
	err = vnpu_plan_solve(plan, &options, &result);
	if (err)
		printf("# kind %d, %u tensors, seed %llu, form %d: %s\n",
		       sample->kind, sample->count, (unsigned long long)seed,
		       form, vnpu_plan_fault(plan));
	EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
	vnpu_plan_destroy(plan);
	return !err;
}

/*
 * The efforts are several times those needed; the seeds are not those that the
 * search was developed with.
 */
static bool test_forms(void)
{
	static const struct sample samples[] = {
		{ GENERATE_GUILLOTINE, 150, 300000 },
		{ GENERATE_GUILLOTINE, 300, 300000 },
		{ GENERATE_PINWHEEL, 150, 300000 },
		{ GENERATE_PINWHEEL, 200, 300000 },
		{ GENERATE_LOOSE, 100, 300000 },
		{ GENERATE_LADDER, 300, 300000 },
	};
	uint64_t seed;
	int form;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(samples); i++)
		for (seed = 1001; seed < 1004; seed++)
			for (form = 0; form < FORMS; form++)
				EXPECT(is_solved(&samples[i], seed,
						 (enum form)form));
	return true;
}

/* With more effort, a plan is never worse, and finally better. */
static bool test_effort(void)
{
	static const struct sample samples[] = {
		{ GENERATE_PINWHEEL, 400, 0 },
		{ GENERATE_LOOSE, 200, 0 },
		{ GENERATE_LOOSE, 300, 0 },
		{ GENERATE_TRAINING, 200, 0 },
		{ GENERATE_SERVING, 300, 0 },
	};
	struct vnpu_plan_tensor tensor[MOST];
	uint32_t improved = 0;
	size_t i;

	for (i = 0; i < 2 * ARRAY_SIZE(samples); i++) {
		const struct sample *sample = &samples[i / 2];
		struct vnpu_plan_options options = { .effort = 1 };
		uint64_t before = UINT64_MAX, first = 0;
		struct vnpu_plan *plan;

		generate(sample->kind, 1000 + i, tensor, sample->count);
		plan = test_plan(tensor, sample->count);
		if (i % 2)
			options.capacity = GENERATE_WHOLE;
		for (; options.effort < 100000; options.effort *= 3) {
			struct vnpu_plan_result result;
			int err = vnpu_plan_solve(plan, &options, &result);

			EXPECT(!err || err == -ENOSPC);
			EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
			EXPECT(result.peak <= before);
			before = result.peak;
			first = first ? first : before;
		}
		improved += before < first;
		vnpu_plan_destroy(plan);
	}
	EXPECT(improved > ARRAY_SIZE(samples) / 2);
	return true;
}

/* Solve @count tensors of which few are alive at a time.  Return: seconds. */
static double time_stream(uint32_t count)
{
	struct vnpu_plan_options options = { .flags = VNPU_PLAN_GREEDY };
	struct vnpu_plan_tensor *tensor = calloc(count, sizeof(*tensor));
	struct vnpu_plan *plan;
	clock_t begin;

	generate(GENERATE_STREAM, count, tensor, count);
	plan = test_plan(tensor, count);
	free(tensor);
	begin = clock();
	if (vnpu_plan_solve(plan, &options, NULL) ||
	    vnpu_plan_check(plan, NULL, 0, NULL))
		abort();
	vnpu_plan_destroy(plan);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* The time is near n log n: 8 times the tensors take less than 16 times. */
static bool test_large(void)
{
	double ratio = time_stream(64000) / time_stream(8000);

	if (ratio >= 16)
		printf("# 8 times the tensors take %.1f times as long\n",
		       ratio);
	return ratio < 16;
}

/* With no time at all, there is a plan; fixed tensors are in their places. */
static bool test_no_time(void)
{
	struct vnpu_plan_options options = { .time_limit_ns = 1 };
	struct vnpu_plan_tensor tensor[MOST];
	int kind;

	for (kind = 0; kind < GENERATE_KINDS; kind++) {
		struct vnpu_plan_result result;
		struct vnpu_plan *plan;
		uint64_t sum = 0;
		uint32_t i;

		generate((enum generate_kind)kind, 5, tensor, MOST);
		for (i = 0; i < MOST; i++) {
			tensor[i].align = 1 + i % 3 * 100;
			sum += tensor[i].size + 201;
		}
		tensor[7].flags = VNPU_PLAN_FIXED;
		tensor[7].offset = 100 * tensor[7].align;
		plan = test_plan(tensor, MOST);
		EXPECT(!vnpu_plan_solve(plan, &options, &result));
		EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
		EXPECT(!result.nodes && result.peak <= 2 * sum);
		vnpu_plan_destroy(plan);
	}
	return true;
}

const struct test variant_tests[] = {
	{ "mirrored, shuffled, scaled and perturbed plans", test_forms },
	{ "more effort is never worse", test_effort },
	{ "large plans take little more time", test_large },
	{ "a plan without any time for it", test_no_time },
	{ NULL, NULL },
};
