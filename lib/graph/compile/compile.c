// SPDX-License-Identifier: MIT
/* From ONNX to a program. See compile.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/chain.h"
#include "build/pack.h"
#include "compile/compile.h"
#include "onnx/onnx.h"
#include "op/op.h"

static struct graph_value *find_input(struct graph *g, const char *name)
{
	uint32_t i;

	for (i = 0; i < g->input_count; i++)
		if (!strcmp(g->inputs[i]->name, name))
			return g->inputs[i];
	graph_fail(g, -EINVAL, "the model has no input '%.60s'", name);
	return NULL;
}

static int set_shape(struct graph *g, const struct compile_shape *s)
{
	struct graph_value *v = find_input(g, s->name);
	unsigned int i;

	if (!v)
		return g->err;
	if (v->has_shape && v->rank != s->rank)
		return graph_fail(g, -EINVAL,
				  "input '%.60s' has %u dimensions, given %u",
				  s->name, v->rank, s->rank);
	for (i = 0; i < s->rank; i++)
		if (s->dims[i] < 0 ||
		    (v->has_shape && v->dims[i] >= 0 &&
		     v->dims[i] != s->dims[i]))
			return graph_fail(g, -EINVAL,
					  "input '%.60s' has the shape %s, given %lld in dimension %u",
					  s->name, GRAPH_DESCRIBE(v),
					  (long long)s->dims[i], i);
	graph_set_shape(v, v->dtype, s->rank, s->dims);
	return 0;
}

static int freeze(struct graph *g, const struct compile_frozen *f)
{
	struct graph_value *v = find_input(g, f->name), *t;
	unsigned int i;

	if (!v)
		return g->err;
	t = onnx_read_tensor(g, f->data, f->size);
	if (!t)
		return graph_status(g);
	for (i = 0; i < v->rank && i < t->rank; i++)
		if (v->dims[i] >= 0 && v->dims[i] != t->dims[i])
			break;
	if (t->dtype != v->dtype ||
	    (v->has_shape && (t->rank != v->rank || i < v->rank)))
		return graph_fail(g, -EINVAL, "input '%.60s' is %s, given %s",
				  f->name, GRAPH_DESCRIBE(v),
				  GRAPH_DESCRIBE(t));
	graph_set_shape(v, t->dtype, t->rank, t->dims);
	v->data = t->data;
	v->is_frozen = true;
	return 0;
}

int compile_prepare(struct graph *g, const struct compile_options *o)
{
	unsigned int i, k;

	for (i = 0; !g->err && i < o->shape_count; i++)
		set_shape(g, &o->shapes[i]);
	if (!g->err && o->edit)
		o->edit(g, o->edit_data);
	for (i = 0; !g->err && i < o->frozen_count; i++)
		freeze(g, &o->frozen[i]);
	for (i = 0; !g->err && i < g->input_count; i++) {
		struct graph_value *v = g->inputs[i];
		int64_t n = 1;

		if (!v->has_shape || !v->dtype)
			graph_fail(g, -EINVAL, "input '%.60s' is %s: give its shape",
				   v->name, GRAPH_DESCRIBE(v));
		for (k = 0; k < v->rank; k++) {
			if (v->dims[k] < 0)
				graph_fail(g, -EINVAL, "input '%.60s' is %s: give its shape",
					   v->name, GRAPH_DESCRIBE(v));
			else if (__builtin_mul_overflow(n, v->dims[k] ?
							v->dims[k] : 1, &n) ||
				 n > VNPU_TENSOR_MAX)
				graph_fail(g, -EINVAL, "input '%.60s' is %s: at most %lld elements are supported",
					   v->name, GRAPH_DESCRIBE(v),
					   (long long)VNPU_TENSOR_MAX);
		}
	}
	return g->err;
}

/* Run a pass that changes steps. */
static int change_steps(struct build *b, const struct compile_options *o,
			const char *name, int (*run)(struct build *b),
			uint32_t *changes)
{
	int pass = pass_find(name), changed;

	if (b->g->err || o->without & UINT64_C(1) << pass)
		return b->g->err;
	changed = run(b);
	if (changed < 0)
		return changed;
	changes[pass] = changed;
	return 0;
}

int compile_lower(struct build *b, const struct compile_options *o,
		  uint32_t *changes)
{
	struct graph *g = b->g;
	uint32_t i;

	if (build_init(b, g, false))
		return g->err;
	b->copies = o->copies;
	for (i = g->node_count; !g->err && !o->copies && i--;)
		op_reserve(b, g->nodes[i]);
	for (i = 0; !g->err && i < g->node_count; i++) {
		b->node = g->nodes[i];
		b->node->op->lower(b);
	}
	b->node = NULL;
	for (i = 0; !g->err && i < g->output_count; i++)
		build_finish(b, i);
	change_steps(b, o, PASS_CHAINS, build_chains, changes);
	change_steps(b, o, PASS_PACKED, build_pack, changes);
	return graph_status(g);
}

int compile_model(const void *data, size_t size,
		  const struct compile_options *options,
		  struct compile_result *result)
{
	struct graph g = { .folder = options->folder };
	struct build b = { .g = &g };
	int err;

	*result = (struct compile_result){ 0 };
	if (!onnx_read_model(&g, data, size)) {
		result->nodes_read = g.node_count;
		if (!compile_prepare(&g, options) && !op_infer(&g) &&
		    !pass_run(&g, options->without, result->changes) &&
		    !compile_lower(&b, options, result->changes) &&
		    !build_critical_path(&b, &result->path))
			memory_write(&b, options->memory, &result->memory,
				     &result->program, &result->size);
		result->nodes_left = g.node_count;
		result->steps = b.step_count;
	}
	err = graph_status(&g);
	snprintf(result->error, sizeof(result->error), "%s", g.error);
	if (g.needs)
		snprintf(result->needs, sizeof(result->needs), "%s", g.needs);
	if (err) {
		free(result->program);
		result->program = NULL;
	}
	build_fini(&b);
	graph_free(&g);
	return err;
}

void compile_free(struct compile_result *result)
{
	free(result->program);
	*result = (struct compile_result){ 0 };
}
