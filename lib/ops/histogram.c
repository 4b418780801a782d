// SPDX-License-Identifier: MIT
/* Counts of elements, and the reverse: a 1 among zeros for each index. */
#include <errno.h>
#include <math.h>

#include "families.h"
#include "vec/vec.h"
#include "walk.h"

#define TILE	256

/*
 * one_hot: a dimension of classes behind the others, or at "dim"; all elements
 * of it are "off" but the one that the index selects. An index that is out of
 * range selects none, as in the one of AscendCL.
 */
int ops_one_hot_infer(struct ops_call *c)
{
	const struct vnpu_tensor *index = &c->l->tensor[0];
	struct ops_shape *out = &c->out[0];
	int64_t classes = CALL_INT(c, 0);
	unsigned int dim, i;
	int err;

	err = ops_need_index(c, 0);
	if (!err)
		err = ops_need_rank(c, 0, 0, VNPU_TENSOR_DIMS - 1);
	if (!err)
		err = ops_need_dim(c, "dim", CALL_INT(c, 1), index->rank + 1,
				   &dim);
	if (err)
		return err;
	if (classes < 0 || classes > VNPU_TENSOR_MAX)
		return ops_fail(c, -1, -EINVAL,
				"classes: expected 0 to 2^47, given %lld",
				(long long)classes);
	out->rank = index->rank + 1;
	for (i = 0; i < out->rank; i++)
		out->dims[i] = i < dim ? index->dims[i] :
			       i == dim ? classes : index->dims[i - 1];
	out->dtype = ops_out(c->l, 0) ? ops_out(c->l, 0)->dtype : VNPU_DT_I64;
	return 0;
}

void ops_one_hot_plan(struct vnpu_op_job *job)
{
	int64_t count = vnpu_tensor_elements(ops_out(&job->launch, 0));

	job->parts = ops_parts(count * 2.0,
			       vnpu_tensor_elements(&job->launch.tensor[0]));
}

int ops_one_hot_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *index = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	double on = JOB_FLOAT(job, 2), off = JOB_FLOAT(job, 3);
	int64_t dim = JOB_INT(job, 1), at, end, i, value, row;
	ops_store_fn store = ops_vec->store[OPS_D][out->dtype];
	int64_t classes = JOB_INT(job, 0), step;
	struct vnpu_tensor line = *out;
	double offs[TILE];

	dim = dim < 0 ? dim + out->rank : dim;
	step = out->strides[dim] * ops_size(out->dtype);
	/* The output without its classes is like the index. */
	line.rank--;
	memmove(line.dims + dim, line.dims + dim + 1,
		(line.rank - dim) * sizeof(*line.dims));
	memmove(line.strides + dim, line.strides + dim + 1,
		(line.rank - dim) * sizeof(*line.strides));
	for (i = 0; i < TILE; i++)
		offs[i] = off;
	ops_share(w, vnpu_tensor_elements(index), 1, &at, &end);
	for (; classes && at < end; at++) {
		uint8_t *to = ops_element(&line, at);

		ops_vec->load[index->dtype][OPS_L](&value,
			ops_element(index, at), 1, 1);
		for (row = 0; row < classes; row += TILE)
			store(to + row * step, out->strides[dim], offs,
			      classes - row < TILE ? classes - row : TILE);
		if (value >= 0 && value < classes)
			store(to + value * step, 1, &on, 1);
	}
	return 0;
}

/*
 * bincount: how often each number occurs, or the sum of its weights.
 * histc: how many elements are in each of some equal intervals. Elements out of
 * range count nowhere.
 */
int ops_histogram_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	bool is_bincount = c->l->op == VNPU_OP_BINCOUNT;
	int64_t bins = CALL_INT(c, 0);

	if (bins < !is_bincount || bins > (int64_t)1 << 30)
		return ops_fail(c, -1, -EINVAL,
				"bins: expected %d to 2^30, given %lld",
				!is_bincount, (long long)bins);
	c->out[0].rank = 1;
	c->out[0].dims[0] = bins;
	c->out[0].castable = true;
	if (!is_bincount) {
		if (!(CALL_FLOAT(c, 1) <= CALL_FLOAT(c, 2)) ||
		    isinf(CALL_FLOAT(c, 1)) || isinf(CALL_FLOAT(c, 2)))
			return ops_fail(c, -1, -EINVAL,
					"expected an interval, given %g to %g",
					CALL_FLOAT(c, 1), CALL_FLOAT(c, 2));
		c->out[0].dtype = self->dtype;
		return 0;
	}
	if (vnpu_dtype_is_float(self->dtype))
		return ops_fail(c, 0, -EINVAL, "expected integers, given %s",
				vnpu_dtype_name(self->dtype));
	c->out[0].dtype = VNPU_DT_I64;
	if (!ops_in(c->l, 1))
		return 0;
	c->out[0].dtype = c->l->tensor[1].dtype == VNPU_DT_F32 ? VNPU_DT_F32 :
								  VNPU_DT_F64;
	return ops_need_shape(c, 1, self->rank, self->dims);
}

