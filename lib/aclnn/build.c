// SPDX-License-Identifier: MIT
/* Views of arguments, and recipes; see build.h. */
#include <stdio.h>
#include <string.h>

#include "build.h"
#include "builders.h"

struct aclnn_view aclnn_number(double value)
{
	struct aclnn_view view = { .arg = ACLNN_NO_ARG };

	vnpu_tensor_set_f64(&view.t, value);
	return view;
}

struct aclnn_view aclnn_integer(int64_t value)
{
	struct aclnn_view view = { .arg = ACLNN_NO_ARG };

	vnpu_tensor_set_i64(&view.t, value);
	return view;
}

struct aclnn_view aclnn_view(const struct aclnn_build *b, unsigned int arg)
{
	struct aclnn_view view = { .arg = ACLNN_NO_ARG };
	const struct aclnn_scalar *scalar;

	if (!b->object[arg])
		return view;
	if (b->op->args[arg].kind == ACLNN_SCALAR) {
		scalar = aclnn_scalar(b, arg);
		return scalar->is_float ? aclnn_number(scalar->f) :
					  aclnn_integer(scalar->i);
	}
	view.t = ((const struct aclnn_tensor *)b->object[arg])->view;
	view.arg = arg;
	return view;
}

struct aclnn_view aclnn_half(const struct aclnn_build *b, unsigned int arg,
			     unsigned int which)
{
	const struct aclnn_tensor *tensor = b->object[arg];
	struct aclnn_view view = { .arg = arg };

	view.t = tensor->half;
	view.t.data = tensor->view.data;
	view.t.offset += which;
	return view;
}

/* Get the integer of a type that is nearest to a number. */
static int64_t saturate(unsigned int dtype, int64_t value)
{
	unsigned int bits = vnpu_dtype_bits(dtype);
	bool is_unsigned = dtype == VNPU_DT_U8 || dtype == VNPU_DT_U16 ||
			   dtype == VNPU_DT_U32;
	int64_t max, min;

	if (bits == 64 || dtype == VNPU_DT_BOOL)
		return value;
	max = (1LL << (is_unsigned ? bits : bits - 1)) - 1;
	min = is_unsigned ? 0 : -max - 1;
	return value < min ? min : value > max ? max : value;
}

struct aclnn_view aclnn_part(const struct aclnn_build *b, unsigned int arg,
			     const struct aclnn_view *out)
{
	struct aclnn_view view = aclnn_view(b, arg);
	bool is_number = b->object[arg] && b->op->args[arg].kind == ACLNN_SCALAR;

	if (is_number && !vnpu_dtype_is_float(out->t.dtype))
		return aclnn_integer(saturate(out->t.dtype,
					      aclnn_scalar(b, arg)->i));
	return view;
}

int aclnn_check(struct aclnn_build *b, unsigned int arg, const char *prefix,
		const struct aclnn_tensor *tensor)
{
	struct vnpu_tensor view = tensor->view;
	const char *why;

	if (!view.dtype && b->op->args[arg].takes_halves) {
		view = tensor->half;
		view.offset++;
	}
	if (!view.dtype)
		return aclnn_fail(b, arg, "%stype %d is not supported", prefix,
				  tensor->dtype);
	view.data = ACLNN_WORKSPACE_BASE;
	if (vnpu_tensor_check(&view, &why))
		return aclnn_fail(b, arg, "%s%s", prefix, why);
	return b->status;
}

struct aclnn_view aclnn_member(struct aclnn_build *b, unsigned int arg,
			       uint64_t member)
{
	struct aclnn_view view = { .arg = arg, .member = member };
	const struct aclnn_array *list = aclnn_array(b, arg);
	const struct aclnn_tensor *tensor;
	char prefix[40];

	tensor = aclnn_handle_get(ACLNN_OBJECT_TENSOR, list->handle[member]);
	if (!tensor) {
		aclnn_fail(b, arg, "member %llu of the list was destroyed",
			   (unsigned long long)member);
		return view;
	}
	snprintf(prefix, sizeof(prefix), "member %llu: ",
		 (unsigned long long)member);
	if (!aclnn_check(b, arg, prefix, tensor))
		view.t = tensor->view;
	return view;
}

bool aclnn_dim(struct aclnn_build *b, int arg, int64_t dim, unsigned int rank,
	       unsigned int *out)
{
	int64_t size = rank ? rank : 1;

	*out = 0;
	if (dim < -size || dim >= size) {
		aclnn_fail(b, arg, "expected a dimension from %lld to %lld, given %lld",
			   (long long)-size, (long long)size - 1,
			   (long long)dim);
		return false;
	}
	*out = dim < 0 ? dim + size : dim;
	return true;
}

