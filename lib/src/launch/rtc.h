/* SPDX-License-Identifier: MIT */
/* Programs that are compiled at run time. */
#ifndef VNPU_LIB_LAUNCH_RTC_H
#define VNPU_LIB_LAUNCH_RTC_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "rtc_header.h"

/* The number of options that a compilation may have. */
#define VNPU_RTC_OPTIONS	1024

/* An expression, and the name that it stands for once it is known. */
struct vnpu_rtc_expression {
	struct vnpu_rtc_expression *next;
	char *name;
	char text[];
};

struct vnpu_rtc_program {
	uint64_t handle;		/* constant, like the next three */
	char *source;
	char *name;
	struct vnpu_rtc_header *headers;
	pthread_mutex_t lock;		/* protects the rest */
	struct vnpu_rtc_expression *expressions;
	struct vnpu_rtc_expression **end;
	char *log;
	char *data;			/* NULL before it is compiled */
	size_t size;
};

/*
 * Compile a program; the caller holds its lock.  Return 0, the exit status of
 * the compiler, or -errno.  The program then has its image, its log, and the
 * names of expressions.
 */
int vnpu_rtc_compile(struct vnpu_rtc_program *program, int count,
		     const char **options);

#endif /* VNPU_LIB_LAUNCH_RTC_H */
