// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guarded allocations (VNPU_GUARD=1): accesses beyond their end, before their
 * first page and after their free fail, and calls that take addresses know them.
 */
#include "acl-memory.h"
#include "acl-kernel.h"
#include "vnpu.h"
#include "vnpu/profile.h"

#include <sys/resource.h>

#define VECTOR_EXCEPTION	ACL_ERROR_RT_VECTOR_CORE_EXCEPTION

/* Copies and kernels access blocks of so many bytes. */
#define BLOCK			32

FIXTURE(guard) {
	aclrtStream stream;
	aclrtBinHandle bin;
	aclrtFuncHandle pokes;
	aclrtFuncHandle copies;		/* 256 bytes to device memory */
	size_t free_before;
};

FIXTURE_SETUP(guard)
{
	char path[PATH_MAX];

	kernels_path(path, sizeof(path));
	setenv("VNPU_GUARD", "1", 1);
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	OK(aclrtBinaryLoadFromFile(path, NULL, &self->bin));
	OK(aclrtBinaryGetFunction(self->bin, "pokes", &self->pokes));
	OK(aclrtBinaryGetFunction(self->bin, "races", &self->copies));
	self->free_before = free_bytes();
}

FIXTURE_TEARDOWN(guard)
{
	EXPECT_EQ(self->free_before, free_bytes());
	aclrtResetDeviceForce(0);
	aclFinalize();
}

static size_t rounded(size_t size)
{
	return (size + BLOCK - 1) / BLOCK * BLOCK;
}

static aclError guarded_malloc(void *p, size_t size)
{
	return aclrtMalloc(p, size, ACL_MEM_MALLOC_NORMAL_ONLY);
}

static aclError run(FIXTURE_DATA(guard) *self, aclrtFuncHandle func, void *args,
		    size_t size)
{
	aclError ret = aclrtLaunchKernelWithHostArgs(func, 1, self->stream,
						     NULL, args, size, NULL, 0);

	return ret ? ret : aclrtSynchronizeStream(self->stream);
}

/* Have a kernel write 4 bytes; return the code of the stream. */
static aclError poke(FIXTURE_DATA(guard) *self, char *at)
{
	struct {
		char *x;
		uint32_t block;
	} args = { at, 0 };

	return run(self, self->pokes, &args, sizeof(args));
}

static aclError fill(FIXTURE_DATA(guard) *self, char *at, size_t size)
{
	aclError ret = aclrtMemsetAsync(at, size, 0x17, size, self->stream);

	return ret ? ret : aclrtSynchronizeStream(self->stream);
}

/* Check that the last error has an address, and a text around another one. */
static void names(struct __test_metadata *_metadata, const char *address,
		  const char *before, const char *start, const char *after)
{
	char wanted[3][96];
	const char *message = recent();

	snprintf(wanted[0], sizeof(wanted[0]), "0x%llx",
		 (unsigned long long)(uintptr_t)address);
	snprintf(wanted[1], sizeof(wanted[1]), "%s 0x%llx%s", before,
		 (unsigned long long)(uintptr_t)start, after);
	EXPECT_NE(NULL, strstr(message, wanted[0]))
		TH_LOG("%s, without %s", message, wanted[0]);
	EXPECT_TRUE(!start || strstr(message, wanted[1]))
		TH_LOG("%s, without %s", message, wanted[1]);
}

#define NAMES(...)	names(_metadata, __VA_ARGS__)

static const struct {
	size_t size;
	const char *before, *after;
} sizes[] = {
	{ 1, "address is 31 bytes behind", ", 1 byte of memory" },
	{ 31, "address is 1 byte behind", ", 31 bytes of memory" },
	{ 32, "address is right behind", ", 32 bytes of memory" },
	{ 33, "address is 31 bytes behind", ", 33 bytes of memory" },
	{ 4095, "address is 1 byte behind", ", 4095 bytes of memory" },
	{ 4096, "address is right behind", ", 4 KiB of memory" },
	{ MIB, "address is right behind", ", 1 MiB of memory" },
};

