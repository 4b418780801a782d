/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unprivileged users that take all they can of a limited resource of a device,
 * and hold it.
 */
#ifndef SELFTESTS_ISOLATION_SHARE_H
#define SELFTESTS_ISOLATION_SHARE_H

#include "quota.h"

#include <sched.h>

#include "../uapi/stream.h"

/* Subordinate user ids of Alice's. */
#define SUBORDINATES	200000
#define SUBORDINATE_IDS	65536

/**
 * struct report - what a taker reports before it holds
 * @taken: how many it got
 * @promised: how many VNPU_IOCTL_LIMITS_QUERY had promised it
 * @error: why it got no more, -errno
 * @scope: the reason that the same query reports, VNPU_QUOTA_SCOPE_*
 */
struct report {
	__u64 taken;
	__u64 promised;
	__s32 error;
	__u32 scope;
};

/**
 * struct takers - processes that take a resource and hold it
 * @report: a pipe for struct report
 * @end: a pipe; they end when its other end is closed
 */
struct takers {
	int report[2];
	int end[2];
};

static inline int limits_get(const struct client *c, __u32 kind,
			     struct vnpu_limits_query *l)
{
	*l = (struct vnpu_limits_query){ .size = sizeof(*l), .kind = kind };
	return call(c->fd, VNPU_IOCTL_LIMITS_QUERY, l);
}

static inline __u64 limits_left(const struct vnpu_limits_query *l)
{
	return l->kind == VNPU_LIMIT_STREAMS ? l->out_streams :
	       l->kind == VNPU_LIMIT_EVENTS ? l->out_events : l->out_counters;
}

static inline int take_one(const struct client *c, __u32 kind)
{
	struct vnpu_event_alloc event = { .size = sizeof(event) };
	struct vnpu_stream_create stream = { .size = sizeof(stream) };
	__u64 id;

	switch (kind) {
	case VNPU_LIMIT_STREAMS:
		return call(c->fd, VNPU_IOCTL_STREAM_CREATE, &stream);
	case VNPU_LIMIT_EVENTS:
		return call(c->fd, VNPU_IOCTL_EVENT_ALLOC, &event);
	default:
		return timeline_create(c, VNPU_TIMELINE_F_COUNTER, 0, 0, &id);
	}
}

/* In a new process: take until refused, or @most, report, and hold. */
static inline void take_and_hold(const struct takers *t, __u32 kind, __u64 most)
{
	struct vnpu_limits_query l;
	struct report r = { 0 };
	struct client c;
	char ignored;

	close(t->end[1]);
	r.error = client_open_only(&c) ?: limits_get(&c, kind, &l);
	if (!r.error)
		r.promised = limits_left(&l);
	while (r.taken < most && !r.error) {
		r.error = take_one(&c, kind);
		r.taken += !r.error;
	}
	if (!limits_get(&c, kind, &l))
		r.scope = l.out_scope;
	if (write(t->report[1], &r, sizeof(r)) != sizeof(r))
		_exit(22);
	_exit(read(t->end[0], &ignored, 1) == 0 ? 0 : 23);
}

static inline pid_t taker_start(const struct takers *t, uid_t uid, __u32 kind,
				__u64 most)
{
	pid_t pid = fork_bound();

	if (pid)
		return pid;
	if (become(uid))
		_exit(19);
	take_and_hold(t, kind, most);
	_exit(0);
}

static inline struct report taker_report(const struct takers *t)
{
	struct report r = { .error = -EPROTO };

	if (read(t->report[0], &r, sizeof(r)) != sizeof(r))
		r.error = -EPROTO;
	return r;
}

static inline int map_write(pid_t pid, const char *file, const char *text)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -errno : 0;
}

/*
 * A child of Alice's in a user namespace of hers, in which root has mapped her
 * subordinate ids as newuidmap does. It runs @fn as the subordinate id @nr.
 */
static inline pid_t subordinate_start(unsigned int nr, void (*fn)(void *arg),
				      void *arg)
{
	int ready[2], go[2];
	char map[64], c = 0;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		return -1;
	pid = fork_bound();
	if (!pid) {
		if (become(ALICE) || unshare(CLONE_NEWUSER) ||
		    write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1 ||
		    setresuid(nr, nr, nr))
			_exit(18);
		fn(arg);
		_exit(0);
	}
	close(ready[1]);
	snprintf(map, sizeof(map), "0 %d %d", SUBORDINATES, SUBORDINATE_IDS);
	if (read(ready[0], &c, 1) != 1 || map_write(pid, "uid_map", map) ||
	    write(go[1], &c, 1) != 1)
		pid = -1;
	close(ready[0]);
	close(go[0]);
	close(go[1]);
	return pid;
}

#endif
