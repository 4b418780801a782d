/* SPDX-License-Identifier: MIT */
/*
 * The operator engine: operators on tensors, computed by the processor.
 *
 * It needs libc and libm alone, and keeps no state. So it runs wherever it is
 * linked: in the process that executes the kernels of a device, in tests, in
 * benchmarks. Read this header first.
 *
 * A call in steps
 *
 *	struct vnpu_op_launch l;
 *
 *	vnpu_op_init(&l, VNPU_OP_ADD, 2, 1);		host
 *	l.tensor[0] = a; l.tensor[1] = b; l.tensor[2] = sum;
 *	vnpu_op_set_float(&l, 0, alpha);
 *	err = vnpu_op_check(&l, &error);		finds all errors
 *
 * The launch has no pointers, only addresses of the device. Its first l.size
 * bytes go to the process that executes it. That process does not trust them:
 *
 *	err = vnpu_op_prepare(&job, bytes, size, &window, &error);
 *	for (phase = 0; phase < job.phases; phase++)
 *		for (part = 0; part < parts; part++)	in any order, by any
 *			vnpu_op_run(&job, &work);	number of threads
 *
 * vnpu_op_prepare() copies the launch, checks the copy again, and decides how
 * to run it. vnpu_op_compute() does these steps in one call with one thread.
 *
 * Arguments
 *
 * Inputs come first, then outputs. An output may be one of the inputs if both
 * are the same view; memory that overlaps otherwise, gives undefined elements.
 * A view of an output must not contain an element twice. Empty tensors
 * are valid; nothing is read or written for them. Scalars are tensors, too:
 * vnpu_tensor_set_f64() makes one that travels in the launch. Arguments in
 * brackets in the table of operators (op_list.h) are optional: VNPU_DT_NONE.
 *
 * Numbers
 *
 * - Elementwise operators promote their inputs to a common type, as PyTorch
 *   does, and broadcast them. f16, bf16 and f32 are computed in f32 and
 *   rounded once, when an element is stored. f64 is computed in f64; integers
 *   in integers that wrap around.
 * - The output may have any type that the result can be cast to: a number with
 *   a fraction cannot become an integer, except by VNPU_OP_COPY.
 * - Conversions round to nearest, ties to even. A number that is too large for
 *   a floating-point type becomes infinity. Floating-point numbers become
 *   integers by truncation; those out of range saturate, and NaN becomes 0.
 *   An integer that is too large for another integer type wraps around.
 * - NaN propagates, also through maximum, minimum, relu, clamp and reductions.
 *   Comparisons with NaN are false, apart from "not equal".
 * - Sums add in f64, in an order that depends only on the shape.
 * - Products of matrices, convolutions and attention accumulate in f32 by fused
 *   multiply-add, with the inner dimension in ascending order. Where a factor has
 *   up to 4 rows, and the inner dimension of the other one is contiguous, they
 *   accumulate 32 interleaved sums, which are added pairwise.
 *
 * Results depend neither on the number of parts, nor on strides, nor on the
 * instructions of the processor: a processor without FMA computes the same
 * bits, slowly. The exceptions are functions that call libm: their last bit
 * depends on the C library, and op_list.h marks them.
 */
#ifndef VNPU_OPS_OPS_H
#define VNPU_OPS_OPS_H

#include "tensor.h"

#define VNPU_OP_VERSION		2
#define VNPU_OP_TENSORS		16
#define VNPU_OP_WORDS		48
#define VNPU_OP_LIST		8
/* Parameters that the steps of a chain have together. */
#define VNPU_OP_CHAIN_PARAMS	10

/* Numbers of the operators: VNPU_OP_ADD and so on, in the order of op_list.h. */
enum vnpu_op {
	VNPU_OP_NONE,
#define ELEM(upper, name, ...) VNPU_OP_##upper,
#define OP(upper, name, ...) VNPU_OP_##upper,
#include "op_list.h"
	VNPU_OP_COUNT,
};

/**
 * enum vnpu_op_kind - kinds of parameters
 * @VNPU_OP_FLOAT: a number
 * @VNPU_OP_INT: an integer
 * @VNPU_OP_INTS: a list of up to VNPU_OP_LIST integers
 */
enum vnpu_op_kind {
	VNPU_OP_FLOAT = 1,
	VNPU_OP_INT,
	VNPU_OP_INTS,
};

/**
 * union vnpu_op_word - a value of a parameter
 * @i: an integer, a truth value, or the length of a list
 * @f: a number
 */
union vnpu_op_word {
	int64_t i;
	double f;
};

