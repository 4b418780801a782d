// SPDX-License-Identifier: MIT
/*
 * Options of the process, and the list of options, see option.h.  They are for
 * operators, so they are only stored here.
 */
#include <stdatomic.h>

#include "base/error.h"
#include "base/util.h"
#include "option.h"

/* The maximum of each option; the minimum and default is 0. */
static const int64_t max_values[VNPU_PROCESS_OPTIONS] = {
	[ACL_OPT_DETERMINISTIC]			= 3,
	[ACL_OPT_ENABLE_DEBUG_KERNEL]		= 1,
	[ACL_OPT_STRONG_CONSISTENCY]		= 1,
	[ACL_OPT_ENABLE_KERNEL_EARLY_START]	= 1,
};

static _Atomic int64_t process_options[VNPU_PROCESS_OPTIONS];

aclError vnpu_option_check(aclSysParamOpt opt, unsigned int count)
{
	if ((unsigned int)opt >= count)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"opt = %d is not known here; use a value of aclSysParamOpt below %u",
			opt, count);
	return ACL_SUCCESS;
}

aclError vnpu_option_check_value(aclSysParamOpt opt, unsigned int count,
				 int64_t value)
{
	aclError ret = vnpu_option_check(opt, count);

	if (ret)
		return ret;
	if (value < 0 || value > max_values[opt])
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"value = %lld is out of range for opt = %d; use 0 to %lld",
			(long long)value, opt, (long long)max_values[opt]);
	return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	VNPU_CALL();
	aclError ret = vnpu_option_check_value(opt, VNPU_PROCESS_OPTIONS,
					       value);

	if (!ret)
		atomic_store(&process_options[opt], value);
	return ret;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	VNPU_CALL();
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = vnpu_option_check(opt, VNPU_PROCESS_OPTIONS);
	if (!ret)
		*value = atomic_load(&process_options[opt]);
	return ret;
}
