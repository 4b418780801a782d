// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convolutions with enough channels and positions for several blocks. All bits are
 * those of one fused multiply-add for each element of the window, in order.
 */
#include <errno.h>
#include <math.h>

#include "ops_test.h"

/**
 * struct conv - a convolution in two dimensions
 * @batch: number of images
 * @groups: number of groups
 * @out: output channels of a group
 * @channels: input channels of a group
 * @in: height and width
 * @kernel: those of the window
 * @stride: distance of windows
 * @pad: padding
 * @dilation: distance of elements of the window
 */
struct conv {
	int64_t batch, groups, out, channels;
	int64_t in[2], kernel[2], stride[2], pad[2], dilation[2];
};

/* Many output channels, a long inner dimension, many positions, or none of these. */
static struct conv any_conv(unsigned int round)
{
	struct conv c = {
		.batch = 1 + below(2), .groups = 1 + below(2),
		.out = round % 4 == 0 ? 115 + below(20) : 5 + below(12),
		.channels = round % 4 == 1 ? 60 + below(60) : 1 + below(4),
	};
	unsigned int d;

	for (d = 0; d < 2; d++) {
		c.in[d] = round % 4 == 2 ? 20 + below(20) : 4 + below(8);
		c.kernel[d] = 1 + below(3);
		c.stride[d] = 1 + below(3);
		c.dilation[d] = 1 + below(2);
		c.pad[d] = below(4);
	}
	/* Windows that are elements of the input, and as many as elements. */
	if (!below(3)) {
		c.channels *= c.kernel[0] * c.kernel[1];
		c.kernel[0] = c.kernel[1] = c.stride[0] = c.stride[1] = 1;
		c.pad[0] = c.pad[1] = 0;
	} else if (below(2)) {
		c.kernel[0] = c.kernel[1] = 3;
		c.stride[0] = c.stride[1] = c.dilation[0] = c.dilation[1] = 1;
		c.pad[0] = c.pad[1] = 1;
	}
	return c;
}

/* Compute an element of the result; @at counts batch, channel, row and column. */
static float expected(const struct conv *c, const struct vnpu_tensor *x,
		      const struct vnpu_tensor *w, const struct vnpu_tensor *bias,
		      const int64_t *at)
{
	int64_t group = at[1] / c->out, k, i, j, r, s;
	int64_t weight = at[1] * c->channels * c->kernel[0] * c->kernel[1];
	float sum = 0;

	for (k = 0; k < c->channels; k++)
		for (i = 0; i < c->kernel[0]; i++)
			for (j = 0; j < c->kernel[1]; j++) {
				bool inside;

				r = at[2] * c->stride[0] - c->pad[0] +
				    i * c->dilation[0];
				s = at[3] * c->stride[1] - c->pad[1] +
				    j * c->dilation[1];
				inside = r >= 0 && r < c->in[0] && s >= 0 &&
					 s < c->in[1];
				r += (at[0] * c->groups + group) * c->channels *
				     c->in[0] + k * c->in[0];
				sum = fmaf((float)get(w, weight++), inside ?
					   get(x, r * c->in[1] + s) : 0, sum);
			}
	return bias ? sum + (float)get(bias, at[1]) : sum;
}

static bool is_expected(const struct conv *c, const struct vnpu_op_launch *l,
			const struct vnpu_tensor *w, float least)
{
	const struct vnpu_tensor *out = &l->tensor[3];
	const struct vnpu_tensor *bias = l->tensor[2].dtype ? &l->tensor[2] : NULL;
	int64_t i, at[4];

	for (i = 0; i < vnpu_tensor_elements(out); i++) {
		split_number(out, i, at);
		EXPECT(get(out, i) == fmaxf(expected(c, &l->tensor[0], w, bias, at),
					    least));
	}
	return true;
}

/* The same weight in the order of packed ones; channels that do not exist are NaN. */
static struct vnpu_tensor pack(const struct conv *c, const struct vnpu_tensor *w)
{
	int64_t panels = (c->out + VNPU_OP_PANEL - 1) / VNPU_OP_PANEL, i, k;
	int64_t inner = c->channels * c->kernel[0] * c->kernel[1];
	struct vnpu_tensor to = VIEW(w->dtype, CONTIGUOUS, c->groups * panels,
				     c->channels, c->kernel[0], c->kernel[1],
				     VNPU_OP_PANEL);

	for (i = 0; i < vnpu_tensor_elements(&to); i++)
		set(&to, i, NAN);
	for (i = 0; i < c->groups * c->out; i++)
		for (k = 0; k < inner; k++) {
			int64_t row = i % c->out, panel = row / VNPU_OP_PANEL +
						  i / c->out * panels;

			set(&to, (panel * inner + k) * VNPU_OP_PANEL +
			    row % VNPU_OP_PANEL, get(w, i * inner + k));
		}
	return to;
}

static void set_window(struct vnpu_op_launch *l, const struct conv *c, float least)
{
	vnpu_op_set_ints(l, 0, c->stride, 2);
	vnpu_op_set_ints(l, 1, c->pad, 2);
	vnpu_op_set_ints(l, 2, c->dilation, 2);
	vnpu_op_set_int(l, 5, c->groups);
	vnpu_op_set_float(l, 6, least);
}

