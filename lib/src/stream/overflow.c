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
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (mode != ACL_RT_OVERFLOW_MODE_SATURATION &&
	    mode != ACL_RT_OVERFLOW_MODE_INFNAN)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"mode = %d is not known; use ACL_RT_OVERFLOW_MODE_SATURATION or _INFNAN",
			mode);
	ret = vnpu_context_current(&current);
	if (!ret)
		atomic_store(&modes[current.user_device],
			     mode - ACL_RT_OVERFLOW_MODE_INFNAN);
	return ret;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (!mode)
		return vnpu_error_null("mode");
	ret = vnpu_context_current(&current);
	if (!ret)
		*mode = atomic_load(&modes[current.user_device]) +
			ACL_RT_OVERFLOW_MODE_INFNAN;
	return ret;
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	if (flag > 1)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = %u is out of range; use 0 or 1", flag);
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	atomic_store(&found->overflow_check, flag);
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	if (!flag)
		return vnpu_error_null("flag");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	*flag = atomic_load(&found->overflow_check);
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

static aclError get_status(void *addr, uint64_t size, aclrtStream stream)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_FILL,
		.mode = 1,
		.dst = vnpu_ptr_to_u64(addr),
		.length = STATUS_SIZE,
	};

	if (!addr)
		return vnpu_error_null("outputAddr");
	if (size != STATUS_SIZE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"outputSize = %llu is invalid; pass %d, the size of a status",
			(unsigned long long)size, STATUS_SIZE);
	return vnpu_stream_submit_to(stream, &task);
}

static aclError reset_status(aclrtStream stream)
{
	const struct vnpu_task task = { .op = VNPU_TASK_NOP };

	return vnpu_stream_submit_to(stream, &task);
}

static aclError mode_check(uint32_t mode)
{
	if (!mode)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			  "checkMode = %u is reserved; pass 0", mode);
}

aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize,
				aclrtStream stream)
{
	VNPU_CALL();

	return get_status(outputAddr, outputSize, stream);
}

aclError aclrtResetOverflowStatus(aclrtStream stream)
{
	VNPU_CALL();

	return reset_status(stream);
}

aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize,
				     aclrtStream stream)
{
	VNPU_CALL();

	return get_status(outputAddr, outputSize, stream);
}

aclError aclrtResetFloatOverflowStatus(aclrtStream stream)
{
	VNPU_CALL();

	return reset_status(stream);
}

aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize,
					uint32_t checkMode, aclrtStream stream)
{
	VNPU_CALL();
	aclError ret = mode_check(checkMode);

	return ret ? ret : get_status(outputAddr, outputSize, stream);
}

aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode,
					  aclrtStream stream)
{
	VNPU_CALL();
	aclError ret = mode_check(checkMode);

	return ret ? ret : reset_status(stream);
}

aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (!overflowAddr)
		return vnpu_error_null("overflowAddr");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"kernels record no overflows here");
}
