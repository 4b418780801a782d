/* SPDX-License-Identifier: MIT */
/*
 * The calls of the runtime, for programs that include them by this name.
 */
#ifndef ACL_ACL_RT_API_H
#define ACL_ACL_RT_API_H

#include "acl_rt.h"

#endif /* ACL_ACL_RT_API_H */
