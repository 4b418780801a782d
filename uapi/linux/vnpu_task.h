/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * vnpu - a software NPU: the ring that a stream shares with user space, and the
 * tasks in it.  The ioctls are in linux/vnpu.h.
 */
#ifndef _UAPI_LINUX_VNPU_TASK_H
#define _UAPI_LINUX_VNPU_TASK_H

#include <linux/types.h>

/**
 * DOC: Streams
 *
 * A stream runs its tasks one after the other, in the order of submission.
 * Tasks of different streams run at the same time.  User space maps the ring of
 * a stream (see VNPU_MMAP_STREAM).  The mapping begins with struct vnpu_ring,
 * which holds the offsets of the slots for tasks and of the records of
 * failures.
 *
 * Tasks are numbered from 1 in the order of submission.  Slot (N - 1) %
 * @ring_tasks holds task N.  To submit tasks, user space
 *
 * 1. makes sure that there is room: the slot of task N is free when @completed
 *    is at least N - @ring_tasks; VNPU_IOCTL_WAIT waits for that,
 * 2. writes the tasks to their slots,
 * 3. stores the number of the last task to @tail, all 64 bits at once and with
 *    release semantics,
 * 4. executes a full memory barrier, reads @state and, if
 *    VNPU_RING_NEED_DOORBELL is set, calls VNPU_IOCTL_STREAM_DOORBELL.
 *
 * The kernel copies each task once and checks the copy.  It reads nothing of
 * the mapping but @tail and the slots up to it, and writes to no slot.  Writes
 * elsewhere in the mapping therefore confuse only user space itself.  The tasks
 * in the next slots can be submitted again by advancing @tail.  If @tail moves
 * backwards, or further ahead than there are slots, the stream breaks: the
 * kernel sets VNPU_RING_BROKEN and runs no more tasks.
 *
 * A stream is a timeline (see linux/vnpu.h).  Its value is the number of the
 * last complete task.  Failed and cancelled tasks are complete, too.
 */

/**
 * DOC: Failure
 *
 * When a task fails, the kernel updates @errors, @error and @error_seq, and the
 * stream continues with the next task.  With VNPU_STREAM_F_STOP the stream
 * stops instead: the kernel cancels all its later tasks and those of all
 * streams of its context.  The effects of a task that failed half-way remain.
 *
 * For each task that fails or is cancelled, the kernel writes a record, struct
 * vnpu_task_failure, before the task completes.  Records are numbered from 1.
 * @failures is the number of the last record.  The array has @ring_failures
 * elements; record N is element (N - 1) % @ring_failures.  A new record
 * replaces the oldest one.
 *
 * There are at least as many records as slots.  A reader misses no record if it
 * reads @completed, then @failures and the records up to it, and only then
 * submits tasks with numbers above that @completed plus @ring_tasks.  Any other
 * reader must check each record N that it has copied: it executes an acquire
 * fence and reads @failures again.  If @failures is now N + @ring_failures - 1
 * or more, the kernel may have replaced the record during the copy.
 *
 * ==========  ==============================================================
 * EINVAL      The operation is unknown, or a value is invalid.
 * EOPNOTSUPP  A flag is unknown, or a field that the operation does not use is
 *             not zero.
 * EOVERFLOW   One of these overflows: an address, a length, a value plus the
 *             base of the stream, a timeline plus the number to add.
 * EFAULT      A part of an address range is not bound, or is bound to
 *             registered memory that is no longer mapped.
 * EACCES      The required access was not granted, or the id of the timeline is
 *             wait-only.
 * ENOENT      The timeline has never existed, or the graph does not exist.
 * ETIMEDOUT   The time limit of the task passed.
 * EIO         The task waited for something that has failed.  If
 *             vnpu_stream_query returns an address, the memory there is
 *             unusable: it has an uncorrected error, or it is a dma-buf that
 *             its driver failed to prepare for access.  For a LAUNCH also: its
 *             core has died, or too many cores have died in a short time.
 * ECONNRESET  The device was reset while the task ran; its work is lost.  For a
 *             LAUNCH also: the driver ended its core because of another launch.
 * EBUSY       A sync_file stands for the task, and the task uses memory of a
 *             dma-buf of another driver.
 * ENOEXEC     The core ended the LAUNCH with this error; no other operation
 *             fails with it.  A core may also use other errors of this table.
 * ENOMEM      As ENOEXEC.
 * EDEADLK     As ENOEXEC.
 * ENODEV      The device has been removed.
 * ECANCELED   The task did not run, since the stream was stopped or aborted.
 * ==========  ==============================================================
 *
 * A GRAPH fails with the error of the first of its tasks that fails.
 */

