// SPDX-License-Identifier: MIT
/*
 * Contexts: creation and destruction, with their streams and events.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "io/io_stream.h"
#include "model/model.h"
#include "offline/offline.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/hooks.h"
#include "stream/abort.h"
#include "stream/event.h"
#include "stream/launch_report.h"
#include "stream/stream.h"
#include "create.h"

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
		vnpu_handle_remove_put(new->handle);
		goto err_destroy;
	}

	new->default_handle = new->default_stream->handle;
	vnpu_context_add_locked(new);
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
	struct vnpu_offline *offline;
	struct vnpu_model *models;

	vnpu_context_remove_locked(context);
	models = vnpu_model_remove_all(context);
	offline = vnpu_offline_remove_all(context);
	vnpu_event_destroy_all(context);
	while (context->streams)
		vnpu_stream_destroy(context->streams);
	vnpu_model_free_all(models);
	vnpu_offline_free_all(offline);
	vnpu_io_context_destroy(context->id);
	if (vnpu_handle_remove_put(context->handle))
		free(context);
}

void vnpu_context_destroy_all(int32_t user_device)
{
	struct vnpu_context *next;

	for (struct vnpu_context *context = vnpu_context_first(); context;
	     context = next) {
		next = context->next;
		if (context->user_device == user_device)
			context_destroy(context);
	}
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
		stream = new->default_handle;
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
	uint32_t device;
	bool is_primary;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_context_find(context, &found);
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
	ret = vnpu_context_find(context, &found);
	if (ret)
		return ret;
	device = found->device;
	context_destroy(found);
	vnpu_runtime_unlock();
	vnpu_launch_flush(device);
	return ACL_SUCCESS;
}
