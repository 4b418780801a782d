// SPDX-License-Identifier: GPL-2.0-only
/* Shared buffers: memory, user data, references and chains. */
#include "acl-memory.h"

#define CHAIN_MAX	128

static aclrtMbuf new_buffer(size_t size)
{
	aclrtMbuf buf = NULL;

	if (aclrtAllocBuf(&buf, size))
		abort();
	return buf;
}

static uint32_t chain_length(aclrtMbuf head)
{
	uint32_t num = 0;

	return aclrtGetBufChainNum(head, &num) ? 0 : num;
}

TEST_F(memory, mbuf_has_device_memory)
{
	aclrtMbuf buf = new_buffer(100);
	aclrtPtrAttributes attributes;
	char out[100];
	size_t size = 0, len = 77;
	void *data = NULL;

	OK(aclrtGetBufData(buf, &data, &size));
	EXPECT_EQ(100, size);
	OK(aclrtPointerGetAttributes(data, &attributes));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, attributes.location.type);
	OK(aclrtMemset(data, size, 0x5a, size));
	OK(aclrtMemcpy(out, 100, data, 100, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_TRUE(is_all(out, 0x5a, 100));

	OK(aclrtGetBufDataLen(buf, &len));
	EXPECT_EQ(0, len);
	OK(aclrtSetBufDataLen(buf, 100));
	OK(aclrtSetBufDataLen(buf, 40));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtSetBufDataLen(buf, 0));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtSetBufDataLen(buf, 101));
	OK(aclrtGetBufDataLen(buf, &len));
	EXPECT_EQ(40, len);
	OK(aclrtFreeBuf(buf));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(memory, mbuf_user_data)
{
	aclrtMbuf buf = new_buffer(1);
	char in[96], out[96];

	memset(in, 7, sizeof(in));
	memset(out, 1, sizeof(out));
	OK(aclrtGetBufUserData(buf, out, 96, 0));
	EXPECT_TRUE(is_all(out, 0, 96));
	OK(aclrtSetBufUserData(buf, in, 6, 90));
	OK(aclrtGetBufUserData(buf, out, 96, 0));
	EXPECT_TRUE(is_all(out, 0, 90));
	EXPECT_TRUE(is_all(out + 90, 7, 6));
	OK(aclrtSetBufUserData(buf, in, 0, 96));

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSetBufUserData(buf, in, 7, 90));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtGetBufUserData(buf, out, 2, SIZE_MAX));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtSetBufUserData(buf, NULL, 1, 0));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtGetBufUserData(buf, NULL, 1, 0));
	OK(aclrtFreeBuf(buf));
}

/* The last of the buffers that refer to memory frees it. */
TEST_F(memory, mbuf_reference)
{
	aclrtMbuf buf = new_buffer(4 * MIB), copy = NULL;
	void *data = NULL, *same = NULL;
	size_t size, len = 0;
	char mark = 0x33;

	OK(aclrtSetBufDataLen(buf, 9));
	OK(aclrtSetBufUserData(buf, &mark, 1, 5));
	OK(aclrtCopyBufRef(buf, &copy));
	EXPECT_NE(buf, copy);
	OK(aclrtGetBufData(buf, &data, &size));
	OK(aclrtGetBufData(copy, &same, &size));
	EXPECT_EQ(data, same);
	EXPECT_EQ(4 * MIB, size);
	OK(aclrtGetBufDataLen(copy, &len));
	EXPECT_EQ(9, len);
	OK(aclrtSetBufDataLen(copy, 10));
	OK(aclrtGetBufDataLen(buf, &len));
	EXPECT_EQ(9, len);

	OK(aclrtFreeBuf(buf));
	mark = 0;
	OK(aclrtGetBufUserData(copy, &mark, 1, 5));
	EXPECT_EQ(0x33, mark);
	OK(aclrtMemset(same, size, 0, size));
	EXPECT_NE(self->free_before, free_bytes());
	OK(aclrtFreeBuf(copy));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(memory, mbuf_chain)
{
	aclrtMbuf a = new_buffer(1), b = new_buffer(2), c = new_buffer(3);
	aclrtMbuf got = NULL, copy = NULL;
	void *data;
	size_t size = 0;

	EXPECT_EQ(1, chain_length(a));
	OK(aclrtAppendBufChain(b, c));
	OK(aclrtAppendBufChain(a, b));
	EXPECT_EQ(3, chain_length(a));
	OK(aclrtGetBufFromChain(a, 0, &got));
	EXPECT_EQ(a, got);
	OK(aclrtGetBufFromChain(a, 2, &got));
	EXPECT_EQ(c, got);
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtGetBufFromChain(a, 3, &got));

	/* Buffers inside a chain are no heads. */
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeBuf(b));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtAppendBufChain(a, a));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtAppendBufChain(a, c));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtAppendBufChain(b, a));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtGetBufFromChain(b, 0, &got));
	EXPECT_EQ(0, chain_length(b));

	/* A copy begins with the buffer that is passed. */
	OK(aclrtCopyBufRef(b, &copy));
	EXPECT_EQ(2, chain_length(copy));
	OK(aclrtGetBufFromChain(copy, 1, &got));
	OK(aclrtGetBufData(got, &data, &size));
	EXPECT_EQ(3, size);
	OK(aclrtFreeBuf(a));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeBuf(c));
	OK(aclrtGetBufData(got, &data, &size));
	OK(aclrtFreeBuf(copy));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(memory, mbuf_chain_limit)
{
	aclrtMbuf head = new_buffer(1), pair = new_buffer(1), more = NULL;

	OK(aclrtAppendBufChain(pair, new_buffer(1)));
	for (int i = 1; i < CHAIN_MAX - 1; i++) {
		OK(aclrtCopyBufRef(pair, &more));
		OK(aclrtFreeBuf(more));
		OK(aclrtAppendBufChain(head, new_buffer(1)));
	}
	EXPECT_EQ(CHAIN_MAX - 1, chain_length(head));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtAppendBufChain(head, pair));
	EXPECT_EQ(2, chain_length(pair));
	OK(aclrtAppendBufChain(head, new_buffer(1)));
	EXPECT_EQ(CHAIN_MAX, chain_length(head));
	OK(aclrtCopyBufRef(head, &more));
	EXPECT_EQ(CHAIN_MAX, chain_length(more));
	OK(aclrtFreeBuf(more));
	OK(aclrtFreeBuf(pair));
	OK(aclrtFreeBuf(head));
}