void aclnn_narrow(struct aclnn_view *view, unsigned int dim, int64_t start,
		  int64_t count, int64_t step)
{
	view->t.offset += start * view->t.strides[dim];
	view->t.dims[dim] = count;
	view->t.strides[dim] *= step;
}

void aclnn_swap(struct aclnn_view *view, unsigned int a, unsigned int c)
{
	int64_t dim = view->t.dims[a], stride = view->t.strides[a];

	view->t.dims[a] = view->t.dims[c];
	view->t.strides[a] = view->t.strides[c];
	view->t.dims[c] = dim;
	view->t.strides[c] = stride;
}

void aclnn_insert(struct aclnn_view *view, unsigned int dim)
{
	unsigned int rest = view->t.rank - dim;

	memmove(&view->t.dims[dim + 1], &view->t.dims[dim],
		rest * sizeof(int64_t));
	memmove(&view->t.strides[dim + 1], &view->t.strides[dim],
		rest * sizeof(int64_t));
	view->t.dims[dim] = 1;
	view->t.strides[dim] = 1;
	view->t.rank++;
}

void aclnn_remove(struct aclnn_view *view, unsigned int dim)
{
	unsigned int rest = --view->t.rank - dim;

	memmove(&view->t.dims[dim], &view->t.dims[dim + 1],
		rest * sizeof(int64_t));
	memmove(&view->t.strides[dim], &view->t.strides[dim + 1],
		rest * sizeof(int64_t));
}

void aclnn_reshape(struct aclnn_view *view, unsigned int rank,
		   const int64_t *dims)
{
	struct vnpu_tensor *t = &view->t, made;

	if (!t->dtype || !vnpu_tensor_is_contiguous(t))
		return;
	vnpu_tensor_init(&made, t->dtype, rank, dims, NULL);
	if (vnpu_tensor_elements(&made) != vnpu_tensor_elements(t))
		return;
	made.data = t->data;
	made.bytes = t->bytes;
	made.offset = t->offset;
	*t = made;
}

int aclnn_step1(struct aclnn_build *b, unsigned int engine,
		const struct aclnn_view *in, const struct aclnn_view *out)
{
	aclnn_begin(b, engine, 1, 1);
	aclnn_put(b, 0, in);
	aclnn_put(b, 1, out);
	return aclnn_end(b);
}

int aclnn_step2(struct aclnn_build *b, unsigned int engine,
		const struct aclnn_view *first, const struct aclnn_view *second,
		const struct aclnn_view *out)
{
	aclnn_begin(b, engine, 2, 1);
	aclnn_put(b, 0, first);
	aclnn_put(b, 1, second);
	aclnn_put(b, 2, out);
	return aclnn_end(b);
}

/* Set a parameter of the engine's operator to an argument. */
static void set_param(struct aclnn_build *b, const char *name, unsigned int arg)
{
	const struct aclnn_scalar *scalar;
	const struct aclnn_array *array;

	switch (b->op->args[arg].kind) {
	case ACLNN_FLOAT:
		aclnn_set_float(b, name, aclnn_float(b, arg));
		break;
	case ACLNN_SCALAR:
		scalar = aclnn_scalar(b, arg);
		if (scalar)
			aclnn_set_scalar(b, name, scalar);
		break;
	case ACLNN_INTS:
		array = aclnn_array(b, arg);
		if (array)
			aclnn_set_ints(b, name, array->i, array->size);
		break;
	default:
		aclnn_set_int(b, name, aclnn_int(b, arg));
	}
}

/* Check whether the result's elements are elements of inputs, unchanged. */
static bool is_choice(unsigned int engine)
{
	return engine == VNPU_OP_MAXIMUM || engine == VNPU_OP_MINIMUM ||
	       engine == VNPU_OP_WHERE;
}

int aclnn_build_recipe(struct aclnn_build *b)
{
	const struct aclnn_op *op = b->op;
	struct aclnn_view view, out;
	unsigned int i;

	aclnn_begin(b, op->engine, op->inputs, op->outputs);
	out = aclnn_view(b, op->output[0]);
	for (i = 0; i < op->inputs; i++) {
		view = is_choice(op->engine) ?
			       aclnn_part(b, op->input[i], &out) :
			       aclnn_view(b, op->input[i]);
		aclnn_put(b, i, &view);
	}
	for (i = 0; i < op->outputs; i++) {
		view = aclnn_view(b, op->output[i]);
		aclnn_put(b, op->inputs + i, &view);
	}
	for (i = 0; i < op->params; i++)
		if (op->param[i].arg >= 0)
			set_param(b, op->param[i].name, op->param[i].arg);
		else
			aclnn_set_float(b, op->param[i].name,
					op->param[i].value);
	return aclnn_end(b);
}
