// SPDX-License-Identifier: GPL-2.0-only
/*
 * The executor always listens to its host: also while all that may run blocks
 * do, and when there is nothing to do it sleeps.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "exec_test.h"

/* Events for the listener, in place of the driver. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct exec_launch *launch;
	struct exec_launch *stop;
	unsigned int finished;
	bool is_over;
} driver = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static struct exec *volatile exec;

/* Poll for a while, then sleep, as vnpu-core does. */
static void listen(void *data)
{
	uint64_t end = now_ns() + 100000;
	bool is_idle;

	(void)data;
	while (!exec)
		;
	do {
		if (exec_is_called(exec))
			return;
		pthread_mutex_lock(&driver.lock);
		is_idle = !driver.launch && !driver.stop && !driver.is_over;
		pthread_mutex_unlock(&driver.lock);
	} while (is_idle && now_ns() < end);
	if (is_idle && !exec_begin_sleep(exec))
		return;
	pthread_mutex_lock(&driver.lock);
	while (!driver.launch && !driver.stop && !driver.is_over)
		pthread_cond_wait(&driver.changed, &driver.lock);
	if (driver.launch)
		exec_submit(exec, driver.launch);
	if (driver.stop)
		exec_stop(exec, driver.stop, driver.stop->id);
	driver.launch = driver.stop = NULL;
	pthread_mutex_unlock(&driver.lock);
}

static void finished(void *data, struct exec_launch *launch)
{
	(void)data;
	(void)launch;
	pthread_mutex_lock(&driver.lock);
	driver.finished++;
	pthread_cond_broadcast(&driver.changed);
	pthread_mutex_unlock(&driver.lock);
}

static void notify(struct exec_launch *launch, struct exec_launch *stop)
{
	pthread_mutex_lock(&driver.lock);
	if (launch)
		driver.launch = launch;
	if (stop)
		driver.stop = stop;
	pthread_cond_broadcast(&driver.changed);
	pthread_mutex_unlock(&driver.lock);
}

/* Wait until that many launches have ended; false after 10 s. */
static bool ended(unsigned int count)
{
	for (int i = 0; i < 10000; i++) {
		bool is_done;

		pthread_mutex_lock(&driver.lock);
		is_done = driver.finished >= count;
		pthread_mutex_unlock(&driver.lock);
		if (is_done)
			return true;
		usleep(1000);
	}
	return false;
}

static _Atomic int begun;

static void nothing(void *args)
{
	(void)args;
}

static void loop(void *args)
{
	(void)args;
	begun++;
	for (volatile int i = 0;; i++)
		;
}

static void give_way(void *args)
{
	(void)args;
	begun++;
	for (;;)
		block()->ops->yield(block());
}

static void test_stop(kernel_fn *function, uint32_t blocks, const char *what)
{
	static struct exec_launch launch, next;
	static struct c_kernel kernels[2];
	uint64_t begin;
	bool is_done;

	kernel_init(&kernels[0], function, VNPU_KERNEL_TYPE_AIV_ONLY);
	kernel_init(&kernels[1], nothing, VNPU_KERNEL_TYPE_AIV_ONLY);
	launch_init(&launch, &kernels[0], NULL, blocks);
	launch_init(&next, &kernels[1], NULL, 20);
	begun = 0;
	driver.finished = 0;
	notify(&launch, NULL);
	while (!begun)
		usleep(1000);
	usleep(50000);
	begin = now_ns();
	notify(NULL, &launch);
	is_done = ended(1);
	ok(is_done && launch.result == ECANCELED,
	   "%s stopped after %llu us", what,
	   (unsigned long long)(now_ns() - begin) / 1000);
	notify(&next, NULL);
	ok(ended(2) && !next.result, "... and the next launch runs");
}

static uint64_t process_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void test_idle(void)
{
	uint64_t begin;

	usleep(100000);
	begin = process_ns();
	usleep(300000);
	ok(process_ns() - begin < 3000000, "then it sleeps: %llu us in 300 ms",
	   (unsigned long long)(process_ns() - begin) / 1000);
}

int main(void)
{
	static const struct exec_host functions = {
		.listen = listen,
		.finished = finished,
	};
	struct exec_config config = {
		.local = { [VNPU_LOCAL_UB] = 64 << 10 },
		.vector_cores = 8,
		.cube_cores = 4,
		.host = &functions,
	};

	for (config.workers = 1; config.workers <= 4; config.workers *= 2) {
		struct exec *made;

		exec = NULL;
		driver.is_over = false;
		if (exec_create(&config, &made))
			return 1;
		exec = made;
		ok(true, "%u threads", config.workers);
		/*
		 * After one block, which leaves workers asleep, all are needed: of
		 * those one has to listen.
		 */
		test_stop(loop, 1, "one endless loop is");
		test_stop(loop, 20, "endless loops are");
		test_stop(give_way, 1, "one block that gives way is");
		test_stop(give_way, 20, "blocks that give way are");
		test_idle();
		pthread_mutex_lock(&driver.lock);
		driver.is_over = true;
		pthread_cond_broadcast(&driver.changed);
		pthread_mutex_unlock(&driver.lock);
		exec_destroy(made);
	}
	return test_end();
}
