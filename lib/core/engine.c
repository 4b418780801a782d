// SPDX-License-Identifier: MIT
/*
 * Launches: from their events to the executor and back.  listener.c gets the events.
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
#include <unistd.h>

#include "core.h"
#include "early.h"
#include "listener.h"
#include "text.h"

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

void engine_prepare(void)
{
	struct rlimit files;

	/* Each image takes a descriptor or two. */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	listener_prepare();
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

static struct exec_limit limit_of(uint32_t limit)
{
	_Static_assert(CORE_LIMIT_CORES(0) == EXEC_NO_LIMIT, "no limit");

	return (struct exec_limit){
		.cores = CORE_LIMIT_CORES(limit),
		.is_shared = limit & CORE_LIMIT_SHARED,
	};
}

/* Explain why the executor has refused a launch. */
static void explain(const struct slot *slot, int error, char *text, size_t size)
{
	const struct exec_launch *launch = &slot->launch;
	const char *name = slot->kernel->name;
	uint32_t cores[EXEC_KINDS] = {
		[EXEC_VECTOR] = core.start.vector_cores,
		[EXEC_CUBE] = core.start.cube_cores,
	};
	bool has_cube = launch->members[EXEC_CUBE];

	for (unsigned int kind = 0; kind < EXEC_KINDS; kind++)
		if (launch->limit[kind].cores < cores[kind])
			cores[kind] = launch->limit[kind].cores;
	if (error == ENOMEM)
		snprintf(text, size,
			 "kernel %s: there is no memory to check it for races",
			 name);
	else if (!launch->blocks || launch->first > UINT32_MAX - launch->blocks)
		snprintf(text, size,
			 "kernel %s: the launch has %u blocks from %u; launch at least one, with a number below %u",
			 name, launch->blocks, launch->first, UINT32_MAX);
	else if (!launch->resident_max)
		snprintf(text, size,
			 "kernel %s: a block needs %u cube and %u vector cores, but the launch may use %u and %u; set larger limits for the stream or the device",
			 name, has_cube,
			 launch->ratio ? launch->ratio : !has_cube,
			 cores[EXEC_CUBE], cores[EXEC_VECTOR]);
	else
		snprintf(text, size,
			 "kernel %s: its image has no code for a kind of core that it needs; compile it for both",
			 name);
}

/* Describe the launch to the executor; 0, or a positive errno and a reason. */
static int launch_fill(struct slot *slot, char *error, size_t size)
{
	const struct vnpu_engine_event *event = &slot->event;
	struct exec_launch *launch = &slot->launch;
	const struct vnpu_kernel *kernel;
	uint32_t limits = CORE_LIMITS_OF(event->attributes);
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
	launch->dynamic_bytes = CORE_LOCAL_BYTES(event->attributes);
	launch->limit[EXEC_VECTOR] = limit_of(CORE_LIMIT_VECTOR(limits));
	launch->limit[EXEC_CUBE] = limit_of(CORE_LIMIT_CUBE(limits));
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
		explain(slot, ret, error, size);
	}
	kernel_put(slot->kernel);
	return ret;
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
		listener_complete(&completion);
		active--;
	}
}

bool launch_begin(const struct vnpu_engine_event *event,
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

void launch_stop(uint64_t id)
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

void launch_drain_look(void)
{
	if (active || !is_draining)
		return;
	/* Other threads give back the launches that they have just fetched. */
	while (engine_set(0, 0))
		usleep(100);
	core_exit(CORE_EXIT_REPLACE);
}

void engine_stop_all(void)
{
	launch_stop(0);
	while (active)
		usleep(CORE_LOOK_US);
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
	listener_next(&completion, 1, 0);
	/*
	 * This frees memory, so it comes last: a failed kernel may hold
	 * malloc()'s lock.
	 */
	kernel_put(kernel);
	active--;
	launch_drain_look();
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
	.listen = listener_wait,
	.finished = engine_finished,
	.finding = engine_finding,
	.print = engine_print,
};
