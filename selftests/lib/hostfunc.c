// SPDX-License-Identifier: GPL-2.0-only
/*
 * The thread of a context that calls functions: when it is created, and when it
 * ends.
 */
#include "acl-test.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "acl-thread.h"

#define ROUNDS	50

typedef int (*create_fn)(pthread_t *thread, const pthread_attr_t *attr,
			 void *(*run)(void *arg), void *arg);

/* Creating the next thread fails, after a while; @asked is posted before. */
static atomic_bool refuse;
static sem_t asked;

/* The library's calls come here, too. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*run)(void *arg), void *arg)
{
	create_fn next = (create_fn)dlsym(RTLD_NEXT, "pthread_create");

	if (!atomic_exchange(&refuse, false))
		return next(thread, attr, run, arg);
	sem_post(&asked);
	usleep(200000);
	return EAGAIN;
}

FIXTURE(hostfunc) {
};

FIXTURE_SETUP(hostfunc)
{
	OK(aclrtSetDevice(0));
}

FIXTURE_TEARDOWN(hostfunc)
{
	aclrtResetDeviceForce(0);
}

struct launch {
	aclrtContext context;
	aclrtStream stream;
	sem_t ready, go, called;
	aclError err;
};

static void nothing(void *data)
{
	(void)data;
}

static void tell(void *data)
{
	sem_post(data);
}

/* A thread that runs only when the other threads sleep. */
static void *launcher(void *arg)
{
	const struct sched_param param = { 0 };
	struct launch *launch = arg;

	aclrtSetCurrentContext(launch->context);
	sched_setscheduler(0, SCHED_OTHER, &param);
	sem_post(&launch->ready);
	sem_wait(&launch->go);
	launch->err = aclrtLaunchHostFunc(launch->stream, tell,
					  &launch->called);
	return NULL;
}

/*
 * The last stream of a context is destroyed, and with it the thread, while a
 * call that launched a function there has not returned yet: the next stream
 * gets a thread as well.
 */
TEST_F_TIMEOUT(hostfunc, next_stream, 300)
{
	const struct sched_param param = { .sched_priority = 1 };
	struct launch launch = { 0 };
	aclrtStream next;
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
	/* The library's thread inherits it. */
	if (sched_setscheduler(0, SCHED_RR, &param))
		SKIP(return, "needs the right to set priorities");
	OK(aclrtGetCurrentContext(&launch.context));
	sem_init(&launch.ready, 0, 0);
	sem_init(&launch.go, 0, 0);
	sem_init(&launch.called, 0, 0);

	for (int i = 0; i < ROUNDS; i++) {
		OK(aclrtCreateStream(&launch.stream));
		OK(aclrtLaunchHostFunc(launch.stream, nothing, NULL));
		OK(aclrtSynchronizeStream(launch.stream));
		ASSERT_EQ(0, pthread_create(&thread, NULL, launcher, &launch));
		sem_wait(&launch.ready);
		sem_post(&launch.go);
		sem_wait(&launch.called);
		OK(aclrtDestroyStreamForce(launch.stream));
		while (has_callback_thread())
			sched_yield();

		OK(aclrtCreateStream(&next));
		OK(aclrtLaunchHostFunc(next, nothing, NULL));
		OK(aclrtSynchronizeStream(next));
		pthread_join(thread, NULL);
		EXPECT_EQ(ACL_SUCCESS, launch.err);
		OK(aclrtDestroyStream(next));
	}
}

/* A context is destroyed before its thread has begun. */
TEST_F(hostfunc, context_that_ends_at_once)
{
	aclrtContext context;

	for (int i = 0; i < 100; i++) {
		OK(aclrtCreateContext(&context, 0));
		OK(aclrtLaunchHostFunc(NULL, nothing, NULL));
		OK(aclrtDestroyContext(context));
	}
}

static void *launch_meanwhile(void *arg)
{
	struct launch *launch = arg;

	aclrtSetCurrentContext(launch->context);
	sem_wait(&asked);
	launch->err = aclrtLaunchHostFunc(launch->stream, tell,
					  &launch->called);
	return NULL;
}

/*
 * Creating the thread of a stream fails, while a function is launched on
 * another stream: that function is still called.
 */
TEST_F_TIMEOUT(hostfunc, thread_that_cannot_be_started, 120)
{
	struct launch launch = { 0 };
	aclrtStream refused;
	pthread_t thread;

	OK(aclrtGetCurrentContext(&launch.context));
	OK(aclrtCreateStream(&refused));
	OK(aclrtCreateStream(&launch.stream));
	sem_init(&launch.called, 0, 0);
	sem_init(&asked, 0, 0);
	ASSERT_EQ(0, pthread_create(&thread, NULL, launch_meanwhile, &launch));
	atomic_store(&refuse, true);
	EXPECT_ACL(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
		   aclrtLaunchHostFunc(refused, nothing, NULL));
	pthread_join(thread, NULL);
	OK(launch.err);
	OK(aclrtSynchronizeStreamWithTimeout(launch.stream, 60000));
	EXPECT_EQ(0, sem_trywait(&launch.called));

	OK(aclrtLaunchHostFunc(refused, tell, &launch.called));
	OK(aclrtSynchronizeStream(refused));
	EXPECT_EQ(0, sem_trywait(&launch.called));
}

TEST_HARNESS_MAIN
