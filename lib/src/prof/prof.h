/* SPDX-License-Identifier: MIT */
/*
 * Profiling, see acl/acl_prof.h: what is recorded, and who records it.
 *
 * The profiling lock protects descriptions, stamps, steps, ranges and the list
 * of events; only the lock of handles is taken within it.
 */
#ifndef VNPU_LIB_PROF_H
#define VNPU_LIB_PROF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "acl/acl_prof.h"
#include "stamp.h"
#include "stream.h"

#define VNPU_PROF_NAME_MAX	127

/* What is recorded, as bits; written under the lock. */
#define VNPU_PROF_MARKS		(1U << 0)
#define VNPU_PROF_TASKS		(1U << 1)

extern _Atomic unsigned int vnpu_prof_state;

enum vnpu_prof_kind {
	VNPU_PROF_MARK,
	VNPU_PROF_PUSH,
	VNPU_PROF_POP,
	VNPU_PROF_RANGE_START,
	VNPU_PROF_RANGE_STOP,
	VNPU_PROF_TASK,
};

/* A moment of a stream, which the device writes down. */
struct vnpu_prof_moment {
	struct vnpu_stamp *stamp;	/* NULL when it was read, or for none */
	uint64_t va;
	uint64_t cookie;
	uint64_t ns;			/* 0 until it was read */
};

struct vnpu_prof_event {
	struct vnpu_prof_event *next;
	enum vnpu_prof_kind kind;
	uint32_t thread;
	uint64_t ns;			/* on the host */
	uint64_t id;			/* of a range or task */
	uint64_t bytes;			/* of a task */
	int32_t device;			/* of a stream */
	uint32_t stream;
	const char *call;		/* that submitted a task */
	struct vnpu_prof_moment begin;
	struct vnpu_prof_moment end;
	const char *type;		/* of an operator; stays; or NULL */
	char name[];
};

static inline bool vnpu_prof_wants(unsigned int what)
{
	return __builtin_expect(atomic_load_explicit(&vnpu_prof_state,
						memory_order_relaxed) & what,
				0);
}

void vnpu_prof_lock(void);
void vnpu_prof_unlock(void);

/* Whether tasks of a device are recorded. */
bool vnpu_prof_wants_device(int32_t user_device);

/* An event of now, by this thread; NULL without memory, which is counted. */
struct vnpu_prof_event *vnpu_prof_event_make(enum vnpu_prof_kind kind,
					     const char *name);

#define VNPU_PROF_ANY_SESSION	0

/*
 * Record it, if it is still wanted; or in session @only, while that lasts, for it
 * ends what is recorded there.  Takes the event over.  Returns the number of the
 * session, or 0 if it is not recorded.
 */
uint32_t vnpu_prof_event_add(struct vnpu_prof_event *event, unsigned int what,
			     uint32_t only);

/* It did not happen. */
void vnpu_prof_event_drop(struct vnpu_prof_event *event);

/* A task that writes down a moment; false without memory. */
bool vnpu_prof_moment_make(struct vnpu_prof_moment *moment,
			   struct vnpu_task *task);

/* The same as vnpu_queue_submit(), with the tasks' times recorded. */
int vnpu_prof_submit(const char *call, struct vnpu_stream *stream,
		     const struct vnpu_task *tasks, unsigned int count,
		     uint64_t *seq);

/* Forget all events; at most @max are kept from now on.  Under the lock. */
void vnpu_prof_events_reset(uint64_t max);

/* The limit alone.  Under the lock. */
void vnpu_prof_events_limit(uint64_t max);

/* Take all events, and how many were lost. Under the lock. */
struct vnpu_prof_event *vnpu_prof_events_take(uint64_t *lost);

/* Free what was taken. */
void vnpu_prof_events_free(struct vnpu_prof_event *events);

/* As JSON, see print.c. */
void vnpu_prof_print(const struct vnpu_prof_event *events, uint64_t lost,
		     FILE *file);

#endif /* VNPU_LIB_PROF_H */
