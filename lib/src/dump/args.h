/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of operators as files: aclopStartDumpArgs().
 *
 * The functions are exported for libvnpu-op, which knows the arguments of operators.
 */
#ifndef VNPU_LIB_DUMP_ARGS_H
#define VNPU_LIB_DUMP_ARGS_H

#include <stdbool.h>
#include <stdio.h>

#include "acl/acl_base_rt.h"

/* Check whether operators are to be described. */
ACL_FUNC_VISIBILITY bool vnpu_dump_args_wanted(void);

/*
 * Print a description as JSON, and return the length of its first part, which
 * differs between the shapes of an operator and depends on nothing else.
 */
typedef long vnpu_dump_args_fn(const void *from, FILE *f);

/*
 * Write the description of an operator, unless its file exists.
 * aclopStopDumpArgs() reports errors.  @name: that of the operator, letters and
 * digits; @from: passed to @print
 */
ACL_FUNC_VISIBILITY void vnpu_dump_args_write(const char *name,
					      vnpu_dump_args_fn *print,
					      const void *from);

#endif /* VNPU_LIB_DUMP_ARGS_H */
