// SPDX-License-Identifier: MIT
/*
 * Both phases of an operator.
 *
 * An executor has a copy of all arguments: the call, with the addresses of tensors.
 * The second phase adds the address of the workspace, and launches the call.
 */
#include <stdlib.h>
#include <string.h>

#include "launch/operators.h"
#include "build.h"

#define ROOM	2048U

/**
 * struct executor - an operator that is ready to run
 * @op: the operator
 * @is_repeatable: it stays after it has run
 * @parts: for the launch
 * @workspace: bytes of workspace that it needs
 * @place_count: number of places
 * @places: addresses in the call
 * @call: the call; without steps, there is nothing to do
 */
struct executor {
	const struct aclnn_op *op;
	bool is_repeatable;
	uint32_t parts;
	uint64_t workspace;
	uint32_t place_count;
	struct aclnn_place *places;
	struct vnpu_op_call *call;
};

static void executor_free(struct executor *executor)
{
	free(executor->places);
	free(executor->call);
	free(executor);
}

/* Get the kind of object that an argument is a handle of; 0 if it is none. */
static enum aclnn_object object_kind(enum aclnn_kind kind, const char **what)
{
	switch (kind) {
	case ACLNN_TENSOR:
	case ACLNN_OUTPUT:
		*what = "a tensor";
		return ACLNN_OBJECT_TENSOR;
	case ACLNN_TENSORS:
	case ACLNN_OUTPUTS:
		*what = "a list of tensors";
		return ACLNN_OBJECT_TENSORS;
	case ACLNN_SCALAR:
		*what = "a scalar";
		return ACLNN_OBJECT_SCALAR;
	case ACLNN_INTS:
		*what = "an array of integers";
		return ACLNN_OBJECT_INTS;
	default:
		*what = NULL;
		return 0;
	}
}

/* Find the objects of all handles. */
static int resolve(struct aclnn_build *b)
{
	const struct aclnn_op *op = b->op;

	for (unsigned int i = 0; i < op->count && !b->status; i++) {
		const void *handle = b->values[i].p;
		const struct aclnn_tensor *tensor;
		enum aclnn_object kind;
		const char *what;

		kind = object_kind(op->args[i].kind, &what);
		b->object[i] = NULL;
		if (!kind || (!handle && op->args[i].is_optional))
			continue;
		b->object[i] = aclnn_handle_get(kind, handle);
		tensor = b->object[i];
		if (!tensor)
			b->status = aclnn_error_handle(op->name,
				op->args[i].name, handle, what);
		else if (kind == ACLNN_OBJECT_TENSOR)
			aclnn_check(b, i, "", tensor);
	}
	return b->status;
}

static int begin_call(struct aclnn_build *b)
{
	b->call = malloc(ROOM);
	if (!b->call) {
		b->status = aclnn_error(b->op->name, ACLNN_ERR_INNER,
					"no host memory");
		return b->status;
	}
	b->room = ROOM;
	memset(b->call, 0, sizeof(*b->call));
	b->call->size = sizeof(*b->call);
	b->call->version = VNPU_OP_CALL_VERSION;
	strncpy(b->call->name, b->op->name, sizeof(b->call->name) - 1);
	return 0;
}

/* Make an executor, which takes over the call; its handle, or NULL. */
static aclOpExecutor *executor_create(struct aclnn_build *b)
{
	struct executor *executor = malloc(sizeof(*executor));
	aclOpExecutor *handle;

	if (!executor)
		return NULL;
	*executor = (struct executor){
		.op = b->op,
		.parts = b->parts,
		.workspace = b->workspace,
		.place_count = b->place_count,
		.places = b->places,
		.call = b->call,
	};
	handle = aclnn_handle_add(ACLNN_OBJECT_EXECUTOR, executor);
	if (!handle)
		free(executor);
	return handle;
}

