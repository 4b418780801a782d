// SPDX-License-Identifier: GPL-2.0-only
/* Valid and invalid plans, and the meaning of each kind of tensor. */
#include "test.h"

#define VIEW	VNPU_PLAN_VIEW
#define INPLACE	VNPU_PLAN_INPLACE
#define FIXED	VNPU_PLAN_FIXED
#define ON_CHIP	VNPU_PLAN_ON_CHIP
#define HUGE_SIZE	(VNPU_PLAN_MAX_BYTES / 2)

/* Added to a plan that has tensor 0, of 64 bytes from 10 to 20. */
static const struct {
	struct vnpu_plan_tensor tensor;
	int err;
	const char *fault;
} refusals[] = {
	{ { .size = 1, .lower = 7, .upper = 7 }, -EINVAL,
	  "tensor 1: its life [7, 7) is empty" },
	{ { .size = 1, .lower = 8, .upper = 7 }, -EINVAL,
	  "tensor 1: its life [8, 7) is empty" },
	{ { .size = 1, .upper = 1, .flags = 1U << 31 }, -EINVAL,
	  "tensor 1: unknown flags 0x80000000" },
	{ { .size = 1, .upper = 1, .flags = FIXED | ON_CHIP }, -EINVAL,
	  "tensor 1: flags exclude each other" },
	{ { .size = 1, .upper = 1, .flags = VIEW | INPLACE }, -EINVAL,
	  "tensor 1: flags exclude each other" },
	{ { .size = 1, .upper = 1, .offset = 4 }, -EINVAL,
	  "tensor 1: has an offset, but is not fixed" },
	{ { .size = 1, .upper = 1, .of = 1 }, -EINVAL,
	  "tensor 1: refers to another tensor, but is neither a view nor in place" },
	{ { .size = 1, .upper = 1, .align = 8, .offset = 12, .flags = FIXED },
	  -EINVAL, "tensor 1: its offset 12 is not aligned to 8" },
	{ { .size = 1, .upper = 1, .of = 1, .flags = VIEW }, -ENOENT,
	  "tensor 1: refers to tensor 1, which was not added before" },
	{ { .size = 1, .upper = 1, .of = 9, .flags = INPLACE }, -ENOENT,
	  "tensor 1: refers to tensor 9, which was not added before" },
	{ { .size = 65, .upper = 1, .flags = VIEW }, -ERANGE,
	  "tensor 1: not inside tensor 0, of which it is a view" },
	{ { .size = 1, .upper = 1, .offset = 64, .flags = VIEW }, -ERANGE,
	  "tensor 1: not inside tensor 0, of which it is a view" },
	{ { .size = 1, .upper = 1, .offset = UINT64_MAX, .flags = VIEW },
	  -ERANGE, "tensor 1: not inside tensor 0, of which it is a view" },
	{ { .size = 1, .upper = 1, .align = 8, .flags = VIEW }, -EINVAL,
	  "tensor 1: a view cannot have its own alignment" },
	{ { .size = VNPU_PLAN_MAX_BYTES, .upper = 1 }, -EOVERFLOW,
	  "tensor 1: its size 1152921504606846976 is not below 2^60" },
	{ { .size = VNPU_PLAN_MAX_BYTES - 64, .upper = 1 }, -EOVERFLOW,
	  "tensor 1: the sizes and alignments up to it add up to 2^60 or more" },
	{ { .size = 1, .upper = 1, .align = UINT64_MAX }, -EOVERFLOW,
	  "tensor 1: its alignment 18446744073709551615 is not below 2^60" },
	{ { .size = 1, .upper = 1, .offset = UINT64_MAX, .flags = FIXED },
	  -EOVERFLOW,
	  "tensor 1: its offset 18446744073709551615 is not below 2^60" },
};

static bool test_refusals(void)
{
	static const struct vnpu_plan_tensor first = {
		.size = 64, .lower = 10, .upper = 20,
	};
	struct vnpu_plan *plan = test_plan(&first, 1);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		int err = vnpu_plan_add_tensor(plan, &refusals[i].tensor);

		if (err == refusals[i].err &&
		    !strcmp(vnpu_plan_fault(plan), refusals[i].fault))
			continue;
		printf("# case %zu: %d, %s\n", i, err, vnpu_plan_fault(plan));
		return false;
	}
	EXPECT(vnpu_plan_add_tensor(plan, NULL) == -EINVAL);
	EXPECT(vnpu_plan_add_tensor(NULL, &first) == -EINVAL);
	/* None of them was added. */
	EXPECT(!vnpu_plan_solve(plan, NULL, NULL));
	EXPECT(!vnpu_plan_add_tensor(plan, &first));
	EXPECT(!*vnpu_plan_fault(plan));
	vnpu_plan_destroy(plan);
	return true;
}

