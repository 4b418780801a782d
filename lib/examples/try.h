/* SPDX-License-Identifier: MIT */
/* The end of an example after a call that failed. */
#ifndef TRY_H
#define TRY_H

#include "acl/acl.h"

#include <stdio.h>
#include <stdlib.h>

/* Report a failed call with the library's explanation, and end the program. */
static void fail(const char *what, int error)
{
	const char *why = aclGetRecentErrMsg();

	fprintf(stderr, "%s: error %d\n%s\n", what, error, why ? why : "");
	exit(1);
}

#define TRY(call)							\
	do {								\
		aclError try_error = (call);				\
									\
		if (try_error != ACL_SUCCESS)				\
			fail(#call, try_error);				\
	} while (0)

#endif
