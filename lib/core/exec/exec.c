// SPDX-License-Identifier: MIT
/*
 * The life of an executor, and its launches from the host's side.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define WORKERS_MAX	256U

static uint32_t processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

static void workers_end(struct exec *exec, uint32_t count)
{
	exec_lock(exec);
	exec->is_ending = true;
	exec_wake_all_locked(exec);
	pthread_mutex_unlock(&exec->lock);
	for (uint32_t i = 0; i < count; i++)
		pthread_join(exec->workers[i].thread, NULL);
}

static void exec_free(struct exec *exec)
{
	exec_units_free(exec);
	pthread_cond_destroy(&exec->has_started);
	pthread_mutex_destroy(&exec->lock);
	free(exec);
}

/*
 * Signals of the process are for other threads than workers, which unblock those
 * that they handle.
 */
static int workers_start(struct exec *exec)
{
	sigset_t all, old;
	int ret = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (uint32_t i = 0; i < exec->worker_count && !ret; i++) {
		struct exec_worker *worker = &exec->workers[i];

		worker->exec = exec;
		list_init(&worker->node);
		ret = -pthread_create(&worker->thread, NULL, exec_worker_main,
				      worker);
		if (ret)
			workers_end(exec, i);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret)
		return ret;
	pthread_mutex_lock(&exec->lock);
	while (exec->started >= 0 && exec->started < (int)exec->worker_count)
		pthread_cond_wait(&exec->has_started, &exec->lock);
	ret = exec->started < 0 ? exec->started : 0;
	pthread_mutex_unlock(&exec->lock);
	if (ret)
		workers_end(exec, exec->worker_count);
	return ret;
}

int exec_create(const struct exec_config *config, struct exec **out)
{
	uint32_t workers = config->workers ? config->workers : processors();
	pthread_mutexattr_t attr;
	struct exec *exec;
	int ret;

	ret = config->is_guest ? 0 : exec_signals_init();
	if (ret)
		return ret;
	if (workers > WORKERS_MAX)
		workers = WORKERS_MAX;
	exec = calloc(1, sizeof(*exec) +
		      (workers + 1) * sizeof(exec->workers[0]));
	if (!exec)
		return -ENOMEM;
	exec->config = *config;
	exec->worker_count = workers + 1;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(&exec->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	pthread_cond_init(&exec->has_started, NULL);
	list_init(&exec->launches);
	list_init(&exec->finished);
	list_init(&exec->parked);
	for (unsigned int i = 0; i < EXEC_KINDS; i++)
		list_init(&exec->idle[i]);
	ret = workers_start(exec);
	if (ret) {
		exec_free(exec);
		return ret;
	}
	*out = exec;
	return 0;
}

void exec_destroy(struct exec *exec)
{
	workers_end(exec, exec->worker_count);
	exec_free(exec);
}

/* Get the number of groups of a launch for which there are @cores of each kind. */
static uint32_t count_groups(const struct exec_launch *launch,
			     const uint32_t *cores)
{
	uint32_t vectors = cores[EXEC_VECTOR];

	if (!launch->members[EXEC_CUBE])
		return vectors;
	if (!launch->ratio || vectors / launch->ratio > cores[EXEC_CUBE])
		return cores[EXEC_CUBE];
	return vectors / launch->ratio;
}

static void set_resident_max(const struct exec *exec,
			     struct exec_launch *launch)
{
	uint32_t cores[EXEC_KINDS];
	uint32_t of_device;

	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++)
		cores[kind] = exec_cores(exec, kind);
	of_device = count_groups(launch, cores);
	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++) {
		if (launch->limit[kind].cores < cores[kind])
			cores[kind] = launch->limit[kind].cores;
	}
	launch->resident_max = count_groups(launch, cores);
	launch->is_limited = launch->resident_max < of_device;
}

