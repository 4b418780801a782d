/* SPDX-License-Identifier: MIT */
/*
 * Profiling, see acl/acl_prof.h: the recorded data, and its producers.
 *
 * The profiling lock protects descriptions, stamps, steps, ranges and the list
 * of events.  Only the lock of handles is taken under it.
 */
#ifndef VNPU_LIB_PROF_H
#define VNPU_LIB_PROF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "acl/acl_prof.h"
#include "ops/tensor.h"

#include "stream/stamp.h"
#include "stream/stream.h"
#include "stream/upcalls.h"

#define VNPU_PROF_NAME_MAX	127

/* The recorded types, as bits; written under the lock. */
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

/* A moment of a stream, which the device writes. */
struct vnpu_prof_moment {
	struct vnpu_stamp *stamp;	/* NULL after it was read, or without a
					 * moment */
	uint64_t va;
	uint64_t cookie;
	uint64_t ns;			/* 0 until it is read */
};

/* The tensors of an operator, the inputs first. */
struct vnpu_prof_tensors {
	uint32_t inputs;
	uint32_t count;
	struct {
		uint8_t dtype;		/* enum vnpu_dtype */
		uint8_t rank;
		int64_t dims[VNPU_TENSOR_DIMS];
	} tensor[];
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
	const char *call;		/* the call that submitted the task */
	struct vnpu_prof_moment begin;
	struct vnpu_prof_moment end;
	const char *core;		/* of a launch: the kind of core; or
					 * NULL */
	uint32_t blocks;		/* of a launch */
	struct vnpu_prof_tensors *tensors;	/* of an operator, or NULL */
	const char *type;		/* of an operator; never freed; or NULL
					 * */
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

/* Check whether tasks of a device are recorded. */
bool vnpu_prof_wants_device(int32_t user_device);

/*
 * Make an event with the current time and thread; NULL (and counted) without
 * memory.
 */
struct vnpu_prof_event *vnpu_prof_event_create(enum vnpu_prof_kind kind,
					       const char *name);

#define VNPU_PROF_ANY_SESSION	0

/*
 * Record an event if its type is still recorded; or with @only if that session
 * still runs, because the event ends a range of it.  Takes ownership.  Returns
 * the number of the session, or 0 if the event is not recorded.
 */
uint32_t vnpu_prof_event_add(struct vnpu_prof_event *event, unsigned int what,
			     uint32_t only);

/* Drop an event that did not happen. */
void vnpu_prof_event_drop(struct vnpu_prof_event *event);

/* Make a task that records a moment; false without memory. */
bool vnpu_prof_moment_init(struct vnpu_prof_moment *moment,
			   struct vnpu_task *task);

/*
 * Record a mark twice, if one of the types @what is recorded: now, and when the
 * stream reaches it.
 */
aclError vnpu_prof_mark_stream(const char *name, aclrtStream handle,
			       unsigned int what);

/* Make the event of a launch, which is about to be submitted; or NULL. */
struct vnpu_prof_event *vnpu_prof_launch_event(struct vnpu_stream *stream,
					       const struct vnpu_task *task);

/* Submit as vnpu_queue_submit(), and record the times of the tasks. */
int vnpu_prof_submit(struct vnpu_stream *stream, const struct vnpu_task *tasks,
		     unsigned int count, uint64_t *seq);

/* Drop all events, and keep at most @max from now on.  The lock is held. */
void vnpu_prof_events_reset(uint64_t max);

/* Set only the limit.  The lock is held. */
void vnpu_prof_events_limit(uint64_t max);

/* Remove and return all events; count the lost ones.  The lock is held. */
struct vnpu_prof_event *vnpu_prof_events_remove(uint64_t *lost);

/* Free events that were removed. */
void vnpu_prof_events_free(struct vnpu_prof_event *events);

#define VNPU_PROF_PARAMETERS	ACL_PROF_ARGS_MAX
#define VNPU_PROF_VALUE_MAX	256

/* The parameters of a session, by aclprofConfigType; empty if not set. */
struct vnpu_prof_values {
	char text[VNPU_PROF_PARAMETERS][VNPU_PROF_VALUE_MAX + 1];
};

/* Get those of the session, or NULL without one.  The lock is held. */
struct vnpu_prof_values *vnpu_prof_values(void);

/* Print those that are set, as members of a JSON object. */
void vnpu_prof_values_print(const struct vnpu_prof_values *values, FILE *file);

/* Fail because there is no session. */
aclError vnpu_prof_not_begun(void);

/* Print events as JSON, see print.c. */
void vnpu_prof_print(const struct vnpu_prof_event *events, uint64_t lost,
		     const struct vnpu_prof_values *values, FILE *file);

#endif /* VNPU_LIB_PROF_H */
