/* SPDX-License-Identifier: MIT */
/*
 * What the two halves of reporters share: reporter.c has who is bound to whom,
 * and what is launched; reporter_run.c runs what is due.  Who calls what is here
 * holds vnpu_reporter_lock().
 */
#ifndef VNPU_LIB_REPORTER_INTERNAL_H
#define VNPU_LIB_REPORTER_INTERNAL_H

#include <pthread.h>

#include "reporter.h"

struct vnpu_call {
	struct vnpu_call *next;
	aclrtCallback fn;
	void *data;
	uint64_t after;			/* number of the task it is due after */
	uint64_t gate_value;		/* 0 if the stream does not wait */
};

/* Under the lock unless it says otherwise. */
struct vnpu_binding {
	struct vnpu_binding *next;	/* of the reporter's */
	struct vnpu_reporter *reporter;
	unsigned int refs;		/* the list's, and of who uses it */
	bool is_listed;			/* among the reporter's */
	uint64_t stream;		/* 0 once it ended */
	uint64_t queue;			/* the stream's timeline; constant */
	uint64_t gate;			/* timeline; constant */
	bool is_open;			/* the gate is gone */
	unsigned int running;		/* calls of it that are being run */
	pthread_mutex_t launch;		/* makes numbers grow with the order */
	uint64_t gate_last;		/* under the launch lock */
	struct vnpu_call *first;
	struct vnpu_call **end;
};

struct vnpu_reporter {
	struct vnpu_reporter *next;
	enum vnpu_binding_kind kind;	/* constant, as the next two */
	uint64_t owner;
	int32_t user_device;
	struct vnpu_binding *bindings;
	unsigned int nr_bindings;
	unsigned int refs;		/* the list's, and of who processes */
	bool has_thread;		/* of the library's, with a reference */
	unsigned int waiters;
	uint64_t kick;			/* timeline; constant */
	uint64_t kick_value;
};

/* NULL if there is none. */
struct vnpu_reporter *vnpu_reporter_find(enum vnpu_binding_kind kind,
					 uint64_t owner);

/* Let who waits look again. */
void vnpu_reporter_kick(struct vnpu_reporter *reporter);

/* Give a reference back; the last one frees. */
void vnpu_reporter_put(struct vnpu_reporter *reporter);
void vnpu_binding_put(struct vnpu_binding *binding);

/* Take a binding off its reporter. */
void vnpu_binding_remove(struct vnpu_binding *binding);

/*
 * Let the stream pass where it waits for calls that were dropped.  Not when the
 * last reference is given back: who launches has one, and may be waiting for
 * room in the stream.
 */
void vnpu_binding_open_gate(struct vnpu_binding *binding);

#endif /* VNPU_LIB_REPORTER_INTERNAL_H */
