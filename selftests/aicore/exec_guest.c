// SPDX-License-Identifier: GPL-2.0-only
/*
 * The executor in a process that is not its own: kernels run without its signal
 * handlers, and may make system calls.
 *
 * With an argument, only a kernel runs that branches by a word that it has not
 * written: guest.sh runs that below valgrind.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec_test.h"

#define BLOCKS	8

static void sum(void *args)
{
	int *words = args;

	words[1 + block()->index] = getpid();
	block()->ops->barrier(block(), VNPU_SCOPE_KIND);
	if (block()->index == 0)
		for (int i = 0; i < BLOCKS; i++)
			words[0] += words[1 + i] == getpid();
}

static void trap(void *args)
{
	*(volatile int *)args = 1;
}

static _Atomic bool has_begun;

static void yield_always(void *args)
{
	(void)args;
	has_begun = true;
	for (;;)
		block()->ops->yield(block());
}

static void refuse(void *args)
{
	const struct vnpu_fault fault = {
		.size = sizeof(fault),
		.kind = VNPU_FAULT_ASSERT,
		.text = args,
	};

	block()->ops->fault(block(), &fault);
}

static void read_unwritten(void *args)
{
	const volatile int *words = block()->local[VNPU_LOCAL_UB].base;

	if (words[5] == 7) /* UNWRITTEN */
		*(volatile int *)args = 1;
}

static void test_compute(struct exec *exec)
{
	int words[1 + BLOCKS] = { 0 };

	ok(!run_fn(exec, sum, words, BLOCKS, NULL) && words[0] == BLOCKS,
	   "blocks wait for each other and make system calls");
}

static void test_refuse(struct exec *exec)
{
	static char text[] = "a sentence";
	struct exec_report report;

	ok(run_fn(exec, refuse, text, 1, &report) == EIO &&
	   report.kind == VNPU_FAULT_ASSERT,
	   "an error that a kernel finds ends its launch");
	test_compute(exec);
}

static void test_stop(struct exec *exec)
{
	struct exec_launch launch;
	struct c_kernel kernel;

	kernel_init(&kernel, yield_always, VNPU_KERNEL_TYPE_AIV_ONLY);
	launch_init(&launch, &kernel, NULL, 2);
	host.count = 0;
	ok(!exec_submit(exec, &launch), "a launch that does not end");
	while (!has_begun)
		usleep(100);
	exec_stop(exec, &launch, launch.id);
	ok(finished_wait(1) && launch.result == ECANCELED,
	   "... is stopped in a service");
}

/* In a child: its memory is not mapped, so the signal ends it. */
static void test_fault(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		struct exec *exec = executor_guest();

		signal(SIGSEGV, SIG_DFL);
		run_fn(exec, trap, (void *)16, 1, NULL);
		_exit(0);
	}
	ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	   WTERMSIG(status) == SIGSEGV, "a fault is a signal of the process");
}

int main(int argc, char **argv)
{
	struct exec *exec;
	int word = 0;

	(void)argv;
	if (argc > 1) {
		exec = executor_guest();
		run_fn(exec, sum, (int[1 + BLOCKS]){ 0 }, BLOCKS, NULL);
		run_fn(exec, read_unwritten, &word, 1, NULL);
		exec_destroy(exec);
		return 0;
	}
	test_fault();
	exec = executor_guest();
	test_compute(exec);
	test_refuse(exec);
	test_stop(exec);
	exec_destroy(exec);
	return test_end();
}
