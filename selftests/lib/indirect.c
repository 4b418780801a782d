// SPDX-License-Identifier: GPL-2.0-only
/* Copies whose addresses and lengths are in memory, read when they begin. */
#include "acl-stream.h"

FIXTURE(indirect) {
	struct work w;
};

FIXTURE_SETUP(indirect)
{
	OK(work_init(&self->w));
}

FIXTURE_TEARDOWN(indirect)
{
	work_fini(&self->w);
}

TEST_F(indirect, descriptors)
{
	const aclrtMemcpyKind kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
	struct work *w = &self->w;
	void *desc = w->dev + 4096;
	size_t size = 0;

	OK(aclrtGetMemcpyDescSize(kind, &size));
	EXPECT_LT(0, size);
	EXPECT_GE(4096, size);
	/* It is read when the stream reaches the copy. */
	OK(gate_close(w, w->a));
	OK(aclrtMemsetAsync(w->dev, AREA, 4, 64, w->a));
	OK(aclrtMemcpyAsyncWithDesc(desc, kind, w->a));
	OK(aclrtSetMemcpyDesc(desc, kind, w->dev, w->dev + 64, 64, NULL));
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_EQ(0x0404040404040404, dev_u64(w->dev + 120));
	EXPECT_EQ(0, dev_u64(w->dev + 128));

	EXPECT_ACL(NULL_OR_ZERO, aclrtGetMemcpyDescSize(kind, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetMemcpyDescSize(ACL_MEMCPY_DEVICE_TO_HOST, &size));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetMemcpyDesc(NULL, kind, w->dev, w->dev, 8, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetMemcpyDesc(desc, kind, NULL, w->dev, 8, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetMemcpyDesc(desc, kind, w->dev, NULL, 8, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetMemcpyDesc(desc, kind, w->dev, w->dev, 8, desc));
	EXPECT_ACL(BAD_VALUE,
		   aclrtSetMemcpyDesc(&size, kind, w->dev, w->dev, 8, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemcpyAsyncWithDesc(NULL, kind, w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyAsyncWithDesc(desc, ACL_MEMCPY_DEFAULT, w->a));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpyAsyncWithDesc(&size, kind, w->a));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemcpyAsyncWithDesc((char *)desc + 4, kind, w->a));
	EXPECT_ACL(BAD_HANDLE, aclrtMemcpyAsyncWithDesc(desc, kind, w->dev));
	/* The values that were set are not a descriptor. */
	OK(aclrtMemcpyAsyncWithDesc(w->dev, kind, w->a));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(w->a));
}

TEST_F(indirect, addresses_in_memory)
{
	const aclrtMemcpyKind kind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
	struct work *w = &self->w;
	const void **src = (const void **)(w->dev + 4096);
	void **dst = (void **)(w->dev + 8192);
	uint64_t pointers[2] = { (uintptr_t)w->dev, (uintptr_t)w->dev };
	uint64_t nowhere = 8;

	OK(aclrtMemsetAsync(w->dev, AREA, 6, 64, w->a));
	memcpy(w->pinned, pointers, sizeof(pointers));
	/* The stream itself writes them. */
	OK(aclrtMemcpyAsync(src, 8, w->pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE,
			    w->a));
	OK(aclrtMemcpyAsync(dst, 8, w->pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE,
			    w->a));
	OK(gate_close(w, w->a));
	OK(aclrtMemcpyAsyncWithOffset(dst, 8, 256, src, 8, 8, kind, w->a));
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_EQ(0x0606060606060606, dev_u64(w->dev + 256));
	/* In pinned memory, and in memory that only the call can read. */
	OK(aclrtMemcpyAsyncWithOffset((void **)w->pinned, 8, 264, src, 8, 0,
				      kind, w->a));
	OK(aclrtMemcpyAsyncWithOffset((void **)&pointers[0], 8, 272, src, 8, 0,
				      kind, w->a));
	OK(aclrtMemcpyAsyncWithOffset(dst, 8, 280, (const void **)&pointers[1],
				      8, 0, kind, w->a));
	OK(aclrtSynchronizeStream(w->a));
	for (int i = 264; i <= 280; i += 8)
		EXPECT_EQ(0x0606060606060606, dev_u64(w->dev + i));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemcpyAsyncWithOffset((void **)&nowhere, 8, 0, src, 8,
					      0, kind, w->a));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemcpyAsyncWithOffset(dst, 8, 0,
					      (const void **)&nowhere, 8, 0,
					      kind, w->a));

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyAsyncWithOffset(NULL, 8, 0, src, 8, 0, kind,
					      w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyAsyncWithOffset(dst, 8, 0, NULL, 8, 0, kind,
					      w->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyAsyncWithOffset(dst, 8, 0, src, 8, 0,
					      ACL_MEMCPY_DEFAULT, w->a));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemcpyAsyncWithOffset(dst, 7, 0, src, 8, 0, kind,
					      w->a));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtMemcpyAsyncWithOffset(dst, 8, 0, src, 8, 0, kind,
					      w->dev));
}

TEST_HARNESS_MAIN
