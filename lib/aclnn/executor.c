// SPDX-License-Identifier: MIT
/*
 * Both phases of an operator.
 *
 * An executor has a copy of all arguments: the call, with the addresses of tensors.
 * The second phase copies the call, adds the address of the workspace, and launches
 * it.  Executors are used under a lock, but launches may wait, and do without it.
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
	case ACLNN_BOOLS:
		*what = "an array of truth values";
		return ACLNN_OBJECT_BOOLS;
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

		if (op->args[i].kind == ACLNN_TEXT && !handle)
			b->status = aclnn_error_handle(op->name,
				op->args[i].name, NULL, "a text");
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
		b->status = aclnn_error_memory(b->op->name);
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
			b.status = aclnn_error_memory(op->name);
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

static void set_address(struct vnpu_op_call *call,
			const struct aclnn_place *place, uint64_t address)
{
	memcpy((char *)call + place->at, &address, sizeof(address));
}

static aclnnStatus check_workspace(const struct executor *executor,
				   const void *workspace, uint64_t size)
{
	if (!executor->workspace)
		return ACLNN_SUCCESS;
	if (!workspace)
		return aclnn_error(executor->op->name, ACLNN_ERR_PARAM_NULLPTR,
				   "workspace is NULL, but %llu bytes are needed",
				   (unsigned long long)executor->workspace);
	if (size < executor->workspace)
		return aclnn_error(executor->op->name, ACLNN_ERR_PARAM_INVALID,
				   "workspaceSize: expected at least %llu, given %llu",
				   (unsigned long long)executor->workspace,
				   (unsigned long long)size);
	if ((uintptr_t)workspace % sizeof(uint64_t))
		return aclnn_error(executor->op->name, ACLNN_ERR_PARAM_INVALID,
				   "workspace: expected a multiple of %zu, given %p",
				   sizeof(uint64_t), workspace);
	return ACLNN_SUCCESS;
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

/*
 * Get the call of an executor, and its parts.  The call is a copy, as other
 * threads may use or change the executor, if it stays.
 */
static struct vnpu_op_call *get_call_locked(const struct aclnn_op *op,
					    void *workspace, uint64_t size,
					    aclOpExecutor *handle,
					    uint32_t *parts,
					    aclnnStatus *status)
{
	struct executor *executor = get(op->name, handle, status);
	struct vnpu_op_call *call;

	if (!executor)
		return NULL;
	if (executor->op != op) {
		*status = aclnn_error(op->name, ACLNN_ERR_PARAM_INVALID,
				      "executor: it belongs to %s",
				      executor->op->name);
		return NULL;
	}
	*status = check_workspace(executor, workspace, size);
	if (*status)
		return NULL;
	call = malloc(executor->call->size);
	if (!call) {
		*status = aclnn_error_memory(op->name);
		return NULL;
	}
	memcpy(call, executor->call, executor->call->size);
	for (uint32_t i = 0; i < executor->place_count; i++)
		if (executor->places[i].arg == ACLNN_WORKSPACE)
			set_address(call, &executor->places[i],
				    (uintptr_t)workspace +
				    executor->places[i].offset);
	*parts = executor->parts;
	if (!executor->is_repeatable) {
		aclnn_handle_take(ACLNN_OBJECT_EXECUTOR, handle);
		executor_free(executor);
	}
	return call;
}

aclnnStatus aclnn_run(const struct aclnn_op *op, void *workspace,
		      uint64_t size, aclOpExecutor *handle, aclrtStream stream)
{
	struct vnpu_op_call *call;
	aclnnStatus status;
	uint32_t parts;

	aclnn_executors_lock();
	call = get_call_locked(op, workspace, size, handle, &parts, &status);
	aclnn_executors_unlock();
	if (!call)
		return status;
	if (call->steps && vnpu_operator_launch(call, parts, stream))
		status = ACLNN_ERR_RUNTIME_ERROR;
	free(call);
	return status;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
	aclnnStatus status;
	struct executor *own;

	aclnn_executors_lock();
	own = get(__func__, executor, &status);
	if (own)
		own->is_repeatable = true;
	aclnn_executors_unlock();
	return status;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
	struct executor *own;

	aclnn_executors_lock();
	own = aclnn_handle_take(ACLNN_OBJECT_EXECUTOR, executor);
	aclnn_executors_unlock();
	if (!own)
		return aclnn_error_handle(__func__, "executor", executor,
					  "an executor");
	executor_free(own);
	return ACLNN_SUCCESS;
}

