// SPDX-License-Identifier: GPL-2.0-only
/* Tensors, scalars, arrays, lists and executors. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aclnn_test.h"
#include "aclnn/aclnn.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_relu.h"

static bool tensor_properties(void)
{
	const int64_t dims[] = { 2, 3 }, strides[] = { 1, 2 }, size = 10;
	int64_t *got, offset;
	uint64_t count;
	aclFormat format;
	aclDataType dtype;
	aclTensor *t;
	void *addr;
	float data[10];

	t = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 4, ACL_FORMAT_NCHW,
			    &size, 1, data);
	EXPECT(t);
	EXPECT(!aclGetViewShape(t, &got, &count));
	EXPECT(count == 2 && got[0] == 2 && got[1] == 3);
	free(got);
	EXPECT(!aclGetViewStrides(t, &got, &count));
	EXPECT(count == 2 && got[0] == 1 && got[1] == 2);
	free(got);
	EXPECT(!aclGetStorageShape(t, &got, &count));
	EXPECT(count == 1 && got[0] == 10);
	free(got);
	EXPECT(!aclGetViewOffset(t, &offset) && offset == 4);
	EXPECT(!aclGetFormat(t, &format) && format == ACL_FORMAT_NCHW);
	EXPECT(!aclGetDataType(t, &dtype) && dtype == ACL_FLOAT);
	EXPECT(!aclGetRawTensorAddr(t, &addr) && addr == data);
	EXPECT(!aclSetRawTensorAddr(t, data + 1));
	EXPECT(!aclGetRawTensorAddr(t, &addr) && addr == data + 1);
	EXPECT(!aclInitTensor(t, NULL, 0, ACL_INT64, NULL, 0, ACL_FORMAT_ND,
			      NULL, 0, data));
	EXPECT(!aclGetViewShape(t, &got, &count) && !count && !got);
	EXPECT(!aclGetDataType(t, &dtype) && dtype == ACL_INT64);
	EXPECT(!aclDestroyTensor(t));
	EXPECT(aclDestroyTensor(t) == ACLNN_ERR_PARAM_INVALID);
	EXPECT(aclGetViewOffset(t, &offset) == ACLNN_ERR_PARAM_INVALID);
	EXPECT(aclGetViewOffset(NULL, &offset) == ACLNN_ERR_PARAM_NULLPTR);
	return true;
}

static bool tensors_refused(void)
{
	const int64_t many[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 }, minus = -1;
	const int64_t huge[] = { INT64_MAX, 3 };
	float data;

	EXPECT(!aclCreateTensor(many, 9, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND,
				many, 1, &data));
	EXPECT(!aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND,
				many, 1, &data));
	EXPECT(!aclCreateTensor(many, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND,
				&minus, 1, &data));
	EXPECT(!aclCreateTensor(many, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND,
				huge, 2, &data));
	EXPECT(!strcmp(last_name, "aclCreateTensor"));
	return true;
}

static bool array_sizes(void)
{
	const int64_t i[] = { 1, 2, 3 };
	const float f[] = { 1, 2 };
	const bool b[] = { true };
	aclIntArray *ia = aclCreateIntArray(i, 3);
	aclFloatArray *fa = aclCreateFloatArray(f, 2);
	aclBoolArray *ba = aclCreateBoolArray(b, 1);
	uint64_t size;

	EXPECT(!aclGetIntArraySize(ia, &size) && size == 3);
	EXPECT(!aclGetFloatArraySize(fa, &size) && size == 2);
	EXPECT(!aclGetBoolArraySize(ba, &size) && size == 1);
	EXPECT(aclGetIntArraySize((aclIntArray *)fa, &size));
	EXPECT(!aclCreateIntArray(NULL, 2));
	EXPECT(!aclDestroyIntArray(ia) && !aclDestroyFloatArray(fa) &&
	       !aclDestroyBoolArray(ba));
	EXPECT(aclDestroyIntArray(ia));
	return true;
}

static bool list_owns_members(void)
{
	const int64_t dim = 1;
	float data = 1;
	aclTensor *t = aclCreateTensor(&dim, 1, ACL_FLOAT, NULL, 0,
				       ACL_FORMAT_ND, &dim, 1, &data);
	aclScalar *s = aclCreateScalar(&data, ACL_FLOAT);
	const aclTensor *const tensors[] = { t };
	const aclScalar *const scalars[] = { s };
	aclTensorList *tl = aclCreateTensorList(tensors, 1);
	aclScalarList *sl = aclCreateScalarList(scalars, 1);
	uint64_t size;

	EXPECT(!aclGetTensorListSize(tl, &size) && size == 1);
	EXPECT(!aclGetScalarListSize(sl, &size) && size == 1);
	EXPECT(!aclDestroyTensorList(tl) && !aclDestroyScalarList(sl));
	EXPECT(aclDestroyTensor(t) && aclDestroyScalar(s));
	EXPECT(!aclCreateTensorList(tensors, 1));
	return true;
}

static bool handles_reused(void)
{
	aclScalar *first, *second;
	float value = 1;

	for (unsigned int i = 0; i < 100000; i++) {
		first = aclCreateScalar(&value, ACL_FLOAT);
		EXPECT(first && !aclDestroyScalar(first));
	}
	second = aclCreateScalar(&value, ACL_FLOAT);
	EXPECT(first != second);
	EXPECT(aclDestroyScalar(first) == ACLNN_ERR_PARAM_INVALID);
	EXPECT(!aclDestroyScalar(second));
	EXPECT(aclDestroyScalar((aclScalar *)&value));
	EXPECT(aclDestroyScalar((aclScalar *)-1));
	return true;
}

/* The objects of an operator are no longer needed after the first phase. */
static bool executor_owns(void)
{
	float a[] = { 1, 2 }, c[] = { 10, 20 }, out[2] = { 0 };
	aclOpExecutor *executor;
	uint64_t size;

	EXPECT(!aclnnAddGetWorkspaceSize(F32(a, 2), F32(c, 2), scalar(2),
					 F32(out, 2), &size, &executor));
	forget();
	EXPECT(size == 0);
	EXPECT(!aclnnAdd(NULL, 0, executor, NULL));
	EXPECT(out[0] == 21 && out[1] == 42);
	EXPECT(aclnnAdd(NULL, 0, executor, NULL) == ACLNN_ERR_PARAM_INVALID);
	EXPECT(aclDestroyAclOpExecutor(executor) == ACLNN_ERR_PARAM_INVALID);
	return true;
}