void ops_histogram_plan(struct vnpu_op_job *job)
{
	job->scratch = (JOB_INT(job, 0) + 2 * TILE) * sizeof(double);
}

/* Count into bins of double, which are exact up to 2^53. */
static int count_numbers(const struct vnpu_op_job *job, double *bins,
			 int64_t *value, double *weight)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	const struct vnpu_tensor *weights = ops_in(&job->launch, 1);
	int64_t end = vnpu_tensor_elements(self), at, i, n;
	int err = 0;

	for (at = 0; at < end; at += n) {
		n = ops_row_rest(self, at, end, TILE);
		ops_vec->load[self->dtype][OPS_L](value, ops_element(self, at),
						  ops_row_step(self), n);
		if (weights)
			ops_vec->load[weights->dtype][OPS_D](weight,
				ops_element(weights, at), ops_row_step(weights),
				n);
		for (i = 0; i < n; i++) {
			if (value[i] < 0 || value[i] >= JOB_INT(job, 0))
				err = -ERANGE;
			else
				bins[value[i]] += weights ? weight[i] : 1;
		}
	}
	return err;
}

/* Find the limits of the elements; those that are not finite do not matter. */
static void find_limits(const struct vnpu_tensor *self, double *value,
			double *low, double *high)
{
	int64_t end = vnpu_tensor_elements(self), at, i, n;

	*low = INFINITY;
	*high = -INFINITY;
	for (at = 0; at < end; at += n) {
		n = ops_row_rest(self, at, end, TILE);
		ops_vec->load[self->dtype][OPS_D](value, ops_element(self, at),
						  ops_row_step(self), n);
		for (i = 0; i < n; i++) {
			if (!isfinite(value[i]))
				continue;
			*low = value[i] < *low ? value[i] : *low;
			*high = value[i] > *high ? value[i] : *high;
		}
	}
}

/* Round a limit to the type of the elements, which it is compared with. */
static double round_limit(double limit, unsigned int dtype)
{
	uint64_t bits;

	if (!vnpu_dtype_is_float(dtype))
		return limit;
	ops_vec->store[OPS_D][dtype](&bits, 1, &limit, 1);
	ops_vec->load[dtype][OPS_D](&limit, &bits, 1, 1);
	return limit;
}

/*
 * The interval of an element: the product is divided, in the type of the
 * computation, as in PyTorch. So elements at limits are where they are there.
 * Infinite distances have no quotient.
 */
static int64_t interval_f32(float value, float low, float high, float count)
{
	float place = (value - low) * count / (high - low);

	return place < count ? place >= 0 ? (int64_t)place : 0 : (int64_t)count;
}

static int64_t interval_f64(double value, double low, double high, double count)
{
	double place = (value - low) * count / (high - low);

	return place < count ? place >= 0 ? (int64_t)place : 0 : (int64_t)count;
}

static void count_intervals(const struct vnpu_op_job *job, double *bins,
			    double *value)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	int64_t end = vnpu_tensor_elements(self), count = JOB_INT(job, 0);
	double low = round_limit(JOB_FLOAT(job, 1), self->dtype);
	double high = round_limit(JOB_FLOAT(job, 2), self->dtype);
	bool is_f32 = ops_class_of(self->dtype) == OPS_F;
	int64_t at, i, n, bin;

	if (low == high)
		find_limits(self, value, &low, &high);
	if (low == high) {
		low = round_limit(low - 1, self->dtype);
		high = round_limit(high + 1, self->dtype);
	}
	for (at = 0; at < end; at += n) {
		n = ops_row_rest(self, at, end, TILE);
		ops_vec->load[self->dtype][OPS_D](value, ops_element(self, at),
						  ops_row_step(self), n);
		for (i = 0; i < n; i++) {
			if (!(value[i] >= low && value[i] <= high))
				continue;
			bin = is_f32 ? interval_f32(value[i], low, high, count) :
				       interval_f64(value[i], low, high, count);
			/* The last interval has its upper limit, too. */
			bins[bin < count ? bin : count - 1]++;
		}
	}
}

int ops_histogram_run(const struct vnpu_op_job *job,
		      const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t count = JOB_INT(job, 0);
	double *bins = w->scratch, *buffer = bins + count;
	int err = 0;

	if (w->part)
		return 0;
	memset(bins, 0, count * sizeof(*bins));
	if (job->launch.op == VNPU_OP_BINCOUNT)
		err = count_numbers(job, bins, (int64_t *)buffer, buffer + TILE);
	else
		count_intervals(job, bins, buffer);
	ops_vec->store[OPS_D][out->dtype](ops_data(out), out->strides[0], bins,
					  count);
	return err;
}
