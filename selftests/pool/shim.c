// SPDX-License-Identifier: GPL-2.0-only
/* The rest of the library that pools need, for tests without a device. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/fork.h"
#include "pool/async.h"
#include "pool/pool.h"
#include "pool/provider.h"
#include "shim.h"

__thread const char *vnpu_call_name;
__thread char shim_message[256];

aclError vnpu_error(aclError code, const char *fmt, ...)
{
	int length = snprintf(shim_message, sizeof(shim_message), "%s: ",
			      vnpu_call_name);
	va_list args;

	va_start(args, fmt);
	vsnprintf(shim_message + length, sizeof(shim_message) - length, fmt,
		  args);
	va_end(args);
	return code;
}

aclError vnpu_error_null(const char *argument)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM, "%s is NULL", argument);
}

aclError vnpu_error_errno(int err, const char *what)
{
	return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %s", what,
			  strerror(-err));
}

aclError vnpu_provider_current(struct vnpu_pool_config *config,
			       struct vnpu_pool_provider *provider)
{
	(void)config;
	(void)provider;
	return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL, "no device");
}

void vnpu_async_reap(uint64_t handle)
{
	(void)handle;
}

void vnpu_async_forget(uint64_t handle)
{
	(void)handle;
}

static pthread_mutex_t async_mutex = PTHREAD_MUTEX_INITIALIZER;

void vnpu_async_lock(void)
{
	pthread_mutex_lock(&async_mutex);
}

void vnpu_async_unlock(void)
{
	pthread_mutex_unlock(&async_mutex);
}

static void disown(void)
{
	vnpu_registry_disown();
	vnpu_registry_unlock();
}

__attribute__((constructor))
static void watch_fork(void)
{
	pthread_atfork(vnpu_registry_lock, vnpu_registry_unlock, disown);
}
