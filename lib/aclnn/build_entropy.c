// SPDX-License-Identifier: MIT
/* Cross entropy of classes with smooth labels, and its gradient. */
#include <string.h>

#include "build.h"
#include "builders.h"

enum { NONE, MEAN, SUM };

/**
 * struct labels - what both directions know of the classes
 * @logs: logarithms of the probabilities, [row, class]
 * @target: the class of each row
 * @weight: of classes; or no type
 * @ignore: the target of rows that do not count
 * @mode: the reduction
 * @smoothing: the part of each label that all classes share
 */
struct labels {
	struct aclnn_view logs, target, weight;
	int64_t ignore, mode;
	double smoothing;
};

/* Read the arguments from the text of a reduction on; false after a report. */
static bool read_labels(struct aclnn_build *b, unsigned int target,
			unsigned int reduction, struct labels *l)
{
	static const char *const modes[] = { "none", "mean", "sum" };
	unsigned int smoothing = reduction + 2;
	const char *mode = b->values[reduction].p;

	l->target = aclnn_view(b, target);
	l->weight = aclnn_view(b, target + 1);
	l->ignore = aclnn_int(b, reduction + 1);
	l->smoothing = aclnn_float(b, smoothing);
	for (l->mode = NONE; l->mode <= SUM; l->mode++)
		if (!strcmp(mode, modes[l->mode]))
			break;
	if (l->mode > SUM)
		aclnn_fail(b, reduction, "expected none, mean or sum, given %.16s",
			   mode);
	else if (!(l->smoothing >= 0 && l->smoothing <= 1))
		aclnn_fail(b, smoothing, "expected 0 to 1, given %g",
			   l->smoothing);
	return !b->status;
}

/* Append the loss of labels that are not smooth; the outputs may be absent. */
static int likelihood(struct aclnn_build *b, const struct labels *l, int64_t mode,
		      const struct aclnn_view *loss,
		      const struct aclnn_view *total)
{
	aclnn_begin(b, VNPU_OP_NLL_LOSS, 3, 2);
	aclnn_set_int(b, "reduction", mode);
	aclnn_set_int(b, "ignore", l->ignore);
	aclnn_put(b, 0, &l->logs);
	aclnn_put(b, 1, &l->target);
	aclnn_put(b, 2, &l->weight);
	aclnn_put(b, 3, loss);
	aclnn_put(b, 4, total);
	return aclnn_end(b);
}

/* Sum up the weights of the rows that count. */
static struct aclnn_view total_of(struct aclnn_build *b, const struct labels *l)
{
	struct aclnn_view loss = aclnn_temporary(b, VNPU_DT_F32, 0, NULL);
	struct aclnn_view total = aclnn_temporary(b, VNPU_DT_F32, 0, NULL);

	likelihood(b, l, SUM, &loss, &total);
	return total;
}

/* Replace the values of rows that do not count by 0. */
static struct aclnn_view mask_rows(struct aclnn_build *b, const struct labels *l,
				   const struct aclnn_view *values)
{
	struct aclnn_view ignore = aclnn_integer(l->ignore), zero, counts;

	zero = aclnn_number(0);
	counts = aclnn_result2(b, VNPU_OP_NE, &l->target, &ignore);
	return aclnn_where(b, &counts, values, &zero);
}

/* The share of all classes in each of them is negative, as that of the label. */
static struct aclnn_view share_of(const struct labels *l)
{
	return aclnn_number(-l->smoothing / l->logs.t.dims[1]);
}

/* Add the losses of the label and of all classes. */
static int smooth_loss(struct aclnn_build *b, const struct labels *l,
		       const struct aclnn_view *out)
{
	struct aclnn_view rest = aclnn_number(1 - l->smoothing), loss, shared;
	struct aclnn_view share = share_of(l), none = { .arg = ACLNN_NO_ARG };
	struct aclnn_view total;

	shared = aclnn_has(&l->weight) ?
			 aclnn_result2(b, VNPU_OP_MUL, &l->logs, &l->weight) :
			 l->logs;
	aclnn_begin(b, VNPU_OP_SUM, 1, 1);
	aclnn_set_int(b, "dims", 1);
	aclnn_put(b, 0, &shared);
	shared = aclnn_result(b);
	shared = mask_rows(b, l, &shared);
	shared = aclnn_result2(b, VNPU_OP_MUL, &shared, &share);
	loss = aclnn_temporary(b, VNPU_DT_F32, 1, l->logs.t.dims);
	if (likelihood(b, l, NONE, &loss, &none))
		return b->status;
	loss = aclnn_result2(b, VNPU_OP_MUL, &loss, &rest);
	if (l->mode == NONE)
		return aclnn_step2(b, VNPU_OP_ADD, &loss, &shared, out);
	loss = aclnn_result2(b, VNPU_OP_ADD, &loss, &shared);
	if (l->mode == SUM)
		return aclnn_step1(b, VNPU_OP_SUM, &loss, out);
	loss = aclnn_result1(b, VNPU_OP_SUM, &loss);
	total = total_of(b, l);
	return aclnn_step2(b, VNPU_OP_DIV, &loss, &total, out);
}

