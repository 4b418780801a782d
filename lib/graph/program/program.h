/* SPDX-License-Identifier: MIT */
/*
 * Programs: models that are compiled for one set of shapes. A program is one
 * block of bytes without pointers, a part of an .om file (om/om.h) as well as
 * what is executed:
 *
 *	head	struct program_head
 *	tensors	struct program_tensor: the inputs, then the outputs
 *	steps	struct program_step, each with a launch of the operator engine
 *	text	names, each with a zero behind it
 *	weights	constants, which nothing writes; they begin at a page, or lie outside,
 *		where programs share them
 *
 * Numbers have the byte order of the machine. A tensor of a step is in a
 * segment: the weights, the work memory, an input or an output; its address,
 * vnpu_tensor.data, is the offset there. So a program can be checked before its
 * segments have addresses, and runs once each has one.
 *
 * Steps run one after the other. A step may read what the steps before it have
 * written; work memory that no step has written has any content.
 */
#ifndef GRAPH_PROGRAM_PROGRAM_H
#define GRAPH_PROGRAM_PROGRAM_H

#include "ops/ops.h"

#define PROGRAM_MAGIC	"VNPU-PG"
#define PROGRAM_VERSION	2

/* Alignment of parts, and of each tensor in the weights and the work memory. */
#define PROGRAM_ALIGN	64
#define PROGRAM_PAGE	4096
/* Limits that a file is checked for. */
#define PROGRAM_TENSORS	65000
#define PROGRAM_STEPS	(1U << 20)

#define PROGRAM_NONE	UINT64_MAX

/**
 * enum program_segment - what vnpu_tensor.data of a step counts from
 * @PROGRAM_WEIGHTS: the constants
 * @PROGRAM_WORK: the work memory
 * @PROGRAM_IO: the first input; inputs and outputs follow
 * @PROGRAM_IMMEDIATE: nothing: the tensor is an immediate or left out
 */
enum program_segment {
	PROGRAM_WEIGHTS,
	PROGRAM_WORK,
	PROGRAM_IO,
	PROGRAM_IMMEDIATE = 0xffff,
};

/**
 * struct program_head - the head of a program
 * @magic: PROGRAM_MAGIC
 * @version: PROGRAM_VERSION
 * @inputs: number of inputs
 * @outputs: number of outputs
 * @steps: number of steps
 * @size: bytes of the program
 * @checksum: of all bytes, with 0 in this place
 * @work: bytes of work memory
 * @work_plain: bytes that it would have if no tensor shared its memory
 * @tensors_at: where the tensors begin
 * @steps_at: where the steps begin
 * @steps_size: their bytes
 * @text_at: where the names begin
 * @text_size: their bytes; the last one is a zero
 * @weights_at: where the constants begin, a multiple of PROGRAM_PAGE; 0 if they
 *	are outside
 * @weights_size: their bytes
 * @name: name of the model, in the text
 * @reserved: 0
 */
struct program_head {
	char magic[8];
	uint32_t version;
	uint32_t inputs;
	uint32_t outputs;
	uint32_t steps;
	uint64_t size;
	uint64_t checksum;
	uint64_t work;
	uint64_t work_plain;
	uint64_t tensors_at;
	uint64_t steps_at;
	uint64_t steps_size;
	uint64_t text_at;
	uint64_t text_size;
	uint64_t weights_at;
	uint64_t weights_size;
	uint32_t name;
	uint32_t reserved;
};

/**
 * struct program_tensor - an input or output
 * @name: its name, in the text
 * @count_dim: see @count_at
 * @dtype: enum vnpu_dtype
 * @rank: number of dimensions
 * @reserved: 0
 * @dims: their sizes
 * @bytes: bytes of all elements
 * @count_at: offset in the work memory of one i64, which has the size of
 *	dimension @count_dim after a run; @dims has the largest. Or PROGRAM_NONE.
 * @frozen_at: offset in the weights of the elements that an input must have, as
 *	shapes depend on them; or PROGRAM_NONE
 */
struct program_tensor {
	uint32_t name;
	uint32_t count_dim;
	uint8_t dtype;
	uint8_t rank;
	uint8_t reserved[6];
	int64_t dims[VNPU_TENSOR_DIMS];
	uint64_t bytes;
	uint64_t count_at;
	uint64_t frozen_at;
};

/**
 * struct program_step - a step; its launch follows
 * @size: bytes of the step with its launch, a multiple of 8
 * @name: the node that it belongs to, in the text
 * @type: the operator of the node, likewise
 * @parts: number of blocks; more would cost more than they gain
 * @segments: enum program_segment of each tensor
 */
