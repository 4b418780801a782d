// SPDX-License-Identifier: MIT
/*
 * The gradient of im2col: elements of windows, [N, C * elements, positions], are
 * added to the elements of [N, C, H, W] that they were made from, in double.
 */
#include <errno.h>
#include <string.h>

#include "families.h"
#include "plane.h"
#include "vec/vec.h"

enum { STRIDE, PADDING, DILATION, KERNEL, SIZES };

/**
 * struct axis - one of the two dimensions
 * @in: size of the plane
 * @kernel: size of the window
 * @stride: distance of windows
 * @pad: padding on both sides
 * @dilation: distance of elements of a window
 * @out: number of windows
 */
struct axis {
	int64_t in, kernel, stride, pad, dilation, out;
};

static int64_t value_of(const union vnpu_op_word *list, unsigned int i,
			int64_t otherwise)
{
	return !list->i ? otherwise : list[1 + (i < list->i ? i : 0)].i;
}

static void read_axis(const struct ops_op *op, const struct vnpu_op_launch *l,
		      unsigned int i, struct axis *a)
{
	a->in = value_of(ops_words(op, l, SIZES), i, 0);
	a->kernel = value_of(ops_words(op, l, KERNEL), i, 0);
	a->stride = value_of(ops_words(op, l, STRIDE), i, 1);
	a->pad = value_of(ops_words(op, l, PADDING), i, 0);
	a->dilation = value_of(ops_words(op, l, DILATION), i, 1);
	a->out = (a->in + 2 * a->pad - a->dilation * (a->kernel - 1) - 1) /
		 a->stride + 1;
}

/*
 * Whether all numbers of a dimension are possible, and so small that the product of
 * both numbers of windows is.
 */
static bool is_valid(const struct ops_op *op, const struct vnpu_op_launch *l,
		     unsigned int i)
{
	const int64_t most = (int64_t)1 << 29;
	int64_t in = value_of(ops_words(op, l, SIZES), i, 0);
	int64_t kernel = value_of(ops_words(op, l, KERNEL), i, 0);
	int64_t stride = value_of(ops_words(op, l, STRIDE), i, 1);
	int64_t pad = value_of(ops_words(op, l, PADDING), i, 0);
	int64_t dilation = value_of(ops_words(op, l, DILATION), i, 1);

	return in >= 1 && in <= most && kernel >= 1 && kernel <= most &&
	       stride >= 1 && stride <= most && pad >= 0 && pad <= most &&
	       dilation >= 1 && dilation <= most &&
	       in + 2 * pad > dilation * (kernel - 1);
}

int ops_col2im_infer(struct ops_call *c)
{
	const struct vnpu_tensor *grad = &c->l->tensor[0];
	struct axis a[2];
	unsigned int i;
	int err;

	err = ops_need_rank(c, 0, 3, 3);
	if (!err)
		err = ops_need_float(c, 0);
	if (err)
		return err;
	for (i = 0; i < 2; i++) {
		if (!is_valid(c->op, c->l, i))
			return ops_fail(c, -1, -EINVAL,
					"these windows of dimension %u are not possible",
					i);
		read_axis(c->op, c->l, i, &a[i]);
	}
	if (grad->dims[1] % (a[0].kernel * a[1].kernel) ||
	    grad->dims[2] != a[0].out * a[1].out)
		return ops_fail(c, 0, -EINVAL,
				"expected a multiple of %lld rows of %lld, given shape %s",
				(long long)(a[0].kernel * a[1].kernel),
				(long long)(a[0].out * a[1].out),
				OPS_TDIMS(grad));
	ops_like(&c->out[0], grad);
	c->out[0].castable = true;
	c->out[0].rank = 4;
	c->out[0].dims[1] = grad->dims[1] / (a[0].kernel * a[1].kernel);
	c->out[0].dims[2] = a[0].in;
	c->out[0].dims[3] = a[1].in;
	return 0;
}

void ops_col2im_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *grad = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);

	if (!vnpu_tensor_elements(out))
		return;
	job->scratch = (out->dims[2] * out->dims[3] + grad->dims[2]) *
		       sizeof(double);
	job->parts = ops_parts(vnpu_tensor_elements(grad) * 4.0,
			       ops_plane_count(out));
}

/* Add the elements at one place of all windows. */
static void add_row(const struct axis *a, int64_t down, int64_t along,
		    const double *grad, double *plane)
{
	int64_t y, x;

	for (y = 0; y < a[0].out; y++) {
		int64_t row = y * a[0].stride - a[0].pad + down * a[0].dilation;

		if (row < 0 || row >= a[0].in)
			continue;
		for (x = 0; x < a[1].out; x++) {
			int64_t column = x * a[1].stride - a[1].pad +
					 along * a[1].dilation;

			if (column >= 0 && column < a[1].in)
				plane[row * a[1].in + column] +=
					grad[y * a[1].out + x];
		}
	}
}

int ops_col2im_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *in = &l->tensor[0], *out = ops_out(l, 0);
	double *plane = w->scratch, *grad;
	int64_t number, end, i, elements;
	struct axis a[2];

	if (!vnpu_tensor_elements(out))
		return 0;
	read_axis(job->op, l, 0, &a[0]);
	read_axis(job->op, l, 1, &a[1]);
	grad = plane + a[0].in * a[1].in;
	elements = a[0].kernel * a[1].kernel;
	ops_share(w, ops_plane_count(out), 1, &number, &end);
	for (; number < end; number++) {
		const uint8_t *from = ops_data(in) + ops_size(in->dtype) *
			(number / out->dims[1] * in->strides[0] +
			 number % out->dims[1] * elements * in->strides[1]);

		memset(plane, 0, a[0].in * a[1].in * sizeof(*plane));
		for (i = 0; i < elements; i++) {
			ops_vec->load[in->dtype][OPS_D](grad, from +
				i * in->strides[1] * ops_size(in->dtype),
				in->strides[2], in->dims[2]);
			add_row(a, i / a[1].kernel, i % a[1].kernel, grad,
				plane);
		}
		ops_plane_store(out, number, plane, a[1].in);
	}
	return 0;
}