static bool executor_repeats(void)
{
	float a[] = { -1, 2 }, c[] = { 5, -6 }, out[2], other[2];
	aclTensor *in = F32(a, 2), *to = F32(out, 2);
	aclOpExecutor *executor;
	uint64_t size;

	EXPECT(!aclnnReluGetWorkspaceSize(in, to, &size, &executor));
	EXPECT(aclSetInputTensorAddr(executor, 0, in, c));
	EXPECT(!aclSetAclOpExecutorRepeatable(executor));
	EXPECT(!aclnnRelu(NULL, 0, executor, NULL));
	EXPECT(out[0] == 0 && out[1] == 2);
	EXPECT(!aclSetInputTensorAddr(executor, 0, in, c));
	EXPECT(!aclSetOutputTensorAddr(executor, 0, to, other));
	EXPECT(!aclnnRelu(NULL, 0, executor, NULL));
	EXPECT(other[0] == 5 && other[1] == 0);
	EXPECT(!aclSetTensorAddr(executor, 1, to, out));
	EXPECT(!aclnnRelu(NULL, 0, executor, NULL));
	EXPECT(out[0] == 5 && out[1] == 0);
	EXPECT(aclSetInputTensorAddr(executor, 1, in, c));
	EXPECT(aclSetInputTensorAddr(executor, 0, NULL, c));
	EXPECT(aclSetInputTensorAddr(executor, 0, (aclTensor *)executor, c));
	EXPECT(aclSetInputTensorAddr(executor, 0, in, (char *)c + 1));
	EXPECT(aclSetDynamicTensorAddr(executor, 0, 0, (aclTensorList *)in, c));
	EXPECT(!aclnnRelu(NULL, 0, executor, NULL));
	EXPECT(out[0] == 5);
	EXPECT(!aclDestroyAclOpExecutor(executor));
	EXPECT(aclnnRelu(NULL, 0, executor, NULL));
	return true;
}

