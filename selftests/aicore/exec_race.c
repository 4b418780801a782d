// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checker of races in the executor: which launches have one, blocks that run
 * on the same core one after the other, its memory, and launches that fail.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exec_test.h"

#define BLOCKS	100	/* more than there are cores */

static struct c_kernel kernel;
static struct exec_launch launch;
static uint64_t words[64];
static _Atomic bool has_checker;

/* Run a function as a kernel with flags; returns its result. */
static int run_flagged(struct exec *exec, kernel_fn *function, uint32_t flags,
		       uint32_t blocks)
{
	kernel_init(&kernel, function, VNPU_KERNEL_TYPE_AIV_ONLY);
	kernel.kernel.flags = flags;
	launch_init(&launch, &kernel, NULL, blocks);
	host.findings = 0;
	return run(exec, &launch);
}

static int run_checked(struct exec *exec, kernel_fn *function, uint32_t blocks)
{
	return run_flagged(exec, function,
			   VNPU_KERNEL_F_ACCESS | VNPU_KERNEL_F_RACE, blocks);
}

static void access_word(unsigned int index, uint32_t flags)
{
	block()->ops->access(block(), &words[index], sizeof(words[0]), flags);
}

static void look(void *args)
{
	(void)args;
	has_checker = block()->ops->access;
}

static void test_selection(struct exec *exec)
{
	run_flagged(exec, look, 0, 2);
	ok(!has_checker, "no checker without a reason");
	run_flagged(exec, look, VNPU_KERNEL_F_ACCESS, 2);
	ok(!has_checker, "... or if nothing asks for it");
	run_flagged(exec, look, VNPU_KERNEL_F_RACE, 2);
	ok(!has_checker, "... or if the kernel does not call it");
	run_checked(exec, look, 1);
	ok(!has_checker, "... or for one block");
	run_checked(exec, look, 2);
	ok(has_checker, "a checker for two blocks");
}

/* The first block and the last one run on the same core. */
static void write_twice(void *args)
{
	(void)args;
	if (block()->index % (BLOCKS - 1) == 0)
		access_word(0, VNPU_GM_WRITE);
	else
		access_word(1, VNPU_GM_READ);
}

static void write_own(void *args)
{
	(void)args;
	access_word(block()->index % 2 ? 2 : 3, VNPU_GM_ATOMIC);
	block()->ops->barrier(block(), VNPU_SCOPE_KIND);
	access_word(block()->index % 2, VNPU_GM_READ);
}

static void test_waves(void)
{
	struct exec *exec = executor(1, EXEC_ORDER_FORWARD, 0);

	ok(!run_checked(exec, write_twice, BLOCKS) && host.findings == 1,
	   "blocks that run one after the other");
	ok(strstr(host.finding.text, "writes 8 bytes that block 0 writes") &&
	   host.finding.block == BLOCKS - 1 &&
	   host.finding.address == (uintptr_t)words &&
	   host.finding.pc && host.finding.other.pc,
	   "... with numbers, address and places");
	ok(!run_checked(exec, write_own, 8) && !host.findings,
	   "atomic operations and reads");
	exec_destroy(exec);
}

/* Ranges that cannot be joined. */
static void fill(void *args)
{
	uintptr_t at = 1 << 20;

	(void)args;
	for (unsigned int i = 0; i < 20000; i++)
		block()->ops->access(block(), (void *)(at + 2 * i), 1,
				     VNPU_GM_READ);
}

static void fail_at_barrier(void *args)
{
	const struct vnpu_fault fault = {
		.size = sizeof(fault),
		.kind = VNPU_FAULT_TRAP,
		.text = "trap",
	};

	(void)args;
	access_word(0, VNPU_GM_READ);
	block()->ops->flag_set(block(), VNPU_FLAG_ALL, 0, 1);
	if (block()->index == 7)
		block()->ops->fault(block(), &fault);
	block()->ops->barrier(block(), VNPU_SCOPE_KIND);
}

/* Pages of the process that are mapped. */
static long mapped(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%ld", &pages) != 1)
		pages = -1;
	if (file)
		fclose(file);
	return pages;
}

static void test_memory(struct exec *exec)
{
	bool is_well = true;
	long before;

	ok(!run_checked(exec, fill, 2) && host.findings == 1 &&
	   strstr(host.finding.text, "has used its 1 MiB"),
	   "the end of its memory is reported once");
	run_checked(exec, write_own, 8);
	before = mapped();
	for (unsigned int i = 0; i < 100; i++) {
		is_well &= !run_checked(exec, write_own, 8);
		is_well &= run_checked(exec, fail_at_barrier, 8) == EIO;
	}
	ok(is_well && !host.findings, "launches that fail");
	ok(mapped() <= before, "... leave no memory");
}

static void go_on(void *args)
{
	(void)args;
	for (;;)
		access_word(block()->index, VNPU_GM_WRITE);
}

static void test_stop(struct exec *exec)
{
	bool is_well = true;

	for (unsigned int i = 0; i < 50; i++) {
		kernel_init(&kernel, go_on, VNPU_KERNEL_TYPE_AIV_ONLY);
		kernel.kernel.flags = VNPU_KERNEL_F_ACCESS | VNPU_KERNEL_F_RACE;
		launch_init(&launch, &kernel, NULL, 8);
		host.count = 0;
		is_well &= !exec_submit(exec, &launch);
		usleep(1000);
		exec_stop(exec, &launch, 1);
		is_well &= finished_wait(1) && launch.result == ECANCELED;
	}
	ok(is_well, "launches that are stopped while they note accesses");
}

int main(void)
{
	struct exec *exec = executor(4, EXEC_ORDER_FORWARD, 0);

	test_selection(exec);
	test_waves();
	test_memory(exec);
	test_stop(exec);
	exec_destroy(exec);
	return test_end();
}
