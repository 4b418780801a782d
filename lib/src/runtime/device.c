// SPDX-License-Identifier: MIT
/*
 * Devices: numbers, set and reset.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/io.h"
#include "ipc/share.h"
#include "mem/ipc_mem.h"
#include "mem/mem.h"
#include "mem/vmm.h"
#include "memprof/profile.h"
#include "pool/mempool.h"
#include "pool/provider.h"
#include "stream/abort.h"
#include "stream/notify.h"
#include "stream/overflow.h"
#include "stream/reslimit.h"
#include "stream/stream.h"
#include "context.h"
#include "device.h"
#include "hooks.h"
#include "limit.h"

/*
 * The visible devices by the user's number, as indexes of the driver.  The
 * indexes need not begin at 0, because the process may not have all devices.
 * Constant once nr_visible is set.
 */
static uint32_t visible[VNPU_IO_MAX_DEVICES];
static atomic_int nr_visible = -1;

/* By the user's number, protected by the runtime lock. */
static struct device {
	unsigned int refs;		/* sets without a reset */
	struct vnpu_context *primary;	/* set while refs is not 0 */
} devices[VNPU_IO_MAX_DEVICES];

/* Set while this thread sets a device. */
static __thread bool is_setting;

static bool is_visible(uint32_t device, int count)
{
	for (int i = 0; i < count; i++)
		if (visible[i] == device)
			return true;
	return false;
}

/*
 * Parse ASCEND_RT_VISIBLE_DEVICES: the numbers, from 0, that the devices of
 * this process have without the variable, separated by commas and nothing else.
 * As CANN documents, the list ends before the first entry that is not the
 * number of a device; a repeated entry also ends it.  CANN supports ascending
 * order only; this library accepts any order.
 */
static int parse_visible(const char *list, const uint32_t *indexes,
			 uint32_t count)
{
	int found = 0;

	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long device = strtoul(list, &end, 10);

		if ((*end && *end != ',') || device >= count ||
		    is_visible(indexes[device], found))
			break;
		visible[found++] = indexes[device];
		if (!*end)
			break;
		list = end + 1;
	}
	return found;
}

static int setup_visible(void)
{
	const char *list = getenv("ASCEND_RT_VISIBLE_DEVICES");
	uint32_t indexes[VNPU_IO_MAX_DEVICES];
	uint32_t count;
	int ret = vnpu_io_open();

	if (ret)
		return ret;
	if (atomic_load_explicit(&nr_visible, memory_order_acquire) >= 0)
		return 0;
	ret = vnpu_io_devices(indexes, &count);
	if (ret)
		return ret;

	vnpu_runtime_lock();
	if (atomic_load(&nr_visible) < 0) {
		int found = count;

		if (list) {
			found = parse_visible(list, indexes, count);
		} else {
			for (uint32_t i = 0; i < count; i++)
				visible[i] = indexes[i];
		}
		atomic_store_explicit(&nr_visible, found,
				      memory_order_release);
	}
	vnpu_runtime_unlock();
	return 0;
}

aclError vnpu_device_count_get(const char *call, uint32_t *count)
{
	int ret = setup_visible();

	if (ret)
		return vnpu_error_open(ret, call);
	*count = atomic_load(&nr_visible);
	return ACL_SUCCESS;
}

aclError vnpu_device_resolve(const char *call, int64_t user_device,
			     uint32_t *device)
{
	uint32_t count = 0;
	aclError ret = vnpu_device_count_get(call, &count);

	if (ret)
		return ret;
	if (user_device < 0 || user_device >= count)
		return vnpu_error(ACL_ERROR_RT_INVALID_DEVICEID, call,
			"device %lld does not exist; this process sees %u device(s), numbered from 0 (see ASCEND_RT_VISIBLE_DEVICES)",
			(long long)user_device, count);
	*device = visible[user_device];
	return ACL_SUCCESS;
}

aclError vnpu_device_query(const char *call, uint32_t device,
			   struct vnpu_io_device *info)
{
	int err = vnpu_io_device_query(device, info);

	return err ? vnpu_error_errno(err, call, "querying the device") :
		     ACL_SUCCESS;
}

aclError vnpu_device_query_user(const char *call, int64_t user_device,
				struct vnpu_io_device *info)
{
	uint32_t device;
	aclError ret = vnpu_device_resolve(call, user_device, &device);

	return ret ? ret : vnpu_device_query(call, device, info);
}

int32_t vnpu_device_user_number(int64_t device)
{
	int count = atomic_load_explicit(&nr_visible, memory_order_acquire);

	for (int i = 0; i < count; i++)
		if (visible[i] == device)
			return i;
	return -1;
}

bool vnpu_device_is_setting(void)
{
	return is_setting;
}

static aclError device_set(const char *call, int32_t user_device,
			   uint32_t device)
{
	struct device *dev = &devices[user_device];
	uint64_t stream = 0;
	aclError ret = ACL_SUCCESS;
	bool is_new;

	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_SET_PRE);
	vnpu_runtime_lock();
	is_new = !dev->primary;
	if (is_new)
		ret = vnpu_context_create(user_device, device, true,
					  &dev->primary);
	if (!ret) {
		dev->refs++;
		stream = vnpu_context_default_stream(dev->primary);
		vnpu_context_make_current(dev->primary);
	}
	vnpu_runtime_unlock();
	if (ret)
		return vnpu_stream_create_error(call, device, user_device,
						ret);
	if (is_new)
		vnpu_hooks_stream(stream, ACL_RT_STREAM_STATE_CREATE_POST);
	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_SET_POST);
	return ACL_SUCCESS;
}

