// SPDX-License-Identifier: MIT
/*
 * Statistics of channels, gathered from several devices.  Each device has a row of
 * means, one of inverse standard deviations, and a number of elements.
 */
#include "build.h"
#include "builders.h"

/* Sum over the devices, each weighted by its number of elements. */
static struct aclnn_view weighted_sum(struct aclnn_build *b,
				      const struct aclnn_view *rows,
				      const struct aclnn_view *counts)
{
	struct aclnn_view product = aclnn_result2(b, VNPU_OP_MUL, rows, counts);

	aclnn_begin(b, VNPU_OP_SUM, 1, 1);
	aclnn_set_ints(b, "dims", (int64_t[]){ 0 }, 1);
	aclnn_put(b, 0, &product);
	return aclnn_result(b);
}

/* Get the variance of all: of each device, and of their means around @center. */
static struct aclnn_view spread_of_all(struct aclnn_build *b,
				       const struct aclnn_view *mean,
				       const struct aclnn_view *invstd,
				       const struct aclnn_view *counts,
				       const struct aclnn_view *total,
				       const struct aclnn_view *center)
{
	enum { EPS = 6 };
	struct aclnn_view eps = aclnn_number(aclnn_float(b, EPS));
	struct aclnn_view spread, apart;

	spread = aclnn_result1(b, VNPU_OP_SQUARE, invstd);
	spread = aclnn_result1(b, VNPU_OP_RECIPROCAL, &spread);
	spread = aclnn_result2(b, VNPU_OP_SUB, &spread, &eps);
	apart = aclnn_result2(b, VNPU_OP_SQUARED_DIFFERENCE, mean, center);
	spread = aclnn_result2(b, VNPU_OP_ADD, &spread, &apart);
	spread = weighted_sum(b, &spread, counts);
	return aclnn_result2(b, VNPU_OP_DIV, &spread, total);
}

int build_batch_norm_gather(struct aclnn_build *b)
{
	enum { INPUT, MEAN, INVSTD, RUNNING_MEAN, RUNNING_VAR, MOMENTUM, EPS,
	       COUNTS, MEAN_ALL, INVSTD_ALL };
	struct aclnn_view mean = aclnn_view(b, MEAN), of_mean, of_invstd;
	struct aclnn_view invstd = aclnn_view(b, INVSTD), total, center, all;
	struct aclnn_view counts = aclnn_view(b, COUNTS);
	struct aclnn_view eps = aclnn_number(aclnn_float(b, EPS));
	struct aclnn_view one = aclnn_integer(1), free;
	double momentum = aclnn_float(b, MOMENTUM);

	if (mean.t.rank != 2 || counts.t.rank != 1)
		return aclnn_fail(b, mean.t.rank != 2 ? MEAN : COUNTS,
				  "expected %u dimensions, given %u",
				  mean.t.rank != 2 ? 2 : 1,
				  mean.t.rank != 2 ? mean.t.rank :
						     counts.t.rank);
	of_mean = aclnn_view(b, MEAN_ALL);
	of_invstd = aclnn_view(b, INVSTD_ALL);
	aclnn_begin(b, VNPU_OP_SUM, 1, 1);
	aclnn_put(b, 0, &counts);
	total = aclnn_result(b);
	aclnn_insert(&counts, 1);
	center = weighted_sum(b, &mean, &counts);
	center = aclnn_result2(b, VNPU_OP_DIV, &center, &total);
	all = spread_of_all(b, &mean, &invstd, &counts, &total, &center);
	/* The running variance is that of a sample. */
	free = aclnn_result2(b, VNPU_OP_SUB, &total, &one);
	free = aclnn_result2(b, VNPU_OP_DIV, &total, &free);
	free = aclnn_result2(b, VNPU_OP_MUL, &all, &free);
	all = aclnn_result2(b, VNPU_OP_ADD, &all, &eps);
	if (b->status || aclnn_move(b, RUNNING_MEAN, &center, momentum) ||
	    aclnn_move(b, RUNNING_VAR, &free, momentum) ||
	    aclnn_step1(b, VNPU_OP_COPY, &center, &of_mean))
		return b->status;
	return aclnn_step1(b, VNPU_OP_RSQRT, &all, &of_invstd);
}

/*
 * The gradient of a channel's elements, from sums over all devices: those of the
 * gradients, and of gradients * (input - mean).
 */
int build_batch_norm_elemt_backward(struct aclnn_build *b)
{
	enum { GRAD, INPUT, MEAN, INVSTD, WEIGHT, SUM, SUM_APART, COUNT, OUT };
	struct aclnn_view grad = aclnn_view(b, GRAD), x = aclnn_view(b, INPUT);
	struct aclnn_view out = aclnn_view(b, OUT), count = aclnn_view(b, COUNT);
	struct aclnn_view channel[SUM_APART + 1], slope, total;

	if (x.t.rank < 2)
		return aclnn_fail(b, INPUT, "expected 2 dimensions or more, given %u",
				  x.t.rank);
	for (unsigned int i = MEAN; i <= SUM_APART; i++) {
		channel[i] = aclnn_view(b, i);
		if (!aclnn_has(&channel[i]))
			continue;
		if (channel[i].t.rank != 1 ||
		    channel[i].t.dims[0] != x.t.dims[1])
			return aclnn_fail(b, i,
					  "expected 1 dimension of size %lld",
					  (long long)x.t.dims[1]);
		aclnn_channels(&channel[i], x.t.rank);
	}
	/* Each device has counted its own elements. */
	total = aclnn_result1(b, VNPU_OP_SUM, &count);
	slope = aclnn_result2(b, VNPU_OP_DIV, &channel[SUM_APART], &total);
	slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &channel[INVSTD]);
	slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &channel[INVSTD]);
	x = aclnn_result2(b, VNPU_OP_SUB, &x, &channel[MEAN]);
	x = aclnn_result2(b, VNPU_OP_MUL, &x, &slope);
	total = aclnn_result2(b, VNPU_OP_DIV, &channel[SUM], &total);
	grad = aclnn_result2(b, VNPU_OP_SUB, &grad, &total);
	grad = aclnn_result2(b, VNPU_OP_SUB, &grad, &x);
	grad = aclnn_result2(b, VNPU_OP_MUL, &grad, &channel[INVSTD]);
	if (aclnn_has(&channel[WEIGHT]))
		grad = aclnn_result2(b, VNPU_OP_MUL, &grad, &channel[WEIGHT]);
	return b->status ? b->status :
			   aclnn_step1(b, VNPU_OP_COPY, &grad, &out);
}
