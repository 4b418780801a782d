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

/**
 * struct vnpu_operator_args - a call that is written when it has a place
 * @size: its bytes
 * @parts: more blocks cost more than they gain
 * @write: write it to @to
 * @from: passed to @write
 */
struct vnpu_operator_args {
	uint32_t size;
	uint32_t parts;
	void (*write)(const void *from, char *to, uint64_t va);
	const void *from;
};

/* Launch such a call in stream order: 0 or an error that was reported. */
aclError vnpu_operator_submit(const struct vnpu_operator_args *args,
			      aclrtStream stream);

/* Report an error of the operator or function @name. */
ACL_FUNC_VISIBILITY void vnpu_operator_error(const char *name, int code,
					     const char *text);

#endif /* VNPU_LIB_OPERATORS_H */
