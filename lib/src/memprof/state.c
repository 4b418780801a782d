// SPDX-License-Identifier: MIT
/*
 * The users of the profiler: the program and the environment; and the lock of
 * all records.
 */
#include <pthread.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "record.h"
#include "trace.h"

_Atomic unsigned int vnpu_profile_state = VNPU_PROFILE_UNDECIDED;

static pthread_mutex_t book_mutex = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local uint32_t thread_id;

void vnpu_profile_lock(void)
{
	pthread_mutex_lock(&book_mutex);
}

void vnpu_profile_unlock(void)
{
	pthread_mutex_unlock(&book_mutex);
}

void vnpu_profile_disown(void)
{
	thread_id = 0;
	vnpu_trace_disown();
	atomic_fetch_and(&vnpu_profile_state, VNPU_PROFILE_UNDECIDED);
}

static void decide_once(void)
{
	bool is_traced = vnpu_trace_setup();

	vnpu_profile_lock();
	if (is_traced)
		atomic_fetch_or(&vnpu_profile_state, VNPU_PROFILE_TRACE);
	atomic_fetch_and(&vnpu_profile_state, ~VNPU_PROFILE_UNDECIDED);
	vnpu_profile_unlock();
}

/* Read the environment, or wait for the thread that does. */
static void decide(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (vnpu_trace_is_wanted())
		vnpu_stack_init();
	pthread_once(&once, decide_once);
}

bool vnpu_profile_is_wanted(void)
{
	if (atomic_load(&vnpu_profile_state) & VNPU_PROFILE_UNDECIDED)
		decide();
	return atomic_load(&vnpu_profile_state);
}

uint32_t vnpu_profile_thread(void)
{
	if (!thread_id)
		thread_id = gettid();
	return thread_id;
}

aclError vnpu_profile_start(size_t keep)
{
	VNPU_CALL();
	bool is_running;

	decide();
	vnpu_stack_init();
	vnpu_profile_lock();
	is_running = atomic_load(&vnpu_profile_state) & VNPU_PROFILE_PROGRAM;
	if (!is_running) {
		vnpu_record_begin(keep, !(atomic_load(&vnpu_profile_state) &
					  VNPU_PROFILE_TRACE));
		atomic_fetch_or(&vnpu_profile_state, VNPU_PROFILE_PROGRAM);
	}
	vnpu_profile_unlock();
	return is_running ? vnpu_error(ACL_ERROR_PROF_ALREADY_RUN,
		"allocations are recorded already; call vnpu_profile_stop first") :
	       ACL_SUCCESS;
}

aclError vnpu_profile_stop(void)
{
	VNPU_CALL();
	unsigned int was;

	vnpu_profile_lock();
	was = atomic_fetch_and(&vnpu_profile_state, ~VNPU_PROFILE_PROGRAM);
	vnpu_profile_unlock();
	return was & VNPU_PROFILE_PROGRAM ? ACL_SUCCESS :
	       vnpu_error(ACL_ERROR_PROF_NOT_RUN,
		"allocations are not recorded; call vnpu_profile_start first");
}
