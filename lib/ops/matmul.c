// SPDX-License-Identifier: MIT
/*
 * Products of tensors: alpha * self * other + beta * bias, for batches of
 * matrices, which broadcast. Vectors are matrices with one row or column that
 * the result has not.
 */
#include <errno.h>

#include "families.h"
#include "gemm.h"

struct matmul {
	struct ops_product product;
	/* The batches, the outermost dimension first, and strides in bytes. */
	unsigned int rank;
	int64_t dims[VNPU_TENSOR_DIMS];
	int64_t left[VNPU_TENSOR_DIMS];
	int64_t right[VNPU_TENSOR_DIMS];
	int64_t bias[VNPU_TENSOR_DIMS];
	int64_t out[VNPU_TENSOR_DIMS];
	int64_t batches;
};
_Static_assert(sizeof(struct matmul) <=
	       sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

/* The stride of a dimension counted from the end, 0 if it repeats. */
static int64_t stride(const struct vnpu_tensor *t, unsigned int from_end)
{
	unsigned int dim = t->rank - 1 - from_end;

	if (from_end >= t->rank || t->dims[dim] == 1)
		return 0;
	return t->strides[dim] * ops_size(t->dtype);
}

static int64_t size(const struct vnpu_tensor *t, unsigned int from_end)
{
	return from_end < t->rank ? t->dims[t->rank - 1 - from_end] : 1;
}

/* Add the batches' common dimensions to the shape. */
static int infer_batches(struct ops_call *c, const struct vnpu_tensor *a,
			 const struct vnpu_tensor *b, struct ops_shape *out)
{
	unsigned int most = a->rank > b->rank ? a->rank : b->rank, i;

	for (i = most; i-- > 2;) {
		int64_t x = size(a, i), y = size(b, i);

		if (x != y && x != 1 && y != 1)
			return ops_fail(c, 1, -EINVAL,
					"batches of shape %s cannot be broadcast with %s",
					OPS_TDIMS(b), OPS_TDIMS(a));
		out->dims[out->rank++] = x == 1 ? y : x;
	}
	return 0;
}

int ops_matmul_infer(struct ops_call *c)
{
	const struct vnpu_tensor *a = &c->l->tensor[0], *b = &c->l->tensor[1];
	const struct vnpu_tensor *bias = ops_in(c->l, 2);
	struct ops_shape *out = &c->out[0];
	int64_t inner;
	unsigned int i;
	int err;

	err = ops_need_rank(c, 0, 1, 8);
	if (!err)
		err = ops_need_rank(c, 1, 1, 8);
	if (!err)
		err = infer_batches(c, a, b, out);
	if (err)
		return err;
	inner = b->rank > 1 ? size(b, 1) : size(b, 0);
	if (size(a, 0) != inner)
		return ops_fail(c, 1, -EINVAL,
				"expected an inner dimension of %lld, given shape %s",
				(long long)size(a, 0), OPS_TDIMS(b));
	if (a->rank > 1)
		out->dims[out->rank++] = size(a, 1);
	if (b->rank > 1)
		out->dims[out->rank++] = size(b, 0);
	/* The result keeps the digits of f32 if the output has them. */
	out->castable = true;
	out->dtype = vnpu_dtype_promote(a->dtype, b->dtype);
	if (!bias)
		return 0;
	for (i = 0; i < bias->rank; i++)
		if (i >= out->rank ||
		    (size(bias, i) != 1 &&
		     size(bias, i) != out->dims[out->rank - 1 - i]))
			return ops_fail(c, 2, -EINVAL,
					"shape %s cannot be expanded to %s",
					OPS_TDIMS(bias),
					OPS_DIMS(out->rank, out->dims));
	return 0;
}

static bool is_f(const struct vnpu_tensor *t)
{
	return ops_class_of(t->dtype) == OPS_F;
}

/* The strides of a result or bias that lacks the dimensions of vectors. */
static void plan_rows(const struct vnpu_tensor *t, bool has_row, bool has_column,
		      int64_t *row, int64_t *column)
{
	*column = has_column ? stride(t, 0) : 0;
	*row = has_row ? stride(t, has_column) : 0;
}

static void plan_batches(struct matmul *m, const struct vnpu_tensor *a,
			 const struct vnpu_tensor *b,
			 const struct vnpu_tensor *bias,
			 const struct vnpu_tensor *out, unsigned int own)
{
	unsigned int i;

	m->rank = out->rank - own;
	m->batches = 1;
	for (i = 0; i < m->rank; i++) {
		unsigned int from_end = m->rank - 1 - i;

		m->dims[i] = out->dims[i];
		m->batches *= out->dims[i];
		m->left[i] = stride(a, from_end + 2);
		m->right[i] = stride(b, from_end + 2);
		m->out[i] = stride(out, from_end + own);
		m->bias[i] = bias ? stride(bias, from_end + own) : 0;
	}
}

void ops_matmul_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *a = &job->launch.tensor[0];
	const struct vnpu_tensor *b = &job->launch.tensor[1];
	const struct vnpu_tensor *bias = ops_in(&job->launch, 2);
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	struct matmul *m = (struct matmul *)job->plan;
	struct ops_product *p = &m->product;
	bool has_row = a->rank > 1, has_column = b->rank > 1;

	/* Integers are exact in double, up to 2^53. */
	p->class = is_f(a) && is_f(b) ? OPS_F : OPS_D;
	p->m = has_row ? size(a, 1) : 1;
	p->n = has_column ? size(b, 0) : 1;
	p->k = size(a, 0);
	ops_factor_view(&p->left, a->dtype, p->class, stride(a, 0),
			has_row ? stride(a, 1) : 0);
	ops_factor_view(&p->right, b->dtype, p->class, stride(b, has_column),
			has_column ? stride(b, 0) : 0);
	p->store = ops_vec->store[p->class][out->dtype];
	p->out_size = ops_size(out->dtype);
	plan_rows(out, has_row, has_column, &p->out_row, &p->out_column);
	p->out_column /= p->out_size;
	p->alpha = JOB_FLOAT(job, 0);
	p->beta = JOB_FLOAT(job, 1);
	ops_product_clamp(p, JOB_FLOAT(job, 2), JOB_FLOAT(job, 3));
	p->bias_load = NULL;
	if (bias && p->beta != 0) {
		p->bias_load = ops_vec->load[bias->dtype][p->class];
		p->bias_size = ops_size(bias->dtype);
		plan_rows(bias, has_row, has_column, &p->bias_row,
			  &p->bias_column);
	}
	ops_product_init(p);
	plan_batches(m, a, b, bias, out, has_row + has_column);
	job->scratch = ops_product_scratch(p);
	job->parts = ops_parts((double)m->batches * p->m * p->n * p->k / 4,
			       m->batches * ops_product_blocks(p));
}

int ops_matmul_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct matmul *m = (const struct matmul *)job->plan;
	const struct vnpu_op_launch *l = &job->launch;
	int64_t blocks = ops_product_blocks(&m->product), at, end, next;

	ops_share(w, m->batches * blocks, 1, &at, &end);
	for (; at < end; at = next) {
		const struct vnpu_tensor *bias = ops_in(l, 2);
		struct ops_matrices x = {
			.left = ops_data(&l->tensor[0]),
			.right = ops_data(&l->tensor[1]),
			.bias = bias ? ops_data(bias) : NULL,
			.out = ops_data(ops_out(l, 0)),
		};
		int64_t batch = at / blocks, rest = batch;
		unsigned int i;

		for (i = m->rank; i--;) {
			int64_t index = rest % m->dims[i];

			rest /= m->dims[i];
			x.left += index * m->left[i];
			x.right += index * m->right[i];
			x.out += index * m->out[i];
			if (bias)
				x.bias += index * m->bias[i];
		}
		next = (batch + 1) * blocks;
		next = next < end ? next : end;
		ops_product_run(&m->product, &x, at - batch * blocks,
				next - batch * blocks, w->scratch);
	}
	return 0;
}
