// SPDX-License-Identifier: MIT
/*
 * Cores, see core.h.
 *
 * Each core has two locks.  A thread that receives messages holds "receiving",
 * which keeps the socket open.  "lock" is taken inside it and protects the state.
 * A start holds "lock" while it starts the process and sends the binaries, and
 * waits for the answer without it.
 *
 * Once a core has ended, its thread receives what the core has still sent, and
 * starts the next one.  If three cores have died within a second, other than after
 * an exception of a kernel, it waits for a second or until the next launch.  If a
 * core ends before it is ready, only the next launch tries again.
 */
#include <errno.h>
#include <pthread.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/protocol.h"

#include "base/error.h"
#include "base/fork.h"
#include "base/thread.h"
#include "base/util.h"
#include "io/io.h"
#include "core_internal.h"
#include "exception.h"
#include "process_thread.h"

#define ANSWER_S	20
#define DEATHS_NS	1000000000ULL
#define LOOK_US		10000

_Atomic uint64_t vnpu_core_running;

static struct vnpu_core cores[VNPU_IO_MAX_DEVICES] = {
	[0 ... VNPU_IO_MAX_DEVICES - 1] = {
		.receiving = PTHREAD_MUTEX_INITIALIZER,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER,
		.process = { .pidfd = -1, .socket = -1 },
	},
};

_Static_assert(VNPU_IO_MAX_DEVICES <= 64, "bits of vnpu_core_running");

/* Protects the beginning of use of a core; outside of the locks of cores. */
static pthread_mutex_t use_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Get the core of a device, or NULL if it was never used. */
static struct vnpu_core *used_core(uint32_t device)
{
	return atomic_load(&cores[device].is_used) ? &cores[device] : NULL;
}

/* Get the core of a device, which is used from now on. */
static struct vnpu_core *use_core(uint32_t device)
{
	if (!used_core(device)) {
		pthread_mutex_lock(&use_mutex);
		atomic_store(&cores[device].is_used, true);
		pthread_mutex_unlock(&use_mutex);
	}
	return &cores[device];
}

void vnpu_core_lock_all(void)
{
	pthread_mutex_lock(&use_mutex);
	for (unsigned int i = 0; i < VNPU_IO_MAX_DEVICES; i++)
		if (used_core(i)) {
			pthread_mutex_lock(&cores[i].receiving);
			pthread_mutex_lock(&cores[i].lock);
		}
}

void vnpu_core_unlock_all(void)
{
	for (unsigned int i = VNPU_IO_MAX_DEVICES; i--;)
		if (used_core(i)) {
			pthread_mutex_unlock(&cores[i].lock);
			pthread_mutex_unlock(&cores[i].receiving);
		}
	pthread_mutex_unlock(&use_mutex);
}

/* The child must not keep the socket of a core open, which ends by it. */
void vnpu_core_disown(void)
{
	for (unsigned int i = 0; i < VNPU_IO_MAX_DEVICES; i++) {
		struct vnpu_core *core = &cores[i];

		if (core->process.socket >= 0) {
			close(core->process.socket);
			close(core->process.pidfd);
		}
		core->process.socket = -1;
		core->state = STATE_OFF;
		core->is_watched = false;
		core->is_wanted = false;
		core->is_ending = false;
	}
	vnpu_process_thread_disown();
	atomic_store(&vnpu_core_running, 0);
}

uint32_t vnpu_core_device(const struct vnpu_core *core)
{
	return core - cores;
}

void vnpu_core_set_state(struct vnpu_core *core, enum vnpu_core_state state)
{
	uint64_t bit = 1ULL << vnpu_core_device(core);

	core->state = state;
	if (state == STATE_ON)
		atomic_fetch_or(&vnpu_core_running, bit);
	else
		atomic_fetch_and(&vnpu_core_running, ~bit);
	pthread_cond_broadcast(&core->changed);
}

void vnpu_core_receive(uint32_t device)
{
	struct vnpu_core *core = used_core(device);

	if (!core)
		return;
	pthread_mutex_lock(&core->receiving);
	if (core->process.socket >= 0)
		vnpu_core_receive_locked(core);
	pthread_mutex_unlock(&core->receiving);
}

void vnpu_core_flush(uint32_t device)
{
	if (!used_core(device))
		return;
	vnpu_core_receive(device);
	vnpu_print_flush_all();
}

/*
 * Write the remaining output when the program exits.  Other threads still run, and
 * one may hold "receiving" for long, while a core starts or ends; so the wait for
 * it has a limit.  A child that was made without the handlers of fork() leaves all
 * messages to its parent.
 */
