/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One user with many busy streams, or with POLLERS streams that poll, or with POLLING
 * clients that have POLLERS_EACH such streams each.
 */
#ifndef SELFTESTS_VNPU_CROWDS_H
#define SELFTESTS_VNPU_CROWDS_H

#include "beside.h"

#define STREAMS		300
#define POLLERS_EACH	8

static inline int busy_streams(struct client *c, int count)
{
	static struct stream s[STREAMS];
	int i, ret = begin_client(c);

	for (i = 0; !ret && i < count; i++)
		ret = begin_copies(c, &s[i], 0);
	return ret;
}

static inline int many_streams(struct client *c)
{
	return busy_streams(c, STREAMS);
}

static inline int many_clients(struct client *c)
{
	static struct client more[STREAMS / 10];
	static struct stream s[STREAMS / 10];
	unsigned int i;
	int ret = begin_client(c);

	for (i = 0; !ret && i < ARRAY_SIZE(more); i++) {
		ret = client_open_only(&more[i]) ?:
		      window_map(&more[i], MIB(64), PROT_READ | PROT_WRITE) ?:
		      mem_alloc_at(&more[i], 0, 0, 0, 2 * LENGTH,
				   more[i].base) ?:
		      begin_copies(&more[i], &s[i], 0);
	}
	return ret;
}

/* Create streams that poll a value that never changes. */
static inline int begin_pollers(struct client *c, int count)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_VALUE_WAIT,
		.src = c->base,
		.arg0 = 1,
		.mode = VNPU_COND_EQ,
	};
	struct stream s;
	int i, ret = 0;

	for (i = 0; !ret && i < count; i++)
		ret = stream_create(&s, c, 0) ?: stream_run(&s, task);
	watched = s;
	return ret;
}

static inline int many_pollers(struct client *c)
{
	return begin_client(c) ?: begin_pollers(c, POLLERS);
}

static inline int pollers_of_many_clients(struct client *c)
{
	static struct client more[POLLING];
	int i, ret = 0;

	(void)c;
	client_allow_many();
	for (i = 0; !ret && i < POLLING; i++) {
		ret = client_open_only(&more[i]) ?:
		      window_map(&more[i], MIB(1), PROT_READ | PROT_WRITE) ?:
		      mem_alloc_at(&more[i], 0, 0, 0, PAGE, more[i].base) ?:
		      begin_pollers(&more[i], POLLERS_EACH);
	}
	return ret;
}

#endif
