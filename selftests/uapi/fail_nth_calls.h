/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said of a call that fail_nth has fail, and what that works with. */
#ifndef SELFTESTS_VNPU_FAIL_NTH_CALLS_H
#define SELFTESTS_VNPU_FAIL_NTH_CALLS_H

#include "kselftest_harness.h"

#include "fail_noted.h"
#include "client.h"
#include "fail.h"
#include "key.h"
#include "sync.h"
#include "util.h"

#define PIECE		(16 * PAGE)

FIXTURE(fail_nth)
{
	struct fail fail;
	struct client c;
	__u64 rest;	/* of the device, but for what the pieces need */
	__u32 id;
	__u32 new_id;
	int file;
	struct key key;
	__u64 bytes[8];
	__u8 *own;	/* memory of the process */
	struct stream stream;
	__u64 timeline;
	__u32 event;
	__u32 context;
	bool has_event;
};

typedef FIXTURE_DATA(fail_nth) data_t;

/**
 * struct sweep - a call to be made to fail
 * @before: makes what the call needs
 * @call: the call alone; 0 or -errno
 * @after: takes back what @before and a successful call made
 * @keeps: a call that fails has changed nothing
 */
struct sweep {
	int (*before)(data_t *self);
	int (*call)(data_t *self);
	void (*after)(data_t *self, int ret);
	bool keeps;
};

/*
 * A call by its name, with its body last; the rest is of struct sweep. Not const,
 * so that the compiler warns of one that has no test.
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
