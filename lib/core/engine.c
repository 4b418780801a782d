// SPDX-License-Identifier: MIT
/*
 * Launches: from the engine file to the executor and back.
 *
 * One worker at a time is the listener.  It polls the engine's state for POLL_NS,
 * then sleeps in the driver.  A worker that has finished a launch completes it
 * and gets the next events with one call.
 *
 * After an exception the process can no longer be trusted.  It gives launches
 * that have not begun back for the next core (EAGAIN), lets the others end, and
 * exits.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "early.h"
#include "exec/valgrind.h"
#include "text.h"

#define EVENTS		16
#define POLL_NS		100000ULL
#define LOOK_NS		20000000ULL
#define DRAIN_S		5
/* A launch leaves its slot before the driver learns of its end. */
#define SLOTS		(2 * VNPU_ENGINE_SLOTS_MAX)

/**
 * struct slot - a launch that the core has fetched
 * @launch: for the executor
 * @event: as the driver gave it; its id is 0 while the slot is free
 * @is_stopped: the driver has asked to stop it, or the core is over
 * @kernel: the kernel
 * @text: what the kernel has printed
 */
struct slot {
	struct exec_launch launch;
	struct vnpu_engine_event event;
	_Atomic bool is_stopped;
	struct kernel *kernel;
	struct text text;
};

