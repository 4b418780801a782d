/* SPDX-License-Identifier: MIT */
/*
 * The options that operators read (aclSysParamOpt): of the process, in
 * option.c, and of each context, in context.c.
 */
#ifndef VNPU_LIB_OPTION_H
#define VNPU_LIB_OPTION_H

#include <stdint.h>

#include "acl/acl_rt.h"

/* The values of aclSysParamOpt that contexts and processes have. */
#define VNPU_CONTEXT_OPTIONS	(ACL_OPT_STRONG_CONSISTENCY + 1)
#define VNPU_PROCESS_OPTIONS	(ACL_OPT_ENABLE_KERNEL_EARLY_START + 1)

/*
 * Check that an option is one of the first @count and may have this value;
 * otherwise fail.
 */
aclError vnpu_option_check(aclSysParamOpt opt, unsigned int count);
aclError vnpu_option_check_value(aclSysParamOpt opt, unsigned int count,
				 int64_t value);

#endif /* VNPU_LIB_OPTION_H */