#define SIZES	(sizeof(sizes) / sizeof(sizes[0]))

TEST_F(guard, kernels_beyond_the_end)
{
	char *p, *end;

	for (size_t i = 0; i < SIZES; i++) {
		OK(guarded_malloc(&p, sizes[i].size));
		end = p + rounded(sizes[i].size);
		EXPECT_EQ(0, (uintptr_t)end % PAGE_SIZE);
		EXPECT_ACL(0, poke(self, end - 4));
		EXPECT_ACL(VECTOR_EXCEPTION, poke(self, end));
		NAMES(end, sizes[i].before, p, sizes[i].after);
		OK(aclrtFree(p));
	}
}

TEST_F(guard, kernels_copy_beyond_the_end)
{
	char *p;

	OK(guarded_malloc(&p, 256));
	EXPECT_ACL(0, run(self, self->copies, &p, sizeof(p)));
	OK(aclrtFree(p));
	OK(guarded_malloc(&p, 220));
	EXPECT_ACL(VECTOR_EXCEPTION, run(self, self->copies, &p, sizeof(p)));
	NAMES(p + 224, "address is 4 bytes behind", p, ", 220 bytes of memory");
	OK(aclrtFree(p));
}

TEST_F(guard, fills_beyond_the_end)
{
	char *p, *end;
	size_t length;

	for (size_t i = 0; i < SIZES; i++) {
		OK(guarded_malloc(&p, sizes[i].size));
		length = rounded(sizes[i].size);
		end = p + length;
		EXPECT_ACL(0, fill(self, p, length));
		EXPECT_ACL(0, fill(self, end - 1, 1));
		EXPECT_NE(0, fill(self, end, 1));
		NAMES(end, NULL, NULL, NULL);
		EXPECT_NE(0, fill(self, p, length + 1));
		NAMES(end, NULL, NULL, NULL);
		OK(aclrtFree(p));
	}
}

TEST_F(guard, copies_beyond_the_end)
{
	char *p, *q, host[PAGE_SIZE];

	OK(guarded_malloc(&p, 100));
	OK(guarded_malloc(&q, 100));
	memset(host, 1, sizeof(host));
	OK(aclrtMemcpy(p, 128, host, 128, ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(p, 129, host, 129,
					  ACL_MEMCPY_HOST_TO_DEVICE));
	NAMES(p + 128, NULL, NULL, NULL);
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(host, 129, p, 129,
					  ACL_MEMCPY_DEVICE_TO_HOST));
	OK(aclrtMemcpy(q, 128, p, 128, ACL_MEMCPY_DEVICE_TO_DEVICE));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(q, 129, p, 129,
					  ACL_MEMCPY_DEVICE_TO_DEVICE));
	OK(aclrtFree(p));
	OK(aclrtFree(q));
}

TEST_F(guard, before_the_first_page)
{
	char *p, *page;

	OK(guarded_malloc(&p, 4096 + 32));
	page = p - (uintptr_t)p % PAGE_SIZE;
	/* The rest of the first page cannot be guarded. */
	EXPECT_ACL(0, poke(self, page));
	EXPECT_ACL(VECTOR_EXCEPTION, poke(self, page - 4));
	NAMES(page - 4, "address is 4068 bytes before", p, ", 4128 bytes of");
	EXPECT_NE(0, fill(self, page - 1, 1));
	NAMES(page - 1, NULL, NULL, NULL);
	OK(aclrtFree(p));
}

TEST_F(guard, after_the_free)
{
	char *p, *q;

	OK(guarded_malloc(&p, 4096));
	OK(aclrtFree(p));
	OK(guarded_malloc(&q, 4096));
	EXPECT_NE(p, q);
	EXPECT_ACL(VECTOR_EXCEPTION, poke(self, p + 256));
	NAMES(p + 256, "address is 256 bytes into", p,
	      ", 4 KiB of memory that was freed");
	EXPECT_NE(0, fill(self, p, 1));
	NAMES(p, NULL, NULL, NULL);
	EXPECT_ACL(BAD_VALUE, aclrtMemset(p, 1, 0, 1));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	OK(aclrtFree(q));
}

