// SPDX-License-Identifier: MIT
/* Inputs, outputs and buffers of nodes. See build.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "build/build.h"

int build_init(struct build *b, struct graph *g, bool infers)
{
	uint32_t i;

	*b = (struct build){ .g = g, .infers = infers };
	b->views = store_alloc(&b->store, g->value_count, sizeof(*b->views));
	if (!b->views)
		return graph_fail(g, -ENOMEM,
				  "there is no memory for %u views",
				  g->value_count);
	for (i = 0; i < g->value_count; i++)
		b->views[i].buffer = BUILD_NONE;
	return 0;
}

void build_fini(struct build *b)
{
	store_free(&b->store);
}

static int fail(struct build *b, int err, const char *format, va_list args)
{
	char text[360];

	vsnprintf(text, sizeof(text), format, args);
	return graph_fail_node(b->g, b->node, err, "%s", text);
}

int build_fail(struct build *b, const char *format, ...)
{
	va_list args;
	int err;

	va_start(args, format);
	err = fail(b, -EINVAL, format, args);
	va_end(args);
	return err;
}

int build_refuse(struct build *b, const char *format, ...)
{
	va_list args;
	int err;

	va_start(args, format);
	err = fail(b, -EOPNOTSUPP, format, args);
	va_end(args);
	return err;
}

bool build_infers(const struct build *b)
{
	return b->infers || b->g->err;
}

static uint32_t add_buffer(struct build *b, enum build_kind kind,
			   uint64_t bytes, const struct graph_value *v)
{
	struct build_buffer *buffers;

	buffers = store_grow(&b->store, b->buffers, b->buffer_count,
			     sizeof(*buffers));
	if (!buffers || b->buffer_count == BUILD_NONE - 1) {
		graph_fail(b->g, -ENOMEM, "there is no memory for a buffer");
		return BUILD_NONE;
	}
	b->buffers = buffers;
	buffers[b->buffer_count] = (struct build_buffer){
		.kind = kind, .bytes = bytes, .value = v,
	};
	return b->buffer_count++;
}

static struct build_view describe(unsigned int dtype, unsigned int rank,
				  const int64_t *dims)
{
	struct build_view v = { .buffer = BUILD_NONE };

	vnpu_tensor_init(&v.t, dtype, rank, dims, NULL);
	return v;
}

/* Find the number of an input or output of the model. */
static uint32_t number_of(struct graph_value *const *list, uint32_t count,
			  const struct graph_value *v)
{
	uint32_t i;

	for (i = 0; i < count && list[i] != v; i++)
		;
	return i;
}

struct build_view build_view_of(struct build *b, struct graph_value *v)
{
	struct build_view view = describe(v->dtype, v->rank, v->dims);
	uint32_t at;

	if (build_infers(b))
		return view;
	if (b->views[v->index].buffer != BUILD_NONE)
		return b->views[v->index];
	if (v->data) {
		at = add_buffer(b, BUILD_CONST, view.t.bytes, v);
		if (at != BUILD_NONE)
			b->buffers[at].data = v->data;
	} else {
		at = add_buffer(b, BUILD_INPUT, view.t.bytes, v);
		if (at != BUILD_NONE)
			b->buffers[at].index = number_of(b->g->inputs,
							 b->g->input_count, v);
	}
	view.buffer = at;
	b->views[v->index] = view;
	return view;
}

bool build_has(const struct build *b, unsigned int in)
{
	return in < b->node->ins && b->node->in[in];
}

bool build_wants(const struct build *b, unsigned int out)
{
	return out < b->node->outs && b->node->out[out];
}

struct build_view build_in(struct build *b, unsigned int index)
{
	if (!build_has(b, index))
		return (struct build_view){ .buffer = BUILD_NONE };
	return build_view_of(b, b->node->in[index]);
}

struct build_view build_place(struct build *b, struct graph_value *v)
{
	struct build_view view = describe(v->dtype, v->rank, v->dims);
	uint32_t at;

	if (build_infers(b))
		return view;
	if (b->views[v->index].buffer != BUILD_NONE)
		return b->views[v->index];
	at = add_buffer(b, v->is_output ? BUILD_OUTPUT : BUILD_WORK,
			view.t.bytes, v);
	if (at != BUILD_NONE && v->is_output)
		b->buffers[at].index = number_of(b->g->outputs,
						 b->g->output_count, v);
	view.buffer = at;
	b->views[v->index] = view;
	return view;
}

static int declare(struct build *b, struct graph_value *v, unsigned int dtype,
		   unsigned int rank, const int64_t *dims)
{
	int64_t n = 1;
	unsigned int i;

	if (rank > VNPU_TENSOR_DIMS)
		return build_refuse(b, "the result has %u dimensions; at most %d are supported",
				    rank, VNPU_TENSOR_DIMS);
	for (i = 0; i < rank; i++)
		if (dims[i] < 0 || dims[i] > VNPU_TENSOR_MAX ||
		    __builtin_mul_overflow(n, dims[i] ? dims[i] : 1, &n) ||
		    n > VNPU_TENSOR_MAX)
			return build_fail(b, "the result would have size %lld in dimension %u",
					  (long long)dims[i], i);
	if (b->infers)
		graph_set_shape(v, dtype, rank, dims);
	return 0;
}

