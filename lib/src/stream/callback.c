// SPDX-License-Identifier: MIT
/*
 * Functions that a stream calls: in a thread of the program that serves them,
 * or in the thread that this library has for each context.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/child.h"
#include "base/error.h"
#include "base/gate.h"
#include "base/thread.h"
#include "io/io.h"
#include "reporter.h"

static aclError bind_error(int err, aclrtStream stream)
{
	switch (err) {
	case -EBUSY:
		return vnpu_error(ACL_ERROR_RT_STREAM_SUBSCRIBE,
			"stream = %p has a thread already; call aclrtUnSubscribeReport first",
			stream);
	case -EXDEV:
		return vnpu_error(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			"the thread serves streams of another device; use one thread per device");
	case -EUSERS:
		return vnpu_error(ACL_ERROR_RT_INTERNAL_ERROR,
			"1024 threads are subscribed, which is the limit; let one serve several streams");
	case -ENOMEM:
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a subscription");
	default:
		return vnpu_error_errno(err, "subscribing a thread");
	}
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;
	int err;

	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	err = vnpu_reporter_bind(VNPU_BINDING_REPORT, threadId, found, NULL);
	vnpu_stream_put(found);
	return err ? bind_error(err, stream) : ACL_SUCCESS;
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;
	int err;

	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	err = vnpu_reporter_unbind(VNPU_BINDING_REPORT, threadId,
				   found->handle);
	vnpu_stream_put(found);
	if (err == -ENOENT)
		return vnpu_error(ACL_ERROR_RT_STREAM_SUBSCRIBE,
			"stream = %p has no thread; it was unsubscribed before, or never subscribed",
			stream);
	if (err)
		return vnpu_error(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			"stream = %p has a thread other than %llu", stream,
			(unsigned long long)threadId);
	return ACL_SUCCESS;
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData,
			     aclrtCallbackBlockType blockType,
			     aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	if (blockType != ACL_CALLBACK_BLOCK &&
	    blockType != ACL_CALLBACK_NO_BLOCK)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"blockType = %d is not known; use ACL_CALLBACK_BLOCK or ACL_CALLBACK_NO_BLOCK",
			blockType);
	if (!fn)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "fn is NULL; pass a function");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = vnpu_reporter_launch(VNPU_BINDING_REPORT, found, fn, userData,
				   blockType == ACL_CALLBACK_BLOCK);
	vnpu_stream_put(found);
	return ret;
}

aclError aclrtProcessReport(int32_t timeout)
{
	VNPU_CALL();
	int err;

	if (timeout < -1 || !timeout)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"timeout = %d is invalid; use at least 1 ms, or -1 for no limit",
			timeout);
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	err = vnpu_reporter_process(VNPU_BINDING_REPORT, pthread_self(),
				    timeout);
	if (err == -ESRCH)
		return vnpu_error(ACL_ERROR_RT_THREAD_SUBSCRIBE,
			"this thread is not subscribed to any stream; call aclrtSubscribeReport with its pthread_self()");
	if (err == -ETIMEDOUT)
		return vnpu_error(ACL_ERROR_RT_REPORT_TIMEOUT,
			"no callback ran within %d ms", timeout);
	return err ? vnpu_error_errno(err, "waiting for callbacks") :
		     ACL_SUCCESS;
}

/*
 * Run the thread of a context.  It ends with its last stream and not before,
 * even if it runs out of memory, because streams wait for it.
 */
static void *host_thread(void *arg)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct vnpu_context *context = arg;
	uint64_t owner = context->handle;

	vnpu_thread_set_name("vnpu-callback");
	/*
	 * The context may have ended in the meantime, and the default stream
	 * with it.
	 */
	vnpu_runtime_lock();
	if (vnpu_handle_is_live(owner))
		vnpu_context_make_current(context);
	vnpu_runtime_unlock();
	vnpu_context_put_handle(context);
	while (vnpu_reporter_serve(owner))
		nanosleep(&pause, NULL);
	return NULL;
}

/* Start the thread of a context; -ECHILD if no thread can be started. */
static int start_thread(struct vnpu_context *context)
{
	vnpu_handle_ref(context->handle);
	if (!vnpu_thread_start(host_thread, context))
		return 0;
	vnpu_context_put_handle(context);
	return -ECHILD;
}

/* Bind a stream to the thread of its context, unless it is bound already. */
static aclError bind_to_context(struct vnpu_stream *stream)
{
	int err = vnpu_thread_prepare();

	if (!err)
		err = vnpu_reporter_bind(VNPU_BINDING_HOST_FUNC,
					 stream->context->handle, stream,
					 start_thread);
	if (!err || err == -EBUSY)
		return ACL_SUCCESS;
	if (err == -ECHILD)
		return vnpu_error(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
			"cannot start a thread for host functions; the process may have too many threads");
	return bind_error(err, vnpu_u64_to_ptr(stream->handle));
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	if (!fn)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "fn is NULL; pass a function");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = bind_to_context(found);
	if (!ret)
		ret = vnpu_reporter_launch(VNPU_BINDING_HOST_FUNC, found, fn,
					   args, true);
	vnpu_stream_put(found);
	return ret;
}

static aclError no_host_operators(void)
{
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"this device has no models with host operators; use aclrtLaunchHostFunc or aclrtLaunchCallback");
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId,
				aclrtStream exeStream)
{
	VNPU_CALL();

	(void)hostFuncThreadId;
	(void)exeStream;
	return no_host_operators();
}

aclError aclrtProcessHostFunc(int32_t timeout)
{
	VNPU_CALL();

	(void)timeout;
	return no_host_operators();
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId,
				  aclrtStream exeStream)
{
	VNPU_CALL();

	(void)hostFuncThreadId;
	(void)exeStream;
	return no_host_operators();
}
