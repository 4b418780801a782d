// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for libFuzzer: what vnpu-plan reads is refused in words, or is
 * solved, and then the solution holds.
 */
#include "../../tools/vnpu-plan/csv.h"
#include "test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vnpu_plan_options options = { .effort = 100 };
	struct vnpu_plan_result result;
	struct csv csv;
	uint64_t peak;
	int err = csv_read(&csv, (const char *)data, size, true);

	if (err && !*csv.fault)
		abort();
	if (!err && !vnpu_plan_solve(csv.plan, &options, &result) &&
	    (vnpu_plan_check(csv.plan, NULL, 0, &peak) ||
	     peak != result.peak || peak < result.bound))
		abort();
	csv_free(&csv);
	return 0;
}
