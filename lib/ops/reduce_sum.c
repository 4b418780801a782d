// SPDX-License-Identifier: MIT
/* From the states of a reduction to its results. See reduce_plan.h. */
#include <math.h>

#include "reduce_plan.h"

void ops_sum_combine(struct ops_sum *s, const struct ops_sum *next,
		     enum ops_reduction kind, bool is_float)
{
	double shift = next->shift - s->shift, low;
	bool better;

	switch (kind) {
	case OPS_R_PROD:
		s->sum *= next->sum;
		s->integer *= next->integer;
		break;
	case OPS_R_MAX:
	case OPS_R_MIN:
		if (is_float)
			better = s->sum == s->sum &&
				 (next->sum != next->sum ||
				  (kind == OPS_R_MAX ? next->sum > s->sum :
						       next->sum < s->sum));
		else
			better = kind == OPS_R_MAX ?
				 next->integer > s->integer :
				 next->integer < s->integer;
		if (better) {
			s->sum = next->sum;
			s->integer = next->integer;
			s->index = s->count + next->index;
		}
		break;
	case OPS_R_MAX_ABS:
		if (next->sum > s->sum || next->sum != next->sum)
			s->sum = next->sum;
		break;
	case OPS_R_MIN_ABS:
		if (next->sum < s->sum || next->sum != next->sum)
			s->sum = next->sum;
		break;
	case OPS_R_MOMENTS:
		s->sum += next->sum + next->count * shift;
		s->squares += next->squares + 2 * shift * next->sum +
			      next->count * shift * shift;
		break;
	case OPS_R_EXP:
		low = s->shift > next->shift ? s->shift : next->shift;
		low = next->shift != next->shift ? next->shift : low;
		s->sum = (s->shift == low ? s->sum :
			  s->sum * exp(s->shift - low)) +
			 (next->shift == low ? next->sum :
			  next->sum * exp(next->shift - low));
		s->shift = low;
		break;
	default:
		s->sum += next->sum;
		s->integer += next->integer;
	}
	s->count += next->count;
}

static void store_number(uint8_t *at, unsigned int dtype, double value)
{
	ops_vec->store[OPS_D][dtype](at, 1, &value, 1);
}

static void store_integer(uint8_t *at, unsigned int dtype, int64_t value)
{
	ops_vec->store[OPS_L][dtype](at, 1, &value, 1);
}

static double finish_number(const struct vnpu_op_job *job,
			    const struct ops_sum *s)
{
	double n = s->count, p, mean, var;

	switch (job->launch.op) {
	case VNPU_OP_MEAN:
		return s->sum / n;
	case VNPU_OP_VAR:
	case VNPU_OP_STD:
	case VNPU_OP_VAR_MEAN:
		mean = s->sum / n;
		var = s->squares - s->sum * mean;
		n -= JOB_INT(job, 2);
		var = (var < 0 ? 0 : var) / (n < 0 ? 0 : n);
		return job->launch.op == VNPU_OP_STD ? sqrt(var) : var;
	case VNPU_OP_NORM:
		p = JOB_FLOAT(job, 2);
		if (p == 0)
			return s->integer;
		return p == 2 ? sqrt(s->sum) : p == 1 || fabs(p) == INFINITY ?
			       s->sum : pow(s->sum, 1 / p);
	case VNPU_OP_LOGSUMEXP:
		return !s->count ? -INFINITY : fabs(s->shift) == INFINITY ?
			       s->shift : s->shift + log(s->sum);
	default:
		return s->sum;
	}
}

void ops_sum_store(const struct vnpu_op_job *job, const struct ops_sum *s,
		   uint8_t *const *out)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct ops_reduce *r = (const struct ops_reduce *)job->plan;
	unsigned int dtype = l->tensor[1].dtype;

	switch (l->op) {
	case VNPU_OP_ALL:
		store_integer(out[0], dtype, s->integer == s->count);
		return;
	case VNPU_OP_ANY:
		store_integer(out[0], dtype, s->integer != 0);
		return;
	case VNPU_OP_COUNT_NONZERO:
		store_integer(out[0], dtype, s->integer);
		return;
	case VNPU_OP_ARGMAX:
	case VNPU_OP_ARGMIN:
		store_integer(out[0], dtype, s->index);
		return;
	case VNPU_OP_MAX_INDEX:
	case VNPU_OP_MIN_INDEX:
		if (out[1])
			store_integer(out[1], l->tensor[2].dtype, s->index);
		break;
	case VNPU_OP_VAR_MEAN:
		if (out[1])
			store_number(out[1], l->tensor[2].dtype,
				     s->shift + s->sum / s->count);
		break;
	case VNPU_OP_PROD:
		if (!s->count) {
			store_integer(out[0], dtype, 1);
			return;
		}
	}
	if (r->class == OPS_I || r->class == OPS_L)
		store_integer(out[0], dtype, s->integer);
	else
		store_number(out[0], dtype, finish_number(job, s));
}
