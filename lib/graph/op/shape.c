// SPDX-License-Identifier: MIT
/* Operators that change shapes, mostly without moving elements. See op.h. */
#include <string.h>

#include "op/op.h"

#define DIMS VNPU_TENSOR_DIMS

int op_identity(struct build *b)
{
	struct build_view x = build_in(b, 0);

	return build_alias(b, 0, &x);
}

int op_dropout(struct build *b)
{
	struct build_view x = build_in(b, 0), mask, one = view_integer(1);
	int64_t training = 0;
	double ratio = 0.5;

	if (build_has(b, 2) && build_known(b, 2, &training, 1) < 0)
		return b->g->err;
	if (b->node->opset < 7)
		training = !build_attr_int(b, "is_test", 0);
	if (training && build_has(b, 1) && b->node->opset >= 12 &&
	    build_known_float(b, 1, &ratio))
		return b->g->err;
	if (training && ratio != 0)
		return build_refuse(b, "training, which draws random numbers, is not supported");
	build_alias(b, 0, &x);
	if (!build_wants(b, 1))
		return b->g->err;
	mask = build_out(b, 1, b->node->opset < 10 ? x.t.dtype : VNPU_DT_BOOL,
			 x.t.rank, x.t.dims);
	return build_copy(b, &one, &mask);
}

int op_shape(struct build *b)
{
	const struct graph_value *v = b->node->in[0];
	int64_t start = build_attr_int(b, "start", 0), count;
	int64_t end = build_attr_int(b, "end", v->rank);
	struct build_view y;

	start = start < 0 ? start + v->rank : start;
	end = end < 0 ? end + v->rank : end;
	start = start < 0 ? 0 : start > v->rank ? v->rank : start;
	end = end < 0 ? 0 : end > v->rank ? v->rank : end;
	count = end > start ? end - start : 0;
	y = build_const_ints(b, count, v->dims + (count ? start : 0));
	return build_alias(b, 0, &y);
}

int op_size(struct build *b)
{
	int64_t n = graph_elements(b->node->in[0]);
	struct build_view y = build_const(b, VNPU_DT_I64, 0, NULL, &n);

	return build_alias(b, 0, &y);
}

/* Fill in the sizes that a wanted shape leaves open. */
static int complete(struct build *b, const struct build_view *x, int rank,
		    int64_t *dims)
{
	int64_t given = 1, total = vnpu_tensor_elements(&x->t);
	bool keeps_zero = build_attr_int(b, "allowzero", 0);
	int i, open = -1;

	for (i = 0; i < rank; i++) {
		if (dims[i] == 0 && !keeps_zero) {
			if (i >= x->t.rank)
				return build_fail(b, "size 0 stands for dimension %d of the input, which has %u",
						  i, x->t.rank);
			dims[i] = x->t.dims[i];
		}
		if (dims[i] == -1 && open < 0)
			open = i;
		else if (dims[i] < 0 ||
			 __builtin_mul_overflow(given, dims[i], &given))
			return build_fail(b, "size %lld of dimension %d is not possible",
					  (long long)dims[i], i);
	}
	if (open >= 0) {
		dims[open] = given ? total / given : 0;
		given *= dims[open];
	}
	if (given != total)
		return build_fail(b, "%lld elements do not fit into a shape of %lld",
				  (long long)total, (long long)given);
	return 0;
}

int op_reshape(struct build *b)
{
	struct build_view x = build_in(b, 0);
	int64_t dims[DIMS];
	int rank;

	rank = b->node->opset < 5 ? build_attr_ints(b, "shape", dims, DIMS) :
				    build_known(b, 1, dims, DIMS);
	if (rank < 0 || complete(b, &x, rank, dims))
		return b->g->err;
	return op_reshaped(b, 0, &x, rank, dims);
}

int op_flatten(struct build *b)
{
	struct build_view x = build_in(b, 0);
	int64_t axis = build_attr_int(b, "axis", 1), dims[2] = { 1, 1 };
	unsigned int i;

	if (axis < -(int64_t)x.t.rank || axis > x.t.rank)
		return build_fail(b, "axis %lld: expected %d to %u",
				  (long long)axis, -x.t.rank, x.t.rank);
	axis = axis < 0 ? axis + x.t.rank : axis;
	for (i = 0; i < x.t.rank; i++)
		dims[i >= axis] *= x.t.dims[i];
	return op_reshaped(b, 0, &x, 2, dims);
}

