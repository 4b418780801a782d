/* SPDX-License-Identifier: MIT */
/*
 * Models as files: the content of an .om file. It has one program or several,
 * the gears, each for other sizes of the inputs, and a block of weights that all
 * share:
 *
 *	head	struct om_head
 *	tensors	struct om_tensor: the inputs, then the outputs
 *	gears	struct om_gear
 *	text	names, each with a zero behind it
 *	...	the programs, without their weights
 *	weights	constants, which begin at a page, behind all other parts
 *
 *	struct om_source gear = { result.program, result.size };
 *	struct om_options options = { .gears = &gear, .gear_count = 1 };
 *
 *	err = om_write(&options, &data, &size, &error);
 *	...
 *	err = om_open(&om, data, size, &error);
 *
 * Numbers have the byte order of the machine.
 */
#ifndef GRAPH_OM_OM_H
#define GRAPH_OM_OM_H

#include "program/program.h"

#define OM_MAGIC	"VNPU-OM"
#define OM_VERSION	2

/* The most gears of a model, and sizes by which gears differ. */
#define OM_GEARS	100
#define OM_VALUES	128

/* Formats of tensors, with the numbers of aclFormat. */
#define OM_FORMAT_NCHW	0
#define OM_FORMAT_NHWC	1
#define OM_FORMAT_ND	2
#define OM_FORMATS	64

/**
 * enum om_kind - the sizes by which gears differ
 * @OM_STATIC: there is one gear
 * @OM_BATCH: one size, which each dynamic input has once
 * @OM_IMAGE: two sizes of one input, height and width
 * @OM_DIMS: any sizes of the inputs
 * @OM_RANGE: any sizes of the inputs, with a gear for each size within ranges:
 *	the shapes of the inputs choose it
 */
enum om_kind {
	OM_STATIC,
	OM_BATCH,
	OM_IMAGE,
	OM_DIMS,
	OM_RANGE,
};

/**
 * struct om_head - the head of a model
 * @magic: OM_MAGIC
 * @version: OM_VERSION
 * @kind: enum om_kind
 * @gears: number of gears
 * @inputs: number of inputs
 * @size: bytes of the model
 * @checksum: program_checksum() of all bytes, with 0 in this place
 * @outputs: number of outputs
 * @name: name of the model, in the text
 * @info: further facts, in the text: lines of the form KEY=VALUE
 * @reserved: 0
 * @tensors_at: where the tensors begin
 * @gears_at: where the gears begin
 * @text_at: where the names begin
 * @text_size: their bytes; the last one is a zero
 * @weights_at: where the constants begin, a multiple of PROGRAM_PAGE
 * @weights_size: their bytes
 */
struct om_head {
	char magic[8];
	uint32_t version;
	uint32_t kind;
	uint32_t gears;
	uint32_t inputs;
	uint64_t size;
	uint64_t checksum;
	uint32_t outputs;
	uint32_t name;
	uint32_t info;
	uint32_t reserved;
	uint64_t tensors_at;
	uint64_t gears_at;
	uint64_t text_at;
	uint64_t text_size;
	uint64_t weights_at;
	uint64_t weights_size;
};

/**
 * struct om_tensor - an input or output
 * @name: its name, in the text
 * @format: OM_FORMAT_* or another number of aclFormat
 * @dtype: enum vnpu_dtype
 * @rank: number of dimensions
 * @reserved: 0
 * @dims: their sizes; -1 for those that gears may choose
 * @bytes: bytes in the gear where it is largest
 */
struct om_tensor {
	uint32_t name;
	uint8_t format;
	uint8_t dtype;
	uint8_t rank;
	uint8_t reserved;
	int64_t dims[VNPU_TENSOR_DIMS];
	uint64_t bytes;
};

/**
 * struct om_gear - a program
 * @at: where it begins, a multiple of PROGRAM_ALIGN
 * @size: its bytes
 */
struct om_gear {
	uint64_t at;
	uint64_t size;
};

/**
 * struct om - a model that was checked
 * @head: its bytes
 * @tensors: inputs, then outputs
 * @gears: the programs
 * @text: the names
 * @weights: the constants
 */
struct om {
	const struct om_head *head;
	const struct om_tensor *tensors;
	const struct om_gear *gears;
	const char *text;
	const void *weights;
};

/**
 * om_open() - check a model
 * @om: filled
 * @data: the bytes, aligned to 8, which stay as long as the model
 * @size: their number
 * @error: filled with the reason of an error
 *
 * Nothing in the bytes is trusted: after this check, all programs are valid as
 * after program_open(), and have the inputs and outputs that the model has.
 *
 * Return: 0; -EINVAL; -ENOEXEC for another format or version.
 */
int om_open(struct om *om, const void *data, size_t size,
	    struct program_error *error);

/* Get the program of a gear. */
void om_program(const struct om *om, unsigned int gear, struct program *p);

/* Get the sizes that a gear chooses, up to OM_VALUES; return their number. */
unsigned int om_values(const struct om *om, unsigned int gear, int64_t *values);

/* Find the gear that chooses these sizes; -1 if there is none. */
int om_find(const struct om *om, const int64_t *values, unsigned int count);

/* Check whether a model has one more input, by which a gear is chosen. */
static inline bool om_has_choice(const struct om *om)
{
	return om->head->kind != OM_STATIC && om->head->kind != OM_RANGE;
}

/*
 * Get the least and the largest size of a dimension of an input in all gears.
 * The input and the dimension must exist.
 */
void om_range(const struct om *om, uint32_t input, unsigned int dim,
	      int64_t *least, int64_t *most);

/* Find the gear with the largest inputs. */
unsigned int om_largest(const struct om *om);

/* Get the work memory of the gear that needs the most. */
uint64_t om_work(const struct om *om);

/**
 * struct om_source - a program for a gear
 * @program: the program, as compile_model() makes it
 * @size: its bytes
 */
struct om_source {
	const void *program;
	size_t size;
};

/**
 * struct om_options - the content of a model
 * @kind: enum om_kind
 * @gears: the programs, of the same model
 * @gear_count: their number
 * @name: name of the model; NULL for that of the first program
 * @info: lines of the form KEY=VALUE, or NULL
 * @formats: of the inputs, then the outputs; NULL if all are OM_FORMAT_ND
 * @names: of the inputs, then the outputs; NULL for those of the first program
 * @dims: of the inputs: VNPU_TENSOR_DIMS sizes of each, -1 for those that gears
 *	choose; NULL if those are the ones that differ
 */
struct om_options {
	unsigned int kind;
	const struct om_source *gears;
	unsigned int gear_count;
	const char *name;
	const char *info;
	const uint8_t *formats;
	const char *const *names;
	const int64_t (*dims)[VNPU_TENSOR_DIMS];
};

/**
 * om_write() - make a model of programs
 * @o: the programs, and what is known about them
 * @data: set to the bytes, to be freed by free()
 * @size: set to their number
 * @error: filled with the reason of an error
 *
 * Constants that programs have in common are written once.
 *
 * Return: 0; -EINVAL if the programs do not fit together; -ENOMEM.
 */
int om_write(const struct om_options *o, void **data, size_t *size,
	     struct program_error *error);

#endif