static bool list_addresses(void)
{
	float a[] = { 1 }, c[] = { 2 }, d[] = { 3 }, out[2];
	const aclTensor *members[] = { F32(a, 1), F32(c, 1) };
	aclTensorList *list = aclCreateTensorList(members, 2);
	aclOpExecutor *executor;
	uint64_t size;

	EXPECT(!aclnnCatGetWorkspaceSize(list, 0, F32(out, 2), &size,
					 &executor));
	EXPECT(!aclSetAclOpExecutorRepeatable(executor));
	EXPECT(!aclSetDynamicInputTensorAddr(executor, 0, 1, list, d));
	EXPECT(!aclnnCat(NULL, 0, executor, NULL));
	EXPECT(out[0] == 1 && out[1] == 3);
	EXPECT(!aclSetDynamicTensorAddr(executor, 0, 0, list, c));
	EXPECT(aclSetDynamicOutputTensorAddr(executor, 1, 0, list, c));
	EXPECT(aclSetDynamicTensorAddr(executor, 0, 2, list, c));
	EXPECT(aclSetTensorAddr(executor, 0, (aclTensor *)list, c));
	EXPECT(!aclnnCat(NULL, 0, executor, NULL));
	EXPECT(out[0] == 2 && out[1] == 3);
	EXPECT(!aclDestroyAclOpExecutor(executor));
	aclDestroyTensorList(list);
	return true;
}

enum { THREADS = 3, RUNS = 2000 };

static aclOpExecutor *_Atomic shared;
static atomic_uint successes;
static atomic_bool has_ended;

/* Run the executor that all threads see. */
static void *run_shared(void *unused)
{
	(void)unused;
	while (!has_ended) {
		aclOpExecutor *executor = shared;

		if (executor && !aclnnRelu(NULL, 0, executor, NULL))
			successes++;
	}
	return NULL;
}

/* An executor runs once, however many threads try. */
static bool executor_in_threads(void)
{
	float a[] = { -1, 2 }, out[2];
	pthread_t threads[THREADS];
	aclOpExecutor *executor;
	uint64_t size;

	successes = 0;
	has_ended = false;
	for (unsigned int i = 0; i < THREADS; i++)
		EXPECT(!pthread_create(&threads[i], NULL, run_shared, NULL));
	for (unsigned int i = 0; i < RUNS; i++) {
		EXPECT(!aclnnReluGetWorkspaceSize(F32(a, 2), F32(out, 2), &size,
						  &executor));
		forget();
		shared = executor;
		if (!aclnnRelu(NULL, 0, executor, NULL))
			successes++;
	}
	has_ended = true;
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT(successes == RUNS);
	return true;
}

/* Use handles, but not the sanitizer's heap, which a fork may find locked. */
static bool use_handle(void)
{
	static int object;
	void *handle = aclnn_handle_add(ACLNN_OBJECT_SCALAR, &object);

	return handle && aclnn_handle_remove(ACLNN_OBJECT_SCALAR, handle);
}

static void *use_handles(void *unused)
{
	(void)unused;
	while (!has_ended)
		use_handle();
	return NULL;
}

/* A child may use handles, whatever other threads of its parent did. */
static bool fork_in_threads(void)
{
	pthread_t threads[THREADS];
	int status = 0;

	has_ended = false;
	for (unsigned int i = 0; i < THREADS; i++)
		EXPECT(!pthread_create(&threads[i], NULL, use_handles, NULL));
	for (unsigned int i = 0; i < 50 && !status; i++) {
		pid_t child = fork();

		if (!child) {
			/* A lock that is held would be held for ever. */
			alarm(20);
			_exit(!use_handle());
		}
		EXPECT(child > 0 && waitpid(child, &status, 0) == child);
	}
	has_ended = true;
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT(!status);
	return true;
}

const struct test object_tests[] = {
	{ "tensors have the properties that they were created with",
	  tensor_properties },
	{ "tensors that cannot be are refused", tensors_refused },
	{ "arrays have sizes", array_sizes },
	{ "lists own their members", list_owns_members },
	{ "handles are not used again", handles_reused },
	{ "executors own their arguments", executor_owns },
	{ "repeatable executors run again, with other addresses",
	  executor_repeats },
	{ "addresses of members of lists can be changed", list_addresses },
	{ "executors run once in several threads", executor_in_threads },
	{ "children of threads use handles", fork_in_threads },
	{ 0 }
};
