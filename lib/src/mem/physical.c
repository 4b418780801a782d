// SPDX-License-Identifier: MIT
/*
 * Physical memory, see physical.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/error.h"
#include "base/gate.h"
#include "base/handle.h"
#include "ipc/share.h"
#include "memprof/profile.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "host.h"
#include "mem.h"
#include "physical.h"
#include "vmm.h"

#define GRANULE		(2UL << 20)
#define GRANULE_1G	(1UL << 30)

static struct vnpu_physical *physicals;

/* The attributes that a program may request of a device, or of the host. */
struct memory_attr {
	aclrtMemAttr attr;
	unsigned int page_shift;
};

static const struct memory_attr device_attrs[] = {
	{ ACL_MEM_NORMAL,	VNPU_IO_SHIFT_4K },
	{ ACL_MEM_P2P_NORMAL,	VNPU_IO_SHIFT_4K },
	{ ACL_HBM_MEM_NORMAL,	VNPU_IO_SHIFT_4K },
	{ ACL_MEM_HUGE,		VNPU_IO_SHIFT_2M },
	{ ACL_MEM_P2P_HUGE,	VNPU_IO_SHIFT_2M },
	{ ACL_HBM_MEM_HUGE,	VNPU_IO_SHIFT_2M },
	{ ACL_MEM_HUGE1G,	VNPU_IO_SHIFT_1G },
	{ ACL_MEM_P2P_HUGE1G,	VNPU_IO_SHIFT_1G },
	{ ACL_HBM_MEM_HUGE1G,	VNPU_IO_SHIFT_1G },
};

/* Small pages make up all host memory, and stand in for large ones. */
static const struct memory_attr host_attrs[] = {
	{ ACL_MEM_NORMAL,		VNPU_IO_SHIFT_4K },
	{ ACL_MEM_P2P_NORMAL,		VNPU_IO_SHIFT_4K },
	{ ACL_DDR_MEM_NORMAL,		VNPU_IO_SHIFT_4K },
	{ ACL_DDR_MEM_P2P_NORMAL,	VNPU_IO_SHIFT_4K },
	{ ACL_MEM_HUGE,			VNPU_IO_SHIFT_4K },
	{ ACL_MEM_P2P_HUGE,		VNPU_IO_SHIFT_4K },
	{ ACL_DDR_MEM_HUGE,		VNPU_IO_SHIFT_4K },
	{ ACL_DDR_MEM_P2P_HUGE,		VNPU_IO_SHIFT_4K },
};

/* The source of physical memory. */
struct place {
	bool is_host;
	int64_t node;			/* of the host; VNPU_IO_ANY_NUMA or one */
	uint32_t device;		/* otherwise */
	unsigned int page_shift;
};

aclError vnpu_physical_lock(aclrtDrvMemHandle handle,
			    struct vnpu_physical **physical)
{
	if (!handle)
		return vnpu_error_null("handle");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);

	vnpu_runtime_lock();
	*physical = vnpu_handle_find(VNPU_HANDLE_PHYSICAL, handle);
	/*
	 * Without program references, the handle only waits for its mappings to
	 * end.
	 */
	if (*physical && (*physical)->users)
		return ACL_SUCCESS;
	vnpu_runtime_unlock();
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"handle = %p is not a handle of physical memory, or was freed or reset with its device; pass an existing one",
		handle);
}

struct vnpu_physical *
vnpu_physical_create_locked(const struct vnpu_io_mem *mem, uint32_t device,
			    const aclrtPhysicalMemProp *prop)
{
	struct vnpu_physical *physical = calloc(1, sizeof(*physical));

	if (physical)
		physical->handle = vnpu_handle_add(VNPU_HANDLE_PHYSICAL,
						   physical);
	if (!physical || !physical->handle) {
		free(physical);
		vnpu_io_mem_close(mem->id);
		return NULL;
	}
	physical->mem = *mem;
	physical->device = device;
	physical->prop = *prop;
	physical->is_host = prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE;
	physical->users = 1;
	physical->next = physicals;
	if (physicals)
		physicals->link = &physical->next;
	physicals = physical;
	physical->link = &physicals;
	return physical;
}

