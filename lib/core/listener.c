// SPDX-License-Identifier: MIT
/*
 * The listener: events of the engine file, see listener.h.
 *
 * It polls the engine's state for POLL_NS, then sleeps in the driver.
 */
#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "exec/valgrind.h"
#include "listener.h"

#define EVENTS		16
#define POLL_NS		100000ULL

static uint64_t poll_ns = POLL_NS;

void listener_prepare(void)
{
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

/*
 * Complete launches, then get events; sleep until @timeout if there are none.
 * Returns the number of events.
 */
static uint32_t call_engine(const struct vnpu_engine_completion *completions,
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

void listener_complete(const struct vnpu_engine_completion *completion)
{
	call_engine(completion, 1, 0, NULL, 0);
}

void listener_next(struct vnpu_engine_completion *completions, uint32_t count,
		   uint64_t timeout)
{
	struct vnpu_engine_completion done[EVENTS];
	struct vnpu_engine_event events[EVENTS];
	uint32_t got;

	do {
		got = call_engine(completions, count, timeout, events, EVENTS);
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
	launch_drain_look();
}

/*
 * Sleep until there are events.  If the core is a part of the client's process, no
 * signal may interrupt its threads, so they wake up regularly to check whether the
 * core is over.
 */
static void listen_asleep(void)
{
	listener_next(NULL, 0, core.is_thread ? now() + CORE_LOOK_US * 1000ULL :
					       ~0ULL);
}

void listener_wait(void *data)
{
	uint64_t end;

	(void)data;
	/* The first listener waits here until the core has started. */
	pthread_mutex_lock(&core.gate);
	pthread_mutex_unlock(&core.gate);
	if (core.is_over) {
		usleep(CORE_LOOK_US);
		return;
	}
	end = now() + poll_ns;
	do {
		for (unsigned int i = 0; i < 16; i++) {
			if (core.state->pending) {
				listener_next(NULL, 0, 0);
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
