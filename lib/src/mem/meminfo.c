// SPDX-License-Identifier: MIT
/* Properties of device memory: sizes and pointers. */
#include <string.h>

#include "base/error.h"
#include "io/io.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "guard.h"
#include "host.h"
#include "managed.h"
#include "mem.h"
#include "userptr.h"

/* The pages that count as the free memory of an attribute. */
enum memory_kind { KIND_NONE, KIND_ANY, KIND_2M, KIND_1G };

/* A device has high-bandwidth memory, and no DDR. */
static const struct {
	aclrtMemAttr attr;
	enum memory_kind kind;
} memory_kinds[] = {
	{ ACL_DDR_MEM,			KIND_NONE },
	{ ACL_DDR_MEM_HUGE,		KIND_NONE },
	{ ACL_DDR_MEM_NORMAL,		KIND_NONE },
	{ ACL_DDR_MEM_P2P_HUGE,		KIND_NONE },
	{ ACL_DDR_MEM_P2P_NORMAL,	KIND_NONE },
	{ ACL_HBM_MEM,			KIND_ANY },
	{ ACL_HBM_MEM_NORMAL,		KIND_ANY },
	{ ACL_HBM_MEM_P2P_NORMAL,	KIND_ANY },
	{ ACL_MEM_NORMAL,		KIND_ANY },
	{ ACL_MEM_P2P_NORMAL,		KIND_ANY },
	{ ACL_HBM_MEM_HUGE,		KIND_2M },
	{ ACL_HBM_MEM_P2P_HUGE,		KIND_2M },
	{ ACL_MEM_HUGE,			KIND_2M },
	{ ACL_MEM_P2P_HUGE,		KIND_2M },
	{ ACL_HBM_MEM_HUGE1G,		KIND_1G },
	{ ACL_HBM_MEM_P2P_HUGE1G,	KIND_1G },
	{ ACL_MEM_HUGE1G,		KIND_1G },
	{ ACL_MEM_P2P_HUGE1G,		KIND_1G },
};

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
	VNPU_CALL();
	struct vnpu_io_device info;
	struct vnpu_current current;
	size_t i = 0;
	aclError ret;

	if (!free)
		return vnpu_error_null("free");
	if (!total)
		return vnpu_error_null("total");
	while (i < ARRAY_SIZE(memory_kinds) && memory_kinds[i].attr != attr)
		i++;
	if (i == ARRAY_SIZE(memory_kinds))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"attr = %d is not known; use a value of aclrtMemAttr",
			attr);
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	ret = vnpu_device_query(current.device, &info);
	if (ret)
		return ret;

	*total = info.total;
	switch (memory_kinds[i].kind) {
	case KIND_NONE:
		*free = 0;
		*total = 0;
		break;
	case KIND_ANY:
		*free = info.free;
		break;
	case KIND_2M:
		*free = info.free_2m;
		break;
	case KIND_1G:
		*free = info.free_1g;
		break;
	}
	return ACL_SUCCESS;
}

/* The program is the only component that holds memory. */
aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo,
			      size_t inputNum, size_t *outputNum)
{
	VNPU_CALL();
	struct vnpu_io_device info;
	aclError ret;

	if (!memUsageInfo)
		return vnpu_error_null("memUsageInfo");
	if (!outputNum)
		return vnpu_error_null("outputNum");
	if (!inputNum)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"inputNum is 0; pass room for at least 1 component");
	ret = vnpu_device_query_user(deviceId, &info);
	if (ret)
		return ret;

	memset(memUsageInfo, 0, sizeof(*memUsageInfo));
	strcpy(memUsageInfo->name, "APP");
	memUsageInfo->curMemSize = info.used;
	memUsageInfo->memPeakSize = info.peak;
	*outputNum = 1;
	return ACL_SUCCESS;
}

static bool is_bound(const void *addr, struct vnpu_io_binding *binding)
{
	uint64_t va = vnpu_ptr_to_u64(addr);

	return vnpu_io_is_device_address(va) &&
	       !vnpu_io_va_query(va, false, binding);
}

aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType,
			   uint32_t *checkResult, uint32_t reserve)
{
	VNPU_CALL();
	const uint32_t known = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP |
			       ACL_RT_MEM_TYPE_RSVD;
	uint32_t result = memType & ACL_RT_MEM_TYPE_DEV ? 1 : 0;
	struct vnpu_io_binding binding;

	if (!addrList)
		return vnpu_error_null("addrList");
	if (!checkResult)
		return vnpu_error_null("checkResult");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 1 address");
	if (!memType || memType & ~known)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"memType = 0x%x has unknown bits; use ACL_RT_MEM_TYPE_* bits",
			memType);
	if (reserve)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"reserve = %u must be 0", reserve);

	for (uint32_t i = 0; i < size && result; i++)
		result = is_bound(addrList[i], &binding) && !binding.is_host;
	*checkResult = result;
	return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void *ptr,
				   aclrtPtrAttributes *attributes)
{
	VNPU_CALL();
	struct vnpu_io_binding binding;
	bool bound;

	if (!ptr)
		return vnpu_error_null("ptr");
	if (!attributes)
		return vnpu_error_null("attributes");

	memset(attributes, 0, sizeof(*attributes));
	bound = is_bound(ptr, &binding);
	if (bound && !binding.is_host) {
		attributes->location.type =
			vnpu_managed_has(vnpu_ptr_to_u64(ptr)) ?
			ACL_MEM_LOCATION_TYPE_MANAGED :
			ACL_MEM_LOCATION_TYPE_DEVICE;
		attributes->location.id =
			vnpu_device_user_number(binding.device);
		attributes->pageSize = 1U << binding.page_shift;
	} else if (bound ||
		   vnpu_host_has(vnpu_ptr_to_u64(ptr), 1) ||
		   vnpu_userptr_has(vnpu_ptr_to_u64(ptr))) {
		attributes->location.type = ACL_MEM_LOCATION_TYPE_HOST;
	} else {
		attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	}
	return ACL_SUCCESS;
}

bool vnpu_mem_find_range(uint64_t va, uint64_t *base, uint64_t *length)
{
	struct vnpu_io_binding binding;
	struct vnpu_guarded guarded;

	if (!vnpu_io_is_device_address(va) ||
	    vnpu_io_va_query(va, false, &binding))
		return false;
	*base = binding.va;
	*length = binding.length;
	if (vnpu_guard_find(va, &guarded)) {
		*base = guarded.va;
		*length = guarded.bound;
	}
	return va >= *base;
}

aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)
{
	VNPU_CALL();
	uint64_t va = vnpu_ptr_to_u64(ptr);
	uint64_t base, length;

	if (!ptr)
		return vnpu_error_null("ptr");
	if (!pbase && !psize)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"pbase and psize are both NULL; pass at least one of them");
	if (!vnpu_mem_find_range(va, &base, &length) &&
	    !vnpu_host_find(va, &base, &length))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = %p is not inside allocated or mapped memory",
			ptr);
	if (pbase)
		*pbase = vnpu_u64_to_ptr(base);
	if (psize)
		*psize = length;
	return ACL_SUCCESS;
}
