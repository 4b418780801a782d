// SPDX-License-Identifier: GPL-2.0-only
/*
 * The executor: the order of blocks, their memory, and their waits for each
 * other.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "exec_test.h"

#define BLOCKS	1000

static unsigned int order_of[BLOCKS], order_count;

static void note_order(void *args)
{
	(void)args;
	order_of[__atomic_fetch_add(&order_count, 1, __ATOMIC_RELAXED)] =
		block()->index;
}

static bool is_permutation(void)
{
	static bool seen[BLOCKS];

	memset(seen, 0, sizeof(seen));
	for (unsigned int i = 0; i < order_count; i++) {
		if (order_of[i] >= BLOCKS || seen[order_of[i]])
			return false;
		seen[order_of[i]] = true;
	}
	return order_count == BLOCKS;
}

static void test_order(void)
{
	static unsigned int first[BLOCKS];
	struct exec *exec = executor(1, EXEC_ORDER_FORWARD, 0);
	bool is_right = true;

	order_count = 0;
	run_fn(exec, note_order, NULL, BLOCKS, NULL);
	for (unsigned int i = 0; i < BLOCKS; i++)
		is_right &= order_of[i] == i;
	ok(is_right, "blocks begin in order");
	exec_destroy(exec);

	exec = executor(1, EXEC_ORDER_BACKWARD, 0);
	order_count = 0;
	run_fn(exec, note_order, NULL, BLOCKS, NULL);
	is_right = true;
	for (unsigned int i = 0; i < BLOCKS; i++)
		is_right &= order_of[i] == BLOCKS - 1 - i;
	ok(is_right, "... backward");
	exec_destroy(exec);

	exec = executor(1, EXEC_ORDER_SEEDED, 1);
	order_count = 0;
	run_fn(exec, note_order, NULL, BLOCKS, NULL);
	memcpy(first, order_of, sizeof(first));
	ok(is_permutation() && first[0] + 1 != first[1],
	   "... in a random order, each once");
	order_count = 0;
	run_fn(exec, note_order, NULL, BLOCKS, NULL);
	ok(!memcmp(first, order_of, sizeof(first)),
	   "... the same for the same seed");
	exec_destroy(exec);

	exec = executor(1, EXEC_ORDER_SEEDED, 2);
	order_count = 0;
	run_fn(exec, note_order, NULL, BLOCKS, NULL);
	ok(is_permutation() && memcmp(first, order_of, sizeof(first)),
	   "... another for another seed");
	exec_destroy(exec);

	exec = executor(4, EXEC_ORDER_FORWARD, 0);
	order_count = 0;
	run_fn(exec, note_order, NULL, BLOCKS, NULL);
	ok(is_permutation(), "on several threads, each block runs once");
	exec_destroy(exec);
}

static struct vnpu_block seen[16];

static void note_block(void *args)
{
	struct vnpu_block *b = block();
	unsigned int *at = args;

	seen[__atomic_fetch_add(at, 1, __ATOMIC_RELAXED)] = *b;
}

static void test_facts(void)
{
	struct exec *exec = executor(2, EXEC_ORDER_FORWARD, 0);
	unsigned int at = 0, cubes = 0, subs[2] = {};
	struct exec_launch launch;
	struct c_kernel kernel;
	bool is_right = true;
	int ret;

	kernel_init(&kernel, note_block, VNPU_KERNEL_TYPE_MIX_AIC_1_2);
	launch_init(&launch, &kernel, &at, 3);
	launch.first = 10;
	launch.dynamic_bytes = 512;
	ret = run(exec, &launch);
	ok(!ret && at == 9, "a mixed kernel runs three blocks for a group: %u", at);
	for (unsigned int i = 0; i < at; i++) {
		cubes += seen[i].kind == VNPU_CORE_CUBE;
		if (seen[i].kind == VNPU_CORE_VECTOR)
			subs[seen[i].sub_index % 2]++;
		is_right &= seen[i].ratio == 2 && seen[i].sub_count == 2 &&
			seen[i].count == 3 && seen[i].index >= 10 &&
			seen[i].index <= 12 && seen[i].dynamic_bytes == 512 &&
			seen[i].local[VNPU_LOCAL_UB].size == 64 << 10 &&
			!seen[i].local[VNPU_LOCAL_L0A].base;
	}
	ok(is_right && cubes == 3 && subs[0] == 3 && subs[1] == 3,
	   "... with their places");
	kernel_init(&kernel, note_block, VNPU_KERNEL_TYPE_AIC_ONLY);
	launch_init(&launch, &kernel, &at, 1);
	at = 0;
	ok(!run(exec, &launch) && at == 1 && seen[0].kind == VNPU_CORE_CUBE &&
	   seen[0].ratio == 0, "a cube kernel runs on cube cores");
	kernel.exec.code[EXEC_CUBE].kernel = NULL;
	ok(exec_submit(exec, &launch) == -EINVAL,
	   "... and not without code for them");
	launch_init(&launch, &kernel, &at, 0);
	ok(exec_submit(exec, &launch) == -EINVAL, "no blocks are an error");
	exec_destroy(exec);
}

static unsigned int dirty;

static void look_at_memory(void *args)
{
	struct vnpu_block *b = block();
	const struct vnpu_local *ub = &b->local[VNPU_LOCAL_UB];
	const char *state = b->state;
	unsigned char *base = ub->base;

	for (unsigned int i = 0; i < 1280; i++)
		dirty += state[i] != 0;
	for (uint64_t i = 0; i < ub->size; i++)
		dirty += base[i] != 0xff;
	memset(b->state, 7, 1280);
	memset(base, 7, *(uint64_t *)args);
}

static void test_memory(void)
{
	static const uint64_t sizes[] = { 0, 32, 4096, 20000, 64 << 10 };
	struct exec *exec = executor(1, EXEC_ORDER_FORWARD, 0);

	dirty = 0;
	for (unsigned int i = 0; i < 20; i++)
		run_fn(exec, look_at_memory, (void *)&sizes[i % 5], 1, NULL);
	ok(!dirty, "no launch sees the memory of another: %u bytes", dirty);
	exec_destroy(exec);
}

struct sums {
	uint32_t count;
	uint32_t rounds;
	_Atomic uint32_t at[64];
	_Atomic uint32_t errors;
};

static void barriers(void *args)
{
	struct vnpu_block *b = block();
	struct sums *sums = args;

	for (uint32_t round = 1; round <= sums->rounds; round++) {
		sums->at[b->index] = round;
		b->ops->barrier(b, VNPU_SCOPE_KIND);
		for (uint32_t i = 0; i < sums->count; i++)
			sums->errors += sums->at[i] < round;
		b->ops->barrier(b, VNPU_SCOPE_ALL);
	}
}

static void chain(void *args)
{
	struct vnpu_block *b = block();
	struct sums *sums = args;

	/* All cores set; each waits for the round of all. */
	for (uint32_t round = 1; round <= sums->rounds; round++) {
		sums->at[b->index] = round;
		b->ops->flag_set(b, VNPU_FLAG_ALL, 0, 3);
		b->ops->flag_wait(b, 0, 3);
		for (uint32_t i = 0; i < sums->count; i++)
			sums->errors += sums->at[i] < round;
	}
}

