// SPDX-License-Identifier: MIT
/*
 * Profiling sessions, from aclprofInit() to aclprofFinalize(), and the
 * recordings in them.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/handle.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/util.h"
#include "io/io.h"
#include "runtime/device.h"
#include "prof.h"

#define MAX_EVENTS		(1UL << 20)
#define MAX_SECONDS		1e10	/* later than any program runs */
#define TASK_TYPES	(ACL_PROF_TASK_TIME | ACL_PROF_TASK_TIME_L0 | \
			 ACL_PROF_TASK_TIME_L2 | ACL_PROF_TASK_TIME_L3)

struct aclprofConfig {
	uint64_t handle;
	uint64_t devices;		/* bit N: device N of the process */
	uint64_t types;
};

/* A started recording; its devices are in no other. */
struct running {
	struct running *next;
	uint64_t devices;
	uint64_t types;
};

_Atomic unsigned int vnpu_prof_state;

/* Under the lock. */
static bool is_begun;
static bool is_automatic;		/* begun by VNPU_PROF_PATH */
static char path[PATH_MAX];
static unsigned int nr_files;
static struct running *runs;
static struct vnpu_prof_values values;	/* of the session */
static _Atomic uint64_t task_devices;

static void state_set(unsigned int state)
{
	atomic_store(&vnpu_prof_state, state);
	atomic_store(&vnpu_stream_recorder,
		     state & VNPU_PROF_TASKS ? vnpu_prof_submit : NULL);
}

void vnpu_prof_disown(void)
{
	state_set(0);
	atomic_store(&task_devices, 0);
	is_begun = false;
	is_automatic = false;
	nr_files = 0;
	runs = NULL;
	vnpu_prof_events_reset(0);
}

struct vnpu_prof_values *vnpu_prof_values(void)
{
	return is_begun ? &values : NULL;
}

bool vnpu_prof_wants_device(int32_t user_device)
{
	return atomic_load(&task_devices) >> user_device & 1;
}

/* Create a directory for the files, if it does not exist. */
static aclError directory_make(const char *name)
{
	struct stat about;

	if (mkdir(name, 0750) && errno != EEXIST)
		return vnpu_error(ACL_ERROR_INVALID_FILE,
			"profilerResultPath = \"%s\" cannot be created: %s", name,
			strerrordesc_np(errno));
	errno = ENOTDIR;
	if (stat(name, &about) || !S_ISDIR(about.st_mode) ||
	    access(name, W_OK | X_OK))
		return vnpu_error(ACL_ERROR_INVALID_FILE,
			"profilerResultPath = \"%s\" cannot be written: %s",
			name, strerrordesc_np(errno));
	return ACL_SUCCESS;
}

aclError aclprofInit(const char *profilerResultPath, size_t length)
{
	VNPU_CALL();

	/* The program may change its directory before it ends the session. */
	char here[PATH_MAX] = "", name[PATH_MAX];
	bool was_begun;
	aclError ret;
	int room;

	if (!profilerResultPath)
		return vnpu_error_null("profilerResultPath");
	if (!length || length >= PATH_MAX ||
	    strnlen(profilerResultPath, length + 1) != length)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"length = %zu is not the length of profilerResultPath, or not in 1 to %d",
			length, PATH_MAX - 1);
	ret = directory_make(profilerResultPath);
	if (ret)
		return ret;
	if (*profilerResultPath != '/' && !getcwd(here, sizeof(here)))
		return vnpu_error(ACL_ERROR_INVALID_FILE,
			"the parent directory of profilerResultPath = \"%s\" cannot be used: %s",
			profilerResultPath, strerrordesc_np(errno));

	vnpu_prof_lock();
	was_begun = is_begun;
	room = snprintf(name, sizeof(name), "%s%s%s/vnpu-prof-%d-%u.json",
			here, *here ? "/" : "", profilerResultPath, getpid(),
			nr_files);
	if (!was_begun && (size_t)room < sizeof(name)) {
		memcpy(path, name, room + 1);
		is_begun = true;
		nr_files++;
		memset(&values, 0, sizeof(values));
		vnpu_prof_events_reset(MAX_EVENTS);
	}
	vnpu_prof_unlock();
	if (was_begun)
		return vnpu_error(ACL_ERROR_REPEAT_INITIALIZE,
			"profiling has begun already; call aclprofFinalize first");
	return (size_t)room < sizeof(name) ? ACL_SUCCESS :
	       vnpu_error(ACL_ERROR_INVALID_PARAM,
			  "profilerResultPath is too long to create a file in it");
}

/* Combine the types of all recordings. */
static void update_locked(void)
{
	uint64_t devices = 0;
	unsigned int state = 0;

	for (struct running *run = runs; run; run = run->next) {
		if (run->types & ACL_PROF_MSPROFTX)
			state |= VNPU_PROF_MARKS;
		if (run->types & TASK_TYPES) {
			state |= VNPU_PROF_TASKS;
			devices |= run->devices;
		}
	}
	atomic_store(&task_devices, devices);
	state_set(state);
}

