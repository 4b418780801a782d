// SPDX-License-Identifier: MIT
/*
 * Devices: numbers, set and reset.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "ipc/share.h"
#include "mem/ipc_mem.h"
#include "mem/mbuf.h"
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

/* By the user's number, protected by the runtime lock. */
static struct device {
	unsigned int refs;		/* sets without a reset */
	struct vnpu_context *primary;	/* set while refs is not 0 */
} devices[VNPU_IO_MAX_DEVICES];

static _Atomic int32_t default_device = -1;

/* Set while this thread sets a device. */
static __thread bool is_setting;

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

void vnpu_device_set_default(int32_t user_device)
{
	atomic_store(&default_device, user_device);
}

int32_t vnpu_device_default(void)
{
	return atomic_load_explicit(&default_device, memory_order_relaxed);
}

bool vnpu_device_is_setting(void)
{
	return is_setting;
}

static aclError device_set(int32_t user_device, uint32_t device)
{
	struct device *dev = &devices[user_device];
	uint64_t stream = 0;
	aclError ret = ACL_SUCCESS;
	bool is_new;

	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_SET_PRE);
	vnpu_runtime_lock();
	is_new = !dev->primary;
	if (is_new)
		ret = vnpu_context_create_locked(user_device, device, true,
						 &dev->primary);
	if (!ret) {
		dev->refs++;
		stream = vnpu_context_default_stream(dev->primary);
		vnpu_context_make_current(dev->primary);
	}
	vnpu_runtime_unlock();
	if (ret)
		return vnpu_stream_create_error(device, user_device, ret);
	if (is_new)
		vnpu_hooks_stream(stream, ACL_RT_STREAM_STATE_CREATE_POST);
	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_SET_POST);
	return ACL_SUCCESS;
}

aclError vnpu_device_set(int32_t user_device)
{
	bool was_setting = is_setting;
	uint32_t device;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_device_resolve(user_device, &device);
	if (!ret)
		ret = vnpu_limit_check();
	if (ret)
		return ret;

	/* A callback may set another device. */
	is_setting = true;
	ret = device_set(user_device, device);
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
	vnpu_mbuf_drop_all(device);
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
		vnpu_context_put_handle(primary);
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

static aclError device_reset(int32_t user_device, bool force)
{
	struct device *dev;
	uint32_t device;
	bool was_set;
	int err = 0;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_device_resolve(user_device, &device);
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
		return vnpu_error(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
			"device %d is not set; call aclrtSetDevice once for every reset",
			user_device);
	if (err)
		return vnpu_error_errno(err, "freeing device memory");
	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_RESET_POST);
	return ACL_SUCCESS;
}

uint64_t vnpu_device_set_mask(void)
{
	uint64_t mask = 0;

	vnpu_runtime_lock();
	for (int i = 0; i < VNPU_IO_MAX_DEVICES; i++)
		if (devices[i].refs)
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
	is_set = devices[user_device].refs;
	vnpu_runtime_unlock();
	if (is_set)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL,
		"device %d is not set; call aclrtSetDevice first", user_device);
}

aclError aclrtSetDevice(int32_t deviceId)
{
	VNPU_CALL();

	return vnpu_device_set(deviceId);
}

aclError aclrtResetDevice(int32_t deviceId)
{
	VNPU_CALL();

	return device_reset(deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
	VNPU_CALL();

	return device_reset(deviceId, true);
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
	*active = devices[deviceId].primary != NULL;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}