static void cross(void *args)
{
	struct vnpu_block *b = block();
	struct sums *sums = args;
	_Atomic uint32_t *mine = &sums->at[b->index];

	for (uint32_t round = 1; round <= sums->rounds; round++) {
		if (b->kind == VNPU_CORE_CUBE) {
			b->ops->flag_set(b, VNPU_FLAG_CROSS, 0, 1);
			b->ops->flag_wait(b, 0, 2);
			sums->errors += *mine != 2 * round;
		} else {
			b->ops->flag_wait(b, 0, 1);
			++*mine;
			b->ops->flag_set(b, VNPU_FLAG_GROUP, 0, 4);
			b->ops->flag_wait(b, 0, 4);
			sums->errors += *mine != 2 * round;
			b->ops->flag_set(b, VNPU_FLAG_CROSS, 0, 2);
		}
	}
}

static void test_waits(enum exec_order order)
{
	static const uint32_t workers[] = { 1, 2, 4 };
	struct exec_launch launch;
	struct c_kernel kernel;
	struct sums sums;
	int ret;

	for (unsigned int i = 0; i < 3; i++) {
		struct exec *exec = executor(workers[i], order, 5);

		memset(&sums, 0, sizeof(sums));
		sums.count = 8;
		sums.rounds = 500;
		ret = run_fn(exec, barriers, &sums, 8, NULL);
		ok(!ret && !sums.errors, "order %d, %u threads: SyncAll: %u",
		   order, workers[i], sums.errors);
		memset(sums.at, 0, sizeof(sums.at));
		ret = run_fn(exec, chain, &sums, 8, NULL);
		ok(!ret && !sums.errors, "... flags of all cores: %u",
		   sums.errors);
		memset(sums.at, 0, sizeof(sums.at));
		kernel_init(&kernel, cross, VNPU_KERNEL_TYPE_MIX_AIC_1_2);
		launch_init(&launch, &kernel, &sums, 20);
		ret = run(exec, &launch);
		ok(!ret && !sums.errors, "... flags in 20 groups: %u",
		   sums.errors);
		exec_destroy(exec);
	}
}

