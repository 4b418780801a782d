// SPDX-License-Identifier: MIT
/*
 * aclrtMalloc() and aclrtFree(): device memory from a pool or from the driver.
 *
 * A pool that the program or the environment has set serves requests without
 * constraints; mem.c serves the others.  If the device has no memory left, the
 * pools return unused memory.
 */
#include <errno.h>

#include "base/child.h"
#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "mem/guard.h"
#include "mem/host.h"
#include "mem/lib_block.h"
#include "mem/mem.h"
#include "memprof/profile.h"
#include "pool/default.h"
#include "pool/mempool.h"
#include "pool/provider.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "stream/stream.h"
#include "malloc.h"
#include "vnpu.h"

#define SLACK		32		/* bytes that CANN adds to a size */
#define HUGE_MIN	(2UL << 20)	/* for an unknown policy */
#define HUGE_FIRST_MIN	((1UL << 20) + 1)

/* The policy bits that select a memory; a device here has only one. */
#define POLICY_BANDWIDTH (ACL_MEM_TYPE_LOW_BAND_WIDTH | \
			  ACL_MEM_TYPE_HIGH_BAND_WIDTH)

/* The change of a size before it is rounded up to pages. */
enum rounding {
	ROUND_NONE,
	ROUND_32,		/* up to 32 bytes */
	ROUND_32_AND_SLACK,	/* and 32 more, except for 1 GiB pages */
};

/* The pages that a policy selects for a size. */
struct plan {
	unsigned int page_shift;
	bool falls_back;		/* to 4 KiB pages */
	bool is_any;			/* a pool may serve it */
};

/* @size is the requested size, before rounding. */
static struct plan plan_make(uint32_t policy, uint64_t size)
{
	switch (policy & ~POLICY_BANDWIDTH) {
	case ACL_MEM_MALLOC_HUGE_ONLY:
	case ACL_MEM_MALLOC_HUGE_ONLY_P2P:
		return (struct plan){ .page_shift = VNPU_IO_SHIFT_2M };
	case ACL_MEM_MALLOC_NORMAL_ONLY:
	case ACL_MEM_MALLOC_NORMAL_ONLY_P2P:
		return (struct plan){ .page_shift = VNPU_IO_SHIFT_4K };
	case ACL_MEM_MALLOC_HUGE1G_ONLY:
	case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P:
		return (struct plan){ .page_shift = VNPU_IO_SHIFT_1G };
	case ACL_MEM_MALLOC_HUGE_FIRST:
	case ACL_MEM_MALLOC_HUGE_FIRST_P2P:
		if (size >= HUGE_FIRST_MIN)
			return (struct plan){ VNPU_IO_SHIFT_2M, true, true };
		break;
	}
	if (size >= HUGE_MIN)
		return (struct plan){ VNPU_IO_SHIFT_2M, true, true };
	return (struct plan){ .page_shift = VNPU_IO_SHIFT_4K, .is_any = true };
}

/* The bit in an unknown policy is not a request for read-only memory. */
static bool is_readonly(uint32_t policy)
{
	return policy & ACL_MEM_ACCESS_USER_SPACE_READONLY &&
	       (policy & ~(POLICY_BANDWIDTH |
			   ACL_MEM_ACCESS_USER_SPACE_READONLY)) <=
	       ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

/*
 * Allocate as planned, or with the fallback, which @plan then describes. Only
 * the last attempt has the driver report a failure.
 */
static int alloc_planned(uint32_t device, struct plan *plan, uint64_t size,
			 uint64_t *va, uint64_t *report)
{
	/* Pools have free memory, too. */
	bool may_trim = vnpu_mempool_exists() || vnpu_provider_has_pools();
	unsigned int flags = may_trim ? VNPU_IO_ALLOC_TRY : 0;
	int ret;

	ret = vnpu_mem_alloc_pages(device, plan->page_shift, size,
				   plan->falls_back ? VNPU_IO_ALLOC_TRY : flags,
				   va, report);
	if (vnpu_mem_is_oom(ret) && plan->falls_back) {
		plan->page_shift = VNPU_IO_SHIFT_4K;
		ret = vnpu_mem_alloc_pages(device, plan->page_shift, size,
					   flags, va, report);
	}
	if (!vnpu_mem_is_oom(ret) || !may_trim)
		return ret;
	vnpu_mempool_trim_all(true);
	vnpu_provider_trim(device);
	return vnpu_mem_alloc_pages(device, plan->page_shift, size, 0, va,
				    report);
}

static aclError args_check(const char *name, void **ptr, uint64_t size,
			   uint32_t policy)
{
	if (!ptr)
		return vnpu_error_null(name);
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 1 byte");
	if (size > UINT64_MAX - 2 * SLACK)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size = %llu cannot be rounded up to 32 bytes; request less",
			(unsigned long long)size);
	if (is_readonly(policy))
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"policy = 0x%x: this device has no read-only memory; omit ACL_MEM_ACCESS_USER_SPACE_READONLY",
			policy);
	return ACL_SUCCESS;
}

