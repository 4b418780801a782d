// SPDX-License-Identifier: MIT
/*
 * What there is to know about device memory: figures, pointers, and why an
 * allocation failed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "device.h"
#include "error.h"
#include "host.h"
#include "hostreg.h"
#include "io.h"
#include "managed.h"
#include "mem.h"

/* Kinds of memory, by what is counted as free. */
enum memory_kind { KIND_NONE, KIND_ANY, KIND_2M, KIND_1G };

/* A device has high-bandwidth memory; of DDR there is none. */
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
	struct vnpu_io_device info;
	struct vnpu_current current;
	size_t i = 0;
	aclError ret;

	if (!free)
		return vnpu_error_null(__func__, "free");
	if (!total)
		return vnpu_error_null(__func__, "total");
	while (i < ARRAY_SIZE(memory_kinds) && memory_kinds[i].attr != attr)
		i++;
	if (i == ARRAY_SIZE(memory_kinds))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"attr = %d is not known; use a value of aclrtMemAttr",
			attr);
	ret = vnpu_context_current(__func__, &current);
	if (ret)
		return ret;
	ret = vnpu_device_query(__func__, current.device, &info);
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

/* The program is the one component that holds memory. */
aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo,
			      size_t inputNum, size_t *outputNum)
{
	struct vnpu_io_device info;
	uint32_t device;
	aclError ret;

	if (!memUsageInfo)
		return vnpu_error_null(__func__, "memUsageInfo");
	if (!outputNum)
		return vnpu_error_null(__func__, "outputNum");
	if (!inputNum)
		return vnpu_error(ACL_ERROR_INVALID_PARAM, __func__,
			"inputNum is 0; ask for at least 1 component");
	ret = vnpu_device_resolve(__func__, deviceId, &device);
	if (ret)
		return ret;
	ret = vnpu_device_query(__func__, device, &info);
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
	const uint32_t known = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP |
			       ACL_RT_MEM_TYPE_RSVD;
	uint32_t result = memType & ACL_RT_MEM_TYPE_DEV ? 1 : 0;
	struct vnpu_io_binding binding;

	if (!addrList)
		return vnpu_error_null(__func__, "addrList");
	if (!checkResult)
		return vnpu_error_null(__func__, "checkResult");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM, __func__,
			"size is 0; pass at least 1 address");
	if (!memType || memType & ~known)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"memType = 0x%x is not made of ACL_RT_MEM_TYPE_* bits",
			memType);
	if (reserve)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"reserve = %u must be 0", reserve);

	for (uint32_t i = 0; i < size && result; i++)
		result = is_bound(addrList[i], &binding) && !binding.is_host;
	*checkResult = result;
	return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void *ptr,
				   aclrtPtrAttributes *attributes)
{
	struct vnpu_io_binding binding;
	bool bound;

	if (!ptr)
		return vnpu_error_null(__func__, "ptr");
	if (!attributes)
		return vnpu_error_null(__func__, "attributes");

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
		   vnpu_hostreg_has(vnpu_ptr_to_u64(ptr))) {
		attributes->location.type = ACL_MEM_LOCATION_TYPE_HOST;
	} else {
		attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	}
	return ACL_SUCCESS;
}

aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)
{
	uint64_t va = vnpu_ptr_to_u64(ptr);
	struct vnpu_io_binding binding;
	uint64_t base, length;

	if (!ptr)
		return vnpu_error_null(__func__, "ptr");
	if (!pbase && !psize)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"pbase and psize are both NULL; ask for one of them");
	if (vnpu_io_is_device_address(va) &&
	    !vnpu_io_va_query(va, false, &binding)) {
		base = binding.va;
		length = binding.length;
	} else if (!vnpu_host_find(va, &base, &length)) {
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"ptr = %p is in no memory that was allocated or mapped",
			ptr);
	}
	if (pbase)
		*pbase = vnpu_u64_to_ptr(base);
	if (psize)
		*psize = length;
	return ACL_SUCCESS;
}

/* A size for people, as "12.5 MiB". */
struct text {
	char buffer[24];
};

static struct text size_text(uint64_t bytes)
{
	static const char *const units[] = {
		"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"
	};
	struct text text;
	double value = bytes;
	size_t unit = 0;