/* Default number of tasks that a ring holds; always a power of two. */
#define VNPU_RING_TASKS		2048
/* Smallest and largest number of tasks that a ring can hold. */
#define VNPU_RING_TASKS_MIN	64
#define VNPU_RING_TASKS_MAX	32768

/* Value of vnpu_ring.version. */
#define VNPU_RING_VERSION	1

/* Bits of vnpu_ring.state. */
#define VNPU_RING_NEED_DOORBELL	(1U << 0)	/* no engine polls the ring */
#define VNPU_RING_STOPPED	(1U << 1)	/* tasks are cancelled */
#define VNPU_RING_BROKEN	(1U << 2)	/* permanently */

/**
 * struct vnpu_ring - the beginning of a stream's mapping
 * @version: VNPU_RING_VERSION; changes with the meaning of anything in the
 *	mapping.  The kernel writes this field and those up to @failures_offset
 *	when it makes the ring, and never reads them.
 * @task_size: bytes from one slot to the next
 * @ring_tasks: number of slots, a power of two
 * @tasks_offset: offset of the first slot in the mapping
 * @failure_size: bytes from one record of a failure to the next
 * @ring_failures: number of records, a power of two, at least @ring_tasks
 * @failures_offset: offset of the first record in the mapping
 * @__reserved: zero
 * @__reserved1: zero
 * @tail: number of the last submitted task, written by user space
 * @__reserved2: zero
 * @completed: number of the last complete task; all tasks before it are
 *	complete, too.  VNPU_IOCTL_WAIT may report it slightly earlier.  The
 *	kernel writes this field and all that follow.
 * @completed_ns: CLOCK_MONOTONIC at which @completed was last written, updated
 *	slightly later; 0 before the first time
 * @state: VNPU_RING_*
 * @errors: number of failed tasks, without cancelled ones
 * @cancelled: number of cancelled tasks
 * @error: positive errno of the last failed task
 * @error_seq: number of that task
 * @failures: number of the last record; must be read with acquire semantics
 * @__reserved3: zero
 */
struct vnpu_ring {
	__u32 version;
	__u32 task_size;
	__u32 ring_tasks;
	__u32 tasks_offset;
	__u32 failure_size;
	__u32 ring_failures;
	__u32 failures_offset;
	__u32 __reserved;
	__aligned_u64 __reserved1[4];
	__aligned_u64 tail;
	__aligned_u64 __reserved2[7];
	__aligned_u64 completed;
	__aligned_u64 completed_ns;
	__u32 state;
	__u32 errors;
	__u32 cancelled;
	__u32 error;
	__aligned_u64 error_seq;
	__aligned_u64 failures;
	__aligned_u64 __reserved3[2];
};

