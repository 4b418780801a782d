// SPDX-License-Identifier: MIT
/* Steps of a call, see step.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "step.h"

#define WORKSPACE_ALIGN	64U

/* Steps of fewer elements run in one block. */
#define LARGE		8192

int aclnn_fail(struct aclnn_build *b, int arg, const char *format, ...)
{
	char text[400];
	va_list args;

	if (b->status)
		return b->status;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	b->status = aclnn_error(b->op->name, ACLNN_ERR_PARAM_INVALID, "%s%s%s",
				arg < 0 ? "" : b->op->args[arg].name,
				arg < 0 ? "" : ": ", text);
	return b->status;
}

static int no_memory(struct aclnn_build *b)
{
	if (!b->status)
		b->status = aclnn_error_memory(b->op->name);
	return b->status;
}

void aclnn_begin(struct aclnn_build *b, unsigned int engine,
		 unsigned int inputs, unsigned int outputs)
{
	vnpu_op_init(&b->step, engine, inputs, outputs);
	for (unsigned int i = 0; i < inputs + outputs; i++)
		b->views[i] = (struct aclnn_view){ .arg = ACLNN_NO_ARG };
}

void aclnn_put(struct aclnn_build *b, unsigned int index,
	       const struct aclnn_view *view)
{
	b->views[index] = *view;
}

static unsigned int find_param(const struct aclnn_build *b, const char *name,
			       enum vnpu_op_kind *kind)
{
	int param = vnpu_op_find_param(b->step.op, name, kind);

	/* The tests call each operator, and so use each name. */
	if (param < 0)
		abort();
	return param;
}

void aclnn_set_int(struct aclnn_build *b, const char *name, int64_t value)
{
	enum vnpu_op_kind kind;
	unsigned int param = find_param(b, name, &kind);

	if (kind == VNPU_OP_INTS)
		vnpu_op_set_ints(&b->step, param, &value, 1);
	else if (kind == VNPU_OP_FLOAT)
		vnpu_op_set_float(&b->step, param, value);
	else
		vnpu_op_set_int(&b->step, param, value);
}

void aclnn_set_float(struct aclnn_build *b, const char *name, double value)
{
	enum vnpu_op_kind kind;
	unsigned int param = find_param(b, name, &kind);

	if (kind == VNPU_OP_INT)
		vnpu_op_set_int(&b->step, param, (int64_t)value);
	else
		vnpu_op_set_float(&b->step, param, value);
}

void aclnn_set_scalar(struct aclnn_build *b, const char *name,
		      const struct aclnn_scalar *scalar)
{
	enum vnpu_op_kind kind;
	unsigned int param = find_param(b, name, &kind);

	if (kind == VNPU_OP_FLOAT)
		vnpu_op_set_float(&b->step, param, scalar->f);
	else
		aclnn_set_int(b, name, scalar->i);
}

void aclnn_set_ints(struct aclnn_build *b, const char *name,
		    const int64_t *values, uint64_t count)
{
	enum vnpu_op_kind kind;
	unsigned int param = find_param(b, name, &kind);

	if (count > VNPU_OP_LIST)
		aclnn_fail(b, ACLNN_NO_ARG,
			   "%s: expected at most %d values, given %llu", name,
			   VNPU_OP_LIST, (unsigned long long)count);
	else
		vnpu_op_set_ints(&b->step, param, values, count);
}

/* Report an error of the engine, in the terms of the operator. */
static int fail_step(struct aclnn_build *b, const struct vnpu_op_launch *l,
		     const struct aclnn_view *views,
		     const struct vnpu_op_error *error)
{
	const char *text = strstr(error->text, ": ");
	int arg = ACLNN_NO_ARG;
	char name[40] = "";

	text = text ? text + 2 : error->text;
	if (error->argument >= 0) {
		arg = views[error->argument].arg;
		vnpu_op_argument(l->op, error->argument, l->inputs, name,
				 sizeof(name));
	}
	/* The engine has other names for arguments. */
	if (arg >= 0 && !strncmp(text, name, strlen(name)))
		text += strlen(name) + 2;
	else
		arg = ACLNN_NO_ARG;
	return aclnn_fail(b, arg, "%s", text);
}

