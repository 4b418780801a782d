// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data that tasks write does not cross to other clients either. Pages that a
 * task has written to are known to be dirty, for every operation, however
 * little it wrote, and if it was interrupted.
 *
 * All memory of all devices is allocated in small objects, and a part of each
 * is written by one task only. So each task must mark the pages as dirty.
 */
#include "kselftest_harness.h"

#include "../uapi/stream.h"
#include "../uapi/trouble.h"
#include "secret.h"

#define PIECE	KIB(256)
#define PART	16		/* bytes, on two pages */
#define AT	(PAGE - 8)	/* offset of the part in an object */
#define ROWS	8
#define PITCH	(5 * PAGE)

/* Host memory as the device sees it: secrets, then zeros to the end. */
#define HOST_SECRETS	PIECE
#define HOST_LENGTH	(PIECE + PAGE)

static struct vnpu_task fill_all(__u64 va, __u64 host)
{
	(void)host;
	return task_fill(va, PIECE, SECRET, 8);
}

static struct vnpu_task fill_part(__u64 va, __u64 host)
{
	(void)host;
	return task_fill(va + AT, PART, SECRET, 8);
}

static struct vnpu_task fill_rows(__u64 va, __u64 host)
{
	struct vnpu_task task = fill_part(va, host);

	task.op = VNPU_TASK_FILL_2D;
	task.arg1 = ROWS;
	task.arg2 = PITCH;
	return task;
}

static struct vnpu_task copy_all(__u64 va, __u64 host)
{
	return task_copy(va, host, PIECE);
}

static struct vnpu_task copy_part(__u64 va, __u64 host)
{
	return task_copy(va + AT, host, PART);
}

static struct vnpu_task copy_rows(__u64 va, __u64 host)
{
	struct vnpu_task task = copy_part(va, host);

	task.op = VNPU_TASK_COPY_2D;
	task.arg0 = ROWS;
	task.arg1 = PITCH;
	task.arg2 = PART;
	return task;
}

/* The zeros are base addresses, to which arg0 and arg1 are added. */
static struct vnpu_task copy_indirect(__u64 va, __u64 host)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_COPY_INDIRECT,
		.dst = host + HOST_SECRETS, .arg0 = va + AT,
		.src = host + HOST_SECRETS, .arg1 = host,
		.length = PART,
	};
}

/* Only the first half of the source is bound. */
static struct vnpu_task copy_too_much(__u64 va, __u64 host)
{
	return task_copy(va, host + HOST_LENGTH - PIECE / 2, PIECE);
}

static struct vnpu_task reduce(__u64 dst, __u64 host, __u64 length)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_REDUCE, .dst = dst, .src = host,
		.length = length / 8,
		.mode = VNPU_REDUCE(VNPU_REDUCE_SUM, VNPU_TYPE_U64),
	};
}

static struct vnpu_task reduce_all(__u64 va, __u64 host)
{
	return reduce(va, host, PIECE);
}

static struct vnpu_task reduce_part(__u64 va, __u64 host)
{
	return reduce(va + AT, host, PART);
}

static struct vnpu_task draw(__u64 dst, __u64 length)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_RANDOM, .dst = dst, .length = length / 8,
		.mode = VNPU_RANDOM(VNPU_RANDOM_UNIFORM, VNPU_TYPE_U64),
		.arg1 = SECRET, .arg2 = SECRET + 1000,
	};
}

/* More than an engine writes at once; each number takes a block of Philox. */
static struct vnpu_task random_large(__u64 va, __u64 host)
{
	(void)host;
	return draw(va, PIECE / 8);
}

static struct vnpu_task random_part(__u64 va, __u64 host)
{
	(void)host;
	return draw(va + AT, PART);
}

static struct vnpu_task value(__u64 va, __u64 host)
{
	(void)host;
	return (struct vnpu_task){
		.op = VNPU_TASK_VALUE_WRITE, .dst = va + AT, .arg0 = SECRET,
		.mode = 8,
	};
}

static struct vnpu_task timestamp(__u64 va, __u64 host)
{
	(void)host;
	return (struct vnpu_task){
		.op = VNPU_TASK_TIMESTAMP, .dst = va + PAGE - 16,
		.arg0 = SECRET,
	};
}

enum end {
	END_CLOSE,	/* free when all tasks are complete */
	END_KILL,	/* free while they run */
	END_RESET,	/* reset the device while they run, then close */
};

FIXTURE(secret_task)
{
};

FIXTURE_VARIANT(secret_task)
{
	struct vnpu_task (*make)(__u64 va, __u64 host);
	enum end end;
	int error;	/* of each task */
	bool is_alone;	/* wait for each task before the next */
};

/* clang-format off */
#define WRITTEN_BY(operation)						\
	FIXTURE_VARIANT_ADD(secret_task, operation) { .make = operation }

