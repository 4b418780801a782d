// SPDX-License-Identifier: GPL-2.0-only
/* Data buffers: an address and a size in one object. */
/* One of the calls is deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "acl-test.h"

TEST(holds_address_and_size)
{
	char bytes[16];
	aclDataBuffer *buffer = aclCreateDataBuffer(bytes, sizeof(bytes));

	ASSERT_NE(NULL, buffer);
	EXPECT_EQ((void *)bytes, aclGetDataBufferAddr(buffer));
	EXPECT_EQ(sizeof(bytes), aclGetDataBufferSizeV2(buffer));
	EXPECT_EQ(sizeof(bytes), aclGetDataBufferSize(buffer));

	OK(aclUpdateDataBuffer(buffer, bytes + 1, (5ULL << 32) + 3));
	EXPECT_EQ((void *)(bytes + 1), aclGetDataBufferAddr(buffer));
	EXPECT_EQ((5ULL << 32) + 3, aclGetDataBufferSizeV2(buffer));
	EXPECT_EQ(3, aclGetDataBufferSize(buffer));
	OK(aclDestroyDataBuffer(buffer));
}

TEST(accepts_nothing)
{
	aclDataBuffer *buffer = aclCreateDataBuffer(NULL, 0);

	ASSERT_NE(NULL, buffer);
	EXPECT_EQ(NULL, aclGetDataBufferAddr(buffer));
	EXPECT_EQ(0, aclGetDataBufferSizeV2(buffer));
	OK(aclDestroyDataBuffer(buffer));
}

TEST(refuses_what_is_not_a_buffer)
{
	aclDataBuffer *old = aclCreateDataBuffer(&old, 8);
	aclDataBuffer *const bad[] = {
		NULL, old, (aclDataBuffer *)1, (aclDataBuffer *)&old,
	};

	ASSERT_NE(NULL, old);
	OK(aclDestroyDataBuffer(old));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
			   aclDestroyDataBuffer(bad[i]));
		EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
			   aclUpdateDataBuffer(bad[i], NULL, 1));
		EXPECT_EQ(NULL, aclGetDataBufferAddr(bad[i]));
		EXPECT_EQ(0, aclGetDataBufferSize(bad[i]));
		EXPECT_EQ(0, aclGetDataBufferSizeV2(bad[i]));
	}
}

TEST_HARNESS_MAIN