struct program_step {
	uint32_t size;
	uint32_t name;
	uint32_t type;
	uint32_t parts;
	uint16_t segments[VNPU_OP_TENSORS];
};

/**
 * struct program - a program that was checked
 * @head: its bytes
 * @tensors: inputs, then outputs
 * @text: the names
 * @weights: the constants
 */
struct program {
	const struct program_head *head;
	const struct program_tensor *tensors;
	const char *text;
	const void *weights;
};

/**
 * struct program_error - the reason of an error
 * @step: number of the step, or -1
 * @text: the sentence
 */
struct program_error {
	int64_t step;
	char text[400];
};

/* Compute the checksum of a program, or of an .om file. */
uint64_t program_checksum(const void *data, size_t size);

/* Fill in an error; return -EINVAL. */
int program_fail(struct program_error *error, int64_t step, const char *format,
		 ...) __attribute__((format(printf, 3, 4)));

/**
 * struct program_kind - what a program, or an .om file, begins with
 * @magic: its first bytes
 * @version: the one that this library reads
 * @head: size of its head, in bytes
 */
struct program_kind {
	char magic[8];
	uint32_t version;
	uint32_t head;
};

/*
 * Check the magic, the version, the size and the checksum, which are at the same
 * places in both kinds of heads.  Return: 0, -ENOEXEC for another kind or version,
 * or -EINVAL, with the reason in @error.
 */
int program_check_start(const void *data, size_t size,
			const struct program_kind *kind,
			struct program_error *error);

/**
 * program_open() - check a program
 * @p: filled
 * @data: the bytes, aligned to 8, which stay as long as the program
 * @size: their number
 * @error: filled with the reason of an error
 *
 * Nothing in the bytes is trusted. After this check, offsets and names are valid,
 * and each tensor of a step stays within its segment. It needs no operator
 * engine: program_verify() checks the operators.
 *
 * Return: 0; -EINVAL; -ENOEXEC for another format or version.
 */
int program_open(struct program *p, const void *data, size_t size,
		 struct program_error *error);

/**
 * program_open_part() - check a program with its weights outside of it
 * @p: filled
 * @data: as for program_open()
 * @size: likewise
 * @weights: the weights, aligned to PROGRAM_ALIGN
 * @weights_size: their bytes
 * @error: as for program_open()
 *
 * Return: as program_open().
 */
int program_open_part(struct program *p, const void *data, size_t size,
		      const void *weights, uint64_t weights_size,
		      struct program_error *error);

/**
 * program_verify() - check the operators of a program
 * @p: the program
 * @error: filled with the reason of an error
 *
 * After this check, a launch may still refuse elements, such as indices.
 *
 * Return: 0 or -EINVAL.
 */
int program_verify(const struct program *p, struct program_error *error);

/* Get the step after @step, or the first one if that is NULL; NULL at the end. */
const struct program_step *program_next(const struct program *p,
					const struct program_step *step);

/* Get the launch of a step. */
static inline const struct vnpu_op_launch *
program_launch(const struct program_step *step)
{
	return (const struct vnpu_op_launch *)(step + 1);
}

/**
 * program_run() - run a program in this thread
 * @p: the program
 * @work: head.work bytes, aligned to PROGRAM_ALIGN
 * @io: the inputs, then the outputs: memory of program_tensor.bytes each,
 *	aligned to PROGRAM_ALIGN
 * @error: filled with the reason of an error
 *
 * Return: 0; -ESTALE if a frozen input has other elements; -ERANGE if an index
 * in a tensor is out of range; -EBADMSG if parameters in one are not valid;
 * -EINVAL; -ENOMEM.
 */
int program_run(const struct program *p, void *work, void *const *io,
		struct program_error *error);

/**
 * program_dims() - get the sizes that an output has after a run
 * @p: the program
 * @output: number of the output
 * @work: the work memory of the run
 * @dims: filled: VNPU_TENSOR_DIMS sizes
 *
 * The elements still lie as for the largest sizes: program_pack() moves them to
 * their places for the actual sizes.
 */
void program_dims(const struct program *p, unsigned int output,
		  const void *work, int64_t *dims);

/*
 * Get the sizes as program_dims() does, with the element at
 * program_tensor.count_at in @count.
 */
void program_count(const struct program *p, unsigned int output, int64_t count,
		   int64_t *dims);

/* Pack the elements of an output for its actual sizes @dims. */
void program_pack(const struct program *p, unsigned int output, void *data,
		  const int64_t *dims);

#endif
