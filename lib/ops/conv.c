// SPDX-License-Identifier: MIT
/*
 * Convolutions in one to three dimensions, also transposed and in groups, and
 * im2col. A convolution is a product of the weight with the windows; these are
 * only made while the product packs them.
 */
#include <errno.h>
#include <string.h>

#include "conv.h"
#include "families.h"

enum { STRIDE, PADDING, DILATION, TRANSPOSED, MORE, GROUPS, LEAST, MOST, PACKED };

static unsigned int space_of(const struct vnpu_op_launch *l)
{
	return l->tensor[0].rank - 2;
}

static void read_more(const struct ops_op *op, const struct vnpu_op_launch *l,
		      int64_t *more)
{
	const union vnpu_op_word *list = ops_words(op, l, MORE);
	unsigned int rank = space_of(l), i, own;

	for (i = 0; i < OPS_SPACE; i++) {
		own = i + rank - OPS_SPACE;
		more[i] = i + rank >= OPS_SPACE && list->i ?
			list[1 + (own < list->i ? own : list->i - 1)].i : 0;
	}
}

static void read_geometry(const struct ops_op *op,
			  const struct vnpu_op_launch *l, struct ops_window *g)
{
	unsigned int rank = space_of(l);

	ops_window_read(op, l, STRIDE, rank, g);
	g->transposed = ops_int(op, l, TRANSPOSED) != 0;
	ops_conv_spread(g->in, l->tensor[0].dims + 2, rank, 1, 1);
	ops_conv_spread(g->kernel, l->tensor[1].dims + 2, rank, 1, 1);
}

/* Check a packed weight; @made is the number of output channels. */
static int check_packed(struct ops_call *c, int64_t made, int64_t groups)
{
	const struct vnpu_tensor *w = &c->l->tensor[1];
	unsigned int last = w->rank - 1;

	if (CALL_INT(c, TRANSPOSED) || made < 0 || made > VNPU_TENSOR_MAX ||
	    made % groups || w->dims[last] != OPS_MR ||
	    w->dims[0] != vnpu_op_panels(made / groups) * groups ||
	    !vnpu_tensor_is_contiguous(w))
		return ops_fail(c, 1, -EINVAL,
				"shape %s is not that of a packed weight with %lld output channels in %lld groups",
				OPS_TDIMS(w), (long long)made, (long long)groups);
	return 0;
}

int ops_conv_infer(struct ops_call *c)
{
	const struct vnpu_tensor *in = &c->l->tensor[0], *w = &c->l->tensor[1];
	int64_t groups = CALL_INT(c, GROUPS), channels, made, more[OPS_SPACE];
	int64_t packed = CALL_INT(c, PACKED);
	const struct vnpu_tensor *bias = ops_in(c->l, 2);
	struct ops_shape *out = &c->out[0];
	struct ops_window g;
	unsigned int i;
	int err;

	err = ops_need_rank(c, 0, 3, 5);
	if (!err)
		err = ops_need_rank(c, 1, in->rank + !!packed,
				    in->rank + !!packed);
	if (err)
		return err;
	read_geometry(c->op, c->l, &g);
	channels = g.transposed ? w->dims[0] : w->dims[1] * groups;
	made = packed ? packed :
	       g.transposed ? w->dims[1] * groups : w->dims[0];
	if (groups < 1 || groups > VNPU_TENSOR_MAX || channels != in->dims[1] ||
	    (g.transposed ? w->dims[0] : made) % groups)
		return ops_fail(c, 1, -EINVAL,
				"shape %s does not match %lld channels in %lld groups",
				OPS_TDIMS(w), (long long)in->dims[1],
				(long long)groups);
	err = packed ? check_packed(c, made, groups) : 0;
	if (err)
		return err;
	read_more(c->op, c->l, more);
	err = ops_window_check(c, &g, more);
	if (err)
		return err;
	if (bias)
		err = ops_need_shape(c, 2, 1, &made);
	out->castable = true;
	out->dtype = vnpu_dtype_promote(in->dtype, w->dtype);
	out->rank = in->rank;
	out->dims[0] = in->dims[0];
	out->dims[1] = made;
	for (i = 2; i < in->rank; i++)
		out->dims[i] = g.out[i + 3 - in->rank];
	return err;
}

