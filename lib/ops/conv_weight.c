// SPDX-License-Identifier: MIT
/*
 * Gradients of the weights of convolutions: the product of the gradient of the
 * output with the windows, over all positions of all batches. The positions are
 * taken in pieces, of which the products are added in the type that is computed,
 * so the memory does not grow with their number.
 */
#include <errno.h>
#include <string.h>

#include "conv.h"
#include "families.h"

/* Positions of a piece. */
#define PIECE	4096

enum { KERNEL = 3, GROUPS };

static void read_geometry(const struct ops_op *op,
			  const struct vnpu_op_launch *l, struct ops_window *g)
{
	const struct vnpu_tensor *in = &l->tensor[1];
	const union vnpu_op_word *kernel = ops_words(op, l, KERNEL);
	unsigned int rank = in->rank - 2, i;

	ops_window_read(op, l, 0, rank, g);
	g->transposed = false;
	ops_conv_spread(g->in, in->dims + 2, rank, 1, 1);
	for (i = 0; i < OPS_SPACE; i++)
		g->kernel[i] = i + rank >= OPS_SPACE ?
			kernel[1 + i + rank - OPS_SPACE].i : 1;
}

int ops_conv_weight_infer(struct ops_call *c)
{
	static const int64_t none[OPS_SPACE];
	const struct vnpu_tensor *grad = &c->l->tensor[0];
	const struct vnpu_tensor *in = &c->l->tensor[1];
	int64_t groups = CALL_INT(c, GROUPS), want[VNPU_TENSOR_DIMS];
	struct ops_window g;
	unsigned int i;
	int err;

	err = ops_need_rank(c, 1, 3, 5);
	if (!err)
		err = ops_need_rank(c, 0, in->rank, in->rank);
	if (err)
		return err;
	if (CALL_INTS(c, KERNEL)->i != in->rank - 2)
		return ops_fail(c, -1, -EINVAL,
				"kernel: expected %u values, given %lld",
				in->rank - 2,
				(long long)CALL_INTS(c, KERNEL)->i);
	if (groups < 1 || in->dims[1] % groups || grad->dims[1] % groups)
		return ops_fail(c, -1, -EINVAL,
				"groups: expected a divisor of %lld and %lld channels, given %lld",
				(long long)in->dims[1],
				(long long)grad->dims[1], (long long)groups);
	read_geometry(c->op, c->l, &g);
	err = ops_window_check(c, &g, none);
	if (err)
		return err;
	want[0] = in->dims[0];
	want[1] = grad->dims[1];
	c->out[0].dtype = vnpu_dtype_promote(grad->dtype, in->dtype);
	c->out[0].castable = true;
	c->out[0].rank = in->rank;
	c->out[0].dims[0] = grad->dims[1];
	c->out[0].dims[1] = in->dims[1] / groups;
	for (i = 2; i < in->rank; i++) {
		want[i] = g.out[i + 3 - in->rank];
		c->out[0].dims[i] = g.kernel[i + 3 - in->rank];
	}
	return ops_need_shape(c, 0, in->rank, want);
}

/* Load the gradient of a channel, for positions of all batches. */
static void fetch_grad(const struct ops_factor *f, const uint8_t *base,
		       void *dst, int64_t inner, int64_t outer, int64_t n)
{
	const struct ops_conv_place *place = f->data;
	const struct ops_conv *v = place->conv;
	const int64_t *size = v->g.out;
	int64_t element = v->product.class == OPS_D ? 8 : 4, rest, now, column;
	uint8_t *to = dst;

	inner += place->first;
	base += outer * v->out_channel;
	for (; n; n -= now, inner += now, to += now * element) {
		const uint8_t *from = base;

		column = inner % size[2];
		rest = inner / size[2];
		now = size[2] - column < n ? size[2] - column : n;
		from += column * v->out_space[2];
		from += rest % size[1] * v->out_space[1];
		rest /= size[1];
		from += rest % size[0] * v->out_space[0];
		from += rest / size[0] * v->out_batch;
		f->load(to, from, v->out_space[2] / f->size, now);
	}
}

/* Load windows, for positions of all batches. */
static void fetch_windows(const struct ops_factor *f, const uint8_t *base,
			  void *dst, int64_t inner, int64_t outer, int64_t n)
{
	const struct ops_conv_place *place = f->data;
	const struct ops_conv *v = place->conv;
	int64_t positions = v->g.out[0] * v->g.out[1] * v->g.out[2], now, at;
	int64_t element = v->product.class == OPS_D ? 8 : 4;
	struct ops_conv_place none = { .conv = v };
	struct ops_factor all = *f;
	uint8_t *to = dst;

	all.data = &none;
	inner += place->first;
	for (; n; n -= now, inner += now, to += now * element) {
		at = inner % positions;
		now = positions - at < n ? positions - at : n;
		ops_conv_windows(&all, base + inner / positions * v->in_batch,
				 to, outer, at, now);
	}
}

static void plan_strides(struct ops_conv *v, const struct vnpu_op_launch *l)
{
	const struct vnpu_tensor *grad = &l->tensor[0], *in = &l->tensor[1];
	const struct vnpu_tensor *out = ops_out(l, 0);
	int64_t size = ops_size(grad->dtype), out_size = ops_size(out->dtype);

	ops_conv_spread(v->in_space, in->strides + 2, in->rank - 2, 0,
			ops_size(in->dtype));
	v->in_batch = in->strides[0] * ops_size(in->dtype);
	v->in_channel = in->strides[1] * ops_size(in->dtype);
	ops_conv_spread(v->out_space, grad->strides + 2, grad->rank - 2, size,
			size);
	v->out_batch = grad->strides[0] * size;
	v->out_channel = grad->strides[1] * size;
	ops_conv_spread(v->weight_space, out->strides + 2, out->rank - 2, 0,
			out_size);
	v->weight_out = out->strides[0] * out_size;
	v->weight_in = out->strides[1] * out_size;
}

