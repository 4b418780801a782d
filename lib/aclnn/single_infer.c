// SPDX-License-Identifier: MIT
/*
 * The sizes of the outputs of single operators.
 *
 * A rule need not find all errors of inputs and attributes: the operator is
 * then checked with the sizes that the rule found.
 */
#include <string.h>

#include "launch/operators.h"
#include "single.h"

/**
 * struct infer - an operator while its outputs are inferred
 * @op: the operator
 * @type: its type
 * @out: its outputs
 */
struct infer {
	const struct vnpu_single *op;
	const struct aclnn_single_type *type;
	struct vnpu_single_tensor *out;
};

static const struct vnpu_single_tensor *input(const struct infer *in,
					      uint32_t n)
{
	return &in->op->input[n];
}

/* Find an attribute of integers by a name that ends at a space or a zero. */
static const struct vnpu_attr *find(const struct infer *in, const char *name)
{
	const struct vnpu_attr *attr = in->op->attr;
	size_t length = strcspn(name, " ");

	while (attr && (attr->kind != VNPU_ATTR_INTS ||
			strlen(attr->name) != length ||
			memcmp(attr->name, name, length)))
		attr = attr->next;
	return attr;
}

static int64_t number(const struct infer *in, const char *name,
		      int64_t otherwise)
{
	const struct vnpu_attr *attr = find(in, name);

	return attr && attr->count == 1 ? attr->i[0] : otherwise;
}

/* Read an attribute that names one of @rank dimensions; -1 if it does not. */
static int dimension(const struct infer *in, const char *name, uint32_t rank,
		     int64_t otherwise)
{
	int64_t dim = number(in, name, otherwise);

	if (dim < 0)
		dim += rank;
	return dim >= 0 && dim < rank ? (int)dim : -1;
}

static void set(struct vnpu_single_tensor *out,
		const struct vnpu_single_tensor *from)
{
	out->rank = from->rank;
	memcpy(out->dims, from->dims, sizeof(out->dims));
}

/* Replace @count dimensions by those of @by, or remove them if @by is NULL. */
static bool replace(struct vnpu_single_tensor *out, uint32_t at, uint32_t count,
		    const struct vnpu_single_tensor *by)
{
	uint32_t more = by ? by->rank : 0, rest = out->rank - at - count;

	if (at + more + rest > VNPU_SINGLE_DIMS)
		return false;
	memmove(out->dims + at + more, out->dims + at + count,
		rest * sizeof(*out->dims));
	if (by)
		memcpy(out->dims + at, by->dims, more * sizeof(*out->dims));
	out->rank = at + more + rest;
	return true;
}

/* Broadcast dimensions below @rank of @out, from the last one of them on. */
static bool broadcast(struct vnpu_single_tensor *out, uint32_t rank,
		      const struct vnpu_single_tensor *with, uint32_t with_rank)
{
	for (uint32_t i = 1; i <= with_rank; i++) {
		int64_t dim = with->dims[with_rank - i];

		if (i > rank || (out->dims[rank - i] != dim &&
				 out->dims[rank - i] != 1 && dim != 1))
			return false;
		if (dim != 1)
			out->dims[rank - i] = dim;
	}
	return true;
}

static bool infer_broadcast(const struct infer *in)
{
	const struct vnpu_single_tensor *most = input(in, 0);
	struct vnpu_single_tensor *out = in->out;

	for (uint32_t i = 1; i < in->op->inputs; i++)
		if (input(in, i)->rank > most->rank)
			most = input(in, i);
	set(out, most);
	for (uint32_t i = 0; i < in->op->inputs; i++)
		if (!broadcast(out, out->rank, input(in, i), input(in, i)->rank))
			return false;
	return true;
}

/* Check the attribute that exchanges the last dimensions of input @n. */
static bool is_swapped(const struct infer *in, uint32_t n)
{
	const char *at = strchr(in->type->args, '~');

	if (at && n)
		at = strchr(at + 1, '~');
	return at && number(in, at + 1, 0);
}