/* Load an element of windows at @n positions from @at on in a row. */
static void load_row(const struct ops_factor *f, const uint8_t *src, void *to,
		     bool wide, int64_t row, int64_t at, int64_t n,
		     const int64_t *k)
{
	const struct ops_conv *v = ((const struct ops_conv_place *)f->data)->conv;
	const struct ops_window *g = &v->g;
	int64_t z = ops_window_source(g, 0, row / g->out[1], k[0]);
	int64_t y = ops_window_source(g, 1, row % g->out[1], k[1]);

	if (z < 0 || y < 0)
		memset(to, 0, n * (wide ? 8 : 4));
	else
		ops_window_row(g, f->load, src + z * v->in_space[0] +
			       y * v->in_space[1], v->in_space[2] / f->size,
			       f->size, to, wide, at, n, k[2]);
}

/* Likewise in a plane. */
static void load_plane(const struct ops_factor *f, const uint8_t *src, void *to,
		       bool wide, int64_t plane, int64_t at, int64_t n,
		       const int64_t *k)
{
	const struct ops_conv *v = ((const struct ops_conv_place *)f->data)->conv;
	int64_t z = ops_window_source(&v->g, 0, plane, k[0]);

	if (z < 0)
		memset(to, 0, n * (wide ? 8 : 4));
	else
		ops_window_plane(&v->g, f->load, src + z * v->in_space[0],
				 v->in_space[2] / f->size, f->size, to, wide, at,
				 n, k);
}

void ops_conv_windows(const struct ops_factor *f, const uint8_t *base,
		      void *dst, int64_t inner, int64_t outer, int64_t n)
{
	const struct ops_conv_place *p = f->data;
	const struct ops_conv *v = p->conv;
	const struct ops_window *g = &v->g;
	bool wide = v->product.class == OPS_D;
	bool planes = ops_window_has_planes(g, v->in_space[1], v->in_space[2]);
	int64_t line = g->out[2] * (planes ? g->out[1] : 1);
	int64_t k[OPS_SPACE], rest = inner, now;
	uint8_t *to = dst;
	int i;

	for (i = OPS_SPACE; i--;) {
		k[i] = rest % g->kernel[i];
		rest /= g->kernel[i];
	}
	base += rest * v->in_channel;
	outer += p->first;
	for (; n; n -= now, outer += now, to += now * (wide ? 8 : 4)) {
		int64_t at = outer % line, row = outer / line;

		now = line - at < n ? line - at : n;
		if (planes)
			load_plane(f, base, to, wide, row, at, now, k);
		else
			load_row(f, base, to, wide, row, at, now, k);
	}
}

/* Load the weight of an output channel, for channels and elements. */
static void fetch_weight(const struct ops_factor *f, const uint8_t *base,
			 void *dst, int64_t inner, int64_t outer, int64_t n)
{
	const struct ops_conv *v = ((const struct ops_conv_place *)f->data)->conv;
	int64_t element = v->product.class == OPS_D ? 8 : 4, i;
	uint8_t *to = dst;
	int d;

	for (i = 0; i < n; i++) {
		const uint8_t *at = base + outer * v->weight_out;
		int64_t rest = inner + i;

		for (d = OPS_SPACE; d--;) {
			at += rest % v->g.kernel[d] * v->weight_space[d];
			rest /= v->g.kernel[d];
		}
		f->load(to + i * element, at + rest * v->weight_in, 1, 1);
	}
}

bool ops_conv_has_points(const struct ops_conv *v)
{
	const struct ops_window *g = &v->g;
	int64_t step = v->in_space[2];
	int d;

	for (d = OPS_SPACE; d--; step *= g->in[d])
		if (g->kernel[d] != 1 || g->pad[d] || g->out[d] != g->in[d] ||
		    (g->in[d] != 1 && v->in_space[d] != step))
			return false;
	return !v->by_rows;
}