/**
 * DOC: Tasks
 *
 * Addresses are device addresses; a task reaches host memory where it is bound.
 * Addresses are translated when the task runs, by the bindings of that time.
 * Memory stays in place while part of a task uses it.  If a range is unbound
 * before the task runs, the task fails.  Fields that the operation does not
 * name must be zero.
 *
 * VNPU_TASK_NOP
 *	Do nothing.
 * VNPU_TASK_COPY
 *	Copy @length bytes from @src to @dst.  Ranges that overlap by address
 *	are copied as by memmove().
 * VNPU_TASK_COPY_2D
 *	Copy @arg0 rows of @length bytes from @src to @dst.  The rows of @src
 *	are @arg2 bytes apart and those of @dst @arg1 bytes, at least @length.
 *	The two ranges from the first to the last byte must not overlap.
 * VNPU_TASK_COPY_INDIRECT
 *	Copy between addresses that are read from memory: from the address in
 *	the 8 bytes at @src plus @arg1, to the address in the 8 bytes at @dst
 *	plus @arg0.  The length is @length or, if @arg2 is not 0, the value of
 *	the 8 bytes at @arg2; @length must then be 0.  @dst, @src and @arg2 are
 *	aligned to 8, and are read when the task begins.
 * VNPU_TASK_FILL
 *	Fill @length bytes at @dst with the value @arg0, which has @mode bytes
 *	(1, 2, 4 or 8).  @length is a multiple of @mode.
 * VNPU_TASK_FILL_2D
 *	Fill @arg1 rows of @length bytes at @dst, @arg2 bytes apart, as FILL
 *	does.
 * VNPU_TASK_REDUCE
 *	Set @dst[i] = @dst[i] op @src[i] for @length elements.  @mode is
 *	VNPU_REDUCE() of the operation and the type.  @arg0, @arg1 and @arg2 are
 *	0, or addresses of further arrays, which are reduced into @dst after
 *	@src, in this order.  With VNPU_TASK_F_REPLACE, @dst is no operand: the
 *	first is @src, and at least one more array must follow (EINVAL).  Each
 *	operation rounds its result to the type.  All ranges are aligned to an
 *	element.  Each of the other ranges is either @dst or does not overlap
 *	it.
 * VNPU_TASK_RANDOM
 *	Write @length random elements to @dst.  @mode is VNPU_RANDOM() of the
 *	distribution and the type; @arg1 and @arg2 are the parameters of the
 *	distribution: 32-bit floats, or 64-bit integers if the elements are
 *	integers.  The elements are made of the words of Philox4x32-10.  Its key
 *	is @arg0; the counter of its first block is the 16 bytes at @src,
 *	aligned to 8, or zero if @src is 0.  The task does not change the
 *	counter.  Element N depends only on these and on N, and is the same on
 *	every machine.  DROPOUT takes the type U8 and makes @length bits,
 *	starting with the lowest of each byte; unused bits of the last byte are
 *	0.
 * VNPU_TASK_VALUE_WRITE
 *	Write the value @arg0, which has @mode bytes (4 or 8), to @dst, aligned
 *	to @mode.  The write is atomic and is ordered after all earlier writes.
 * VNPU_TASK_VALUE_WAIT
 *	Wait until the 8 bytes at @src, aligned to 8, and the value @arg0
 *	satisfy the condition @mode, VNPU_COND_GEQ to VNPU_COND_NOR.
 * VNPU_TASK_TIMESTAMP
 *	Write CLOCK_MONOTONIC in ns to the 8 bytes at @dst, and @arg0 to the 8
 *	bytes after it, unless these hold a larger value.  @dst is aligned to
 *	16.
 * VNPU_TASK_WAIT
 *	Wait until the timeline @src has reached the value @arg0.
 * VNPU_TASK_SIGNAL
 *	Change the timeline or counter @dst by @arg0, as VNPU_IOCTL_SIGNAL does
 *	with @mode, VNPU_SIGNAL_*.
 * VNPU_TASK_BASE
 *	Change the base of the stream, which is 0 at first: VNPU_BASE_SET as
 *	@mode sets it to @arg0, VNPU_BASE_ADD adds @arg0.  An addition that
 *	overflows fails (EOVERFLOW) and leaves the base unchanged.  The task
 *	takes effect even if it is cancelled, so that the base of a task depends
 *	only on the tasks before it.
 * VNPU_TASK_COUNTER_WAIT
 *	Wait until the counter @src and @arg0 satisfy the condition @mode,
 *	VNPU_COND_*.  If @arg1 is not 0, the counter is masked by it first.
 *	With VNPU_TASK_F_CLEAR, the first task that finds its condition
 *	satisfied sets the counter to 0.
 * VNPU_TASK_LAUNCH
 *	Run a kernel on the client's AI cores (see linux/vnpu_engine.h).  @mode
 *	names the kinds of cores, VNPU_LAUNCH_*, at least one.  @arg0 is the
 *	function, @src the device address of the argument block, @length its
 *	bytes, @arg1 the number of blocks, and @arg2 holds attributes.  The
 *	driver does not interpret these: the core does.  Without a core the task
 *	waits for one.  Without a time limit of its own or of the stream, the
 *	limit is the module's parameter hang_timeout_ms.
 * VNPU_TASK_GRAPH
 *	Run the tasks of the graph @src once (see linux/vnpu_graph.h).  Their
 *	values are relative to the base of the stream plus @arg0.  The stream
 *	must belong to the device and context of the graph, and not be one of
 *	the graph itself (EINVAL).  The task is complete when all tasks of the
 *	graph are.  @mode is 0, or VNPU_GRAPH_COND() of IF or WHILE and a
 *	condition, VNPU_COND_*.  With a condition, the driver first reads the
 *	8 bytes at @dst, aligned to 8, and runs the graph only if they and @arg1
 *	satisfy the condition.  With WHILE, it repeats both until the condition
 *	is not satisfied or a task fails.
 * VNPU_TASK_GRAPH_UPDATE
 *	Replace @length tasks of the stream @arg0 of the graph @dst, from the
 *	one with the index @arg1 on, by the tasks at @src, aligned to 8.  The
 *	same tasks are valid as for VNPU_IOCTL_GRAPH_UPDATE; those before the
 *	first invalid one are replaced.
 *
 * With VNPU_TASK_F_RELATIVE, the value of a WAIT or SIGNAL is @arg0 plus the
 * base of the stream (EOVERFLOW).  User space can then submit the same list of
 * tasks repeatedly without changing it: the list uses relative values and
 * begins with VNPU_BASE_ADD of the amount by which it advances its timelines.
 *
 * @timeout_ms limits the time from the beginning of the task.  If it is 0,
 * tasks that do work have the limit of the stream (see VNPU_IOCTL_STREAM_SET),
 * and tasks that wait have none.
 */