aclnnStatus aclnn_prepare(const struct aclnn_op *op,
			  const union aclnn_value *values, uint64_t *workspace,
			  aclOpExecutor **executor)
{
	/* Only what is set is read: the rest is large. */
	struct aclnn_build b;
	aclOpExecutor *handle = NULL;

	if (!workspace || !executor)
		return aclnn_error(op->name, ACLNN_ERR_PARAM_NULLPTR,
				   "%s is NULL", workspace ? "executor" :
							    "workspaceSize");
	b.op = op;
	b.values = values;
	b.status = 0;
	b.call = NULL;
	b.places = NULL;
	b.place_count = b.place_room = 0;
	b.workspace = 0;
	b.parts = 1;
	if (!resolve(&b) && !begin_call(&b))
		op->build(&b);
	if (!b.status) {
		handle = executor_create(&b);
		if (!handle)
			b.status = aclnn_error(op->name, ACLNN_ERR_INNER,
					       "no host memory");
	}
	if (b.status) {
		free(b.places);
		free(b.call);
		return b.status;
	}
	*workspace = b.workspace;
	*executor = handle;
	return ACLNN_SUCCESS;
}

static void set_address(struct executor *executor,
			const struct aclnn_place *place, uint64_t address)
{
	memcpy((char *)executor->call + place->at, &address, sizeof(address));
}

static aclnnStatus check_workspace(const struct executor *executor,
				   const void *workspace, uint64_t size)
{
	if (executor->workspace && !workspace)
		return aclnn_error(executor->op->name, ACLNN_ERR_PARAM_NULLPTR,
				   "workspace is NULL, but %llu bytes are needed",
				   (unsigned long long)executor->workspace);
	if (size < executor->workspace)
		return aclnn_error(executor->op->name, ACLNN_ERR_PARAM_INVALID,
				   "workspaceSize: expected at least %llu, given %llu",
				   (unsigned long long)executor->workspace,
				   (unsigned long long)size);
	return ACLNN_SUCCESS;
}

aclnnStatus aclnn_run(const struct aclnn_op *op, void *workspace,
		      uint64_t size, aclOpExecutor *handle, aclrtStream stream)
{
	struct executor *executor =
		aclnn_handle_get(ACLNN_OBJECT_EXECUTOR, handle);
	aclnnStatus status;

	if (!executor)
		return aclnn_error_handle(op->name, "executor", handle,
					  "an executor");
	if (executor->op != op)
		return aclnn_error(op->name, ACLNN_ERR_PARAM_INVALID,
				   "executor: expected one of %s, given one of %s",
				   op->name, executor->op->name);
	status = check_workspace(executor, workspace, size);
	if (status)
		return status;
	for (uint32_t i = 0; i < executor->place_count; i++)
		if (executor->places[i].arg == ACLNN_WORKSPACE)
			set_address(executor, &executor->places[i],
				    (uintptr_t)workspace +
				    executor->places[i].offset);
	if (executor->call->steps &&
	    vnpu_operator_launch(executor->call, executor->parts, stream))
		status = ACLNN_ERR_RUNTIME_ERROR;
	if (!executor->is_repeatable &&
	    aclnn_handle_take(ACLNN_OBJECT_EXECUTOR, handle))
		executor_free(executor);
	return status;
}

static struct executor *get(const char *name, aclOpExecutor *handle,
			    aclnnStatus *status)
{
	struct executor *executor =
		aclnn_handle_get(ACLNN_OBJECT_EXECUTOR, handle);

	*status = executor ? ACLNN_SUCCESS :
			     aclnn_error_handle(name, "executor", handle,
						"an executor");
	return executor;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
	aclnnStatus status;
	struct executor *own = get(__func__, executor, &status);

	if (own)
		own->is_repeatable = true;
	return status;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
	struct executor *own =
		aclnn_handle_take(ACLNN_OBJECT_EXECUTOR, executor);

	if (!own)
		return aclnn_error_handle(__func__, "executor", executor,
					  "an executor");
	executor_free(own);
	return ACLNN_SUCCESS;
}

#define INPUTS	1U
#define OUTPUTS	2U

