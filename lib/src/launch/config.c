// SPDX-License-Identifier: MIT
/* Attributes of launches: aclrtLaunchKernelCfg. */
#include <stdbool.h>

#include <vnpu/kernel.h>

#include "base/error.h"
#include "runtime/soc.h"
#include "launch.h"

#define NEVER_S		UINT16_MAX

/* The attributes that exclude each other, and were set. */
struct seen {
	bool seconds;
	bool microseconds;
};

static aclError set_local(uint32_t bytes, struct vnpu_launch *launch)
{
	uint64_t room = vnpu_soc()->memory[VNPU_LOCAL_UB];

	if (bytes > room)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"dynUBufSize = %u is more than the %llu bytes of unified buffer that a core has",
			bytes, (unsigned long long)room);
	launch->local_bytes = bytes;
	return ACL_SUCCESS;
}

/* The driver counts milliseconds; 0 is the default. */
static void set_seconds(uint16_t seconds, struct vnpu_launch *launch)
{
	launch->timeout_ms = seconds == NEVER_S ? UINT32_MAX : seconds * 1000U;
}

static void set_microseconds(const aclrtTimeoutUs *timeout,
			     struct vnpu_launch *launch)
{
	uint64_t us = (uint64_t)timeout->timeoutHigh << 32 |
		      timeout->timeoutLow;
	uint64_t ms = us / 1000 + (us % 1000 != 0);

	launch->timeout_ms = ms < UINT32_MAX ? ms : UINT32_MAX;
}

static aclError set(const aclrtLaunchKernelAttr *attr, struct seen *seen,
		    struct vnpu_launch *launch)
{
	const aclrtLaunchKernelAttrValue *value = &attr->value;

	switch (attr->id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
		return set_local(value->dynUBufSize, launch);
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET:
		launch->first = value->blockDimOffset;
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
		seen->seconds = true;
		set_seconds(value->timeout, launch);
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
		seen->microseconds = true;
		set_microseconds(&value->timeoutUs, launch);
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE:
		/* The binary decides which cores a kernel runs on. */
		if (value->engineType == ACL_RT_ENGINE_TYPE_AIC ||
		    value->engineType == ACL_RT_ENGINE_TYPE_AIV)
			return ACL_SUCCESS;
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"engineType = %d is not known; use a value of aclrtEngineType",
			value->engineType);
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		return ACL_SUCCESS;
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"attribute %d is not known; use a value of aclrtLaunchKernelAttrId",
			attr->id);
	}
}

aclError vnpu_launch_check_blocks(const struct vnpu_launch *launch)
{
	if (!launch->blocks)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"numBlocks is 0; launch at least one block");
	if (launch->first + (uint64_t)launch->blocks > UINT32_MAX)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"blockDimOffset = %u plus %u blocks overflows",
			launch->first, launch->blocks);
	return ACL_SUCCESS;
}

aclError vnpu_launch_configure(const aclrtLaunchKernelCfg *config,
			       struct vnpu_launch *launch)
{
	struct seen seen = { false };
	aclError ret;

	if (!config || !config->numAttrs)
		return ACL_SUCCESS;
	if (!config->attrs)
		return vnpu_error_null("cfg->attrs");
	for (size_t i = 0; i < config->numAttrs; i++) {
		ret = set(&config->attrs[i], &seen, launch);
		if (ret)
			return ret;
	}
	if (seen.seconds && seen.microseconds)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"there are time limits in seconds and in microseconds; set one of them");
	return ACL_SUCCESS;
}
