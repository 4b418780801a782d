/* SPDX-License-Identifier: MIT */
/*
 * Functions for libvnpu-op, the library of operators.  They are exported for that
 * library alone, which is always of the same version.
 */
#ifndef VNPU_LIB_OPERATORS_H
#define VNPU_LIB_OPERATORS_H

#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_op_call;

/*
 * Launch a call of operators, which is copied, in stream order: 0 or an error that
 * was reported.  More blocks than @parts cost more than they gain.
 */
ACL_FUNC_VISIBILITY aclError
vnpu_operator_launch(const struct vnpu_op_call *call, uint32_t parts,
		     aclrtStream stream);

/* Report an error of the operator or function @name. */
ACL_FUNC_VISIBILITY void vnpu_operator_error(const char *name, int code,
					     const char *text);

#endif /* VNPU_LIB_OPERATORS_H */
