// SPDX-License-Identifier: MIT
/*
 * Events that several processes share.  Each process maps a page with the
 * latest record, which names a task of a stream, and waits for the timeline of
 * that stream.  Therefore the rules of events within a process apply: a
 * cancelled task counts as complete, and so do all tasks when the stream or its
 * process ends.  It makes no difference which processes still have the event.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "ipc/share.h"
#include "event_ipc.h"
#include "stream_share.h"

_Static_assert(ACL_IPC_EVENT_HANDLE_SIZE < VNPU_TOKEN_TEXT, "not NUL-terminated");

int vnpu_event_ipc_create(struct vnpu_event_ipc **ipc)
{
	struct vnpu_event_ipc *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	new->file = vnpu_event_page_create();
	ret = new->file < 0 ? new->file :
			      vnpu_event_page_map(new->file, &new->page);
	if (ret) {
		vnpu_event_ipc_free(new);
		return ret;
	}
	*ipc = new;
	return 0;
}

/* Adopt the file of another process; takes ownership of it. */
static int ipc_adopt(int file, struct vnpu_event_ipc **ipc)
{
	struct vnpu_event_ipc *new = calloc(1, sizeof(*new));
	int ret = -ENOMEM;

	if (new) {
		new->file = -1;
		ret = vnpu_event_page_map(file, &new->page);
	}
	close(file);
	if (ret)
		free(new);
	else
		*ipc = new;
	return ret;
}

void vnpu_event_ipc_free(struct vnpu_event_ipc *ipc)
{
	if (ipc->is_exported)
		vnpu_share_close(VNPU_SHARE_EVENT, &ipc->token);
	if (ipc->page)
		vnpu_event_page_unmap(ipc->page);
	if (ipc->file >= 0)
		close(ipc->file);
	free(ipc);
}

aclError vnpu_event_ipc_record(struct vnpu_event_ipc *ipc,
			       struct vnpu_stream *stream)
{
	struct vnpu_event_record record = {
		.seq = vnpu_queue_last(&stream->queue),
	};
	int err = vnpu_stream_share(stream, &record.stream);

	if (err)
		return vnpu_error_errno(err, "sharing a stream");
	err = vnpu_event_page_put(ipc->page, &record);
	if (!err)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_NO_EVENT_RESOURCE,
		"the event was recorded on %d streams that still exist, which is the limit for an event of several processes; destroy some, or use more events",
		VNPU_EVENT_PAGE_STREAMS);
}

aclError vnpu_event_ipc_latest(struct vnpu_event_ipc *ipc,
			       struct vnpu_io_point *point)
{
	struct vnpu_event_record record;
	int err;

	point->id = 0;
	if (!vnpu_event_page_get(ipc->page, &record))
		return ACL_SUCCESS;
	err = vnpu_stream_shared_find(&record.stream, &point->id);
	point->value = record.seq;
	if (err)
		point->id = 0;
	return err && err != -ENOENT ? vnpu_share_error(err, "event") :
				       ACL_SUCCESS;
}

/*
 * Share the event unless it is shared; the event's lock is held.  0 or -errno.
 */
static int export_locked(struct vnpu_event *event)
{
	struct vnpu_event_ipc *ipc = event->ipc;
	const struct vnpu_share_spec spec = {
		.kind = VNPU_SHARE_EVENT,
		.has_file = true,
		.file = ipc->file,
		.any_pid = true,
		.device = event->device,
		.length = 1,
	};
	int ret;

	if (ipc->is_exported)
		return 0;
	ret = vnpu_share_create(&spec, &ipc->token);
	ipc->is_exported = !ret;
	return ret;
}

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
	VNPU_CALL();
	struct vnpu_event *found;
	aclError ret;
	int err;

	if (!handle)
		return vnpu_error_null("handle");
	ret = vnpu_event_get(event, &found);
	if (ret)
		return ret;
	if (!found->ipc || found->ipc->file < 0) {
		vnpu_event_put(found);
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"event = %p has no handle; create it with aclrtCreateEventExWithFlag and ACL_EVENT_IPC in the process that shares it",
			event);
	}
	pthread_mutex_lock(&found->lock);
	err = export_locked(found);
	if (!err)
		vnpu_token_to_text(&found->ipc->token, handle->reserved,
				   sizeof(handle->reserved));
	pthread_mutex_unlock(&found->lock);
	vnpu_event_put(found);
	return err ? vnpu_error_errno(err, "sharing an event") :
		     ACL_SUCCESS;
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
	VNPU_CALL();
	char text[VNPU_TOKEN_TEXT] = { 0 };
	struct vnpu_current current;
	struct vnpu_event_ipc *ipc;
	struct vnpu_shared shared;
	struct vnpu_token token;
	aclError ret;
	int err;

	if (!event)
		return vnpu_error_null("event");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	memcpy(text, handle.reserved, sizeof(handle.reserved));
	if (!vnpu_token_from_text(text, &token))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"handle is invalid; pass the %u bytes that aclrtIpcGetEventHandle wrote",
			ACL_IPC_EVENT_HANDLE_SIZE);
	err = vnpu_share_fetch(VNPU_SHARE_EVENT, &token, &shared);
	if (!err)
		err = ipc_adopt(shared.file, &ipc);
	if (err)
		return vnpu_share_error(err, "handle");
	return vnpu_event_adopt(ipc, event);
}
