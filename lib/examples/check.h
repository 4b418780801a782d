/* SPDX-License-Identifier: MIT */
/*
 * For the examples: checks of calls, and the time.  Included before other headers,
 * because it asks for POSIX.
 */
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl.h"

/* Print a call that fails, and end the program. */
#define CHECK(call)							\
	do {								\
		int check_ = (call);					\
									\
		if (check_) {						\
			fprintf(stderr, "%s: %d\n", #call, check_);	\
			exit(1);					\
		}							\
	} while (0)

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

#endif /* EXAMPLES_CHECK_H */
