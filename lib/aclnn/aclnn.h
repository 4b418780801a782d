/* SPDX-License-Identifier: MIT */
/*
 * libvnpu-op: the operators of aclnn.
 *
 *	handle.c	handles of the objects below
 *	tensor.c	tensors
 *	array.c		scalars, arrays and lists
 *	executor.c	both phases of an operator, and executors
 *	address.c	other addresses for executors
 *	describe.c	descriptions of operators as JSON
 *	collective.c	exchanges between the ranks of a communicator
 *	library.c	functions that concern neither
 *	call.c		the call of lib/ops that an executor holds
 *	build*.c	from the arguments of an operator to its call
 *	table/		the operators; generate.awk makes headers and functions
 *	single.c	operators by type and attributes: aclop
 *	single_table.c	their types
 *	single_gemm.c	an operator that is none of aclnn
 *
 * libvnpu launches the call, and keeps the messages of errors.
 */
#ifndef ACLNN_H
#define ACLNN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aclnn/aclnn_base.h"
#include "ops/call.h"

enum aclnn_object {
	ACLNN_OBJECT_TENSOR = 1,
	ACLNN_OBJECT_SCALAR,
	ACLNN_OBJECT_INTS,
	ACLNN_OBJECT_FLOATS,
	ACLNN_OBJECT_BOOLS,
	ACLNN_OBJECT_TENSORS,
	ACLNN_OBJECT_SCALARS,
	ACLNN_OBJECT_EXECUTOR,
};

/**
 * struct aclnn_tensor - a tensor
 * @view: for the engine; its type is VNPU_DT_NONE if the engine lacks it
 * @half: the first half of each element, at the address of @view, for types that
 *	some operators take apart: complex ones, and integers of 64 bits; for others,
 *	its type is VNPU_DT_NONE
 * @dtype: type of the elements
 * @format: layout
 * @storage_rank: number of dimensions of the storage
 * @storage: their sizes
 */
struct aclnn_tensor {
	struct vnpu_tensor view;
	struct vnpu_tensor half;
	aclDataType dtype;
	aclFormat format;
	uint32_t storage_rank;
	int64_t storage[VNPU_TENSOR_DIMS];
};

/**
 * struct aclnn_scalar - a scalar
 * @dtype: its type
 * @is_float: @f is its value, else @i
 * @i: the value as an integer
 * @f: the value as a number
 */
struct aclnn_scalar {
	aclDataType dtype;
	bool is_float;
	int64_t i;
	double f;
};

/**
 * struct aclnn_array - an array, or a list of handles
 * @size: number of elements
 * @i: the elements of an array of integers
 * @f: of numbers
 * @b: of truth values
 * @handle: of a list
 */
struct aclnn_array {
	uint64_t size;
	union {
		int64_t i[0];
		float f[0];
		bool b[0];
		const void *handle[0];
	};
};

/* handle.c */

/* Add an object that malloc() allocated; return its handle, or NULL. */
void *aclnn_handle_add(enum aclnn_object kind, void *object);

/* Get the object of a handle, or NULL. */
void *aclnn_handle_get(enum aclnn_object kind, const void *handle);

/* Remove a handle, and return its object, or NULL. */
void *aclnn_handle_remove(enum aclnn_object kind, const void *handle);

/* Take the lock under which executors are used, changed and removed. */
void aclnn_executors_lock(void);
void aclnn_executors_unlock(void);

/* Report an error; @name is the function, or the operator. */
aclnnStatus aclnn_error(const char *name, aclnnStatus status,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Report that there is no memory. */
aclnnStatus aclnn_error_memory(const char *name);

/* Report an invalid handle, which may be NULL. */
aclnnStatus aclnn_error_handle(const char *name, const char *argument,
			       const void *handle, const char *what);

/*
 * The description of operators
 */

enum aclnn_kind {
	ACLNN_TENSOR,
	ACLNN_OUTPUT,
	ACLNN_TENSORS,
	ACLNN_OUTPUTS,
	ACLNN_SCALAR,
	ACLNN_INTS,
	ACLNN_BOOLS,
	ACLNN_INT,
	ACLNN_FLOAT,
	ACLNN_TEXT,
};

/**
 * struct aclnn_arg - a parameter of an operator
 * @name: its name
 * @kind: its type
 * @is_optional: it may be NULL
 * @takes_halves: the operator also takes types of which the engine has the halves
 *	alone
 */
struct aclnn_arg {
	const char *name;
	enum aclnn_kind kind;
	bool is_optional;
	bool takes_halves;
};

/* An argument as a program passes it. */
union aclnn_value {
	const void *p;
	int64_t i;
	double f;
};

struct aclnn_build;

#define ACLNN_ARGS	48

/**
 * struct aclnn_op - an operator
 * @name: its name
 * @args: its parameters
 * @count: their number
 * @build: append the steps of the call; 0, or a status that was reported
 * @engine: for aclnn_build_recipe(): enum vnpu_op
 * @inputs: number of its inputs
 * @outputs: number of its outputs
 * @params: number of parameters that are set
 * @input: the arguments that are inputs
 * @output: the arguments that are outputs
 * @param: parameters of the engine's operator: the argument, or -1 and a value
 */
struct aclnn_op {
	const char *name;
	const struct aclnn_arg *args;
	uint8_t count;
	int (*build)(struct aclnn_build *b);
	uint16_t engine;
	uint8_t inputs;
	uint8_t outputs;
	uint8_t params;
	uint8_t input[8];
	uint8_t output[4];
	struct {
		const char *name;
		int8_t arg;
		double value;
	} param[8];
};

/* executor.c */

/* The first function of an operator: check the arguments, make an executor. */
aclnnStatus aclnn_prepare(const struct aclnn_op *op,
			  const union aclnn_value *values, uint64_t *workspace,
			  aclOpExecutor **executor);

/* The second function of an operator: launch it. */
aclnnStatus aclnn_run(const struct aclnn_op *op, void *workspace,
		      uint64_t size, aclOpExecutor *handle, aclrtStream stream);

#endif /* ACLNN_H */