WRITTEN_BY(fill_all);
WRITTEN_BY(fill_part);
WRITTEN_BY(fill_rows);
WRITTEN_BY(copy_all);
WRITTEN_BY(copy_part);
WRITTEN_BY(copy_rows);
WRITTEN_BY(copy_indirect);
WRITTEN_BY(reduce_all);
WRITTEN_BY(reduce_part);
WRITTEN_BY(random_large);
WRITTEN_BY(random_part);
WRITTEN_BY(value);
WRITTEN_BY(timestamp);

FIXTURE_VARIANT_ADD(secret_task, copy_part_alone)
{ .make = copy_part, .is_alone = true };
FIXTURE_VARIANT_ADD(secret_task, value_alone)
{ .make = value, .is_alone = true };
FIXTURE_VARIANT_ADD(secret_task, timestamp_alone)
{ .make = timestamp, .is_alone = true };
FIXTURE_VARIANT_ADD(secret_task, copy_that_fails)
{ .make = copy_too_much, .error = EFAULT };
FIXTURE_VARIANT_ADD(secret_task, fill_that_is_killed)
{ .make = fill_all, .end = END_KILL };
FIXTURE_VARIANT_ADD(secret_task, copy_that_is_killed)
{ .make = copy_all, .end = END_KILL };
FIXTURE_VARIANT_ADD(secret_task, reduce_that_is_reset)
{ .make = reduce_all, .end = END_RESET };
FIXTURE_VARIANT_ADD(secret_task, copy_that_is_reset)
{ .make = copy_all, .end = END_RESET };
/* clang-format on */

#define NO_CLIENT	(~0ULL - 1)

/* While an injected fault is set for any client, each task is run alone. */
FIXTURE_SETUP(secret_task)
{
	ASSERT_EQ(0, faults_clear(0));
	if (variant->is_alone)
		ASSERT_EQ(0, fault_set(VNPU_INJECT_KIND_ALLOC_FAIL, NO_CLIENT,
				       ANY_CLASS, 1, 0));
}

FIXTURE_TEARDOWN(secret_task)
{
	EXPECT_EQ(0, faults_clear(0));
}

/* Return the address of the host's memory on the device, or 0. */
static __u64 bind_host(const struct client *c)
{
	__u64 *buffer = aligned_alloc(PAGE, HOST_LENGTH);
	__u64 va = c->base + c->size - 2 * PIECE, i;
	__u32 id;

	for (i = 0; buffer && i < HOST_LENGTH / 8; i++)
		buffer[i] = i < HOST_SECRETS / 8 ? SECRET : 0;
	if (!buffer || host_register(c, 0, buffer, HOST_LENGTH, &id) ||
	    va_bind(c, id, va, HOST_LENGTH, 0))
		return 0;
	return va;
}

/* Check that the tasks write what the test would find as a leak. */
static bool is_written(const struct client *c, __u64 va)
{
	__u64 word = 0;

	return !copy(c, addr(&word), va + AT, sizeof(word)) && word >= SECRET;
}

/* Write to all of a device, up to @end. Return 0, or -errno. */
static int write_device(const FIXTURE_VARIANT(secret_task) * v,
			const struct client *c, __u32 d, __u64 va, __u64 end)
{
	__u64 host = bind_host(c), tasks = (end - va) / PIECE, at;
	struct stream s;

	if (!host || stream_create(&s, c, d))
		return 1;
	for (at = va; at < end; at += PIECE)
		if (mem_alloc_at(c, d, 0, 0, PIECE, at))
			return 2;
	for (at = va; at < end; at += PIECE)
		if (stream_run(&s, v->make(at, host)))
			return 3;
	if (v->end != END_CLOSE && wait_point(c, s.id, 1, in_ms(20000)))
		return 4;
	if (v->end == END_KILL)
		raise(SIGKILL);
	if (v->end == END_RESET && device_reset(d))
		return 5;
	if (stream_wait(&s, 60000))
		return 6;
	if (v->end == END_RESET)
		goto out;
	if (s.ring->errors != (v->error ? tasks : 0) ||
	    s.ring->error != (__u32)v->error)
		return 7;
	for (at = va; !v->error && at < end; at += PIECE)
		if (!is_written(c, at))
			return 8;
out:
	return stream_destroy(&s) ? 9 : 0;
}

static int victim(const FIXTURE_VARIANT(secret_task) * v)
{
	struct vnpu_device_query q;
	struct client c;
	int ret = 0;
	__u32 d;

	if (client_open(&c))
		return 10;
	for (d = 0; d < device_count(&c) && !ret; d++) {
		if (device_query(&c, d, &q))
			return 11;
		ret = write_device(v, &c, d, c.base, c.base + q.out_free);
		if (!ret && va_unbind(&c, c.base, c.size))
			return 12;
	}
	return ret;
}

TEST_F_TIMEOUT(secret_task, spy_reads_only_zeros, 120)
{
	pid_t pid = fork_bound();

	ASSERT_LE(0, pid);
	if (!pid)
		_exit(victim(variant));
	ASSERT_EQ(variant->end == END_KILL ? 256 + SIGKILL : 0,
		  child_wait(pid));
	EXPECT_EQ(NO_LEAK, find_leak_anywhere());
}

TEST_HARNESS_MAIN
