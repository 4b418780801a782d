/* SPDX-License-Identifier: GPL-2.0-only */
/* Base of the tests that run on the host and print TAP. */
#ifndef SELFTESTS_EXPECT_H
#define SELFTESTS_EXPECT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define note(fmt, ...)	printf("# " fmt "\n", ##__VA_ARGS__)

/* In a test: report the failure and fail. */
#define EXPECT(cond)							\
	do {								\
		if (!(cond)) {						\
			note("%s:%d: not true: %s", __FILE__, __LINE__,	\
			     #cond);					\
			return false;					\
		}							\
	} while (0)

/* In a test: likewise, unless a text has a part. */
#define EXPECT_PART(text, part)						\
	do {								\
		if (!strstr(text, part)) {				\
			note("%s:%d: \"%s\" lacks \"%s\"", __FILE__,	\
			     __LINE__, text, part);			\
			return false;					\
		}							\
	} while (0)

struct test {
	const char *name;
	bool (*run)(void);
};

#endif /* SELFTESTS_EXPECT_H */
