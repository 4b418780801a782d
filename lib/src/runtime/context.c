// SPDX-License-Identifier: MIT
/*
 * Contexts, see context.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/error.h"
#include "base/fork.h"
#include "context.h"
#include "device.h"

static struct vnpu_context *contexts;		/* under the runtime lock */

static __thread struct vnpu_current thread_current;

/*
 * Set the default device of the configuration for a thread without a context.
 * Callbacks that run because a device is about to be set are excluded, as they
 * would be called again.
 */
static aclError use_default_device(void)
{
	int32_t device;
	vnpu_device_set_fn *set = vnpu_device_default(&device);

	if (set)
		return set(device);
	return vnpu_error(ACL_ERROR_RT_CONTEXT_NULL,
		"this thread has no current context, or it was destroyed; call aclrtSetDevice or aclrtSetCurrentContext first");
}

/* This thread has no context. */
static __attribute__((noinline)) aclError find_context(void)
{
	if (vnpu_is_forked())
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

void vnpu_context_add_locked(struct vnpu_context *context)
{
	context->next = contexts;
	contexts = context;
}

void vnpu_context_remove_locked(struct vnpu_context *context)
{
	struct vnpu_context **link = &contexts;

	while (*link != context)
		link = &(*link)->next;
	*link = context->next;
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

void vnpu_context_make_current(const struct vnpu_context *context)
{
	thread_current.context = context->handle;
	thread_current.default_stream = context->default_handle;
	thread_current.user_device = context->user_device;
	thread_current.device = context->device;
}

aclError vnpu_context_find(aclrtContext handle, struct vnpu_context **context)
{
	if (!handle)
		return vnpu_error_null("context");
	if (vnpu_is_forked())
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

aclError aclrtSetCurrentContext(aclrtContext context)
{
	VNPU_CALL();
	struct vnpu_context *found;
	aclError ret = vnpu_context_find(context, &found);

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
	*stream = vnpu_u64_to_ptr(context->default_handle);
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