static __attribute__((destructor)) void flush_at_exit(void)
{
	bool has_cores = false, is_owner;
	struct timespec end;

	for (unsigned int i = 0; i < VNPU_IO_MAX_DEVICES; i++) {
		struct vnpu_core *core = used_core(i);

		if (!core)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &end);
		end.tv_sec++;
		if (pthread_mutex_clocklock(&core->receiving, CLOCK_MONOTONIC,
					    &end))
			return;
		is_owner = core->owner == getpid();
		if (is_owner && core->process.socket >= 0)
			vnpu_core_receive_locked(core);
		pthread_mutex_unlock(&core->receiving);
		has_cores |= is_owner;
	}
	if (has_cores)
		vnpu_print_flush_all();
}

/* Check if so many cores ended lately that another start is of no use. */
static bool is_hopeless(struct vnpu_core *core)
{
	uint64_t now = vnpu_now_ns();
	const uint64_t *oldest;

	core->deaths[core->death_count++ % DEATHS] = now;
	if (core->death_count < DEATHS)
		return false;
	oldest = &core->deaths[core->death_count % DEATHS];
	return now - *oldest < DEATHS_NS;
}

/*
 * Kill a process, wait until it has ended, and release it; both locks are held.
 * Returns true if it has asked for a replacement.
 */
static bool reap_locked(struct vnpu_core *core)
{
	char how[80];
	int status;

	vnpu_process_kill(&core->process);
	status = vnpu_process_reap(&core->process, how, sizeof(how));
	if (status == CORE_EXIT_REPLACE)
		snprintf(core->last_end, sizeof(core->last_end),
			 "its core ended because of another kernel that failed");
	else
		snprintf(core->last_end, sizeof(core->last_end),
			 "vnpu-core %s", how);
	if (core->state == STATE_STARTING && !*core->why)
		snprintf(core->why, sizeof(core->why),
			 "vnpu-core %s before it was ready", how);
	vnpu_core_set_state(core, STATE_OFF);
	return status == CORE_EXIT_REPLACE;
}

/* Receive the rest that the process has sent, and release it, as above. */
static bool end_process(struct vnpu_core *core)
{
	struct pollfd file = { .fd = core->process.pidfd, .events = POLLIN };
	bool is_planned;

	pthread_mutex_lock(&core->receiving);
	vnpu_process_kill(&core->process);
	while (poll(&file, 1, -1) < 0 && errno == EINTR)
		;
	vnpu_core_receive_locked(core);
	pthread_mutex_lock(&core->lock);
	is_planned = reap_locked(core);
	pthread_mutex_unlock(&core->lock);
	pthread_mutex_unlock(&core->receiving);
	return is_planned;
}

/* Wait for a second, or until a launch needs the core. */
static void pause_locked(struct vnpu_core *core)
{
	struct timespec end;
	int ret = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec++;
	while (!core->is_wanted && !core->is_ending && !ret)
		ret = pthread_cond_clockwait(&core->changed, &core->lock,
					     CLOCK_MONOTONIC, &end);
}

/* The process has ended.  Returns true if there is another one. */
static bool replace(struct vnpu_core *core)
{
	bool again, is_planned;

	pthread_mutex_lock(&core->lock);
	again = core->state == STATE_ON;
	pthread_mutex_unlock(&core->lock);
	is_planned = end_process(core);

	pthread_mutex_lock(&core->lock);
	if (again && !is_planned && is_hopeless(core))
		pause_locked(core);
	again &= !core->is_ending;
	pthread_mutex_unlock(&core->lock);

	pthread_mutex_lock(&core->receiving);
	pthread_mutex_lock(&core->lock);
	core->is_wanted = false;
	again = again && !core->is_ending && !vnpu_core_start_locked(core);
	if (!again) {
		core->is_watched = false;
		core->is_ending = false;
		pthread_cond_broadcast(&core->changed);
	}
	pthread_mutex_unlock(&core->lock);
	pthread_mutex_unlock(&core->receiving);
	return again;
}

