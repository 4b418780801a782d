// SPDX-License-Identifier: MIT
/*
 * Notifies: a counter of the driver that is 0 or 1. notify_ipc.c shares them,
 * cnt_notify.c has counting notifies.
 *
 * A stream sets a notify with a task that sets the counter to 1, and consumes
 * it with a task that waits for 1 and clears the counter in one step.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/error.h"
#include "base/gate.h"
#include "io/io_stream.h"
#include "ipc/share.h"
#include "mem/lack.h"
#include "notify.h"
#include "stream.h"

static struct vnpu_notify *notifies;	/* protected by the runtime lock */

static aclError no_counter(int err, const struct vnpu_current *current)
{
	if (err == -EAGAIN || err == -EDQUOT)
		return vnpu_error(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "%s",
			vnpu_lack_text(current->device, current->user_device,
				       VNPU_IO_LIMIT_COUNTERS).words);
	return vnpu_error_errno(err, "creating a notify");
}

/* Publish @new, which is ready except for its handle; takes ownership. */
static aclError publish(enum vnpu_handle_kind kind, struct vnpu_notify *new,
			void **handle)
{
	vnpu_runtime_lock();
	new->handle = vnpu_handle_add(kind, new);
	if (new->handle) {
		new->next = notifies;
		notifies = new;
		*handle = vnpu_u64_to_ptr(new->handle);
	}
	vnpu_runtime_unlock();
	if (*handle)
		return ACL_SUCCESS;
	vnpu_io_timeline_destroy(new->counter);
	free(new);
	return vnpu_error(ACL_ERROR_RT_NO_NOTIFY_RESOURCE,
		"this process has too many objects; destroy unused ones");
}

static struct vnpu_notify *notify_alloc(const struct vnpu_current *current)
{
	struct vnpu_notify *new = calloc(1, sizeof(*new));

	if (!new) {
		vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for a notify");
		return NULL;
	}
	new->user_device = current->user_device;
	new->device = current->device;
	return new;
}

aclError vnpu_notify_create(enum vnpu_handle_kind kind, void **handle)
{
	struct vnpu_current current;
	struct vnpu_notify *new;
	void *made = NULL;
	aclError ret = vnpu_context_current(&current);
	int err;

	if (ret)
		return ret;
	new = notify_alloc(&current);
	if (!new)
		return ACL_ERROR_BAD_ALLOC;
	err = vnpu_io_counter_create(current.device, 0, &new->counter,
				     &new->number);
	if (err) {
		free(new);
		return no_counter(err, &current);
	}
	ret = publish(kind, new, &made);
	if (!ret)
		*handle = made;
	return ret;
}

aclError vnpu_notify_adopt(uint64_t counter, uint32_t number,
			   const struct vnpu_current *current, void **handle)
{
	struct vnpu_notify *new = notify_alloc(current);
	void *made = NULL;
	aclError ret;

	if (!new) {
		vnpu_io_timeline_destroy(counter);
		return ACL_ERROR_BAD_ALLOC;
	}
	new->counter = counter;
	new->number = number;
	new->is_imported = true;
	ret = publish(VNPU_HANDLE_NOTIFY, new, &made);
	if (!ret)
		*handle = made;
	return ret;
}

aclError vnpu_notify_lock(enum vnpu_handle_kind kind, const void *handle,
			  struct vnpu_notify **notify)
{
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	vnpu_runtime_lock();
	*notify = vnpu_handle_find(kind, handle);
	if (*notify)
		return ACL_SUCCESS;
	vnpu_runtime_unlock();
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"%p is not a notify of this kind, or was destroyed, or its device was reset",
		handle);
}

