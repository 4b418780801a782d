// SPDX-License-Identifier: MIT
/*
 * Places of buffers in the work memory.
 *
 * A buffer lives from the first step that uses it to the end of the last one. So
 * inputs and outputs of a step have memory of their own; but an elementwise step
 * may write over an input that no later step needs.
 */
#include <errno.h>
#include <string.h>

#include "memory/plan.h"
#include "program/program.h"
#include "vnpu/plan.h"

#define NEVER UINT32_MAX

/**
 * struct life - when a buffer is needed
 * @first: first step that uses it, or NEVER
 * @last: last step that uses it
 * @over: buffer that it takes the memory over from, or BUILD_NONE
 * @is_taken: another buffer takes over its memory
 * @tensor: its number in the plan
 */
struct life {
	uint32_t first;
	uint32_t last;
	uint32_t over;
	bool is_taken;
	uint32_t tensor;
};

static uint64_t rounded(uint64_t bytes)
{
	return (bytes + PROGRAM_ALIGN - 1) / PROGRAM_ALIGN * PROGRAM_ALIGN;
}

static unsigned int tensors_of(const struct build_step *s)
{
	return s->launch->inputs + s->launch->outputs;
}

static void find_lives(const struct build *b, struct life *lives)
{
	uint32_t i, k;

	for (i = 0; i < b->buffer_count; i++)
		lives[i] = (struct life){ .first = NEVER, .over = BUILD_NONE };
	for (i = 0; i < b->step_count; i++) {
		for (k = 0; k < tensors_of(&b->steps[i]); k++) {
			uint32_t at = b->steps[i].buffers[k];

			if (at == BUILD_NONE)
				continue;
			if (lives[at].first == NEVER)
				lives[at].first = i;
			lives[at].last = i;
		}
	}
	/* Sizes that elements decide are read after the last step. */
	for (i = 0; i < b->g->output_count; i++) {
		const struct graph_value *v = b->g->outputs[i]->count;

		if (v && b->views[v->index].buffer != BUILD_NONE)
			lives[b->views[v->index].buffer].last = b->step_count;
	}
}

/* Check whether a view covers all of its buffer in order. */
static bool is_whole(const struct build *b, uint32_t buffer,
		     const struct vnpu_tensor *t)
{
	return b->buffers[buffer].kind == BUILD_WORK && !t->offset &&
	       vnpu_tensor_is_contiguous(t) &&
	       (uint64_t)vnpu_tensor_elements(t) *
	       (vnpu_dtype_bits(t->dtype) / 8) == b->buffers[buffer].bytes;
}

/* Check whether a step reads a buffer by another view than that of input @in, too. */
static bool has_other_view(const struct build_step *s, uint32_t in)
{
	const struct vnpu_tensor *t = s->launch->tensor;
	uint32_t i;

	for (i = 0; i < s->launch->inputs; i++)
		if (s->buffers[i] == s->buffers[in] &&
		    (t[i].rank != t[in].rank || t[i].offset != t[in].offset ||
		     memcmp(t[i].dims, t[in].dims, sizeof(*t->dims) * t[i].rank) ||
		     memcmp(t[i].strides, t[in].strides,
			    sizeof(*t->strides) * t[i].rank)))
			return true;
	return false;
}

/* Give the output of an elementwise step the memory of an input. */
static bool take_over(const struct build *b, uint32_t number,
		      struct life *lives)
{
	const struct build_step *s = &b->steps[number];
	const struct vnpu_op_launch *l = s->launch;
	const struct vnpu_tensor *out = &l->tensor[l->inputs];
	uint32_t to = s->buffers[l->inputs], i;

	/* Elementwise operators come first in the list of the engine. */
	if ((l->op >= VNPU_OP_COPY && l->op != VNPU_OP_CHAIN) ||
	    l->outputs != 1 ||
	    lives[to].first != number || !is_whole(b, to, out))
		return false;
	for (i = 0; i < l->inputs; i++) {
		const struct vnpu_tensor *in = &l->tensor[i];
		uint32_t from = s->buffers[i];

		if (from == BUILD_NONE || lives[from].is_taken ||
		    lives[from].first >= number ||
		    lives[from].last != number || !is_whole(b, from, in) ||
		    has_other_view(s, i) ||
		    in->dtype != out->dtype || in->rank != out->rank ||
		    memcmp(in->dims, out->dims, in->rank * sizeof(*in->dims)))
			continue;
		lives[from].is_taken = true;
		lives[to].over = from;
		return true;
	}
	return false;
}