/* Likewise, from panels. */
static void fetch_packed(const struct ops_factor *f, const uint8_t *base,
			 void *dst, int64_t inner, int64_t outer, int64_t n)
{
	const struct ops_conv *v = ((const struct ops_conv_place *)f->data)->conv;
	int64_t at = outer / OPS_MR * v->product.k + inner;

	f->load(dst, base + (at * OPS_MR + outer % OPS_MR) * f->size, OPS_MR, n);
}

static void plan_factors(struct ops_conv *v, const struct vnpu_tensor *in,
			 const struct vnpu_tensor *w)
{
	struct ops_product *p = &v->product;
	const int64_t *s = v->weight_space, *k = v->g.kernel;
	int64_t size = ops_size(w->dtype);

	/* Dense weights are a matrix; others are found one by one. */
	if (!v->is_packed && s[2] == size && s[1] == s[2] * k[2] && s[0] == s[1] * k[1] &&
	    v->weight_in == s[0] * k[0]) {
		ops_factor_view(&p->left, w->dtype, p->class, size,
				v->weight_out);
	} else {
		p->left.fetch = v->is_packed ? fetch_packed : fetch_weight;
		p->left.fetches_outer = false;
		p->left.load = ops_vec->load[w->dtype][p->class];
		p->left.size = size;
	}
	ops_factor_view(&p->right, in->dtype, p->class, v->in_channel,
			v->in_space[2]);
	if (!ops_conv_has_points(v))
		p->right.fetch = ops_conv_windows;
	/* Whatever the strides are, since they must not decide the order. */
	p->right.fetches_outer = true;
}

/* Byte distances, where dimensions of size 1 look like those of dense memory. */
static void plan_strides(struct ops_conv *v, const struct vnpu_op_launch *l)
{
	const struct vnpu_tensor *in = &l->tensor[0], *w = &l->tensor[1];
	const struct vnpu_tensor *out = ops_out(l, 0);
	int64_t size = ops_size(w->dtype), out_size = ops_size(out->dtype);
	int d;

	ops_conv_spread(v->in_space, in->strides + 2, in->rank - 2, 0,
	       ops_size(in->dtype));
	v->in_batch = in->strides[0] * ops_size(in->dtype);
	v->in_channel = in->strides[1] * ops_size(in->dtype);
	ops_conv_spread(v->weight_space, w->strides + 2, in->rank - 2, 0, size);
	v->weight_out = w->strides[v->g.transposed ? 1 : 0] * size;
	v->weight_in = w->strides[v->g.transposed ? 0 : 1] * size;
	/* Of transposed weights, the input channels are in groups. */
	v->weight_group = v->g.transposed ? v->in_channels * v->weight_in :
			  v->is_packed ? vnpu_op_panels(v->out_channels) *
					 v->weight_out :
					 v->out_channels * v->weight_out;
	ops_conv_spread(v->out_space, out->strides + 2, out->rank - 2, 0, out_size);
	v->out_batch = out->strides[0] * out_size;
	v->out_channel = out->strides[1] * out_size;
	for (d = OPS_SPACE; d--;) {
		if (v->g.kernel[d] == 1)
			v->weight_space[d] = d == 2 ? size :
				v->weight_space[d + 1] * v->g.kernel[d + 1];
		if (v->g.out[d] == 1)
			v->out_space[d] = d == 2 ? out_size :
				v->out_space[d + 1] * v->g.out[d + 1];
	}
	v->by_rows = v->out_space[1] != v->out_space[2] * v->g.out[2] ||
		     v->out_space[0] != v->out_space[1] * v->g.out[1];
}

/* Choose the way, which has its own scratch memory and blocks. */
static void plan_way(struct vnpu_op_job *job, struct ops_conv *v)
{
	const struct ops_product *p = &v->product;
	int64_t blocks;

	v->way = ops_conv_has_planes(v) ? OPS_CONV_PLANES :
					  ops_conv_choose_lines(v);
	if (v->way == OPS_CONV_LINES || v->way == OPS_CONV_CHANNELS) {
		blocks = ops_conv_line_blocks(v);
		job->scratch = ops_conv_lines_scratch(v);
	} else {
		blocks = ops_product_blocks(p);
		job->scratch = v->way == OPS_CONV_PLANES ?
			ops_conv_planes_scratch(v) : ops_product_scratch(p);
	}
	job->parts = ops_parts((double)v->batches * v->groups * v->lines * p->m *
			       p->n * p->k / 4,
			       v->batches * v->groups * v->lines * blocks);
}

