/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * vnpu - a software NPU: graphs of tasks, which one task of a stream runs.
 * linux/vnpu_task.h describes the tasks.  The rules at the top of linux/vnpu.h
 * hold for these ioctls as well.
 */
#ifndef _UAPI_LINUX_VNPU_GRAPH_H
#define _UAPI_LINUX_VNPU_GRAPH_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include <linux/vnpu.h>

/**
 * DOC: Graphs
 *
 * A graph holds tasks in one or more streams of its own.  The driver copies and
 * checks them when the graph is made; an engine checks its own copy of each task
 * again when it begins it.  A VNPU_TASK_GRAPH in a stream runs all of them, at the
 * cost of one task for the program that submits it.
 *
 * A graph may contain every operation of linux/vnpu_task.h.  The tasks of one
 * stream of the graph run one after the other, those of different streams at
 * the same time.  A WAIT with VNPU_TASK_F_GRAPH waits until the task with the
 * index @arg0 of the stream with the index @src of the same graph is complete,
 * in the same run.  In its own stream, the WAIT must come after that task
 * (EINVAL).  Tasks that wait for each other in a circle, and graphs that run
 * each other, wait until the GRAPH is aborted or its time limit passes.
 *
 * A GRAPH may depend on a value in memory (VNPU_GRAPH_COND()).  A choice among
 * several graphs is a sequence of such tasks, on a copy of the value if a graph
 * may change it.
 *
 * Several GRAPH tasks of one graph run one after the other, even in different
 * streams, in the order in which engines begin them.  In a run,
 *
 * - the priority, the time limit and the reaction to failures are those of the
 *   launching stream, which has the GRAPH as a task,
 * - relative values are relative to the base of that stream plus @arg0 of the
 *   GRAPH (EOVERFLOW); BASE changes it for the rest of a stream of the graph,
 * - a failed task does not stop the others, unless the launching stream stops
 *   at failures: then the remaining tasks of the run are cancelled,
 * - if the GRAPH ends early, since its stream was aborted, stopped or destroyed
 *   or its time limit passed, the remaining tasks are cancelled.  The GRAPH is
 *   complete when none of them runs any more.
 *
 * The GRAPH fails with the error of the first task that failed.
 * VNPU_IOCTL_GRAPH_QUERY names the task.
 *
 * The streams of a graph count like others of the client (VNPU_LIMIT_STREAMS)
 * and belong to the context of the graph.  Their timelines have the ids from
 * @out_timeline on, in the order of the streams.  The task with the index I has
 * the number R * @out_step + I + 1 in run R, where the first run is 1.  A
 * program can wait for these timelines; ioctls for streams do not accept their
 * ids (ENOENT).
 *
 * A stream with an incomplete GRAPH cannot be exported as a sync_file (EBUSY).
 */

/* Maximum number of graphs of a client. */
#define VNPU_MAX_GRAPHS		65536
/* Maximum number of streams of a graph. */
#define VNPU_GRAPH_STREAMS_MAX	128
/* Maximum number of tasks of all streams of a graph. */
#define VNPU_GRAPH_TASKS_MAX	(1U << 20)

/**
 * struct vnpu_graph_stream - the tasks of a stream of a new graph
 * @tasks: address of an array of struct vnpu_task
 * @count: number of tasks; 0 for a stream without tasks
 * @stride: bytes from one task to the next, a multiple of 8 and at least
 *	sizeof(struct vnpu_task) (EINVAL); 0 for the latter
 */
struct vnpu_graph_stream {
	__aligned_u64 tasks;
	__u32 count;
	__u32 stride;
};

/**
 * struct vnpu_graph_create - make a graph
 * @size: sizeof(struct vnpu_graph_create)
 * @flags: must be zero
 * @device: index of the device that runs it
 * @context: id of a context of the same device (EINVAL); the graph shares time
 *	with the streams of this context; 0 for none
 * @streams: address of an array of struct vnpu_graph_stream
 * @count: number of streams, 1 to VNPU_GRAPH_STREAMS_MAX (EINVAL)
 * @stride: bytes from one element of @streams to the next, a multiple of 8 and
 *	at least sizeof(struct vnpu_graph_stream) (EINVAL); 0 for the latter
 * @out_id: id of the graph
 * @out_stream: index of the stream of @out_task
 * @out_task: if the call fails because of a task: its position in its stream,
 *	from 1 on.  Written then, although the call fails.
 * @__reserved: must be zero
 * @out_timeline: id of the timeline of the first stream
 * @out_step: difference of the numbers of a task in successive runs
 *
 * The graph has at most VNPU_GRAPH_TASKS_MAX tasks (EINVAL), which are charged
 * to the caller's memory cgroup.  It counts as an object of the client, and so
 * does each of its streams.
 *
 * The call refuses a task with the error with which it would fail when it runs:
 * EINVAL, EOPNOTSUPP or EOVERFLOW, as far as that depends on the task alone.
 *
 * EAGAIN: the client has VNPU_MAX_GRAPHS, or the device VNPU_MAX_STREAMS.
 * EDQUOT: a quota or the caller's share would be exceeded.  ENOENT: no such
 * context.  EFAULT, ENODEV, ENOMEM, EINTR.
 */
