/* SPDX-License-Identifier: MIT */
/*
 * A single operator, as aclop*() describe one: its type, tensors and attributes.
 *
 * libvnpu has the calls and the objects, since programs link nothing but
 * -lascendcl for them.  libvnpu-op has the operators.  It is above libvnpu, and
 * only programs that run operators load it: the first of these calls opens it.
 * Both are of the same version.
 */
#ifndef VNPU_LIB_SINGLE_H
#define VNPU_LIB_SINGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"

#define VNPU_SINGLE_DIMS	8
#define VNPU_SINGLE_TENSORS	64

/**
 * struct vnpu_single_tensor - a tensor of contiguous elements
 * @type: type of its elements; ACL_DT_UNDEFINED if it is absent
 * @format: layout
 * @rank: number of dimensions
 * @dims: their sizes
 * @data: address of the device
 * @size: bytes at that address
 */
struct vnpu_single_tensor {
	aclDataType type;
	aclFormat format;
	uint32_t rank;
	int64_t dims[VNPU_SINGLE_DIMS];
	void *data;
	size_t size;
};

enum vnpu_attr_kind {
	VNPU_ATTR_INTS = 1,
	VNPU_ATTR_FLOATS,
	VNPU_ATTR_TEXTS,
	VNPU_ATTR_LISTS,
};

/**
 * struct vnpu_attr - an attribute
 * @next: the next one
 * @name: its name
 * @kind: type of its values; truth values and types of elements are integers
 * @is_list: it has any number of values, else 1
 * @count: the number of values; of lists, that of the words in @i
 * @i: integers; of lists, for each its length and then its values
 * @f: numbers
 * @text: texts
 */
struct vnpu_attr {
	struct vnpu_attr *next;
	char *name;
	enum vnpu_attr_kind kind;
	bool is_list;
	uint64_t count;
	union {
		int64_t *i;
		float *f;
		char **text;
	};
};

/**
 * struct vnpu_single - a single operator
 * @type: its type
 * @inputs: number of inputs
 * @outputs: number of outputs
 * @input: the inputs
 * @output: the outputs
 * @attr: the first attribute, or NULL
 */
struct vnpu_single {
	const char *type;
	uint32_t inputs;
	uint32_t outputs;
	const struct vnpu_single_tensor *input;
	const struct vnpu_single_tensor *output;
	const struct vnpu_attr *attr;
};

/*
 * Functions of libvnpu-op.  The first one launches an operator in stream order; the
 * second one finds its errors, and launches nothing: addresses may be NULL.
 * Return: 0, or an error that was reported.
 */
typedef aclError (*vnpu_single_fn)(const struct vnpu_single *op, void *stream);

/*
 * The third one sets the ranks and sizes of the outputs, which @output names again,
 * to those that the inputs and attributes determine.  Return: as the others.
 */
typedef aclError (*vnpu_single_infer_fn)(const struct vnpu_single *op,
					 struct vnpu_single_tensor *output);

#define VNPU_SINGLE_LIBRARY	"libvnpu-op.so.1"
#define VNPU_SINGLE_EXECUTE	"vnpu_single_execute"
#define VNPU_SINGLE_CHECK	"vnpu_single_check"
#define VNPU_SINGLE_INFER	"vnpu_single_infer"

#endif /* VNPU_LIB_SINGLE_H */