void ops_conv_weight_plan(struct vnpu_op_job *job)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *grad = &l->tensor[0], *in = &l->tensor[1];
	const struct vnpu_tensor *out = ops_out(l, 0);
	struct ops_conv *v = (struct ops_conv *)job->plan;
	struct ops_product *p = &v->product;
	int64_t all;

	memset(v, 0, sizeof(*v));
	read_geometry(job->op, l, &v->g);
	ops_conv_spread(v->g.out, grad->dims + 2, grad->rank - 2, 1, 1);
	v->batches = in->dims[0];
	v->groups = JOB_INT(job, GROUPS);
	v->in_channels = in->dims[1] / v->groups;
	v->out_channels = grad->dims[1] / v->groups;
	plan_strides(v, l);
	p->class = ops_class_of(in->dtype) == OPS_F &&
		   ops_class_of(grad->dtype) == OPS_F ? OPS_F : OPS_D;
	all = v->batches * v->g.out[0] * v->g.out[1] * v->g.out[2];
	p->m = v->out_channels;
	p->n = v->in_channels * v->g.kernel[0] * v->g.kernel[1] * v->g.kernel[2];
	p->k = all < PIECE ? all : PIECE;
	p->left.fetch = fetch_grad;
	p->left.load = ops_vec->load[grad->dtype][p->class];
	p->left.size = ops_size(grad->dtype);
	p->right.fetch = fetch_windows;
	p->right.load = ops_vec->load[in->dtype][p->class];
	p->right.size = ops_size(in->dtype);
	/* Sums are kept in dense memory, which is also the bias. */
	p->out_size = p->bias_size = p->class == OPS_F ? 4 : 8;
	p->out_row = p->bias_row = p->n * p->out_size;
	p->out_column = 1;
	p->bias_column = p->bias_size;
	p->store = ops_vec->store[p->class][p->class == OPS_F ? VNPU_DT_F32 :
								VNPU_DT_F64];
	p->alpha = p->beta = 1;
	ops_product_init(p);
	if (!vnpu_tensor_elements(out))
		return;
	job->phases = 2;
	job->scratch = ops_product_scratch(p);
	job->shared = vnpu_tensor_elements(out) * p->out_size;
	job->parts = ops_parts((double)v->groups * p->m * p->n * all / 4,
			       v->groups * ops_product_blocks(p));
}

/* Sum the products of all pieces for some blocks of a group. */
static void sum_pieces(const struct vnpu_op_job *job, int64_t group,
		       int64_t first, int64_t end, const struct vnpu_op_work *w)
{
	const struct ops_conv *v = (const struct ops_conv *)job->plan;
	const struct vnpu_tensor *t = job->launch.tensor;
	struct ops_conv_place place = { .conv = v };
	struct ops_product p = v->product;
	int64_t all = v->batches * v->g.out[0] * v->g.out[1] * v->g.out[2];
	uint8_t *sums = (uint8_t *)w->shared + group * p.m * p.out_row;
	struct ops_matrices x = {
		.left = ops_data(&t[0]) + group * p.m * v->out_channel,
		.right = ops_data(&t[1]) +
			 group * v->in_channels * v->in_channel,
		.bias = sums,
		.out = sums,
	};

	p.left.data = p.right.data = &place;
	do {
		p.k = all - place.first < PIECE ? all - place.first : PIECE;
		p.bias_load = place.first ? ops_vec->load[p.class == OPS_F ?
			VNPU_DT_F32 : VNPU_DT_F64][p.class] : NULL;
		ops_product_run(&p, &x, first, end, w->scratch);
		place.first += p.k;
	} while (place.first < all);
}

/* Store the sums of the rows of windows along the last dimension. */
static void store_sums(const struct vnpu_op_job *job,
		       const struct vnpu_op_work *w)
{
	const struct ops_conv *v = (const struct ops_conv *)job->plan;
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	const struct ops_product *p = &v->product;
	int64_t row, end, rest, n = v->g.kernel[2];

	ops_share(w, vnpu_tensor_elements(out) / n, 1, &row, &end);
	for (; row < end; row++) {
		uint8_t *to = ops_data(out);

		rest = row;
		to += rest % v->g.kernel[1] * v->weight_space[1];
		rest /= v->g.kernel[1];
		to += rest % v->g.kernel[0] * v->weight_space[0];
		rest /= v->g.kernel[0];
		to += rest % v->in_channels * v->weight_in;
		to += rest / v->in_channels * v->weight_out;
		ops_vec->store[p->class][out->dtype](to, v->weight_space[2] /
			ops_size(out->dtype), (uint8_t *)w->shared +
			row * n * p->out_size, n);
	}
}

int ops_conv_weight_run(const struct vnpu_op_job *job,
			const struct vnpu_op_work *w)
{
	const struct ops_conv *v = (const struct ops_conv *)job->plan;
	int64_t blocks = ops_product_blocks(&v->product), at, end, next, group;

	if (!vnpu_tensor_elements(ops_out(&job->launch, 0)))
		return 0;
	if (w->phase) {
		store_sums(job, w);
		return 0;
	}
	ops_share(w, v->groups * blocks, 1, &at, &end);
	for (; at < end; at = next) {
		group = at / blocks;
		next = (group + 1) * blocks < end ? (group + 1) * blocks : end;
		sum_pieces(job, group, at - group * blocks,
			   next - group * blocks, w);
	}
	return 0;
}
