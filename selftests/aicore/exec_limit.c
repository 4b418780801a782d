// SPDX-License-Identifier: GPL-2.0-only
/* The executor: how many blocks run at a time. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "exec_test.h"

static _Atomic unsigned int live, most;

static void max(_Atomic unsigned int *to, unsigned int value)
{
	unsigned int seen = *to;

	while (value > seen && !atomic_compare_exchange_weak(to, &seen, value))
		;
}

static void count_live(void *args)
{
	(void)args;
	max(&most, ++live);
	for (int i = 0; i < 3; i++)
		block()->ops->yield(block());
	live--;
}

static void test_waves(void)
{
	for (unsigned int workers = 1; workers <= 2; workers++) {
		struct exec *exec = executor(workers, EXEC_ORDER_FORWARD, 0);
		int ret;

		live = most = 0;
		ret = run_fn(exec, count_live, NULL, 100, NULL);
		/* A worker that is preempted keeps its block from being counted. */
		ok(!ret && most <= 8 && (most == 8 || workers > 1) && !live,
		   "100 blocks that give way run on 8 cores in waves: %u at a time",
		   most);
		exec_destroy(exec);
	}
}

static _Atomic unsigned int live_of[EXEC_KINDS], most_of[EXEC_KINDS];

/* Count the blocks of each kind. */
static void count_kinds(void *args)
{
	struct vnpu_block *b = block();
	unsigned int kind = b->kind == VNPU_CORE_CUBE ? EXEC_CUBE : EXEC_VECTOR;

	(void)args;
	max(&most_of[kind], ++live_of[kind]);
	for (int i = 0; i < 3; i++)
		b->ops->yield(b);
	live_of[kind]--;
}

static int run_limited(struct exec *exec, uint32_t type, uint32_t vector,
		       uint32_t cube, uint32_t blocks)
{
	struct exec_launch launch;
	struct c_kernel kernel;

	kernel_init(&kernel, count_kinds, type);
	launch_init(&launch, &kernel, NULL, blocks);
	launch.limit[EXEC_VECTOR].cores = vector;
	launch.limit[EXEC_CUBE].cores = cube;
	memset(most_of, 0, sizeof(most_of));
	return run(exec, &launch);
}

/* The device has 8 vector and 4 cube cores; one thread counts exactly. */
static void test_limits(void)
{
	struct exec *exec = executor(1, EXEC_ORDER_FORWARD, 0);
	int ret;

	ret = run_limited(exec, VNPU_KERNEL_TYPE_AIV_ONLY, 3, 1, 100);
	ok(!ret && most_of[EXEC_VECTOR] == 3, "a limit of 3 vector cores: %u",
	   most_of[EXEC_VECTOR]);
	ret = run_limited(exec, VNPU_KERNEL_TYPE_AIC_ONLY, 1, 2, 100);
	ok(!ret && most_of[EXEC_CUBE] == 2, "... of 2 cube cores: %u",
	   most_of[EXEC_CUBE]);
	ret = run_limited(exec, VNPU_KERNEL_TYPE_MIX_AIC_1_2, 5, 3, 100);
	ok(!ret && most_of[EXEC_VECTOR] == 4 && most_of[EXEC_CUBE] == 2,
	   "... of 5 and 3, for groups of 2 and 1: %u and %u",
	   most_of[EXEC_VECTOR], most_of[EXEC_CUBE]);
	ret = run_limited(exec, VNPU_KERNEL_TYPE_MIX_AIC_1_2, 8, 1, 100);
	ok(!ret && most_of[EXEC_VECTOR] == 2 && most_of[EXEC_CUBE] == 1,
	   "... of the cube cores alone: %u and %u", most_of[EXEC_VECTOR],
	   most_of[EXEC_CUBE]);
	ret = run_limited(exec, VNPU_KERNEL_TYPE_MIX_AIC_1_2, 1, EXEC_NO_LIMIT,
			  1);
	ok(ret == EINVAL, "a limit that has no room for a group is an error");
	ret = run_limited(exec, VNPU_KERNEL_TYPE_AIV_ONLY, 0, 4, 1);
	ok(ret == EINVAL, "... a limit of 0 has no room for a block");
	ret = run_limited(exec, VNPU_KERNEL_TYPE_AIV_ONLY, 2, 0, 100);
	ok(!ret && most_of[EXEC_VECTOR] == 2,
	   "... but does not matter for the other kind of cores: %u",
	   most_of[EXEC_VECTOR]);
	ret = run_limited(exec, VNPU_KERNEL_TYPE_AIV_ONLY, 20, 20, 100);
	ok(!ret && most_of[EXEC_VECTOR] == 8,
	   "a limit above the cores of the device changes nothing: %u",
	   most_of[EXEC_VECTOR]);
	ret = run_limited(exec, VNPU_KERNEL_TYPE_AIV_ONLY, EXEC_NO_LIMIT,
			  EXEC_NO_LIMIT, 100);
	ok(!ret && most_of[EXEC_VECTOR] == 8, "... nor does none: %u",
	   most_of[EXEC_VECTOR]);
	exec_destroy(exec);
}