TEST_F(guard, free_refuses)
{
	char *p;

	OK(guarded_malloc(&p, 3 * PAGE_SIZE - 100));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + 1));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + BLOCK));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p - (uintptr_t)p % PAGE_SIZE));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + PAGE_SIZE));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p + 3 * PAGE_SIZE));
	EXPECT_ACL(0, fill(self, p, 3 * PAGE_SIZE - 100));
	OK(aclrtFree(p));
}

#define CYCLES	10000
#define DISTINCT	1000

TEST_F(guard, many_cycles)
{
	static char *seen[DISTINCT];
	char *p;

	for (int i = 0; i < CYCLES; i++) {
		OK(guarded_malloc(&p, i % 5000 + 1));
		if (i < DISTINCT)
			seen[i] = p;
		OK(aclrtFree(p));
	}
	EXPECT_EQ(self->free_before, free_bytes());
	for (int i = 1; i < DISTINCT; i++)
		for (int j = 0; j < i; j++)
			ASSERT_NE(seen[i], seen[j]);
}

/* Find the size of the largest allocation, to 4 MiB. */
static size_t largest(void)
{
	size_t low = 0, high = free_bytes(), size;
	void *p;

	while (high - low > 4 * MIB) {
		size = (low + high) / 2;
		if (guarded_malloc(&p, size)) {
			high = size;
		} else {
			low = size;
			aclrtFree(p);
		}
	}
	return low;
}

/* Freed allocations keep addresses until others need them. */
TEST(few_addresses)
{
	struct rlimit limit = { 3UL << 30, 3UL << 30 };
	size_t before, size;
	void *p;

	setenv("VNPU_GUARD", "1", 1);
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &limit));
	OK(aclrtSetDevice(0));
	before = free_bytes();
	size = largest();
	/* Addresses are the limit. */
	ASSERT_GT(before, size + 64 * MIB);
	/* All of them together need 10 GiB of addresses. */
	for (int i = 0; i < CYCLES; i++) {
		OK(guarded_malloc(&p, MIB));
		OK(aclrtFree(p));
	}
	EXPECT_EQ(before, free_bytes());
	EXPECT_EQ(size, largest());
}

TEST_F(guard, every_call_and_policy)
{
	static const uint32_t policies[] = {
		ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY,
		ACL_MEM_MALLOC_HUGE1G_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY_P2P, 77,
	};
	static const alloc_fn calls[] = {
		aclrtMalloc, aclrtMallocAlign32, aclrtMallocCached, with_cfg,
	};
	void *p;

	for (int i = 0; i < 20; i++) {
		OK(calls[i / 5](&p, 3 * MIB - 100, policies[i % 5]));
		EXPECT_EQ(96, (uintptr_t)p % PAGE_SIZE);
		EXPECT_EQ(3 * MIB, self->free_before - free_bytes());
		OK(aclrtFree(p));
	}
	OK(vnpu_malloc(&p, 2 * PAGE_SIZE - 64, VNPU_MALLOC_CONTIGUOUS));
	EXPECT_EQ(64, (uintptr_t)p % PAGE_SIZE);
	OK(aclrtFree(p));
}

TEST_F(guard, before_pools)
{
	char *p;

	setenv("VNPU_POOL", "1", 1);
	OK(guarded_malloc(&p, 100));
	EXPECT_EQ(PAGE_SIZE, self->free_before - free_bytes());
	EXPECT_ACL(BAD_VALUE, aclrtMemset(p, 129, 0, 129));
	OK(aclrtFree(p));
}

