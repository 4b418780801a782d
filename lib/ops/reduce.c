// SPDX-License-Identifier: MIT
/*
 * Reductions.
 *
 * The elements that make one of the output are taken in the order of the
 * dimensions, in tiles of a fixed size. So the result depends on the shape only:
 * neither on strides, nor on the number of parts. If there are few outputs, but
 * they are long, the first phase reduces sections of them, which also have a
 * fixed size, and the second one combines these.
 */
#include <errno.h>
#include <math.h>

#include "reduce_plan.h"

int ops_reduce_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	struct ops_shape *out = &c->out[0];
	unsigned int op = c->l->op, mask, i;
	bool is_float = vnpu_dtype_is_float(self->dtype), is_empty = false;
	int err;

	err = ops_need_dims(c, 0, self->rank, &mask);
	if (err)
		return err;
	out->castable = true;
	out->dtype = self->dtype;
	for (i = 0; i < self->rank; i++) {
		if (!(mask & 1U << i))
			out->dims[out->rank++] = self->dims[i];
		else if (CALL_INT(c, 1))
			out->dims[out->rank++] = 1;
		is_empty |= mask & 1U << i && !self->dims[i];
	}

	switch (op) {
	case VNPU_OP_SUM:
	case VNPU_OP_PROD:
		if (!is_float)
			out->dtype = VNPU_DT_I64;
		break;
	case VNPU_OP_AMAX:
	case VNPU_OP_AMIN:
	case VNPU_OP_MAX_INDEX:
	case VNPU_OP_MIN_INDEX:
		break;
	case VNPU_OP_ALL:
	case VNPU_OP_ANY:
		out->dtype = VNPU_DT_BOOL;
		break;
	case VNPU_OP_COUNT_NONZERO:
	case VNPU_OP_ARGMAX:
	case VNPU_OP_ARGMIN:
		out->dtype = VNPU_DT_I64;
		break;
	default:
		if (!is_float)
			out->dtype = VNPU_DT_F32;
	}
	c->out[1] = *out;
	if (op == VNPU_OP_MAX_INDEX || op == VNPU_OP_MIN_INDEX)
		c->out[1].dtype = VNPU_DT_I64;
	if (is_empty && (op == VNPU_OP_AMAX || op == VNPU_OP_AMIN ||
			 op == VNPU_OP_ARGMAX || op == VNPU_OP_ARGMIN ||
			 op == VNPU_OP_MAX_INDEX || op == VNPU_OP_MIN_INDEX))
		return ops_fail(c, 0, -EINVAL,
				"shape %s has no element to choose",
				OPS_TDIMS(self));
	return 0;
}

static enum ops_reduction norm_kind(double p)
{
	return p == 2 ? OPS_R_SQUARES : p == 1 ? OPS_R_ABS :
	       p == 0 ? OPS_R_COUNT : p == INFINITY ? OPS_R_MAX_ABS :
	       p == -INFINITY ? OPS_R_MIN_ABS : OPS_R_POWERS;
}

static enum ops_reduction kind_of(const struct vnpu_op_job *job)
{
	switch (job->launch.op) {
	case VNPU_OP_PROD:
		return OPS_R_PROD;
	case VNPU_OP_AMAX:
	case VNPU_OP_ARGMAX:
	case VNPU_OP_MAX_INDEX:
		return OPS_R_MAX;
	case VNPU_OP_AMIN:
	case VNPU_OP_ARGMIN:
	case VNPU_OP_MIN_INDEX:
		return OPS_R_MIN;
	case VNPU_OP_ALL:
	case VNPU_OP_ANY:
	case VNPU_OP_COUNT_NONZERO:
		return OPS_R_COUNT;
	case VNPU_OP_VAR:
	case VNPU_OP_STD:
	case VNPU_OP_VAR_MEAN:
		return OPS_R_MOMENTS;
	case VNPU_OP_NORM:
		return norm_kind(JOB_FLOAT(job, 2));
	case VNPU_OP_LOGSUMEXP:
		return OPS_R_EXP;
	default:
		return OPS_R_SUM;
	}
}

