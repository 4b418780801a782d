/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * vnpu - a software NPU: what is in the memory that a stream shares with its
 * user, and what a task is.  The calls are in linux/vnpu.h.
 */
#ifndef _UAPI_LINUX_VNPU_TASK_H
#define _UAPI_LINUX_VNPU_TASK_H

#include <linux/types.h>

/**
 * DOC: Streams
 *
 * A stream runs its tasks one after the other, in the order in which they were
 * submitted; tasks of different streams run at the same time.  A stream is
 * mapped by its user (see VNPU_MMAP_STREAM): struct vnpu_ring, which says where
 * the rest is, then slots for tasks and records of failures.
 *
 * Tasks are numbered from 1 in the order of submission.  Task N is in slot
 * (N - 1) % @ring_tasks.  To submit tasks,
 *
 * 1. see that there is room: task N may be written when @completed has reached
 *    N - @ring_tasks; VNPU_IOCTL_WAIT waits for that,
 * 2. write them to their slots,
 * 3. store the number of the last one to @tail, all 64 bits at once and with
 *    release semantics,
 * 4. after a full memory barrier, read @state, and where it has
 *    VNPU_RING_NEED_DOORBELL, call VNPU_IOCTL_STREAM_DOORBELL.
 *
 * The kernel copies a task once, then checks the copy.  It reads nothing else of
 * the mapping than @tail and the slots up to it, so that what is written
 * elsewhere confuses only its user.  It writes to no slot: a list of tasks can be
 * submitted again by moving @tail.  A @tail that goes back, or further ahead than
 * there are slots, breaks the stream: VNPU_RING_BROKEN, and nothing more is run.
 *
 * A stream is a timeline (see linux/vnpu.h), whose value is the number of the
 * last task that is complete.  A task that failed or was cancelled is complete.
 *
 * DOC: Failure
 *
 * A task that fails changes @errors, @error, @error_seq, and the stream goes on
 * with the next; unless it is to stop (VNPU_STREAM_F_STOP): then all its later
 * tasks are cancelled, and those of all streams of its context.  What a task that
 * failed half-way has done stays.
 *
 * Each task that fails or is cancelled leaves a record, struct vnpu_task_failure,
 * before it is complete.  Records are numbered from 1, too; @failures is the
 * number of the last, and record N is at (N - 1) % @ring_failures.  A new record
 * replaces the oldest.  There are as many as slots: a reader that reads @completed,
 * then @failures and the records up to it, and only then submits tasks of numbers
 * beyond that @completed plus @ring_tasks, misses none.  Any other reader reads
 * @failures once more after it has copied record N, with an acquire fence between:
 * if it is N + @ring_failures - 1 or more by then, the record may have been
 * replaced.
 *
 * ==========  ==============================================================
 * EINVAL      The operation is not known, or a value is wrong.
 * EOPNOTSUPP  A flag is not known, or a field that the operation does not use
 *             is not zero.
 * EOVERFLOW   An address or length overflows, a value and the base of its stream,
 *             or a timeline and what is to be added to it.
 * EFAULT      A part of an address range is not bound, or bound to registered
 *             memory that is not mapped any more.
 * EACCES      The access that is needed was not granted, or a timeline is only to
 *             be waited for.
 * ENOENT      There has never been such a timeline.
 * ETIMEDOUT   The time limit of the task passed.
 * EIO         What it waited for has failed.  With an address in
 *             vnpu_stream_query, memory cannot be used there: it has an
 *             uncorrected error, or is a dma-buf that its driver failed to make
 *             ready.
 * ECONNRESET  The device was reset while the task ran, whose work is lost.
 * EBUSY       A sync_file stands for the task, and memory that it uses is a
 *             dma-buf of another driver.
 * ENODEV      The device is gone.
 * ECANCELED   The task was not run: the stream was stopped or aborted.
 * ==========  ==============================================================
 */

/* How many tasks a stream holds, always a power of two: if none are asked for, */
#define VNPU_RING_TASKS		2048
/* at least and at most. */
#define VNPU_RING_TASKS_MIN	64
#define VNPU_RING_TASKS_MAX	32768

/* vnpu_ring.version. */
#define VNPU_RING_VERSION	1

/* Bits of vnpu_ring.state. */
#define VNPU_RING_NEED_DOORBELL	(1U << 0)	/* nobody looks at the ring */
#define VNPU_RING_STOPPED	(1U << 1)	/* tasks are cancelled */
#define VNPU_RING_BROKEN	(1U << 2)	/* for good */