static struct slot slots[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned int active;	/* launches that are not yet completed */
static _Atomic bool is_draining;
static uint64_t poll_ns = POLL_NS;

void engine_prepare(void)
{
	struct rlimit files;

	/* Each image takes a descriptor or two. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* On a single processor, polling would only delay the driver. */
	if (sysconf(_SC_NPROCESSORS_ONLN) == 1)
		poll_ns = 0;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void pause_short(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static struct slot *slot_of(struct exec_launch *launch)
{
	return (struct slot *)((char *)launch - offsetof(struct slot, launch));
}

static struct slot *slot_get(const struct vnpu_engine_event *event)
{
	struct slot *slot = NULL;

	pthread_mutex_lock(&lock);
	/* engine_stop_all() does not see a launch that begins later. */
	for (unsigned int i = 0; i < SLOTS && !core.is_over; i++)
		if (!slots[i].event.id) {
			slot = &slots[i];
			slot->event = *event;
			slot->is_stopped = early_take(event->id);
			active++;
			break;
		}
	pthread_mutex_unlock(&lock);
	return slot;
}

static void slot_put(struct slot *slot)
{
	pthread_mutex_lock(&lock);
	slot->event.id = 0;
	pthread_mutex_unlock(&lock);
}

static void completion_set(struct vnpu_engine_completion *completion,
			   uint64_t id, int error, uint64_t address)
{
	uint64_t start = core.attach.out_window;

	memset(completion, 0, sizeof(*completion));
	completion->id = id;
	completion->error = error;
	if (address >= start && address - start < core.attach.out_window_length)
		completion->addr = address;
}

static void exception_send(const struct slot *slot, enum core_message_type type,
			   const struct exec_report *report)
{
	struct core_exception exception = {
		.stream = slot->event.stream,
		.seq = slot->event.seq,
		.function = slot->event.function,
	};
	char text[CORE_MESSAGE_MAX / 2];

	message_make(&exception, text, sizeof(text), slot->kernel, report);
	channel_report(type, &exception, text);
}

/* Refuse a launch that cannot run, for a reason that its arguments show. */
static void refuse(const struct vnpu_engine_event *event, const char *text)
{
	const struct core_exception exception = {
		.stream = event->stream,
		.seq = event->seq,
		.function = event->function,
		.kind = CORE_FAULT_FUNCTION,
	};

	channel_report(CORE_EXCEPTION, &exception, text);
}

static struct kernel *kernel_get(const struct vnpu_engine_event *event,
				 char *error, size_t size, int *result)
{
	if (event->function >> 32)
		return images_get(event->function, error, size, result);
	return operators_get(event, error, size, result);
}

static void kernel_put(struct kernel *kernel)
{
	if (kernel->image)
		images_put(kernel);
	else
		operators_put(kernel);
}

/* Describe the launch to the executor; 0, or a positive errno and a reason. */
static int launch_fill(struct slot *slot, char *error, size_t size)
{
	const struct vnpu_engine_event *event = &slot->event;
	struct exec_launch *launch = &slot->launch;
	const struct vnpu_kernel *kernel;
	uint64_t ub = core.start.local[VNPU_LOCAL_UB];
	int ret;

	slot->kernel = kernel_get(event, error, size, &ret);
	if (!slot->kernel)
		return ret;
	kernel = slot->kernel->exec.code[EXEC_VECTOR].kernel;
	if (!kernel)
		kernel = slot->kernel->exec.code[EXEC_CUBE].kernel;
	launch->kernel = &slot->kernel->exec;
	launch->args = slot->kernel->image ?
		(const void *)(uintptr_t)event->args :
		operators_args(slot->kernel);
	launch->id = event->id;
	launch->blocks = event->blocks;
	launch->first = event->blocks >> 32;
	launch->dynamic_bytes = event->attributes;
	launch->priority = event->priority;
	ret = EINVAL;
	if (event->args_length < kernel->info->args_size) {
		snprintf(error, size,
			 "kernel %s takes %u bytes of arguments, the launch has %llu",
			 slot->kernel->name, kernel->info->args_size,
			 (unsigned long long)event->args_length);
	} else if (launch->dynamic_bytes > ub) {
		snprintf(error, size,
			 "kernel %s: the launch asks for %u bytes of unified buffer, a core has %llu",
			 slot->kernel->name, launch->dynamic_bytes,
			 (unsigned long long)ub);
	} else {
		ret = -exec_submit(core.exec, launch);
		if (!ret)
			return 0;
		if (ret == ENOMEM)
			snprintf(error, size,
				 "kernel %s: there is no memory to check it for races",
				 slot->kernel->name);
		else
			snprintf(error, size,
				 "kernel %s: the device has no cores for it, or %u blocks from %u are too many",
				 slot->kernel->name, launch->blocks,
				 launch->first);
	}
	kernel_put(slot->kernel);
	return ret;
}

/*
 * Complete launches, then get events; sleep until @timeout if there are none.
 * Returns the number of events.
 */
static uint32_t engine_call(const struct vnpu_engine_completion *completions,
			    uint32_t count, uint64_t timeout,
			    struct vnpu_engine_event *events,
			    uint32_t event_count)
{
	struct vnpu_engine_next next = {
		.size = sizeof(next),
		.events = (uintptr_t)events,
		.event_count = event_count,
		.completion_stride = sizeof(*completions),
		.event_stride = sizeof(*events),
		.timeout_ns = timeout,
	};
	int ret;

	do {
		next.completions = (uintptr_t)completions;
		next.completion_count = count;
		ret = ioctl(core.engine, VNPU_IOCTL_ENGINE_NEXT, &next) ?
			errno : 0;
		if (ret == ENODEV || ret == EPERM) {
			core_exit(CORE_EXIT_DONE);
			return 0;
		}
		completions += next.out_completed;
		count -= next.out_completed;
		if (!ret || !count)
			break;
		/* The launch is gone, and its completion is not needed. */
		if (ret != EINTR) {
			completions++;
			count--;
		}
	} while (true);
	if (core.is_thread)
		valgrind_note_written(events, next.out_count * sizeof(*events));
	return ret ? 0 : next.out_count;
}

/* Give back the launches that have not begun. */
static void return_queued(void)
{
	struct vnpu_engine_completion completion;
	struct exec_launch *launch;

	while ((launch = exec_dequeue(core.exec))) {
		struct slot *slot = slot_of(launch);

		completion_set(&completion, slot->event.id, EAGAIN, 0);
		kernel_put(slot->kernel);
		slot_put(slot);
		engine_call(&completion, 1, 0, NULL, 0);
		active--;
	}
}

/* Begin a launch; returns false if it has ended already, with @completion. */
static bool launch_begin(const struct vnpu_engine_event *event,
			 struct vnpu_engine_completion *completion)
{
	struct slot *slot = is_draining ? NULL : slot_get(event);
	char error[CORE_MESSAGE_MAX / 2] = "";
	int ret = EAGAIN;

	/* There are more slots than launches, unless the core is ending. */
	if (slot) {
		ret = launch_fill(slot, error, sizeof(error));
		if (!ret) {
			/* Another thread may have read the STOP before. */
			if (slot->is_stopped)
				exec_stop(core.exec, &slot->launch, event->id);
			/* Or drain_begin() has given back all but this one. */
			if (is_draining)
				return_queued();
			return true;
		}
		refuse(event, error);
		slot_put(slot);
		active--;
	}
	completion_set(completion, event->id, ret, 0);
	return false;
}

/* Stop a launch, or all of them if @id is 0. */
static void launch_stop(uint64_t id)
{
	bool is_found = false;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < SLOTS; i++)
		if (slots[i].event.id && (!id || slots[i].event.id == id)) {
			slots[i].is_stopped = true;
			is_found = true;
			exec_stop(core.exec, &slots[i].launch,
				  slots[i].event.id);
		}
	/* Another thread has read the launch, and is loading those before it. */
	if (id && !is_found)
		early_add(id);
	pthread_mutex_unlock(&lock);
}

uint32_t engine_set(uint32_t flags, uint32_t mask)
{
	static uint32_t current;
	struct vnpu_engine_set set = { .size = sizeof(set) };

	pthread_mutex_lock(&lock);
	current = (current & ~mask) | flags;
	set.flags = current;
	/* If it fails, the engine file has ended. */
	if (ioctl(core.engine, VNPU_IOCTL_ENGINE_SET, &set))
		set.out_launches = 0;
	pthread_mutex_unlock(&lock);
	return set.out_launches;
}

/* End the process after its last launch, if it is draining. */
static void drain_look(void)
{
	if (active || !is_draining)
		return;
	/* Other threads give back the launches that they have just fetched. */
	while (engine_set(0, 0))
		usleep(100);
	core_exit(CORE_EXIT_REPLACE);
}

/*
 * Complete launches, then get events and begin their launches.  Those that end at
 * once are completed with the next call.
 */
static void engine_next(struct vnpu_engine_completion *completions,
			uint32_t count, uint64_t timeout)
{
	struct vnpu_engine_completion done[EVENTS];
	struct vnpu_engine_event events[EVENTS];
	uint32_t got;

	do {
		got = engine_call(completions, count, timeout, events, EVENTS);
		completions = done;
		count = 0;
		timeout = 0;
		for (uint32_t i = 0; i < got; i++) {
			if (events[i].kind == VNPU_ENGINE_EVENT_STOP)
				launch_stop(events[i].id);
			else if (events[i].kind == VNPU_ENGINE_EVENT_LAUNCH &&
				 !launch_begin(&events[i], &done[count]))
				count++;
		}
	} while (count || got == EVENTS);
	drain_look();
}

/*
 * Sleep until there are events.  Threads in the client look in between whether
 * the core is over, as no signal may interrupt them.
 */
static void listen_asleep(void)
{
	engine_next(NULL, 0, core.is_thread ? now() + LOOK_NS : ~0ULL);
}

/* Poll, then sleep, until there are events. */
static void engine_listen(void *data)
{
	uint64_t end;

	(void)data;
	/* The first one waits here until the core has started. */
	pthread_mutex_lock(&core.gate);
	pthread_mutex_unlock(&core.gate);
	if (core.is_over) {
		usleep(LOOK_NS / 1000);
		return;
	}
	end = now() + poll_ns;
	do {
		for (unsigned int i = 0; i < 16; i++) {
			if (core.state->pending) {
				engine_next(NULL, 0, 0);
				return;
			}
			if (exec_is_called(core.exec))
				return;
			pause_short();
		}
		if (core.state->ended) {
			core_exit(CORE_EXIT_DONE);
			return;
		}
	} while (now() < end);
	if (exec_begin_sleep(core.exec))
		listen_asleep();
}

void engine_stop_all(void)
{
	launch_stop(0);
	while (active)
		usleep(LOOK_NS / 1000);
}

static void drain_end(int number)
{
	(void)number;
	core_exit(CORE_EXIT_REPLACE);
}

/*
 * Give back the launches that have not begun; the others get some time to end.
 */
static void drain_begin(void)
{
	const struct itimerval limit = { .it_value.tv_sec = DRAIN_S };

	if (atomic_exchange(&is_draining, true))
		return;
	signal(SIGALRM, drain_end);
	setitimer(ITIMER_REAL, &limit, NULL);
	engine_set(VNPU_ENGINE_SET_F_LEAVING, VNPU_ENGINE_SET_F_LEAVING);
	return_queued();
}

static void engine_finished(void *data, struct exec_launch *launch)
{
	struct slot *slot = slot_of(launch);
	struct vnpu_engine_completion completion;
	struct kernel *kernel = slot->kernel;

	(void)data;
	text_send(&slot->text, slot->event.stream);
	if (launch->report.kind)
		exception_send(slot, CORE_EXCEPTION, &launch->report);
	completion_set(&completion, slot->event.id, launch->result,
		       launch->report.kind ? launch->report.address : 0);
	completion.kernel = names_number(kernel->name);
	slot_put(slot);
	/* Threads cannot be replaced without the client. */
	if (exec_is_tainted(core.exec) && !core.is_thread)
		drain_begin();
	engine_next(&completion, 1, 0);
	/*
	 * This frees memory, so it comes last: a failed kernel may hold
	 * malloc()'s lock.
	 */
	kernel_put(kernel);
	active--;
	drain_look();
}

static void engine_finding(void *data, struct exec_launch *launch,
			   const struct exec_report *report)
{
	(void)data;
	exception_send(slot_of(launch), CORE_FINDING, report);
}

static void engine_print(void *data, struct exec_launch *launch,
			 const char *text, size_t length)
{
	struct slot *slot = slot_of(launch);

	(void)data;
	text_add(&slot->text, slot->event.stream, text, length);
}

const struct exec_host engine_host = {
	.listen = engine_listen,
	.finished = engine_finished,
	.finding = engine_finding,
	.print = engine_print,
};
