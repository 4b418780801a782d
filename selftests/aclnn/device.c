// SPDX-License-Identifier: GPL-2.0-only
/* Operators on a device: order, results, failures. */
#include "../lib/prof.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_softmax.h"

#include "launch/operators.h"
#include "ops/call.h"

#define COUNT	512
#define BYTES	(COUNT * COUNT * sizeof(float))

FIXTURE(aclnn) {
	aclrtStream stream;
	float *a, *b, *c;	/* of the device */
	float *host;
};

FIXTURE_SETUP(aclnn)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	OK(aclrtMalloc((void **)&self->a, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc((void **)&self->b, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMalloc((void **)&self->c, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
	self->host = malloc(BYTES);
	ASSERT_NE(NULL, self->host);
}

FIXTURE_TEARDOWN(aclnn)
{
	aclrtResetDeviceForce(0);
	aclFinalize();
	free(self->host);
}

static aclTensor *make(aclDataType dtype, void *data, int64_t rows,
		       int64_t columns)
{
	const int64_t dims[] = { rows, columns };

	return aclCreateTensor(dims, 2, dtype, NULL, 0, ACL_FORMAT_ND, dims, 2,
			       data);
}

#define F32(data, rows, columns)	make(ACL_FLOAT, data, rows, columns)

/* Both phases; the objects are destroyed before the stream runs the operator. */
#define RUN(X, stream, ...)						\
	({								\
		uint64_t size_;						\
		aclOpExecutor *executor_;				\
		aclnnStatus status_ = X##GetWorkspaceSize(		\
			__VA_ARGS__, &size_, &executor_);		\
									\
		if (!status_)						\
			status_ = X(NULL, 0, executor_, stream);	\
		status_;						\
	})

static aclnnStatus add(aclrtStream stream, float *to, float *other,
		       float factor, int64_t rows, int64_t columns)
{
	aclScalar *alpha = aclCreateScalar(&factor, ACL_FLOAT);
	aclTensor *t = F32(to, rows, columns), *o = F32(other, rows, columns);
	aclnnStatus status = RUN(aclnnInplaceAdd, stream, t, o, alpha);

	aclDestroyTensor(t);
	aclDestroyTensor(o);
	aclDestroyScalar(alpha);
	return status;
}

static void put(float *to, const float *from, size_t count)
{
	aclrtMemcpy(to, count * sizeof(float), from, count * sizeof(float),
		    ACL_MEMCPY_HOST_TO_DEVICE);
}

static void get(float *to, const float *from, size_t count)
{
	aclrtMemcpy(to, count * sizeof(float), from, count * sizeof(float),
		    ACL_MEMCPY_DEVICE_TO_HOST);
}

/* A model keeps the calls of operators whose objects are gone. */
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

/* The default stream, and a repeatable executor. */
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

/* The last message has both; reading it removes it. */
#define EXPECT_NAMED(name, text)					\
	do {								\
		const char *message_ = recent();			\
									\
		EXPECT_NE(NULL, strstr(message_, name))			\
			TH_LOG("\"%s\" lacks \"%s\"", message_, name);	\
		EXPECT_NE(NULL, strstr(message_, text))			\
			TH_LOG("\"%s\" lacks \"%s\"", message_, text);	\
	} while (0)

/* An exception is an error of the stream; the device keeps working. */
TEST_F(aclnn, behind)
{
	const float value[] = { 1, 2 };
	/* One page more is allocated. */
	float *behind = self->c + COUNT * COUNT + 1024, is[2];
	aclrtStream other;

	OK(aclrtCreateStream(&other));
	put(self->a, value, 2);
	put(self->b, value, 2);
	ASSERT_EQ(0, add(self->stream, self->b, behind, 1, 1, 2));
	EXPECT_EQ(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
		  aclrtSynchronizeStream(self->stream));
	EXPECT_NAMED("operator aclnnInplaceAdd, block 0, address 0x",
		     "right behind");
	ASSERT_EQ(0, add(other, self->a, self->b, 1, 1, 2));
	OK(aclrtSynchronizeStream(other));
	get(is, self->a, 2);
	EXPECT_EQ(2, is[0]);
	EXPECT_EQ(4, is[1]);
}

/* Memory of the host is not memory of the device. */
TEST_F(aclnn, host)
{
	float value[] = { 1, 2 };

	ASSERT_EQ(0, add(self->stream, self->a, value, 1, 1, 2));
	EXPECT_NE(0, aclrtSynchronizeStream(self->stream));
	EXPECT_NAMED("operator aclnnInplaceAdd", "is not memory of the device");
}

TEST_F(aclnn, out_of_range)
{
	const int32_t index[] = { 1, 99 };
	aclTensor *self_ = F32(self->a, 4, 4), *out;
	const int64_t two = 2, shape[] = { 2, 4 };
	aclTensor *at = aclCreateTensor(&two, 1, ACL_INT32, NULL, 0,
					ACL_FORMAT_ND, &two, 1, self->b);

	out = aclCreateTensor(shape, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND,
			      shape, 2, self->c);
	OK(aclrtMemcpy(self->b, sizeof(index), index, sizeof(index),
		       ACL_MEMCPY_HOST_TO_DEVICE));
	ASSERT_EQ(0, RUN(aclnnGatherV2, self->stream, self_, 0, at, out));
	EXPECT_NE(0, aclrtSynchronizeStream(self->stream));
	EXPECT_NAMED("operator aclnnGatherV2", "an index is out of range");
}

/* Errors of arguments are found in the first phase, and leave the stream alone. */
TEST_F(aclnn, arguments)
{
	aclTensor *a = F32(self->a, 2, 3), *b = F32(self->b, 3, 2);
	aclOpExecutor *executor = NULL;
	uint64_t size;

	EXPECT_EQ(ACLNN_ERR_PARAM_INVALID,
		  aclnnReluGetWorkspaceSize(a, b, &size, &executor));
	EXPECT_NAMED("aclnnRelu: ", "out: expected shape [2, 3], given [3, 2]");
	EXPECT_EQ(NULL, executor);
	ASSERT_EQ(0, add(self->stream, self->a, self->a, 1, 1, 2));
	OK(aclrtSynchronizeStream(self->stream));
}

/* A call as libvnpu-op makes it, and damage to it. */
struct small_call {
	struct vnpu_op_call head;
	struct vnpu_op_launch step;
};

static void call_init(struct small_call *call, float *a, float *b)
{
	struct vnpu_op_launch *l = &call->step;
	const int64_t dim = 4;

	memset(call, 0, sizeof(*call));
	vnpu_op_init(l, VNPU_OP_RELU, 1, 1);
	vnpu_tensor_init(&l->tensor[0], VNPU_DT_F32, 1, &dim, a);
	vnpu_tensor_init(&l->tensor[1], VNPU_DT_F32, 1, &dim, b);
	call->head.size = sizeof(call->head) + l->size;
	call->head.version = VNPU_OP_CALL_VERSION;
	call->head.steps = 1;
	strcpy(call->head.name, "test");
}

/* Each exception costs a core, whose start takes long on a debug kernel. */
TEST_F_TIMEOUT(aclnn, damaged, 200)
{
	struct small_call call;
	uint64_t seed = 12345;

	for (int i = 0; i < 12; i++) {
		uint8_t *bytes = (uint8_t *)&call;
		aclrtStream stream;

		call_init(&call, self->a, self->b);
		for (int k = 0; k < 3 && i; k++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			/* Not its size, which the library copies. */
			bytes[4 + (seed >> 33) % (call.head.size - 4)] =
				seed >> 25;
		}
		call.head.name[VNPU_OP_CALL_NAME - 1] = '\0';
		OK(aclrtCreateStream(&stream));
		OK(vnpu_operator_launch(&call.head, 1 + i % 3, stream));
		/* Most damage is an exception. */
		if (aclrtSynchronizeStream(stream))
			EXPECT_NAMED("operator", ": ");
		OK(aclrtDestroyStreamForce(stream));
	}
	ASSERT_EQ(0, add(self->stream, self->a, self->a, 1, 1, 2));
	OK(aclrtSynchronizeStream(self->stream));
}

/* Launches of one call that alternate between one phase and two. */
struct long_call {
	struct vnpu_op_call head;
	char steps[16 * sizeof(struct vnpu_op_launch)];
};

static void append(struct long_call *call, unsigned int op, const float *from,
		   int64_t from_size, float *to, int64_t to_size)
{
	struct vnpu_op_launch l;
	const int64_t zero = 0;

	vnpu_op_init(&l, op, 1, 1);
	vnpu_tensor_init(&l.tensor[0], VNPU_DT_F32, 1, &from_size,
			 (void *)(uintptr_t)from);
	vnpu_tensor_init(&l.tensor[1], VNPU_DT_F32, 1, &to_size, to);
	if (op == VNPU_OP_SUM) {
		vnpu_op_set_ints(&l, 0, &zero, 1);
		vnpu_op_set_int(&l, 1, 1);
	}
	memcpy((char *)call + call->head.size, &l, l.size);
	call->head.size += l.size;
	call->head.steps++;
}

/*
 * No block may take the number of phases of a step from the next one, which
 * block 0 prepares early.
 */
TEST_F(aclnn, steps)
{
	struct long_call call = {
		.head = {
			.size = sizeof(call.head),
			.version = VNPU_OP_CALL_VERSION,
			.name = "steps",
		},
	};
	const int64_t size = COUNT * COUNT;
	float sum;

	for (int64_t i = 0; i < size; i++)
		self->host[i] = 1;
	put(self->a, self->host, size);
	for (int i = 0; i < 8; i++) {
		append(&call, VNPU_OP_COPY, self->a, size, self->b, size);
		append(&call, VNPU_OP_SUM, self->b, size, self->c, 1);
	}
	for (int i = 0; i < 20; i++) {
		OK(aclrtMemset(self->c, sizeof(sum), 0, sizeof(sum)));
		OK(vnpu_operator_launch(&call.head, 64, self->stream));
		OK(aclrtSynchronizeStream(self->stream));
		get(&sum, self->c, 1);
		ASSERT_EQ(size, sum);
	}
}

/*
 * The client dies in the midst of its operators, when its core has started: the
 * process that starts a core shares the client's memory until then.
 */
TEST(killed)
{
	size_t before, after, total;
	int started[2];
	pid_t child;
	char byte;

	OK(aclrtSetDevice(0));
	OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
	ASSERT_EQ(0, pipe(started));
	child = fork();
	if (!child) {
		dup2(started[1], STDOUT_FILENO);
		execl("/proc/self/exe", "device", "--endless", NULL);
		_exit(1);
	}
	close(started[1]);
	ASSERT_EQ(1, read(started[0], &byte, 1));
	close(started[0]);
	usleep(100000);
	kill(child, SIGKILL);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
	EXPECT_EQ(before, after);
	OK(aclrtResetDeviceForce(0));
	aclFinalize();
}

/* Launch operators until the process is killed. */
static __attribute__((constructor)) void endless(int argc, char **argv)
{
	aclrtStream stream;
	float *a;

	if (argc < 2 || strcmp(argv[1], "--endless"))
		return;
	if (aclrtSetDevice(0) || aclrtCreateStream(&stream) ||
	    aclrtMalloc((void **)&a, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY))
		_exit(1);
	if (add(stream, a, a, 1, COUNT, COUNT) ||
	    aclrtSynchronizeStream(stream) || write(STDOUT_FILENO, "", 1) != 1)
		_exit(1);
	while (!add(stream, a, a, 1, COUNT, COUNT))
		;
	_exit(1);
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
