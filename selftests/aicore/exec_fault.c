// SPDX-License-Identifier: GPL-2.0-only
/*
 * The executor: kernels that fail, loop or make system calls end with a report,
 * and later launches run.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "exec_test.h"

static char *volatile wild = (char *)0x300000001000;
static char *volatile null = (char *)8;
static volatile int zero;

static void read_null(void *args)
{
	(void)args;
	zero = *(volatile char *)null;
}

static void write_wild(void *args)
{
	(void)args;
	/* Not in block 0. */
	if (block()->index == 1)
		*wild = 1;
	while (1)
		block()->ops->yield(block());
}

static void read_noncanonical(void *args)
{
	(void)args;
	zero = *(volatile char *)0x8000000000001000;
}

static void write_readonly(void *args)
{
	*(volatile char *)args = 1;
}

static int recurse(int depth)
{
	volatile char frame[1024];

	frame[0] = depth;
	return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

static void overflow_stack(void *args)
{
	(void)args;
	zero = recurse(0);
}

static void overflow_frame(void *args)
{
	/* Far below the guard page. */
	volatile char *low = (char *)__builtin_frame_address(0) -
		VNPU_STACK_SIZE - 10000;

	(void)args;
	*low = 1;
}

/* The kernel itself has room; the service that it calls has none. */
static void overflow_in_service(void *args)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t low = (here & ~(VNPU_STACK_SIZE - 1)) + getpagesize();
	volatile char *taken = __builtin_alloca(here - low - 1024);

	(void)args;
	taken[0] = 0;
	zero = block()->ops->ticks(block());
	_exit(1);
}

static void overrun_ub(void *args)
{
	struct vnpu_local *ub = &block()->local[VNPU_LOCAL_UB];

	(void)args;
	((volatile char *)ub->base)[ub->size + 24] = 1;
}

static void divide(void *args)
{
	(void)args;
	zero = 100 / zero;
}

static void trap(void *args)
{
	(void)args;
	__builtin_trap();
}

static void fail_assert(void *args)
{
	struct vnpu_block *b = block();
	const struct vnpu_fault fault = {
		.size = sizeof(fault),
		.kind = VNPU_FAULT_ASSERT,
		.text = "assertion 'x > 0' failed",
		.file = "kernel.asc",
		.line = 42,
	};

	(void)args;
	b->ops->finding(b, &fault);
	b->ops->fault(b, &fault);
	_exit(1);
}

static void bad_fault(void *args)
{
	struct vnpu_block *b = block();

	(void)args;
	b->ops->fault(b, (const struct vnpu_fault *)wild);
}

static void bad_print(void *args)
{
	struct vnpu_block *b = block();

	(void)args;
	b->ops->print(b, wild, 8);
}

static void call_system(void *args)
{
	(void)args;
	/* Would end the test. */
	syscall(SYS_exit_group, 1);
}

static void allocate(void *args)
{
	(void)args;
	/* More than the C library has at hand. */
	zero = !malloc(64 << 20);
}

static void loop(void *args)
{
	_Atomic int *begun = args;

	++*begun;
	for (;;)
		zero++;
}

static _Atomic(pthread_t) looping;

static void loop_in_thread(void *args)
{
	(void)args;
	looping = pthread_self();
	for (;;)
		zero++;
}

static void wait_flag(void *args)
{
	_Atomic int *begun = args;

	++*begun;
	if (block()->index == 7)
		for (;;)
			block()->ops->yield(block());
	block()->ops->flag_wait(block(), 0, 1);
}

static void nothing(void *args)
{
	(void)args;
}

static struct exec_report report;

static void expect(struct exec *exec, kernel_fn *function, void *args, int error,
		   uint32_t kind, const char *text, const char *what)
{
	int ret = run_fn(exec, function, args, 2, &report);

	ok(ret == error && report.kind == kind && strstr(report.text, text) &&
	   exec_is_tainted(exec), "%s: error %d, kind %u: %s", what, ret,
	   report.kind, report.text);
	ret = run_fn(exec, nothing, NULL, 48, NULL);
	if (ret)
		ok(false, "then a kernel runs: %d", ret);
}