/* Find argument number @index among those of these kinds; -1 without one. */
static int find_arg(const struct aclnn_op *op, size_t index,
		    unsigned int kinds)
{
	for (unsigned int i = 0; i < op->count; i++) {
		enum aclnn_kind kind = op->args[i].kind;
		bool is_input = kind == ACLNN_TENSOR || kind == ACLNN_TENSORS;
		bool is_output = kind == ACLNN_OUTPUT || kind == ACLNN_OUTPUTS;

		if ((!is_input || !(kinds & INPUTS)) &&
		    (!is_output || !(kinds & OUTPUTS)))
			continue;
		if (!index--)
			return i;
	}
	return -1;
}

static aclnnStatus change(const char *name, aclOpExecutor *handle,
			  unsigned int kinds, size_t index, size_t member,
			  const void *object, const void *address)
{
	aclnnStatus status;
	struct executor *executor = get(name, handle, &status);
	int arg;

	if (!executor)
		return status;
	if (!object)
		return aclnn_error(name, ACLNN_ERR_PARAM_NULLPTR,
				   "the tensor or list is NULL");
	arg = find_arg(executor->op, index, kinds);
	if (arg < 0)
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "%s has no such tensor with the index %zu",
				   executor->op->name, index);
	if (!executor->is_repeatable)
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "the executor of %s is not repeatable; call aclSetAclOpExecutorRepeatable() first",
				   executor->op->name);
	for (uint32_t i = 0; i < executor->place_count; i++)
		if (executor->places[i].arg == arg &&
		    executor->places[i].member == member)
			set_address(executor, &executor->places[i],
				    (uintptr_t)address);
	return ACLNN_SUCCESS;
}

aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index,
			     aclTensor *tensor, void *addr)
{
	return change(__func__, executor, INPUTS | OUTPUTS, index, 0, tensor,
		      addr);
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index,
				  aclTensor *tensor, void *addr)
{
	return change(__func__, executor, INPUTS, index, 0, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index,
				   aclTensor *tensor, void *addr)
{
	return change(__func__, executor, OUTPUTS, index, 0, tensor, addr);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex,
				    const size_t relativeIndex,
				    aclTensorList *tensors, void *addr)
{
	return change(__func__, executor, INPUTS | OUTPUTS, irIndex,
		      relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor,
					 size_t irIndex,
					 const size_t relativeIndex,
					 aclTensorList *tensors, void *addr)
{
	return change(__func__, executor, INPUTS, irIndex, relativeIndex,
		      tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor,
					  size_t irIndex,
					  const size_t relativeIndex,
					  aclTensorList *tensors, void *addr)
{
	return change(__func__, executor, OUTPUTS, irIndex, relativeIndex,
		      tensors, addr);
}

aclnnStatus aclnnInit(const char *configPath)
{
	(void)configPath;
	return ACLNN_SUCCESS;
}

aclnnStatus aclnnFinalize(void)
{
	return ACLNN_SUCCESS;
}

static aclnnStatus weight_size(const char *name, const aclIntArray *handle,
			       uint64_t *size)
{
	const struct aclnn_array *shape =
		aclnn_handle_get(ACLNN_OBJECT_INTS, handle);
	uint64_t elements = 1;

	if (!shape)
		return aclnn_error_handle(name, "tensorShape", handle,
					  "an array of integers");
	if (!size)
		return aclnn_error(name, ACLNN_ERR_PARAM_NULLPTR,
				   "weightTensorSize is NULL");
	for (uint64_t i = 0; i < shape->size; i++)
		if (shape->i[i] < 0 ||
		    __builtin_mul_overflow(elements, shape->i[i], &elements))
			return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
					   "tensorShape: a size is negative, or there are too many elements");
	*size = elements;
	return ACLNN_SUCCESS;
}

aclnnStatus aclnnCalculateMatmulWeightSize(const aclIntArray *tensorShape,
					   uint64_t *weightTensorSize)
{
	return weight_size(__func__, tensorShape, weightTensorSize);
}

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray *tensorShape,
					     aclDataType dataType,
					     uint64_t *weightTensorSize)
{
	(void)dataType;
	return weight_size(__func__, tensorShape, weightTensorSize);
}