static bool test_gap_refusals(void)
{
	static const struct vnpu_plan_tensor tensor[] = {
		{ .size = 64, .lower = 10, .upper = 20 },
		{ .size = 64, .lower = 10, .upper = 20 },
		{ .size = 64, .lower = 12, .upper = 14, .of = 1, .flags = VIEW },
		{ .size = 64, .lower = 19, .upper = 24, .flags = INPLACE },
	};
	static const struct vnpu_plan_tensor view = {
		.size = 1, .upper = 30, .flags = VIEW,
	};
	static const struct {
		struct vnpu_plan_gap gap;
		int err;
	} cases[] = {
		{ { 12, 12, 0, 0 }, -EINVAL }, { { 13, 12, 0, 0 }, -EINVAL },
		{ { 12, 13, 2, 1 }, -EINVAL }, { { 9, 12, 0, 0 }, -ERANGE },
		{ { 19, 21, 0, 0 }, -ERANGE }, { { 12, 13, 0, 65 }, -ERANGE },
		{ { 12, 14, 0, 0 }, 0 }, { { 13, 15, 0, 0 }, -EEXIST },
		{ { 16, 17, 0, 0 }, 0 }, { { 14, 16, 0, 0 }, 0 },
		{ { 11, 18, 0, 0 }, -EEXIST }, { { 10, 11, 0, 0 }, 0 },
		{ { 18, 19, 0, 0 }, 0 }, { { 17, 18, 0, 0 }, 0 },
	};
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT(vnpu_plan_add_gap(plan, 0, &cases[i].gap) ==
		       cases[i].err);
	for (i = 1; i < 4; i++)
		EXPECT(vnpu_plan_add_gap(plan, (uint32_t)i, &cases[6].gap) ==
		       -EINVAL);
	EXPECT(vnpu_plan_add_gap(plan, 4, &cases[6].gap) == -ENOENT);
	EXPECT(vnpu_plan_add_gap(plan, 0, NULL) == -EINVAL);
	EXPECT(vnpu_plan_add_tensor(plan, &view) == -EINVAL);
	vnpu_plan_destroy(plan);
	return true;
}

static bool test_calls(void)
{
	struct vnpu_plan_options options = { .flags = 1U << 31 };
	struct vnpu_plan_result result;
	struct vnpu_plan *plan;
	uint64_t offset;
	uint32_t count = 0;

	EXPECT(vnpu_plan_create(NULL) == -EINVAL);
	plan = test_plan(NULL, 0);
	EXPECT(vnpu_plan_get_offset(plan, 0, &offset) == -EINVAL);
	EXPECT(vnpu_plan_get_peak(plan, NULL, &count) == -EINVAL);
	EXPECT(vnpu_plan_check(plan, NULL, 0, NULL) == -EINVAL);
	EXPECT(vnpu_plan_solve(NULL, NULL, NULL) == -EINVAL);
	EXPECT(vnpu_plan_solve(plan, &options, NULL) == -EINVAL);
	options = (struct vnpu_plan_options){ .reserved = 1 };
	EXPECT(vnpu_plan_solve(plan, &options, NULL) == -EINVAL);
	/* An empty plan. */
	EXPECT(!vnpu_plan_solve(plan, NULL, &result));
	EXPECT(!result.peak && !result.bound && result.optimal);
	EXPECT(vnpu_plan_get_offset(plan, 0, &offset) == -ENOENT);
	EXPECT(vnpu_plan_get_offset(plan, 0, NULL) == -EINVAL);
	EXPECT(!vnpu_plan_get_peak(plan, NULL, &count) && !count);
	EXPECT(!vnpu_plan_check(plan, NULL, 0, &offset) && !offset);
	vnpu_plan_destroy(plan);
	vnpu_plan_destroy(NULL);
	EXPECT(!*vnpu_plan_fault(NULL));
	return true;
}