/**
 * struct vnpu_ring - the beginning of a stream's mapping
 * @version: VNPU_RING_VERSION; another one if the meaning of anything here
 *	changes.  This and what follows up to @failures_offset is written when the
 *	mapping is made, and never read by the kernel.
 * @task_size: bytes from one slot to the next
 * @ring_tasks: number of slots, a power of two
 * @tasks_offset: where the first slot is, from the beginning of the mapping
 * @failure_size: bytes from one record of a failure to the next
 * @ring_failures: number of records, a power of two, @ring_tasks or more
 * @failures_offset: where the first record is, from the beginning of the mapping
 * @__reserved: zero
 * @__reserved1: zero
 * @tail: written by the user: the number of the last task that is submitted
 * @__reserved2: zero
 * @completed: the number of the last task that is complete, and of all before
 *	it; VNPU_IOCTL_WAIT may report it a moment before.  This and what follows
 *	is written by the kernel.
 * @completed_ns: CLOCK_MONOTONIC when that was written, a moment later; 0 before
 *	the first
 * @state: VNPU_RING_*
 * @errors: how many tasks have failed, without those that were cancelled
 * @cancelled: how many tasks were cancelled
 * @error: why the last task that failed has, as a positive errno
 * @error_seq: the number of that task
 * @failures: the number of the last record; read it with acquire semantics
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
 * Addresses are device addresses: host memory is reached where it is bound.
 * They are resolved when the task runs, by the bindings of that time.  Memory
 * stays where it is for as long as a part of a task uses it; a range that is
 * unbound before fails the task.  Fields that are not named must be zero.
 *
 * VNPU_TASK_NOP
 *	Nothing.
 * VNPU_TASK_COPY
 *	@length bytes from @src to @dst.  Ranges that overlap are copied as by
 *	memmove(), as far as they overlap by address.
 * VNPU_TASK_COPY_2D
 *	@arg0 rows of @length bytes from @src to @dst, whose rows are @arg2 and
 *	@arg1 bytes apart (at least @length).  The ranges from the first byte to
 *	the last must not overlap.
 * VNPU_TASK_COPY_INDIRECT
 *	A copy whose addresses are in memory: from what the 8 bytes at @src tell
 *	plus @arg1, to what those at @dst tell plus @arg0; @length bytes, or if
 *	@arg2 is not 0, as many as the 8 bytes there tell, and @length is 0.
 *	@dst, @src and @arg2 are aligned to 8, and read when the task begins.
 * VNPU_TASK_FILL
 *	@length bytes at @dst with the value @arg0 of @mode bytes (1, 2, 4, 8),
 *	of which @length is a multiple.
 * VNPU_TASK_FILL_2D
 *	@arg1 rows of @length bytes at @dst, @arg2 bytes apart, as FILL.
 * VNPU_TASK_REDUCE
 *	@dst[i] = @dst[i] op @src[i] for @length elements, where @mode is
 *	VNPU_REDUCE() of an operation and a type.  Both are aligned to an
 *	element, and are the same or do not overlap.
 * VNPU_TASK_RANDOM
 *	@length elements at @dst, where @mode is VNPU_RANDOM() of a distribution
 *	and a type, made of the words of Philox4x32-10 with the key @arg0 and,
 *	as the counter of the first block, the 16 bytes at @src, aligned to 8;
 *	0 for a counter of zero.  Element N depends on these and N alone, and is
 *	the same on every machine.  The counter is only read.  @arg1 and @arg2
 *	are the parameters of the distribution: 32-bit floats, or 64-bit integers
 *	if the elements are integers.  DROPOUT is of the type U8: @length bits,
 *	the lowest of a byte first; what is left of the last byte is 0.
 * VNPU_TASK_VALUE_WRITE
 *	The value @arg0 of @mode bytes (4 or 8) to @dst, which is aligned to it,
 *	in one piece and after all that was written before.
 * VNPU_TASK_VALUE_WAIT
 *	Until the 8 bytes at @src, aligned, and the value @arg0 fulfil the
 *	condition @mode, VNPU_COND_GEQ to VNPU_COND_NOR.
 * VNPU_TASK_TIMESTAMP
 *	CLOCK_MONOTONIC in ns to the 8 bytes at @dst, and @arg0 to the 8 bytes
 *	after it, unless what is there is more than @arg0; @dst is aligned to 16.
 * VNPU_TASK_WAIT
 *	Until the timeline @src has reached the value @arg0.
 * VNPU_TASK_SIGNAL
 *	Change the timeline or counter @dst by @arg0, as VNPU_IOCTL_SIGNAL does
 *	with @mode, VNPU_SIGNAL_*.
 * VNPU_TASK_BASE
 *	Change the base of the stream, which begins at 0: to @arg0 with the @mode
 *	VNPU_BASE_SET, by @arg0 with VNPU_BASE_ADD (EOVERFLOW if it would not
 *	fit; then it stays).  It is changed even if the task is cancelled, so
 *	that the base of a task depends on the tasks before it alone.
 * VNPU_TASK_COUNTER_WAIT
 *	Until the counter @src and @arg0 fulfil the condition @mode,
 *	VNPU_COND_*; the counter is masked by @arg1 first, if that is not 0.  With
 *	VNPU_TASK_F_CLEAR it is then set to 0 by who goes first.
 *
 * With VNPU_TASK_F_RELATIVE, a WAIT or SIGNAL is of @arg0 plus the stream's base
 * (EOVERFLOW if the sum does not fit).  A list of tasks that begins with BASE, and
 * whose values are relative, can be submitted any number of times without a
 * change to it: with VNPU_BASE_ADD of what the list advances its timelines by.
 *
 * @timeout_ms is how long the task may take from when it begins to, or 0 for
 * the stream's limit (see VNPU_IOCTL_STREAM_SET) for tasks that work, none for
 * those that wait.
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

/* Flags of a task. */
#define VNPU_TASK_F_CLEAR	(1U << 0)	/* of COUNTER_WAIT */
#define VNPU_TASK_F_RELATIVE	(1U << 1)	/* of WAIT and SIGNAL */