static bool make_room(struct aclnn_build *b, uint32_t bytes)
{
	size_t need = (size_t)b->call->size + bytes;
	void *more;

	if (need > b->room) {
		more = realloc(b->call, 2 * need);
		if (!more)
			return false;
		b->call = more;
		b->room = 2 * need;
	}
	if (b->place_count + VNPU_OP_TENSORS > b->place_room) {
		uint32_t room = 2 * b->place_room + VNPU_OP_TENSORS;

		more = realloc(b->places, room * sizeof(*b->places));
		if (!more)
			return false;
		b->places = more;
		b->place_room = room;
	}
	return true;
}

static void count_parts(struct aclnn_build *b, const struct vnpu_op_launch *l)
{
	struct vnpu_op_job job;
	int64_t most = 0;

	for (unsigned int i = 0; i < (unsigned int)l->inputs + l->outputs; i++)
		if (l->tensor[i].dtype &&
		    vnpu_tensor_elements(&l->tensor[i]) > most)
			most = vnpu_tensor_elements(&l->tensor[i]);
	if (most >= LARGE && !vnpu_op_prepare(&job, l, l->size, NULL, NULL) &&
	    job.parts > b->parts)
		b->parts = job.parts;
}

static bool has_no_result(const struct vnpu_op_launch *l)
{
	for (unsigned int i = l->inputs;
	     i < (unsigned int)l->inputs + l->outputs; i++)
		if (l->tensor[i].dtype && vnpu_tensor_elements(&l->tensor[i]))
			return false;
	return true;
}

/*
 * Check a launch.  An output of shape [1] may receive a result without
 * dimensions: if the check fails because of that, adapt the output and check
 * again.
 */
static int check(struct vnpu_op_launch *l, struct vnpu_op_error *error)
{
	struct vnpu_tensor *out;
	int ret;

	ret = vnpu_op_check(l, error);
	if (!ret || error->argument < (int)l->inputs)
		return ret;
	out = &l->tensor[error->argument];
	if (out->rank != 1 || out->dims[0] != 1)
		return ret;
	out->rank = 0;
	return vnpu_op_check(l, NULL) ? ret : 0;
}

/* Check a launch and append it. */
static int append(struct aclnn_build *b, struct vnpu_op_launch *l,
		  const struct aclnn_view *views)
{
	struct vnpu_op_error error = { .argument = -1 };
	unsigned int i, count = l->inputs + l->outputs;

	if (b->status)
		return b->status;
	for (i = 0; i < count; i++)
		l->tensor[i] = views[i].t;
	if (check(l, &error))
		return fail_step(b, l, views, &error);
	if (has_no_result(l))
		return 0;
	if (l->size > VNPU_OP_CALL_MAX - b->call->size)
		return aclnn_fail(b, ACLNN_NO_ARG,
				  "it needs more than %u steps; divide it into several operators",
				  b->call->steps);
	if (!make_room(b, l->size))
		return no_memory(b);
	for (i = 0; i < count; i++)
		if (views[i].arg != ACLNN_NO_ARG)
			b->places[b->place_count++] = (struct aclnn_place){
				.at = b->call->size +
				      offsetof(struct vnpu_op_launch, tensor) +
				      i * sizeof(l->tensor[i]) +
				      offsetof(struct vnpu_tensor, data),
				.arg = views[i].arg,
				.member = views[i].member,
				.offset = views[i].t.data - ACLNN_WORKSPACE_BASE,
			};
	memcpy((char *)b->call + b->call->size, l, l->size);
	b->call->size += l->size;
	b->call->steps++;
	count_parts(b, l);
	return 0;
}

struct aclnn_view aclnn_temporary(struct aclnn_build *b, unsigned int dtype,
				  unsigned int rank, const int64_t *dims)
{
	struct aclnn_view view = { .arg = ACLNN_WORKSPACE };

	vnpu_tensor_init(&view.t, dtype, rank, dims, NULL);
	view.t.data = ACLNN_WORKSPACE_BASE + b->workspace;
	b->workspace += (view.t.bytes + WORKSPACE_ALIGN - 1) &
			~(WORKSPACE_ALIGN - 1ULL);
	return view;
}