static _Atomic unsigned int running, most_running, ended;
static uint64_t stay_ns = 100000;
static unsigned int enough = UINT_MAX;

/* Be on a core for a while, or until enough blocks are, without a wait. */
static void stay(void *args)
{
	uint64_t end = now_ns() + stay_ns;

	(void)args;
	max(&most_running, ++running);
	while (now_ns() < end && most_running < enough)
		;
	running--;
	ended++;
}

/* The same around a wait for all blocks, which gives the core back. */
static void stay_twice(void *args)
{
	stay(args);
	block()->ops->barrier(block(), VNPU_SCOPE_KIND);
	stay(args);
}

#define LIMITED	4

static unsigned int run_shared(struct exec *exec, kernel_fn *function,
			       bool is_shared)
{
	static struct exec_launch launches[LIMITED];
	static struct c_kernel kernels[LIMITED];

	host.count = 0;
	most_running = ended = 0;
	for (int i = 0; i < LIMITED; i++) {
		kernel_init(&kernels[i], function, VNPU_KERNEL_TYPE_AIV_ONLY);
		launch_init(&launches[i], &kernels[i], NULL, 2);
		launches[i].limit[EXEC_VECTOR].cores = 2;
		launches[i].limit[EXEC_VECTOR].is_shared = is_shared;
		exec_submit(exec, &launches[i]);
	}
	if (!finished_wait(LIMITED))
		return 0;
	for (int i = 0; i < LIMITED; i++)
		if (launches[i].result)
			return 0;
	return most_running;
}

static void test_shared_limits(void)
{
	struct exec *exec = executor(6, EXEC_ORDER_FORWARD, 0);
	unsigned int most_seen;

	/* The system may let other threads wait for a processor first. */
	stay_ns = 2000000000;
	enough = 3;
	most_seen = run_shared(exec, stay, false);
	stay_ns = 100000;
	enough = UINT_MAX;
	ok(most_seen > 2, "each launch has its limit of 2 cores: %u together",
	   most_seen);
	most_seen = 0;
	for (int i = 0; i < 20; i++) {
		unsigned int now = run_shared(exec, stay, true);

		most_seen = !now || now > most_seen ? now : most_seen;
		if (!now || ended != 2 * LIMITED)
			break;
	}
	ok(most_seen && most_seen <= 2 && ended == 2 * LIMITED,
	   "launches that share a limit of 2 run 2 blocks at a time: %u",
	   most_seen);
	most_seen = run_shared(exec, stay_twice, true);
	ok(most_seen && most_seen <= 2 && ended == 4 * LIMITED,
	   "... also those that wait for each other: %u", most_seen);
	exec_destroy(exec);
}

static _Atomic unsigned int waiting, opened;
static _Atomic bool is_open;

/* Keep a core, without giving way, until another block opens. */
static void keep(void *args)
{
	uint64_t end = now_ns() + 5000000000;

	(void)args;
	waiting++;
	while (!is_open && now_ns() < end)
		;
	opened += is_open;
}

/* Open, on a vector core. */
static void open_vector(void *args)
{
	(void)args;
	if (block()->kind == VNPU_CORE_VECTOR)
		is_open = true;
}

/*
 * Launch blocks of @type that keep @cores cores, all that their shared limit
 * allows, then one that shares a limit of @limit cores and opens.  Return whether
 * that one ran beside the others.
 */
static bool run_beside(struct exec *exec, uint32_t type, uint32_t cores,
		       uint32_t other, uint32_t limit)
{
	static struct exec_launch launches[2];
	static struct c_kernel kernels[2];

	host.count = 0;
	waiting = opened = 0;
	is_open = false;
	kernel_init(&kernels[0], keep, type);
	kernel_init(&kernels[1], open_vector, other);
	launch_init(&launches[0], &kernels[0], NULL, cores);
	launch_init(&launches[1], &kernels[1], NULL, 1);
	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++) {
		launches[0].limit[kind] = (struct exec_limit){ cores, true };
		launches[1].limit[kind] = (struct exec_limit){ limit, true };
	}
	if (exec_submit(exec, &launches[0]))
		return false;
	while (waiting < cores)
		sched_yield();
	return !exec_submit(exec, &launches[1]) && finished_wait(2) &&
	       !launches[0].result && !launches[1].result && opened == cores;
}

static void test_shared_beside(void)
{
	struct exec *exec = executor(6, EXEC_ORDER_FORWARD, 0);

	ok(run_beside(exec, VNPU_KERNEL_TYPE_AIC_ONLY, 2,
		      VNPU_KERNEL_TYPE_MIX_AIC_1_2, 2),
	   "vector cores run a group's blocks while no cube core is free");
	ok(run_beside(exec, VNPU_KERNEL_TYPE_AIV_ONLY, 4,
		      VNPU_KERNEL_TYPE_AIV_ONLY, 2),
	   "a launch with a smaller limit does not wait for those before it");
	exec_destroy(exec);
}

int main(void)
{
	test_waves();
	test_limits();
	test_shared_limits();
	test_shared_beside();
	return test_end();
}
