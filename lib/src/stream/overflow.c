// SPDX-License-Identifier: MIT
/*
 * Overflows of floating-point results.  Reductions follow IEEE 754, so none are
 * reported; the modes are only stored and returned.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "base/error.h"
#include "io/io.h"
#include "runtime/context.h"
#include "overflow.h"
#include "stream.h"

#define STATUS_SIZE	64	/* bytes of a status, as with CANN */

/* aclrtFloatOverflowMode by the user's device number, minus its default. */
static atomic_int modes[VNPU_IO_MAX_DEVICES];

void vnpu_overflow_reset(int32_t user_device)
{
	atomic_store(&modes[user_device], 0);
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
	struct vnpu_current current;
	aclError ret;

	if (mode != ACL_RT_OVERFLOW_MODE_SATURATION &&
	    mode != ACL_RT_OVERFLOW_MODE_INFNAN)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"mode = %d is not known; use ACL_RT_OVERFLOW_MODE_SATURATION or _INFNAN",
			mode);
	ret = vnpu_context_current(__func__, &current);
	if (!ret)
		atomic_store(&modes[current.user_device],
			     mode - ACL_RT_OVERFLOW_MODE_INFNAN);
	return ret;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
	struct vnpu_current current;
	aclError ret;

	if (!mode)
		return vnpu_error_null(__func__, "mode");
	ret = vnpu_context_current(__func__, &current);
	if (!ret)
		*mode = atomic_load(&modes[current.user_device]) +
			ACL_RT_OVERFLOW_MODE_INFNAN;
	return ret;
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
	struct vnpu_stream *found;
	aclError ret;

	if (flag > 1)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"flag = %u is out of range; use 0 or 1", flag);
	ret = vnpu_stream_get(__func__, stream, false, &found);
	if (ret)
		return ret;
	atomic_store(&found->overflow_check, flag);
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
	struct vnpu_stream *found;
	aclError ret;

	if (!flag)
		return vnpu_error_null(__func__, "flag");
	ret = vnpu_stream_get(__func__, stream, false, &found);
	if (ret)
		return ret;
	*flag = atomic_load(&found->overflow_check);
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

static aclError get_status(const char *call, void *addr, uint64_t size,
			   aclrtStream stream)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_FILL,
		.mode = 1,
		.dst = vnpu_ptr_to_u64(addr),
		.length = STATUS_SIZE,
	};

	if (!addr)
		return vnpu_error_null(call, "outputAddr");
	if (size != STATUS_SIZE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, call,
			"outputSize = %llu is invalid; pass %d, the size of a status",
			(unsigned long long)size, STATUS_SIZE);
	return vnpu_stream_submit_to(call, stream, &task);
}

static aclError reset_status(const char *call, aclrtStream stream)
{
	const struct vnpu_task task = { .op = VNPU_TASK_NOP };

	return vnpu_stream_submit_to(call, stream, &task);
}

static aclError mode_check(const char *call, uint32_t mode)
{
	if (!mode)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, call,
			  "checkMode = %u is reserved; pass 0", mode);
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize,
				aclrtStream stream)
{
	return get_status(__func__, outputAddr, outputSize, stream);
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
	return reset_status(__func__, stream);
}

aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize,
				     aclrtStream stream)
{
	return get_status(__func__, outputAddr, outputSize, stream);
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream)
{
	return reset_status(__func__, stream);
}

aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize,
					uint32_t checkMode, aclrtStream stream)
{
	aclError ret = mode_check(__func__, checkMode);

	return ret ? ret : get_status(__func__, outputAddr, outputSize, stream);
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode,
					  aclrtStream stream)
{
	aclError ret = mode_check(__func__, checkMode);

	return ret ? ret : reset_status(__func__, stream);
}

aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr)
{
	struct vnpu_current current;
	aclError ret;

	if (!overflowAddr)
		return vnpu_error_null(__func__, "overflowAddr");
	ret = vnpu_context_current(__func__, &current);
	if (ret)
		return ret;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__,
		"this device runs no kernels that could record overflows");
}