#define VNPU_TASK_NOP		0
#define VNPU_TASK_COPY		1
#define VNPU_TASK_COPY_2D	2
#define VNPU_TASK_FILL		3
#define VNPU_TASK_FILL_2D	4
#define VNPU_TASK_REDUCE	5
#define VNPU_TASK_RANDOM	6
#define VNPU_TASK_VALUE_WRITE	7
#define VNPU_TASK_VALUE_WAIT	8
#define VNPU_TASK_TIMESTAMP	9
#define VNPU_TASK_WAIT		10
#define VNPU_TASK_SIGNAL	11
#define VNPU_TASK_COUNTER_WAIT	12
#define VNPU_TASK_COPY_INDIRECT	13
#define VNPU_TASK_BASE		14
#define VNPU_TASK_LAUNCH	15
#define VNPU_TASK_GRAPH		16
#define VNPU_TASK_GRAPH_UPDATE	17

/*
 * The names of the operations: a list of FN(operation, name), with commas
 * between.  Tracepoints, error messages and vnpu-smi use it.
 */
#define VNPU_TASK_NAMES(FN)						\
	FN(NOP, "nop"),							\
	FN(COPY, "copy"),						\
	FN(COPY_2D, "copy_2d"),						\
	FN(FILL, "fill"),						\
	FN(FILL_2D, "fill_2d"),						\
	FN(REDUCE, "reduce"),						\
	FN(RANDOM, "random"),						\
	FN(VALUE_WRITE, "value_write"),					\
	FN(VALUE_WAIT, "value_wait"),					\
	FN(TIMESTAMP, "timestamp"),					\
	FN(WAIT, "wait"),						\
	FN(SIGNAL, "signal"),						\
	FN(COUNTER_WAIT, "counter_wait"),				\
	FN(COPY_INDIRECT, "copy_indirect"),				\
	FN(BASE, "base"),						\
	FN(LAUNCH, "launch"),						\
	FN(GRAPH, "graph"),						\
	FN(GRAPH_UPDATE, "graph_update")

/* Flags of a task. */
#define VNPU_TASK_F_CLEAR	(1U << 0)	/* COUNTER_WAIT only */
#define VNPU_TASK_F_RELATIVE	(1U << 1)	/* WAIT, SIGNAL only */
#define VNPU_TASK_F_GRAPH	(1U << 2)	/* WAIT in a graph only */
#define VNPU_TASK_F_REPLACE	(1U << 3)	/* REDUCE only */

/* Bits of vnpu_task.mode of LAUNCH. */
#define VNPU_LAUNCH_VECTOR	(1U << 0)	/* vector cores */
#define VNPU_LAUNCH_CUBE	(1U << 1)	/* cube cores */

/* vnpu_task.mode of GRAPH. */
#define VNPU_GRAPH_COND(how, cond)	((how) | (cond) << 8)
#define VNPU_GRAPH_IF		1
#define VNPU_GRAPH_WHILE	2

/* vnpu_task.mode of BASE. */
#define VNPU_BASE_SET		0
#define VNPU_BASE_ADD		1

