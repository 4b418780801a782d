// SPDX-License-Identifier: GPL-2.0-only
/* Descriptions of tensors. */
/* One of the calls is deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "acl-test.h"

TEST(holds_what_it_is_made_of)
{
	const int64_t dims[] = { 2, 3, 4 };
	aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims,
						  ACL_FORMAT_NCHW);
	int64_t size = 0;

	ASSERT_NE(NULL, desc);
	EXPECT_EQ(ACL_FLOAT16, aclGetTensorDescType(desc));
	EXPECT_EQ(ACL_FORMAT_NCHW, aclGetTensorDescFormat(desc));
	EXPECT_EQ(3, aclGetTensorDescNumDims(desc));
	EXPECT_EQ(24, aclGetTensorDescElementCount(desc));
	EXPECT_EQ(48, aclGetTensorDescSize(desc));
	EXPECT_EQ(4, aclGetTensorDescDim(desc, 2));
	EXPECT_EQ(-1, aclGetTensorDescDim(desc, 3));
	OK(aclGetTensorDescDimV2(desc, 1, &size));
	EXPECT_EQ(3, size);
	EXPECT_ACL(NULL_OR_ZERO, aclGetTensorDescDimV2(desc, 3, &size));
	EXPECT_ACL(NULL_OR_ZERO, aclGetTensorDescDimV2(desc, 0, NULL));
	aclDestroyTensorDesc(desc);
	EXPECT_ACL(NULL_OR_ZERO, aclGetTensorDescDimV2(desc, 0, &size));
	EXPECT_EQ(0, aclGetTensorDescSize(desc));
	aclDestroyTensorDesc(desc);
}

TEST(has_a_name)
{
	aclTensorDesc *desc = aclCreateTensorDesc(ACL_INT8, 0, NULL,
						  ACL_FORMAT_ND);
	char name[] = "input";

	ASSERT_NE(NULL, desc);
	EXPECT_STREQ("", aclGetTensorDescName(desc));
	aclSetTensorDescName(desc, name);
	name[0] = 'o';
	EXPECT_STREQ("input", aclGetTensorDescName(desc));
	aclSetTensorDescName(desc, NULL);
	EXPECT_STREQ("", aclGetTensorDescName(desc));
	EXPECT_EQ(1, aclGetTensorDescElementCount(desc));
	aclDestroyTensorDesc(desc);
	aclSetTensorDescName(desc, name);
	EXPECT_STREQ("", aclGetTensorDescName(desc));
}

TEST(refuses_what_is_not_a_tensor)
{
	const int64_t dims[129] = { -1, INT64_MAX, INT64_MAX };
	void *const bad[] = { NULL, GARBAGE_HANDLES };
	aclTensorDesc *desc;

	EXPECT_EQ(NULL, aclCreateTensorDesc(ACL_INT8, -1, dims, ACL_FORMAT_ND));
	EXPECT_EQ(NULL, aclCreateTensorDesc(ACL_INT8, 1, NULL, ACL_FORMAT_ND));
	EXPECT_EQ(NULL,
		  aclCreateTensorDesc(ACL_INT8, 129, dims, ACL_FORMAT_ND));
	/* Sizes that are open or too large have no bytes. */
	desc = aclCreateTensorDesc(ACL_INT8, 1, dims, ACL_FORMAT_ND);
	EXPECT_EQ(0, aclGetTensorDescSize(desc));
	aclDestroyTensorDesc(desc);
	desc = aclCreateTensorDesc(ACL_INT8, 2, dims + 1, ACL_FORMAT_ND);
	EXPECT_EQ(0, aclGetTensorDescElementCount(desc));
	aclDestroyTensorDesc(desc);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT_EQ(ACL_DT_UNDEFINED, aclGetTensorDescType(bad[i]));
		EXPECT_EQ(ACL_FORMAT_UNDEFINED, aclGetTensorDescFormat(bad[i]));
		EXPECT_EQ(0, aclGetTensorDescNumDims(bad[i]));
		aclDestroyTensorDesc(bad[i]);
	}
}

TEST_HARNESS_MAIN