int op_squeeze(struct build *b)
{
	struct build_view x = build_in(b, 0);
	unsigned int axes[DIMS], mask = 0, i;
	int count, k;

	count = op_axes(b, 1, "axes", x.t.rank, axes);
	if (count < 0)
		return count;
	for (k = 0; k < count; k++)
		mask |= 1U << axes[k];
	for (i = x.t.rank; i--;) {
		if (count && !(mask & 1U << i))
			continue;
		if (x.t.dims[i] == 1)
			view_remove(&x, i);
		else if (count)
			return build_fail(b, "dimension %u has size %lld, expected 1",
					  i, (long long)x.t.dims[i]);
	}
	return build_alias(b, 0, &x);
}

int op_unsqueeze(struct build *b)
{
	struct build_view x = build_in(b, 0);
	int64_t given[DIMS];
	unsigned int mask = 0, i;
	int count, k, rank;

	count = b->node->opset < 13 ? build_attr_ints(b, "axes", given, DIMS) :
				      build_known(b, 1, given, DIMS);
	if (count < 0)
		return count;
	rank = x.t.rank + count;
	if (rank > DIMS)
		return build_refuse(b, "the result has %d dimensions; at most %d are supported",
				    rank, DIMS);
	for (k = 0; k < count; k++) {
		int axis = build_axis(b, given[k], rank);

		if (axis < 0)
			return b->g->err;
		if (mask & 1U << axis)
			return build_fail(b, "axis %d is given twice", axis);
		mask |= 1U << axis;
	}
	for (i = 0; i < (unsigned int)rank; i++)
		if (mask & 1U << i)
			view_insert(&x, i, 1);
	return build_alias(b, 0, &x);
}

int op_transpose(struct build *b)
{
	struct build_view x = build_in(b, 0);
	unsigned int perm[DIMS], mask = 0;
	int64_t given[DIMS];
	int count, i;

	count = build_attr_ints(b, "perm", given, DIMS);
	if (count < 0)
		return count;
	for (i = 0; i < x.t.rank; i++)
		perm[i] = x.t.rank - 1 - i;
	if (graph_attr(b->node, "perm")) {
		for (i = 0; i < count; i++) {
			if (given[i] < 0 || given[i] >= x.t.rank)
				break;
			perm[i] = given[i];
			mask |= 1U << given[i];
		}
		if (i != x.t.rank || mask != (1U << x.t.rank) - 1)
			return build_fail(b, "attribute perm is no order of %u dimensions",
					  x.t.rank);
	}
	view_permute(&x, perm);
	return build_alias(b, 0, &x);
}

int op_expand(struct build *b)
{
	struct build_view x = build_in(b, 0), wanted = { .buffer = BUILD_NONE };
	const struct build_view *both[] = { &x, &wanted };
	int64_t dims[DIMS];
	int rank;

	rank = build_known(b, 1, wanted.t.dims, DIMS);
	if (rank < 0)
		return rank;
	wanted.t.rank = rank;
	rank = op_broadcast(b, both, 2, dims);
	if (rank < 0)
		return rank;
	view_expand(&x, rank, dims);
	return build_alias(b, 0, &x);
}

int op_tile(struct build *b)
{
	int64_t repeats[DIMS], dims[DIMS];
	struct build_view x = build_in(b, 0), y;
	int count, i;

	count = build_known(b, 1, repeats, DIMS);
	if (count < 0)
		return count;
	if (count != x.t.rank)
		return build_fail(b, "expected %u repeats, given %d", x.t.rank,
				  count);
	for (i = 0; i < count; i++)
		if (repeats[i] < 0 || repeats[i] > VNPU_TENSOR_MAX ||
		    __builtin_mul_overflow(x.t.dims[i], repeats[i], &dims[i]))
			return build_fail(b, "%lld repeats are not possible",
					  (long long)repeats[i]);
	y = build_out(b, 0, x.t.dtype, count, dims);
	build_begin(b, VNPU_OP_REPEAT);
	build_set_ints(b, "repeats", repeats, count);
	return build_end(b, 1, 1, &x, &y);
}

