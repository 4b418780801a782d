/* SPDX-License-Identifier: MIT */
/*
 * Inside of the engine: what an operator is, and what its functions get.
 *
 * An operator has three functions. infer() checks the inputs and parameters and
 * computes the shapes of the outputs; everything that can be wrong is found
 * there or by the generic checks of check.c. plan() decides how to run a checked
 * launch. run() computes a part of it.
 */
#ifndef VNPU_OPS_OP_H
#define VNPU_OPS_OP_H

#include "ops.h"

#define OPS_OUTPUTS	8
#define OPS_PARAMS	12

/**
 * enum ops_class - types in which rows are computed
 * @OPS_F: float
 * @OPS_D: double
 * @OPS_I: int32_t
 * @OPS_L: int64_t
 * @OPS_CLASSES: number of classes
 */
enum ops_class {
	OPS_F,
	OPS_D,
	OPS_I,
	OPS_L,
	OPS_CLASSES,
};

/**
 * enum ops_rule - which types an elementwise operator takes and makes
 * @OPS_SAME: any; the result has the common type
 * @OPS_FLOAT: any; integers become f32
 * @OPS_BOOLEAN: any; computed in the common type, the result is bool
 * @OPS_INTEGER: integers and bool only; the result has the common type
 * @OPS_SELECT: the first input is a condition: bool or an integer
 * @OPS_FIRST: any; the results have the type of the first input
 */
enum ops_rule {
	OPS_SAME,
	OPS_FLOAT,
	OPS_BOOLEAN,
	OPS_INTEGER,
	OPS_SELECT,
	OPS_FIRST,
};

/**
 * struct ops_param - a parameter
 * @name: its name
 * @kind: its kind
 * @otherwise: its default; of a list, the length (its elements are 0)
 */
struct ops_param {
	const char *name;
	enum vnpu_op_kind kind;
	double otherwise;
};

/**
 * struct ops_shape - the type and shape of an output
 * @dtype: the type; any type that it can be cast to is accepted if @castable
 * @castable: see @dtype
 * @rank: number of dimensions
 * @dims: their sizes
 */
struct ops_shape {
	uint8_t dtype;
	bool castable;
	uint8_t rank;
	int64_t dims[VNPU_TENSOR_DIMS];
};

/**
 * struct ops_call - a launch while it is checked
 * @l: the launch
 * @op: its operator
 * @error: filled by ops_fail(), or NULL
 * @out: filled by ops_op.infer
 */
struct ops_call {
	const struct vnpu_op_launch *l;
	const struct ops_op *op;
	struct vnpu_op_error *error;
	struct ops_shape out[OPS_OUTPUTS];
};

/*
 * Prepare a call. Of the shapes, only what infer functions extend is cleared: a
 * launch of few elements takes as long as its checks.
 */
static inline void ops_call_init(struct ops_call *c,
				 const struct vnpu_op_launch *l,
				 const struct ops_op *op,
				 struct vnpu_op_error *error)
{
	unsigned int i;

	c->l = l;
	c->op = op;
	c->error = error;
	for (i = 0; i < OPS_OUTPUTS; i++) {
		c->out[i].dtype = VNPU_DT_NONE;
		c->out[i].castable = false;
		c->out[i].rank = 0;
	}
}

/**
 * struct ops_op - an operator
 * @name: its name
 * @inputs: names of the inputs; optional ones are in brackets, and "..." at the
 *	end of the last name makes it a list
 * @outputs: names of the outputs, likewise
 * @min_inputs: number of inputs that are not optional
 * @max_inputs: largest number of inputs
 * @min_outputs: number of outputs that are not optional
 * @max_outputs: largest number of outputs
 * @rule: enum ops_rule, for elementwise operators
 * @classes: bit for each enum ops_class, likewise
 * @scalars: whether inputs may be immediates
 * @params: parameters; ends with one that has no name
 * @infer: see above
 * @plan: see above; fills phases, parts, scratch and shared of the job, which are
 *	1, 1, 0 and 0 before, and plan
 * @run: see above
 */
struct ops_op {
	const char *name;
	const char *inputs;
	const char *outputs;
	uint8_t min_inputs;
	uint8_t max_inputs;
	uint8_t min_outputs;
	uint8_t max_outputs;
	uint8_t rule;
	uint8_t classes;
	bool scalars;
	struct ops_param params[OPS_PARAMS];
	int (*infer)(struct ops_call *c);
	void (*plan)(struct vnpu_op_job *job);
	int (*run)(const struct vnpu_op_job *job,
		   const struct vnpu_op_work *w);
};

/* Return the operator of a number, or NULL. */
const struct ops_op *ops_get(unsigned int op);

