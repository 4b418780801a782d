// SPDX-License-Identifier: GPL-2.0-only
/* The report about passes and memory. See report.h. */
#include "report.h"

static void print_passes(struct out *o, const struct built *b)
{
	static const struct out_column columns[] = {
		{ "changes", 7 }, { "pass", -22 }, { "", 0 },
	};
	const struct pass *pass;
	unsigned int i;

	out_list(o, "passes", "passes", columns);
	for (i = 0; (pass = pass_at(i)); i++) {
		bool is_off = b->without >> i & 1;

		out_row(o);
		out_uint(o, "changes", "", b->gears->changes[i]);
		out_text(o, "name", "", pass->name);
		out_text(o, "summary", "", is_off ? "switched off" :
			 pass->summary);
		out_bool(o, "enabled", NULL, !is_off);
		out_row_end(o);
	}
	out_list_end(o);
}

static void print_gears(struct out *o, const struct built *b)
{
	static const struct out_column columns[] = {
		{ "gear", 4 }, { "nodes", 6 }, { "left", 5 }, { "steps", 6 },
		{ "tensors", 8 }, { "in place", 8 }, { "without reuse", 14 },
		{ "work memory", 12 }, { "weights", 0 },
	};
	unsigned int i;

	out_list(o, "gears", "memory", columns);
	for (i = 0; i < b->gear_count; i++) {
		const struct compile_result *r = &b->gears[i];

		out_row(o);
		out_uint(o, "index", "", i);
		out_uint(o, "nodes_read", "", r->nodes_read);
		out_uint(o, "nodes_left", "", r->nodes_left);
		out_uint(o, "steps", "", r->steps);
		out_uint(o, "tensors", "", r->memory.buffers);
		out_uint(o, "in_place", "", r->memory.in_place);
		out_bytes(o, "work_without_reuse_bytes", "", r->memory.plain);
		out_bytes(o, "work_bytes", "", r->memory.peak);
		out_bytes(o, "weights_bytes", "", r->memory.weights);
		out_row_end(o);
	}
	out_list_end(o);
}

/* The bytes that the steps of a program read and write. */
static uint64_t traffic_of(const struct compile_result *r)
{
	const struct program_step *s = NULL;
	struct program_error error;
	uint64_t bytes = 0;
	struct program p;
	unsigned int i;

	if (program_open(&p, r->program, r->size, &error))
		return 0;
	while ((s = program_next(&p, s))) {
		const struct vnpu_op_launch *l = program_launch(s);

		for (i = 0; i < (unsigned int)l->inputs + l->outputs; i++)
			if (s->segments[i] != PROGRAM_IMMEDIATE)
				bytes += vnpu_tensor_elements(&l->tensor[i]) *
					 (vnpu_dtype_bits(l->tensor[i].dtype) /
					  8);
	}
	return bytes;
}

static void print_result(struct out *o, const char *name,
			 const struct compile_result *r)
{
	out_row(o);
	out_text(o, "passes", "", name);
	out_uint(o, "launches", "", r->steps);
	out_bytes(o, "traffic_bytes", "", traffic_of(r));
	out_bytes(o, "tensors_bytes", "", r->memory.plain);
	out_bytes(o, "work_bytes", "", r->memory.peak);
	out_row_end(o);
}

/* Compare gear 0 with and without passes. */
static void print_gain(struct out *o, const struct built *b)
{
	static const struct out_column columns[] = {
		{ "passes", -7 }, { "launches", 8 }, { "traffic", 10 },
		{ "tensors", 10 }, { "work memory", 0 },
	};

	out_list(o, "gain", "a run of gear 0", columns);
	print_result(o, "off", &b->plain);
	print_result(o, "on", b->gears);
	out_list_end(o);
}

/*
 * Check whether a step can be a part of another one, or of a chain: elementwise
 * operators, copies and batch normalisations can. All others need a launch. The
 * product and sum of ADDCMUL were two operators.
 */
static bool is_fusable(const struct vnpu_op_launch *l)
{
	return (l->op <= VNPU_OP_COPY && l->op != VNPU_OP_ADDCMUL) ||
	       l->op == VNPU_OP_BATCH_NORM;
}

/* Count these steps of a program that are launches of their own. */
static uint32_t count_fusable(const struct compile_result *r)
{
	const struct program_step *s = NULL;
	struct program_error error;
	uint32_t count = 0;
	struct program p;

	if (program_open(&p, r->program, r->size, &error))
		return 0;
	while ((s = program_next(&p, s)))
		count += is_fusable(program_launch(s));
	return count;
}

/* Print how many of the fusable operators of gear 0 are fused. */
static void print_coverage(struct out *o, const struct built *b)
{
	uint32_t all = count_fusable(&b->plain);
	uint32_t alone = count_fusable(b->gears);

	out_object(o, "fusion", "fusion");
	out_uint(o, "fusable", "operators that can be fused", all);
	out_uint(o, "alone", "of these, alone in a launch", alone);
	out_double(o, "coverage", "coverage",
		   all ? 1 - (double)alone / all : 1);
	out_object_end(o);
}

static void print_path(struct out *o, const struct built *b)
{
	const struct compile_result *r = b->gears;

	out_object(o, "critical_path", "critical path of gear 0");
	out_uint(o, "launches", "launches", r->path.steps);
	out_uint(o, "all_launches", "of all", r->steps);
	out_bytes(o, "traffic_bytes", "traffic", r->path.bytes);
	out_bytes(o, "all_traffic_bytes", "of all", traffic_of(r));
	out_object_end(o);
}

void report_print(struct out *o, const struct built *b)
{
	print_passes(o, b);
	print_gain(o, b);
	print_coverage(o, b);
	print_path(o, b);
	print_gears(o, b);
}
