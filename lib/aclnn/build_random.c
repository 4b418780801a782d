// SPDX-License-Identifier: MIT
/* Sequences, one-hot codes and random choices. */
#include "build.h"
#include "builders.h"

int build_linspace(struct aclnn_build *b)
{
	enum { START, END, STEPS, OUT };
	double start = aclnn_scalar(b, START)->f, end = aclnn_scalar(b, END)->f;
	struct aclnn_view out = aclnn_view(b, OUT);
	int64_t steps = aclnn_int(b, STEPS);

	if (steps < 0)
		return aclnn_fail(b, STEPS, "expected at least 0, given %lld",
				  (long long)steps);
	if (out.t.rank != 1 || out.t.dims[0] != steps)
		return aclnn_fail(b, OUT, "expected shape [%lld]",
				  (long long)steps);
	aclnn_begin(b, VNPU_OP_ARANGE, 0, 1);
	aclnn_set_float(b, "start", start);
	aclnn_set_float(b, "step", steps > 1 ? (end - start) / (steps - 1) : 0);
	aclnn_put(b, 0, &out);
	return aclnn_end(b);
}

int build_one_hot(struct aclnn_build *b)
{
	enum { SELF, CLASSES, ON, OFF, AXIS, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view on = aclnn_view(b, ON), off = aclnn_view(b, OFF);
	int64_t dims[VNPU_TENSOR_DIMS];
	struct aclnn_view flags;
	unsigned int axis, from;

	if (self.t.rank >= VNPU_TENSOR_DIMS)
		return aclnn_fail(b, SELF, "expected at most %d dimensions, given %u",
				  VNPU_TENSOR_DIMS - 1, self.t.rank);
	if (!aclnn_dim(b, AXIS, aclnn_int(b, AXIS), self.t.rank + 1, &axis))
		return b->status;
	if (vnpu_tensor_elements(&on.t) != 1 || vnpu_tensor_elements(&off.t) != 1)
		return aclnn_fail(b, vnpu_tensor_elements(&on.t) != 1 ? ON : OFF,
				  "expected 1 element");
	if (aclnn_int(b, CLASSES) < 0)
		return aclnn_fail(b, CLASSES, "expected at least 0, given %lld",
				  (long long)aclnn_int(b, CLASSES));
	for (unsigned int i = 0; i <= self.t.rank; i++) {
		from = i > axis ? i - 1 : i;
		dims[i] = i == axis ? aclnn_int(b, CLASSES) :
				      self.t.dims[from];
	}
	flags = aclnn_temporary(b, VNPU_DT_BOOL, self.t.rank + 1, dims);
	aclnn_begin(b, VNPU_OP_ONE_HOT, 1, 1);
	aclnn_set_int(b, "classes", aclnn_int(b, CLASSES));
	aclnn_set_int(b, "dim", axis);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &flags);
	if (aclnn_end(b))
		return b->status;
	on.t.rank = off.t.rank = 0;
	aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
	aclnn_put(b, 0, &flags);
	aclnn_put(b, 1, &on);
	aclnn_put(b, 2, &off);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}

/* Compute random numbers of the exponential distribution with the mean 1. */
static struct aclnn_view exponential(struct aclnn_build *b,
				     const struct vnpu_tensor *like,
				     int64_t seed, int64_t offset)
{
	struct aclnn_view noise = aclnn_temporary(b, VNPU_DT_F32, like->rank,
						  like->dims);
	struct aclnn_view one = aclnn_number(1);

	aclnn_begin(b, VNPU_OP_UNIFORM, 0, 1);
	aclnn_set_int(b, "seed", seed);
	aclnn_set_int(b, "offset", offset);
	aclnn_put(b, 0, &noise);
	if (aclnn_end(b))
		return noise;
	/* The logarithm of numbers above 0 and up to 1. */
	noise = aclnn_result2(b, VNPU_OP_SUB, &one, &noise);
	noise = aclnn_result1(b, VNPU_OP_LOG, &noise);
	return aclnn_result1(b, VNPU_OP_NEG, &noise);
}

int build_exponential(struct aclnn_build *b)
{
	enum { SELF, COUNT, LAMBDA, SEED, OFFSET };
	struct aclnn_view out = aclnn_view(b, SELF), noise;
	struct aclnn_view lambda = aclnn_number(aclnn_float(b, LAMBDA));
	int64_t count = vnpu_tensor_elements(&out.t);

	if (!vnpu_dtype_is_float(out.t.dtype))
		return aclnn_fail(b, SELF,
				  "expected a floating-point type, given %s",
				  vnpu_dtype_name(out.t.dtype));
	if (aclnn_int(b, COUNT) != count)
		return aclnn_fail(b, COUNT,
				  "expected the elements of selfRef, %lld, given %lld",
				  (long long)count, (long long)aclnn_int(b, COUNT));
	if (!(aclnn_float(b, LAMBDA) > 0))
		return aclnn_fail(b, LAMBDA, "expected more than 0, given %g",
				  aclnn_float(b, LAMBDA));
	noise = exponential(b, &out.t, aclnn_int(b, SEED), aclnn_int(b, OFFSET));
	return b->status ? b->status :
			   aclnn_step2(b, VNPU_OP_DIV, &noise, &lambda, &out);
}

