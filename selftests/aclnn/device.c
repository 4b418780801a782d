// SPDX-License-Identifier: GPL-2.0-only
/* Operators on a device: order, results, models and profiles. */
#include "../lib/prof.h"

#include <math.h>

#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_softmax.h"

#include "device.h"

/* A model keeps the calls of operators after their objects are gone. */
TEST_F(aclnn, captured)
{
	const float one[] = { 1, 2 }, two[] = { 3, 4 };
	aclmdlRI model;
	float is[2];

	put(self->a, one, 2);
	put(self->b, two, 2);
	OK(aclmdlRICaptureBegin(self->stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(0, add(self->stream, self->a, self->b, 1, 1, 2));
	OK(aclmdlRICaptureEnd(self->stream, &model));
	for (int i = 1; i < 4; i++) {
		OK(aclmdlRIExecuteAsync(model, self->stream));
		OK(aclrtSynchronizeStream(self->stream));
		get(is, self->a, 2);
		EXPECT_EQ(1 + 30 * i, is[0]);
		EXPECT_EQ(2 + 40 * i, is[1]);
	}
	OK(aclmdlRIDestroy(model));
}

/* x = x + y, y = y + x: each one depends on the one before. */
TEST_F(aclnn, order)
{
	const float one[] = { 1, 0.5f }, two[] = { 0, 1 };
	float x = 1, y = 0, is[2];

	put(self->a, one, 2);
	put(self->b, two, 2);
	for (int i = 0; i < 500; i++) {
		ASSERT_EQ(0, add(self->stream, self->a, self->b, 1e-3f, 1, 2));
		ASSERT_EQ(0, add(self->stream, self->b, self->a, 1e-3f, 1, 2));
		x += y * 1e-3f;
		y += x * 1e-3f;
	}
	OK(aclrtSynchronizeStream(self->stream));
	get(is, self->a, 2);
	EXPECT_GT(1e-5, fabs(is[0] - x));
	get(is, self->b, 2);
	EXPECT_GT(1e-5, fabs(is[0] - y));
}

/* Large enough for several blocks, with barriers between phases. */
TEST_F_TIMEOUT(aclnn, large, 300)
{
	aclTensor *a = F32(self->a, COUNT, COUNT);
	aclTensor *b = F32(self->b, COUNT, COUNT);
	aclTensor *c = F32(self->c, COUNT, COUNT);
	double sum = 0;

	for (int i = 0; i < COUNT * COUNT; i++)
		self->host[i] = i % 7 - 3;
	put(self->a, self->host, COUNT * COUNT);
	put(self->b, self->host, COUNT * COUNT);
	OK(aclrtSetOpExecuteTimeOut(280));
	ASSERT_EQ(0, RUN(aclnnMm, self->stream, a, b, c, 0));
	OK(aclrtSynchronizeStream(self->stream));
	get(self->host, self->c, COUNT * COUNT);
	for (int i = 0; i < COUNT * COUNT; i += 997) {
		sum = 0;
		for (int k = 0; k < COUNT; k++)
			sum += (double)((i / COUNT * COUNT + k) % 7 - 3) *
			       ((k * COUNT + i % COUNT) % 7 - 3);
		ASSERT_EQ(sum, self->host[i]);
	}
	ASSERT_EQ(0, RUN(aclnnSoftmax, self->stream, c, -1, a));
	OK(aclrtSynchronizeStream(self->stream));
	get(self->host, self->a, COUNT);
	sum = 0;
	for (int k = 0; k < COUNT; k++)
		sum += self->host[k];
	EXPECT_GT(1e-5, fabs(sum - 1));
}

/* The blocks of an operator wait for each other, so they stay below the limit. */
TEST_F_TIMEOUT(aclnn, limited, 300)
{
	aclTensor *a = F32(self->a, COUNT, COUNT);
	aclTensor *b = F32(self->b, COUNT, COUNT);
	double sum = 0;

	setenv("VNPU_CORE_WORKERS", "4", 1);
	OK(aclrtMemset(self->a, COUNT * COUNT * 4, 0, COUNT * COUNT * 4));
	for (uint32_t cores = 3; cores; cores--) {
		OK(aclrtSetStreamResLimit(self->stream,
					  ACL_RT_DEV_RES_VECTOR_CORE, cores));
		ASSERT_EQ(0, RUN(aclnnSoftmax, self->stream, a, -1, b));
		OK(aclrtSynchronizeStream(self->stream));
	}
	get(self->host, self->b, COUNT);
	for (int k = 0; k < COUNT; k++)
		sum += self->host[k];
	EXPECT_GT(1e-5, fabs(sum - 1));
}

/* A tensor at an odd address needs a workspace. */
TEST_F(aclnn, workspace)
{
	const float value[] = { -1, 2, 3 };
	aclTensor *in = F32((char *)self->a + 2, 1, 3);
	aclTensor *out = F32(self->b, 1, 3);
	aclOpExecutor *executor;
	uint64_t size;
	float is[3];

	OK(aclrtMemcpy((char *)self->a + 2, sizeof(value), value,
		       sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE));
	ASSERT_EQ(0, aclnnReluGetWorkspaceSize(in, out, &size, &executor));
	ASSERT_NE(0, size);
	ASSERT_EQ(0, aclnnRelu(self->c, size, executor, self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	get(is, self->b, 3);
	EXPECT_EQ(0, is[0]);
	EXPECT_EQ(2, is[1]);
	EXPECT_EQ(3, is[2]);
}

/* The device finds the size of the result, and the call waits for it. */
TEST_F(aclnn, counted)
{
	const float some[] = { 0, 1, 0, 2, 3, 0 };
	aclOpExecutor *executor;
	int64_t *dims, index[12];
	aclTensor *in, *out;
	uint64_t size, rank;

	put(self->a, some, 6);
	in = F32(self->a, 2, 3);
	out = make(ACL_INT64, self->b, 6, 2);
	ASSERT_EQ(0, aclnnNonzeroGetWorkspaceSize(in, out, &size, &executor));
	ASSERT_EQ(0, aclnnNonzero(self->c, size, executor, self->stream));
	ASSERT_EQ(0, aclGetViewShape(out, &dims, &rank));
	EXPECT_EQ(3, dims[0]);
	OK(aclrtMemcpy(index, sizeof(index), self->b, sizeof(index),
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(1, index[5]);
	free(dims);
	aclDestroyTensor(in);
	aclDestroyTensor(out);
}

/* The default stream, and a repeatable executor. */
TEST_F(aclnn, repeat)
{
	const float value[] = { 1, 2 };
	aclTensor *a = F32(self->a, 1, 2);
	aclOpExecutor *executor;
	uint64_t size;
	float is[2];

	put(self->a, value, 2);
	ASSERT_EQ(0, aclnnInplaceMulGetWorkspaceSize(a, a, &size, &executor));
	ASSERT_EQ(0, aclSetAclOpExecutorRepeatable(executor));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, aclnnInplaceMul(NULL, 0, executor, NULL));
	OK(aclrtSynchronizeStream(NULL));
	get(is, self->a, 2);
	EXPECT_EQ(1, is[0]);
	EXPECT_EQ(256, is[1]);
	EXPECT_EQ(0, aclDestroyAclOpExecutor(executor));
}

/* A profile has the operators, with the tensors that a program gave. */
TEST_F_TIMEOUT(prof, operators, 300)
{
	aclprofConfig *config = aclprofCreateConfig(&self->device, 1,
		ACL_AICORE_NONE, NULL, TASKS);
	float *a, *b, *c;
	aclTensor *t, *o, *to;
	aclnnStatus status;

	OK(aclrtMalloc((void **)&a, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc((void **)&b, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc((void **)&c, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	t = F32(a, 20, 30);
	o = F32(b, 30, 40);
	to = F32(c, 20, 40);
	INIT();
	OK(aclprofStart(config));
	status = add(NULL, a, b, 2, 3, 5);
	EXPECT_EQ(0, status);
	status = RUN(aclnnMm, NULL, t, o, to, 0);
	EXPECT_EQ(0, status);
	OK(aclrtSynchronizeStream(NULL));
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0,
		"def t(*s): return {'type': 'FLOAT', 'shape': list(s)}\n"
		"a, m = of('aclnnInplaceAdd')[0]['args'], of('aclnnMm')[0]['args']\n"
		"assert a['inputs'] == [t(3, 5), t(3, 5)], a\n"
		"assert a['outputs'] == [t(3, 5)], a\n"
		"assert a['core'] == 'AI_VECTOR_CORE' and a['blocks'] == 1\n"
		"assert m['inputs'] == [t(20, 30), t(30, 40)], m\n"
		"assert m['outputs'] == [t(20, 40)], m\n"));
	aclDestroyTensor(t);
	aclDestroyTensor(o);
	aclDestroyTensor(to);
	OK(aclprofDestroyConfig(config));
	OK(aclrtFree(a));
	OK(aclrtFree(b));
	OK(aclrtFree(c));
}

TEST_HARNESS_MAIN
