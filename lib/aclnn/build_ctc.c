// SPDX-License-Identifier: MIT
/* The loss of connectionist temporal classification, and its gradient. */
#include "build.h"
#include "builders.h"

/*
 * Store the numbers of an array in a temporary; a run of equal ones is one
 * step.
 */
static struct aclnn_view to_tensor(struct aclnn_build *b, unsigned int arg)
{
	const struct aclnn_array *array = aclnn_array(b, arg);
	struct aclnn_view made, value, part;
	int64_t count = array->size, end;

	made = aclnn_temporary(b, VNPU_DT_I64, 1, &count);
	for (int64_t i = 0; i < count && !b->status; i = end) {
		for (end = i + 1; end < count; end++)
			if (array->i[end] != array->i[i])
				break;
		value = aclnn_integer(array->i[i]);
		part = made;
		aclnn_narrow(&part, 0, i, end - i, 1);
		aclnn_step1(b, VNPU_OP_COPY, &value, &part);
	}
	return made;
}

/* Check lengths, one for each sample. */
static int check_lengths(struct aclnn_build *b, unsigned int arg,
			 int64_t samples, int64_t most)
{
	const struct aclnn_array *array = aclnn_array(b, arg);

	if (array->size != (uint64_t)samples)
		return aclnn_fail(b, arg, "expected %lld numbers, given %llu",
				  (long long)samples,
				  (unsigned long long)array->size);
	for (int64_t i = 0; i < samples; i++)
		if (array->i[i] < 0 || array->i[i] > most)
			return aclnn_fail(b, arg,
					  "expected 0 to %lld, given %lld",
					  (long long)most,
					  (long long)array->i[i]);
	return 0;
}

/* Add the dimension of samples, which tensors of one sample may lack. */
static void add_sample(struct aclnn_view *view, unsigned int rank,
		       unsigned int dim)
{
	if (aclnn_has(view) && view->t.rank + 1U == rank)
		aclnn_insert(view, dim);
}

/* Check and put log_probs, the target and the lengths: arguments in a row. */
static int put_inputs(struct aclnn_build *b, unsigned int first,
		      struct aclnn_view *views)
{
	enum { PROBS, TARGET, LENGTHS, TARGET_LENGTHS };
	struct aclnn_view target = aclnn_view(b, first + TARGET);
	const struct aclnn_array *lengths;
	int64_t room, total = 0;

	views[PROBS] = aclnn_view(b, first);
	add_sample(&views[PROBS], 3, 1);
	if (views[PROBS].t.rank != 3)
		return aclnn_fail(b, first, "expected 2 or 3 dimensions, given %u",
				  views[PROBS].t.rank);
	if (!target.t.rank)
		return aclnn_fail(b, first + TARGET, "has no dimensions");
	room = target.t.dims[target.t.rank - 1];
	if (check_lengths(b, first + LENGTHS, views[PROBS].t.dims[1],
			  views[PROBS].t.dims[0]) ||
	    check_lengths(b, first + TARGET_LENGTHS, views[PROBS].t.dims[1],
			  room))
		return b->status;
	lengths = aclnn_array(b, first + TARGET_LENGTHS);
	for (uint64_t i = 0; i < lengths->size; i++)
		total += lengths->i[i];
	if (target.t.rank == 1 && total > room)
		return aclnn_fail(b, first + TARGET,
				  "expected the %lld labels of all samples, given %lld",
				  (long long)total, (long long)room);
	views[TARGET] = target;
	views[LENGTHS] = to_tensor(b, first + LENGTHS);
	views[TARGET_LENGTHS] = to_tensor(b, first + TARGET_LENGTHS);
	return b->status;
}

/* Check that alpha has room for the states of all samples. */
static int check_alpha(struct aclnn_build *b, unsigned int lengths_arg,
		       unsigned int arg, struct aclnn_view *alpha)
{
	const struct aclnn_array *lengths = aclnn_array(b, lengths_arg);
	int64_t most = 0;

	add_sample(alpha, 3, 0);
	for (uint64_t i = 0; i < lengths->size; i++)
		most = lengths->i[i] > most ? lengths->i[i] : most;
	if (alpha->t.rank != 3 || alpha->t.dims[2] < 2 * most + 1)
		return aclnn_fail(b, arg,
				  "expected [sample, time, at least %lld], given %u dimensions and a last size of %lld",
				  (long long)(2 * most + 1), alpha->t.rank,
				  (long long)(alpha->t.rank ?
				  alpha->t.dims[alpha->t.rank - 1] : 1));
	return 0;
}

int build_ctc_loss(struct aclnn_build *b)
{
	enum { PROBS, TARGET, LENGTHS, TARGET_LENGTHS, BLANK, ZERO_INFINITY,
	       LOSS, ALPHA };
	struct aclnn_view loss = aclnn_view(b, LOSS), views[4];
	struct aclnn_view alpha = aclnn_view(b, ALPHA);

	if (put_inputs(b, PROBS, views) ||
	    check_alpha(b, TARGET_LENGTHS, ALPHA, &alpha))
		return b->status;
	add_sample(&loss, 1, 0);
	aclnn_begin(b, VNPU_OP_CTC_LOSS, 4, 2);
	aclnn_set_int(b, "blank", aclnn_int(b, BLANK));
	aclnn_set_int(b, "zero_infinity", aclnn_int(b, ZERO_INFINITY));
	aclnn_set_int(b, "width", alpha.t.dims[2]);
	for (unsigned int i = 0; i < 4; i++)
		aclnn_put(b, i, &views[i]);
	aclnn_put(b, 4, &loss);
	aclnn_put(b, 5, &alpha);
	return aclnn_end(b);
}

int build_ctc_loss_backward(struct aclnn_build *b)
{
	enum { GRAD, PROBS, TARGET, LENGTHS, TARGET_LENGTHS, LOSS, ALPHA,
	       BLANK, ZERO_INFINITY, OUT };
	struct aclnn_view loss = aclnn_view(b, LOSS), views[4];
	struct aclnn_view alpha = aclnn_view(b, ALPHA);
	struct aclnn_view grad = aclnn_view(b, GRAD), out = aclnn_view(b, OUT);

	if (put_inputs(b, PROBS, views) ||
	    check_alpha(b, TARGET_LENGTHS, ALPHA, &alpha))
		return b->status;
	add_sample(&loss, 1, 0);
	add_sample(&grad, 1, 0);
	add_sample(&out, 3, 1);
	aclnn_begin(b, VNPU_OP_CTC_LOSS_BACKWARD, 7, 1);
	aclnn_set_int(b, "blank", aclnn_int(b, BLANK));
	aclnn_set_int(b, "zero_infinity", aclnn_int(b, ZERO_INFINITY));
	aclnn_put(b, 0, &grad);
	for (unsigned int i = 0; i < 4; i++)
		aclnn_put(b, 1 + i, &views[i]);
	aclnn_put(b, 5, &loss);
	aclnn_put(b, 6, &alpha);
	aclnn_put(b, 7, &out);
	return aclnn_end(b);
}