TEST_F(guard, queries)
{
	aclrtPtrAttributes where;
	void *base;
	size_t size;
	char *p;

	OK(guarded_malloc(&p, 100));
	OK(aclrtPointerGetAttributes(p + 99, &where));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, where.location.type);
	OK(aclrtPointerGetAttributes(p + 128, &where));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, where.location.type);
	OK(aclrtMemGetAddressRange(p + 99, &base, &size));
	EXPECT_EQ(p, base);
	EXPECT_EQ(128, size);
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAddressRange(p - 1, &base, &size));
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAddressRange(p + 128, &base, &size));
	OK(aclrtMemP2PMap(p, 128, 0, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemP2PMap(p, 129, 0, 0));
	OK(aclrtFree(p));
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAddressRange(p, &base, &size));
}

/* An import is guarded at its end, too. */
TEST_F(guard, shared_with_a_key)
{
	char key[65], byte = 0;
	char *p, *q;

	OK(guarded_malloc(&p, 100));
	OK(aclrtMemset(p, 100, 0x31, 100));
	EXPECT_ACL(BAD_VALUE,
		   aclrtIpcMemGetExportKey(p, 129, key, sizeof(key), 0));
	OK(aclrtIpcMemGetExportKey(p, 100, key, sizeof(key), 0));
	OK(aclrtIpcMemImportByKey((void **)&q, key, 0));
	OK(aclrtMemcpy(&byte, 1, q + 99, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0x31, byte);
	EXPECT_ACL(BAD_VALUE, aclrtMemset(q, 129, 0, 129));
	EXPECT_ACL(BAD_VALUE, aclrtFree(q));
	OK(aclrtIpcMemClose(key));
	OK(aclrtFree(p));
	/* The free has ended the key. */
	EXPECT_ACL(BAD_VALUE, aclrtIpcMemImportByKey((void **)&q, key, 0));
	OK(aclrtIpcMemClose(key));
}

TEST_F(guard, profiled)
{
	struct vnpu_profile_stats stats;
	void *p, *q;

	OK(vnpu_profile_start(0));
	OK(guarded_malloc(&p, 100));
	OK(guarded_malloc(&q, 1000));
	OK(aclrtFree(p));
	OK(vnpu_profile_get_stats(&stats, sizeof(stats)));
	EXPECT_EQ(1000, stats.live_bytes);
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	OK(vnpu_profile_get_stats(&stats, sizeof(stats)));
	EXPECT_EQ(0, stats.live_bytes);
	EXPECT_ACL(BAD_VALUE, aclrtFree(q));
}

TEST(host_access)
{
	uintptr_t p;

	setenv("VNPU_GUARD", "1", 1);
	setenv("VNPU_HOST_ACCESS", "1", 1);
	OK(aclrtSetDevice(0));
	OK(guarded_malloc(&p, 100));
	EXPECT_EQ(0, touch_write(p + 127, 1));
	EXPECT_EQ(SIGSEGV, touch_write(p + 128, 1));
	EXPECT_EQ(SIGSEGV, touch_read(p - p % PAGE_SIZE - 1));
	OK(aclrtFree((void *)p));
	EXPECT_EQ(SIGSEGV, touch_read(p));
}

/* Without the variable, or with another value, small allocations share pages. */
static void shares_pages(struct __test_metadata *_metadata)
{
	char *p, *q;

	OK(aclrtSetDevice(0));
	OK(guarded_malloc(&p, 32));
	OK(guarded_malloc(&q, 32));
	EXPECT_EQ(0, (uintptr_t)p % 64);
	EXPECT_EQ(64, q > p ? q - p : p - q);
	OK(aclrtFree(p));
	OK(aclrtFree(q));
}

TEST(without_the_variable)
{
	unsetenv("VNPU_GUARD");
	shares_pages(_metadata);
}

TEST(another_value)
{
	setenv("VNPU_GUARD", "0", 1);
	shares_pages(_metadata);
}

TEST_HARNESS_MAIN
