// SPDX-License-Identifier: MIT
/*
 * Devices: which of them are set, and their properties.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/io.h"
#include "context.h"
#include "device.h"

static struct vnpu_device_use uses[VNPU_IO_MAX_DEVICES];

static _Atomic int32_t default_device = -1;
static _Atomic(vnpu_device_set_fn *) set_device;

/* Set while this thread sets a device. */
static __thread bool is_setting;

struct vnpu_device_use *vnpu_device_use(int32_t user_device)
{
	return &uses[user_device];
}

aclError vnpu_device_query(uint32_t device, struct vnpu_io_device *info)
{
	int err = vnpu_io_device_query(device, info);

	return err ? vnpu_error_errno(err, "querying the device") :
		     ACL_SUCCESS;
}

aclError vnpu_device_query_user(int64_t user_device,
				struct vnpu_io_device *info)
{
	uint32_t device;
	aclError ret = vnpu_device_resolve(user_device, &device);

	return ret ? ret : vnpu_device_query(device, info);
}

void vnpu_device_set_default(int32_t user_device, vnpu_device_set_fn *set)
{
	atomic_store(&set_device, set);
	atomic_store(&default_device, user_device);
}

vnpu_device_set_fn *vnpu_device_default(int32_t *user_device)
{
	*user_device = atomic_load(&default_device);
	return *user_device >= 0 && !is_setting ? atomic_load(&set_device) :
						  NULL;
}

bool vnpu_device_mark_setting(bool is_setting_now)
{
	bool was_setting = is_setting;

	is_setting = is_setting_now;
	return was_setting;
}

uint64_t vnpu_device_set_mask(void)
{
	uint64_t mask = 0;

	vnpu_runtime_lock();
	for (int i = 0; i < VNPU_IO_MAX_DEVICES; i++)
		if (uses[i].refs)
			mask |= 1ULL << i;
	vnpu_runtime_unlock();
	return mask;
}

aclError vnpu_device_check_set(int32_t user_device)
{
	uint32_t device;
	bool is_set;
	aclError ret = vnpu_device_resolve(user_device, &device);

	if (ret)
		return ret;
	vnpu_runtime_lock();
	is_set = uses[user_device].refs;
	vnpu_runtime_unlock();
	if (is_set)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL,
		"device %d is not set; call aclrtSetDevice first", user_device);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (!deviceId)
		return vnpu_error_null("deviceId");
	ret = vnpu_context_current(&current);
	if (!ret)
		*deviceId = current.user_device;
	return ret;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
	VNPU_CALL();
	uint32_t found = 0;
	aclError ret;

	if (!count)
		return vnpu_error_null("count");
	ret = vnpu_device_count_get(&found);
	if (ret)
		return ret;
	if (!found)
		return vnpu_error(ACL_ERROR_RT_NO_DEVICE,
			"ASCEND_RT_VISIBLE_DEVICES names no existing device, or the driver has no device; unset it, or load the module with ndevs=");
	*count = found;
	return ACL_SUCCESS;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags,
				 int32_t *active)
{
	VNPU_CALL();
	uint32_t device;
	aclError ret;

	if (!active)
		return vnpu_error_null("active");
	if (flags)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flags is reserved; pass NULL");
	ret = vnpu_device_resolve(deviceId, &device);
	if (ret)
		return ret;

	vnpu_runtime_lock();
	*active = uses[deviceId].primary != NULL;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}
