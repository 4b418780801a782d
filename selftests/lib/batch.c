// SPDX-License-Identifier: GPL-2.0-only
/* Batches of copies. */
#include "acl-test.h"

#define N	5
#define EACH	(10 * KIB)

FIXTURE(batch) {
	void *dsts[N], *srcs[N];
	size_t destMaxs[N], sizes[N], fail;
	aclrtMemcpyBatchAttr attrs[N];
	size_t indexes[N];
	uint8_t *device, *host;
};

static aclrtMemLocation on_device(void)
{
	return (aclrtMemLocation){ 0, ACL_MEM_LOCATION_TYPE_DEVICE };
}

static aclrtMemLocation on_host(void)
{
	return (aclrtMemLocation){ 0, ACL_MEM_LOCATION_TYPE_HOST };
}

/* N copies from the host to the device, described by one attribute. */
FIXTURE_SETUP(batch)
{
	size_t i;

	OK(aclrtSetDevice(0));
	OK(aclrtMalloc((void **)&self->device, N * EACH,
		       ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMallocHost((void **)&self->host, N * EACH));
	OK(aclrtMemset(self->device, N * EACH, 0, N * EACH));
	memset(self->attrs, 0, sizeof(self->attrs));
	for (i = 0; i < N; i++) {
		memset(self->host + i * EACH, (int)i + 1, EACH);
		self->dsts[i] = self->device + i * EACH;
		self->srcs[i] = self->host + i * EACH;
		self->sizes[i] = EACH - i;
		self->destMaxs[i] = EACH;
		self->attrs[i].dstLoc = on_device();
		self->attrs[i].srcLoc = on_host();
		self->indexes[i] = i;
	}
	self->fail = 99;
}

FIXTURE_TEARDOWN(batch)
{
	aclrtResetDeviceForce(0);
}

static aclError run(FIXTURE_DATA(batch) *self, size_t attributes)
{
	return aclrtMemcpyBatch(self->dsts, self->destMaxs, self->srcs,
				self->sizes, N, self->attrs, self->indexes,
				attributes, &self->fail);
}

static aclError run_v2(FIXTURE_DATA(batch) *self, size_t attributes)
{
	return aclrtMemcpyBatchV2(self->dsts, self->destMaxs, self->srcs,
				  self->sizes, N, self->attrs, self->indexes,
				  attributes);
}

static bool arrived(FIXTURE_DATA(batch) *self)
{
	uint8_t *back = malloc(N * EACH);
	bool result = back && !aclrtMemcpy(back, N * EACH, self->device,
					   N * EACH, ACL_MEMCPY_DEFAULT);
	size_t i;

	for (i = 0; i < N && result; i++)
		result = is_all(back + i * EACH, (int)i + 1, EACH - i) &&
			 is_all(back + (i + 1) * EACH - i, 0, i);
	free(back);
	return result;
}

TEST_F(batch, one_attribute_for_all)
{
	OK(run(self, 1));
	EXPECT_TRUE(arrived(self));
}

TEST_F(batch, an_attribute_for_each)
{
	OK(run(self, N));
	EXPECT_TRUE(arrived(self));
}

TEST_F(batch, v2)
{
	OK(run_v2(self, 1));
	EXPECT_TRUE(arrived(self));
}

TEST_F(batch, both_directions)
{
	OK(run(self, 1));
	memset(self->host, 0xee, EACH);
	/* The first is copied back, the others are copied again. */
	self->dsts[0] = self->host;
	self->srcs[0] = self->device;
	self->attrs[0].dstLoc = on_host();
	self->attrs[0].srcLoc = on_device();
	OK(run(self, 2));
	EXPECT_TRUE(is_all(self->host, 1, EACH));
	EXPECT_TRUE(arrived(self));
}

TEST_F(batch, null_and_zero)
{
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatch(NULL, self->destMaxs, self->srcs,
				    self->sizes, N, self->attrs,
				    self->indexes, 1, &self->fail));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatch(self->dsts, NULL, self->srcs,
				    self->sizes, N, self->attrs,
				    self->indexes, 1, &self->fail));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatch(self->dsts, self->destMaxs, NULL,
				    self->sizes, N, self->attrs,
				    self->indexes, 1, &self->fail));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatch(self->dsts, self->destMaxs, self->srcs,
				    NULL, N, self->attrs, self->indexes, 1,
				    &self->fail));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatch(self->dsts, self->destMaxs, self->srcs,
				    self->sizes, N, NULL, self->indexes, 1,
				    &self->fail));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatch(self->dsts, self->destMaxs, self->srcs,
				    self->sizes, N, self->attrs, NULL, 1,
				    &self->fail));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemcpyBatch(self->dsts, self->destMaxs, self->srcs,
				    self->sizes, 0, self->attrs,
				    self->indexes, 1, &self->fail));
	EXPECT_NE(ACL_SUCCESS, run(self, 0));
	EXPECT_NE(ACL_SUCCESS, run_v2(self, 0));
}

TEST_F(batch, attributes_must_fit)
{
	EXPECT_NE(ACL_SUCCESS, run(self, N + 1));
	self->indexes[0] = 1;
	EXPECT_ACL(BAD_VALUE, run(self, 1));
	self->indexes[0] = 0;
	self->indexes[1] = 3;
	self->indexes[2] = 2;
	EXPECT_ACL(BAD_VALUE, run(self, 3));
	self->indexes[1] = N;
	EXPECT_ACL(BAD_VALUE, run(self, 2));
	self->indexes[1] = 1;
	/* The attribute does not match the place of the address. */
	self->attrs[0].dstLoc = on_host();
	self->attrs[0].srcLoc = on_device();
	EXPECT_ACL(BAD_VALUE, run(self, 1));
}

TEST_F(batch, reports_which_one_failed)
{
	self->destMaxs[3] = self->sizes[3] - 1;
	EXPECT_ACL(BAD_VALUE, run(self, 1));
	EXPECT_EQ(3, self->fail);
	EXPECT_ACL(BAD_VALUE, run_v2(self, 1));
}

TEST(batches_need_a_context)
{
	uint8_t a[8] = "", b[8];
	void *dst = b, *src = a;
	size_t size = 8, index = 0, fail;
	aclrtMemcpyBatchAttr attr;

	memset(&attr, 0, sizeof(attr));
	attr.dstLoc = on_device();
	attr.srcLoc = on_host();
	EXPECT_ACL(NO_CONTEXT,
		   aclrtMemcpyBatch(&dst, &size, &src, &size, 1, &attr, &index,
				    1, &fail));
}

TEST_HARNESS_MAIN