/* The thread of a core. */
static void *watch(void *arg)
{
	struct vnpu_core *core = arg;

	vnpu_thread_set_name("vnpu-cores");
	for (;;) {
		/* Only this thread changes the process. */
		struct pollfd files[] = {
			{ .fd = core->process.socket, .events = POLLIN },
			{ .fd = core->process.pidfd, .events = POLLIN },
		};
		bool is_open;

		/* Without memory, or room for two files, look from time to time. */
		if (poll(files, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			usleep(LOOK_US);
		}
		pthread_mutex_lock(&core->receiving);
		is_open = vnpu_core_receive_locked(core);
		pthread_mutex_unlock(&core->receiving);
		if ((!is_open || files[1].revents) && !replace(core))
			return NULL;
	}
}

/* Wait until the process has answered; the lock is held. */
static void wait_for_answer(struct vnpu_core *core)
{
	struct timespec end;
	int ret = 0;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ANSWER_S;
	while (core->state == STATE_STARTING && ret != ETIMEDOUT) {
		/* A debugger takes any time. */
		if (vnpu_core_is_debugged())
			ret = pthread_cond_wait(&core->changed, &core->lock);
		else
			ret = pthread_cond_clockwait(&core->changed,
						     &core->lock,
						     CLOCK_MONOTONIC, &end);
	}
	if (core->state == STATE_STARTING) {
		snprintf(core->why, sizeof(core->why),
			 "vnpu-core does not answer");
		vnpu_process_kill(&core->process);
		while (core->state == STATE_STARTING)
			pthread_cond_wait(&core->changed, &core->lock);
	}
}

/* Start a core that has no thread, and its thread: 0 or -errno. */
static int start(struct vnpu_core *core)
{
	int ret = 0;

	pthread_mutex_lock(&core->receiving);
	pthread_mutex_lock(&core->lock);
	/* Another thread may have been faster. */
	if (!core->is_watched) {
		*core->why = '\0';
		ret = vnpu_core_start_locked(core);
		if (!ret) {
			ret = vnpu_thread_start(watch, core);
			core->is_watched = !ret;
			if (ret)
				reap_locked(core);
		}
	}
	pthread_mutex_unlock(&core->lock);
	pthread_mutex_unlock(&core->receiving);
	return ret;
}

/* Have a running core; the lock is held, and dropped meanwhile.  0 or -errno. */
static int run_locked(struct vnpu_core *core)
{
	int ret = 0;

	while (core->is_ending)
		pthread_cond_wait(&core->changed, &core->lock);
	if (core->state == STATE_OFF && core->is_watched) {
		/* The thread is about to start another one, or to end. */
		core->is_wanted = true;
		pthread_cond_broadcast(&core->changed);
		while (core->state == STATE_OFF && core->is_watched)
			pthread_cond_wait(&core->changed, &core->lock);
	}
	if (core->state == STATE_OFF) {
		pthread_mutex_unlock(&core->lock);
		ret = start(core);
		pthread_mutex_lock(&core->lock);
	}
	if (ret)
		return ret;
	wait_for_answer(core);
	return core->state == STATE_ON ? 0 : -EIO;
}

aclError vnpu_core_prepare(uint32_t device, struct vnpu_binary *binary)
{
	struct vnpu_core *core = use_core(device);
	uint64_t bit = 1ULL << device;
	char why[sizeof(core->why)];
	int ret;

	if (vnpu_thread_prepare())
		return vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
				  "no host memory to start the AI cores");
	vnpu_process_prepare();
	pthread_mutex_lock(&core->lock);
	ret = run_locked(core);
	/* If the core ends here, the next one gets the binary. */
	if (!ret && binary && !(atomic_load(&binary->devices) & bit)) {
		atomic_fetch_or(&binary->devices, bit);
		ret = vnpu_core_send_image(binary, core);
		if (ret == -EPIPE)
			ret = 0;
		if (ret) {
			atomic_fetch_and(&binary->devices, ~bit);
			*core->why = '\0';
		}
	}
	snprintf(why, sizeof(why), "%s", core->why);
	pthread_mutex_unlock(&core->lock);
	if (!ret)
		return ACL_SUCCESS;
	return vnpu_error(ret == -ENOTTY ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT :
			  ACL_ERROR_RT_INTERNAL_ERROR,
			  "the AI cores of the device cannot be started: %s",
			  *why ? why : strerrordesc_np(-ret));
}

void vnpu_core_forget(uint32_t id, uint64_t devices)
{
	struct core_image image = { .id = id };

	for (; devices; devices &= devices - 1) {
		struct vnpu_core *core = &cores[__builtin_ctzll(devices)];

		pthread_mutex_lock(&core->lock);
		if (core->state != STATE_OFF)
			vnpu_process_send(&core->process, CORE_UNLOAD, &image,
					  sizeof(image), NULL, -1);
		pthread_mutex_unlock(&core->lock);
	}
}

void vnpu_core_last_end(uint32_t device, char *text, size_t size)
{
	struct vnpu_core *core = use_core(device);

	pthread_mutex_lock(&core->lock);
	snprintf(text, size, "%s", core->last_end);
	pthread_mutex_unlock(&core->lock);
}

void vnpu_core_end_all(void)
{
	for (unsigned int i = 0; i < VNPU_IO_MAX_DEVICES; i++) {
		struct vnpu_core *core = used_core(i);

		if (!core)
			continue;
		pthread_mutex_lock(&core->lock);
		if (core->is_watched) {
			core->is_ending = true;
			if (core->state != STATE_OFF)
				vnpu_process_kill(&core->process);
			pthread_cond_broadcast(&core->changed);
		}
		while (core->is_watched)
			pthread_cond_wait(&core->changed, &core->lock);
		pthread_mutex_unlock(&core->lock);
	}
	vnpu_print_flush_all();
}