void ops_conv_plan(struct vnpu_op_job *job)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *in = &l->tensor[0], *w = &l->tensor[1];
	const struct vnpu_tensor *bias = ops_in(l, 2), *out = ops_out(l, 0);
	struct ops_conv *v = (struct ops_conv *)job->plan;
	struct ops_product *p = &v->product;

	read_geometry(job->op, l, &v->g);
	ops_conv_spread(v->g.out, out->dims + 2, out->rank - 2, 1, 1);
	v->batches = in->dims[0];
	v->groups = JOB_INT(job, GROUPS);
	v->in_channels = in->dims[1] / v->groups;
	v->out_channels = out->dims[1] / v->groups;
	v->is_packed = JOB_INT(job, PACKED) != 0;
	plan_strides(v, l);
	v->lines = v->by_rows ? v->g.out[0] * v->g.out[1] : 1;

	p->class = ops_class_of(in->dtype) == OPS_F &&
		   ops_class_of(w->dtype) == OPS_F ? OPS_F : OPS_D;
	p->m = v->out_channels;
	p->n = v->g.out[2] * (v->by_rows ? 1 : v->g.out[0] * v->g.out[1]);
	p->k = v->in_channels * v->g.kernel[0] * v->g.kernel[1] * v->g.kernel[2];
	plan_factors(v, in, w);
	p->store = ops_vec->store[p->class][out->dtype];
	p->out_size = ops_size(out->dtype);
	p->out_row = v->out_channel;
	p->out_column = v->out_space[2] / p->out_size;
	p->alpha = p->beta = 1;
	ops_product_clamp(p, JOB_FLOAT(job, LEAST), JOB_FLOAT(job, MOST));
	p->bias_load = NULL;
	if (bias) {
		p->bias_load = ops_vec->load[bias->dtype][p->class];
		p->bias_size = ops_size(bias->dtype);
		p->bias_row = bias->strides[0] * p->bias_size;
		p->bias_column = 0;
	}
	ops_product_init(p);
	plan_way(job, v);
	if (!vnpu_tensor_elements(out))
		job->scratch = 0;
}

void ops_conv_place(const struct vnpu_op_job *job, int64_t number,
		    struct ops_matrices *x)
{
	const struct ops_conv *v = (const struct ops_conv *)job->plan;
	const struct ops_product *p = &v->product;
	const struct vnpu_op_launch *l = &job->launch;
	int64_t group = number % v->groups, batch = number / v->groups;

	x->left = ops_data(&l->tensor[1]) + group * v->weight_group;
	x->right = ops_data(&l->tensor[0]) + batch * v->in_batch +
		   group * v->in_channels * v->in_channel;
	x->out = ops_data(ops_out(l, 0)) + batch * v->out_batch +
		 group * v->out_channels * v->out_channel;
	x->bias = NULL;
	if (p->bias_load)
		x->bias = ops_data(&l->tensor[2]) +
			  group * v->out_channels * p->bias_row;
}

static void run_products(const struct vnpu_op_job *job,
			 const struct vnpu_op_work *w)
{
	const struct ops_conv *v = (const struct ops_conv *)job->plan;
	struct ops_product p = v->product;
	struct ops_conv_place place = { .conv = v };
	int64_t blocks = ops_product_blocks(&p), at, end, next;

	p.left.data = p.right.data = &place;
	ops_share(w, v->batches * v->groups * v->lines * blocks, 1, &at, &end);
	for (; at < end; at = next) {
		int64_t unit = at / blocks, line = unit % v->lines;
		struct ops_matrices x;

		ops_conv_place(job, unit / v->lines, &x);
		place.first = 0;
		if (v->by_rows) {
			place.first = line * v->g.out[2];
			x.out += line % v->g.out[1] * v->out_space[1] +
				 line / v->g.out[1] * v->out_space[0];
		}
		next = (unit + 1) * blocks;
		next = next < end ? next : end;
		ops_product_run(&p, &x, at - unit * blocks,
				next - unit * blocks, w->scratch);
	}
}

