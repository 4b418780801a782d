// SPDX-License-Identifier: MIT
/*
 * Contexts, see context.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/gate.h"
#include "io/io.h"
#include "io/io_stream.h"
#include "stream/abort.h"
#include "stream/event.h"
#include "stream/stream.h"
#include "context.h"
#include "device.h"
#include "hooks.h"

static struct vnpu_context *contexts;		/* under the runtime lock */

static __thread struct vnpu_current thread_current;

/*
 * Set the default device of the configuration for a thread without a context.
 * Callbacks that run because a device is about to be set are excluded, as they
 * would be called again.
 */
static aclError use_default_device(void)
{
	int32_t device = vnpu_device_default();

	if (device >= 0 && !vnpu_device_is_setting())
		return vnpu_device_set(device);
	return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL,
		"this thread has no current context, or it was destroyed; call aclrtSetDevice or aclrtSetCurrentContext first");
}

/* This thread has no context. */
static __attribute__((noinline)) aclError find_context(void)
{
	if (vnpu_io_is_forked())
		return vnpu_error_open(-EPERM);
	return use_default_device();
}

struct vnpu_current *vnpu_context_mine(void)
{
	struct vnpu_current *mine = &thread_current;

	return vnpu_handle_is_live(mine->context) ? mine : NULL;
}

aclError vnpu_context_current(struct vnpu_current *current)
{
	const struct vnpu_current *mine = vnpu_context_mine();
	aclError ret = mine ? ACL_SUCCESS : find_context();

	if (!ret)
		*current = mine ? *mine : thread_current;
	return ret;
}

struct vnpu_current *vnpu_context_last(void)
{
	return &thread_current;
}

void vnpu_context_note_task(uint32_t task)
{
	thread_current.last_task = task;
}

void vnpu_context_disown(void)
{
	thread_current = (struct vnpu_current){ 0 };
}

aclError vnpu_context_lock(struct vnpu_context **context)
{
	struct vnpu_current current;
	aclError ret;

	do {
		*context = NULL;
		ret = vnpu_context_current(&current);
		if (ret)
			return ret;
		vnpu_runtime_lock();
		*context = vnpu_handle_find(VNPU_HANDLE_CONTEXT,
				vnpu_u64_to_ptr(current.context));
		/* The context was destroyed in the meantime: start again. */
		if (!*context)
			vnpu_runtime_unlock();
	} while (!*context);
	return ACL_SUCCESS;
}

aclError vnpu_context_create_locked(int32_t user_device, uint32_t device,
				    bool is_primary,
				    struct vnpu_context **context)
{
	struct vnpu_context *new = calloc(1, sizeof(*new));
	aclError ret = ACL_ERROR_BAD_ALLOC;
	int err;

	if (!new)
		return ret;
	new->user_device = user_device;
	new->device = device;
	new->is_primary = is_primary;
	err = vnpu_io_context_create(device, &new->id);
	if (err) {
		ret = vnpu_stream_code(err);
		goto err_free;
	}
	new->handle = vnpu_handle_add(VNPU_HANDLE_CONTEXT, new);
	if (!new->handle)
		goto err_destroy;

	ret = vnpu_stream_create_locked(new, 0, 0, &new->default_stream);
	if (ret) {
		vnpu_handle_remove(new->handle);
		goto err_destroy;
	}

	new->next = contexts;
	contexts = new;
	*context = new;
	return ACL_SUCCESS;

err_destroy:
	vnpu_io_context_destroy(new->id);
err_free:
	free(new);
	return ret;
}

static void context_destroy(struct vnpu_context *context)
{
	struct vnpu_context **link = &contexts;

	while (*link != context)
		link = &(*link)->next;
	*link = context->next;

	vnpu_event_destroy_all(context);
	while (context->streams)
		vnpu_stream_destroy(context->streams);
	vnpu_io_context_destroy(context->id);
	if (vnpu_handle_remove(context->handle))
		free(context);
}

void vnpu_context_put_handle(struct vnpu_context *context)
{
	if (vnpu_handle_put(context->handle))
		free(context);
}

struct vnpu_context *vnpu_context_first(void)
{
	return contexts;
}

uint64_t vnpu_context_default_stream(const struct vnpu_context *context)
{
	return context->default_stream->handle;
}