static void test_exceptions(struct exec *exec)
{
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	expect(exec, read_null, NULL, EFAULT, EXEC_FAULT_ACCESS,
	       "read of a null pointer", "a null pointer");
	ok(!report.is_write && report.address == 8, "... with its address");
	expect(exec, write_wild, NULL, EFAULT, EXEC_FAULT_ACCESS,
	       "write to memory that is not allocated", "a wild address");
	ok(report.is_write && report.address == (uintptr_t)wild &&
	   report.block == 1 && report.core == VNPU_CORE_VECTOR && report.pc,
	   "... of block 1, with its address and instruction");
	expect(exec, read_noncanonical, NULL, EFAULT, EXEC_FAULT_ACCESS,
	       "not an address", "an address that none can have");
	expect(exec, write_readonly, page, EACCES, EXEC_FAULT_ACCESS,
	       "does not allow", "a write to memory for reading");
	expect(exec, overflow_stack, NULL, EIO, EXEC_FAULT_STACK,
	       "stack", "a recursion without end");
	expect(exec, overflow_frame, NULL, EIO, EXEC_FAULT_STACK,
	       "stack", "a large frame");
	expect(exec, overflow_in_service, NULL, EIO, EXEC_FAULT_STACK,
	       "stack", "a service without room for its frames");
	expect(exec, overrun_ub, NULL, EIO, VNPU_FAULT_BOUNDS,
	       "24 bytes behind the unified buffer", "an overrun");
	expect(exec, divide, NULL, EIO, EXEC_FAULT_INSTRUCTION, "division",
	       "a division by 0");
	expect(exec, trap, NULL, EIO, EXEC_FAULT_INSTRUCTION, "instruction",
	       "a trap");
	host.findings = 0;
	expect(exec, fail_assert, NULL, EIO, VNPU_FAULT_ASSERT, "x > 0",
	       "an assertion");
	ok(!strcmp(report.file, "kernel.asc") && report.line == 42,
	   "... with file and line");
	ok(host.findings >= 1 && host.findings <= 2,
	   "... and a finding before");
	expect(exec, bad_fault, NULL, EFAULT, EXEC_FAULT_ACCESS, "not allocated",
	       "a fault that is not in memory");
	expect(exec, bad_print, NULL, EFAULT, EXEC_FAULT_ACCESS, "not allocated",
	       "text that is not in memory");
	munmap(page, 4096);
}

static void test_calls(struct exec *exec)
{
#ifdef __x86_64__
	expect(exec, call_system, NULL, EIO, EXEC_FAULT_SYSCALL, "exit_group",
	       "a system call");
#else
	ok(true, "# SKIP system calls of kernels are not caught here");
#endif
}

static void *abort_loop(void *arg)
{
	while (!looping)
		usleep(100);
	pthread_kill(looping, SIGABRT);
	return arg;
}

/* A signal that another process sends, or abort() where it is not caught. */
static void test_abort(struct exec *exec)
{
	pthread_t thread;

	looping = 0;
	if (pthread_create(&thread, NULL, abort_loop, NULL)) {
		ok(false, "a thread that sends a signal");
		return;
	}
	expect(exec, loop_in_thread, NULL, EIO, EXEC_FAULT_INSTRUCTION, "abort",
	       "a signal to abort");
	pthread_join(thread, NULL);
}

