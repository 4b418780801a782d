// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for libFuzzer: vnpu-plan's input is refused with a message, or is
 * solved with a valid solution.  The same text is read as tensors, and as
 * operators.
 */
#include "../../tools/vnpu-plan/graph.h"
#include "test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct vnpu_plan *plan, const struct vnpu_plan_result *result)
{
	uint64_t peak;

	if (vnpu_plan_check(plan, NULL, 0, &peak) || peak != result->peak ||
	    peak < result->bound)
		abort();
}

static void read_tensors(const char *text, size_t size)
{
	struct vnpu_plan_options options = { .effort = 100 };
	struct vnpu_plan_result result;
	struct csv csv;
	int err = csv_read(&csv, text, size, true);

	if (err && !*csv.fault)
		abort();
	if (!err && !vnpu_plan_solve(csv.plan, &options, &result))
		check(csv.plan, &result);
	csv_free(&csv);
}

/* All output is written, so that sanitizers check it. */
static void print(const struct graph *graph, const struct vnpu_plan *plan,
		  uint32_t reruns)
{
	FILE *f = fopen("/dev/null", "w");
	struct csv csv;

	if (!f || graph_to_csv(graph, plan, reruns, &csv) ||
	    graph_write_order(graph, plan, reruns, f))
		abort();
	csv_free(&csv);
	fclose(f);
}

static void read_operators(const char *text, size_t size)
{
	struct vnpu_plan_options options = {
		.effort = 100, .flags = VNPU_PLAN_REORDER,
	};
	struct vnpu_plan_result result;
	struct vnpu_plan *fits = NULL;
	struct graph graph;
	int err = graph_read(&graph, text, size);

	if (err && !*graph.fault)
		abort();
	if (!err) {
		vnpu_plan_set_guard(graph.plan, size % 8);
		err = vnpu_plan_solve(graph.plan, &options, &result);
		if (err && !*graph_explain(&graph))
			abort();
	}
	if (!err) {
		check(graph.plan, &result);
		print(&graph, graph.plan, 0);
		options.capacity = result.peak - result.peak / 4;
		if (options.capacity &&
		    !vnpu_plan_recompute(graph.plan, &options, &fits, &result)) {
			check(fits, &result);
			print(&graph, fits, result.reruns);
		}
	}
	vnpu_plan_destroy(fits);
	graph_free(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_tensors((const char *)data, size);
	read_operators((const char *)data, size);
	return 0;
}