/* A reset frees the memory, and no later free may touch what follows it. */
TEST_F(memory, mbuf_ends_with_the_device)
{
	aclrtMbuf a = new_buffer(4 * MIB), copy = NULL;
	size_t size;
	void *data;

	OK(aclrtCopyBufRef(a, &copy));
	OK(aclrtAppendBufChain(a, new_buffer(1)));
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeBuf(a));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtGetBufData(copy, &data, &size));
	EXPECT_EQ(0, chain_length(a));
}

TEST_F(memory, mbuf_arguments)
{
	aclrtMbuf buf = new_buffer(1), old = new_buffer(1), out;
	aclrtMbuf const bad[] = { old, (aclrtMbuf)1, &buf, stdout };
	char byte = 0;
	size_t size;
	uint32_t num;
	void *data;

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtAllocBuf(NULL, 1));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtAllocBuf(&out, 0));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtAllocBuf(&out, (4ULL << 30) + 1));
	EXPECT_ACL(ACL_ERROR_RT_MEMORY_ALLOCATION,
		   aclrtAllocBuf(&out, 4ULL << 30));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtFreeBuf(NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtGetBufData(NULL, &data, &size));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtGetBufData(buf, NULL, &size));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtGetBufData(buf, &data, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtGetBufDataLen(buf, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtCopyBufRef(buf, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtAppendBufChain(buf, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtAppendBufChain(NULL, buf));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtGetBufFromChain(buf, 0, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtGetBufChainNum(buf, NULL));

	OK(aclrtFreeBuf(old));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeBuf(bad[i]));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtGetBufData(bad[i], &data, &size));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtGetBufDataLen(bad[i], &size));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtSetBufDataLen(bad[i], 1));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtSetBufUserData(bad[i], &byte, 1, 0));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtGetBufUserData(bad[i], &byte, 1, 0));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtCopyBufRef(bad[i], &out));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtAppendBufChain(buf, bad[i]));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtAppendBufChain(bad[i], buf));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtGetBufChainNum(bad[i], &num));
		EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
			   aclrtGetBufFromChain(bad[i], 0, &out));
	}
	OK(aclrtFreeBuf(buf));
}

static void *alloc_without_context(void *arg)
{
	aclrtMbuf out;

	*(aclError *)arg = aclrtAllocBuf(&out, 1);
	return NULL;
}

TEST_F(memory, mbuf_needs_a_context)
{
	aclError err = ACL_SUCCESS;
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, alloc_without_context,
				    &err));
	pthread_join(thread, NULL);
	EXPECT_EQ(ACL_ERROR_RT_CONTEXT_NULL, err);
}

/* A forked child has neither the memory nor the buffers. */
TEST_F(memory, mbuf_after_fork)
{
	aclrtMbuf buf = new_buffer(1);
	int status;
	pid_t child = fork();

	ASSERT_LE(0, child);
	if (!child)
		_exit(aclrtFreeBuf(buf) != ACL_ERROR_RT_NO_PERMISSION);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	OK(aclrtFreeBuf(buf));
}

TEST_HARNESS_MAIN
