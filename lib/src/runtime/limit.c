// SPDX-License-Identifier: MIT
/*
 * Limits for kernels: aclrtDeviceSetLimit() and aclrtDeviceGetLimit().
 *
 * As in CANN, they belong to the process and have to be set before the device,
 * so they need no context.  The rules are those of the 910B: there are no SIMT
 * limits, and setting a device fails if the stack size is too large.
 */
#include <stdatomic.h>

#include "base/error.h"
#include "base/util.h"
#include "limit.h"

#define STACK_DEFAULT	(32UL << 10)
#define STACK_MAX	(192UL << 10)
#define STACK_STEP	(16UL << 10)

#define FIFO_DEFAULT	(32UL << 10)
#define FIFO_MIN	(1UL << 10)
#define FIFO_MAX	(64UL << 20)
#define FIFO_STEP	8

static _Atomic size_t stack_size = STACK_DEFAULT;
static _Atomic size_t fifo_size = FIFO_DEFAULT;

static aclError unsupported(aclrtDeviceLimit limit)
{
	switch (limit) {
	case ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE:
	case ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE:
	case ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE:
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"limit = %d is for SIMT kernels, which this device does not run; use the SIMD limits",
			limit);
	default:
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"limit = %d is not known; use a value of aclrtDeviceLimit",
			limit);
	}
}

static aclError too_large(size_t value)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"value = %zu does not fit in 32 bits; use a smaller value", value);
}

aclError vnpu_limit_check(void)
{
	size_t size = atomic_load(&stack_size);

	if (size > STACK_MAX)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the stack size of %zu bytes exceeds that of this device; set at most %lu with aclrtDeviceSetLimit",
			size, STACK_MAX);
	return ACL_SUCCESS;
}

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value)
{
	VNPU_CALL();

	switch (limit) {
	case ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE:
		if (value > UINT32_MAX)
			return too_large(value);
		if (value <= STACK_DEFAULT)
			value = STACK_DEFAULT;
		atomic_store(&stack_size, vnpu_align_up(value, STACK_STEP));
		return ACL_SUCCESS;
	case ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE:
		if (value > UINT32_MAX)
			return too_large(value);
		if (value < FIFO_MIN || value > FIFO_MAX)
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"value = %zu bytes is out of range; use %lu to %lu",
				value, FIFO_MIN, FIFO_MAX);
		atomic_store(&fifo_size, vnpu_align_up(value, FIFO_STEP));
		return ACL_SUCCESS;
	default:
		return unsupported(limit);
	}
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t *value)
{
	VNPU_CALL();

	if (!value)
		return vnpu_error_null("value");

	switch (limit) {
	case ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE:
		*value = atomic_load(&stack_size);
		return ACL_SUCCESS;
	case ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE:
		*value = atomic_load(&fifo_size);
		return ACL_SUCCESS;
	default:
		return unsupported(limit);
	}
}
