// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operators on a device that fail: bad memory, arguments and calls, and the death
 * of the client.
 */
#include "../lib/acl-test.h"

#include <signal.h>
#include <sys/wait.h>

#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_relu.h"

#include "launch/operators.h"
#include "ops/call.h"

#include "device.h"

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

/* Each exception ends a core.  A debug kernel takes long to start the next one. */
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
		execl("/proc/self/exe", "device_failure",
		      "--endless", NULL);
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

TEST_HARNESS_MAIN