struct vnpu_physical *
vnpu_physical_import_locked(const struct vnpu_io_mem *mem, uint32_t device)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_NORMAL,
		.location = {
			.id = vnpu_device_user_number(mem->device),
			.type = ACL_MEM_LOCATION_TYPE_DEVICE,
		},
	};

	if (mem->is_host) {
		prop.memAttr = ACL_DDR_MEM_NORMAL;
		prop.location.id = 0;
		prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	}
	if (mem->page_shift == VNPU_IO_SHIFT_2M)
		prop.memAttr = ACL_HBM_MEM_HUGE;
	if (mem->page_shift == VNPU_IO_SHIFT_1G)
		prop.memAttr = ACL_HBM_MEM_HUGE1G;
	return vnpu_physical_create_locked(mem, device, &prop);
}

static void put_locked(struct vnpu_physical *physical)
{
	if (physical->users || physical->maps)
		return;

	*physical->link = physical->next;
	if (physical->next)
		physical->next->link = physical->link;
	if (physical->is_shared)
		vnpu_share_close(VNPU_SHARE_HANDLE, &physical->token);
	vnpu_profile_free_end(vnpu_profile_free_begin(physical->handle), true);
	vnpu_io_mem_close(physical->mem.id);
	vnpu_handle_remove_put(physical->handle);
	free(physical);
}

void vnpu_physical_map_locked(struct vnpu_physical *physical)
{
	physical->maps++;
}

void vnpu_physical_unmap_locked(struct vnpu_physical *physical)
{
	physical->maps--;
	put_locked(physical);
}

void vnpu_physical_free_all_locked(uint32_t device)
{
	struct vnpu_physical *next;

	for (struct vnpu_physical *p = physicals; p; p = next) {
		next = p->next;
		if (p->device != device)
			continue;
		p->users = 0;
		put_locked(p);
	}
}

static const struct memory_attr *attr_find(aclrtMemAttr attr, bool is_host)
{
	const struct memory_attr *attrs = is_host ? host_attrs : device_attrs;
	size_t count = is_host ? ARRAY_SIZE(host_attrs) :
				 ARRAY_SIZE(device_attrs);

	for (size_t i = 0; i < count; i++)
		if (attrs[i].attr == attr)
			return &attrs[i];
	return NULL;
}

/* Check the properties; shared by the two calls that take them. */
static aclError prop_check(const aclrtPhysicalMemProp *prop,
			   struct place *place)
{
	const struct memory_attr *attr;

	*place = (struct place){ .node = VNPU_IO_ANY_NUMA };
	switch (prop->location.type) {
	case ACL_MEM_LOCATION_TYPE_DEVICE:
		break;
	case ACL_MEM_LOCATION_TYPE_HOST_NUMA:
		place->node = prop->location.id;
		/* fall through */
	case ACL_MEM_LOCATION_TYPE_HOST:
		place->is_host = true;
		break;
	default:
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"prop->location.type = %d cannot have physical memory; use ACL_MEM_LOCATION_TYPE_DEVICE, _HOST or _HOST_NUMA",
			prop->location.type);
	}

	attr = attr_find(prop->memAttr, place->is_host);
	if (!attr)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"prop->memAttr = %d is not a kind of physical memory of %s; use ACL_MEM_HUGE, for instance",
			prop->memAttr, place->is_host ? "the host" : "a device");
	place->page_shift = attr->page_shift;
	if (place->is_host)
		return ACL_SUCCESS;
	return vnpu_device_resolve((int32_t)prop->location.id, &place->device);
}

static uint64_t granule_of(unsigned int page_shift)
{
	return page_shift == VNPU_IO_SHIFT_1G ? GRANULE_1G : GRANULE;
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
					  aclrtMemGranularityOptions option,
					  size_t *granularity)
{
	VNPU_CALL();
	struct place place;
	aclError ret;

	if (!prop)
		return vnpu_error_null("prop");
	if (!granularity)
		return vnpu_error_null("granularity");
	ret = prop_check(prop, &place);
	if (ret)
		return ret;
	if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM &&
	    option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"option = %d is not known; use ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM or _RECOMMENDED",
			option);
	*granularity = granule_of(place.page_shift);
	return ACL_SUCCESS;
}