static void half_barrier(void *args)
{
	struct vnpu_block *b = block();

	(void)args;
	if (b->index == 2)
		b->ops->flag_wait(b, 0, 5);
	else if (b->index != 3)
		b->ops->barrier(b, VNPU_SCOPE_KIND);
}

static void whole_barrier(void *args)
{
	(void)args;
	block()->ops->barrier(block(), VNPU_SCOPE_KIND);
}

static void overflow_flag(void *args)
{
	struct vnpu_block *b = block();

	(void)args;
	for (int i = 0; i < 16; i++)
		b->ops->flag_set(b, VNPU_FLAG_GROUP, 0, 9);
}

static int run_barrier(struct exec *exec, uint32_t limit, uint32_t blocks,
		       struct exec_report *report)
{
	static struct exec_launch launch;
	static struct c_kernel kernel;
	int ret;

	kernel_init(&kernel, whole_barrier, VNPU_KERNEL_TYPE_AIV_ONLY);
	launch_init(&launch, &kernel, NULL, blocks);
	launch.limit[EXEC_VECTOR].cores = limit;
	ret = run(exec, &launch);
	*report = launch.report;
	return ret;
}

static void test_deadlock(void)
{
	struct exec *exec = executor(2, EXEC_ORDER_FORWARD, 0);
	struct exec_report report;
	uint64_t begin = now_ns();
	int ret;

	ret = run_fn(exec, half_barrier, NULL, 4, &report);
	ok(ret == EDEADLK && report.kind == EXEC_FAULT_DEADLOCK &&
	   strstr(report.text, "block 2 waits for flag 5") &&
	   strstr(report.text, "2 of 4 blocks wait in SyncAll") &&
	   strstr(report.text, "1 have ended"), "a deadlock: %s", report.text);
	ret = run_fn(exec, whole_barrier, NULL, 9, &report);
	ok(ret == EDEADLK && strstr(report.text, "9 blocks") &&
	   strstr(report.text, "8 at a time"),
	   "SyncAll of more blocks than cores: %s", report.text);
	ret = run_barrier(exec, 3, 4, &report);
	ok(ret == EDEADLK && strstr(report.text,
	   "all 4 blocks, but the limit of cores allows 3 at a time"),
	   "... than the limit allows: %s", report.text);
	ok(!run_barrier(exec, 3, 3, &report), "... not of as many");
	ret = run_fn(exec, overflow_flag, NULL, 1, &report);
	ok(ret == EIO && report.kind == VNPU_FAULT_EVENT,
	   "a flag set 16 times: %s", report.text);
	ok(now_ns() - begin < 1000000000ULL, "... found without a time limit");
	ok(!exec_is_tainted(exec), "... and without doubts about the process");
	ok(!run_fn(exec, whole_barrier, NULL, 8, NULL),
	   "then a launch of as many blocks as cores succeeds");
	exec_destroy(exec);
}