	while (value >= 1024) {
		value /= 1024;
		unit++;
	}
	snprintf(text.buffer, sizeof(text.buffer), "%.*f %s",
		 unit && value < 1000 ? 1 : 0, value,
		 bytes == 1 ? "byte" : units[unit]);
	return text;
}

static const char *page_class_name(unsigned int page_shift)
{
	switch (page_shift) {
	case VNPU_IO_SHIFT_2M:
		return "2 MiB";
	case VNPU_IO_SHIFT_1G:
		return "1 GiB";
	default:
		return "4 KiB";
	}
}

/* What would help, the first thing that applies. */
static const char *advice(const struct vnpu_io_device *info,
			  unsigned int page_shift, uint64_t length)
{
	if (length > info->total)
		return "The device is smaller than that: ask for less, or load the module with a larger arena=.";
	if (length > info->free && info->used >= info->total - info->free)
		return "All of it is held by this process: free memory, or ask for less.";
	if (length > info->free)
		return "Other processes hold the rest (see vnpu-smi info): free memory, end one of them, or ask for less.";
	if (page_shift == VNPU_IO_SHIFT_4K)
		return "Memory was freed meanwhile: try again.";
	return "Enough is free, but not in such pages: ACL_MEM_MALLOC_NORMAL_ONLY takes 4 KiB pages, which would do, and ACL_MEM_MALLOC_HUGE_FIRST falls back to them.";
}

/* What more the driver knows of a request for @length bytes that failed. */
struct oom_text {
	char buffer[320];
};

static struct oom_text oom_text(uint32_t device, uint64_t length)
{
	struct oom_text text = { "" };
	struct vnpu_io_oom oom;
	size_t used;

	/* Another thread's failure may have been later. */
	if (vnpu_io_oom_query(&oom) || oom.device != device ||
	    oom.length != length)
		return text;
	used = snprintf(text.buffer, sizeof(text.buffer),
			" Fragmentation is %u/1000, compaction would%s help; most is held by",
			oom.frag_index, oom.compaction_helps ? "" : " not");
	for (unsigned int i = 0; i < oom.holders && used < sizeof(text.buffer);
	     i++) {
		const struct vnpu_io_holder *holder = &oom.holder[i];
		size_t room = sizeof(text.buffer) - used;
		const char *comma = i ? "," : "";

		if (holder->pid)
			used += snprintf(text.buffer + used, room,
					 "%s %u (%s): %s", comma, holder->pid,
					 holder->name,
					 size_text(holder->used).buffer);
		else
			used += snprintf(text.buffer + used, room,
					 "%s a process not visible here: %s",
					 comma, size_text(holder->used).buffer);
	}
	if (!oom.holders)
		text.buffer[0] = '\0';
	else if (used < sizeof(text.buffer) - 1)
		strcpy(text.buffer + used, ".");
	return text;
}

aclError vnpu_mem_explain(const char *call, uint32_t device,
			  unsigned int page_shift, uint64_t size,
			  uint64_t length)
{
	struct vnpu_io_device info;
	uint64_t in_pages;
	aclError ret;

	ret = vnpu_device_query(call, device, &info);
	if (ret)
		return ret;

	in_pages = page_shift == VNPU_IO_SHIFT_1G ? info.free_1g : info.free_2m;
	return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION, call,
		"size = %llu (%s) does not fit in %s pages on device %d: %s of %s are free, the largest free run has %s, whole %s pages make up %s; this process (%d) holds %s in %llu blocks. %s%s",
		(unsigned long long)size, size_text(size).buffer,
		page_class_name(page_shift), vnpu_device_user_number(device),
		size_text(info.free).buffer, size_text(info.total).buffer,
		size_text(info.largest_free).buffer,
		page_shift == VNPU_IO_SHIFT_1G ? "1 GiB" : "2 MiB",
		size_text(in_pages).buffer, getpid(),
		size_text(info.used).buffer, (unsigned long long)info.objects,
		advice(&info, page_shift, length),
		oom_text(device, vnpu_align_up(length, 1ULL << page_shift)).buffer);
}
