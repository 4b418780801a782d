/* SPDX-License-Identifier: MIT */
/*
 * Copying, for the files that do it in one piece, in rows or in batches.
 */
#ifndef VNPU_LIB_COPY_H
#define VNPU_LIB_COPY_H

#include <stdint.h>

#include "acl/acl_rt.h"

/* Copy between host and device, any direction; fails for @call. */
aclError vnpu_copy(const char *call, void *dst, const void *src,
		   uint64_t length);

/* ACL_ERROR_INVALID_PARAM for what is no value of aclrtMemcpyKind. */
aclError vnpu_copy_check_kind(const char *call, aclrtMemcpyKind kind);

#endif /* VNPU_LIB_COPY_H */
