// SPDX-License-Identifier: GPL-2.0-only
/* Reserved addresses and physical memory, separately. */
#include "vmm.h"

#define GIB	((size_t)1 << 30)

TEST_F(vmm, no_links)
{
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtMemMapSetLink(NULL, ACL_RT_MEM_ACCESS_LINK_HCCS));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtMemMapSelectedLink(self->va, HUGE_SIZE, NULL,
					   ACL_RT_MEM_LINK_IDX_1));
}

TEST_F(vmm, reserve)
{
	void *a, *b;

	EXPECT_ACL(NULL_OR_ZERO, aclrtReserveMemAddress(NULL, 1, 0, NULL, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtReserveMemAddress(&a, 0, 0, NULL, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtReserveMemAddress(&a, 1, 0, NULL, 2));
	EXPECT_ACL(BAD_VALUE, aclrtReserveMemAddress(&a, 1, 1, NULL, 0));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtReserveMemAddress(&a, 1, 0, self->va, 0));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtReserveMemAddress(&a, SIZE_MAX, 0, NULL, 0));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtReserveMemAddress(&a, SIZE_MAX / 2, 0, NULL, 0));

	OK(aclrtReserveMemAddress(&a, 1, 0, NULL, 1));
	EXPECT_EQ(0, (uintptr_t)a % HUGE_SIZE);
	OK(aclrtReserveMemAddress(&b, 3 * GIB / 2, 0, NULL, 0));
	EXPECT_EQ(0, (uintptr_t)b % GIB);

	/* It costs nothing, and touching it is an access without memory. */
	EXPECT_EQ(self->free_before - HUGE_SIZE, free_bytes());
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)b));
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(b, 64, 0, 64));

	EXPECT_ACL(NULL_OR_ZERO, aclrtReleaseMemAddress(NULL));
	EXPECT_ACL(BAD_VALUE, aclrtReleaseMemAddress((char *)b + HUGE_SIZE));
	EXPECT_ACL(BAD_VALUE, aclrtReleaseMemAddress(&a));
	EXPECT_ACL(BAD_VALUE, aclrtFree(a));
	OK(aclrtReleaseMemAddress(a));
	EXPECT_ACL(BAD_VALUE, aclrtReleaseMemAddress(a));
	OK(aclrtReleaseMemAddress(b));
}

TEST_F(vmm, reserve_is_reused)
{
	void *first, *p;
	int i;

	OK(aclrtReserveMemAddress(&first, 4 * GIB, 0, NULL, 0));
	OK(aclrtReleaseMemAddress(first));
	for (i = 0; i < 100; i++) {
		OK(aclrtReserveMemAddress(&p, 4 * GIB, 0, NULL, 0));
		EXPECT_EQ(first, p);
		OK(aclrtReleaseMemAddress(p));
	}
}

TEST_F(vmm, reserve_no_uc_memory)
{
	void *at = (void *)(uintptr_t)(40ULL << 40), *p = self;

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtReserveMemAddressNoUCMemory(NULL, GIB, 0, at, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtReserveMemAddressNoUCMemory(&p, 0, 0, at, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtReserveMemAddressNoUCMemory(&p, GIB, 0, at, 2));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtReserveMemAddressNoUCMemory(&p, GIB, 0, at, 1));
	EXPECT_EQ((void *)self, p);
}

TEST_F(vmm, granularity)
{
	aclrtPhysicalMemProp *prop = &self->prop;
	size_t bytes;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemGetAllocationGranularity(NULL,
		ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemGetAllocationGranularity(prop,
		ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAllocationGranularity(prop,
		ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &bytes));

	OK(aclrtMemGetAllocationGranularity(prop,
		ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes));
	EXPECT_EQ(HUGE_SIZE, bytes);
	prop->memAttr = ACL_MEM_NORMAL;
	OK(aclrtMemGetAllocationGranularity(prop,
		ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &bytes));
	EXPECT_EQ(HUGE_SIZE, bytes);
	prop->memAttr = ACL_HBM_MEM_HUGE1G;
	OK(aclrtMemGetAllocationGranularity(prop,
		ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes));
	EXPECT_EQ(GIB, bytes);
}

/* Properties that neither of the calls accepts. */
TEST_F(vmm, properties_refused)
{
	static const aclrtMemAttr attrs[] = {
		ACL_DDR_MEM, ACL_HBM_MEM, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL,
		ACL_DDR_MEM_P2P_HUGE, ACL_DDR_MEM_P2P_NORMAL,
		ACL_HBM_MEM_P2P_HUGE, (aclrtMemAttr)99,
	};
	static const struct {
		int type;
		aclError code;
	} places[] = {
		/* The host has none of the kind that the fixture uses. */
		{ ACL_MEM_LOCATION_TYPE_HOST, NULL_OR_ZERO },
		{ ACL_MEM_LOCATION_TYPE_HOST_NUMA, NULL_OR_ZERO },
		{ ACL_MEM_LOCATION_TYPE_UNREGISTERED, NULL_OR_ZERO },
		{ ACL_MEM_LOCATION_TYPE_MANAGED, NULL_OR_ZERO },
		{ 99, NULL_OR_ZERO },
	};
	aclrtPhysicalMemProp prop;
	aclrtDrvMemHandle handle;
	size_t bytes, i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		prop = self->prop;
		prop.memAttr = attrs[i];
		EXPECT_ACL(NULL_OR_ZERO,
			   aclrtMallocPhysical(&handle, 1, &prop, 0));
		EXPECT_ACL(NULL_OR_ZERO,
			   aclrtMemGetAllocationGranularity(&prop,
				ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes));
	}
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		prop = self->prop;
		prop.location.type = places[i].type;
		EXPECT_ACL(places[i].code,
			   aclrtMallocPhysical(&handle, 1, &prop, 0));
	}
	prop = self->prop;
	prop.location.id = device_count();
	EXPECT_ACL(BAD_DEVICE, aclrtMallocPhysical(&handle, 1, &prop, 0));
	prop = self->prop;
	prop.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocPhysical(&handle, 1, &prop, 0));
	prop = self->prop;
	prop.allocationType = (aclrtMemAllocationType)1;
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocPhysical(&handle, 1, &prop, 0));
}

