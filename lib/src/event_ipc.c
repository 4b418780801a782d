// SPDX-License-Identifier: MIT
/*
 * Events that several processes have.
 *
 * Records are numbered, in a page that all processes map, so that each knows
 * the latest without asking another.  A record waits for the one before it, and
 * then lets a timeline reach its own number: who waits for that waits for the
 * records up to it, and no further.
 *
 * The page's file cannot shrink, so that no process can take it from under the
 * others.  One that writes nonsense into it does no harm but to the order of
 * those who trusted it with the handle.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "event_ipc.h"
#include "io.h"
#include "io_stream.h"
#include "share.h"

#define PAGE	4096
#define SEALS	(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

_Static_assert(ACL_IPC_EVENT_HANDLE_SIZE < VNPU_TOKEN_TEXT, "no NUL at the end");

static int page_create(void)
{
	int fd = memfd_create("vnpu-event", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, PAGE) || fcntl(fd, F_ADD_SEALS, SEALS)) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	return fd;
}

static int page_map(int fd, struct vnpu_event_page **page)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat info;
	void *p;

	if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &info) ||
	    info.st_size != PAGE)
		return -ENOENT;
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	*page = p;
	return 0;
}

int vnpu_event_ipc_create(struct vnpu_event_ipc **ipc)
{
	struct vnpu_event_ipc *new = calloc(1, sizeof(*new));
	int ret;

	if (!new)
		return -ENOMEM;
	new->file = page_create();
	ret = new->file < 0 ? new->file : page_map(new->file, &new->page);
	if (!ret)
		ret = vnpu_io_timeline_create(0, &new->done);
	if (ret) {
		vnpu_event_ipc_free(new);
		return ret;
	}
	*ipc = new;
	return 0;
}

/* Of what another process shares, whose timeline and file this takes. */
static int ipc_adopt(const struct vnpu_shared *shared,
		     struct vnpu_event_ipc **ipc)
{
	struct vnpu_event_ipc *new = calloc(1, sizeof(*new));
	int ret = -ENOMEM;

	if (new) {
		new->file = -1;
		new->done = shared->timeline;
		ret = page_map(shared->file, &new->page);
	}
	close(shared->file);
	if (ret && new)
		vnpu_event_ipc_free(new);
	else if (ret)
		vnpu_io_timeline_destroy(shared->timeline);
	else
		*ipc = new;
	return ret;
}

void vnpu_event_ipc_free(struct vnpu_event_ipc *ipc)
{
	if (ipc->is_exported)
		vnpu_share_close(VNPU_SHARE_EVENT, &ipc->token);
	if (ipc->done)
		vnpu_io_timeline_destroy(ipc->done);
	if (ipc->page)
		munmap(ipc->page, PAGE);
	if (ipc->file >= 0)
		close(ipc->file);
	free(ipc);
}

aclError vnpu_event_ipc_record(const char *call, struct vnpu_event_ipc *ipc,
			       struct vnpu_stream *stream)
{
	uint64_t number = atomic_fetch_add(&ipc->page->latest, 1) + 1;
	const struct vnpu_task tasks[] = {
		{
			.op = VNPU_TASK_WAIT,
			.src = ipc->done,
			.arg0 = number - 1,
		}, {
			.op = VNPU_TASK_SIGNAL,
			.mode = VNPU_SIGNAL_ADVANCE,
			.dst = ipc->done,
			.arg0 = number,
		},
	};
	aclError ret = vnpu_stream_submit(call, stream, tasks, 2, NULL);

	/* Nobody is to wait for what will not come. */
	if (ret)
		vnpu_io_signal(ipc->done, number, VNPU_SIGNAL_ADVANCE);
	return ret;
}

aclError vnpu_event_ipc_wait(const char *call, struct vnpu_event_ipc *ipc,
			     struct vnpu_stream *stream, uint32_t timeout_ms)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_WAIT,
		.timeout_ms = timeout_ms,
		.src = ipc->done,
		.arg0 = atomic_load(&ipc->page->latest),
	};

	return task.arg0 ? vnpu_stream_submit(call, stream, &task, 1, NULL) :
			   ACL_SUCCESS;
}

int vnpu_event_ipc_query(const struct vnpu_event_ipc *ipc, bool *is_done)
{
	uint64_t latest = atomic_load(&ipc->page->latest), value;
	int ret = vnpu_io_timeline_query(ipc->done, &value);

	*is_done = !ret && value >= latest;
	return ret;
}

int vnpu_event_ipc_synchronize(const struct vnpu_event_ipc *ipc,
			       int64_t timeout_ms)
{
	const struct vnpu_io_point point = {
		.id = ipc->done,
		.value = atomic_load(&ipc->page->latest),
	};

	return vnpu_io_wait(&point, 1, false, vnpu_queue_deadline(timeout_ms),
			    NULL);
}

/* Share it unless it is shared; the event's lock is held.  0 or -errno. */
static int export_locked(struct vnpu_event *event)
{
	struct vnpu_event_ipc *ipc = event->ipc;
	const struct vnpu_share_spec spec = {
		.kind = VNPU_SHARE_EVENT,
		.timeline = ipc->done,
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
	struct vnpu_event *found;
	aclError ret;
	int err;

	if (!handle)
		return vnpu_error_null(__func__, "handle");
	ret = vnpu_event_get(__func__, event, &found);
	if (ret)
		return ret;
	if (!found->ipc || found->ipc->file < 0) {
		vnpu_event_put(found);
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"event = %p has no handle; make it with aclrtCreateEventExWithFlag and ACL_EVENT_IPC in the process that shares it",
			event);
	}
	pthread_mutex_lock(&found->lock);
	err = export_locked(found);
	if (!err)
		vnpu_token_to_text(&found->ipc->token, handle->reserved,
				   sizeof(handle->reserved));
	pthread_mutex_unlock(&found->lock);
	vnpu_event_put(found);
	return err ? vnpu_error_errno(err, __func__, "sharing an event") :
		     ACL_SUCCESS;
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
	char text[VNPU_TOKEN_TEXT] = { 0 };
	struct vnpu_current current;
	struct vnpu_event_ipc *ipc;
	struct vnpu_shared shared;
	struct vnpu_token token;
	aclError ret;
	int err;

	if (!event)
		return vnpu_error_null(__func__, "event");
	ret = vnpu_context_current(__func__, &current);
	if (ret)
		return ret;
	memcpy(text, handle.reserved, sizeof(handle.reserved));
	if (!vnpu_token_from_text(text, &token))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, __func__,
			"handle is none; pass the %u bytes that aclrtIpcGetEventHandle wrote",
			ACL_IPC_EVENT_HANDLE_SIZE);
	err = vnpu_share_fetch(VNPU_SHARE_EVENT, &token, &shared);
	if (!err)
		err = ipc_adopt(&shared, &ipc);
	if (err)
		return vnpu_share_error(err, __func__, "handle");
	return vnpu_event_adopt(__func__, ipc, event);
}