/* Sort the dimensions into those of the outputs and the inner ones. */
static void split(struct ops_reduce *r, const struct vnpu_op_job *job)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[0];
	const union vnpu_op_word *list = JOB_INTS(job, 0);
	unsigned int mask = list->i ? 0 : (1U << self->rank) - 1, i, k, at = 0;
	/* A number has dimensions 0 and -1, too. */
	int64_t rank = self->rank ? self->rank : 1;

	for (i = 0; i < list->i; i++)
		mask |= 1U << (list[1 + i].i + (list[1 + i].i < 0 ? rank : 0));
	r->rank = r->inner_rank = 0;
	r->outputs = r->length = 1;
	for (i = 0; i < self->rank; i++) {
		int64_t dim = self->dims[i];
		int64_t stride = self->strides[i] * r->size;

		if (mask & 1U << i) {
			k = r->inner_rank;
			at += JOB_INT(job, 1) != 0;
			r->length *= dim;
			if (dim == 1)
				continue;
			if (k && r->inner_from[k - 1] == stride * dim) {
				r->inner_dims[k - 1] *= dim;
				r->inner_from[k - 1] = stride;
				continue;
			}
			r->inner_dims[k] = dim;
			r->inner_from[k] = stride;
			r->inner_rank++;
			continue;
		}
		r->dims[r->rank] = dim;
		r->from[r->rank] = stride;
		for (k = 0; k < l->outputs; k++) {
			const struct vnpu_tensor *t = &l->tensor[1 + k];

			r->to[k][r->rank] = t->strides[at] * ops_size(t->dtype);
		}
		at++;
		r->rank++;
		r->outputs *= dim;
	}
	if (!r->inner_rank) {
		r->inner_rank = 1;
		r->inner_dims[0] = r->length;
		r->inner_from[0] = r->size;
	}
}

void ops_reduce_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	struct ops_reduce *r = (struct ops_reduce *)job->plan;
	unsigned int k;
	int64_t last;

	r->size = ops_size(self->dtype);
	split(r, job);
	r->kind = kind_of(job);
	r->class = ops_class_of(self->dtype);
	/* The result of integers is a floating-point number. */
	if (!ops_vec->reduce[r->kind][r->class])
		r->class = OPS_D;
	if (job->launch.op == VNPU_OP_MEAN && r->class != OPS_F)
		r->class = OPS_D;
	r->load = ops_vec->load[self->dtype][r->class];
	r->reduce = ops_vec->reduce[r->kind][r->class];
	r->base = ops_data(self);
	r->out[1] = NULL;
	for (k = 0; k < job->launch.outputs; k++) {
		const struct vnpu_tensor *t = &job->launch.tensor[1 + k];

		r->out[k] = t->dtype ? ops_data(t) : NULL;
	}
	last = r->inner_from[r->inner_rank - 1];
	r->is_ready = r->class == OPS_F ? self->dtype == VNPU_DT_F32 :
		      r->class == OPS_D ? self->dtype == VNPU_DT_F64 :
		      r->class == OPS_I ? self->dtype == VNPU_DT_I32 :
					  self->dtype == VNPU_DT_I64;
	r->in_place = r->is_ready && last == r->size && r->inner_rank == 1;
	r->in_groups = r->rank && r->from[r->rank - 1] == r->size &&
		       last != r->size && r->dims[r->rank - 1] >= 4;
	r->param = job->launch.op == VNPU_OP_NORM ? JOB_FLOAT(job, 2) : 0;
	r->sections = 1;
	if (r->outputs < 16 && r->length >= 2 * OPS_SECTION)
		r->sections = (r->length + OPS_SECTION - 1) / OPS_SECTION;
	r->columns = NULL;
	if (r->in_groups && r->sections == 1 &&
	    (r->class == OPS_F || r->class == OPS_D))
		r->columns = ops_vec->columns[r->kind][r->class];
	if (r->sections > 1) {
		job->phases = 2;
		job->shared = r->outputs * r->sections * sizeof(struct ops_sum);
	}
	job->scratch = (size_t)(OPS_GROUP * OPS_APART + OPS_GROUP) * 8;
	if (r->columns)
		job->scratch = sizeof(struct ops_lanes) +
			       OPS_ROWS * OPS_COLUMNS * 8;
	job->parts = ops_parts((double)r->outputs * r->length * 2,
			       r->sections > 1 ? r->outputs * r->sections :
						 r->outputs);
}