void vnpu_context_destroy_all(int32_t user_device)
{
	struct vnpu_context *next;

	for (struct vnpu_context *context = contexts; context; context = next) {
		next = context->next;
		if (context->user_device == user_device)
			context_destroy(context);
	}
}

void vnpu_context_make_current(const struct vnpu_context *context)
{
	thread_current.context = context->handle;
	thread_current.default_stream = context->default_stream->handle;
	thread_current.user_device = context->user_device;
	thread_current.device = context->device;
}

/* Find the context of a handle; takes the lock on success. */
static aclError context_find(aclrtContext handle, struct vnpu_context **context)
{
	if (!handle)
		return vnpu_error_null("context");
	if (vnpu_io_is_forked())
		return vnpu_error_open(-EPERM);

	vnpu_runtime_lock();
	*context = vnpu_handle_find(VNPU_HANDLE_CONTEXT, handle);
	if (*context)
		return ACL_SUCCESS;
	vnpu_runtime_unlock();
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"context = %p is not a context, or was destroyed or reset with its device; pass an existing one",
		handle);
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
	VNPU_CALL();
	struct vnpu_context *new;
	uint64_t stream = 0;
	uint32_t device;
	aclError ret;

	vnpu_gate_pass();
	if (!context)
		return vnpu_error_null("context");
	ret = vnpu_device_resolve(deviceId, &device);
	if (ret)
		return ret;

	vnpu_runtime_lock();
	ret = vnpu_context_create_locked(deviceId, device, false, &new);
	if (!ret) {
		vnpu_context_make_current(new);
		*context = vnpu_u64_to_ptr(new->handle);
		stream = new->default_stream->handle;
	}
	vnpu_runtime_unlock();
	if (ret)
		return vnpu_stream_create_error(device, deviceId, ret);
	vnpu_hooks_stream(stream, ACL_RT_STREAM_STATE_CREATE_POST);
	return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context)
{
	VNPU_CALL();
	struct vnpu_context *found;
	bool is_primary;
	aclError ret;

	vnpu_gate_pass();
	ret = context_find(context, &found);
	if (ret)
		return ret;
	is_primary = found->is_primary;
	vnpu_runtime_unlock();
	if (is_primary)
		return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL,
			"context = %p is the primary context of its device; aclrtResetDevice ends it",
			context);

	vnpu_abort_announce_context(vnpu_ptr_to_u64(context));
	/* Another thread may have destroyed the context in the meantime. */
	ret = context_find(context, &found);
	if (ret)
		return ret;
	context_destroy(found);
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
	VNPU_CALL();
	struct vnpu_context *found;
	aclError ret = context_find(context, &found);

	if (ret)
		return ret;
	vnpu_context_make_current(found);
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (!context)
		return vnpu_error_null("context");
	ret = vnpu_context_current(&current);
	/* Some programs read the output even after a failure. */
	*context = ret ? NULL : vnpu_u64_to_ptr(current.context);
	return ret;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
	VNPU_CALL();
	struct vnpu_context *context;
	aclError ret;

	if (!stream)
		return vnpu_error_null("stream");
	ret = vnpu_context_lock(&context);
	if (ret)
		return ret;
	*stream = vnpu_u64_to_ptr(context->default_stream->handle);
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
	VNPU_CALL();
	struct vnpu_context *context;
	aclError ret = vnpu_option_check_value(opt, VNPU_CONTEXT_OPTIONS,
					       value);

	if (!ret)
		ret = vnpu_context_lock(&context);
	if (ret)
		return ret;
	context->options[opt] = value;
	context->options_set |= 1U << opt;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
	VNPU_CALL();
	struct vnpu_context *context;
	bool is_set;
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = vnpu_option_check(opt, VNPU_CONTEXT_OPTIONS);
	if (!ret)
		ret = vnpu_context_lock(&context);
	if (ret)
		return ret;

	is_set = context->options_set & 1U << opt;
	if (is_set)
		*value = context->options[opt];
	vnpu_runtime_unlock();
	if (!is_set)
		return vnpu_error(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
			"opt = %d was never set in this context; call aclrtCtxSetSysParamOpt first",
			opt);
	return ACL_SUCCESS;
}