/* Move an index of a slice into the dimension. */
static int64_t bound(int64_t at, int64_t size, int64_t low, int64_t high)
{
	if (at < 0)
		at = at < -size ? -1 : at + size;
	return at < low ? low : at > high ? high : at;
}

int op_slice(struct build *b)
{
	int64_t starts[DIMS], ends[DIMS], steps[DIMS], count, size;
	struct build_view x = build_in(b, 0);
	bool old = b->node->opset < 10;
	unsigned int axes[DIMS];
	int n, m, given, i;

	n = old ? build_attr_ints(b, "starts", starts, DIMS) :
		  build_known(b, 1, starts, DIMS);
	m = old ? build_attr_ints(b, "ends", ends, DIMS) :
		  build_known(b, 2, ends, DIMS);
	given = op_axes(b, old ? OP_MANY : 3, "axes", x.t.rank, axes);
	if (n < 0 || m < 0 || given < 0)
		return b->g->err;
	for (i = 0; i < n && !given; i++)
		axes[i] = i;
	for (i = 0; i < DIMS; i++)
		steps[i] = 1;
	if (!old && build_has(b, 4) && build_known(b, 4, steps, DIMS) != n)
		return build_fail(b, "expected %d steps", n);
	if (n != m || n > x.t.rank || (given && given != n))
		return build_fail(b, "%d starts, %d ends and %d axes do not fit to %u dimensions",
				  n, m, given, x.t.rank);
	for (i = 0; i < n; i++) {
		if (!steps[i] || steps[i] < -VNPU_TENSOR_MAX)
			return build_fail(b, "step %lld is not possible",
					  (long long)steps[i]);
		size = x.t.dims[axes[i]];
		if (steps[i] > 0) {
			starts[i] = bound(starts[i], size, 0, size);
			ends[i] = bound(ends[i], size, 0, size);
			/* If the step is longer than the dimension, one element stays. */
			steps[i] = steps[i] > size ? size + 1 : steps[i];
			count = (ends[i] - starts[i] + steps[i] - 1) / steps[i];
		} else {
			starts[i] = bound(starts[i], size, -1, size - 1);
			ends[i] = bound(ends[i], size, -1, size - 1);
			steps[i] = steps[i] < -size ? -size - 1 : steps[i];
			count = (starts[i] - ends[i] - steps[i] - 1) / -steps[i];
		}
		view_slice(&x, axes[i], starts[i], count > 0 ? count : 0,
			   steps[i]);
	}
	return build_alias(b, 0, &x);
}

int op_split(struct build *b)
{
	struct build_view x = build_in(b, 0), part;
	unsigned int outs = b->node->outs, i;
	int64_t sizes[64], start = 0;
	int axis, count;

	axis = build_axis(b, build_attr_int(b, "axis", 0), x.t.rank);
	count = b->node->opset < 13 ? build_attr_ints(b, "split", sizes, 64) :
				      build_known(b, 1, sizes, 64);
	if (axis < 0 || count < 0)
		return b->g->err;
	if (!x.t.rank || (count && (unsigned int)count != outs) ||
	    (!count && x.t.dims[axis] % outs))
		return build_fail(b, "%u outputs cannot be split from dimension %d",
				  outs, axis);
	for (i = 0; i < outs; i++) {
		int64_t size = count ? sizes[i] : x.t.dims[axis] / outs;

		if (size < 0 || size > x.t.dims[axis] - start)
			return build_fail(b, "the parts are larger than the dimension of %lld",
					  (long long)x.t.dims[axis]);
		part = x;
		view_slice(&part, axis, start, size, 1);
		build_alias(b, i, &part);
		start += size;
	}
	if (start != x.t.dims[axis])
		return build_fail(b, "the parts have %lld elements together, expected %lld",
				  (long long)start, (long long)x.t.dims[axis]);
	return b->g->err;
}

