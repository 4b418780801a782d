/* SPDX-License-Identifier: MIT */
/*
 * Limits of cores, see reslimit.c.
 */
#ifndef VNPU_LIB_RESLIMIT_H
#define VNPU_LIB_RESLIMIT_H

#include <stdatomic.h>
#include <stdint.h>

#define VNPU_RES_TYPES	2	/* of aclrtDevResLimitType */

/* The limits of a stream or device; 0 is none, else the limit plus one. */
struct vnpu_reslimit {
	_Atomic uint32_t plus_one[VNPU_RES_TYPES];
};

/* A device is reset.  The runtime lock may be held. */
void vnpu_reslimit_reset(int32_t user_device);

#endif /* VNPU_LIB_RESLIMIT_H */
