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

static int keep_one(struct vnpu_lane *lane, struct vnpu_kept kept)
{
	if (lane->nr_kept == lane->kept_room) {
		uint32_t room = lane->kept_room ? 2 * lane->kept_room : ROOM;
		struct vnpu_kept *more = reallocarray(lane->kept, room,
						      sizeof(*more));

		if (!more)
			return -ENOMEM;
		lane->kept = more;
		lane->kept_room = room;
	}
	lane->kept[lane->nr_kept++] = kept;
	return 0;
}

static void drop(const struct vnpu_kept *kept)
{
	if (kept->chunk)
		vnpu_book_release(kept->chunk);
	if (kept->function)
		vnpu_function_put(kept->function);
}

/* Check whether the lane has kept this lately. */
static bool is_kept(const struct vnpu_lane *lane, const struct vnpu_kept *kept)
{
	for (uint32_t i = lane->nr_kept; i && i + 2 > lane->nr_kept; i--)
		if (!memcmp(&lane->kept[i - 1], kept, sizeof(*kept)))
			return true;
	return false;
}

static int keep(struct vnpu_lane *lane, struct vnpu_kept kept)
{
	int ret;

	if ((!kept.chunk && !kept.function) || is_kept(lane, &kept)) {
		drop(&kept);
		return 0;
	}
	ret = keep_one(lane, kept);
	if (ret)
		drop(&kept);
	return ret;
}

/* Keep what a launch uses. */
static int keep_launch(struct vnpu_lane *lane, const struct vnpu_task *task)
{
	struct vnpu_book *book = &lane->stream->book;
	struct vnpu_kept args = {
		.chunk = vnpu_book_hold(book, UINT64_MAX, task->src),
	};
	struct vnpu_kept kernel = {
		.function = vnpu_function_find(task->arg0),
	};
	int ret = keep(lane, args);
	int err = keep(lane, kernel);

	return ret ? ret : err;
}

static void describe(struct vnpu_captured *info, enum vnpu_captured_kind kind)
{
	const char *call = vnpu_call_name ? vnpu_call_name : "";

	info->kind = kind;
	strncpy(info->call, call, sizeof(info->call) - 1);
	info->call[sizeof(info->call) - 1] = '\0';
}

static int add(struct vnpu_lane *lane, const struct vnpu_task *task,
	       enum vnpu_captured_kind kind)
{
	int ret = 0;

	/*
	 * A moment of a profile: the profile ends before the model.
	 */
	if (task->op == VNPU_TASK_TIMESTAMP)
		return 0;
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

	if (atomic_load(&capture->status) != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		return -ECANCELED;
	ret = make_room(lane, count);
	for (unsigned int i = 0; !ret && i < count; i++)
		ret = add(lane, &tasks[i], kind);
	if (ret)
		atomic_store(&capture->status,
			     ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
	return ret;
}

void vnpu_lane_free(struct vnpu_lane *lane)
{
	for (uint32_t i = 0; i < lane->nr_kept; i++)
		drop(&lane->kept[i]);
	free(lane->kept);
	free(lane->infos);
	free(lane->tasks);
	free(lane);
}
