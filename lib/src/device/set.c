// SPDX-License-Identifier: MIT
/*
 * aclrtSetDevice() and aclrtResetDevice(): the first set of a device creates its
 * primary context, and the last reset destroys all that the process has there.
 */
#include <stdbool.h>

#include "alloc/mbuf.h"
#include "base/error.h"
#include "base/gate.h"
#include "ipc/share.h"
#include "mem/ipc_mem.h"
#include "mem/vmm.h"
#include "memprof/profile.h"
#include "pool/mempool.h"
#include "pool/provider.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/hooks.h"
#include "runtime/limit.h"
#include "stream/abort.h"
#include "stream/launch_report.h"
#include "stream/notify.h"
#include "stream/overflow.h"
#include "stream/reslimit.h"
#include "stream/stream.h"
#include "create.h"
#include "set.h"

static aclError device_set(int32_t user_device, uint32_t device)
{
	struct vnpu_device_use *use = vnpu_device_use(user_device);
	uint64_t stream = 0;
	aclError ret = ACL_SUCCESS;
	bool is_new;

	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_SET_PRE);
	vnpu_runtime_lock();
	is_new = !use->primary;
	if (is_new)
		ret = vnpu_context_create_locked(user_device, device, true,
						 &use->primary);
	if (!ret) {
		use->refs++;
		stream = use->primary->default_handle;
		vnpu_context_make_current(use->primary);
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
	bool was_setting;
	uint32_t device;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_device_resolve(user_device, &device);
	if (!ret)
		ret = vnpu_limit_check();
	if (ret)
		return ret;

	/* A callback may set another device. */
	was_setting = vnpu_device_mark_setting(true);
	ret = device_set(user_device, device);
	vnpu_device_mark_setting(was_setting);
	return ret;
}

/*
 * Nothing of the device is left afterwards.  Its contexts are destroyed first,
 * so that no thread allocates from it any more.
 */
static int teardown(struct vnpu_device_use *use, int32_t user_device,
		    uint32_t device)
{
	use->refs = 0;
	use->primary = NULL;
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
	const struct vnpu_device_use *use = vnpu_device_use(user_device);
	struct vnpu_context *primary = NULL;

	vnpu_runtime_lock();
	if (use->refs == 1) {
		primary = use->primary;
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
	const struct vnpu_device_use *use = vnpu_device_use(user_device);
	bool is_last;

	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_RESET_PRE);
	vnpu_runtime_lock();
	is_last = use->refs == 1 || (force && use->refs);
	vnpu_runtime_unlock();
	if (is_last)
		vnpu_abort_announce_device(user_device);
}

static aclError device_reset(int32_t user_device, bool force)
{
	struct vnpu_device_use *use;
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
	use = vnpu_device_use(user_device);
	was_set = use->refs;
	if (was_set && (force || !--use->refs))
		err = teardown(use, user_device, device);
	vnpu_runtime_unlock();
	vnpu_launch_flush(device);

	if (!was_set)
		return vnpu_error(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
			"device %d is not set; call aclrtSetDevice once for every reset",
			user_device);
	if (err)
		return vnpu_error_errno(err, "freeing device memory");
	vnpu_hooks_device(user_device, ACL_RT_DEVICE_STATE_RESET_POST);
	return ACL_SUCCESS;
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