static void stop_locked(struct running **link)
{
	struct running *run = *link;

	*link = run->next;
	free(run);
	update_locked();
}

static aclError write_file(const char *name,
			   const struct vnpu_prof_event *events, uint64_t lost,
			   const struct vnpu_prof_values *set)
{
	FILE *file = fopen(name, "we");
	int err = 0;

	if (!file)
		return vnpu_error(ACL_ERROR_WRITE_FILE,
			"\"%s\" cannot be created: %s", name,
			strerrordesc_np(errno));
	vnpu_prof_print(events, lost, set, file);
	if (ferror(file))
		err = errno;
	if (fclose(file))
		err = errno;
	return err ? vnpu_error(ACL_ERROR_WRITE_FILE,
		"\"%s\" cannot be written completely: %s", name,
		strerrordesc_np(err)) : ACL_SUCCESS;
}

aclError vnpu_prof_not_begun(void)
{
	return vnpu_error(ACL_ERROR_PROF_NOT_RUN,
			  "profiling has not begun; call aclprofInit first");
}

aclError aclprofFinalize(void)
{
	VNPU_CALL();
	struct vnpu_prof_event *events = NULL;
	struct vnpu_prof_values set;
	char name[PATH_MAX];
	bool was_begun;
	uint64_t lost;
	aclError ret;

	vnpu_prof_lock();
	was_begun = is_begun;
	if (was_begun) {
		while (runs)
			stop_locked(&runs);
		events = vnpu_prof_events_remove(&lost);
		strcpy(name, path);
		set = values;
		is_begun = false;
	}
	vnpu_prof_unlock();
	if (!was_begun)
		return vnpu_prof_not_begun();
	ret = write_file(name, events, lost, &set);
	vnpu_prof_events_free(events);
	return ret;
}

/* Convert a list of devices to bits; 0 with a message if it is invalid. */
static uint64_t devices_of(const uint32_t *list, uint32_t count)
{
	uint64_t devices = 0;
	uint32_t device;

	for (uint32_t i = 0; i < count; i++) {
		if (vnpu_device_resolve(list[i], &device))
			return 0;
		if (devices >> list[i] & 1) {
			vnpu_error(ACL_ERROR_INVALID_PARAM,
				   "deviceIdList names device %u twice",
				   list[i]);
			return 0;
		}
		devices |= 1ULL << list[i];
	}
	return devices;
}

static const char *config_problem(const uint32_t *list, uint32_t count,
				  const aclprofAicoreEvents *events,
				  uint64_t types)
{
	if (count && !list)
		return "deviceIdList is NULL, and deviceNums is not 0";
	if (count > VNPU_IO_MAX_DEVICES)
		return "deviceNums is larger than the number of devices";
	if (events)
		return "aicoreEvents must be NULL";
	if (!count && !(types & ACL_PROF_MSPROFTX))
		return "deviceNums is 0; name devices, or use ACL_PROF_MSPROFTX";
	return NULL;
}

aclprofConfig *aclprofCreateConfig(uint32_t *deviceIdList, uint32_t deviceNums,
				   aclprofAicoreMetrics aicoreMetrics,
				   const aclprofAicoreEvents *aicoreEvents,
				   uint64_t dataTypeConfig)
{
	VNPU_CALL();
	const char *problem = config_problem(deviceIdList, deviceNums,
					     aicoreEvents, dataTypeConfig);
	struct aclprofConfig *config;
	uint64_t devices = 0, handle;

	(void)aicoreMetrics;
	if (problem) {
		vnpu_error(ACL_ERROR_INVALID_PARAM, "%s", problem);
		return NULL;
	}
	if (deviceNums) {
		devices = devices_of(deviceIdList, deviceNums);
		if (!devices)
			return NULL;
	}
	config = calloc(1, sizeof(*config));
	handle = config ? vnpu_handle_add(VNPU_HANDLE_PROF_CONFIG, config) : 0;
	if (!handle) {
		free(config);
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			   "no host memory for a description");
		return NULL;
	}
	vnpu_prof_lock();
	config->handle = handle;
	config->devices = devices;
	config->types = dataTypeConfig;
	vnpu_prof_unlock();
	return vnpu_u64_to_ptr(handle);
}

static aclError no_config(const void *config)
{
	return vnpu_error(ACL_ERROR_INVALID_PARAM,
		"profilerConfig = %p is not from aclprofCreateConfig, or was destroyed",
		config);
}

aclError aclprofDestroyConfig(const aclprofConfig *profilerConfig)
{
	VNPU_CALL();
	struct aclprofConfig *config;

	vnpu_prof_lock();
	config = vnpu_handle_find(VNPU_HANDLE_PROF_CONFIG, profilerConfig);
	if (config)
		vnpu_handle_remove_put(config->handle);
	vnpu_prof_unlock();
	if (!config)
		return no_config(profilerConfig);
	free(config);
	return ACL_SUCCESS;
}

