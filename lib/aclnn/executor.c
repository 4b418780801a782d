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

#include "dump/args.h"
#include "launch/operators.h"
#include "build.h"
#include "describe.h"
#include "executor.h"

#define ROOM	2048U

static void executor_free(struct executor *executor)
{
	free(executor->places);
	free(executor->call);
	free(executor);
}

enum aclnn_object aclnn_object_kind(enum aclnn_kind kind, const char **what)
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
		kind = aclnn_object_kind(op->args[i].kind, &what);
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
		.counted = { b->counted[0], b->counted[1] },
		.count_at = b->count_at,
		.collective = b->collective,
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
	/*
	 * Not initialised as a whole, since it is large: only members that were
	 * set are read.
	 */
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
	b.counted[0] = b.counted[1] = NULL;
	b.parts = 1;
	b.collective = (struct aclnn_collective){ .kind = ACLNN_NO_EXCHANGE };
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
	if (__builtin_expect(vnpu_dump_args_wanted(), 0))
		aclnn_describe(&b);
	*workspace = b.workspace;
	*executor = handle;
	return ACLNN_SUCCESS;
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

struct executor *aclnn_executor_get(const char *name, aclOpExecutor *handle,
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
 * Get the call of an executor, and copy its other properties to @run.  If the
 * executor stays, the call is a copy, as other threads may use or change the
 * executor.
 */
static struct vnpu_op_call *get_call_locked(const struct aclnn_op *op,
					    void *workspace, uint64_t size,
					    aclOpExecutor *handle,
					    struct executor *run,
					    aclnnStatus *status)
{
	struct executor *executor =
		aclnn_executor_get(op->name, handle, status);
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
			aclnn_address_set(call, &executor->places[i],
					  (uintptr_t)workspace +
					  executor->places[i].offset);
	*run = *executor;
	aclnn_collective_move(&run->collective, ACLNN_WORKSPACE,
			      (uintptr_t)workspace);
	if (!executor->is_repeatable) {
		aclnn_handle_remove(ACLNN_OBJECT_EXECUTOR, handle);
		executor_free(executor);
	}
	return call;
}

/*
 * Wait for the number of elements that the device found, and set the size to
 * it.
 */
static aclnnStatus take_count(const struct executor *run, const void *workspace,
			      aclrtStream stream)
{
	const char *from = (const char *)workspace + run->count_at;
	struct aclnn_tensor *tensor;
	int64_t count;

	if (aclrtSynchronizeStream(stream) ||
	    aclrtMemcpy(&count, sizeof(count), from, sizeof(count),
			ACL_MEMCPY_DEVICE_TO_HOST))
		return ACLNN_ERR_RUNTIME_ERROR;
	for (unsigned int i = 0; i < 2; i++) {
		tensor = aclnn_handle_get(ACLNN_OBJECT_TENSOR, run->counted[i]);
		if (tensor)
			tensor->view.dims[0] = count;
	}
	return ACLNN_SUCCESS;
}

aclnnStatus aclnn_run(const struct aclnn_op *op, void *workspace,
		      uint64_t size, aclOpExecutor *handle, aclrtStream stream)
{
	struct vnpu_op_call *call;
	struct executor run;
	aclnnStatus status;

	aclnn_executors_lock();
	call = get_call_locked(op, workspace, size, handle, &run, &status);
	aclnn_executors_unlock();
	if (!call)
		return status;
	if (run.collective.kind == ACLNN_ALL_GATHER)
		status = aclnn_collective_run(&run.collective, op->name, stream);
	if (!status && call->steps &&
	    vnpu_operator_launch(call, run.parts, stream))
		status = ACLNN_ERR_RUNTIME_ERROR;
	free(call);
	if (!status && run.collective.kind > ACLNN_ALL_GATHER)
		status = aclnn_collective_run(&run.collective, op->name, stream);
	return status || !run.counted[0] ? status :
					take_count(&run, workspace, stream);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
	aclnnStatus status;
	struct executor *own;

	aclnn_executors_lock();
	own = aclnn_executor_get(__func__, executor, &status);
	if (own)
		own->is_repeatable = true;
	aclnn_executors_unlock();
	return status;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
	struct executor *own;

	aclnn_executors_lock();
	own = aclnn_handle_remove(ACLNN_OBJECT_EXECUTOR, executor);
	aclnn_executors_unlock();
	if (!own)
		return aclnn_error_handle(__func__, "executor", executor,
					  "an executor");
	executor_free(own);
	return ACLNN_SUCCESS;
}