/* What BASE does. */
#define VNPU_BASE_SET		0
#define VNPU_BASE_ADD		1

/* Conditions: what is found, against what is asked for. */
#define VNPU_COND_GEQ		0	/* the difference, signed, is not below 0 */
#define VNPU_COND_EQ		1
#define VNPU_COND_AND		2	/* a bit is set in both */
#define VNPU_COND_NOR		3	/* a bit is set in neither */
#define VNPU_COND_LESS		4	/* unsigned, as the next */
#define VNPU_COND_GREATER	5
#define VNPU_COND_NOT_LESS	6

/* What a signal does. */
#define VNPU_SIGNAL_ADVANCE	0	/* of a timeline: to the value or beyond */
#define VNPU_SIGNAL_SET		1	/* of a counter */
#define VNPU_SIGNAL_ADD		2	/* of either; a counter wraps around */
#define VNPU_SIGNAL_OR		3	/* of a counter, as the next */
#define VNPU_SIGNAL_AND		4

/* vnpu_task.mode of REDUCE. */
#define VNPU_REDUCE(op, type)	((op) | (type) << 8)
#define VNPU_REDUCE_SUM		0	/* integers wrap around */
#define VNPU_REDUCE_MAX		1	/* a NaN in either gives a NaN */
#define VNPU_REDUCE_MIN		2
#define VNPU_REDUCE_EQUAL	3	/* 1 or 0 of the type */

/* vnpu_task.mode of RANDOM. */
#define VNPU_RANDOM(dist, type)	((dist) | (type) << 8)
#define VNPU_RANDOM_DROPOUT	0	/* bits, 0 with the probability @arg1 */
#define VNPU_RANDOM_UNIFORM	1	/* from @arg1 to below @arg2; not 8, 16-bit integers */
#define VNPU_RANDOM_NORMAL	2	/* mean @arg1, standard deviation @arg2; floats */
#define VNPU_RANDOM_TRUNCATED	3	/* NORMAL within two standard deviations */

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

/**
 * struct vnpu_task - a task, see above
 * @op: VNPU_TASK_*
 * @flags: VNPU_TASK_F_*
 * @mode: depends on @op
 * @timeout_ms: how long it may take, or 0
 * @dst: device address or timeline
 * @src: device address or timeline
 * @length: bytes or elements
 * @arg0: depends on @op, as the others
 * @arg1: see above
 * @arg2: see above
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
 * @seq: the number of the task
 * @addr: the device address that it failed at, or 0
 * @ns: CLOCK_MONOTONIC when it failed
 * @error: why it failed, as a positive errno; ECANCELED if it was cancelled
 * @op: what @op of the task was
 */
struct vnpu_task_failure {
	__aligned_u64 seq;
	__aligned_u64 addr;
	__aligned_u64 ns;
	__u32 error;
	__u32 op;
};

#endif /* _UAPI_LINUX_VNPU_TASK_H */