/*
 * A step of VNPU_OP_CHAIN: an elementwise operator in the lowest 16 bits, and
 * above them a byte for each of its inputs: 1 + the number of an input of the
 * chain, or VNPU_OP_CHAIN_RESULT + that of an earlier step; 0 behind the last.
 */
#define VNPU_OP_CHAIN_RESULT	0x80
#define VNPU_OP_CHAIN_INPUT(step, i)	((step) >> (16 + 8 * (i)) & 0xff)

/*
 * A packed weight of VNPU_OP_CONVOLUTION: [panels, in, ..., VNPU_OP_PANEL], without
 * gaps.  The output channels of each group are divided into panels of VNPU_OP_PANEL
 * channels; a group has vnpu_op_panels() of them, and the groups follow each other.
 * Elements of channels that do not exist, in the last panel of a group, may have any
 * value.
 */
#define VNPU_OP_PANEL		6

/* Get the number of panels of a group with @channels output channels. */
static inline int64_t vnpu_op_panels(int64_t channels)
{
	return (channels + VNPU_OP_PANEL - 1) / VNPU_OP_PANEL;
}

/*
 * Get the index of an element in the panels of its group: that of output channel
 * @channel with the number @k of the @inner elements that a channel has.
 */
static inline int64_t vnpu_op_packed_index(int64_t channel, int64_t k,
					   int64_t inner)
{
	return (channel / VNPU_OP_PANEL * inner + k) * VNPU_OP_PANEL +
	       channel % VNPU_OP_PANEL;
}

/**
 * struct vnpu_op_launch - a call of an operator
 * @size: bytes of the launch that are used; tensors after them are left out
 * @version: VNPU_OP_VERSION
 * @op: enum vnpu_op
 * @inputs: number of inputs
 * @outputs: number of outputs
 * @reserved: 0
 * @word: the parameters in the order of the table; a list takes a word for its
 *	length and VNPU_OP_LIST words
 * @tensor: the inputs, then the outputs
 */
struct vnpu_op_launch {
	uint32_t size;
	uint16_t version;
	uint16_t op;
	uint8_t inputs;
	uint8_t outputs;
	uint8_t reserved[6];
	union vnpu_op_word word[VNPU_OP_WORDS];
	struct vnpu_tensor tensor[VNPU_OP_TENSORS];
};

/**
 * struct vnpu_op_error - the reason of an error
 * @argument: index of the tensor at fault, or -1
 * @text: names operator, argument, and the values expected and given
 */
struct vnpu_op_error {
	int argument;
	char text[252];
};

/**
 * struct vnpu_op_window - the addresses that a launch may use
 * @start: the first address
 * @end: the first address behind them
 */
struct vnpu_op_window {
	uint64_t start;
	uint64_t end;
};

/**
 * struct vnpu_op_job - a launch that is ready to run
 * @launch: private: a copy, which was checked
 * @op: private: the operator
 * @phases: number of phases; all parts of one end before the next begins
 * @parts: number of parts beyond which more cost more than they gain; at least
 *	1
 * @scratch: bytes of private memory for each part
 * @shared: bytes of memory that all parts of all phases share
 * @plan: private: how the operator runs
 *
 * It does not change while it runs, and must not be moved or copied.
 */
struct vnpu_op_job {
	struct vnpu_op_launch launch;
	const struct ops_op *op;
	uint32_t phases;
	uint32_t parts;
	size_t scratch;
	size_t shared;
	uint64_t plan[168];
};

/**
 * struct vnpu_op_work - a part of a job
 * @phase: the phase
 * @part: number of the part, less than @parts
 * @parts: number of parts that the caller has chosen, at least 1; the same for
 *	all parts of a phase
 * @scratch: vnpu_op_job.scratch bytes, aligned to 64, if that is not 0
 * @shared: vnpu_op_job.shared bytes, aligned to 64, if that is not 0
 */
struct vnpu_op_work {
	uint32_t phase;
	uint32_t part;
	uint32_t parts;
	void *scratch;
	void *shared;
};

/**
 * vnpu_op_name() - get the name of an operator
 * @op: enum vnpu_op; any number
 *
 * Return: the name, or NULL.
 */
const char *vnpu_op_name(unsigned int op);

/**
 * vnpu_op_find() - find an operator by its name
 * @name: the name
 *
 * Return: enum vnpu_op, or VNPU_OP_NONE.
 */
unsigned int vnpu_op_find(const char *name);

