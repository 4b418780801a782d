// SPDX-License-Identifier: MIT
/*
 * Allocation and free of device memory, without pools.
 *
 * Only the kernel records what is allocated.  An allocation takes an address of
 * the address manager and one call to the driver, which chooses the address
 * itself for small sizes.  A free is one call, which returns the properties of
 * the address; only then may the address be reused.  So two threads never
 * disagree about an address, and the driver detects an invalid one.  guard.c
 * records the addresses of guarded allocations in addition.
 */
#include <errno.h>

#include "base/error.h"
#include "io/io.h"
#include "io/va.h"
#include "ipc/share.h"
#include "memprof/profile.h"
#include "guard.h"
#include "lib_block.h"
#include "managed.h"
#include "mem.h"
#include "slab.h"

int vnpu_mem_alloc_pages(uint32_t device, unsigned int page_shift,
			 uint64_t size, unsigned int flags, uint64_t *va,
			 uint64_t *report)
{
	uint64_t length = vnpu_align_up(size, 1ULL << page_shift);
	int ret;

	if (vnpu_guard_is_on())
		return vnpu_guard_alloc(device, size, flags, va, report);
	if (length < size)
		return -EADDRNOTAVAIL;
	if (page_shift == VNPU_IO_SHIFT_4K &&
	    !(flags & VNPU_IO_ALLOC_CONTIGUOUS)) {
		ret = vnpu_mem_slab_alloc(device, size, va);
		/* A slab can have more pages than are left, or allowed. */
		if (ret != -EOPNOTSUPP && !vnpu_mem_is_oom(ret))
			return ret;
	}
	ret = vnpu_va_alloc(page_shift, length, va);
	if (ret)
		return ret;
	ret = vnpu_io_mem_alloc(device, page_shift, length, *va, flags, report);
	if (ret)
		vnpu_va_free(page_shift, length, *va);
	return ret;
}

/* @page_shift is 0 for a slab, of which the driver keeps the addresses. */
static void free_addresses(unsigned int page_shift, uint64_t length,
			   uint64_t base)
{
	if (page_shift && !(vnpu_guard_is_on() && vnpu_guard_retire(base)))
		vnpu_va_free(page_shift, length, base);
}

int vnpu_mem_free_block(uint64_t va)
{
	struct vnpu_record *record;
	unsigned int page_shift;
	uint64_t base, length;
	int ret = vnpu_guard_base(va, &base);

	if (ret)
		return ret;
	record = vnpu_profile_free_begin(va);
	ret = vnpu_io_mem_free(base, &length, &page_shift);
	/*
	 * If no block begins there, the record is of memory that another thread
	 * freed.
	 */
	vnpu_profile_free_end(record, !ret || ret == -ENOENT || ret == -EINVAL);
	if (ret)
		return ret;
	if (vnpu_va_is_managed(va))
		vnpu_managed_forget(va);
	vnpu_share_forget(base);
	free_addresses(page_shift, length, base);
	return 0;
}

/* Get the address by which the program knows a binding. */
static uint64_t address_of(const struct vnpu_io_binding *binding)
{
	struct vnpu_guarded guarded;

	return vnpu_guard_find(binding->va, &guarded) ? guarded.va :
							binding->va;
}

int vnpu_mem_free_all(uint32_t device)
{
	struct vnpu_io_binding binding;
	uint64_t va = 0;
	int ret;

	while (!(ret = vnpu_io_va_query(va, true, &binding))) {
		va = binding.va + binding.length;
		if (binding.device != device || binding.has_id)
			continue;
		/* Another thread may free the same memory at this moment. */
		ret = vnpu_lib_block_free_range(address_of(&binding),
					   binding.length);
		if (ret && ret != -ENOENT)
			return ret;
	}
	return ret == -ENOENT ? 0 : ret;
}

aclError vnpu_mem_config_check(const aclrtMallocConfig *cfg,
			       int64_t *user_device)
{
	if (!cfg || !cfg->numAttrs)
		return ACL_SUCCESS;
	if (!cfg->attrs)
		return vnpu_error_null("cfg->attrs");

	for (size_t i = 0; i < cfg->numAttrs; i++) {
		const aclrtMallocAttribute *attr = &cfg->attrs[i];

		switch (attr->attr) {
		case ACL_RT_MEM_ATTR_MODULE_ID:
		case ACL_RT_MEM_ATTR_VA_FLAG:
			break;
		case ACL_RT_MEM_ATTR_DEVICE_ID:
			*user_device = attr->value.deviceId;
			break;
		default:
			return vnpu_error(ACL_ERROR_INVALID_PARAM,
				"cfg->attrs[%zu].attr = %d is not known; use a value of aclrtMallocAttrType",
				i, attr->attr);
		}
	}
	return ACL_SUCCESS;
}
