// SPDX-License-Identifier: MIT
/*
 * Lanes: the tasks that a stream captures, see capture.h.
 *
 * A launch reads its arguments from a block of the stream's book.  The lane keeps
 * that block, and the kernel, for as long as the model may run the launch.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/io_graph.h"
#include "kernel/binary.h"
#include "kernel/book.h"
#include "runtime/context.h"
#include "capture.h"
#include "stream.h"

#define ROOM	64U	/* of a new lane */

static int make_room(struct vnpu_lane *lane, uint32_t count)
{
	uint32_t room = lane->room ? lane->room : ROOM;
	struct vnpu_captured *infos;
	struct vnpu_task *tasks;

	if (count > VNPU_IO_GRAPH_TASKS - lane->count)
		return -ENOSPC;
	if (lane->count + count <= lane->room)
		return 0;
	while (room < lane->count + count)
		room *= 2;
	tasks = reallocarray(lane->tasks, room, sizeof(*tasks));
	if (!tasks)
		return -ENOMEM;
	lane->tasks = tasks;
	infos = reallocarray(lane->infos, room, sizeof(*infos));
	if (!infos)
		return -ENOMEM;
	lane->infos = infos;
	lane->room = room;
	return 0;
}

static int ref_add(struct vnpu_lane *lane, struct vnpu_launch_ref ref)
{
	if (lane->nr_refs == lane->refs_room) {
		uint32_t room = lane->refs_room ? 2 * lane->refs_room : ROOM;
		struct vnpu_launch_ref *more = reallocarray(lane->refs, room,
							    sizeof(*more));

		if (!more)
			return -ENOMEM;
		lane->refs = more;
		lane->refs_room = room;
	}
	lane->refs[lane->nr_refs++] = ref;
	return 0;
}

void vnpu_launch_ref_put(const struct vnpu_launch_ref *ref)
{
	if (ref->chunk)
		vnpu_book_release(ref->chunk);
	if (ref->function)
		vnpu_function_put(ref->function);
}

/* Check whether one of the last two references of the lane is the same. */
static bool has_ref(const struct vnpu_lane *lane,
		    const struct vnpu_launch_ref *ref)
{
	for (uint32_t i = lane->nr_refs; i && i + 2 > lane->nr_refs; i--)
		if (!memcmp(&lane->refs[i - 1], ref, sizeof(*ref)))
			return true;
	return false;
}

/* Give a reference to the lane, or put it if the lane has the same already. */
static int ref_keep(struct vnpu_lane *lane, struct vnpu_launch_ref ref)
{
	int ret;

	if ((!ref.chunk && !ref.function) || has_ref(lane, &ref)) {
		vnpu_launch_ref_put(&ref);
		return 0;
	}
	ret = ref_add(lane, ref);
	if (ret)
		vnpu_launch_ref_put(&ref);
	return ret;
}

/* Keep the arguments and the kernel of a launch. */
static int keep_launch(struct vnpu_lane *lane, const struct vnpu_task *task)
{
	struct vnpu_book *book = &lane->stream->book;
	struct vnpu_launch_ref args = {
		.chunk = vnpu_book_hold(book, UINT64_MAX, task->src),
	};
	struct vnpu_launch_ref kernel = {
		.function = vnpu_function_find(task->arg0),
	};
	int ret = ref_keep(lane, args);
	int err = ref_keep(lane, kernel);

	return ret ? ret : err;
}

static void describe(struct vnpu_captured *info, enum vnpu_captured_kind kind)
{
	const char *call = vnpu_call_name ? vnpu_call_name : "";

	*info = (struct vnpu_captured){ .kind = kind };
	strncpy(info->call, call, sizeof(info->call) - 1);
}

/* A group has tasks of operators alone, and so has its update. */
static bool is_allowed(const struct vnpu_lane *lane,
		       const struct vnpu_task *task)
{
	return task->op == VNPU_TASK_LAUNCH ||
	       !(lane->open || lane->capture->update);
}

static int add(struct vnpu_lane *lane, const struct vnpu_task *task,
	       enum vnpu_captured_kind kind)
{
	int ret = 0;

	/* A timestamp is for a profile, which ends before the model. */
	if (task->op == VNPU_TASK_TIMESTAMP)
		return 0;
	if (!is_allowed(lane, task))
		return -EPROTOTYPE;
	if (atomic_fetch_add(&lane->capture->tasks, 1) >= VNPU_IO_GRAPH_TASKS)
		return -ENOSPC;
	if (task->op == VNPU_TASK_LAUNCH)
		ret = keep_launch(lane, task);
	if (ret)
		return ret;
	describe(&lane->infos[lane->count], kind);
	lane->tasks[lane->count++] = *task;
	return 0;
}

int vnpu_lane_add(struct vnpu_lane *lane, const struct vnpu_task *tasks,
		  unsigned int count, enum vnpu_captured_kind kind)
{
	struct vnpu_capture *capture = lane->capture;
	int ret;

	if (lane->is_paused)
		return -EROFS;
	if (atomic_load(&capture->status) != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		return -ECANCELED;
	ret = make_room(lane, count);
	for (unsigned int i = 0; !ret && i < count; i++)
		ret = add(lane, &tasks[i], kind);
	if (ret)
		atomic_store(&capture->status,
			     ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
	else if (lane->count)
		vnpu_context_note_task(lane->count - 1);
	return ret;
}

void vnpu_lane_free(struct vnpu_lane *lane)
{
	for (uint32_t i = 0; i < lane->nr_refs; i++)
		vnpu_launch_ref_put(&lane->refs[i]);
	free(lane->refs);
	free(lane->infos);
	free(lane->tasks);
	free(lane);
}