/* The inputs that could be written to their part at once already are there. */
int op_concat(struct build *b)
{
	struct build_view x = build_in(b, 0), y, part;
	int64_t dims[DIMS], at = 0;
	unsigned int i, k;
	int axis;

	axis = build_axis(b, build_attr_int(b, "axis", 1), x.t.rank);
	if (axis < 0 || op_need_rank(b, 0, &x, 1, DIMS))
		return b->g->err;
	memcpy(dims, x.t.dims, sizeof(dims));
	for (i = 1; i < b->node->ins; i++) {
		y = build_in(b, i);
		if (op_same_type(b, &x, &y) ||
		    op_need_rank(b, i, &y, x.t.rank, x.t.rank))
			return b->g->err;
		for (k = 0; k < x.t.rank; k++)
			if (k != (unsigned int)axis && y.t.dims[k] != dims[k])
				return build_fail(b, "input %u has size %lld in dimension %u, expected %lld",
						  i, (long long)y.t.dims[k], k,
						  (long long)dims[k]);
		dims[axis] += y.t.dims[axis];
	}
	y = build_out(b, 0, x.t.dtype, x.t.rank, dims);
	for (i = 0; !build_infers(b) && i < b->node->ins; i++) {
		x = build_in(b, i);
		part = y;
		view_slice(&part, axis, at, x.t.dims[axis], 1);
		at += x.t.dims[axis];
		if (!view_equal(&part, &x))
			build_copy(b, &x, &part);
	}
	return b->g->err;
}

void op_reserve(struct build *b, const struct graph_node *n)
{
	struct build_view whole, part;
	int64_t at = 0;
	unsigned int i;
	int axis;

	if (strcmp(n->type, "Concat") || *n->domain)
		return;
	b->node = n;
	whole = build_place(b, n->out[0]);
	axis = build_axis(b, build_attr_int(b, "axis", 1), whole.t.rank);
	for (i = 0; axis >= 0 && i < n->ins; i++) {
		int64_t size = n->in[i]->dims[axis];

		part = whole;
		view_slice(&part, axis, at, size, 1);
		at += size;
		build_reserve(b, n->in[i], &part);
	}
}

static int pad_mode(struct build *b)
{
	static const char *const modes[] = { "constant", "reflect", "edge" };
	const char *mode = build_attr_text(b, "mode", "constant");
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (!strcmp(mode, modes[i]))
			return i;
	return build_fail(b, "attribute mode: expected constant, reflect or edge, given '%.20s'",
			  mode);
}

int op_pad(struct build *b)
{
	int64_t pads[2 * DIMS], dims[DIMS];
	double value = build_attr_float(b, "value", 0);
	struct build_view x = build_in(b, 0), y;
	int count, i, n = x.t.rank, mode = pad_mode(b);

	if (b->node->opset >= 11)
		count = build_known(b, 1, pads, 2 * DIMS);
	else
		count = build_attr_ints(b, b->node->opset < 2 ? "paddings" :
					"pads", pads, 2 * DIMS);
	if (count < 0 || mode < 0 ||
	    (b->node->opset >= 11 && build_has(b, 2) &&
	     build_known_float(b, 2, &value)))
		return b->g->err;
	if (count != 2 * n)
		return build_fail(b, "expected %d pads, given %d", 2 * n, count);
	for (i = 0; i < n; i++) {
		const int64_t most = VNPU_TENSOR_MAX;
		int64_t before, after;

		before = pads[i] < -most ? most : pads[i] < 0 ? -pads[i] : 0;
		after = pads[n + i] < -most ? most :
			pads[n + i] < 0 ? -pads[n + i] : 0;
		if (pads[i] > most || pads[n + i] > most ||
		    before + after > x.t.dims[i])
			return build_fail(b, "pads %lld and %lld do not fit to size %lld",
					  (long long)pads[i],
					  (long long)pads[n + i],
					  (long long)x.t.dims[i]);
		dims[i] = x.t.dims[i] + pads[i] + pads[n + i];
		view_slice(&x, i, before, x.t.dims[i] - before - after, 1);
		pads[i] = pads[i] < 0 ? 0 : pads[i];
		pads[n + i] = pads[n + i] < 0 ? 0 : pads[n + i];
	}
	y = build_out(b, 0, x.t.dtype, n, dims);
	return op_pad_step(b, &x, &y, pads, pads + n, mode, value);
}
