// SPDX-License-Identifier: MIT
/* Other addresses for the tensors of an executor that is repeatable. */
#include <string.h>

#include "executor.h"

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
	enum aclnn_object object = aclnn_object_kind(kind, &what);
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
			aclnn_address_set(executor->call, &place[i], address);
	aclnn_collective_move(&executor->collective, arg, address);
	return ACLNN_SUCCESS;
}

static aclnnStatus change_locked(const char *name, aclOpExecutor *handle,
				 unsigned int kinds, size_t index,
				 size_t member, const void *object,
				 const void *address)
{
	bool is_member = kinds & MEMBERS;
	aclnnStatus status;
	struct executor *executor = aclnn_executor_get(name, handle, &status);
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
