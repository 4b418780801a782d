/* SPDX-License-Identifier: MIT */
/*
 * The interface between the two parts of reporters: reporter.c has the bindings
 * and the launch of calls, reporter_run.c runs the calls that are due.  Callers
 * of these functions hold vnpu_reporter_lock().
 */
#ifndef VNPU_LIB_REPORTER_INTERNAL_H
#define VNPU_LIB_REPORTER_INTERNAL_H

#include <pthread.h>

#include "reporter.h"

struct vnpu_call {
	struct vnpu_call *next;
	aclrtCallback fn;
	void *data;
	uint64_t after;			/* due after this task of the stream */
	uint64_t gate_value;		/* 0 if the stream does not wait */
};

/* Protected by the lock unless noted otherwise. */
struct vnpu_binding {
	struct vnpu_binding *next;	/* list of the reporter */
	struct vnpu_reporter *reporter;
	unsigned int refs;		/* of the list, and of users */
	bool is_listed;			/* in the list of the reporter */
	uint64_t stream;		/* 0 after it ended */
	uint64_t queue;			/* the stream's timeline; constant */
	uint64_t gate;			/* timeline; constant */
	bool is_open;			/* the gate was destroyed */
	unsigned int running;		/* calls that are being run */
	pthread_mutex_t launch;		/* keeps task numbers in order */
	uint64_t gate_last;		/* protected by launch */
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
	unsigned int refs;		/* of the list, and of running ones */
	bool has_thread;		/* of the library, with a reference */
	unsigned int waiters;
	uint64_t kick;			/* timeline; constant */
	uint64_t kick_value;
};

/* Find a reporter; NULL if there is none. */
struct vnpu_reporter *vnpu_reporter_find(enum vnpu_binding_kind kind,
					 uint64_t owner);

/* Wake the waiters, so that they check again. */
void vnpu_reporter_kick(struct vnpu_reporter *reporter);

/* Drop a reference; the last one frees the reporter. */
void vnpu_reporter_put(struct vnpu_reporter *reporter);
void vnpu_binding_put(struct vnpu_binding *binding);

/* Remove a binding from its reporter. */
void vnpu_binding_remove(struct vnpu_binding *binding);

/*
 * Let the stream pass the waits for dropped calls.  This must not wait for the
 * last reference: a thread that launches a call has one, and may be waiting for
 * room in the stream.
 */
void vnpu_binding_open_gate(struct vnpu_binding *binding);

#endif /* VNPU_LIB_REPORTER_INTERNAL_H */