int build_cross_entropy_loss(struct aclnn_build *b)
{
	enum { INPUT, TARGET, WEIGHT, REDUCTION, IGNORE, SMOOTHING, SCALE,
	       WITH_Z, LOSS, LOGS };
	struct aclnn_view input = aclnn_view(b, INPUT), out = aclnn_view(b, LOSS);
	struct aclnn_view logs = aclnn_view(b, LOGS);
	struct aclnn_view none = { .arg = ACLNN_NO_ARG };
	struct labels l;

	if (!read_labels(b, TARGET, REDUCTION, &l))
		return b->status;
	if (aclnn_int(b, WITH_Z))
		return aclnn_fail(b, WITH_Z, "expected false, given true");
	if (input.t.rank != 2 || !input.t.dims[1])
		return aclnn_fail(b, INPUT, "expected [row, class], given %u dimensions%s",
				  input.t.rank, input.t.rank == 2 ?
				  " without classes" : "");
	aclnn_begin(b, VNPU_OP_LOG_SOFTMAX, 1, 1);
	aclnn_set_int(b, "dim", 1);
	aclnn_put(b, 0, &input);
	l.logs = aclnn_result(b);
	if (b->status || !aclnn_has_shape(b, LOGS, &input) ||
	    (l.mode == NONE && !aclnn_has_shape(b, LOSS, &l.target)) ||
	    aclnn_step1(b, VNPU_OP_COPY, &l.logs, &logs))
		return b->status;
	return l.smoothing ? smooth_loss(b, &l, &out) :
			     likelihood(b, &l, l.mode, &out, &none);
}

/* Get the slope of the loss with respect to the logarithms of labels. */
static struct aclnn_view label_slope(struct aclnn_build *b, const struct labels *l,
				     const struct aclnn_view *grad,
				     const struct aclnn_view *total)
{
	struct aclnn_view slope = aclnn_temporary(b, VNPU_DT_F32, 2,
						  l->logs.t.dims);

	aclnn_begin(b, VNPU_OP_NLL_LOSS_BACKWARD, 5, 1);
	aclnn_set_int(b, "reduction", l->mode);
	aclnn_set_int(b, "ignore", l->ignore);
	aclnn_put(b, 0, grad);
	aclnn_put(b, 1, &l->logs);
	aclnn_put(b, 2, &l->target);
	aclnn_put(b, 3, &l->weight);
	aclnn_put(b, 4, total);
	aclnn_put(b, 5, &slope);
	aclnn_end(b);
	return slope;
}

/* Add the slopes of all classes to those of labels. */
static struct aclnn_view smooth_slope(struct aclnn_build *b,
				      const struct labels *l,
				      const struct aclnn_view *grad,
				      const struct aclnn_view *total,
				      const struct aclnn_view *label)
{
	struct aclnn_view rest = aclnn_number(1 - l->smoothing), slope, rows;
	struct aclnn_view share = share_of(l);

	slope = aclnn_result2(b, VNPU_OP_MUL, label, &rest);
	rows = l->mode == MEAN ? aclnn_result2(b, VNPU_OP_DIV, grad, total) :
				 *grad;
	rows = mask_rows(b, l, &rows);
	rows = aclnn_result2(b, VNPU_OP_MUL, &rows, &share);
	if (b->status)
		return slope;
	aclnn_insert(&rows, 1);
	if (aclnn_has(&l->weight))
		rows = aclnn_result2(b, VNPU_OP_MUL, &rows, &l->weight);
	return aclnn_result2(b, VNPU_OP_ADD, &slope, &rows);
}

int build_cross_entropy_loss_grad(struct aclnn_build *b)
{
	enum { GRAD, LOGS, TARGET, WEIGHT, GRAD_Z, LSE, REDUCTION, IGNORE,
	       SMOOTHING, SCALE, OUT };
	struct aclnn_view grad = aclnn_view(b, GRAD), out = aclnn_view(b, OUT);
	struct aclnn_view total = { .arg = ACLNN_NO_ARG }, slope;
	struct labels l = { .logs = aclnn_view(b, LOGS) };

	if (!read_labels(b, TARGET, REDUCTION, &l))
		return b->status;
	if (aclnn_float(b, SCALE))
		return aclnn_fail(b, SCALE, "expected 0, given %g",
				  aclnn_float(b, SCALE));
	if (l.logs.t.rank != 2 || !l.logs.t.dims[1])
		return aclnn_fail(b, LOGS, "expected [row, class], given %u dimensions%s",
				  l.logs.t.rank, l.logs.t.rank == 2 ?
				  " without classes" : "");
	if (!aclnn_has_shape(b, OUT, &l.logs))
		return b->status;
	if (l.mode != NONE)
		aclnn_reshape(&grad, 0, NULL);
	if (l.mode == MEAN)
		total = total_of(b, &l);
	slope = label_slope(b, &l, &grad, &total);
	if (l.smoothing && !b->status)
		slope = smooth_slope(b, &l, &grad, &total, &slope);
	aclnn_begin(b, VNPU_OP_LOG_SOFTMAX_BACKWARD, 2, 1);
	aclnn_set_int(b, "dim", 1);
	aclnn_put(b, 0, &slope);
	aclnn_put(b, 1, &l.logs);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}