static void test_stop(struct exec *exec)
{
	struct exec_launch launch;
	struct c_kernel kernel;
	_Atomic int begun = 0;
	uint64_t begin;

	kernel_init(&kernel, loop, VNPU_KERNEL_TYPE_AIV_ONLY);
	launch_init(&launch, &kernel, &begun, 20);
	host.count = 0;
	exec_submit(exec, &launch);
	while (!begun)
		usleep(100);
	exec_stop(exec, &launch, 2);
	usleep(1000);
	ok(!host.count, "a stop with another id has no effect");
	begin = now_ns();
	exec_stop(exec, &launch, 1);
	ok(finished_wait(1) && launch.result == ECANCELED &&
	   launch.report.kind == EXEC_FAULT_STOPPED && launch.report.pc,
	   "an endless loop ends, %llu us after the stop",
	   (unsigned long long)(now_ns() - begin) / 1000);

	kernel_init(&kernel, wait_flag, VNPU_KERNEL_TYPE_AIV_ONLY);
	launch_init(&launch, &kernel, &begun, 20);
	begun = 0;
	host.count = 0;
	exec_submit(exec, &launch);
	while (begun < 8)
		usleep(100);
	exec_stop(exec, &launch, 1);
	ok(finished_wait(1) && launch.result == ECANCELED,
	   "blocks that wait end as well");
}

static void test_beside(struct exec *exec)
{
	struct exec_launch looping, failing;
	struct c_kernel kernels[2];
	_Atomic int begun = 0;

	kernel_init(&kernels[0], wait_flag, VNPU_KERNEL_TYPE_AIV_ONLY);
	kernel_init(&kernels[1], write_wild, VNPU_KERNEL_TYPE_AIV_ONLY);
	launch_init(&looping, &kernels[0], &begun, 8);
	launch_init(&failing, &kernels[1], NULL, 8);
	host.count = 0;
	exec_submit(exec, &looping);
	exec_submit(exec, &failing);
	ok(finished_wait(1) && host.finished[0] == &failing &&
	   failing.result == EFAULT, "a launch fails beside another");
	usleep(10000);
	ok(host.count == 1, "... which continues");
	exec_stop(exec, &looping, 1);
	ok(finished_wait(2) && looping.result == ECANCELED,
	   "... until it is stopped");
}

/* Numbers of /proc/self/statm: pages in all, and in memory. */
static void pages(long *all, long *present)
{
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%ld %ld", all, present) != 2)
		*all = *present = 0;
	if (file)
		fclose(file);
}

static void test_growth(struct exec *exec)
{
	long all[2], present[2];
	bool is_right = true;

	for (int i = 0; i < 100000 && is_right; i++) {
		if (i == 1000)
			pages(&all[0], &present[0]);
		/* Each end of a block, one that fails among them. */
		is_right = !run_fn(exec, nothing, NULL, 1 + i % 3, NULL) &&
			(i % 100 || run_fn(exec, write_wild, NULL, 9, NULL) ==
			 EFAULT);
	}
	pages(&all[1], &present[1]);
	ok(is_right && all[1] == all[0] && present[1] - present[0] < 64,
	   "100000 launches leave nothing: %ld and %ld pages more",
	   all[1] - all[0], present[1] - present[0]);
}

/* The executor itself does not depend on malloc() after that. */
static void test_allocation(void)
{
#ifdef __x86_64__
	struct exec *exec = executor(2, EXEC_ORDER_FORWARD, 0);

	expect(exec, allocate, NULL, EIO, EXEC_FAULT_SYSCALL, "mmap",
	       "an allocation");
#endif
}

int main(void)
{
	static const uint32_t workers[] = { 1, 2, 4 };
	int ret;

	for (unsigned int i = 0; i < 3; i++) {
		struct exec *exec = executor(workers[i], EXEC_ORDER_FORWARD, 0);

		ok(!exec_is_tainted(exec), "%u threads", workers[i]);
		test_exceptions(exec);
		test_calls(exec);
		test_abort(exec);
		test_stop(exec);
		test_beside(exec);
		if (i < 2)
			test_growth(exec);
		exec_destroy(exec);
	}
	test_allocation();
	/* A lock of the C library is left taken. */
	ret = test_end();
	fflush(stdout);
	_exit(ret);
}