/* Report an error as "operator: argument: text"; return @err. */
int ops_fail(struct ops_call *c, int argument, int err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Compose "[2, 3, 4]". */
const char *ops_dims(char *text, size_t size, unsigned int rank,
		     const int64_t *dims);
#define OPS_DIMS(rank, dims)	ops_dims((char[180]){ 0 }, 180, rank, dims)
#define OPS_TDIMS(t)		OPS_DIMS((t)->rank, (t)->dims)

/* Return the words of a parameter. */
const union vnpu_op_word *ops_words(const struct ops_op *op,
				    const struct vnpu_op_launch *l,
				    unsigned int param);

static inline double ops_float(const struct ops_op *op,
			       const struct vnpu_op_launch *l,
			       unsigned int param)
{
	return ops_words(op, l, param)->f;
}

static inline int64_t ops_int(const struct ops_op *op,
			      const struct vnpu_op_launch *l,
			      unsigned int param)
{
	return ops_words(op, l, param)->i;
}

#define CALL_INT(c, param)	ops_int((c)->op, (c)->l, param)
#define CALL_FLOAT(c, param)	ops_float((c)->op, (c)->l, param)
#define CALL_INTS(c, param)	ops_words((c)->op, (c)->l, param)
#define JOB_INT(job, param)	ops_int((job)->op, &(job)->launch, param)
#define JOB_FLOAT(job, param)	ops_float((job)->op, &(job)->launch, param)
#define JOB_INTS(job, param)	ops_words((job)->op, &(job)->launch, param)

/* Return an input or output, or NULL if it is absent. */
static inline const struct vnpu_tensor *
ops_in(const struct vnpu_op_launch *l, unsigned int number)
{
	const struct vnpu_tensor *t = &l->tensor[number];

	return number < l->inputs && t->dtype ? t : NULL;
}

static inline const struct vnpu_tensor *
ops_out(const struct vnpu_op_launch *l, unsigned int number)
{
	const struct vnpu_tensor *t = &l->tensor[l->inputs + number];

	return number < l->outputs && t->dtype ? t : NULL;
}

/* Return the address of the first element of a checked view. */
static inline uint8_t *ops_data(const struct vnpu_tensor *t)
{
	if (t->flags & VNPU_TENSOR_F_IMMEDIATE)
		return (uint8_t *)&t->data;
	/* As a number: the address of an empty tensor may be anything. */
	return (uint8_t *)(uintptr_t)(t->data + (uint64_t)t->offset *
				      (vnpu_dtype_bits(t->dtype) / 8));
}

static inline int64_t ops_size(unsigned int dtype)
{
	return vnpu_dtype_bits(dtype) / 8;
}

/* The part's share of @count items, in multiples of @grain. */
static inline void ops_share(const struct vnpu_op_work *w, int64_t count,
			     int64_t grain, int64_t *first, int64_t *end)
{
	int64_t grains, each, rest, part = w->part;

	/* Divisions would take a good part of a small job's time. */
	if (w->parts == 1) {
		*first = 0;
		*end = count;
		return;
	}
	grains = (count + grain - 1) / grain;
	each = grains / w->parts;
	rest = grains % w->parts;
	*first = (each * part + (part < rest ? part : rest)) * grain;
	*end = *first + (each + (part < rest)) * grain;
	if (*first > count)
		*first = count;
	if (*end > count)
		*end = count;
}

/*
 * How many parts are sensible if the work costs about @cost additions: each
 * should take longer than handing it to another thread.
 */
static inline uint32_t ops_parts(double cost, int64_t most)
{
	double parts = cost / 65536;

	if (parts > most)
		parts = most;
	if (parts > 64)
		parts = 64;
	return parts < 1 ? 1 : parts;
}

/*
 * Helpers of infer functions; see infer.c. Those that return int return 0 or
 * the value of ops_fail().
 */

/* Make the dimension @dim, which may be negative, a number below @rank. */
int ops_need_dim(struct ops_call *c, const char *what, int64_t dim,
		 unsigned int rank, unsigned int *result);
/* The bits of the dimensions in a list; all of them if the list is empty. */
int ops_need_dims(struct ops_call *c, unsigned int param, unsigned int rank,
		  unsigned int *mask);
/* Input @number must have a rank from @min to @max. */
int ops_need_rank(struct ops_call *c, unsigned int number, unsigned int min,
		  unsigned int max);
/* Input @number must have these dimensions. */
int ops_need_shape(struct ops_call *c, unsigned int number, unsigned int rank,
		   const int64_t *dims);
/* Input @number must be expandable to these dimensions. */
int ops_need_expand(struct ops_call *c, unsigned int number, unsigned int rank,
		    const int64_t *dims);
/* Input @number must have floating-point or integer elements. */
int ops_need_float(struct ops_call *c, unsigned int number);
int ops_need_index(struct ops_call *c, unsigned int number);
/* Broadcast the inputs of @mask to a common shape, which output @out gets. */
int ops_broadcast(struct ops_call *c, unsigned int mask, struct ops_shape *out);
/* Find the common type of the inputs of @mask. */
unsigned int ops_common(const struct vnpu_op_launch *l, unsigned int mask);
/* An output like a tensor. */
void ops_like(struct ops_shape *out, const struct vnpu_tensor *t);

/* Return the class that computes a type. */
enum ops_class ops_class_of(unsigned int dtype);

#endif
