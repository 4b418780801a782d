/* SPDX-License-Identifier: MIT */
/*
 * Limits of kernels, see limit.c.
 */
#ifndef VNPU_LIB_LIMIT_H
#define VNPU_LIB_LIMIT_H

#include "acl/acl_rt.h"

/* Whether a device can be set up with the limits; fails for @call if not. */
aclError vnpu_limit_check(const char *call);

#endif /* VNPU_LIB_LIMIT_H */