#define INPUTS	1U
#define OUTPUTS	2U
#define MEMBERS	4U

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

/* Check that the object is what the argument is: a tensor, or a list. */
static aclnnStatus check_object(const char *name, enum aclnn_kind kind,
				bool is_member, size_t member,
				const void *handle)
{
	const struct aclnn_array *list;
	const char *what;
	enum aclnn_object object = object_kind(kind, &what);
	bool is_list = object == ACLNN_OBJECT_TENSORS;

	list = aclnn_handle_get(object, handle);
	if (!list)
		return aclnn_error_handle(name, "the argument", handle, what);
	if (is_list != is_member)
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "the argument is %s", what);
	if (is_list && member >= list->size)
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "expected a member below %llu, given %zu",
				   (unsigned long long)list->size, member);
	return ACLNN_SUCCESS;
}

/* Check that an address is aligned for the view at a place. */
static aclnnStatus check_address(const char *name,
				 const struct executor *executor,
				 const struct aclnn_place *place,
				 uint64_t address)
{
	struct vnpu_tensor view;
	unsigned int bytes;

	memcpy(&view, (char *)executor->call + place->at -
		      offsetof(struct vnpu_tensor, data), sizeof(view));
	bytes = vnpu_dtype_bits(view.dtype) / 8;
	if (bytes && address % bytes)
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "addr: expected a multiple of %u, given %#llx",
				   bytes, (unsigned long long)address);
	return ACLNN_SUCCESS;
}

/* Set the addresses of an argument, or of a member of it: all, or none. */
static aclnnStatus set_addresses(const char *name, struct executor *executor,
				 int arg, size_t member, uint64_t address)
{
	const struct aclnn_place *place = executor->places;
	aclnnStatus status;
	uint32_t i;

	for (i = 0; i < executor->place_count; i++) {
		if (place[i].arg != arg || place[i].member != member)
			continue;
		status = check_address(name, executor, &place[i], address);
		if (status)
			return status;
	}
	for (i = 0; i < executor->place_count; i++)
		if (place[i].arg == arg && place[i].member == member)
			set_address(executor->call, &place[i], address);
	return ACLNN_SUCCESS;
}

static aclnnStatus change_locked(const char *name, aclOpExecutor *handle,
				 unsigned int kinds, size_t index,
				 size_t member, const void *object,
				 const void *address)
{
	bool is_member = kinds & MEMBERS;
	aclnnStatus status;
	struct executor *executor = get(name, handle, &status);
	int arg;

	if (!executor)
		return status;
	arg = find_arg(executor->op, index, kinds);
	if (arg < 0)
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "%s has no such tensor with the index %zu",
				   executor->op->name, index);
	status = check_object(name, executor->op->args[arg].kind, is_member,
			      member, object);
	if (status)
		return status;
	if (!executor->is_repeatable)
		return aclnn_error(name, ACLNN_ERR_PARAM_INVALID,
				   "the executor of %s is not repeatable; call aclSetAclOpExecutorRepeatable() first",
				   executor->op->name);
	return set_addresses(name, executor, arg, member, (uintptr_t)address);
}

static aclnnStatus change(const char *name, aclOpExecutor *handle,
			  unsigned int kinds, size_t index, size_t member,
			  const void *object, const void *address)
{
	aclnnStatus status;

	aclnn_executors_lock();
	status = change_locked(name, handle, kinds, index, member, object,
			       address);
	aclnn_executors_unlock();
	return status;
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
	return change(__func__, executor, INPUTS | OUTPUTS | MEMBERS, irIndex,
		      relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor,
					 size_t irIndex,
					 const size_t relativeIndex,
					 aclTensorList *tensors, void *addr)
{
	return change(__func__, executor, INPUTS | MEMBERS, irIndex,
		      relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor,
					  size_t irIndex,
					  const size_t relativeIndex,
					  aclTensorList *tensors, void *addr)
{
	return change(__func__, executor, OUTPUTS | MEMBERS, irIndex,
		      relativeIndex, tensors, addr);
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