struct build_view build_out(struct build *b, unsigned int index,
			    unsigned int dtype, unsigned int rank,
			    const int64_t *dims)
{
	struct graph_value *v;

	if (!build_wants(b, index))
		return (struct build_view){ .buffer = BUILD_NONE };
	v = b->node->out[index];
	if (declare(b, v, dtype, rank, dims))
		return (struct build_view){ .buffer = BUILD_NONE };
	return build_place(b, v);
}

struct build_view build_out_like(struct build *b, unsigned int index,
				 const struct build_view *like)
{
	return build_out(b, index, like->t.dtype, like->t.rank, like->t.dims);
}

struct build_view build_out_counted(struct build *b, unsigned int index,
				    unsigned int dtype, unsigned int rank,
				    const int64_t *dims, unsigned int dim,
				    struct build_view *count)
{
	struct build_view view = build_out(b, index, dtype, rank, dims);
	struct graph_value *v;

	*count = (struct build_view){ .buffer = BUILD_NONE };
	if (!build_wants(b, index) || b->g->err)
		return view;
	v = b->node->out[index];
	if (b->infers && !v->count) {
		v->count = graph_add_value(b->g, "");
		if (!v->count)
			return view;
		graph_set_shape(v->count, VNPU_DT_I64, 0, NULL);
		v->count_dim = dim;
	}
	*count = build_place(b, v->count);
	return view;
}

int build_alias(struct build *b, unsigned int index,
		const struct build_view *view)
{
	struct graph_value *v;
	struct build_view to;

	if (!build_wants(b, index))
		return b->g->err;
	v = b->node->out[index];
	if (declare(b, v, view->t.dtype, view->t.rank, view->t.dims) ||
	    b->infers || b->g->err)
		return b->g->err;
	if (b->views[v->index].buffer == BUILD_NONE && !b->copies) {
		b->views[v->index] = *view;
		return 0;
	}
	to = build_place(b, v);
	return build_copy(b, view, &to);
}

bool build_reserve(struct build *b, struct graph_value *v,
		   const struct build_view *view)
{
	if (v->data || v->is_input || v->is_output || v->count || !v->node ||
	    b->views[v->index].buffer != BUILD_NONE ||
	    view->buffer == BUILD_NONE)
		return false;
	b->views[v->index] = *view;
	return true;
}

int build_finish(struct build *b, uint32_t output)
{
	struct graph_value *v = b->g->outputs[output];
	struct build_view from = build_view_of(b, v), to = from;
	const struct build_buffer *buffer;

	if (build_infers(b))
		return b->g->err;
	buffer = &b->buffers[from.buffer];
	vnpu_tensor_init(&to.t, v->dtype, v->rank, v->dims, NULL);
	if (buffer->kind == BUILD_OUTPUT && buffer->index == output &&
	    !from.t.offset && vnpu_tensor_is_contiguous(&from.t))
		return 0;
	to.buffer = add_buffer(b, BUILD_OUTPUT, to.t.bytes, v);
	if (to.buffer == BUILD_NONE)
		return b->g->err;
	b->buffers[to.buffer].index = output;
	return build_copy(b, &from, &to);
}

struct build_view build_temp(struct build *b, unsigned int dtype,
			     unsigned int rank, const int64_t *dims)
{
	struct build_view view = describe(dtype, rank, dims);

	if (!build_infers(b))
		view.buffer = add_buffer(b, BUILD_WORK, view.t.bytes, NULL);
	return view;
}

struct build_view build_temp_like(struct build *b,
				  const struct build_view *like)
{
	return build_temp(b, like->t.dtype, like->t.rank, like->t.dims);
}

struct build_view build_const(struct build *b, unsigned int dtype,
			      unsigned int rank, const int64_t *dims,
			      const void *data)
{
	struct build_view view = describe(dtype, rank, dims);
	void *copy;

	if (build_infers(b))
		return view;
	copy = store_alloc(&b->store, view.t.bytes, 1);
	view.buffer = add_buffer(b, BUILD_CONST, view.t.bytes, NULL);
	if (!copy || view.buffer == BUILD_NONE) {
		graph_fail(b->g, -ENOMEM, "there is no memory for a constant");
		return view;
	}
	memcpy(copy, data, view.t.bytes);
	b->buffers[view.buffer].data = copy;
	return view;
}

struct build_view build_const_ints(struct build *b, unsigned int count,
				   const int64_t *values)
{
	int64_t dims[1] = { count };

	return build_const(b, VNPU_DT_I64, 1, dims, values);
}