/* Find a recording that conflicts with a new one, or NULL. */
static struct running *conflict_locked(const struct aclprofConfig *config)
{
	struct running *run = runs;

	while (run && !(config->devices & run->devices) &&
	       (config->devices || run->devices))
		run = run->next;
	return run;
}

aclError aclprofStart(const aclprofConfig *profilerConfig)
{
	VNPU_CALL();
	struct running *new = calloc(1, sizeof(*new));
	const struct aclprofConfig *config;
	bool was_begun, conflicts = false;

	if (!new)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to start the recording");
	vnpu_prof_lock();
	was_begun = is_begun;
	config = vnpu_handle_find(VNPU_HANDLE_PROF_CONFIG, profilerConfig);
	if (config)
		conflicts = conflict_locked(config);
	if (was_begun && config && !conflicts) {
		new->devices = config->devices;
		new->types = config->types;
		new->next = runs;
		runs = new;
		new = NULL;
		update_locked();
	}
	vnpu_prof_unlock();
	free(new);
	if (!was_begun)
		return vnpu_prof_not_begun();
	if (!config)
		return no_config(profilerConfig);
	return conflicts ? vnpu_error(ACL_ERROR_PROF_ALREADY_RUN,
		"a device of profilerConfig = %p is recorded already; call aclprofStop first",
		profilerConfig) : ACL_SUCCESS;
}

aclError aclprofStop(const aclprofConfig *profilerConfig)
{
	VNPU_CALL();
	const struct aclprofConfig *config;
	struct running **link = &runs;
	bool is_found = false;

	vnpu_prof_lock();
	config = vnpu_handle_find(VNPU_HANDLE_PROF_CONFIG, profilerConfig);
	while (config && *link && ((*link)->devices != config->devices ||
				   (*link)->types != config->types))
		link = &(*link)->next;
	if (config && *link) {
		is_found = true;
		stop_locked(link);
	}
	vnpu_prof_unlock();
	if (!config)
		return no_config(profilerConfig);
	return is_found ? ACL_SUCCESS :
	       vnpu_error(ACL_ERROR_PROF_NOT_RUN,
		"no recording was started with the devices and types of profilerConfig = %p",
		profilerConfig);
}

/* Held while a recording that the program did not ask for ends. */
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER;

static bool is_on(void)
{
	bool ret;

	vnpu_prof_lock();
	ret = is_automatic;
	vnpu_prof_unlock();
	return ret;
}

/* A child of fork() has none, and may have the mutex in an unknown state. */
static void automatic_end(void)
{
	bool is_left;

	if (!is_on())
		return;
	pthread_mutex_lock(&ending);
	vnpu_prof_lock();
	is_left = is_automatic && is_begun;
	vnpu_prof_unlock();
	if (is_left && aclprofFinalize())
		vnpu_log(ACL_ERROR, __func__,
			 "VNPU_PROF_PATH: no profile was written");
	vnpu_prof_lock();
	is_automatic = false;
	vnpu_prof_unlock();
	pthread_mutex_unlock(&ending);
}

static struct timespec until;	/* of CLOCK_MONOTONIC */

static void *end_later(void *arg)
{
	vnpu_thread_set_name("vnpu-prof");
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		;
	automatic_end();
	return arg;
}

/* End the recording at a time, in seconds; at exit if there is no thread. */
static void end_at(const char *text)
{
	double seconds = strtod(text, NULL);

	/* What is no time is over. */
	if (!(seconds * 1e9 > vnpu_now_ns())) {
		automatic_end();
		return;
	}
	if (seconds > MAX_SECONDS)
		seconds = MAX_SECONDS;
	until.tv_sec = seconds;
	until.tv_nsec = (seconds - until.tv_sec) * 1e9;
	if (vnpu_thread_prepare() || vnpu_thread_start(end_later, NULL))
		vnpu_log(ACL_ERROR, __func__,
			 "VNPU_PROF_UNTIL: the recording ends with the program");
}

/*
 * Record a program that does not ask for it: VNPU_PROF_PATH is the directory of
 * the file, which is written at exit, or at the time VNPU_PROF_UNTIL.
 */
static void automatic_begin(const char *to)
{
	struct running *run;

	if (aclprofInit(to, strlen(to)))
		return;
	run = calloc(1, sizeof(*run));
	if (!run)
		return;
	run->devices = UINT64_MAX;
	run->types = ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX;
	vnpu_prof_lock();
	runs = run;
	update_locked();
	is_automatic = true;
	vnpu_prof_unlock();
}

__attribute__((constructor))
static void automatic_setup(void)
{
	const char *to = secure_getenv("VNPU_PROF_PATH");
	const char *end = secure_getenv("VNPU_PROF_UNTIL");

	if (!to || !*to)
		return;
	automatic_begin(to);
	if (end && is_on())
		end_at(end);
}

__attribute__((destructor))
static void automatic_finish(void)
{
	automatic_end();
}