/*
 * Divide weights by random numbers of an exponential distribution: the largest
 * of a row is a choice by weight, and the largest ones are choices without
 * replacement.
 */
static struct aclnn_view race(struct aclnn_build *b, struct aclnn_view weights,
			      int64_t seed, int64_t offset)
{
	struct aclnn_view noise = exponential(b, &weights.t, seed, offset);

	return aclnn_result2(b, VNPU_OP_DIV, &weights, &noise);
}

int build_multinomial(struct aclnn_build *b)
{
	enum { SELF, SAMPLES, REPLACEMENT, SEED, OFFSET, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	int64_t samples = aclnn_int(b, SAMPLES), classes;
	struct aclnn_view values;
	unsigned int last = self.t.rank - 1;

	if (self.t.rank < 1 || self.t.rank > 2)
		return aclnn_fail(b, SELF, "expected 1 or 2 dimensions, given %u",
				  self.t.rank);
	classes = self.t.dims[last];
	if (samples < 1 ||
	    (!aclnn_int(b, REPLACEMENT) && samples > classes))
		return aclnn_fail(b, SAMPLES, "expected 1 to %lld, given %lld",
				  (long long)classes, (long long)samples);
	/* With replacement, each sample is a race of its own. */
	if (aclnn_int(b, REPLACEMENT)) {
		aclnn_insert(&self, last);
		self.t.dims[last] = samples;
		self.t.strides[last] = 0;
	}
	values = race(b, self, aclnn_int(b, SEED), aclnn_int(b, OFFSET));
	if (b->status)
		return b->status;
	if (aclnn_int(b, REPLACEMENT)) {
		aclnn_begin(b, VNPU_OP_ARGMAX, 1, 1);
		aclnn_set_int(b, "dims", -1);
		aclnn_put(b, 0, &values);
		aclnn_put(b, 1, &out);
		return aclnn_end(b);
	}
	self = aclnn_temporary(b, VNPU_DT_F32, out.t.rank, out.t.dims);
	aclnn_begin(b, VNPU_OP_TOPK, 1, 2);
	aclnn_set_int(b, "k", samples);
	aclnn_put(b, 0, &values);
	aclnn_put(b, 1, &self);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

/* 1 with a probability; the output has the shape of self. */
int build_bernoulli_like(struct aclnn_build *b)
{
	enum { SELF, PROB, SEED, OFFSET, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	bool is_tensor = b->op->args[PROB].kind == ACLNN_TENSOR, is_same;
	struct aclnn_view prob = aclnn_view(b, PROB);

	is_same = self.t.rank == out.t.rank;
	for (unsigned int i = 0; is_same && i < self.t.rank; i++)
		is_same = self.t.dims[i] == out.t.dims[i];
	if (!is_same)
		return aclnn_fail(b, OUT, "expected the shape of self");
	aclnn_begin(b, VNPU_OP_BERNOULLI, is_tensor, 1);
	if (is_tensor)
		aclnn_put(b, 0, &prob);
	else
		aclnn_set_scalar(b, "p", aclnn_scalar(b, PROB));
	aclnn_set_int(b, "seed", aclnn_int(b, SEED));
	aclnn_set_int(b, "offset", aclnn_int(b, OFFSET));
	aclnn_put(b, is_tensor, &out);
	return aclnn_end(b);
}

/* With 6 arguments, the fifth is the type of the probability, which has no effect. */
int build_dropout_mask(struct aclnn_build *b)
{
	enum { SHAPE, PROB, SEED, OFFSET };
	unsigned int out_arg = b->op->count - 1;
	const struct aclnn_array *shape = aclnn_array(b, SHAPE);
	struct aclnn_view out = aclnn_view(b, out_arg);
	int64_t count = 1, bytes;

	for (uint64_t i = 0; i < shape->size; i++)
		if (shape->i[i] < 0 ||
		    __builtin_mul_overflow(count, shape->i[i], &count))
			return aclnn_fail(b, SHAPE,
					  "a size is negative, or there are too many elements");
	bytes = count / 8 + (count % 8 != 0);
	if (out.t.rank != 1 || out.t.dims[0] < bytes)
		return aclnn_fail(b, out_arg, "expected at least %lld bytes",
				  (long long)bytes);
	aclnn_begin(b, VNPU_OP_DROPOUT_MASK, 0, 1);
	aclnn_set_float(b, "p", aclnn_float(b, PROB));
	aclnn_set_int(b, "seed", aclnn_int(b, SEED));
	aclnn_set_int(b, "offset", aclnn_int(b, OFFSET));
	aclnn_put(b, 0, &out);
	return aclnn_end(b);
}

/* mean + std * a number of the normal distribution; tensors replace numbers. */
static int normal(struct aclnn_build *b, struct aclnn_view mean,
		  struct aclnn_view std)
{
	enum { SEED = 2, OFFSET, OUT };
	struct aclnn_view out = aclnn_view(b, OUT), noise;

	noise = aclnn_temporary(b, VNPU_DT_F32, out.t.rank, out.t.dims);
	aclnn_begin(b, VNPU_OP_NORMAL, 0, 1);
	aclnn_set_int(b, "seed", aclnn_int(b, SEED));
	aclnn_set_int(b, "offset", aclnn_int(b, OFFSET));
	aclnn_put(b, 0, &noise);
	if (aclnn_end(b))
		return b->status;
	noise = aclnn_result2(b, VNPU_OP_MUL, &noise, &std);
	return b->status ? b->status :
			   aclnn_step2(b, VNPU_OP_ADD, &noise, &mean, &out);
}

int build_normal_mean(struct aclnn_build *b)
{
	return normal(b, aclnn_view(b, 0), aclnn_number(aclnn_float(b, 1)));
}

int build_normal_std(struct aclnn_build *b)
{
	return normal(b, aclnn_number(aclnn_float(b, 0)), aclnn_view(b, 1));
}

int build_normal_both(struct aclnn_build *b)
{
	return normal(b, aclnn_view(b, 0), aclnn_view(b, 1));
}

/* Integers from @from on, and below @to. */
int build_random(struct aclnn_build *b)
{
	enum { SELF, FROM, TO, SEED, OFFSET };
	struct aclnn_view out = aclnn_view(b, SELF), value;
	double from = aclnn_int(b, FROM), to = aclnn_int(b, TO);

	if (from >= to)
		return aclnn_fail(b, TO, "expected more than %lld, given %lld",
				  (long long)aclnn_int(b, FROM),
				  (long long)aclnn_int(b, TO));
	value = aclnn_temporary(b, VNPU_DT_F64, out.t.rank, out.t.dims);
	aclnn_begin(b, VNPU_OP_UNIFORM, 0, 1);
	aclnn_set_int(b, "seed", aclnn_int(b, SEED));
	aclnn_set_int(b, "offset", aclnn_int(b, OFFSET));
	aclnn_set_float(b, "from", from);
	aclnn_set_float(b, "to", to);
	aclnn_put(b, 0, &value);
	if (aclnn_end(b))
		return b->status;
	value = aclnn_result1(b, VNPU_OP_FLOOR, &value);
	return b->status ? b->status :
			   aclnn_step1(b, VNPU_OP_COPY, &value, &out);
}

/* Multiply elements up to 0 by random slopes, which the noise gets; 1 elsewhere. */
static int random_slopes(struct aclnn_build *b, double lower, double upper)
{
	enum { SELF, NOISE, LOWER, UPPER, TRAINING, SEED, OFFSET, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view noise = aclnn_view(b, NOISE), slopes, is_low;
	struct aclnn_view zero = aclnn_number(0), one = aclnn_number(1);

	slopes = aclnn_temporary(b, VNPU_DT_F32, self.t.rank, self.t.dims);
	aclnn_begin(b, VNPU_OP_UNIFORM, 0, 1);
	aclnn_set_int(b, "seed", aclnn_int(b, SEED));
	aclnn_set_int(b, "offset", aclnn_int(b, OFFSET));
	aclnn_set_float(b, "from", lower);
	aclnn_set_float(b, "to", upper);
	aclnn_put(b, 0, &slopes);
	aclnn_end(b);
	is_low = aclnn_result2(b, VNPU_OP_LE, &self, &zero);
	aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
	aclnn_put(b, 0, &is_low);
	aclnn_put(b, 1, &slopes);
	aclnn_put(b, 2, &one);
	aclnn_put(b, 3, &noise);
	if (aclnn_end(b))
		return b->status;
	return aclnn_step2(b, VNPU_OP_MUL, &self, &noise, &out);
}

int build_rrelu(struct aclnn_build *b)
{
	enum { SELF, NOISE, LOWER, UPPER, TRAINING, SEED, OFFSET, OUT };
	double lower = aclnn_scalar(b, LOWER)->f, upper = aclnn_scalar(b, UPPER)->f;
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	if (!(lower <= upper))
		return aclnn_fail(b, UPPER, "expected at least lower, %g, given %g",
				  lower, upper);
	if (!vnpu_dtype_is_float(self.t.dtype))
		return aclnn_fail(b, SELF,
				  "expected a floating-point type, given %s",
				  vnpu_dtype_name(self.t.dtype));
	if (!aclnn_has_shape(b, OUT, &self))
		return b->status;
	if (aclnn_int(b, TRAINING))
		return aclnn_has_shape(b, NOISE, &self) ?
			       random_slopes(b, lower, upper) : b->status;
	aclnn_begin(b, VNPU_OP_LEAKY_RELU, 1, 1);
	aclnn_set_float(b, "negative_slope", (lower + upper) / 2);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}
