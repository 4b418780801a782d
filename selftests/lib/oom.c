// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of the driver on failed allocations: when there is one, and which one
 * the message of a failed call describes.
 *
 * The library's requests go through ioctl(), which is replaced here: it can let
 * another allocation fail between a failed call and the library's query.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include <linux/vnpu.h>

#include "acl-test.h"
#include "acl/acl_rt_memory_soma.h"

static const aclrtMemPoolProps plain = {
	.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
	.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
};

/* The library's file, and its last request for memory. */
static int library = -1;
static struct vnpu_mem_alloc last;
static bool fails_again;

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == VNPU_IOCTL_MEM_ALLOC) {
		library = fd;
		last = *(struct vnpu_mem_alloc *)arg;
	}
	if (request == VNPU_IOCTL_OOM_QUERY && fails_again) {
		fails_again = false;
		syscall(SYS_ioctl, fd, VNPU_IOCTL_MEM_ALLOC, &last);
	}
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

/* Return the number of reports on this process. */
static uint64_t reports(void)
{
	struct vnpu_oom_query query = { .size = sizeof(query) };

	if (!syscall(SYS_ioctl, library, VNPU_IOCTL_OOM_QUERY, &query))
		return query.out_count;
	return errno == ENOENT ? 0 : UINT64_MAX;
}

FIXTURE(oom) {
	aclrtStream stream;
};

FIXTURE_SETUP(oom)
{
	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
}

FIXTURE_TEARDOWN(oom)
{
	OK(aclrtDestroyStream(self->stream));
	OK(aclrtResetDevice(0));
	OK(aclFinalize());
}

FIXTURE_VARIANT(oom)
{
	aclrtMemMallocPolicy policy;
};

FIXTURE_VARIANT_ADD(oom, small_pages)
{
	.policy = ACL_MEM_MALLOC_NORMAL_ONLY,
};

FIXTURE_VARIANT_ADD(oom, large_pages)
{
	.policy = ACL_MEM_MALLOC_HUGE_ONLY,
};

FIXTURE_VARIANT_ADD(oom, any_pages)
{
	.policy = ACL_MEM_MALLOC_HUGE_FIRST,
};

/* A pool's cached memory is freed for the allocation, which succeeds then. */
TEST_F(oom, no_report_on_success)
{
	size_t half = free_bytes() / 2 / HUGE_SIZE * HUGE_SIZE;
	aclrtMemPool pool;
	void *p;

	OK(aclrtMemPoolCreate(&pool, &plain));
	OK(aclrtMemPoolMallocAsync(&p, half, pool, self->stream));
	OK(aclrtMemPoolFreeAsync(p, self->stream));
	ASSERT_GT(half + 8 * HUGE_SIZE, free_bytes());
	OK(aclrtMalloc(&p, half + 8 * HUGE_SIZE, variant->policy));
	EXPECT_EQ(0, reports());
	OK(aclrtFree(p));
	OK(aclrtMemPoolDestroy(pool));
}

TEST_F(oom, one_report_of_a_failure)
{
	void *p, *q;

	OK(aclrtMalloc(&p, HUGE_SIZE, variant->policy));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMalloc(&q, free_bytes() + HUGE_SIZE, variant->policy));
	EXPECT_EQ(1, reports());
	EXPECT_NE(NULL, strstr(recent(), "most is held by"));
	OK(aclrtFree(p));
}

/* The same request fails again, so only the number differs. */
TEST_F(oom, a_newer_report_is_not_printed)
{
	void *p, *q;

	OK(aclrtMalloc(&p, HUGE_SIZE, variant->policy));
	fails_again = true;
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMalloc(&q, free_bytes() + HUGE_SIZE, variant->policy));
	EXPECT_FALSE(fails_again);
	EXPECT_EQ(2, reports());
	EXPECT_EQ(NULL, strstr(recent(), "most is held by"));
	OK(aclrtFree(p));
}

TEST_HARNESS_MAIN