/* Allocate @rounded bytes from the pool of the device, if it has any left. */
static bool alloc_pooled(uint32_t device, uint64_t rounded, uint64_t size,
			 void **ptr)
{
	void *pooled = vnpu_default_alloc(device, rounded);

	if (!pooled)
		return false;
	vnpu_profile_alloc(VNPU_PROFILE_MALLOC, vnpu_ptr_to_u64(pooled), size,
			   device, VNPU_PROFILE_NO_STREAM);
	*ptr = pooled;
	return true;
}

static aclError mem_alloc(void **ptr, uint64_t size, enum rounding rounding,
			  uint32_t policy, const aclrtMallocConfig *cfg)
{
	struct vnpu_failed_alloc failed = { .size = size };
	struct plan plan = plan_make(policy, size);
	struct vnpu_current current;
	int64_t user_device = -1;
	uint64_t rounded = size;
	uint64_t va;
	aclError ret;
	int err;

	vnpu_gate_pass();
	ret = args_check("devPtr", ptr, size, policy);
	if (!ret)
		ret = vnpu_mem_config_check(cfg, &user_device);
	if (!ret)
		ret = vnpu_context_current(&current);
	if (!ret && user_device >= 0)
		ret = vnpu_device_resolve(user_device, &current.device);
	if (ret)
		return ret;

	if (vnpu_guard_is_on()) {
		plan = (struct plan){ .page_shift = VNPU_IO_SHIFT_4K };
		rounding = ROUND_NONE;
	}
	if (rounding != ROUND_NONE)
		rounded = vnpu_align_up(size, 32);
	if (plan.is_any &&
	    alloc_pooled(current.device, rounded, size, ptr))
		return ACL_SUCCESS;
	if (rounding == ROUND_32_AND_SLACK &&
	    plan.page_shift != VNPU_IO_SHIFT_1G)
		rounded += SLACK;

	err = alloc_planned(current.device, &plan, rounded, &va,
			    &failed.report);
	if (vnpu_mem_is_oom(err)) {
		failed.device = current.device;
		failed.page_shift = plan.page_shift;
		failed.length = rounded;
		return vnpu_oom_explain(err, &failed);
	}
	if (err)
		return vnpu_error_errno(err, "allocating device memory");
	vnpu_profile_alloc(VNPU_PROFILE_MALLOC, va, size, current.device,
			   VNPU_PROFILE_NO_STREAM);
	*ptr = vnpu_u64_to_ptr(va);
	return ACL_SUCCESS;
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	VNPU_CALL();

	return mem_alloc(devPtr, size, ROUND_32_AND_SLACK, policy, NULL);
}

aclError aclrtMallocCached(void **devPtr, size_t size,
			   aclrtMemMallocPolicy policy)
{
	VNPU_CALL();

	return mem_alloc(devPtr, size, ROUND_32_AND_SLACK, policy, NULL);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size,
			    aclrtMemMallocPolicy policy)
{
	VNPU_CALL();

	return mem_alloc(devPtr, size, ROUND_32, policy, NULL);
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size,
			    aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
	VNPU_CALL();

	return mem_alloc(devPtr, size, ROUND_NONE, policy, cfg);
}

aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size,
				     aclrtMemMallocPolicy policy,
				     aclrtMallocConfig *cfg)
{
	VNPU_CALL();

	return mem_alloc(devPtr, size, ROUND_NONE, policy, cfg);
}

aclError vnpu_mem_alloc(void **ptr, uint64_t size)
{
	return mem_alloc(ptr, size, ROUND_32, ACL_MEM_MALLOC_HUGE_FIRST, NULL);
}

aclError vnpu_malloc(void **ptr, size_t size, uint32_t flags)
{
	VNPU_CALL();
	struct vnpu_failed_alloc failed = {
		.page_shift = VNPU_IO_SHIFT_4K,
		.contiguous = flags & VNPU_MALLOC_CONTIGUOUS,
		.size = size,
		.length = size,
	};
	struct vnpu_current current;
	unsigned int wishes = 0;
	uint64_t va;
	aclError ret;
	int err;

	ret = args_check("ptr", ptr, size, ACL_MEM_MALLOC_NORMAL_ONLY);
	if (ret)
		return ret;
	if (flags & ~(VNPU_MALLOC_CONTIGUOUS | VNPU_MALLOC_NO_COMPACT))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = 0x%x has unknown bits; use VNPU_MALLOC_* bits",
			flags);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	if (failed.contiguous)
		wishes |= VNPU_IO_ALLOC_CONTIGUOUS;
	if (flags & VNPU_MALLOC_NO_COMPACT)
		wishes |= VNPU_IO_ALLOC_NO_COMPACT;
	failed.device = current.device;
	err = vnpu_mem_alloc_pages(current.device, VNPU_IO_SHIFT_4K, size,
				   wishes, &va, &failed.report);
	if (vnpu_mem_is_oom(err))
		return vnpu_oom_explain(err, &failed);
	if (err)
		return vnpu_error_errno(err, "allocating device memory");
	vnpu_profile_alloc(VNPU_PROFILE_MALLOC, va, size, current.device,
			   VNPU_PROFILE_NO_STREAM);
	*ptr = vnpu_u64_to_ptr(va);
	return ACL_SUCCESS;
}

/* Free the block at @va if it belongs to a pool. */
static int free_pooled(uint64_t va)
{
	struct vnpu_record *record = vnpu_profile_free_begin(va);
	int ret = vnpu_default_free(va);

	vnpu_profile_free_end(record, !ret);
	return ret;
}

aclError vnpu_mem_free(void *ptr)
{
	uint64_t va = vnpu_ptr_to_u64(ptr);
	int err = -ENOENT;

	if (!ptr)
		return vnpu_error_null("devPtr");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);

	if (vnpu_io_is_device_address(va)) {
		err = free_pooled(va);
		if (err == -ENOENT)
			err = vnpu_mempool_free(va);
		if (err == -ENOENT && vnpu_lib_block_has(va))
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"devPtr = %p is the value of a condition of a model, which frees it; call aclmdlRIDestroy",
				ptr);
		if (err == -ENOENT)
			err = vnpu_mem_free_block(va);
	}
	if (err == -ENOENT || err == -EINVAL || err == -EALREADY)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"devPtr = %p is not the start of allocated device memory; it was freed before, its device was reset, it is inside a block, mapped or imported, or it is not a device pointer",
			ptr);
	return err ? vnpu_error_errno(err, "freeing device memory") :
		     ACL_SUCCESS;
}

aclError aclrtFree(void *devPtr)
{
	VNPU_CALL();

	vnpu_gate_pass();
	return vnpu_mem_free(devPtr);
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
	VNPU_CALL();
	aclError ret;

	vnpu_gate_pass();
	if (!devPtr)
		return vnpu_error_null("devPtr");
	ret = vnpu_stream_wait_all(-1);
	return ret ? ret : vnpu_mem_free(devPtr);
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
	VNPU_CALL();
	aclError ret;

	if (!hostPtr)
		return vnpu_error_null("hostPtr");
	ret = vnpu_stream_wait_all(-1);
	return ret ? ret : vnpu_host_free(hostPtr);
}
