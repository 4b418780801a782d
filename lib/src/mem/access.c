// SPDX-License-Identifier: MIT
/*
 * Access rights to mappings, see vmm.h: each device, and the host, may read and
 * write a mapping, only read it, or neither.  The driver stores the rights and
 * enforces them.
 */
#include <errno.h>

#include "base/child.h"
#include "base/error.h"
#include "base/handle.h"
#include "io/io.h"
#include "runtime/device.h"
#include "vmm.h"

static aclError access_check(const aclrtMemAccessDesc *desc, uint32_t *device)
{
	switch (desc->flags) {
	case ACL_RT_MEM_ACCESS_FLAGS_NONE:
	case ACL_RT_MEM_ACCESS_FLAGS_READ:
	case ACL_RT_MEM_ACCESS_FLAGS_READWRITE:
		break;
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flags = %d is unknown; use a value of aclrtMemAccessFlags",
			desc->flags);
	}

	switch (desc->location.type) {
	case ACL_MEM_LOCATION_TYPE_DEVICE:
		return vnpu_device_resolve((int32_t)desc->location.id, device);
	case ACL_MEM_LOCATION_TYPE_HOST:
		return ACL_SUCCESS;
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"location.type = %d has no rights; use ACL_MEM_LOCATION_TYPE_DEVICE or _HOST",
			desc->location.type);
	}
}

static int set_access(uint64_t va, uint64_t size,
		      const aclrtMemAccessDesc *desc, uint32_t device)
{
	if (desc->location.type == ACL_MEM_LOCATION_TYPE_HOST) {
		int ret = 0;

		if (desc->flags != ACL_RT_MEM_ACCESS_FLAGS_NONE)
			ret = vnpu_io_window_open_all();
		return ret ? ret : vnpu_io_protect_host(va, size, desc->flags);
	}
	return vnpu_io_protect(va, size, device, desc->flags);
}

aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc,
			   size_t count)
{
	VNPU_CALL();
	uint64_t va = vnpu_ptr_to_u64(virPtr);
	bool is_mapped;
	int err = 0;

	if (!virPtr || !desc || !size || !count)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"virPtr or desc is NULL, or size or count is 0");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	/* Check all of them before changing anything. */
	for (size_t i = 0; i < count; i++) {
		uint32_t device;
		aclError ret = access_check(&desc[i], &device);

		if (ret)
			return ret;
	}

	for (size_t i = 0; i < count && !err; i++) {
		uint32_t device = 0;

		/* This cannot fail any more. */
		access_check(&desc[i], &device);
		vnpu_runtime_lock();
		is_mapped = vnpu_vmm_is_mapped_locked(va, size);
		if (is_mapped)
			err = set_access(va, size, &desc[i], device);
		vnpu_runtime_unlock();
		if (!is_mapped)
			return vnpu_vmm_not_mapped(virPtr);
	}
	if (err)
		return vnpu_error_errno(err, "setting access rights");
	return ACL_SUCCESS;
}

static uint64_t rights_of(const struct vnpu_io_binding *binding,
			  uint32_t device)
{
	if (!(binding->read_devices >> device & 1))
		return ACL_RT_MEM_ACCESS_FLAGS_NONE;
	return binding->write_devices >> device & 1 ?
		ACL_RT_MEM_ACCESS_FLAGS_READWRITE :
		ACL_RT_MEM_ACCESS_FLAGS_READ;
}

aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location,
			   uint64_t *flag)
{
	VNPU_CALL();
	uint64_t va = vnpu_ptr_to_u64(virPtr);
	struct vnpu_io_binding binding;
	uint32_t device = 0;
	bool is_mapped;
	int err = 0;

	if (!virPtr)
		return vnpu_error_null("virPtr");
	if (!location)
		return vnpu_error_null("location");
	if (!flag)
		return vnpu_error_null("flag");
	if (location->type == ACL_MEM_LOCATION_TYPE_DEVICE) {
		aclError ret = vnpu_device_resolve((int32_t)location->id,
						   &device);

		if (ret)
			return ret;
	} else if (location->type != ACL_MEM_LOCATION_TYPE_HOST) {
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"location->type = %d has no rights; use ACL_MEM_LOCATION_TYPE_DEVICE or _HOST",
			location->type);
	}

	vnpu_runtime_lock();
	is_mapped = vnpu_vmm_physical_locked(va);
	if (is_mapped)
		err = vnpu_io_va_query(va, false, &binding);
	vnpu_runtime_unlock();
	if (!is_mapped)
		return vnpu_vmm_not_mapped(virPtr);
	if (err)
		return vnpu_error_errno(err, "getting access rights");
	*flag = location->type == ACL_MEM_LOCATION_TYPE_HOST ?
		binding.host_access : rights_of(&binding, device);
	return ACL_SUCCESS;
}
