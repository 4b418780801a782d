/* SPDX-License-Identifier: MIT */
/*
 * For programs that run operators.  The library has no calls about
 * operators yet: what such programs also use of the base and the runtime is
 * here.
 */
#ifndef ACL_ACL_OP_H
#define ACL_ACL_OP_H

#include "acl_base.h"
#include "acl_rt.h"

#endif /* ACL_ACL_OP_H */
