/* SPDX-License-Identifier: MIT */
/*
 * Base types for programs that run models, of which this library has those
 * of the runtime.
 */
#ifndef ACL_ACL_BASE_MDL_H
#define ACL_ACL_BASE_MDL_H

#include "acl_base_rt.h"

#endif /* ACL_ACL_BASE_MDL_H */
