/* SPDX-License-Identifier: GPL-2.0-only */
/* Measure how long one user's copies take while another user is busy. */
#ifndef SELFTESTS_VNPU_BESIDE_H
#define SELFTESTS_VNPU_BESIDE_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../tool/nl_quota.h"
#include "../uapi/stream.h"
#include "../uapi/util.h"

#define ALICE		1001
#define BOB		1002

#define LENGTH		MIB(1)

/*
 * The size of BOB's copies, and what the children report. Shared with the
 * children.
 */
struct said {
	int copies;
	__u64 length;	/* of each, at most LENGTH */
	volatile int ready;	/* 1, or -errno */
	volatile int newcomer;	/* likewise, of a second child */
	int ret;
	__u64 sum;	/* ns that all copies took together */
	__u64 worst;
};

/* Open the node to all users, and map what @said points to for all children. */
static inline int let_users_in(struct said **said, mode_t *mode, int copies,
			       __u64 length)
{
	struct stat st;

	*said = mmap(NULL, sizeof(**said), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (*said == MAP_FAILED || stat(VNPU_NODE, &st))
		return -errno;
	(*said)->copies = copies;
	(*said)->length = length;
	*mode = st.st_mode & 07777;
	return chmod(VNPU_NODE, 0666) ? -errno : 0;
}

/* Let ALICE have more streams than her share, as an administrator can. */
static inline int alice_limit_streams(const uint64_t *limit)
{
	return quota_set_of(0, VNPU_QUOTA_RESOURCE_STREAMS, VNPU_QUOTA_SCOPE_UID,
			    ALICE, limit);
}

static inline int begin_client(struct client *c)
{
	client_allow_many();
	return client_open_only(c) ?:
	       window_map(c, WINDOW_SIZE, PROT_READ | PROT_WRITE) ?:
	       mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, 2 * LENGTH, c->base);
}

/* A stream of ALICE whose last task is not completed in the time of a test. */
static struct stream watched;

/* Return 1 if that task still waits or runs, 0 if not. */
static inline int is_watched_busy(void)
{
	struct vnpu_stream_query q;

	return !stream_query(&watched, &q) && q.out_completed < watched.last;
}

/* More copies than an engine completes during the test. */
static inline int begin_copies(struct client *c, struct stream *s, __u32 priority)
{
	int ret = stream_create_only(s, c, 0, priority, 0, 0) ?: stream_map(s);

	while (!ret && s->last < VNPU_RING_TASKS)
		stream_put(s, task_copy(c->base + LENGTH, c->base, LENGTH));
	ret = ret ? ret : stream_submit(s);
	watched = *s;
	return ret;
}

/* Keep one stream busy. */
static inline int honest(struct client *c)
{
	static struct stream s;

	return begin_client(c) ?: begin_copies(c, &s, 0);
}

/* A child that ends with its parent. */
static inline pid_t fork_user(uid_t uid)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	client_allow_many();
	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		_exit(1);
	return 0;
}

static inline int copy_some(struct said *said)
{
	struct client c;
	struct stream s;
	__u64 from, took;
	int i, ret;

	ret = begin_client(&c) ?: stream_create(&s, &c, 0);
	said->sum = 0;
	said->worst = 0;
	for (i = -4; !ret && i < said->copies; i++) {
		from = now_ns();
		ret = stream_do(&s, task_copy(c.base + LENGTH, c.base,
					      said->length));
		took = now_ns() - from;
		if (i < 0)
			continue;
		said->sum += took;
		if (said->worst < took)
			said->worst = took;
	}
	return ret;
}

/*
 * Measure BOB's copies while ALICE runs @begin, and then @go_on if it is set.
 */
static inline int measure(struct said *said, int (*begin)(struct client *c),
			  void (*go_on)(struct client *c))
{
	pid_t alice, bob;
	struct client c;

	said->ready = 0;
	said->ret = -ECHILD;
	alice = fork_user(ALICE);
	if (!alice) {
		int ret = begin(&c);

		said->ready = ret ? ret : 1;
		if (!ret && go_on)
			go_on(&c);
		for (;;)
			pause();
	}
	while (!said->ready)
		usleep(1000);
	if (said->ready == 1) {
		bob = fork_user(BOB);
		if (!bob) {
			said->ret = copy_some(said);
			_exit(0);
		}
		waitpid(bob, NULL, 0);
	} else {
		said->ret = said->ready;
	}
	kill(alice, SIGKILL);
	waitpid(alice, NULL, 0);
	return said->ret;
}

#endif
