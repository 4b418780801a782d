// SPDX-License-Identifier: MIT
/* Appending steps. See build.h. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "build/build.h"

/* Any address that is aligned, for the checks of the engine. */
#define SOME_ADDRESS	4096

void build_begin(struct build *b, unsigned int op)
{
	vnpu_op_init(&b->step, op, 0, 0);
}

/* Find the number of a parameter, or report that there is none. */
static int param_of(struct build *b, const char *name)
{
	int param = vnpu_op_find_param(b->step.op, name, NULL);

	if (param < 0)
		graph_fail_node(b->g, b->node, -ENOSYS,
				"the engine's %s has no parameter '%s'",
				vnpu_op_name(b->step.op), name);
	return param;
}

void build_set_int(struct build *b, const char *name, int64_t value)
{
	int param = param_of(b, name);

	if (param >= 0)
		vnpu_op_set_int(&b->step, param, value);
}

void build_set_float(struct build *b, const char *name, double value)
{
	int param = param_of(b, name);

	if (param >= 0)
		vnpu_op_set_float(&b->step, param, value);
}

void build_set_ints(struct build *b, const char *name, const int64_t *values,
		    unsigned int count)
{
	int param = param_of(b, name);

	if (param >= 0)
		vnpu_op_set_ints(&b->step, param, values, count);
}

static int append(struct build *b, const struct build_view *const *views)
{
	struct vnpu_op_launch *l = &b->step;
	struct build_step *steps, *step;
	unsigned int i;

	if (b->step_count == BUILD_STEPS)
		return build_refuse(b, "the model needs more than %u steps",
				    BUILD_STEPS);
	steps = store_grow(&b->store, b->steps, b->step_count, sizeof(*steps));
	if (!steps)
		return graph_fail(b->g, -ENOMEM, "there is no memory for a step");
	b->steps = steps;
	step = &steps[b->step_count];
	step->node = b->node;
	step->launch = store_alloc(&b->store, 1, l->size);
	if (!step->launch)
		return graph_fail(b->g, -ENOMEM, "there is no memory for a step");
	memcpy(step->launch, l, l->size);
	for (i = 0; i < (unsigned int)l->inputs + l->outputs; i++)
		step->buffers[i] = views[i]->buffer;
	b->step_count++;
	return 0;
}

int build_end_list(struct build *b, unsigned int ins, unsigned int outs,
		   const struct build_view *const *views)
{
	struct vnpu_op_launch *l = &b->step;
	struct vnpu_op_error error;
	unsigned int i;
	int err;

	if (build_infers(b))
		return b->g->err;
	if (ins + outs > VNPU_OP_TENSORS)
		return build_refuse(b, "has %u tensors; at most %d are supported",
				    ins + outs, VNPU_OP_TENSORS);
	l->inputs = ins;
	l->outputs = outs;
	l->size = offsetof(struct vnpu_op_launch, tensor[ins + outs]);
	for (i = 0; i < ins + outs; i++) {
		struct vnpu_tensor *t = &l->tensor[i];

		*t = views[i]->t;
		if (views[i]->buffer == BUILD_NONE)
			continue;
		t->data = SOME_ADDRESS;
		t->bytes = b->buffers[views[i]->buffer].bytes;
	}
	err = vnpu_op_check(l, &error);
	if (err)
		return graph_fail_node(b->g, b->node, err, "%s", error.text);
	return append(b, views);
}

int build_end(struct build *b, unsigned int ins, unsigned int outs, ...)
{
	const struct build_view *views[VNPU_OP_TENSORS];
	unsigned int i;
	va_list args;

	va_start(args, outs);
	for (i = 0; i < ins + outs && i < VNPU_OP_TENSORS; i++)
		views[i] = va_arg(args, const struct build_view *);
	va_end(args);
	return build_end_list(b, ins, outs, views);
}

int build_op1(struct build *b, unsigned int op, const struct build_view *in,
	      const struct build_view *out)
{
	build_begin(b, op);
	return build_end(b, 1, 1, in, out);
}

int build_op2(struct build *b, unsigned int op, const struct build_view *x,
	      const struct build_view *y, const struct build_view *out)
{
	build_begin(b, op);
	return build_end(b, 2, 1, x, y, out);
}

int build_op3(struct build *b, unsigned int op, const struct build_view *x,
	      const struct build_view *y, const struct build_view *z,
	      const struct build_view *out)
{
	build_begin(b, op);
	return build_end(b, 3, 1, x, y, z, out);
}

struct build_view build_cast(struct build *b, const struct build_view *v,
			     unsigned int dtype)
{
	struct build_view to;

	if (v->t.dtype == dtype || !view_has(v))
		return *v;
	to = build_temp(b, dtype, v->t.rank, v->t.dims);
	build_copy(b, v, &to);
	return to;
}

struct build_view build_reshape(struct build *b, const struct build_view *v,
				unsigned int rank, const int64_t *dims)
{
	struct build_view to = *v;

	if (view_reshape(&to, rank, dims))
		return to;
	to = build_temp_like(b, v);
	build_copy(b, v, &to);
	view_reshape(&to, rank, dims);
	return to;
}
