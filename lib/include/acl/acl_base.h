/* SPDX-License-Identifier: MIT */
/* Base types, values and error codes of AscendCL, in one include. */
#ifndef ACL_ACL_BASE_H
#define ACL_ACL_BASE_H

#include "acl_base_rt.h"
#include "error_codes/rt_error_codes.h"
#include "error_codes/ge_error_codes.h"

#endif /* ACL_ACL_BASE_H */