static _Atomic bool is_open;

static void wait_open(void *args)
{
	(void)args;
	while (!is_open)
		block()->ops->yield(block());
}

static void open_gate(void *args)
{
	(void)args;
	is_open = true;
}

static _Atomic bool is_spinning;

static void spin(void *args)
{
	(void)args;
	is_spinning = true;
	while (!is_open)
		;
}

static _Atomic unsigned int noted;
static uint64_t notes[2];

/* Note the order in which launches run; their ends may be reported in another. */
static void note(void *args)
{
	notes[noted++] = *(const uint64_t *)args;
}

static void test_launches(void)
{
	uint64_t numbers[] = { 1, 3 };
	struct exec *exec = executor(1, EXEC_ORDER_FORWARD, 0);
	struct exec_launch waits, opens, low, high;
	struct c_kernel kernels[4];

	kernel_init(&kernels[0], wait_open, VNPU_KERNEL_TYPE_AIV_ONLY);
	kernel_init(&kernels[1], open_gate, VNPU_KERNEL_TYPE_AIV_ONLY);
	kernel_init(&kernels[2], spin, VNPU_KERNEL_TYPE_AIV_ONLY);
	kernel_init(&kernels[3], note, VNPU_KERNEL_TYPE_AIV_ONLY);
	is_open = false;
	host.count = 0;
	launch_init(&waits, &kernels[0], NULL, 8);
	launch_init(&opens, &kernels[1], NULL, 1);
	opens.priority = 7;
	exec_submit(exec, &waits);
	exec_submit(exec, &opens);
	ok(finished_wait(2) && host.finished[0] == &opens,
	   "a launch that waits for memory lets one of low priority run");

	/* The only thread is busy while launches of two priorities come. */
	is_open = false;
	host.count = 0;
	launch_init(&waits, &kernels[2], NULL, 1);
	launch_init(&low, &kernels[3], &numbers[1], 1);
	low.priority = numbers[1];
	launch_init(&high, &kernels[3], &numbers[0], 1);
	high.priority = numbers[0];
	exec_submit(exec, &waits);
	while (!is_spinning)
		;
	exec_submit(exec, &low);
	exec_submit(exec, &high);
	is_open = true;
	ok(finished_wait(3) && notes[0] == numbers[0] && notes[1] == numbers[1],
	   "launches are served by priority");
	exec_destroy(exec);
}

static void say(void *args)
{
	struct vnpu_block *b = block();
	char text[16];

	(void)args;
	snprintf(text, sizeof(text), "b%u ", b->index);
	b->ops->print(b, text, strlen(text));
	b->ops->yield(b);
	b->ops->print(b, "end\n", 4);
	b->ops->print(b, "rest", b->index == 7 ? 4 : 0);
}

static void test_print(void)
{
	struct exec *exec = executor(2, EXEC_ORDER_FORWARD, 0);
	bool is_right = true;

	host.output[0] = '\0';
	run_fn(exec, say, NULL, 8, NULL);
	for (int i = 0; i < 8; i++) {
		char line[16];

		snprintf(line, sizeof(line), "b%d end\n", i);
		is_right &= !!strstr(host.output, line);
	}
	ok(is_right && strstr(host.output, "rest") &&
	   strlen(host.output) == 8 * 7 + 4,
	   "lines of blocks do not mix, and the last needs no end");
	exec_destroy(exec);
}

int main(void)
{
	test_order();
	test_facts();
	test_memory();
	test_waits(EXEC_ORDER_FORWARD);
	test_waits(EXEC_ORDER_BACKWARD);
	test_waits(EXEC_ORDER_SEEDED);
	test_deadlock();
	test_launches();
	test_print();
	return test_end();
}
