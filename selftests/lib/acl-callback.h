/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of callbacks: a stream, a thread that runs
 * callbacks, and functions to be called.
 */
#ifndef SELFTESTS_LIB_ACL_CALLBACK_H
#define SELFTESTS_LIB_ACL_CALLBACK_H

#include "acl-test.h"

FIXTURE(callback) {
	aclrtStream stream;
	pthread_t thread;
};

/*
 * The thread that runs callbacks, from before it is subscribed.  When it is
 * asked to end, it processes callbacks once more, so it has run all that were
 * due.
 */
static bool processor_ends;

static void *processor(void *arg)
{
	bool ends;
	aclError err;

	do {
		ends = __atomic_load_n(&processor_ends, __ATOMIC_ACQUIRE);
		err = aclrtProcessReport(50);
		if (err == ACL_ERROR_RT_THREAD_SUBSCRIBE)
			usleep(1000);
		else if (err && err != ACL_ERROR_RT_REPORT_TIMEOUT)
			abort();
	} while (!ends);
	return arg;
}

static inline int processor_start(pthread_t *thread)
{
	__atomic_store_n(&processor_ends, false, __ATOMIC_RELEASE);
	return pthread_create(thread, NULL, processor, NULL);
}

static inline void processor_end(pthread_t thread)
{
	__atomic_store_n(&processor_ends, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

FIXTURE_SETUP(callback)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	ASSERT_EQ(0, processor_start(&self->thread));
}

FIXTURE_TEARDOWN(callback)
{
	processor_end(self->thread);
	aclrtResetDeviceForce(0);
}

static inline void count(void *data)
{
	__atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

static inline int value(const int *counter)
{
	return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static inline bool reaches(const int *counter, int wanted)
{
	for (int i = 0; i < 10000 && value(counter) < wanted; i++)
		usleep(1000);
	return value(counter) == wanted;
}

struct gate {
	int entered;
	int open;
};

static inline void pass_gate(void *data)
{
	struct gate *gate = data;

	count(&gate->entered);
	while (!value(&gate->open))
		usleep(1000);
}

#endif
