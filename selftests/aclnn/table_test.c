// SPDX-License-Identifier: GPL-2.0-only
/* The tables of operators. */
#include "aclnn_test.h"
#include "builders.h"
#include "single.h"

static bool has_param(const struct aclnn_op *op, unsigned int number)
{
	if (vnpu_op_find_param(op->engine, op->param[number].name, NULL) >= 0)
		return true;
	note("%s: there is no parameter %s", op->name, op->param[number].name);
	return false;
}

/* Each argument is used, or is one that has no effect here. */
static bool is_used(const struct aclnn_op *op, unsigned int arg)
{
	static const char *const without[] = {
		"dtype", "cubeMathType", "selfIsResult", "stable", "sorted",
		"outputSize", "outInt32", "compute_mode", "scales", "scalesD", "scalesH", "scalesW",
		"scaleL", "buffer",
	};

	for (unsigned int i = 0; i < op->inputs; i++)
		if (op->input[i] == arg)
			return true;
	for (unsigned int i = 0; i < op->outputs; i++)
		if (op->output[i] == arg)
			return true;
	for (unsigned int i = 0; i < op->params; i++)
		if (op->param[i].arg == (int)arg)
			return true;
	for (unsigned int i = 0; i < ARRAY_SIZE(without); i++)
		if (!strcmp(without[i], op->args[arg].name))
			return true;
	note("%s: %s has no effect", op->name, op->args[arg].name);
	return false;
}

static bool recipes(void)
{
	bool is_ok = aclnn_op_count > 380;

	for (unsigned int n = 0; n < aclnn_op_count; n++) {
		const struct aclnn_op *op = aclnn_ops[n];

		EXPECT(op->count <= ACLNN_ARGS);
		EXPECT(op->outputs <= ARRAY_SIZE(op->output));
		if (op->build != aclnn_build_recipe)
			continue;
		for (unsigned int i = 0; i < op->params; i++)
			is_ok &= has_param(op, i);
		for (unsigned int i = 0; i < op->count; i++)
			is_ok &= is_used(op, i);
	}
	return is_ok;
}

/* Values for the arguments of an operator that are no tensors. */
static union aclnn_value value_of(const struct aclnn_arg *arg,
				  const aclIntArray *list,
				  const aclBoolArray *flags, const char *text)
{
	union aclnn_value value = { .i = 0 };

	if (arg->kind == ACLNN_SCALAR)
		value.p = whole(1);
	else if (arg->kind == ACLNN_INTS)
		value.p = list;
	else if (arg->kind == ACLNN_BOOLS)
		value.p = flags;
	else if (arg->kind == ACLNN_TEXT)
		value.p = text;
	else if (arg->kind == ACLNN_FLOAT)
		value.f = 0.5;
	else
		value.i = 0;
	return value;
}

static uint32_t storage[2][256];

/* Call an operator with tensors of a type, in both phases. */
static void call(const struct aclnn_op *op, aclDataType dtype,
		 unsigned int rank)
{
	static const int64_t dims[] = { 2, 3, 4 };
	const aclTensorList *lists[ACLNN_ARGS] = { NULL };
	aclIntArray *empty = aclCreateIntArray(dims, 0);
	aclBoolArray *flags = aclCreateBoolArray((bool[]){ 1, 1, 1 }, 3);
	union aclnn_value values[ACLNN_ARGS];
	const aclTensor *members[2];
	aclOpExecutor *executor;
	uint64_t size;
	void *space;

	for (unsigned int i = 0; i < op->count; i++) {
		enum aclnn_kind kind = op->args[i].kind;
		bool is_output = kind == ACLNN_OUTPUT || kind == ACLNN_OUTPUTS;

		if (kind == ACLNN_TENSOR || kind == ACLNN_OUTPUT) {
			values[i].p = tensor(dtype, storage[is_output], rank,
					     dims);
		} else if (kind == ACLNN_TENSORS || kind == ACLNN_OUTPUTS) {
			for (unsigned int m = 0; m < 2; m++)
				members[m] = tensor(dtype, storage[is_output],
						    rank, dims);
			lists[i] = aclCreateTensorList(members, 2);
			values[i].p = lists[i];
		} else {
			values[i] = value_of(&op->args[i],
					     rank % 2 ? LIST(0) : empty,
					     flags, rank % 2 ? NULL : "BSND");
		}
	}
	if (!aclnn_prepare(op, values, &size, &executor)) {
		space = aligned_alloc(64, size + 64);
		aclnn_run(op, space, size, executor, NULL);
		free(space);
	}
	for (unsigned int i = 0; i < op->count; i++)
		if (lists[i])
			aclDestroyTensorList(lists[i]);
	aclDestroyIntArray(empty);
	aclDestroyBoolArray(flags);
	forget();
}

/*
 * Most of these calls are errors.  None may do more than that, with any
 * type and number of dimensions.
 */
static bool anything(void)
{
	static const aclDataType types[] = {
		ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8,
		ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL, ACL_INT4,
		ACL_UINT64, ACL_COMPLEX64, ACL_COMPLEX128,
	};
	unsigned int before = launches;

	for (unsigned int n = 0; n < aclnn_op_count; n++)
		for (unsigned int t = 0; t < ARRAY_SIZE(types); t++)
			for (unsigned int rank = 0; rank <= 3; rank++) {
				memset(storage, 0, sizeof(storage));
				call(aclnn_ops[n], types[t], rank);
			}
	EXPECT(launches - before > 2000);
	return true;
}

const struct test table_tests[] = {
	{ "recipes name existing operators, and use all arguments", recipes },
	{ "operators take or refuse any tensors", anything },
	{ 0 }
};