static bool infer_matmul(const struct infer *in)
{
	const struct vnpu_single_tensor *a = input(in, 0), *c = input(in, 1);
	struct vnpu_single_tensor *out = in->out;
	uint32_t rank;

	if (in->op->inputs < 2 || a->rank < 2 || c->rank < 2)
		return false;
	set(out, a->rank > c->rank ? a : c);
	rank = out->rank;
	out->dims[rank - 2] = a->dims[a->rank - 2 + is_swapped(in, 0)];
	out->dims[rank - 1] = c->dims[c->rank - 1 - is_swapped(in, 1)];
	return broadcast(out, rank - 2, a, a->rank - 2) &&
	       broadcast(out, rank - 2, c, c->rank - 2);
}

static bool infer_lines(const struct infer *in)
{
	if (in->op->inputs < 2 || input(in, 1)->rank > input(in, 0)->rank)
		return false;
	for (uint32_t n = 0; n < in->op->outputs; n++) {
		set(&in->out[n], input(in, 0));
		for (uint32_t i = 0; n && i < input(in, 1)->rank; i++)
			in->out[n].dims[in->out[n].rank - 1 - i] = 1;
	}
	return true;
}

static bool infer_reduce(const struct infer *in)
{
	const struct vnpu_attr *axes = find(in, "axes");
	struct vnpu_single_tensor *out = in->out;
	uint32_t rank = input(in, 0)->rank, mask = 0;

	for (uint64_t i = 0; axes && i < axes->count; i++) {
		int64_t dim = axes->i[i] < 0 ? axes->i[i] + rank : axes->i[i];

		if (dim < 0 || dim >= rank)
			return false;
		mask |= 1U << dim;
	}
	if (!mask)
		mask = (1U << rank) - 1;
	set(out, input(in, 0));
	for (uint32_t i = rank; i--;) {
		if (!(mask >> i & 1))
			continue;
		if (number(in, "keep_dims", 0))
			out->dims[i] = 1;
		else
			replace(out, i, 1, NULL);
	}
	return true;
}

static bool infer_arg(const struct infer *in)
{
	int dim = dimension(in, "dimension", input(in, 0)->rank, 0);

	set(in->out, input(in, 0));
	return dim >= 0 && replace(in->out, dim, 1, NULL);
}

static bool infer_permute(const struct infer *in)
{
	const struct vnpu_attr *perm = find(in, "perm");
	uint32_t rank = input(in, 0)->rank;

	if (!perm || perm->count != rank)
		return false;
	in->out->rank = rank;
	for (uint32_t i = 0; i < rank; i++) {
		int64_t dim = perm->i[i] < 0 ? perm->i[i] + rank : perm->i[i];

		if (dim < 0 || dim >= rank)
			return false;
		in->out->dims[i] = input(in, 0)->dims[dim];
	}
	return true;
}

static bool infer_concat(const struct infer *in)
{
	uint32_t rank = input(in, 0)->rank;
	int dim = dimension(in, "concat_dim", rank, 0);

	set(in->out, input(in, 0));
	for (uint32_t i = 1; dim >= 0 && i < in->op->inputs; i++)
		if (input(in, i)->rank != rank ||
		    __builtin_add_overflow(in->out->dims[dim],
					   input(in, i)->dims[dim],
					   &in->out->dims[dim]))
			return false;
	return dim >= 0;
}

static bool infer_stack(const struct infer *in)
{
	const struct vnpu_single_tensor one = {
		.rank = 1, .dims = { in->op->inputs },
	};
	int dim = dimension(in, "axis", input(in, 0)->rank + 1, 0);

	set(in->out, input(in, 0));
	return dim >= 0 && replace(in->out, dim, 0, &one);
}

