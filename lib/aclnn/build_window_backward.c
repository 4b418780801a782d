// SPDX-License-Identifier: MIT
/* Gradients of convolutions, pooling and resizing. */
#include "build.h"
#include "builders.h"

/* Arguments of ConvolutionBackward. */
enum { GRAD, INPUT, WEIGHT, BIAS_SIZES, STRIDE, PADDING, DILATION, TRANSPOSED,
       OUTPUT_PADDING, GROUPS, MASK, CUBE, OF_INPUT, OF_WEIGHT, OF_BIAS };

/* Value @i of a list, of which one may stand for all. */
static int64_t value_of(const struct aclnn_build *b, unsigned int arg,
			unsigned int i)
{
	const struct aclnn_array *list = aclnn_array(b, arg);

	return list->i[list->size == 1 ? 0 : i];
}

static bool check_lists(struct aclnn_build *b, unsigned int space)
{
	for (unsigned int arg = STRIDE; arg <= DILATION; arg++) {
		uint64_t size = aclnn_array(b, arg)->size;

		if (size != 1 && size != space) {
			aclnn_fail(b, arg, "expected 1 or %u values, given %llu",
				   space, (unsigned long long)size);
			return false;
		}
	}
	return true;
}

static void set_lists(struct aclnn_build *b, unsigned int space)
{
	static const char *const names[] = { "stride", "padding", "dilation" };
	int64_t values[VNPU_TENSOR_DIMS];

	for (unsigned int n = 0; n < 3; n++) {
		for (unsigned int i = 0; i < space; i++)
			values[i] = value_of(b, STRIDE + n, i);
		aclnn_set_ints(b, names[n], values, space);
	}
	aclnn_set_int(b, "groups", aclnn_int(b, GROUPS));
}

/* The gradient of the input: the convolution in the other direction. */
static int input_step(struct aclnn_build *b, const struct aclnn_view *grad,
		      const struct aclnn_view *input,
		      const struct aclnn_view *weight)
{
	struct aclnn_view out = aclnn_view(b, OF_INPUT);
	unsigned int space = input->t.rank - 2;
	int64_t rest[VNPU_TENSOR_DIMS];

	aclnn_begin(b, VNPU_OP_CONVOLUTION, 3, 1);
	set_lists(b, space);
	if (!aclnn_int(b, TRANSPOSED)) {
		/* Elements of the input that no window reaches. */
		for (unsigned int i = 0; i < space; i++)
			rest[i] = input->t.dims[i + 2] - 1 -
				  (grad->t.dims[i + 2] - 1) *
					  value_of(b, STRIDE, i) +
				  2 * value_of(b, PADDING, i) -
				  (weight->t.dims[i + 2] - 1) *
					  value_of(b, DILATION, i);
		aclnn_set_int(b, "transposed", 1);
		aclnn_set_ints(b, "output_padding", rest, space);
	}
	aclnn_put(b, 0, grad);
	aclnn_put(b, 1, weight);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}

