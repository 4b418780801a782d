/* SPDX-License-Identifier: MIT */
/*
 * AscendCL: the header that programs include.
 *
 * These headers only declare functions that libvnpu implements, so a call that
 * is missing fails at compile time, not at run time.  Names, values and layouts
 * are those of CANN, so the same program source builds for both.
 */
#ifndef ACL_ACL_H
#define ACL_ACL_H

#include "acl_base.h"
#include "acl_mdl.h"
#include "acl_op.h"
#include "acl_rt.h"

#endif /* ACL_ACL_H */
