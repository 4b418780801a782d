/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of libvnpu.  They use the library as a program
 * does: through acl/acl.h.  The harness runs each test in a process of its own,
 * so that each begins with an unused library.
 */
#ifndef SELFTESTS_LIB_ACL_TEST_H
#define SELFTESTS_LIB_ACL_TEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "kselftest_harness.h"

#include "acl/acl.h"
#include "util.h"

#define KIB		((size_t)1 << 10)
#define MIB		((size_t)1 << 20)

#define PAGE_SIZE	(4 * KIB)
#define HUGE_SIZE	(2 * MIB)

static inline const char *recent(void)
{
	const char *message = aclGetRecentErrMsg();

	return message ? message : "no message";
}

/* @call must return @code. */
#define EXPECT_ACL(code, call) \
	EXPECT_EQ(code, (call)) TH_LOG("%s: %s", #call, recent())
#define ASSERT_ACL(code, call) \
	ASSERT_EQ(code, (call)) TH_LOG("%s: %s", #call, recent())
#define OK(call)	ASSERT_ACL(ACL_SUCCESS, call)

/* The errors that most tests expect, by meaning. */
#define NULL_OR_ZERO	ACL_ERROR_INVALID_PARAM
#define BAD_VALUE	ACL_ERROR_RT_PARAM_INVALID
#define BAD_DEVICE	ACL_ERROR_RT_INVALID_DEVICEID
#define NO_CONTEXT	ACL_ERROR_RT_CONTEXT_NULL
#define BAD_HANDLE	ACL_ERROR_RT_INVALID_HANDLE
#define OUT_OF_MEMORY	ACL_ERROR_RT_MEMORY_ALLOCATION

static inline uint32_t device_count(void)
{
	uint32_t count = 0;

	return aclrtGetDeviceCount(&count) == ACL_SUCCESS ? count : 0;
}

static inline size_t free_bytes(void)
{
	size_t free = 0, total = 0;

	return aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == ACL_SUCCESS ?
	       free : 0;
}

static inline size_t total_bytes(void)
{
	size_t free = 0, total = 0;

	return aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == ACL_SUCCESS ?
	       total : 0;
}

/* Run @fn(@arg) in a thread of its own and return its result. */
static inline void *in_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, fn, arg) ||
	    pthread_join(thread, &result))
		abort();
	return result;
}

/* Write @text to a file and return the result of aclInit() with it. */
static inline aclError init_with(const char *text)
{
	char path[] = "/tmp/acl-init-XXXXXX";
	int fd = mkstemp(path);
	aclError err;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
	err = aclInit(path);
	unlink(path);
	return err;
}

/* Addresses that are not handles: close to null, our own memory, noise. */
#define GARBAGE_HANDLES							\
	(void *)1, (void *)8, (void *)-1, (void *)0xdeadbeefcafef00d,	\
	(void *)recent, stdout

#endif
