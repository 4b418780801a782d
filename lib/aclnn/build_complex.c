// SPDX-License-Identifier: MIT
/*
 * Complex numbers.  The engine has no such type: it computes their real and imaginary
 * parts, which are the halves of an element.
 */
#include "build.h"
#include "builders.h"

enum { REAL, IMAGINARY };

/* Get the complex type that has parts of a type, or ACL_DT_UNDEFINED. */
static aclDataType complex_of(unsigned int dtype)
{
	switch (dtype) {
	case VNPU_DT_F16:
		return ACL_COMPLEX32;
	case VNPU_DT_F32:
		return ACL_COMPLEX64;
	case VNPU_DT_F64:
		return ACL_COMPLEX128;
	default:
		return ACL_DT_UNDEFINED;
	}
}

/* Check that an output has parts of a type; false after a report. */
static bool has_parts(struct aclnn_build *b, unsigned int arg, unsigned int dtype)
{
	const struct aclnn_tensor *tensor = b->object[arg];

	if (tensor->dtype == complex_of(dtype))
		return true;
	aclnn_fail(b, arg, "expected type %d, complex with parts of %s, given %d",
		   complex_of(dtype), vnpu_dtype_name(dtype), tensor->dtype);
	return false;
}

/* Check that a tensor has a type; false after a report. */
static bool has_type(struct aclnn_build *b, unsigned int arg, unsigned int dtype)
{
	struct aclnn_view view = aclnn_view(b, arg);

	if (view.t.dtype == dtype)
		return true;
	aclnn_fail(b, arg, "expected type %s, given %s", vnpu_dtype_name(dtype),
		   vnpu_dtype_name(view.t.dtype));
	return false;
}

int build_real(struct aclnn_build *b)
{
	enum { SELF, OUT };
	const struct aclnn_tensor *self = b->object[SELF];
	struct aclnn_view real = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	if (!real.t.dtype)
		real = aclnn_half(b, SELF, REAL);
	if (complex_of(real.t.dtype) == ACL_DT_UNDEFINED)
		return aclnn_fail(b, SELF,
				  "expected f16, f32, f64 or a complex type with parts of these, given type %d",
				  self->dtype);
	if (!has_type(b, OUT, real.t.dtype) || !aclnn_has_shape(b, OUT, &real))
		return b->status;
	return aclnn_step1(b, VNPU_OP_COPY, &real, &out);
}

/*
 * Copy a part to an output; the other one takes part in the shape.  A choice between
 * both that is the same everywhere keeps all bits, and broadcasts.
 */
static int set_part(struct aclnn_build *b, const struct aclnn_view *part,
		    const struct aclnn_view *other, const struct aclnn_view *out)
{
	struct aclnn_view condition = aclnn_integer(1);

	aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
	aclnn_put(b, 0, &condition);
	aclnn_put(b, 1, part);
	aclnn_put(b, 2, other);
	aclnn_put(b, 3, out);
	return aclnn_end(b);
}

int build_complex(struct aclnn_build *b)
{
	enum { PART_REAL, PART_IMAGINARY, OUT };
	struct aclnn_view real = aclnn_view(b, PART_REAL);
	struct aclnn_view imaginary = aclnn_view(b, PART_IMAGINARY);
	struct aclnn_view out[] = {
		aclnn_half(b, OUT, REAL), aclnn_half(b, OUT, IMAGINARY),
	};

	if (complex_of(real.t.dtype) == ACL_DT_UNDEFINED)
		return aclnn_fail(b, PART_REAL,
				  "expected type f16, f32 or f64, given %s",
				  vnpu_dtype_name(real.t.dtype));
	if (!has_type(b, PART_IMAGINARY, real.t.dtype) ||
	    !has_parts(b, OUT, real.t.dtype) ||
	    set_part(b, &real, &imaginary, &out[REAL]))
		return b->status;
	return set_part(b, &imaginary, &real, &out[IMAGINARY]);
}

/* input * cos(angle) + input * sin(angle) * i */
int build_polar(struct aclnn_build *b)
{
	enum { INPUT, ANGLE, OUT };
	struct aclnn_view input = aclnn_view(b, INPUT), part;
	struct aclnn_view angle = aclnn_view(b, ANGLE), out;

	if (!has_type(b, INPUT, VNPU_DT_F32) ||
	    !has_type(b, ANGLE, VNPU_DT_F32) ||
	    !has_parts(b, OUT, VNPU_DT_F32) || !aclnn_has_shape(b, ANGLE, &input))
		return b->status;
	for (unsigned int i = REAL; i <= IMAGINARY && !b->status; i++) {
		out = aclnn_half(b, OUT, i);
		part = aclnn_result1(b, i == REAL ? VNPU_OP_COS : VNPU_OP_SIN,
				     &angle);
		aclnn_step2(b, VNPU_OP_MUL, &input, &part, &out);
	}
	return b->status;
}