struct vnpu_graph_create {
	__u32 size;
	__u32 flags;
	__u32 device;
	__u32 context;
	__aligned_u64 streams;
	__u32 count;
	__u32 stride;
	__u32 out_id;
	__u32 out_stream;
	__u32 out_task;
	__u32 __reserved;
	__aligned_u64 out_timeline;
	__aligned_u64 out_step;
};

#define VNPU_IOCTL_GRAPH_CREATE		_IO(VNPU_IOCTL_TYPE, 0x64)

/**
 * struct vnpu_graph_destroy - destroy a graph
 * @size: sizeof(struct vnpu_graph_destroy)
 * @flags: must be zero
 * @id: id of the graph
 * @__reserved: must be zero
 *
 * EBUSY: a GRAPH has begun and is not complete.  One that begins later fails.
 * ENOENT.
 */
struct vnpu_graph_destroy {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 __reserved;
};

#define VNPU_IOCTL_GRAPH_DESTROY	_IO(VNPU_IOCTL_TYPE, 0x65)

/**
 * struct vnpu_graph_update - replace tasks of a graph
 * @size: sizeof(struct vnpu_graph_update)
 * @flags: must be zero
 * @id: id of the graph
 * @stream: index of the stream (EINVAL)
 * @tasks: address of an array of struct vnpu_task
 * @first: index of the first task to replace
 * @count: number of tasks to replace; the stream must have all of them (EINVAL)
 * @stride: as in struct vnpu_graph_stream
 * @out_task: as in struct vnpu_graph_create
 *
 * The new tasks run from the next run on, and in the current one if the engines
 * have not begun to run the tasks that they replace.  A program that replaces a
 * task at the very time at which an engine begins it gets an undefined mixture
 * of both.  If the call refuses a task, it replaces none.
 *
 * VNPU_TASK_GRAPH_UPDATE does the same in the order of a stream.
 *
 * ENOENT, EFAULT, ENOMEM.
 */
struct vnpu_graph_update {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 stream;
	__aligned_u64 tasks;
	__u32 first;
	__u32 count;
	__u32 stride;
	__u32 out_task;
};

#define VNPU_IOCTL_GRAPH_UPDATE		_IO(VNPU_IOCTL_TYPE, 0x66)

/* Number of failed runs that a graph remembers. */
#define VNPU_GRAPH_FAILURES	8

/**
 * struct vnpu_graph_query - describe a graph and a failed run
 * @size: sizeof(struct vnpu_graph_query)
 * @flags: must be zero
 * @id: id of the graph
 * @out_device: index of its device
 * @stream: id of the stream of a GRAPH that failed, or 0 for the last one
 * @seq: number of the GRAPH in that stream; not used if @stream is 0
 * @out_streams: number of streams
 * @out_tasks: number of tasks of all streams
 * @out_runs: number of runs so far
 * @out_failures: number of runs so far in which a task failed
 * @out_error: positive errno of the first task that failed in the run; 0 if the
 *	run did not fail, or is not among the last VNPU_GRAPH_FAILURES that did
 * @out_error_op: operation of that task
 * @out_error_stream: index of its stream
 * @out_error_index: index of the task in that stream
 * @out_error_addr: device address that it failed at, or 0
 * @out_stream: id of the stream that launched the run
 * @out_seq: number of the GRAPH in that stream
 *
 * ENOENT.
 */
struct vnpu_graph_query {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 out_device;
	__aligned_u64 stream;
	__aligned_u64 seq;
	__u32 out_streams;
	__u32 out_tasks;
	__aligned_u64 out_runs;
	__aligned_u64 out_failures;
	__u32 out_error;
	__u32 out_error_op;
	__u32 out_error_stream;
	__u32 out_error_index;
	__aligned_u64 out_error_addr;
	__aligned_u64 out_stream;
	__aligned_u64 out_seq;
};

#define VNPU_IOCTL_GRAPH_QUERY		_IO(VNPU_IOCTL_TYPE, 0x67)

#endif /* _UAPI_LINUX_VNPU_GRAPH_H */
