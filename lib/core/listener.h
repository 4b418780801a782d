/* SPDX-License-Identifier: MIT */
/*
 * The listener: gets the events of the engine file, and completes launches.
 *
 * One worker at a time is the listener, and waits for events in listener_wait().  A
 * worker that has finished a launch completes it and gets the next events with one
 * call, listener_next().
 */
#ifndef VNPU_CORE_LISTENER_H
#define VNPU_CORE_LISTENER_H

#include <stdint.h>

#include <linux/vnpu_engine.h>

/* Do what the sandbox will forbid. */
void listener_prepare(void);

/* Poll, then sleep, until there are events, and handle them; for struct exec_host. */
void listener_wait(void *data);

/*
 * Complete launches, then get events and begin their launches.  Those that end at
 * once are completed with the next call.
 */
void listener_next(struct vnpu_engine_completion *completions, uint32_t count,
		   uint64_t timeout);

/* Complete a launch, and get no events. */
void listener_complete(const struct vnpu_engine_completion *completion);

#endif /* VNPU_CORE_LISTENER_H */
