// SPDX-License-Identifier: MIT
/* Helpers for the infer functions of operators. See op.h. */
#include <errno.h>
#include <string.h>

#include "op.h"

int ops_need_dim(struct ops_call *c, const char *what, int64_t dim,
		 unsigned int rank, unsigned int *result)
{
	int64_t most = rank ? rank : 1;

	if (dim < -most || dim >= most)
		return ops_fail(c, -1, -EINVAL,
				"%s: expected %lld to %lld, given %lld", what,
				(long long)-most, (long long)most - 1,
				(long long)dim);
	*result = dim < 0 ? dim + most : dim;
	return 0;
}

int ops_need_dims(struct ops_call *c, unsigned int param, unsigned int rank,
		  unsigned int *mask)
{
	const union vnpu_op_word *list = CALL_INTS(c, param);
	unsigned int dim;
	int64_t i;
	int err;

	*mask = list->i ? 0 : (1U << rank) - 1;
	for (i = 0; i < list->i; i++) {
		err = ops_need_dim(c, c->op->params[param].name, list[1 + i].i,
				   rank, &dim);
		if (err)
			return err;
		if (*mask & 1U << dim)
			return ops_fail(c, -1, -EINVAL,
					"%s: dimension %u is given twice",
					c->op->params[param].name, dim);
		*mask |= 1U << dim;
	}
	return 0;
}

int ops_need_rank(struct ops_call *c, unsigned int number, unsigned int min,
		  unsigned int max)
{
	const struct vnpu_tensor *t = &c->l->tensor[number];

	if (t->rank >= min && t->rank <= max)
		return 0;
	if (min == max)
		return ops_fail(c, number, -EINVAL,
				"expected %u dimensions, given shape %s", min,
				OPS_TDIMS(t));
	return ops_fail(c, number, -EINVAL,
			"expected %u to %u dimensions, given shape %s", min,
			max, OPS_TDIMS(t));
}

int ops_need_shape(struct ops_call *c, unsigned int number, unsigned int rank,
		   const int64_t *dims)
{
	const struct vnpu_tensor *t = &c->l->tensor[number];

	if (t->rank == rank && !memcmp(t->dims, dims, rank * sizeof(*dims)))
		return 0;
	return ops_fail(c, number, -EINVAL, "expected shape %s, given %s",
			OPS_DIMS(rank, dims), OPS_TDIMS(t));
}

int ops_need_expand(struct ops_call *c, unsigned int number, unsigned int rank,
		    const int64_t *dims)
{
	const struct vnpu_tensor *t = &c->l->tensor[number];
	unsigned int i;

	for (i = 0; i < t->rank; i++) {
		int64_t dim = t->dims[t->rank - 1 - i];

		if (i >= rank || (dim != 1 && dim != dims[rank - 1 - i]))
			return ops_fail(c, number, -EINVAL,
					"shape %s cannot be expanded to %s",
					OPS_TDIMS(t), OPS_DIMS(rank, dims));
	}
	return 0;
}

int ops_need_float(struct ops_call *c, unsigned int number)
{
	const struct vnpu_tensor *t = &c->l->tensor[number];

	if (vnpu_dtype_is_float(t->dtype))
		return 0;
	return ops_fail(c, number, -EINVAL,
			"expected a floating-point type, given %s",
			vnpu_dtype_name(t->dtype));
}

int ops_need_index(struct ops_call *c, unsigned int number)
{
	const struct vnpu_tensor *t = &c->l->tensor[number];

	if (t->dtype == VNPU_DT_I32 || t->dtype == VNPU_DT_I64)
		return 0;
	return ops_fail(c, number, -EINVAL,
			"expected indices of type i32 or i64, given %s",
			vnpu_dtype_name(t->dtype));
}

int ops_broadcast(struct ops_call *c, unsigned int mask, struct ops_shape *out)
{
	unsigned int i, k;

	out->rank = 0;
	for (i = 0; i < c->l->inputs; i++)
		if (mask & 1U << i && ops_in(c->l, i) &&
		    c->l->tensor[i].rank > out->rank)
			out->rank = c->l->tensor[i].rank;
	for (k = 0; k < out->rank; k++)
		out->dims[k] = 1;
	for (i = 0; i < c->l->inputs; i++) {
		const struct vnpu_tensor *t = &c->l->tensor[i];
		int64_t *to;

		if (!(mask & 1U << i) || !t->dtype)
			continue;
		to = out->dims + out->rank - t->rank;
		for (k = 0; k < t->rank; k++) {
			if (t->dims[k] == 1 || t->dims[k] == to[k])
				continue;
			if (to[k] != 1)
				return ops_fail(c, i, -EINVAL,
						"shape %s cannot be broadcast with %s",
						OPS_TDIMS(t),
						OPS_DIMS(out->rank, out->dims));
			to[k] = t->dims[k];
		}
	}
	return 0;
}

unsigned int ops_common(const struct vnpu_op_launch *l, unsigned int mask)
{
	unsigned int strong = VNPU_DT_NONE, weak = VNPU_DT_NONE, i;

	for (i = 0; i < l->inputs; i++) {
		const struct vnpu_tensor *t = &l->tensor[i];

		if (!(mask & 1U << i))
			continue;
		if (t->flags & VNPU_TENSOR_F_IMMEDIATE)
			weak = vnpu_dtype_promote(weak, t->dtype);
		else
			strong = vnpu_dtype_promote(strong, t->dtype);
	}
	if (strong == VNPU_DT_NONE)
		return weak == VNPU_DT_F64 ? VNPU_DT_F32 : weak;
	/* A scalar changes the kind of a type only, not its width. */
	if (weak == VNPU_DT_F64 && !vnpu_dtype_is_float(strong))
		return VNPU_DT_F32;
	if (weak == VNPU_DT_I64 && strong == VNPU_DT_BOOL)
		return VNPU_DT_I64;
	return strong;
}

void ops_like(struct ops_shape *out, const struct vnpu_tensor *t)
{
	out->dtype = t->dtype;
	out->rank = t->rank;
	memcpy(out->dims, t->dims, t->rank * sizeof(*t->dims));
}

enum ops_class ops_class_of(unsigned int dtype)
{
	switch (dtype) {
	case VNPU_DT_F16:
	case VNPU_DT_BF16:
	case VNPU_DT_F32:
		return OPS_F;
	case VNPU_DT_F64:
		return OPS_D;
	case VNPU_DT_I64:
	case VNPU_DT_U32:
		return OPS_L;
	default:
		return OPS_I;
	}
}