struct aclnn_view aclnn_result(struct aclnn_build *b)
{
	struct aclnn_view none = { .arg = ACLNN_NO_ARG }, made;
	unsigned int out = b->step.inputs, dtype;
	struct vnpu_op_error error = { .argument = -1 };
	struct vnpu_tensor *t;

	if (b->status)
		return none;
	/* Addresses do not matter yet, and may be odd. */
	for (unsigned int i = 0; i < out; i++) {
		t = &b->step.tensor[i];
		*t = b->views[i].t;
		if (t->dtype && !(t->flags & VNPU_TENSOR_F_IMMEDIATE))
			t->data = ACLNN_WORKSPACE_BASE;
	}
	t = &b->step.tensor[out];
	t->dtype = VNPU_DT_NONE;
	if (vnpu_op_infer(&b->step, &error)) {
		fail_step(b, &b->step, b->views, &error);
		return none;
	}
	dtype = t->dtype == VNPU_DT_F16 || t->dtype == VNPU_DT_BF16 ?
			VNPU_DT_F32 : t->dtype;
	made = aclnn_temporary(b, dtype, t->rank, t->dims);
	aclnn_put(b, out, &made);
	aclnn_end(b);
	return made;
}

static bool is_misaligned(const struct vnpu_tensor *t)
{
	unsigned int bytes = vnpu_dtype_bits(t->dtype) / 8;

	return t->dtype && !(t->flags & VNPU_TENSOR_F_IMMEDIATE) && bytes > 1 &&
	       t->data % bytes;
}

/* View a tensor as bytes, with another dimension. */
static void as_bytes(struct aclnn_view *view)
{
	struct vnpu_tensor *t = &view->t;
	int64_t bytes = vnpu_dtype_bits(t->dtype) / 8;

	for (unsigned int i = 0; i < t->rank; i++)
		t->strides[i] *= bytes;
	t->offset *= bytes;
	t->dims[t->rank] = bytes;
	t->strides[t->rank++] = 1;
	t->dtype = VNPU_DT_U8;
}

static int copy_bytes(struct aclnn_build *b, const struct aclnn_view *from,
		      const struct aclnn_view *to)
{
	struct aclnn_view views[] = { *from, *to };
	struct vnpu_op_launch l;

	vnpu_op_init(&l, VNPU_OP_COPY, 1, 1);
	as_bytes(&views[0]);
	as_bytes(&views[1]);
	return append(b, &l, views);
}

/*
 * The engine needs addresses that are multiples of the element's size.  A tensor
 * that is elsewhere is copied to the workspace, and back if it is an output.
 */
static int append_aligned(struct aclnn_build *b)
{
	unsigned int i, count = b->step.inputs + b->step.outputs;
	struct aclnn_view original[VNPU_OP_TENSORS];
	uint32_t moved = 0;
	int ret = 0;

	for (i = 0; i < count && !ret; i++) {
		struct aclnn_view *view = &b->views[i];

		if (!is_misaligned(&view->t))
			continue;
		if (view->t.rank >= VNPU_TENSOR_DIMS)
			return aclnn_fail(b, view->arg,
				"address %#llx is no multiple of the element's size, which needs fewer than %d dimensions",
				(unsigned long long)view->t.data,
				VNPU_TENSOR_DIMS);
		original[i] = *view;
		*view = aclnn_temporary(b, view->t.dtype, view->t.rank,
					view->t.dims);
		moved |= 1U << i;
		ret = copy_bytes(b, &original[i], view);
	}
	if (!ret)
		ret = append(b, &b->step, b->views);
	for (i = b->step.inputs; i < count && !ret; i++)
		if (moved >> i & 1)
			ret = copy_bytes(b, &b->views[i], &original[i]);
	return ret;
}

int aclnn_end(struct aclnn_build *b)
{
	unsigned int count = b->step.inputs + b->step.outputs;

	for (unsigned int i = 0; i < count; i++)
		if (is_misaligned(&b->views[i].t))
			return append_aligned(b);
	return append(b, &b->step, b->views);
}
