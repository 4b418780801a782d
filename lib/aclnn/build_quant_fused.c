// SPDX-License-Identifier: MIT
/* Operators that quantise what they compute: activations, and norms. */
#include <string.h>

#include "build_quant.h"
#include "builders.h"

/* Check a factor of GeluQuant, one for all or one for each of the last dimension. */
static bool check_factor(struct aclnn_build *b, unsigned int arg,
			 const struct aclnn_view *self)
{
	struct aclnn_view factor = aclnn_view(b, arg);
	int64_t last = self->t.dims[self->t.rank - 1];

	if (!aclnn_has(&factor) ||
	    (factor.t.rank == 1 &&
	     (factor.t.dims[0] == 1 || factor.t.dims[0] == last)))
		return true;
	aclnn_fail(b, arg, "expected 1 dimension of 1 or %lld elements, given %u of %lld",
		   (long long)last, factor.t.rank,
		   (long long)vnpu_tensor_elements(&factor.t));
	return false;
}

/* Check the options of GeluQuant, and whether the mode is dynamic; a status. */
static int check_gelu_quant(struct aclnn_build *b, bool *is_dynamic)
{
	enum { SELF, SCALE, OFFSET, APPROXIMATE, MODE, ROUND, TYPE, Y, OUT_SCALE };
	const char *approximate = b->values[APPROXIMATE].p;
	const char *mode = b->values[MODE].p, *round = b->values[ROUND].p;
	struct aclnn_view self = aclnn_view(b, SELF);

	*is_dynamic = !strcmp(mode, "dynamic");
	if (!vnpu_dtype_is_float(self.t.dtype) || !self.t.rank)
		return aclnn_fail(b, SELF,
				  "expected a floating-point type and 1 dimension or more, given %s and %u",
				  vnpu_dtype_name(self.t.dtype), self.t.rank);
	if (strcmp(approximate, "none") && strcmp(approximate, "tanh"))
		return aclnn_fail(b, APPROXIMATE,
				  "expected none or tanh, given %.16s",
				  approximate);
	if (!*is_dynamic && strcmp(mode, "static"))
		return aclnn_fail(b, MODE, "expected static or dynamic, given %.16s",
				  mode);
	if (strcmp(round, "rint"))
		return aclnn_fail(b, ROUND, "expected rint, given %.16s", round);
	if (aclnn_int(b, TYPE) != ACL_INT8)
		return aclnn_fail(b, TYPE, "expected %d, i8, given %lld", ACL_INT8,
				  (long long)aclnn_int(b, TYPE));
	if (!*is_dynamic && !b->object[SCALE])
		return aclnn_fail(b, SCALE, "expected a tensor in static mode");
	if (*is_dynamic && b->object[OFFSET])
		return aclnn_fail(b, OFFSET, "expected NULL in dynamic mode");
	if (*is_dynamic && !b->object[OUT_SCALE])
		return aclnn_fail(b, OUT_SCALE,
				  "expected a tensor in dynamic mode");
	check_factor(b, SCALE, &self);
	check_factor(b, OFFSET, &self);
	return b->status;
}

int build_gelu_quant(struct aclnn_build *b)
{
	enum { SELF, SCALE, OFFSET, APPROXIMATE, MODE, ROUND, TYPE, Y, OUT_SCALE };
	struct aclnn_view self = aclnn_view(b, SELF), y = aclnn_view(b, Y), x;
	struct aclnn_view scale = aclnn_view(b, SCALE);
	struct aclnn_view offset = aclnn_view(b, OFFSET);
	struct aclnn_view out_scale = aclnn_view(b, OUT_SCALE);
	bool is_dynamic;

	if (check_gelu_quant(b, &is_dynamic) || !aclnn_has_shape(b, Y, &self))
		return b->status;
	if (y.t.dtype != VNPU_DT_I8)
		return aclnn_fail(b, Y, "expected type i8, given %s",
				  vnpu_dtype_name(y.t.dtype));
	aclnn_begin(b, VNPU_OP_GELU, 1, 1);
	aclnn_set_int(b, "approximate", !strcmp(b->values[APPROXIMATE].p, "tanh"));
	aclnn_put(b, 0, &self);
	x = aclnn_result(b);
	if (aclnn_has(&scale))
		x = aclnn_result2(b, VNPU_OP_MUL, &x, &scale);
	if (is_dynamic)
		return aclnn_quantise_lines(b, &x, Y, &out_scale);
	if (aclnn_has(&offset))
		x = aclnn_result2(b, VNPU_OP_ADD, &x, &offset);
	return aclnn_round_to(b, VNPU_OP_ROUND, &x, &y);
}

