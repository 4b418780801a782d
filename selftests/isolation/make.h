/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makers of objects that belong to no device and use the host's memory: one for
 * each kind with a limit for each user.
 */
#ifndef SELFTESTS_ISOLATION_MAKE_H
#define SELFTESTS_ISOLATION_MAKE_H

#include "quota.h"

#include "../uapi/stream.h"
#include "../uapi/sync.h"

/**
 * struct maker - makes one more object of a kind
 * @c: the client
 * @s: a stream of it which has completed a task, if the kind needs one
 * @nr: the number of bindings so far
 */
struct maker {
	struct client c;
	struct stream s;
	unsigned int nr;
};

static inline int make_object(struct maker *m)
{
	__u64 id;

	return timeline_create(&m->c, 0, 0, 0, &id);
}

static inline int make_binding(struct maker *m)
{
	return mem_alloc_at(&m->c, 0, 0, 0, PAGE,
			    m->c.base + m->nr++ * PAGE);
}

static inline int make_sync_file(struct maker *m)
{
	int fd;

	if (!m->s.id && (stream_create(&m->s, &m->c, 0) ||
			 stream_do(&m->s, (struct vnpu_task){})))
		return -EPROTO;
	fd = sync_export(&m->c, m->s.id, m->s.last);
	return fd < 0 ? fd : 0;
}

static inline int make_host_memory(struct maker *m)
{
	__u32 id;

	return host_alloc(&m->c, PAGE, &id);
}

#endif
