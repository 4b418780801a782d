/* SPDX-License-Identifier: MIT */
/*
 * For programs that run operators by aclop*(), which the library does not have.
 * This header has the parts of the base and the runtime that they use as well.
 */
#ifndef ACL_ACL_OP_H
#define ACL_ACL_OP_H

#include "acl_base.h"
#include "acl_rt.h"

#endif /* ACL_ACL_OP_H */