static int weight_step(struct aclnn_build *b, const struct aclnn_view *grad,
		       const struct aclnn_view *input,
		       const struct aclnn_view *weight)
{
	bool is_transposed = aclnn_int(b, TRANSPOSED);
	struct aclnn_view out = aclnn_view(b, OF_WEIGHT);
	unsigned int space = input->t.rank - 2;

	aclnn_begin(b, VNPU_OP_CONVOLUTION_WEIGHT_BACKWARD, 2, 1);
	set_lists(b, space);
	aclnn_set_ints(b, "kernel", weight->t.dims + 2, space);
	aclnn_put(b, is_transposed, grad);
	aclnn_put(b, !is_transposed, input);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

static int bias_step(struct aclnn_build *b, const struct aclnn_view *grad)
{
	struct aclnn_view out = aclnn_view(b, OF_BIAS);

	aclnn_begin_channels(b, VNPU_OP_SUM, grad);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

int build_convolution_backward(struct aclnn_build *b)
{
	struct aclnn_view grad = aclnn_view(b, GRAD);
	struct aclnn_view input = aclnn_view(b, INPUT);
	struct aclnn_view weight = aclnn_view(b, WEIGHT);
	unsigned int rank = input.t.rank;

	if (rank < 3 || rank > 5)
		return aclnn_fail(b, INPUT, "expected 3 to 5 dimensions, given %u",
				  rank);
	if (grad.t.rank != rank || weight.t.rank != rank)
		return aclnn_fail(b, grad.t.rank != rank ? GRAD : WEIGHT,
				  "expected %u dimensions, as of input, given %u",
				  rank, grad.t.rank != rank ? grad.t.rank :
							      weight.t.rank);
	if (!check_lists(b, rank - 2))
		return b->status;
	if (aclnn_wants(b, MASK, 0, OF_INPUT))
		input_step(b, &grad, &input, &weight);
	if (aclnn_wants(b, MASK, 1, OF_WEIGHT))
		weight_step(b, &grad, &input, &weight);
	if (aclnn_wants(b, MASK, 2, OF_BIAS))
		bias_step(b, &grad);
	return b->status;
}

/* Set the size of the planes that were read, which @dims ends with. */
static void set_plane(struct aclnn_build *b, const struct vnpu_tensor *t)
{
	aclnn_set_ints(b, "sizes", t->dims + t->rank - 2, 2);
}

static bool is_plane(struct aclnn_build *b, unsigned int arg,
		     const struct aclnn_view *view)
{
	if (view->t.rank >= 2)
		return true;
	aclnn_fail(b, arg, "expected at least 2 dimensions, given %u",
		   view->t.rank);
	return false;
}

int build_max_pool_backward(struct aclnn_build *b)
{
	enum { GRAD_OUT, SELF, INDICES };
	struct aclnn_view grad = aclnn_view(b, GRAD_OUT);
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view out = aclnn_view(b, b->op->count - 1);
	struct aclnn_view indices = aclnn_view(b, INDICES);

	if (!is_plane(b, SELF, &self))
		return b->status;
	aclnn_begin(b, VNPU_OP_MAX_POOL2D_BACKWARD, 2, 1);
	set_plane(b, &self.t);
	aclnn_put(b, 0, &grad);
	aclnn_put(b, 1, &indices);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

int build_avg_pool_backward(struct aclnn_build *b)
{
	enum { GRAD_OUT, SELF, KERNEL, STRIDES, PADDINGS, CEIL, COUNT_PADDING,
	       DIVISOR, CUBE_TYPE, OUT };
	const struct aclnn_array *kernel = aclnn_array(b, KERNEL);
	const struct aclnn_array *strides = aclnn_array(b, STRIDES);
	const struct aclnn_array *paddings = aclnn_array(b, PADDINGS);
	struct aclnn_view grad = aclnn_view(b, GRAD_OUT);
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	if (!is_plane(b, SELF, &self))
		return b->status;
	aclnn_begin(b, VNPU_OP_AVG_POOL2D_BACKWARD, 1, 1);
	aclnn_set_ints(b, "kernel", kernel->i, kernel->size);
	aclnn_set_ints(b, "stride", strides->i, strides->size);
	aclnn_set_ints(b, "padding", paddings->i, paddings->size);
	aclnn_set_int(b, "ceil", aclnn_int(b, CEIL));
	aclnn_set_int(b, "count_include_pad", aclnn_int(b, COUNT_PADDING));
	aclnn_set_int(b, "divisor", aclnn_int(b, DIVISOR));
	set_plane(b, &self.t);
	aclnn_put(b, 0, &grad);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

int build_adaptive_avg_pool_backward(struct aclnn_build *b)
{
	enum { GRAD_OUT, SELF, OUT };
	struct aclnn_view grad = aclnn_view(b, GRAD_OUT);
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	if (!is_plane(b, SELF, &self))
		return b->status;
	aclnn_begin(b, VNPU_OP_ADAPTIVE_AVG_POOL2D_BACKWARD, 1, 1);
	set_plane(b, &self.t);
	aclnn_put(b, 0, &grad);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

/* A row is an image of height 1. */
int build_upsample_linear(struct aclnn_build *b)
{
	enum { SELF, SIZE, ALIGN, SCALE, OUT };
	const struct aclnn_array *size = aclnn_array(b, SIZE);
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	if (self.t.rank != 3 || out.t.rank != 3)
		return aclnn_fail(b, self.t.rank != 3 ? SELF : OUT,
				  "expected 3 dimensions, given %u",
				  self.t.rank != 3 ? self.t.rank : out.t.rank);
	if (size->size != 1)
		return aclnn_fail(b, SIZE, "expected 1 value, given %llu",
				  (unsigned long long)size->size);
	aclnn_insert(&self, 2);
	aclnn_insert(&out, 2);
	aclnn_begin(b, VNPU_OP_UPSAMPLE_BILINEAR, 1, 1);
	aclnn_set_ints(b, "sizes", (int64_t[]){ 1, size->i[0] }, 2);
	aclnn_set_int(b, "align_corners", aclnn_int(b, ALIGN));
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}
