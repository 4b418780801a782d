/* SPDX-License-Identifier: GPL-2.0-only */
/* The description of a call that fail_nth makes fail, and the state for it. */
#ifndef SELFTESTS_VNPU_FAIL_NTH_CALLS_H
#define SELFTESTS_VNPU_FAIL_NTH_CALLS_H

#include "kselftest_harness.h"

#include <linux/vnpu_engine.h>

#include "fail_noted.h"
#include "client.h"
#include "fail.h"
#include "graph.h"
#include "key.h"
#include "sync.h"
#include "util.h"

#define PIECE		(16 * PAGE)

FIXTURE(fail_nth)
{
	struct fail fail;
	struct client c;
	__u64 rest;	/* all of the device's memory but for the pieces */
	__u32 id;
	__u32 new_id;
	int file;
	struct key key;
	__u64 bytes[8];
	__u8 *own;	/* memory of the process */
	struct stream stream;
	struct graph graph;
	__u64 timeline;
	__u32 event;
	__u32 context;
	bool has_event;
	struct vnpu_engine_event launch;	/* that the core has got */
	unsigned int wrong;	/* ends of launches that were not right */
};

typedef FIXTURE_DATA(fail_nth) data_t;

/**
 * struct sweep - a call that is made to fail
 * @before: create the objects that the call needs
 * @call: make the call alone; return 0 or -errno
 * @after: free the objects of @before and of a successful call
 * @keeps: a failed call has changed nothing
 */
struct sweep {
	int (*before)(data_t *self);
	int (*call)(data_t *self);
	void (*after)(data_t *self, int ret);
	bool keeps;
};

/*
 * Define a call by its name, with its body last; the other arguments are
 * members of struct sweep. It is not const, so that the compiler warns if it
 * has no test.
 */
#define SWEEP(_name, _before, _after, _keeps, ...) \
static int call_##_name(data_t *self) \
{ \
	const struct client *c = &self->c; \
	(void)c; \
	__VA_ARGS__ \
} \
static struct sweep _name##_sweep = { \
	_before, call_##_name, _after, _keeps \
};

#endif
