// SPDX-License-Identifier: GPL-2.0-only
/* Managed memory: one address on both sides, and its attributes. */
#include "acl-test.h"

#include <sys/mman.h>

#define GLOBAL		ACL_RT_MEM_ATTACH_GLOBAL
#define NONE		(-2)

FIXTURE(managed) {
	size_t free_before;
	char *p;		/* 8 MiB */
};

FIXTURE_SETUP(managed)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	OK(aclrtMemAllocManaged((void **)&self->p, 8 * MIB - 5, GLOBAL));
	EXPECT_EQ(self->free_before - 8 * MIB, free_bytes());
}

FIXTURE_TEARDOWN(managed)
{
	OK(aclrtFree(self->p));
	EXPECT_EQ(self->free_before, free_bytes());
}

static aclrtMemManagedLocation at(aclrtMemManagedLocationType type, int32_t id)
{
	return (aclrtMemManagedLocation){ type, id };
}

static int32_t attribute(const void *p, size_t size,
			 aclrtMemManagedRangeAttribute attr)
{
	int32_t value = 77;

	return aclrtMemManagedGetAttr(attr, p, size, &value, sizeof(value)) ?
	       99 : value;
}

TEST_F(managed, one_address)
{
	char *p = self->p, *q;
	char seen[64];

	EXPECT_EQ(0, (uintptr_t)p % HUGE_SIZE);
	memset(p, 0x51, 8 * MIB);
	OK(aclrtMemcpy(seen, 64, p + 8 * MIB - 64, 64,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_TRUE(is_all(seen, 0x51, 64));
	OK(aclrtMemset(p, 8 * MIB, 0x52, 3 * MIB));
	EXPECT_TRUE(is_all(p, 0x52, 3 * MIB));
	EXPECT_EQ(0x51, p[3 * MIB]);
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)p + 8 * MIB));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)p - 1));

	/* Other device memory stays inaccessible to the host. */
	OK(aclrtMalloc((void **)&q, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)q));
	OK(aclrtMemcpy(q, 64, p, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
	OK(aclrtFree(q));
}

TEST_F(managed, attributes_of_the_pointer)
{
	aclrtPtrAttributes a;
	uint32_t result = 9;
	void *p = self->p;

	OK(aclrtPointerGetAttributes(self->p + 8 * MIB - 1, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_MANAGED, a.location.type);
	EXPECT_EQ(0, a.location.id);
	OK(aclrtCheckMemType(&p, 1, ACL_RT_MEM_TYPE_DEV, &result, 0));
	EXPECT_EQ(1, result);
	OK(aclrtPointerGetAttributes(self->p + 8 * MIB, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, a.location.type);
}

/* Addresses, and the host's access to them, are reused. */
TEST_F(managed, repeatedly)
{
	aclrtPtrAttributes a;
	void *p[8], *first = NULL;
	int i, j;

	for (j = 0; j < 20; j++) {
		for (i = 0; i < 8; i++) {
			OK(aclrtMemAllocManaged(&p[i], 1 + i * MIB, GLOBAL));
			memset(p[i], i, 1 + i * MIB);
			EXPECT_EQ(NONE, attribute(p[i], 1,
				ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
			OK(aclrtMemManagedAdvise(p[i], HUGE_SIZE,
				ACL_MEM_ADVISE_SET_PREFERRED_LOCATION,
				at(ACL_MEM_LOCATIONTYPE_HOST, 0)));
		}
		if (!first)
			first = p[0];
		EXPECT_EQ(first, p[0]);
		for (i = 0; i < 8; i++) {
			EXPECT_TRUE(is_all(p[i], i, 1 + i * MIB));
			OK(aclrtFree(p[i]));
			EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)p[i]));
			EXPECT_ACL(BAD_VALUE, aclrtFree(p[i]));
		}
	}
	OK(aclrtPointerGetAttributes(first, &a));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, a.location.type);
	EXPECT_EQ(99, attribute(first, 1, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
}

TEST_F(managed, alloc_refused)
{
	void *p = self;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemAllocManaged(NULL, 1, GLOBAL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemAllocManaged(&p, 1, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemAllocManaged(&p, 1, 2));
	EXPECT_ACL(BAD_VALUE, aclrtMemAllocManaged(&p, 0, GLOBAL));
	EXPECT_ACL(OUT_OF_MEMORY, aclrtMemAllocManaged(&p, total_bytes(),
						       GLOBAL));
	EXPECT_TRUE(strstr(recent(), "does not fit"));
	EXPECT_ACL(OUT_OF_MEMORY, aclrtMemAllocManaged(&p, UINT64_MAX, GLOBAL));
	EXPECT_ACL(OUT_OF_MEMORY, aclrtMemAllocManaged(&p, 1ULL << 62, GLOBAL));
	EXPECT_EQ(self, p);
}

static void *without_context(void *arg)
{
	void *p;

	(void)arg;
	return (void *)(intptr_t)(aclrtMemAllocManaged(&p, 1, GLOBAL) !=
				  NO_CONTEXT);
}

TEST_F(managed, no_context)
{
	EXPECT_EQ(NULL, in_thread(without_context, NULL));
}

/* All of the device, which has no large pages left. */
TEST_F(managed, in_small_pages)
{
	size_t size = free_bytes() / HUGE_SIZE * HUGE_SIZE;
	void *hole, *rest, *p;

	OK(aclrtMallocAlign32(&hole, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	size = free_bytes() - 3 * HUGE_SIZE;
	OK(aclrtMallocAlign32(&rest, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemAllocManaged(&p, HUGE_SIZE, GLOBAL));
	memset(p, 1, HUGE_SIZE);
	OK(aclrtFree(p));
	OK(aclrtFree(rest));
	OK(aclrtFree(hole));
}

TEST_F(managed, no_advice)
{
	const char *p = self->p;
	int32_t list[3] = { 7, 7, 7 };

	EXPECT_EQ(0, attribute(p, 1, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
	EXPECT_EQ(NONE, attribute(p, 8 * MIB,
				  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
	EXPECT_EQ(ACL_MEM_LOCATIONTYPE_INVALID,
		  attribute(p, 1,
			    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
	EXPECT_EQ(NONE, attribute(p, 1,
			ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID));
	EXPECT_EQ(NONE, attribute(p, 1,
			ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
	EXPECT_EQ(ACL_MEM_LOCATIONTYPE_INVALID,
		  attribute(p, 1,
			ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE));
	EXPECT_EQ(NONE, attribute(p, 1,
			ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID));
	OK(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p, 1,
				  list, sizeof(list)));
	EXPECT_TRUE(list[0] == NONE && list[1] == NONE && list[2] == NONE);
}

TEST_F(managed, advice)
{
	const aclrtMemManagedLocation device =
		at(ACL_MEM_LOCATIONTYPE_DEVICE, 0);
	const aclrtMemManagedLocation host = at(ACL_MEM_LOCATIONTYPE_HOST, 5);
	const aclrtMemManagedLocation no = at(ACL_MEM_LOCATIONTYPE_INVALID, 0);
	char *p = self->p, *q = p + 2 * MIB;
	int32_t list[3];

	OK(aclrtMemManagedAdvise(p, 4 * MIB, ACL_MEM_ADVISE_SET_READ_MOSTLY,
				 no));
	EXPECT_EQ(1, attribute(p + 5, 4 * MIB - 5,
			       ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
	EXPECT_EQ(0, attribute(p + 5, 4 * MIB,
			       ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
	OK(aclrtMemManagedAdvise(q, 2 * MIB, ACL_MEM_ADVISE_UNSET_READ_MOSTLY,
				 no));
	EXPECT_EQ(1, attribute(p, 2 * MIB,
			       ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
	EXPECT_EQ(0, attribute(p, 2 * MIB + 1,
			       ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));

	OK(aclrtMemManagedAdvise(p, 8 * MIB,
				 ACL_MEM_ADVISE_SET_PREFERRED_LOCATION,
				 device));
	EXPECT_EQ(0, attribute(p, 8 * MIB,
			       ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
	EXPECT_EQ(ACL_MEM_LOCATIONTYPE_DEVICE,
		  attribute(p, 8 * MIB,
			    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
	OK(aclrtMemManagedAdvise(q, 2 * MIB,
				 ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
	EXPECT_EQ(-1, attribute(q, 2 * MIB,
				ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
	EXPECT_EQ(ACL_MEM_LOCATIONTYPE_HOST,
		  attribute(q, 1,
			    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
	EXPECT_EQ(NONE, attribute(p, 8 * MIB,
				  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
	OK(aclrtMemManagedAdvise(q, 2 * MIB,
				 ACL_MEM_ADVISE_SET_PREFERRED_LOCATION,
				 at(ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT,
				    1000)));
	EXPECT_EQ(ACL_MEM_LOCATIONTYPE_HOST_NUMA,
		  attribute(q, 1,
			    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
	EXPECT_LE(0, attribute(q, 1,
			       ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID));
	OK(aclrtMemManagedAdvise(p, 8 * MIB,
				 ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, no));
	EXPECT_EQ(NONE, attribute(p, 1,
				  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));

	OK(aclrtMemManagedAdvise(p, 8 * MIB, ACL_MEM_ADVISE_SET_ACCESSED_BY,
				 device));
	OK(aclrtMemManagedAdvise(p, 4 * MIB, ACL_MEM_ADVISE_SET_ACCESSED_BY,
				 host));
	OK(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p,
				  4 * MIB, list, sizeof(list)));
	EXPECT_TRUE(list[0] == 0 && list[1] == -1 && list[2] == NONE);
	OK(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p,
				  8 * MIB, list, sizeof(list)));
	EXPECT_TRUE(list[0] == 0 && list[1] == NONE && list[2] == NONE);
	OK(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p,
				  4 * MIB, list, sizeof(list[0])));
	EXPECT_EQ(0, list[0]);
	OK(aclrtMemManagedAdvise(p, 8 * MIB, ACL_MEM_ADVISE_UNSET_ACCESSED_BY,
				 device));
	OK(aclrtMemManagedAdvise(p, 2 * MIB, ACL_MEM_ADVISE_SET_ACCESSED_BY,
				 at(ACL_MEM_LOCATIONTYPE_HOST_NUMA, 0)));
	OK(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, p,
				  2 * MIB, list, sizeof(list)));
	EXPECT_TRUE(list[0] == -1 && list[1] == 0 && list[2] == NONE);
}

TEST_F(managed, several_at_once)
{
	aclrtMemManagedRangeAttribute attrs[2] = {
		ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
		ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
	};
	int32_t value = 9, list[2] = { 9, 9 };
	void *data[2] = { &value, list };
	size_t sizes[2] = { sizeof(value), sizeof(list) };
	void *p = self->p;

	OK(aclrtMemManagedGetAttrs(attrs, 2, p, 1, data, sizes));
	EXPECT_TRUE(!value && list[0] == NONE && list[1] == NONE);
	OK(aclrtMemManagedGetAttrs(attrs, 0, p, 1, data, sizes));

	value = 9;
	sizes[1] = 6;
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttrs(attrs, 2, p, 1, data,
						      sizes));
	sizes[1] = 8;
	data[1] = NULL;
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttrs(attrs, 2, p, 1, data,
							 sizes));
	data[1] = list;
	attrs[1] = (aclrtMemManagedRangeAttribute)9;
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttrs(attrs, 2, p, 1, data,
						      sizes));
	EXPECT_EQ(9, value);
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttrs(NULL, 1, p, 1, data,
							 sizes));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttrs(attrs, 1, NULL, 1,
							 data, sizes));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttrs(attrs, 1, p, 0, data,
							 sizes));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttrs(attrs, 1, p, 1, NULL,
							 sizes));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttrs(attrs, 1, p, 1, data,
							 NULL));
}

TEST_F(managed, advice_refused)
{
	const aclrtMemManagedLocation host = at(ACL_MEM_LOCATIONTYPE_HOST, 0);
	const aclrtMemManagedAdviseType set =
		ACL_MEM_ADVISE_SET_PREFERRED_LOCATION;
	char *p = self->p;
	int32_t v;
	void *q;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedAdvise(NULL, 2 * MIB, set,
						       host));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedAdvise(p, 0, set, host));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedAdvise(p, 2 * MIB,
					 (aclrtMemManagedAdviseType)6, host));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedAdvise(p, MIB, set, host));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedAdvise(p + 64, 2 * MIB, set,
						    host));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedAdvise(p, 10 * MIB, set, host));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedAdvise(p, 2 * MIB, set,
					 at(ACL_MEM_LOCATIONTYPE_DEVICE, -1)));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedAdvise(p, 2 * MIB, set,
					 at(ACL_MEM_LOCATIONTYPE_DEVICE, 64)));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedAdvise(p, 2 * MIB, set,
				at(ACL_MEM_LOCATIONTYPE_HOST_NUMA, 1000)));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedAdvise(p, 2 * MIB, set,
					 at(ACL_MEM_LOCATIONTYPE_INVALID, 0)));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedAdvise(p, 2 * MIB,
					 ACL_MEM_ADVISE_UNSET_ACCESSED_BY,
					 at((aclrtMemManagedLocationType)5,
					    0)));
	OK(aclrtMalloc(&q, 4 * MIB, ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedAdvise(q, 2 * MIB, set, host));
	OK(aclrtFree(q));

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttr(1, NULL, 1, &v, 4));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttr(1, p, 1, NULL, 4));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemManagedGetAttr(1, p, 0, &v, 4));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttr(0, p, 1, &v, 4));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttr(9, p, 1, &v, 4));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttr(1, p, 1, &v, 8));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttr(1, p, 1, &v, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttr(3, p, 1, &v, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttr(1, p, 8 * MIB + 1, &v, 4));
	EXPECT_ACL(BAD_VALUE, aclrtMemManagedGetAttr(1, &v, 1, &v, 4));
}

/* Resetting a device frees its memory, managed or not. */
TEST_F(managed, reset)
{
	void *p;

	OK(aclrtMemAllocManaged(&p, 1, GLOBAL));
	OK(aclrtResetDeviceForce(0));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)p));
	EXPECT_EQ(99, attribute(p, 1, ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
	OK(aclrtMemAllocManaged((void **)&self->p, 1, GLOBAL));
}

TEST_F(managed, forked)
{
	pid_t pid = fork_bound();

	if (!pid)
		_exit(touch_read((uintptr_t)self->p) != SIGSEGV);
	EXPECT_EQ(0, child_wait(pid));
}

#define LAST(part) ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION##part

TEST_F(managed, prefetch)
{
	const aclrtMemManagedLocation here = at(ACL_MEM_LOCATIONTYPE_DEVICE, 0);
	aclrtMemManagedLocation host = at(ACL_MEM_LOCATIONTYPE_HOST, 5);
	aclrtMemManagedLocation none = at(ACL_MEM_LOCATIONTYPE_DEVICE, 64);
	char *p = self->p;

	memset(p, 0x33, 8 * MIB);
	OK(aclrtMemManagedPrefetchAsync(p, 4 * MIB, here, 0, NULL));
	OK(aclrtSynchronizeStream(NULL));
	EXPECT_EQ(0, attribute(p, 4 * MIB, LAST()));
	EXPECT_EQ(0, attribute(p, 4 * MIB, LAST(_ID)));
	EXPECT_EQ(ACL_MEM_LOCATIONTYPE_DEVICE,
		  attribute(p, 4 * MIB, LAST(_TYPE)));
	EXPECT_EQ(NONE, attribute(p, 6 * MIB, LAST()));
	OK(aclrtMemManagedPrefetchAsync(p, 2 * MIB, host, 0, NULL));
	EXPECT_EQ(-1, attribute(p, 2 * MIB, LAST()));
	EXPECT_EQ(NONE, attribute(p, 4 * MIB, LAST()));
	EXPECT_TRUE(is_all(p, 0x33, 8 * MIB));

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemManagedPrefetchAsync(NULL, HUGE_SIZE, here, 0,
						NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemManagedPrefetchAsync(p, 0, here, 0, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedPrefetchAsync(p, MIB, here, 0, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedPrefetchAsync(p, 10 * MIB, here, 0, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedPrefetchAsync(p, HUGE_SIZE, here, 1, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemManagedPrefetchAsync(p, HUGE_SIZE, none, 0, NULL));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtMemManagedPrefetchAsync(p, HUGE_SIZE, here, 0, p));
}

TEST_F(managed, prefetch_batch)
{
	char *p = self->p;
	const void *ptrs[] = { p, p + 2 * MIB, p + 4 * MIB };
	size_t sizes[] = { HUGE_SIZE, HUGE_SIZE, 4 * MIB };
	aclrtMemManagedLocation places[] = {
		at(ACL_MEM_LOCATIONTYPE_HOST, 0),
		at(ACL_MEM_LOCATIONTYPE_DEVICE, 0),
	};
	size_t first[] = { 0, 2 }, wrong[] = { 0, 3 }, late[] = { 1, 2 };

#define BATCH(ptrs, sizes, count, places, first, n, flags, stream)	\
	aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, count, places,	\
					  first, n, flags, stream)
	sizes[2] = 6 * MIB;
	EXPECT_ACL(BAD_VALUE,
		   BATCH(ptrs, sizes, 3, places, first, 2, 0, NULL));
	EXPECT_EQ(NONE, attribute(p, HUGE_SIZE, LAST()));
	sizes[2] = 4 * MIB;
	OK(BATCH(ptrs, sizes, 3, places, first, 2, 0, NULL));
	OK(aclrtSynchronizeStream(NULL));
	EXPECT_EQ(-1, attribute(p, 4 * MIB, LAST()));
	EXPECT_EQ(0, attribute(p + 4 * MIB, 4 * MIB, LAST()));

	EXPECT_ACL(NULL_OR_ZERO,
		   BATCH(NULL, sizes, 3, places, first, 2, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   BATCH(ptrs, NULL, 3, places, first, 2, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   BATCH(ptrs, sizes, 3, NULL, first, 2, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   BATCH(ptrs, sizes, 3, places, NULL, 2, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   BATCH(ptrs, sizes, 0, places, first, 2, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   BATCH(ptrs, sizes, 3, places, first, 0, 0, NULL));
	EXPECT_ACL(BAD_VALUE,
		   BATCH(ptrs, sizes, 3, places, wrong, 2, 0, NULL));
	EXPECT_ACL(BAD_VALUE,
		   BATCH(ptrs, sizes, 3, places, late, 2, 0, NULL));
	EXPECT_ACL(BAD_VALUE,
		   BATCH(ptrs, sizes, 3, places, first, 2, 1, NULL));
	EXPECT_ACL(BAD_HANDLE,
		   BATCH(ptrs, sizes, 3, places, first, 2, 0, p));
}

TEST_HARNESS_MAIN