/**
 * vnpu_op_param() - describe a parameter of an operator
 * @op: enum vnpu_op
 * @param: number of the parameter
 * @kind: set to its kind, if not NULL
 *
 * Return: the name, or NULL if there are fewer parameters.
 */
const char *vnpu_op_param(unsigned int op, unsigned int param,
			  enum vnpu_op_kind *kind);

/**
 * vnpu_op_find_param() - find a parameter of an operator by its name
 * @op: enum vnpu_op
 * @name: the name
 * @kind: set to its kind, if not NULL
 *
 * Return: the number of the parameter, or -ENOENT.
 */
int vnpu_op_find_param(unsigned int op, const char *name,
		       enum vnpu_op_kind *kind);

/**
 * vnpu_op_argument() - name an argument of an operator
 * @op: enum vnpu_op
 * @argument: number of the tensor; if there is a list, each of it is counted
 * @inputs: number of inputs of the call
 * @name: memory for the name
 * @size: size of that memory
 */
void vnpu_op_argument(unsigned int op, unsigned int argument,
		      unsigned int inputs, char *name, size_t size);

/**
 * vnpu_op_init() - begin a launch
 * @l: the launch; parameters get their defaults, tensors are absent
 * @op: enum vnpu_op
 * @inputs: number of inputs
 * @outputs: number of outputs
 */
void vnpu_op_init(struct vnpu_op_launch *l, unsigned int op,
		  unsigned int inputs, unsigned int outputs);

/**
 * vnpu_op_set_float() - set a parameter of kind VNPU_OP_FLOAT
 * @l: the launch
 * @param: number of the parameter
 * @value: its value
 */
void vnpu_op_set_float(struct vnpu_op_launch *l, unsigned int param,
		       double value);

/**
 * vnpu_op_set_int() - set a parameter of kind VNPU_OP_INT
 * @l: the launch
 * @param: number of the parameter
 * @value: its value
 */
void vnpu_op_set_int(struct vnpu_op_launch *l, unsigned int param,
		     int64_t value);

/**
 * vnpu_op_set_ints() - set a parameter of kind VNPU_OP_INTS
 * @l: the launch
 * @param: number of the parameter
 * @value: its values
 * @count: number of values; only VNPU_OP_LIST of them are stored, but a longer
 *	list is an error of the launch
 */
void vnpu_op_set_ints(struct vnpu_op_launch *l, unsigned int param,
		      const int64_t *value, unsigned int count);

/**
 * vnpu_op_infer() - describe outputs
 * @l: the launch; each output of type VNPU_DT_NONE becomes a contiguous tensor
 *	with the type and the shape of the result, but without memory
 * @error: filled with the reason of an error, if not NULL
 *
 * Return: 0, or an error as from vnpu_op_check().
 */
int vnpu_op_infer(struct vnpu_op_launch *l, struct vnpu_op_error *error);

/**
 * vnpu_op_check() - check a launch
 * @l: the launch
 * @error: filled with the reason of an error, if not NULL
 *
 * Return: 0; -ENOSYS for an operator that does not exist; -EINVAL for arguments
 * or parameters that do not fit; -EOVERFLOW for numbers that are too large;
 * -EFAULT for a view that leaves its storage.
 */
int vnpu_op_check(const struct vnpu_op_launch *l, struct vnpu_op_error *error);

/**
 * vnpu_op_prepare() - check a launch and decide how to run it
 * @job: filled
 * @launch: the launch; it may change at any time, and is read once
 * @size: bytes that @launch has
 * @window: addresses that the launch may use; NULL if it may use all
 * @error: filled with the reason of an error, if not NULL
 *
 * Return: 0, or an error as from vnpu_op_check().
 */
int vnpu_op_prepare(struct vnpu_op_job *job, const void *launch, size_t size,
		    const struct vnpu_op_window *window,
		    struct vnpu_op_error *error);

/**
 * vnpu_op_run() - run a part of a job
 * @job: the job
 * @work: which part, and its memory
 *
 * Return: 0; -ERANGE if an index in a tensor is out of range; the elements that it
 * selects are then skipped; -EBADMSG if parameters in a tensor are not valid.
 */
int vnpu_op_run(const struct vnpu_op_job *job, const struct vnpu_op_work *work);

/**
 * vnpu_op_compute() - check a launch and run it in this thread
 * @l: the launch
 * @error: filled with the reason of an error, if not NULL
 *
 * Return: 0; an error as from vnpu_op_check() or vnpu_op_run(); -ENOMEM.
 */
int vnpu_op_compute(const struct vnpu_op_launch *l,
		    struct vnpu_op_error *error);

#endif