static aclError args_check(aclrtDrvMemHandle *handle, uint64_t size,
			   const aclrtPhysicalMemProp *prop, uint64_t flags)
{
	if (!handle)
		return vnpu_error_null("handle");
	if (!prop)
		return vnpu_error_null("prop");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 1 byte");
	if (flags)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flags = %llu is reserved; pass 0",
			(unsigned long long)flags);
	if (prop->handleType != ACL_MEM_HANDLE_TYPE_NONE)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"prop->handleType = %d is not supported; use ACL_MEM_HANDLE_TYPE_NONE",
			prop->handleType);
	if (prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"prop->allocationType = %d is not known; use ACL_MEM_ALLOCATION_TYPE_PINNED",
			prop->allocationType);
	return ACL_SUCCESS;
}

/* Allocate the rounded @size from @place. */
static aclError allocate(const struct place *place, uint64_t size,
			 uint64_t length, struct vnpu_io_mem *mem)
{
	struct vnpu_failed_alloc failed = {
		.device = place->device,
		.page_shift = place->page_shift,
		.size = size,
		.length = length,
	};
	int err;

	if (place->is_host) {
		err = vnpu_io_mem_create_host(place->node, length, mem);
		if (err == -EINVAL)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"prop->location.id = %lld is not a NUMA node with memory",
				(long long)place->node);
		return err ? vnpu_host_error(err, size) : ACL_SUCCESS;
	}
	err = vnpu_io_mem_create(place->device, place->page_shift, length, mem,
				 &failed.report);
	if (vnpu_mem_is_oom(err))
		return vnpu_oom_explain(err, &failed);
	return err ? vnpu_error_errno(err, "allocating device memory") :
		     ACL_SUCCESS;
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
			     const aclrtPhysicalMemProp *prop, uint64_t flags)
{
	VNPU_CALL();
	struct vnpu_physical *physical;
	struct vnpu_current current;
	struct vnpu_io_mem mem;
	struct place place;
	uint64_t length, made = 0;
	aclError ret;

	vnpu_gate_pass();
	ret = args_check(handle, size, prop, flags);
	if (!ret)
		ret = prop_check(prop, &place);
	if (!ret)
		ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	length = vnpu_align_up(size, granule_of(place.page_shift));
	if (length < size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size = %zu cannot be rounded up to the granularity; request less",
			size);
	ret = allocate(&place, size, length, &mem);
	if (ret)
		return ret;

	vnpu_runtime_lock();
	physical = vnpu_physical_create_locked(&mem, place.is_host ?
					       current.device : place.device,
					       prop);
	if (physical)
		made = physical->handle;
	vnpu_runtime_unlock();
	if (!physical)
		return vnpu_error_errno(-ENOMEM, "creating a handle");
	/* Without the lock, because it may wait for the dynamic loader. */
	if (!place.is_host)
		vnpu_profile_alloc(VNPU_PROFILE_PHYSICAL, made, size,
				   place.device, VNPU_PROFILE_NO_STREAM);
	*handle = vnpu_u64_to_ptr(made);
	return ACL_SUCCESS;
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
	VNPU_CALL();
	struct vnpu_physical *physical;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_physical_lock(handle, &physical);
	if (ret)
		return ret;
	physical->users--;
	put_locked(physical);
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

aclError aclrtMemRetainAllocationHandle(void *virPtr, aclrtDrvMemHandle *handle)
{
	VNPU_CALL();
	struct vnpu_physical *physical;

	if (!virPtr)
		return vnpu_error_null("virPtr");
	if (!handle)
		return vnpu_error_null("handle");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);

	vnpu_runtime_lock();
	physical = vnpu_vmm_physical_locked(vnpu_ptr_to_u64(virPtr));
	if (physical) {
		physical->users++;
		*handle = vnpu_u64_to_ptr(physical->handle);
	}
	vnpu_runtime_unlock();
	return physical ? ACL_SUCCESS : vnpu_vmm_not_mapped(virPtr);
}

aclError
aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
					  aclrtPhysicalMemProp *prop)
{
	VNPU_CALL();
	struct vnpu_physical *physical;
	aclError ret;

	if (!handle)
		return vnpu_error_null("handle");
	if (!prop)
		return vnpu_error_null("prop");
	ret = vnpu_physical_lock(handle, &physical);
	if (ret)
		return ret;
	*prop = physical->prop;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}
