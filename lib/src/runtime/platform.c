// SPDX-License-Identifier: MIT
/* Properties of the chip, as text. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <vnpu/kernel.h>

#include "acl/acl_platform.h"
#include "base/error.h"
#include "soc.h"

/* Get a property that is a number; 0 if the chip does not have it. */
static uint64_t number(const struct vnpu_soc *soc, aclplatformDevInfo type)
{
	switch (type) {
	case ACL_PLATFORM_AICORE_CNT:
	case ACL_PLATFORM_CUBE_CORE_CNT:
		return soc->cube_cores;
	case ACL_PLATFORM_VECTOR_CORE_CNT:
		return soc->vector_cores;
	case ACL_PLATFORM_AICORE_UB_SIZE:
		return soc->memory[VNPU_LOCAL_UB];
	case ACL_PLATFORM_L0_A_SIZE:
		return soc->memory[VNPU_LOCAL_L0A];
	case ACL_PLATFORM_L0_B_SIZE:
		return soc->memory[VNPU_LOCAL_L0B];
	case ACL_PLATFORM_L0_C_SIZE:
		return soc->memory[VNPU_LOCAL_L0C];
	case ACL_PLATFORM_L1_SIZE:
		return soc->memory[VNPU_LOCAL_L1];
	case ACL_PLATFORM_BT_SIZE:
		return soc->memory[VNPU_LOCAL_BT];
	case ACL_PLATFORM_L2_SIZE:
		return soc->l2_bytes;
	case ACL_PLATFORM_MEMORY_SIZE:
		return soc->card_bytes;
	case ACL_PLATFORM_CUBE_FREQ:
		return soc->cube_mhz;
	case ACL_PLATFORM_NPU_ARCH:
		return soc->arch;
	default:
		return 0;
	}
}

aclError aclplatformGetDeviceInfo(aclplatformDevInfo infoType, char *value,
				  uint32_t maxLen)
{
	VNPU_CALL();
	const struct vnpu_soc *soc = vnpu_soc();
	uint64_t count = number(soc, infoType);
	const char *text = NULL;
	char digits[24];

	if (!value)
		return vnpu_error_null("value");
	if (infoType == ACL_PLATFORM_SOC_VERSION)
		text = soc->full_name;
	else if (infoType == ACL_PLATFORM_AIC_VERSION)
		text = soc->aic_version;
	else if (count)
		text = digits;
	if (!text)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"infoType = %d is not known, or not for an %s",
			infoType, soc->full_name);
	snprintf(digits, sizeof(digits), "%" PRIu64, count);
	if (strlen(text) >= maxLen)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"maxLen = %u is too small; pass at least %zu", maxLen,
			strlen(text) + 1);
	strcpy(value, text);
	return ACL_SUCCESS;
}

aclError aclplatformGetInstructionInfo(aclplatformCoreType type,
				       const char *instruction, char *value,
				       uint32_t maxLen)
{
	VNPU_CALL();

	(void)maxLen;
	if (!instruction)
		return vnpu_error_null("instruction");
	if (!value)
		return vnpu_error_null("value");
	if (type != ACL_PLATFORM_CORE_TYPE_AI_CORE &&
	    type != ACL_PLATFORM_CORE_TYPE_VECTOR_CORE)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"type = %d is no aclplatformCoreType", type);
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"the data types of %s are not recorded: kernels run on the instructions of the host",
		instruction);
}
