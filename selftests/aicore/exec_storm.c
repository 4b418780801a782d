// SPDX-License-Identifier: GPL-2.0-only
/*
 * The executor under many launches at once: several threads submit kernels that
 * end well, wait for each other, give way, fail, or loop until they are stopped.
 * Each launch must end with its own result.  SEED= repeats a run, STEPS= extends it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec_test.h"

#define THREADS	8

enum kind { NOTHING, BARRIER, FLAGS, YIELD, FAULT, DEADLOCK, LOOP, WAIT, KINDS };

/* A thread that submits, and its launch. */
struct source {
	struct exec *exec;
	pthread_t thread;
	uint64_t seed;
	unsigned int steps;
	unsigned int wrong;
	struct exec_launch launch;
	_Atomic bool is_done;
	_Atomic unsigned int blocks;
};

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * 0x2545f4914f6cdd1dULL >> 16;
}

static void begin(void *args)
{
	((struct source *)args)->blocks++;
}

static void barrier(void *args)
{
	begin(args);
	for (int i = 0; i < 5; i++)
		block()->ops->barrier(block(), VNPU_SCOPE_ALL);
}

static void flags(void *args)
{
	struct vnpu_block *b = block();

	begin(args);
	for (int i = 0; i < 5; i++) {
		if (b->kind == VNPU_CORE_CUBE) {
			b->ops->flag_set(b, VNPU_FLAG_CROSS, 0, 1);
			b->ops->flag_wait(b, 0, 2);
		} else {
			b->ops->flag_wait(b, 0, 1);
			b->ops->flag_set(b, VNPU_FLAG_CROSS, 0, 2);
		}
	}
}

static void yield(void *args)
{
	begin(args);
	for (int i = 0; i < 20; i++)
		block()->ops->yield(block());
}

static void fault(void *args)
{
	begin(args);
	if (block()->index == 0)
		*(volatile char *)0x300000001000 = 1;
	barrier(args);
}

static void deadlock(void *args)
{
	begin(args);
	if (block()->index)
		block()->ops->flag_wait(block(), 0, 7);
}

static void loop(void *args)
{
	begin(args);
	for (volatile int i = 0;; i++)
		;
}

static void wait_ever(void *args)
{
	begin(args);
	for (;;)
		block()->ops->yield(block());
}

static void finished(void *data, struct exec_launch *launch)
{
	(void)data;
	((struct source *)launch->args)->is_done = true;
}

static const struct {
	kernel_fn *function;
	uint32_t type;
	int result;
	bool is_endless;
} kinds[KINDS] = {
	[NOTHING] = { begin, VNPU_KERNEL_TYPE_AIV_ONLY, 0, false },
	[BARRIER] = { barrier, VNPU_KERNEL_TYPE_MIX_AIC_1_1, 0, false },
	[FLAGS] = { flags, VNPU_KERNEL_TYPE_MIX_AIC_1_2, 0, false },
	[YIELD] = { yield, VNPU_KERNEL_TYPE_AIV_ONLY, 0, false },
	[FAULT] = { fault, VNPU_KERNEL_TYPE_AIV_ONLY, EFAULT, false },
	[DEADLOCK] = { deadlock, VNPU_KERNEL_TYPE_AIV_ONLY, EDEADLK, false },
	[LOOP] = { loop, VNPU_KERNEL_TYPE_AIV_ONLY, ECANCELED, true },
	[WAIT] = { wait_ever, VNPU_KERNEL_TYPE_AIC_ONLY, ECANCELED, true },
};

/* Sometimes share the cores with other launches; those that wait need all. */
static void draw_limit(struct source *source, enum kind kind)
{
	bool is_single = kind == NOTHING || kind == YIELD;
	struct exec_limit *limit = source->launch.limit;

	if (next_random(&source->seed) % 2)
		return;
	limit[EXEC_VECTOR] = (struct exec_limit){ is_single ? 1 : 8, true };
	limit[EXEC_CUBE] = (struct exec_limit){ 4, true };
}

static void launch_one(struct source *source)
{
	enum kind kind = next_random(&source->seed) % KINDS;
	struct exec_launch *launch = &source->launch;
	struct c_kernel kernel;
	uint32_t blocks = 2 + next_random(&source->seed) % 3;
	int result = kinds[kind].result;

	kernel_init(&kernel, kinds[kind].function, kinds[kind].type);
	launch_init(launch, &kernel, source, blocks);
	launch->priority = next_random(&source->seed) % 8;
	launch->id = next_random(&source->seed);
	draw_limit(source, kind);
	source->is_done = false;
	source->blocks = 0;
	if (exec_submit(source->exec, launch)) {
		source->wrong++;
		return;
	}
	/* Sometimes before it begins. */
	if (kinds[kind].is_endless) {
		usleep(next_random(&source->seed) % 500);
		exec_stop(source->exec, launch, launch->id + 1);
		exec_stop(source->exec, launch, launch->id);
	}
	while (!source->is_done)
		usleep(20);
	if (launch->result != result) {
		printf("# kind %d: %d instead of %d: %s\n", kind,
		       launch->result, result, launch->report.text);
		source->wrong++;
	}
	if (!result && source->blocks != launch->members[EXEC_ALL])
		source->wrong++;
}

static void *source_main(void *data)
{
	struct source *source = data;

	for (unsigned int i = 0; i < source->steps; i++)
		launch_one(source);
	return NULL;
}

int main(void)
{
	static const struct exec_host functions = { .finished = finished };
	const char *seed = getenv("SEED"), *steps = getenv("STEPS");
	struct exec_config config = {
		.local = { [VNPU_LOCAL_UB] = 64 << 10 },
		.vector_cores = 8,
		.cube_cores = 4,
		.host = &functions,
	};
	static struct source sources[THREADS];
	uint64_t first = seed ? strtoull(seed, NULL, 0) : now_ns();

	printf("# SEED=%llu\n", (unsigned long long)first);
	for (config.workers = 1; config.workers <= 8; config.workers *= 2) {
		unsigned int wrong = 0;
		struct exec *exec;

		config.order = first % 3;
		config.seed = first;
		if (exec_create(&config, &exec))
			return 1;
		for (int i = 0; i < THREADS; i++) {
			sources[i] = (struct source){
				.exec = exec,
				.seed = first + i + 1,
				.steps = steps ? strtoul(steps, NULL, 0) : 150,
			};
			pthread_create(&sources[i].thread, NULL, source_main,
				       &sources[i]);
		}
		for (int i = 0; i < THREADS; i++) {
			pthread_join(sources[i].thread, NULL);
			wrong += sources[i].wrong;
		}
		exec_destroy(exec);
		ok(!wrong, "%u threads: each launch has its result: %u",
		   config.workers, wrong);
	}
	return test_end();
}