static bool test_kinds(void)
{
	static const struct vnpu_plan_tensor tensor[] = {
		/* 0: at the bottom; 1: in it; 2: in that, and outlives both. */
		{ .size = 100, .lower = 0, .upper = 5, .flags = FIXED },
		{ .size = 40, .lower = 1, .upper = 3, .offset = 30,
		  .flags = VIEW },
		{ .size = 10, .lower = 2, .upper = 9, .offset = 20, .of = 1,
		  .flags = VIEW },
		/* 3: may not lie below 100 before 9. */
		{ .size = 50, .lower = 8, .upper = 12 },
		/* 4: costs nothing. */
		{ .size = 1000, .lower = 0, .upper = 12, .flags = ON_CHIP },
		/* 5: takes 3 over, 6: cannot, 5 has it; 7: other size. */
		{ .size = 50, .lower = 11, .upper = 20, .of = 3,
		  .flags = INPLACE },
		{ .size = 50, .lower = 11, .upper = 20, .of = 3,
		  .flags = INPLACE },
		{ .size = 49, .lower = 19, .upper = 20, .of = 5,
		  .flags = INPLACE },
		/* 8: empty. */
		{ .size = 0, .lower = 0, .upper = 50 },
	};
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));
	struct vnpu_plan_result result;
	uint64_t peak;

	EXPECT(!vnpu_plan_solve(plan, NULL, &result));
	EXPECT(!vnpu_plan_check(plan, NULL, 0, &peak));
	EXPECT(peak == result.peak && peak == 150 && result.optimal);
	EXPECT(test_offset(plan, 0) == 0 && test_offset(plan, 1) == 30);
	EXPECT(test_offset(plan, 2) == 50 && test_offset(plan, 3) == 100);
	EXPECT(test_offset(plan, 4) == VNPU_PLAN_NO_OFFSET);
	EXPECT(test_offset(plan, 5) == 100 && test_offset(plan, 6) != 100);
	EXPECT(test_offset(plan, 7) != 100 && test_offset(plan, 8) == 0);
	vnpu_plan_destroy(plan);
	return true;
}

static bool test_capacity(void)
{
	static const struct vnpu_plan_tensor tensor[] = {
		{ .size = 30, .lower = 0, .upper = 5 },
		{ .size = 70, .lower = 4, .upper = 9 },
		{ .size = 50, .lower = 8, .upper = 9 },
	};
	struct vnpu_plan_options options = { .capacity = 119 };
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));
	struct vnpu_plan_result result;
	uint32_t peak[2], count = 1;

	EXPECT(vnpu_plan_solve(plan, &options, &result) == -ENOSPC);
	EXPECT(result.peak == 120 && result.bound == 120 && result.optimal);
	EXPECT(result.bound_time == 8);
	EXPECT(!strcmp(vnpu_plan_fault(plan),
		       "tensors need 120 bytes, 120 at least, of 119; alive at 8: tensors 1, 2"));
	EXPECT(!vnpu_plan_get_peak(plan, peak, &count));
	EXPECT(count == 2 && peak[0] == 1);
	EXPECT(!vnpu_plan_get_peak(plan, peak, &count) && peak[1] == 2);
	options.capacity = 120;
	EXPECT(!vnpu_plan_solve(plan, &options, &result));
	vnpu_plan_destroy(plan);
	return true;
}

static bool test_fixed(void)
{
	static const struct vnpu_plan_tensor tensor[] = {
		{ .size = 30, .lower = 0, .upper = 5, .offset = 4,
		  .flags = FIXED },
		{ .size = 30, .lower = 4, .upper = 9, .offset = 33,
		  .flags = FIXED },
	};
	struct vnpu_plan_options options = { .align = 8 };
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));

	EXPECT(vnpu_plan_solve(plan, NULL, NULL) == -EINVAL);
	EXPECT(!strcmp(vnpu_plan_fault(plan),
		       "tensor 1: at its fixed offset 33 it overlaps with tensor 0, which is fixed"));
	vnpu_plan_destroy(plan);
	plan = test_plan(tensor, 1);
	EXPECT(vnpu_plan_solve(plan, &options, NULL) == -EINVAL);
	EXPECT(!strcmp(vnpu_plan_fault(plan),
		       "tensor 0: its fixed offset 4 is not a multiple of 8"));
	options.align = UINT64_MAX;
	EXPECT(vnpu_plan_solve(plan, &options, NULL) == -EOVERFLOW);
	EXPECT(strstr(vnpu_plan_fault(plan), "tensor 0: its alignment 1 and"));
	vnpu_plan_destroy(plan);
	return true;
}

const struct test model_tests[] = {
	{ "tensors that are refused", test_refusals },
	{ "gaps that are refused", test_gap_refusals },
	{ "calls that are refused, and an empty plan", test_calls },
	{ "each kind of tensor", test_kinds },
	{ "a capacity that is too small", test_capacity },
	{ "fixed tensors that cannot be", test_fixed },
	{ NULL, NULL },
};