aclError vnpu_notify_counter(enum vnpu_handle_kind kind, const void *handle,
			     uint64_t *counter)
{
	struct vnpu_notify *notify;
	aclError ret = vnpu_notify_lock(kind, handle, &notify);

	if (ret)
		return ret;
	*counter = notify->counter;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

/* Waiting streams continue: the end of a counter ends the waits for it. */
static int destroy_locked(struct vnpu_notify *notify)
{
	struct vnpu_notify **link = &notifies;
	int ret;

	while (*link != notify)
		link = &(*link)->next;
	*link = notify->next;

	vnpu_handle_remove_put(notify->handle);
	if (notify->is_exported)
		vnpu_share_close(VNPU_SHARE_NOTIFY, &notify->token);
	ret = vnpu_io_timeline_destroy(notify->counter);
	free(notify);
	return ret;
}

aclError vnpu_notify_destroy(struct vnpu_notify *notify)
{
	int err = destroy_locked(notify);

	vnpu_runtime_unlock();
	return err ? vnpu_error_errno(err, "destroying a notify") :
		     ACL_SUCCESS;
}

void vnpu_notify_destroy_all(int32_t user_device)
{
	struct vnpu_notify *next;

	for (struct vnpu_notify *notify = notifies; notify; notify = next) {
		next = notify->next;
		if (notify->user_device == user_device)
			destroy_locked(notify);
	}
}

aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag)
{
	VNPU_CALL();

	vnpu_gate_pass();
	if (!notify)
		return vnpu_error_null("notify");
	if (flag > ACL_NOTIFY_DEVICE_USE_ONLY)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = %llu is not known; use ACL_NOTIFY_DEFAULT",
			(unsigned long long)flag);
	return vnpu_notify_create(VNPU_HANDLE_NOTIFY, notify);
}

aclError aclrtDestroyNotify(aclrtNotify notify)
{
	VNPU_CALL();
	struct vnpu_notify *found;
	aclError ret;

	vnpu_gate_pass();
	if (!notify)
		return vnpu_error_null("notify");
	ret = vnpu_notify_lock(VNPU_HANDLE_NOTIFY, notify, &found);
	return ret ? ret : vnpu_notify_destroy(found);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_task task = {
		.op = VNPU_TASK_SIGNAL,
		.mode = VNPU_SIGNAL_SET,
		.arg0 = 1,
	};
	uint64_t counter;
	aclError ret;

	if (!notify)
		return vnpu_error_null("notify");
	ret = vnpu_notify_counter(VNPU_HANDLE_NOTIFY, notify, &counter);
	if (ret)
		return ret;
	task.dst = counter;
	return vnpu_stream_submit_to(stream, &task);
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
				 uint32_t timeout)
{
	VNPU_CALL();
	struct vnpu_task task = {
		.op = VNPU_TASK_COUNTER_WAIT,
		.mode = VNPU_COND_EQ,
		.flags = VNPU_TASK_F_CLEAR,
		.timeout_ms = vnpu_seconds_to_ms(timeout),
		.arg0 = 1,
	};
	uint64_t counter;
	aclError ret;

	if (!notify)
		return vnpu_error_null("notify");
	ret = vnpu_notify_counter(VNPU_HANDLE_NOTIFY, notify, &counter);
	if (ret)
		return ret;
	task.src = counter;
	return vnpu_stream_submit_to(stream, &task);
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId)
{
	VNPU_CALL();
	struct vnpu_notify *found;
	aclError ret;

	if (!notify)
		return vnpu_error_null("notify");
	if (!notifyId)
		return vnpu_error_null("notifyId");
	ret = vnpu_notify_lock(VNPU_HANDLE_NOTIFY, notify, &found);
	if (ret)
		return ret;
	*notifyId = found->number;
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

/* Reset notifies; the runtime lock is held, and all handles are valid. */
static int reset_locked(const aclrtNotify *handles, size_t num)
{
	const struct vnpu_notify *notify;
	int ret = 0;

	for (size_t i = 0; i < num && !ret; i++) {
		notify = vnpu_handle_find(VNPU_HANDLE_NOTIFY, handles[i]);
		ret = vnpu_io_signal(notify->counter, 0, VNPU_SIGNAL_SET);
	}
	return ret;
}

aclError aclrtNotifyBatchReset(aclrtNotify *handles, size_t num)
{
	VNPU_CALL();
	int err = 0;
	size_t i;

	if (!handles)
		return vnpu_error_null("notifies");
	if (!num)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"num is 0; pass at least 1 notify");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);

	vnpu_runtime_lock();
	for (i = 0; i < num; i++)
		if (!vnpu_handle_find(VNPU_HANDLE_NOTIFY, handles[i]))
			break;
	if (i == num)
		err = reset_locked(handles, num);
	vnpu_runtime_unlock();

	if (i < num)
		return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"notifies[%zu] = %p is not a notify, or was destroyed, or its device was reset",
			i, handles[i]);
	return err ? vnpu_error_errno(err, "resetting a notify") :
		     ACL_SUCCESS;
}
