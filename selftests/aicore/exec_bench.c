// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of fibers, and of launches and blocks in the executor.  The host submits each launch
 * in listen(), as vnpu-core does; the figures contain no driver.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "exec_test.h"
#include "fiber.h"

#define LAUNCHES	20000
#define SWITCHES	1000000

static struct exec *volatile exec;
static struct exec_launch launch;
static _Atomic unsigned int left, is_free;
static uint64_t end_ns;

/* Time of processors, so that other processes count little. */
static uint64_t process_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void listen(void *data)
{
	(void)data;
	/* exec_create() may not have returned. */
	while (!exec || !exec_is_called(exec)) {
		if (left && is_free) {
			is_free = 0;
			exec_submit(exec, &launch);
			return;
		}
	}
}

static void finished(void *data, struct exec_launch *which)
{
	(void)data;
	(void)which;
	if (left == 1)
		end_ns = process_ns();
	is_free = 1;
	left--;
}

static void nothing(void *args)
{
	(void)args;
}

static void use_buffer(void *args)
{
	(void)args;
	memset(block()->local[VNPU_LOCAL_UB].base, 0, 16384);
}

static void barrier(void *args)
{
	(void)args;
	for (int i = 0; i < 100; i++)
		block()->ops->barrier(block(), VNPU_SCOPE_KIND);
}

static void ticks(void *args)
{
	(void)args;
	for (int i = 0; i < 100; i++)
		block()->ops->ticks(block());
}

/* Nanoseconds of a launch. */
static double measure(kernel_fn *function, uint32_t blocks, unsigned int count)
{
	static struct c_kernel kernel;
	double best = 1e9;

	for (int round = 0; round < 5; round++) {
		uint64_t begin = process_ns();

		kernel_init(&kernel, function, VNPU_KERNEL_TYPE_AIV_ONLY);
		launch_init(&launch, &kernel, NULL, blocks);
		is_free = 1;
		left = count;
		while (left)
			usleep(1000);
		if ((double)(end_ns - begin) / count < best)
			best = (double)(end_ns - begin) / count;
	}
	return best;
}

static void *fiber, *caller;

static void switch_back(void *arg)
{
	(void)arg;
	for (;;)
		exec_fiber_switch(&fiber, caller);
}

/* Nanoseconds of a switch to another stack; there and back are two. */
static double measure_switch(void)
{
	static _Alignas(16) char stack[64 << 10];
	double best = 1e9;

	fiber = exec_fiber_init(stack + sizeof(stack), switch_back, NULL);
	for (int round = 0; round < 5; round++) {
		uint64_t begin = process_ns();
		double each;

		for (int i = 0; i < SWITCHES / 2; i++)
			exec_fiber_switch(&caller, fiber);
		each = (double)(process_ns() - begin) / SWITCHES;
		if (each < best)
			best = each;
	}
	return best;
}

int main(void)
{
	static const struct exec_host functions = {
		.listen = listen,
		.finished = finished,
	};
	const struct exec_config config = {
		.local = { [VNPU_LOCAL_UB] = 192 << 10 },
		.vector_cores = 48,
		.cube_cores = 24,
		.workers = 1,
		.host = &functions,
	};
	double one, many;

	/* Before there are other threads, which use processor time. */
	printf("switch between fibers        %8.1f ns\n", measure_switch());
	if (exec_create(&config, (struct exec **)&exec))
		return 1;
	one = measure(nothing, 1, LAUNCHES);
	many = measure(nothing, 48, LAUNCHES / 20);
	printf("empty launch, 1 block        %8.0f ns\n", one);
	printf("             each more block %8.0f ns\n", (many - one) / 47);
	printf("16 KiB of unified buffer     %8.0f ns\n",
	       measure(use_buffer, 1, LAUNCHES) - one);
	printf("SyncAll, a block of 48       %8.0f ns\n",
	       (measure(barrier, 48, 100) - many) / 4800);
	printf("service (GetSystemCycle)     %8.0f ns\n",
	       (measure(ticks, 1, LAUNCHES) - one) / 100);
	/* The listener polls for ever. */
	exit(0);
}
