// SPDX-License-Identifier: MIT
/*
 * Workers, and the roles that they take by turns:
 *
 *	runner		runs a block.  There are at most config.workers of these.
 *	listener	is in exec_host.listen: it polls for launches, then sleeps
 *			until there are some.  One at a time.
 *	parked		sleeps until another worker has something to run.
 *	deputy		one parked worker.  While launches come, it wakes every
 *			TICK and becomes the listener if there was none since: all
 *			others have been running blocks.
 *
 * A worker without a block to run becomes the listener if there is none.  So for
 * short launches, one worker alone listens and runs: it is not woken between two
 * launches, and wakes no other.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define TICK_NS		1000000ULL
#define ACTIVE_NS	(20 * TICK_NS)

/* How often blocks give way before their worker does, and before it sleeps. */
#define YIELDS		256
#define YIELDS_NAP	(64 * YIELDS)
#define NAP_NS		50000

uint64_t exec_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void wake(struct exec_worker *worker)
{
	list_remove(&worker->node);
	worker->wake = 1;
	syscall(SYS_futex, &worker->wake, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void exec_wake_locked(struct exec *exec)
{
	if (exec->running >= exec->worker_count - 1)
		return;
	if (exec->listener && !exec->listener_sleeps) {
		exec->called = true;
		return;
	}
	if (!list_is_empty(&exec->parked))
		wake(list_entry(exec->parked.next, struct exec_worker, node));
}

/*
 * Wake a worker to become the deputy if there is neither a listener nor a deputy:
 * while all others run long blocks, no worker would get launches from the host.
 */
static void wake_deputy(struct exec *exec)
{
	if (exec->config.host->listen && !exec->listener && !exec->deputy &&
	    !list_is_empty(&exec->parked))
		wake(list_entry(exec->parked.next, struct exec_worker, node));
}

void exec_wake_all_locked(struct exec *exec)
{
	exec->called = true;
	while (!list_is_empty(&exec->parked))
		wake(list_entry(exec->parked.next, struct exec_worker, node));
}

bool exec_is_called(struct exec *exec)
{
	return atomic_load_explicit(&exec->called, memory_order_relaxed);
}

bool exec_begin_sleep(struct exec *exec)
{
	bool may_sleep;

	exec_lock(exec);
	may_sleep = !exec->called;
	exec->listener_sleeps = may_sleep;
	pthread_mutex_unlock(&exec->lock);
	return may_sleep;
}

static void listen(struct exec *exec, struct exec_worker *worker)
{
	exec->listener = worker;
	exec->listens++;
	exec->listener_sleeps = false;
	exec->called = false;
	pthread_mutex_unlock(&exec->lock);

	exec->config.host->listen(exec->config.data);

	exec_lock(exec);
	exec->listener = NULL;
	exec->active_ns = exec_now();
	/* The deputy may have begun to sleep without a limit before. */
	if (exec->deputy && !exec->deputy_is_timed &&
	    !list_is_empty(&exec->launches))
		wake(exec->deputy);
}

/* Check whether the executor has launches; blocks of some may have given way. */
static bool has_launches(const struct exec *exec)
{
	return !list_is_empty(&exec->launches);
}

static bool is_active(const struct exec *exec)
{
	return has_launches(exec) || exec_now() - exec->active_ns < ACTIVE_NS;
}

/* Wait to be woken; as the deputy, wake up regularly as well. */
static void park(struct exec *exec, struct exec_worker *worker)
{
	const struct timespec tick = { .tv_nsec = TICK_NS };
	bool is_deputy = exec->config.host->listen && !exec->deputy;
	uint64_t listens;

	if (is_deputy)
		exec->deputy = worker;
	worker->wake = 0;
	list_add_first(&worker->node, &exec->parked);
	do {
		bool is_timed = is_deputy && is_active(exec);

		if (is_deputy)
			exec->deputy_is_timed = is_timed;
		listens = exec->listens;
		pthread_mutex_unlock(&exec->lock);
		syscall(SYS_futex, &worker->wake, FUTEX_WAIT_PRIVATE, 0,
			is_timed ? &tick : NULL, NULL, 0);
		exec_lock(exec);
		if (is_deputy && has_launches(exec) && !exec->listener &&
		    exec->listens == listens)
			break;
	} while (!worker->wake);
	list_remove(&worker->node);
	if (is_deputy)
		exec->deputy = NULL;
}

/* The block of @unit was ended by a signal; called without the lock. */
static void block_aborted(struct exec *exec, struct exec_worker *worker)
{
	struct exec_unit *unit = worker->unit;
	struct exec_launch *launch = unit->launch;

	exec_report_signal(worker);
	exec_flush_line(unit);
	pthread_mutex_lock(&exec->lock);
	worker->signal.number = 0;
	exec->is_tainted = true;
	if (!launch->is_failed) {
		launch->report = worker->report;
		exec_launch_fail_locked(exec, launch, launch->report.error);
	} else if (!launch->report.kind && launch->result == ECANCELED) {
		launch->report = worker->report;
	}
	unit->status = EXEC_ENDED;
}

/*
 * Let other threads and processes go on if blocks only wait for memory that those
 * may write; called and returns with the lock.
 */
static void back_off(struct exec *exec, struct exec_worker *worker)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	if (++worker->yields % YIELDS && !exec->urgent)
		return;
	pthread_mutex_unlock(&exec->lock);
	if (worker->yields < YIELDS_NAP && !exec->urgent)
		sched_yield();
	else
		nanosleep(&nap, NULL);
	pthread_mutex_lock(&exec->lock);
}

/* Run a block until it gives way; called and returns with the lock. */
static void run(struct exec *exec, struct exec_worker *worker,
		struct exec_unit *unit)
{
	struct exec_launch *launch = unit->launch;
	bool is_measured = unit->is_fresh && launch->begun == 1;
	enum exec_status status;
	uint64_t begin = 0;

	worker->unit = unit;
	unit->worker = worker;
	unit->status = EXEC_RUNNING;
	launch->running[unit->kind]++;
	exec->running++;
	if (exec_is_worth_waking_locked(exec))
		exec_wake_locked(exec);
	wake_deputy(exec);
	pthread_mutex_unlock(&exec->lock);

	if (is_measured)
		begin = exec_now();
	if (unit->is_fresh)
		exec_unit_prepare(unit, exec_unit_main);
	exec_fiber_switch(&worker->sp, unit->sp);
	/* Either the block has taken the lock, or it was abandoned. */
	if (worker->signal.number)
		block_aborted(exec, worker);

	status = launch->is_failed ? EXEC_ENDED : unit->status;
	if (is_measured)
		launch->kernel->block_ns = status == EXEC_ENDED ?
			exec_now() - begin + 1 : TICK_NS;
	worker->unit = NULL;
	launch->running[unit->kind]--;
	/* The launch may end now, and not exist any more once the lock is released. */
	if (status == EXEC_ENDED)
		exec_unit_end_locked(exec, unit);
	else if (status == EXEC_YIELDED)
		list_add_before(&unit->node, &launch->yielded);
	exec_launch_look_locked(exec, launch);
	if (status == EXEC_YIELDED)
		back_off(exec, worker);
	else
		worker->yields = 0;
	exec->running--;
}

/* Hand over a launch that has ended. */
static bool finish(struct exec *exec)
{
	struct list *node = list_pop(&exec->finished);
	struct exec_launch *launch;

	if (!node)
		return false;
	launch = list_entry(node, struct exec_launch, node);
	pthread_mutex_unlock(&exec->lock);
	exec_race_destroy(launch);
	exec->config.host->finished(exec->config.data, launch);
	pthread_mutex_lock(&exec->lock);
	return true;
}

void *exec_worker_main(void *arg)
{
	struct exec_worker *worker = arg;
	struct exec *exec = worker->exec;
	bool can_listen = exec->config.host->listen;
	int ret;

	worker->tid = syscall(SYS_gettid);
	ret = exec_signals_init_worker(worker);
	pthread_mutex_lock(&exec->lock);
	if (ret)
		exec->started = ret;
	else if (exec->started >= 0)
		exec->started++;
	pthread_cond_signal(&exec->has_started);
	while (!exec->is_ending) {
		struct exec_unit *unit = NULL;

		if (finish(exec))
			continue;
		if (exec->running < exec->worker_count - 1)
			unit = exec_pick_locked(exec);
		if (unit)
			run(exec, worker, unit);
		else if (!list_is_empty(&exec->finished))
			continue;
		else if (can_listen && !exec->listener)
			listen(exec, worker);
		else
			park(exec, worker);
	}
	pthread_mutex_unlock(&exec->lock);
	exec_signals_fini_worker(worker);
	return NULL;
}