static int add_tensors(const struct build *b, struct life *lives,
		       struct vnpu_plan *plan, uint32_t *order)
{
	uint32_t i, count = 0, next = 0, at;
	int err;

	/*
	 * Visit buffers in the order of their first steps, so that inputs come
	 * first.
	 */
	for (i = 0; i < b->buffer_count; i++)
		if (b->buffers[i].kind == BUILD_WORK && lives[i].first != NEVER)
			order[count++] = i;
	for (next = 1; next < count; next++) {
		uint32_t now = order[next];

		for (at = next; at && lives[order[at - 1]].first >
				lives[now].first; at--)
			order[at] = order[at - 1];
		order[at] = now;
	}
	for (i = 0; i < count; i++) {
		struct life *life = &lives[order[i]];
		struct vnpu_plan_tensor t = {
			.size = rounded(b->buffers[order[i]].bytes),
			.lower = life->first,
			.upper = (uint64_t)life->last + 1,
			.align = PROGRAM_ALIGN,
		};

		if (life->over != BUILD_NONE) {
			t.of = lives[life->over].tensor;
			t.flags = VNPU_PLAN_INPLACE;
		}
		life->tensor = i;
		err = vnpu_plan_add_tensor(plan, &t);
		if (err)
			return err;
	}
	return 0;
}

static int solve(struct build *b, struct life *lives, uint32_t *order,
		 uint64_t *offsets, uint64_t *peak)
{
	struct vnpu_plan_options options = {
		.effort = 20000, .align = PROGRAM_ALIGN,
	};
	struct vnpu_plan_result result = { 0 };
	struct vnpu_plan *plan;
	uint32_t i;
	int err;

	err = vnpu_plan_create(&plan);
	if (err)
		return graph_fail(b->g, err, "there is no memory for the plan");
	err = add_tensors(b, lives, plan, order);
	if (!err)
		err = vnpu_plan_solve(plan, &options, &result);
	for (i = 0; !err && i < b->buffer_count; i++)
		if (b->buffers[i].kind == BUILD_WORK && lives[i].first != NEVER)
			err = vnpu_plan_get_offset(plan, lives[i].tensor,
						   &offsets[i]);
	for (i = 0; !err && i < b->buffer_count; i++)
		if (lives[i].over != BUILD_NONE &&
		    offsets[i] != offsets[lives[i].over])
			err = -EINVAL;
	if (err)
		graph_fail(b->g, err, "the memory cannot be planned: %s",
			   vnpu_plan_fault(plan));
	vnpu_plan_destroy(plan);
	*peak = result.peak;
	return err;
}

int memory_plan(struct build *b, unsigned int flags, uint64_t *offsets,
		struct memory_report *report)
{
	uint32_t *order, i;
	struct life *lives;
	int err = 0;

	lives = store_alloc(&b->store, b->buffer_count + 1, sizeof(*lives));
	order = store_alloc(&b->store, b->buffer_count + 1, sizeof(*order));
	if (!lives || !order)
		return graph_fail(b->g, -ENOMEM, "there is no memory for the plan");
	find_lives(b, lives);
	for (i = 0; i < b->buffer_count; i++) {
		if (b->buffers[i].kind != BUILD_WORK || lives[i].first == NEVER)
			continue;
		offsets[i] = report->plain;
		report->plain += rounded(b->buffers[i].bytes);
		report->buffers++;
		if (report->plain > VNPU_TENSOR_MAX)
			return graph_fail(b->g, -E2BIG,
					  "the model needs more than %lld bytes of work memory",
					  (long long)VNPU_TENSOR_MAX);
	}
	report->peak = report->plain;
	if (flags & MEMORY_NO_REUSE || !report->buffers)
		return 0;
	for (i = 0; i < b->step_count; i++)
		report->in_place += take_over(b, i, lives);
	err = solve(b, lives, order, offsets, &report->peak);
	return err;
}
