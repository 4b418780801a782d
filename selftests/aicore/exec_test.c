// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that the tests of the executor have in common.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exec_test.h"

struct host host = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static unsigned int tests, failures;

void ok(bool is_ok, const char *format, ...)
{
	va_list args;

	printf("%sok %u ", is_ok ? "" : "not ", ++tests);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	failures += !is_ok;
}

int test_end(void)
{
	printf("1..%u\n", tests);
	return failures ? 1 : 0;
}

struct vnpu_block *block(void)
{
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0);

	stack |= VNPU_STACK_SIZE - 1;
	return ((struct vnpu_block **)(stack + 1))[-1];
}

static void call(void (*entry)(void), const void *args)
{
	((kernel_fn *)entry)((void *)args);
}

void kernel_init(struct c_kernel *kernel, kernel_fn *function, uint32_t type)
{
	memset(kernel, 0, sizeof(*kernel));
	kernel->info.name = "kernel";
	kernel->info.call = call;
	kernel->kernel.symbol = "kernel";
	kernel->kernel.entry = (void (*)(void))function;
	kernel->kernel.info = &kernel->info;
	kernel->kernel.type = type;
	for (unsigned int i = 0; i < EXEC_KINDS; i++) {
		kernel->exec.code[i].kernel = &kernel->kernel;
		kernel->exec.code[i].state_size = 1280;
	}
}

static void host_finished(void *data, struct exec_launch *launch)
{
	(void)data;
	pthread_mutex_lock(&host.lock);
	host.finished[host.count++ % FINISHED_MAX] = launch;
	pthread_cond_signal(&host.changed);
	pthread_mutex_unlock(&host.lock);
}

static void host_finding(void *data, struct exec_launch *launch,
			 const struct exec_report *report)
{
	(void)data;
	(void)launch;
	pthread_mutex_lock(&host.lock);
	host.findings++;
	host.finding = *report;
	pthread_mutex_unlock(&host.lock);
}

static void host_print(void *data, struct exec_launch *launch,
		       const char *text, size_t length)
{
	(void)data;
	(void)launch;
	pthread_mutex_lock(&host.lock);
	strncat(host.output, text, length);
	pthread_mutex_unlock(&host.lock);
}

static struct exec *make(uint32_t workers, enum exec_order order,
			 uint64_t seed, bool is_guest)
{
	static const struct exec_host functions = {
		.finished = host_finished,
		.finding = host_finding,
		.print = host_print,
	};
	const struct exec_config config = {
		.local = {
			[VNPU_LOCAL_UB] = 64 << 10,
			[VNPU_LOCAL_L1] = 32 << 10,
		},
		.vector_cores = 8,
		.cube_cores = 4,
		.workers = workers,
		.order = order,
		.seed = seed,
		.race_memory = 1 << 20,
		.is_guest = is_guest,
		.host = &functions,
	};
	struct exec *exec;

	if (exec_create(&config, &exec)) {
		puts("Bail out! no executor");
		exit(1);
	}
	return exec;
}

struct exec *executor(uint32_t workers, enum exec_order order, uint64_t seed)
{
	return make(workers, order, seed, false);
}

struct exec *executor_guest(void)
{
	return make(1, EXEC_ORDER_FORWARD, 0, true);
}

void launch_init(struct exec_launch *launch, struct c_kernel *kernel,
		 void *args, uint32_t blocks)
{
	memset(launch, 0, sizeof(*launch));
	launch->kernel = &kernel->exec;
	launch->args = args;
	launch->blocks = blocks;
	launch->id = 1;
	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++)
		launch->limit[kind].cores = EXEC_NO_LIMIT;
}

bool finished_wait(unsigned int count)
{
	struct timespec end;
	bool is_done;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 10;
	pthread_mutex_lock(&host.lock);
	while (host.count < count &&
	       !pthread_cond_timedwait(&host.changed, &host.lock, &end))
		;
	is_done = host.count >= count;
	pthread_mutex_unlock(&host.lock);
	return is_done;
}

int run(struct exec *exec, struct exec_launch *launch)
{
	int ret;

	host.count = 0;
	ret = exec_submit(exec, launch);
	if (ret)
		return -ret;
	if (!finished_wait(1)) {
		puts("Bail out! a launch does not end");
		exit(1);
	}
	return launch->result;
}

int run_fn(struct exec *exec, kernel_fn *function, void *args, uint32_t blocks,
	   struct exec_report *report)
{
	static struct exec_launch launch;
	static struct c_kernel kernel;
	int ret;

	kernel_init(&kernel, function, VNPU_KERNEL_TYPE_AIV_ONLY);
	launch_init(&launch, &kernel, args, blocks);
	ret = run(exec, &launch);
	if (report)
		*report = launch.report;
	return ret;
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}
