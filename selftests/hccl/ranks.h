/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ranks for tests of libhccl: threads of one process, or processes, with a device
 * each.
 */
#ifndef SELFTESTS_HCCL_RANKS_H
#define SELFTESTS_HCCL_RANKS_H

#include "../lib/acl-test.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "hccl/hccl.h"

#define RANKS_MAX	8

struct rank;

/* One rank for each device, without a call that a child process could not repeat. */
static inline unsigned int ranks_available(void)
{
	FILE *file = fopen("/sys/module/vnpu/parameters/ndevs", "r");
	unsigned int count = 0;

	if (!file || fscanf(file, "%u", &count) != 1 || count < 2)
		abort();
	fclose(file);
	return count < RANKS_MAX ? count : RANKS_MAX;
}

/* Shared by all ranks, even processes. */
struct world {
	unsigned int ranks;
	bool has_processes;
	unsigned int threads;		/* ranks of a process, if there are several */
	void (*run)(struct rank *rank);
	const void *arg;
	HcclRootInfo info;
	_Atomic int has_info;
	_Atomic unsigned int step;	/* orders the actions of ranks */
	pid_t pids[RANKS_MAX];
	_Atomic int failures;
	char text[512];			/* of the first failure */
};

struct rank {
	struct world *world;
	unsigned int number;
	HcclComm comm;
	aclrtStream stream;
};

static inline void rank_failed(struct rank *rank, const char *file, int line,
			       const char *format, ...)
{
	char text[400];
	va_list list;

	if (atomic_fetch_add(&rank->world->failures, 1))
		return;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	snprintf(rank->world->text, sizeof(rank->world->text),
		 "%s:%d: rank %u of %u: %s", file, line, rank->number,
		 rank->world->ranks, text);
}

/* End the rank's part if the condition does not hold. */
#define NEED(condition, ...)						\
	do {								\
		if (!(condition)) {					\
			rank_failed(rank, __FILE__, __LINE__, __VA_ARGS__); \
			return;						\
		}							\
	} while (0)

#define NEED_IS(code, call)						\
	do {								\
		int is_ = (call);					\
									\
		NEED(is_ == (int)(code), "%s = %d, not %d: %s", #call, is_, \
		     (int)(code), recent());				\
	} while (0)

#define NEED_OK(call)	NEED_IS(0, call)

/* Wait until another rank has reached a step. */
static inline void wait_step(struct rank *rank, unsigned int step)
{
	while (rank->world->step < step && !rank->world->failures)
		usleep(1000);
}

static inline void rank_begin(struct rank *rank)
{
	struct world *world = rank->world;

	NEED_OK(aclrtSetDevice(rank->number));
	NEED_OK(aclrtCreateStream(&rank->stream));
	if (!rank->number && world->has_processes) {
		NEED_OK(HcclGetRootInfo(&world->info));
		world->has_info = 1;
	}
	while (!world->has_info)
		usleep(1000);
	NEED_OK(HcclCommInitRootInfo(world->ranks, &world->info, rank->number,
				     &rank->comm));
	world->run(rank);
}

static inline void *rank_thread(void *arg)
{
	struct rank *rank = arg;

	rank_begin(rank);
	if (rank->comm)
		HcclCommDestroy(rank->comm);
	if (rank->stream)
		aclrtDestroyStreamForce(rank->stream);
	return NULL;
}

/* Run @count ranks from @first on as threads of this process. */
static inline void run_threads_here(struct world *world, unsigned int first,
				    unsigned int count)
{
	struct rank ranks[RANKS_MAX] = { 0 };
	pthread_t threads[RANKS_MAX];

	for (unsigned int i = 0; i < count; i++) {
		ranks[i].world = world;
		ranks[i].number = first + i;
		if (pthread_create(&threads[i], NULL, rank_thread, &ranks[i]))
			abort();
	}
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* In a process of their own, so that a test may run processes after that. */
static inline void run_threads(struct world *world)
{
	pid_t child = fork();
	int status;

	if (!child) {
		if (HcclGetRootInfo(&world->info))
			abort();
		world->has_info = 1;
		run_threads_here(world, 0, world->ranks);
		aclFinalize();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		world->failures++;
}

static inline void run_processes(struct world *world)
{
	for (unsigned int i = 0; i < world->ranks; i += world->threads) {
		struct rank rank = { .world = world, .number = i };
		pid_t pid = fork();

		if (pid < 0)
			abort();
		if (!pid) {
			if (world->threads > 1)
				run_threads_here(world, i, world->threads);
			else
				rank_thread(&rank);
			aclFinalize();
			_exit(0);
		}
		/* All processes share it. */
		world->pids[i] = pid;
	}
	for (unsigned int i = 0; i < world->ranks; i += world->threads)
		waitpid(world->pids[i], NULL, 0);
}

/* Run @fn as each rank, as threads or processes; a failure is one of the test. */
#define RUN_RANKS(count, processes, fn, argument)			\
	RUN_RANKS_OF(count, processes, 1, fn, argument)

/* Likewise, in processes of several threads; @count is a multiple of @per_process. */
#define RUN_MIXED(count, per_process, fn, argument)			\
	RUN_RANKS_OF(count, true, per_process, fn, argument)

#define RUN_RANKS_OF(count, processes, per_process, fn, argument)	\
	do {								\
		struct world *world_ = mmap(NULL, sizeof(*world_),	\
			PROT_READ | PROT_WRITE,				\
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);		\
									\
		ASSERT_NE(MAP_FAILED, world_);				\
		world_->ranks = (count);				\
		world_->has_processes = (processes);			\
		world_->threads = (per_process);			\
		world_->run = (fn);					\
		world_->arg = (argument);				\
		if (processes)						\
			run_processes(world_);				\
		else							\
			run_threads(world_);				\
		EXPECT_EQ(0, world_->failures)				\
			TH_LOG("%s", world_->text);			\
		munmap(world_, sizeof(*world_));			\
	} while (0)

#endif /* SELFTESTS_HCCL_RANKS_H */
