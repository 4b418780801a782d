// SPDX-License-Identifier: GPL-2.0-only
/* Queries of memory: of a pointer, and of a device. */
#include "acl-test.h"

FIXTURE(meminfo) {
	size_t free_before;
};

FIXTURE_SETUP(meminfo)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	ASSERT_LT(64 * MIB, self->free_before);
}

FIXTURE_TEARDOWN(meminfo)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(meminfo, pointer_attributes)
{
	aclrtPtrAttributes a;
	char *p, *h, c;

	OK(aclrtMalloc((void **)&p, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMallocHost((void **)&h, 5000));
	memset(&a, 0xff, sizeof(a));
	OK(aclrtPointerGetAttributes(p, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, a.location.type);
	EXPECT_EQ(0, a.location.id);
	EXPECT_EQ(HUGE_SIZE, a.pageSize);
	OK(aclrtPointerGetAttributes(p + 3 * MIB - 1, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, a.location.type);
	OK(aclrtPointerGetAttributes(h, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, a.location.type);
	OK(aclrtPointerGetAttributes(h + 4999, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, a.location.type);
	OK(aclrtPointerGetAttributes(&c, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, a.location.type);
	OK(aclrtPointerGetAttributes((void *)8, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, a.location.type);
	OK(aclrtFree(p));
	OK(aclrtFreeHost(h));
	OK(aclrtPointerGetAttributes(h, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, a.location.type);
	OK(aclrtMalloc((void **)&p, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtPointerGetAttributes(p, &a));
	EXPECT_EQ(PAGE_SIZE, a.pageSize);
	EXPECT_ACL(NULL_OR_ZERO, aclrtPointerGetAttributes(NULL, &a));
	EXPECT_ACL(NULL_OR_ZERO, aclrtPointerGetAttributes(p, NULL));
}

TEST_F(meminfo, types)
{
	void *list[3], *p, *q;
	uint32_t result = 99;
	int on_stack;

	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&q, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	list[0] = p;
	list[1] = q;
	list[2] = &on_stack;
	OK(aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV, &result, 0));
	EXPECT_EQ(1, result);
	OK(aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV |
			     ACL_RT_MEM_TYPE_DVPP, &result, 0));
	EXPECT_EQ(1, result);
	OK(aclrtCheckMemType(list, 3, ACL_RT_MEM_TYPE_DEV, &result, 0));
	EXPECT_EQ(0, result);
	OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_RSVD, &result, 0));
	EXPECT_EQ(0, result);
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtCheckMemType(NULL, 1, ACL_RT_MEM_TYPE_DEV, &result, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DEV, NULL, 0));
	EXPECT_NE(ACL_SUCCESS,
		  aclrtCheckMemType(list, 0, ACL_RT_MEM_TYPE_DEV, &result, 0));
	EXPECT_NE(ACL_SUCCESS, aclrtCheckMemType(list, 1, 0, &result, 0));
	EXPECT_ACL(BAD_VALUE,
		   aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DEV, &result, 1));
}

TEST_F(meminfo, info)
{
	static const aclrtMemAttr none[] = {
		ACL_DDR_MEM, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL,
		ACL_DDR_MEM_P2P_HUGE, ACL_DDR_MEM_P2P_NORMAL,
	};
	static const aclrtMemAttr normal[] = {
		ACL_HBM_MEM, ACL_HBM_MEM_NORMAL, ACL_HBM_MEM_P2P_NORMAL,
		ACL_MEM_NORMAL, ACL_MEM_P2P_NORMAL,
	};
	static const aclrtMemAttr huge[] = {
		ACL_HBM_MEM_HUGE, ACL_HBM_MEM_P2P_HUGE, ACL_MEM_HUGE,
		ACL_MEM_P2P_HUGE,
	};
	static const aclrtMemAttr giant[] = {
		ACL_HBM_MEM_HUGE1G, ACL_HBM_MEM_P2P_HUGE1G, ACL_MEM_HUGE1G,
		ACL_MEM_P2P_HUGE1G,
	};
	size_t i, free, total;

	for (i = 0; i < 5; i++) {
		OK(aclrtGetMemInfo(none[i], &free, &total));
		EXPECT_EQ(0, free);
		EXPECT_EQ(0, total);
		OK(aclrtGetMemInfo(normal[i], &free, &total));
		EXPECT_EQ(self->free_before, free);
		EXPECT_EQ(total_bytes(), total);
	}
	for (i = 0; i < 4; i++) {
		OK(aclrtGetMemInfo(huge[i], &free, &total));
		EXPECT_EQ(0, free % HUGE_SIZE);
		EXPECT_GE(self->free_before, free);
		OK(aclrtGetMemInfo(giant[i], &free, &total));
		EXPECT_EQ(0, free % ((size_t)1 << 30));
		EXPECT_GE(self->free_before, free);
	}
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetMemInfo(ACL_HBM_MEM, &free, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtGetMemInfo((aclrtMemAttr)99, &free, &total));
}

TEST(info_needs_a_context)
{
	size_t free, total;

	EXPECT_ACL(NO_CONTEXT, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
}

TEST_F(meminfo, usage)
{
	aclrtMemUsageInfo info[8];
	uint64_t sum = 0;
	size_t n = 0, i;
	void *p;

	OK(aclrtMalloc(&p, 4 * MIB - 64, ACL_MEM_MALLOC_HUGE_FIRST));
	memset(info, 0xff, sizeof(info));
	OK(aclrtGetMemUsageInfo(0, info, 8, &n));
	ASSERT_LE(1, n);
	ASSERT_GE(8, n);
	for (i = 0; i < n; i++) {
		EXPECT_NE(NULL, memchr(info[i].name, 0, 32));
		EXPECT_NE(0, info[i].name[0]);
		EXPECT_LE(info[i].curMemSize, info[i].memPeakSize);
		if (i) {
			EXPECT_LE(info[i].curMemSize, info[i - 1].curMemSize);
		}
		sum += info[i].curMemSize;
	}
	EXPECT_LE(4 * MIB, sum);
	OK(aclrtGetMemUsageInfo(0, info, 1, &n));
	EXPECT_EQ(1, n);
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetMemUsageInfo(0, NULL, 1, &n));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetMemUsageInfo(0, info, 1, NULL));
	EXPECT_NE(ACL_SUCCESS, aclrtGetMemUsageInfo(0, info, 0, &n));
	EXPECT_ACL(BAD_DEVICE, aclrtGetMemUsageInfo(1000, info, 1, &n));
}

TEST_HARNESS_MAIN