/* Arguments of AddRmsNormDynamicQuantV2; those of the second output follow. */
enum {
	X1, X2, GAMMA, SMOOTH, SMOOTH2, BETA, EPSILON, MASK, Y, Y2, SUM, SCALE,
	SCALE2,
};

/* Check whether the caller wants an output, 0 or 1. */
static bool is_wanted(const struct aclnn_build *b, unsigned int i)
{
	const struct aclnn_array *mask = aclnn_array(b, MASK);

	if (mask)
		return mask->b[i];
	return !i || (b->object[SMOOTH] && b->object[SMOOTH2]);
}

/* Check which outputs the caller wants; a status. */
static int check_mask(struct aclnn_build *b)
{
	const struct aclnn_array *mask = aclnn_array(b, MASK);

	if (mask && mask->size != 2)
		return aclnn_fail(b, MASK, "expected 2 values, given %llu",
				  (unsigned long long)mask->size);
	if (mask && !mask->b[0] && !mask->b[1])
		return aclnn_fail(b, MASK, "expected an output, given none");
	for (unsigned int i = 0; mask && i < 2; i++)
		if (b->object[SMOOTH + i] && !mask->b[i])
			return aclnn_fail(b, SMOOTH + i,
					  "expected NULL, as the mask excludes the output");
	if (!mask && b->object[SMOOTH2] && !b->object[SMOOTH])
		return aclnn_fail(b, SMOOTH,
				  "expected a tensor, as there is another one for the second output");
	return b->status;
}

/* Check the vectors of a norm; a status. */
static int check_vectors(struct aclnn_build *b, const struct aclnn_view *x1)
{
	struct aclnn_view gamma = aclnn_view(b, GAMMA);
	unsigned int rank = x1->t.rank;

	if (!vnpu_dtype_is_float(x1->t.dtype) || !rank)
		return aclnn_fail(b, X1,
				  "expected a floating-point type and 1 dimension or more, given %s and %u",
				  vnpu_dtype_name(x1->t.dtype), rank);
	if (gamma.t.rank != 1 || gamma.t.dims[0] != x1->t.dims[rank - 1])
		return aclnn_fail(b, GAMMA,
				  "expected 1 dimension of %lld elements, given %u of %lld",
				  (long long)x1->t.dims[rank - 1], gamma.t.rank,
				  (long long)vnpu_tensor_elements(&gamma.t));
	for (unsigned int i = SMOOTH; i <= BETA; i++)
		if (b->object[i] && !aclnn_has_shape(b, i, &gamma))
			break;
	return b->status;
}

/* Quantise the norm for one of both outputs. */
static int quantise_norm(struct aclnn_build *b, const struct aclnn_view *norm,
			 unsigned int i)
{
	struct aclnn_view smooth = aclnn_view(b, SMOOTH + i), x = *norm;
	struct aclnn_view scale = aclnn_view(b, SCALE + i);

	if (!aclnn_has_shape(b, Y + i, norm))
		return b->status;
	if (aclnn_has(&smooth))
		x = aclnn_result2(b, VNPU_OP_MUL, norm, &smooth);
	/* The scales of all lines may be in one dimension. */
	aclnn_reshape(&scale, x.t.rank - 1, x.t.dims);
	return aclnn_quantise_lines(b, &x, Y + i, &scale);
}

int build_add_rms_norm_quant(struct aclnn_build *b)
{
	struct aclnn_view x1 = aclnn_view(b, X1), x2 = aclnn_view(b, X2), norm;
	struct aclnn_view gamma = aclnn_view(b, GAMMA), beta = aclnn_view(b, BETA);
	struct aclnn_view none = { .arg = ACLNN_NO_ARG }, sum = aclnn_view(b, SUM);

	if (check_mask(b) || check_vectors(b, &x1) ||
	    !aclnn_has_shape(b, X2, &x1) || !aclnn_has_shape(b, SUM, &x1))
		return b->status;
	norm = aclnn_temporary(b, VNPU_DT_F32, x1.t.rank, x1.t.dims);
	aclnn_begin(b, VNPU_OP_ADD_RMS_NORM, 3, 3);
	aclnn_set_float(b, "eps", aclnn_float(b, EPSILON));
	aclnn_put(b, 0, &x1);
	aclnn_put(b, 1, &x2);
	aclnn_put(b, 2, &gamma);
	aclnn_put(b, 3, &norm);
	aclnn_put(b, 4, &none);
	aclnn_put(b, 5, &sum);
	if (aclnn_end(b))
		return b->status;
	if (aclnn_has(&beta))
		norm = aclnn_result2(b, VNPU_OP_ADD, &norm, &beta);
	for (unsigned int i = 0; i < 2 && !b->status; i++)
		if (is_wanted(b, i))
			quantise_norm(b, &norm, i);
	return b->status;
}