int ops_conv_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct ops_conv *v = (const struct ops_conv *)job->plan;

	if (v->way == OPS_CONV_PLANES)
		ops_conv_run_planes(job, w);
	else if (v->way == OPS_CONV_PRODUCT)
		run_products(job, w);
	else
		ops_conv_run_lines(job, w);
	return 0;
}

/*
 * im2col: the windows themselves: [N, C, H, W] becomes [N, C * elements,
 * positions].
 */
static void read_im2col(const struct ops_op *op, const struct vnpu_op_launch *l,
			struct ops_window *g)
{
	const union vnpu_op_word *kernel = ops_words(op, l, 3);

	ops_window_read(op, l, 0, 2, g);
	g->transposed = false;
	ops_conv_spread(g->in, l->tensor[0].dims + 2, 2, 1, 1);
	g->kernel[0] = 1;
	g->kernel[1] = kernel[1].i;
	g->kernel[2] = kernel[2].i;
}

int ops_im2col_infer(struct ops_call *c)
{
	static const int64_t none[OPS_SPACE];
	const struct vnpu_tensor *in = &c->l->tensor[0];
	struct ops_shape *out = &c->out[0];
	struct ops_window g;
	int err;

	err = ops_need_rank(c, 0, 4, 4);
	if (err)
		return err;
	if (CALL_INTS(c, 3)->i != 2)
		return ops_fail(c, -1, -EINVAL,
				"kernel: expected 2 values, given %lld",
				(long long)CALL_INTS(c, 3)->i);
	read_im2col(c->op, c->l, &g);
	err = ops_window_check(c, &g, none);
	out->castable = true;
	out->dtype = in->dtype;
	out->rank = 3;
	out->dims[0] = in->dims[0];
	out->dims[1] = err ? 0 : in->dims[1] * g.kernel[1] * g.kernel[2];
	out->dims[2] = err ? 0 : g.out[1] * g.out[2];
	return err;
}

void ops_im2col_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *in = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	struct ops_conv *v = (struct ops_conv *)job->plan;

	read_im2col(job->op, &job->launch, &v->g);
	v->g.out[0] = 1;
	v->g.out[2] = (v->g.in[2] + 2 * v->g.pad[2] -
		       v->g.dilation[2] * (v->g.kernel[2] - 1) - 1) /
		      v->g.stride[2] + 1;
	v->g.out[1] = out->dims[2] / v->g.out[2];
	ops_conv_spread(v->in_space, in->strides + 2, 2, 0, ops_size(in->dtype));
	v->in_channel = in->strides[1] * ops_size(in->dtype);
	v->product.class = ops_class_of(in->dtype) == OPS_F ? OPS_F : OPS_D;
	job->scratch = vnpu_tensor_elements(out) ? out->dims[2] * 8 : 0;
	job->parts = ops_parts(vnpu_tensor_elements(out) * 4.0,
			       out->dims[0] * out->dims[1]);
}

int ops_im2col_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *in = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	const struct ops_conv *v = (const struct ops_conv *)job->plan;
	struct ops_conv_place place = { .conv = v };
	enum ops_class class = v->product.class;
	struct ops_factor f = {
		.load = ops_vec->load[in->dtype][class],
		.size = ops_size(in->dtype),
		.data = &place,
	};
	int64_t row, end;

	if (!vnpu_tensor_elements(out))
		return 0;
	ops_share(w, out->dims[0] * out->dims[1], 1, &row, &end);
	for (; row < end; row++) {
		int64_t batch = row / out->dims[1], k = row % out->dims[1];

		ops_conv_windows(&f, ops_data(in) + batch * in->strides[0] * f.size,
			      w->scratch, k, 0, out->dims[2]);
		ops_vec->store[class][out->dtype](ops_data(out) +
			(batch * out->strides[0] + k * out->strides[1]) *
			ops_size(out->dtype), out->strides[2], w->scratch,
			out->dims[2]);
	}
	return 0;
}