/*
 * Conditions: the first operand is the value in memory or of the counter.  The
 * second is @arg0, or @arg1 of a VNPU_TASK_GRAPH.
 */
#define VNPU_COND_GEQ		0	/* signed difference >= 0 */
#define VNPU_COND_EQ		1
#define VNPU_COND_AND		2	/* a bit is set in both */
#define VNPU_COND_NOR		3	/* a bit is clear in both */
#define VNPU_COND_LESS		4	/* unsigned, like the next two */
#define VNPU_COND_GREATER	5
#define VNPU_COND_NOT_LESS	6

/* Modes of a signal. */
#define VNPU_SIGNAL_ADVANCE	0	/* timeline: raise to the value */
#define VNPU_SIGNAL_SET		1	/* counter */
#define VNPU_SIGNAL_ADD		2	/* either; a counter wraps around */
#define VNPU_SIGNAL_OR		3	/* counter */
#define VNPU_SIGNAL_AND		4	/* counter */

/* vnpu_task.mode of REDUCE. */
#define VNPU_REDUCE(op, type)	((op) | (type) << 8)
#define VNPU_REDUCE_SUM		0	/* integers wrap around */
#define VNPU_REDUCE_MAX		1	/* NaN if either is NaN */
#define VNPU_REDUCE_MIN		2	/* NaN if either is NaN */
#define VNPU_REDUCE_EQUAL	3	/* 1 if equal, else 0 */
#define VNPU_REDUCE_PROD	4	/* integers wrap around */

/*
 * vnpu_task.mode of RANDOM.
 *
 * DROPOUT makes bits that are 0 with the probability @arg1.  UNIFORM makes
 * floats, or integers of 32 or 64 bits, from @arg1 to below @arg2.  NORMAL
 * makes floats with the mean @arg1 and the standard deviation @arg2.  TRUNCATED
 * is NORMAL within two standard deviations of the mean.
 */
#define VNPU_RANDOM(dist, type)	((dist) | (type) << 8)
#define VNPU_RANDOM_DROPOUT	0
#define VNPU_RANDOM_UNIFORM	1
#define VNPU_RANDOM_NORMAL	2
#define VNPU_RANDOM_TRUNCATED	3

/* Types of elements. */
#define VNPU_TYPE_FP32		0
#define VNPU_TYPE_FP16		1
#define VNPU_TYPE_BF16		2
#define VNPU_TYPE_S8		3
#define VNPU_TYPE_S16		4
#define VNPU_TYPE_S32		5
#define VNPU_TYPE_U8		6
#define VNPU_TYPE_S64		7
#define VNPU_TYPE_U32		8
#define VNPU_TYPE_U64		9
#define VNPU_TYPE_U16		10	/* REDUCE only */
#define VNPU_TYPE_FP64		11	/* REDUCE only */

/**
 * struct vnpu_task - a task; DOC: Tasks describes the fields for each operation
 * @op: VNPU_TASK_*
 * @flags: VNPU_TASK_F_*
 * @mode: depends on @op
 * @timeout_ms: time limit, or 0
 * @dst: device address, or id of a timeline or graph
 * @src: device address, or id of a timeline or graph
 * @length: bytes or elements
 * @arg0: depends on @op
 * @arg1: depends on @op
 * @arg2: depends on @op
 * @arg3: must be zero
 */
struct vnpu_task {
	__u8 op;
	__u8 flags;
	__u16 mode;
	__u32 timeout_ms;
	__aligned_u64 dst;
	__aligned_u64 src;
	__aligned_u64 length;
	__aligned_u64 arg0;
	__aligned_u64 arg1;
	__aligned_u64 arg2;
	__aligned_u64 arg3;
};

/**
 * struct vnpu_task_failure - the record of a task that failed or was cancelled
 * @seq: number of the task
 * @addr: device address that it failed at, or 0
 * @ns: CLOCK_MONOTONIC of the failure
 * @error: positive errno; ECANCELED if the task was cancelled
 * @op: @op of the task in the lowest 8 bits; for a GRAPH, @src in those above
 */
struct vnpu_task_failure {
	__aligned_u64 seq;
	__aligned_u64 addr;
	__aligned_u64 ns;
	__u32 error;
	__u32 op;
};

#endif /* _UAPI_LINUX_VNPU_TASK_H */
