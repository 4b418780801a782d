/* SPDX-License-Identifier: MIT */
/*
 * The parts of core.h: core.c looks after processes and replaces them, core_start.c
 * starts one, and core_receive.c handles their messages.
 */
#ifndef VNPU_LIB_KERNEL_CORE_INTERNAL_H
#define VNPU_LIB_KERNEL_CORE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core.h"
#include "process.h"

#define DEATHS	3

enum vnpu_core_state {
	STATE_OFF,
	STATE_STARTING,		/* the process has not answered yet */
	STATE_ON,
};

/* The core of a device. */
struct vnpu_core {
	atomic_bool is_used;	/* never false again; the locks matter from then on */
	pthread_mutex_t receiving;
	pthread_mutex_t lock;	/* protects the rest, inside the above */
	pthread_cond_t changed;	/* of state */
	enum vnpu_core_state state;
	bool is_watched;	/* there is a thread */
	bool is_wanted;		/* a launch waits for a start */
	bool is_ending;		/* the library ends it */
	struct vnpu_process process;	/* both locks to change */
	pid_t owner;		/* the program, which has started it */
	uint64_t deaths[DEATHS];	/* when the last ones ended */
	unsigned int death_count;
	char why[384];		/* why the last start failed */
	char last_end[96];	/* how the last core ended */
};

uint32_t vnpu_core_device(const struct vnpu_core *core);

/* Check whether a core waits for a debugger, which takes any time. */
bool vnpu_core_is_debugged(void);

/*
 * Start the process; both locks are held.  0, or -errno and the reason.  The
 * process is not waited for.
 */
int vnpu_core_start_locked(struct vnpu_core *core);

/* Send a binary to a core, which is @arg; its lock is held.  0 or -errno. */
int vnpu_core_send_image(struct vnpu_binary *binary, void *arg);

/* Change the state, and wake the threads that wait for it; the lock is held. */
void vnpu_core_set_state(struct vnpu_core *core, enum vnpu_core_state state);

/*
 * Receive the messages that have arrived, but not for ever if more come; the lock
 * for receiving is held.  False once the process has closed its end.
 */
bool vnpu_core_receive_locked(struct vnpu_core *core);

#endif /* VNPU_LIB_KERNEL_CORE_INTERNAL_H */