TEST_F(vmm, malloc_physical)
{
	aclrtDrvMemHandle handle;
	aclrtPhysicalMemProp got;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocPhysical(NULL, 1, &self->prop, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocPhysical(&handle, 1, NULL, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMallocPhysical(&handle, 0, &self->prop, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMallocPhysical(&handle, 1, &self->prop, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMallocPhysical(&handle, SIZE_MAX, &self->prop, 0));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMallocPhysical(&handle, total_bytes() + 1, &self->prop,
				       0));

	EXPECT_EQ(self->free_before - HUGE_SIZE, free_bytes());
	self->prop.memAttr = ACL_MEM_P2P_NORMAL;
	OK(aclrtMallocPhysical(&handle, 1, &self->prop, 0));
	EXPECT_EQ(self->free_before - 2 * HUGE_SIZE, free_bytes());

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemGetAllocationPropertiesFromHandle(NULL, &got));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemGetAllocationPropertiesFromHandle(handle, NULL));
	memset(&got, 0xff, sizeof(got));
	OK(aclrtMemGetAllocationPropertiesFromHandle(handle, &got));
	EXPECT_EQ(ACL_MEM_P2P_NORMAL, got.memAttr);
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, got.location.type);
	EXPECT_EQ(0, got.location.id);
	EXPECT_EQ(ACL_MEM_HANDLE_TYPE_NONE, got.handleType);
	EXPECT_EQ(ACL_MEM_ALLOCATION_TYPE_PINNED, got.allocationType);

	OK(aclrtFreePhysical(handle));
	EXPECT_EQ(self->free_before - HUGE_SIZE, free_bytes());
	EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(handle));
}

TEST_F(vmm, garbage_handles)
{
	const void *garbage[] = { GARBAGE_HANDLES, self->va };
	aclrtPhysicalMemProp prop;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(garbage); i++) {
		void *p = (void *)garbage[i];

		EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(p));
		EXPECT_ACL(BAD_HANDLE,
			   aclrtMapMem(self->va, HUGE_SIZE, 0, p, 0));
		EXPECT_ACL(BAD_HANDLE,
			   aclrtMemGetAllocationPropertiesFromHandle(p, &prop));
	}
	EXPECT_ACL(NULL_OR_ZERO, aclrtFreePhysical(NULL));
}

/* Addresses that are released in any order are one range again. */
TEST_F(vmm, released_addresses_join)
{
	unsigned int i, n = 0, last = 64;
	uint64_t size = 1ULL << 46;
	void *all, *piece[64];
	uintptr_t end;

	while (size > HUGE_SIZE &&
	       aclrtReserveMemAddress(&all, size, 0, NULL, 0))
		size /= 2;
	ASSERT_LT(HUGE_SIZE, size);
	OK(aclrtReleaseMemAddress(all));

	/*
	 * As twice the size does not fit, all places for it contain this byte.
	 */
	end = (uintptr_t)all + size - 1;
	while (n < 64 &&
	       !aclrtReserveMemAddress(&piece[n], size / 4, 0, NULL, 0)) {
		if (end - (uintptr_t)piece[n] < size / 4)
			last = n;
		n++;
	}
	ASSERT_GT(n, last);
	ASSERT_GT(64, n);
	/* The range that was released last is reserved again as it is. */
	OK(aclrtReleaseMemAddress(piece[last]));
	OK(aclrtReserveMemAddress(&all, size / 4, 0, NULL, 0));
	EXPECT_EQ(piece[last], all);

	for (i = 0; i < n; i++)
		if (i != last)
			OK(aclrtReleaseMemAddress(piece[i]));
	OK(aclrtReleaseMemAddress(piece[last]));
	OK(aclrtReserveMemAddress(&all, size, 0, NULL, 0));
	OK(aclrtReleaseMemAddress(all));
}

TEST_HARNESS_MAIN
