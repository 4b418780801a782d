/* SPDX-License-Identifier: MIT */
/*
 * Core limits, see reslimit.c.
 */
#ifndef VNPU_LIB_RESLIMIT_H
#define VNPU_LIB_RESLIMIT_H

#include <stdatomic.h>
#include <stdint.h>

#define VNPU_RES_TYPES	2	/* number of values of aclrtDevResLimitType */

/* The limits of a stream or device; 0 is none, otherwise the limit plus one. */
struct vnpu_reslimit {
	_Atomic uint32_t plus_one[VNPU_RES_TYPES];
};

/* Reset the limits of a device.  The runtime lock may be held. */
void vnpu_reslimit_reset(int32_t user_device);

#endif /* VNPU_LIB_RESLIMIT_H */