/* Count the blocks of a launch by the type of its kernel. */
static int layout(const struct exec *exec, struct exec_launch *launch)
{
	const struct exec_code *code = launch->kernel->code;
	const struct vnpu_kernel *kernel = code[EXEC_VECTOR].kernel ?
		code[EXEC_VECTOR].kernel : code[EXEC_CUBE].kernel;
	uint64_t blocks = launch->blocks;
	uint64_t *members = launch->members;

	memset(members, 0, sizeof(launch->members));
	launch->ratio = 0;
	switch (kernel->type) {
	case VNPU_KERNEL_TYPE_MIX_AIC_1_1:
	case VNPU_KERNEL_TYPE_MIX_AIC_1_2:
		launch->ratio = kernel->type == VNPU_KERNEL_TYPE_MIX_AIC_1_1 ?
			1 : 2;
		members[EXEC_CUBE] = blocks;
		members[EXEC_VECTOR] = blocks * launch->ratio;
		break;
	case VNPU_KERNEL_TYPE_AIC_ONLY:
	case VNPU_KERNEL_TYPE_MIX_AIC_1_0:
		members[EXEC_CUBE] = blocks;
		break;
	default:
		members[kernel == code[EXEC_VECTOR].kernel ? EXEC_VECTOR :
			EXEC_CUBE] = blocks;
		break;
	}
	set_resident_max(exec, launch);
	members[EXEC_ALL] = members[EXEC_VECTOR] + members[EXEC_CUBE];
	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++)
		if (members[kind] && !code[kind].kernel)
			return -EINVAL;
	return blocks && launch->resident_max &&
		launch->first <= UINT32_MAX - blocks ? 0 : -EINVAL;
}

int exec_submit(struct exec *exec, struct exec_launch *launch)
{
	struct list *at;
	int ret;

	ret = layout(exec, launch);
	if (!ret)
		ret = exec_race_create(exec, launch);
	if (ret)
		return ret;
	launch->result = 0;
	launch->report.kind = 0;
	list_init(&launch->ready);
	list_init(&launch->yielded);
	list_init(&launch->flagged);
	list_init(&launch->held);
	for (unsigned int i = 0; i < EXEC_KINDS + 1; i++) {
		list_init(&launch->barriers[i].waiting);
		launch->barriers[i].arrived = 0;
	}
	memset(launch->set_all, 0, sizeof(launch->set_all));
	launch->begun = launch->resident = 0;
	launch->live = launch->waiting = 0;
	memset(launch->running, 0, sizeof(launch->running));
	launch->is_failed = launch->keeps_units = false;

	exec_lock(exec);
	launch->number = ++exec->submissions;
	launch->is_active = true;
	for (at = exec->launches.prev; at != &exec->launches; at = at->prev)
		if (list_entry(at, struct exec_launch, node)->priority <=
		    launch->priority)
			break;
	list_add_before(&launch->node, at->next);
	/* A worker that submits is going to run it. */
	if (!exec->config.host->listen)
		exec_wake_locked(exec);
	pthread_mutex_unlock(&exec->lock);
	return 0;
}

void exec_stop(struct exec *exec, struct exec_launch *launch, uint64_t id)
{
	exec_lock(exec);
	if (launch->id == id && launch->is_active)
		exec_launch_fail_locked(exec, launch, ECANCELED);
	pthread_mutex_unlock(&exec->lock);
}

struct exec_launch *exec_dequeue(struct exec *exec)
{
	struct exec_launch *found = NULL;
	struct list *at;

	exec_lock(exec);
	list_for_each(at, &exec->launches) {
		struct exec_launch *launch =
			list_entry(at, struct exec_launch, node);

		if (!launch->begun && !launch->is_failed) {
			found = launch;
			break;
		}
	}
	if (found) {
		list_remove(&found->node);
		found->is_active = false;
	}
	pthread_mutex_unlock(&exec->lock);
	if (found)
		exec_race_destroy(found);
	return found;
}

bool exec_is_tainted(struct exec *exec)
{
	return exec->is_tainted;
}