static bool infer_split(const struct infer *in)
{
	const struct vnpu_attr *sizes = find(in, "size_splits");
	int dim = dimension(in, "split_dim", input(in, 0)->rank, 0);

	if (dim < 0 || !sizes || sizes->count != in->op->outputs)
		return false;
	for (uint32_t i = 0; i < in->op->outputs; i++) {
		set(&in->out[i], input(in, 0));
		in->out[i].dims[dim] = sizes->i[i];
	}
	return true;
}

static bool infer_gather(const struct infer *in)
{
	int dim = dimension(in, "axis", input(in, 0)->rank, 0);

	set(in->out, input(in, 0));
	return dim >= 0 && in->op->inputs > 1 &&
	       replace(in->out, dim, 1, input(in, 1));
}

static bool infer_index(const struct infer *in)
{
	if (in->op->inputs < 2)
		return false;
	set(in->out, input(in, 1));
	return true;
}

static bool infer_shape(const struct infer *in)
{
	const struct vnpu_attr *shape = find(in, "shape");
	uint32_t rank = input(in, 0)->rank, more;

	if (!shape || shape->count > VNPU_SINGLE_DIMS || shape->count < rank)
		return false;
	in->out->rank = shape->count;
	more = in->out->rank - rank;
	for (uint32_t i = 0; i < in->out->rank; i++) {
		in->out->dims[i] = shape->i[i];
		if (shape->i[i] != -1)
			continue;
		if (i < more)
			return false;
		in->out->dims[i] = input(in, 0)->dims[i - more];
	}
	return true;
}

static bool infer_tile(const struct infer *in)
{
	const struct vnpu_attr *times = find(in, "multiples");
	uint32_t rank = input(in, 0)->rank, more;

	if (!times || times->count > VNPU_SINGLE_DIMS || times->count < rank)
		return false;
	in->out->rank = times->count;
	more = in->out->rank - rank;
	for (uint32_t i = 0; i < in->out->rank; i++)
		if (__builtin_mul_overflow(times->i[i], i < more ? 1 :
						input(in, 0)->dims[i - more],
					   &in->out->dims[i]))
			return false;
	return true;
}

static bool infer_same(const struct infer *in)
{
	set(in->out, input(in, 0));
	return true;
}

static bool (*const rules[])(const struct infer *in) = {
	[SINGLE_SAME] = infer_same,
	[SINGLE_BROADCAST] = infer_broadcast,
	[SINGLE_MATMUL] = infer_matmul,
	[SINGLE_LINES] = infer_lines,
	[SINGLE_REDUCE] = infer_reduce,
	[SINGLE_ARG] = infer_arg,
	[SINGLE_PERMUTE] = infer_permute,
	[SINGLE_CONCAT] = infer_concat,
	[SINGLE_STACK] = infer_stack,
	[SINGLE_SPLIT] = infer_split,
	[SINGLE_GATHER] = infer_gather,
	[SINGLE_INDEX] = infer_index,
	[SINGLE_SHAPE] = infer_shape,
	[SINGLE_TILE] = infer_tile,
};

/* Check the sizes: the operator takes no others than the right ones. */
static bool are_sizes(const struct infer *in)
{
	for (uint32_t n = 0; n < in->op->outputs; n++)
		for (uint32_t i = 0; i < in->out[n].rank; i++)
			if (in->out[n].dims[i] < 0)
				return false;
	return true;
}

aclError vnpu_single_infer(const struct vnpu_single *op,
			   struct vnpu_single_tensor *output)
{
	struct infer in = {
		.op = op, .type = aclnn_single_find(op->type), .out = output,
	};
	bool is_known = in.type && op->inputs && op->outputs &&
			rules[in.type->shape](&in) && are_sizes(&in);
	aclError ret = vnpu_single_check(op, NULL);

	if (ret || is_known)
		return ret;
	vnpu_operator_error(op->type, ACL_ERROR_INVALID_PARAM,
			    "the inputs and attributes determine no sizes of the outputs");
	return ACL_ERROR_INVALID_PARAM;
}