static bool test_blocks(void)
{
	unsigned int round, tested = 0;

	for (round = 0; round < 32; round++) {
		struct conv c = any_conv(round);
		int64_t made = c.groups * c.out;
		struct vnpu_tensor x = view(below(4) ? VNPU_DT_F32 : VNPU_DT_F16,
			below(2) ? CONTIGUOUS : below(LAYOUTS), 4, (int64_t[]){
			c.batch, c.groups * c.channels, c.in[0], c.in[1] });
		struct vnpu_tensor w = view(below(3) ? VNPU_DT_F32 : VNPU_DT_F16,
			below(2) ? CONTIGUOUS : below(LAYOUTS), 4, (int64_t[]){
			made, c.channels, c.kernel[0], c.kernel[1] });
		struct vnpu_tensor bias = VIEW(VNPU_DT_F32, CONTIGUOUS, made), packed;
		float least = below(2) ? 0 : -INFINITY;
		struct vnpu_op_launch l;

		fill(&x, -1, 1);
		fill(&w, -1, 1);
		fill(&bias, -1, 1);
		/* Depthwise convolutions add in another way. */
		if (c.channels == 1 && c.groups > 1)
			continue;
		launch(&l, VNPU_OP_CONVOLUTION, 3, 1, &x, &w,
		       below(2) ? &bias : NULL, NULL);
		set_window(&l, &c, least);
		if (vnpu_op_infer(&l, NULL))
			continue;	/* the window is larger than the input */
		/* Dot products of few positions, or of short rows, add otherwise. */
		if (l.tensor[3].dims[3] <= 4)
			continue;
		l.tensor[3] = view(VNPU_DT_F32, below(3) ? CONTIGUOUS :
				   below(OUT_LAYOUTS), 4, l.tensor[3].dims);
		EXPECT(run(&l));
		tested++;
		EXPECT(is_expected(&c, &l, &w, least));

		packed = pack(&c, &w);
		l.tensor[1] = packed;
		vnpu_op_set_int(&l, 8, made);
		fill(&l.tensor[3], 9, 9);
		EXPECT(run(&l));
		EXPECT(is_expected(&c, &l, &w, least));
	}
	EXPECT(tested > 4);
	return true;
}

/* Few positions: the dot products of packed weights are those of others. */
static bool test_few(void)
{
	struct conv c = {
		.batch = 1, .groups = 1, .out = 13, .channels = 50,
		.in = { 1, 2 }, .kernel = { 1, 1 }, .stride = { 1, 1 },
		.dilation = { 1, 1 },
	};
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, CONTIGUOUS, 1, 50, 1, 2);
	struct vnpu_tensor w = VIEW(VNPU_DT_F32, CONTIGUOUS, 13, 50, 1, 1), first;
	struct vnpu_op_launch l;
	int64_t i;

	fill(&x, -1, 1);
	fill(&w, -1, 1);
	launch(&l, VNPU_OP_CONVOLUTION, 3, 1, &x, &w, NULL, NULL);
	EXPECT(make_outputs(&l) && run(&l));
	first = l.tensor[3];
	l.tensor[1] = pack(&c, &w);
	l.tensor[3].dtype = VNPU_DT_NONE;
	vnpu_op_set_int(&l, 8, 13);
	EXPECT(make_outputs(&l) && run(&l));
	for (i = 0; i < vnpu_tensor_elements(&first); i++)
		EXPECT(get(&first, i) == get(&l.tensor[3], i));
	return true;
}

/* A weight that does not have the shape or the order of a packed one. */
static bool test_bad_packed(void)
{
	struct vnpu_tensor x = VIEW(VNPU_DT_F32, CONTIGUOUS, 1, 4, 3, 3);
	struct vnpu_tensor good = VIEW(VNPU_DT_F32, CONTIGUOUS, 4, 2, 1, 1, 6);
	struct vnpu_tensor few = VIEW(VNPU_DT_F32, CONTIGUOUS, 2, 2, 1, 1, 6);
	struct vnpu_tensor wide = VIEW(VNPU_DT_F32, CONTIGUOUS, 4, 2, 1, 1, 8);
	struct vnpu_tensor flat = VIEW(VNPU_DT_F32, CONTIGUOUS, 4, 2, 1, 6);
	struct vnpu_tensor gaps = VIEW(VNPU_DT_F32, SLICED, 4, 2, 1, 1, 6);
	struct vnpu_op_launch l;
	unsigned int i;
	const struct {
		const struct vnpu_tensor *w;
		int64_t made, transposed;
		int err;
	} cases[] = {
		{ &good, 14, 0, 0 }, { &good, 24, 0, 0 },
		{ &good, 15, 0, -EINVAL }, { &good, 12, 0, -EINVAL },
		{ &good, -14, 0, -EINVAL }, { &good, 14, 1, -EINVAL },
		{ &good, 0, 0, -EINVAL }, { &few, 14, 0, -EINVAL },
		{ &good, INT64_MAX - 1, 0, -EINVAL },
		{ &wide, 14, 0, -EINVAL }, { &flat, 14, 0, -EINVAL },
		{ &gaps, 14, 0, -EINVAL },
	};

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		launch(&l, VNPU_OP_CONVOLUTION, 3, 1, &x, cases[i].w, NULL, NULL);
		vnpu_op_set_int(&l, 3, cases[i].transposed);
		vnpu_op_set_int(&l, 5, 2);
		vnpu_op_set_int(&l, 8, cases[i].made);
		EXPECT(vnpu_op_infer(&l, NULL) == cases[i].err);
	}
	return true;
}

const struct test conv_tests[] = {
	{ "convolution_blocks", test_blocks },
	{ "convolution_few", test_few },
	{ "convolution_bad_packed", test_bad_packed },
	{ }
};
