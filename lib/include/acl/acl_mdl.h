/* SPDX-License-Identifier: MIT */
/*
 * For programs that run models.  The library has no calls about models yet:
 * what such programs also use of the base and the runtime is here.
 */
#ifndef ACL_ACL_MDL_H
#define ACL_ACL_MDL_H

#include "acl_base.h"
#include "acl_base_mdl.h"
#include "acl_rt.h"

#endif /* ACL_ACL_MDL_H */
