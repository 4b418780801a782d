/* SPDX-License-Identifier: MIT */
/*
 * Limits of cores, see reslimit.c.
 */
#ifndef VNPU_LIB_RESLIMIT_H
#define VNPU_LIB_RESLIMIT_H

#include <stdatomic.h>
#include <stdint.h>

#include "acl/acl_base.h"

#define VNPU_RES_TYPES	2	/* number of values of aclrtDevResLimitType */

/* The limits of a stream or device; 0 is none, otherwise the limit plus one. */
struct vnpu_reslimit {
	_Atomic uint32_t plus_one[VNPU_RES_TYPES];
};

/* Reset the limits of a device.  The runtime lock may be held. */
void vnpu_reslimit_reset(int32_t user_device);

/*
 * Get the limits of a launch of this thread on a device, as CORE_LIMITS() of
 * core/protocol.h.  @own is those of its stream, or NULL.  Report an error if a
 * limit leaves no core of a kind in @cores, VNPU_CORE_*, which the launch needs.
 */
aclError vnpu_reslimit_of_launch(struct vnpu_reslimit *own,
				 int32_t user_device, uint32_t cores,
				 uint32_t *limits);

/* Report the same error for a kernel that replaces that of a captured launch. */
aclError vnpu_reslimit_check(uint32_t cores, uint32_t limits);

#endif /* VNPU_LIB_RESLIMIT_H */