aclError vnpu_device_set(const char *call, int32_t user_device)
{
	bool was_setting = is_setting;
	uint32_t device;
	aclError ret;

	ret = vnpu_device_resolve(call, user_device, &device);
	if (!ret)
		ret = vnpu_limit_check(call);
	if (ret)
		return ret;

	/* A callback may set another device. */
	is_setting = true;
	ret = device_set(call, user_device, device);
	is_setting = was_setting;
	return ret;
}

/*
 * Nothing of the device is left afterwards.  Its contexts are destroyed first,
 * so that no thread allocates from it any more.
 */
static int teardown(struct device *dev, int32_t user_device, uint32_t device)
{
	dev->refs = 0;
	dev->primary = NULL;
	vnpu_context_destroy_all(user_device);
	vnpu_profile_reset(device);
	vnpu_notify_destroy_all(user_device);
	vnpu_provider_reset(device);
	vnpu_reslimit_reset(user_device);
	vnpu_overflow_reset(user_device);
	vnpu_share_close_all(device);
	vnpu_ipc_close_all(device);
	vnpu_vmm_release_all(device);
	return vnpu_mempool_reset(user_device, device);
}

/* Get a reference to the primary context if a reset is about to end it. */
static struct vnpu_context *last_primary(int32_t user_device)
{
	struct vnpu_context *primary = NULL;

	vnpu_runtime_lock();
	if (devices[user_device].refs == 1) {
		primary = devices[user_device].primary;
		vnpu_handle_ref(primary->handle);
	}
	vnpu_runtime_unlock();
	return primary;
}

/* Failures of this work are not reported, as no stream is left. */
static void wait_for_work(int32_t user_device)
{
	struct vnpu_context *primary = last_primary(user_device);

	if (primary) {
		vnpu_stream_drain(primary);
		vnpu_context_put(primary);
	}
}

/* Call the callbacks while all objects still exist. */
static void announce_reset(int32_t user_device, bool force)
{
	bool is_last;

	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_RESET_PRE);
	vnpu_runtime_lock();
	is_last = devices[user_device].refs == 1 ||
		  (force && devices[user_device].refs);
	vnpu_runtime_unlock();
	if (is_last)
		vnpu_abort_announce_device(user_device);
}

static aclError device_reset(const char *call, int32_t user_device, bool force)
{
	struct device *dev;
	uint32_t device;
	bool was_set;
	int err = 0;
	aclError ret;

	ret = vnpu_device_resolve(call, user_device, &device);
	if (ret)
		return ret;

	announce_reset(user_device, force);
	if (!force)
		wait_for_work(user_device);
	vnpu_runtime_lock();
	dev = &devices[user_device];
	was_set = dev->refs;
	if (was_set && (force || !--dev->refs))
		err = teardown(dev, user_device, device);
	vnpu_runtime_unlock();

	if (!was_set)
		return vnpu_error(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, call,
			"device %d is not set; call aclrtSetDevice once for every reset",
			user_device);
	if (err)
		return vnpu_error_errno(err, call, "freeing device memory");
	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_RESET_POST);
	return ACL_SUCCESS;
}

aclError vnpu_device_check_set(const char *call, int32_t user_device)
{
	uint32_t device;
	bool is_set;
	aclError ret = vnpu_device_resolve(call, user_device, &device);

	if (ret)
		return ret;
	vnpu_runtime_lock();
	is_set = devices[user_device].refs;
	vnpu_runtime_unlock();
	if (is_set)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL, call,
		"device %d is not set; call aclrtSetDevice first", user_device);
}

aclError aclrtSetDevice(int32_t deviceId)
{
	return vnpu_device_set(__func__, deviceId);
}

aclError aclrtResetDevice(int32_t deviceId)
{
	return device_reset(__func__, deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
	return device_reset(__func__, deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
	struct vnpu_current current;
	aclError ret;

	if (!deviceId)
		return vnpu_error_null(__func__, "deviceId");
	ret = vnpu_context_current(__func__, &current);
	if (!ret)
		*deviceId = current.user_device;
	return ret;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
	uint32_t found = 0;
	aclError ret;

	if (!count)
		return vnpu_error_null(__func__, "count");
	ret = vnpu_device_count_get(__func__, &found);
	if (ret)
		return ret;
	if (!found)
		return vnpu_error(ACL_ERROR_RT_NO_DEVICE, __func__,
			"ASCEND_RT_VISIBLE_DEVICES names no existing device, or the driver has no device; unset it, or load the module with ndevs=");
	*count = found;
	return ACL_SUCCESS;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags,
				 int32_t *active)
{
	uint32_t device;
	aclError ret;

	if (!active)
		return vnpu_error_null(__func__, "active");
	if (flags)
		return vnpu_error(ACL_ERROR_INVALID_PARAM, __func__,
			"flags is reserved; pass NULL");
	ret = vnpu_device_resolve(__func__, deviceId, &device);
	if (ret)
		return ret;

	vnpu_runtime_lock();
	*active = devices[deviceId].primary != NULL;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}
