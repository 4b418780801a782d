// SPDX-License-Identifier: MIT
/* Attributes, and elements that must be known. See build.h. */
#include <errno.h>
#include <string.h>

#include "build/build.h"

/* Find an input of the model that a value is computed from. */
static const struct graph_value *origin_of(const struct graph_value *v)
{
	unsigned int depth, i;

	for (depth = 0; v->node && depth < GRAPH_MAX; depth++) {
		const struct graph_value *from = NULL;

		for (i = 0; i < v->node->ins; i++)
			if (v->node->in[i] && !v->node->in[i]->data)
				from = v->node->in[i];
		if (!from)
			break;
		v = from;
	}
	return v;
}

const struct graph_value *build_constant(struct build *b, unsigned int index)
{
	struct graph_value *v = b->node->in[index];
	const struct graph_value *origin;

	if (v->data)
		return v;
	origin = origin_of(v);
	if (!b->g->err && origin->is_input)
		b->g->needs = origin->name;
	build_refuse(b, "input %u, '%.60s', must be known when the model is compiled, but depends on '%.60s'",
		     index, v->name, origin->name);
	return NULL;
}

static int64_t int_at(const struct graph_value *v, int64_t i)
{
	switch (v->dtype) {
	case VNPU_DT_I64:
		return ((const int64_t *)v->data)[i];
	case VNPU_DT_I32:
		return ((const int32_t *)v->data)[i];
	case VNPU_DT_I16:
		return ((const int16_t *)v->data)[i];
	case VNPU_DT_I8:
		return ((const int8_t *)v->data)[i];
	default:
		return ((const uint8_t *)v->data)[i];
	}
}

int build_known(struct build *b, unsigned int index, int64_t *values,
		unsigned int room)
{
	const struct graph_value *v;
	int64_t n, i;

	if (!build_has(b, index))
		return 0;
	v = build_constant(b, index);
	if (!v)
		return b->g->err;
	n = graph_elements(v);
	if (vnpu_dtype_is_float(v->dtype))
		return build_fail(b, "input %u must have integers, given %s",
				  index, GRAPH_DESCRIBE(v));
	if (n > room)
		return build_refuse(b, "input %u has %lld elements; at most %u are supported",
				    index, (long long)n, room);
	for (i = 0; i < n; i++)
		values[i] = int_at(v, i);
	return n;
}

int build_known_float(struct build *b, unsigned int index, double *value)
{
	const struct graph_value *v = build_constant(b, index);
	struct build_view from, to;
	struct vnpu_op_launch l;
	int64_t one = 1;

	if (!v)
		return b->g->err;
	if (graph_elements(v) != 1)
		return build_fail(b, "input %u must have one element, given %s",
				  index, GRAPH_DESCRIBE(v));
	vnpu_op_init(&l, VNPU_OP_COPY, 1, 1);
	vnpu_tensor_init(&from.t, v->dtype, 1, &one, (void *)v->data);
	vnpu_tensor_init(&to.t, VNPU_DT_F64, 1, &one, value);
	l.tensor[0] = from.t;
	l.tensor[1] = to.t;
	return vnpu_op_compute(&l, NULL);
}

static const struct graph_attr *find(const struct build *b, const char *name,
				     enum graph_kind kind)
{
	const struct graph_attr *a = graph_attr(b->node, name);

	return a && a->kind == kind ? a : NULL;
}

int64_t build_attr_int(const struct build *b, const char *name,
		       int64_t otherwise)
{
	const struct graph_attr *a = find(b, name, GRAPH_INT);

	return a ? a->i : otherwise;
}

float build_attr_float(const struct build *b, const char *name,
		       float otherwise)
{
	const struct graph_attr *a = find(b, name, GRAPH_FLOAT);

	return a ? a->f : otherwise;
}

const char *build_attr_text(const struct build *b, const char *name,
			    const char *otherwise)
{
	const struct graph_attr *a = find(b, name, GRAPH_STRING);

	return a ? a->text : otherwise;
}

int build_attr_ints(struct build *b, const char *name, int64_t *values,
		    unsigned int room)
{
	const struct graph_attr *a = find(b, name, GRAPH_INTS);

	if (!a)
		return 0;
	if (a->count > room)
		return build_refuse(b, "attribute '%s' has %zu values; at most %u are supported",
				    name, a->count, room);
	if (a->count)
		memcpy(values, a->ints, a->count * sizeof(*values));
	return a->count;
}

int build_axis(struct build *b, int64_t axis, unsigned int rank)
{
	int64_t most = rank ? rank : 1;

	if (axis >= -most && axis < most)
		return axis < 0 ? axis + most : axis;
	build_fail(b, "axis %lld: expected %lld to %lld", (long long)axis,
		   (long long)-most, (long long)most - 1);
	return -1;
}
