/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks in the driver: operations that are prepared and then run. */
#ifndef VNPU_TASK_H
#define VNPU_TASK_H

#include <linux/bits.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct vnpu_engine;
struct vnpu_stream;
struct vnpu_task;

/* Bytes that an engine moves between two checks for other work. */
#define VNPU_TASK_CHUNK		SZ_256K
/* The minimum cost of a task. */
#define VNPU_TASK_COST		SZ_4K

/* Maximum number of small tasks in a batch. */
#define VNPU_TASK_BATCH		16

/* Results of running a part of a task, besides 0 (complete) and -errno. */
#define VNPU_TASK_MORE		1	/* it has more to do */
#define VNPU_TASK_BLOCKED	2	/* it waits, and will be woken */
#define VNPU_TASK_PAUSE		3	/* it polls, as after -EAGAIN */
/* it needs a thread other than an engine, as after -EREMOTE */
#define VNPU_TASK_REMOTE	4

/* Fields that an operation uses. */
#define VNPU_TASK_DST		BIT(0)
#define VNPU_TASK_SRC		BIT(1)
#define VNPU_TASK_LENGTH	BIT(2)
#define VNPU_TASK_ARG0		BIT(3)
#define VNPU_TASK_ARG1		BIT(4)
#define VNPU_TASK_ARG2		BIT(5)
#define VNPU_TASK_MODE		BIT(6)

/**
 * struct vnpu_task_op - an operation
 * @class: VNPU_ENGINE_*, the class of engines that run it
 * @fields: VNPU_TASK_DST and so on; other fields must be zero
 * @flags: valid VNPU_TASK_F_*
 * @waits: true if the task may wait; the stream's time limit does not apply
 * @small: run the whole task at once, if it is short. Earlier tasks of the
 *	batch are published later, unless this function publishes them. Returns
 *	false if the task is not short, or fails: then @prepare and @run are
 *	called. NULL if no task of this operation is short.
 * @prepare: check the task before it is run; NULL if there is nothing to check
 * @run: run a part of the task, of about VNPU_TASK_CHUNK bytes at most. Called
 *	again until the task is complete; if it has blocked, after the stream
 *	was woken, possibly without a reason. Increases *cost by the number of
 *	bytes moved.
 * @drop: abandon the task, which may wait or have waiters left to wake; NULL if
 *	there is nothing to undo
 */
struct vnpu_task_op {
	u8 class;
	u8 fields;
	u8 flags;
	bool waits;
	bool (*small)(struct vnpu_stream *stream, u64 *cost);
	int (*prepare)(struct vnpu_stream *stream);
	int (*run)(struct vnpu_stream *stream, u64 *cost);
	void (*drop)(struct vnpu_stream *stream);
};

/* task_ops.c */
const struct vnpu_task_op *vnpu_task_op_find(u8 op);
void vnpu_task_list_ops(u64 *words, size_t count);

/* task.c */
bool vnpu_task_run_batch(struct vnpu_engine *engine, struct vnpu_stream *stream,
			 u64 *cost);
bool vnpu_task_is_cancelled(const struct vnpu_stream *stream, u64 seq);
int vnpu_task_resolve(struct vnpu_task *task, u64 *base);
int vnpu_task_check(struct vnpu_stream *checker, const struct vnpu_task *task);
int vnpu_task_begin(struct vnpu_stream *stream);
int vnpu_task_run(struct vnpu_engine *engine, struct vnpu_stream *stream,
		  u64 *cost);
int vnpu_task_resume(struct vnpu_engine *engine, struct vnpu_stream *stream,
		     u64 *cost);
int vnpu_task_must_end(const struct vnpu_stream *stream);
void vnpu_task_drop(struct vnpu_stream *stream);

/* task_copy.c */
int vnpu_task_check_range(u64 first, u64 length);
bool vnpu_task_copy_small(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_copy_prepare(struct vnpu_stream *stream);
int vnpu_task_copy_run(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_copy_indirect_prepare(struct vnpu_stream *stream);
int vnpu_task_copy_indirect_run(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_copy_2d_prepare(struct vnpu_stream *stream);
int vnpu_task_copy_2d_run(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_check_rows(u64 first, u64 width, u64 height, u64 pitch,
			 u64 *span);

/* task_fill.c */
int vnpu_task_fill_prepare(struct vnpu_stream *stream);
int vnpu_task_fill_run(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_fill_2d_prepare(struct vnpu_stream *stream);

/* task_reduce.c */
int vnpu_task_reduce_prepare(struct vnpu_stream *stream);
int vnpu_task_reduce_run(struct vnpu_stream *stream, u64 *cost);

/* task_random.c */
int vnpu_task_random_prepare(struct vnpu_stream *stream);
int vnpu_task_random_run(struct vnpu_stream *stream, u64 *cost);

/* task_value.c */
bool vnpu_task_value_write_small(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_value_write_prepare(struct vnpu_stream *stream);
int vnpu_task_value_write_run(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_value_wait_prepare(struct vnpu_stream *stream);
int vnpu_task_value_wait_run(struct vnpu_stream *stream, u64 *cost);
void vnpu_task_value_wait_drop(struct vnpu_stream *stream);
bool vnpu_task_timestamp_small(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_timestamp_prepare(struct vnpu_stream *stream);
int vnpu_task_timestamp_run(struct vnpu_stream *stream, u64 *cost);

/* task_wait.c */
bool vnpu_task_wait_small(struct vnpu_stream *stream, u64 *cost);
int vnpu_task_wait_run(struct vnpu_stream *stream, u64 *cost);
void vnpu_task_wait_drop(struct vnpu_stream *stream);
int vnpu_task_signal_run(struct vnpu_stream *stream, u64 *cost);
void vnpu_task_signal_drop(struct vnpu_stream *stream);
int vnpu_task_counter_wait_prepare(struct vnpu_stream *stream);
int vnpu_task_counter_wait_run(struct vnpu_stream *stream, u64 *cost);
void vnpu_task_counter_wait_drop(struct vnpu_stream *stream);

/* task_graph.c */
u32 vnpu_task_graph_how(const struct vnpu_task *task);
int vnpu_task_graph_decide(struct vnpu_stream *stream, bool *holds);
int vnpu_task_graph_prepare(struct vnpu_stream *stream);
int vnpu_task_graph_run(struct vnpu_stream *stream, u64 *cost);
void vnpu_task_graph_drop(struct vnpu_stream *stream);
int vnpu_task_graph_update_prepare(struct vnpu_stream *stream);
int vnpu_task_graph_update_run(struct vnpu_stream *stream, u64 *cost);

/* task_launch.c */
int vnpu_task_launch_prepare(struct vnpu_stream *stream);
int vnpu_task_launch_run(struct vnpu_stream *stream, u64 *cost);
void vnpu_task_launch_drop(struct vnpu_stream *stream);

/* inject_task.c: call these only if vnpu_inject_is_on() */
int vnpu_inject_task(struct vnpu_engine *engine, struct vnpu_stream *stream,
		     bool starts, u64 *cost);
bool vnpu_inject_doorbell(const struct vnpu_stream *stream);

#endif
