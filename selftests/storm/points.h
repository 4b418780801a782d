/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that may wait, for tasks, for locks or for memory that is moved: all
 * kinds there are, each with what takes back what it did.
 */
#ifndef SELFTESTS_STORM_POINTS_H
#define SELFTESTS_STORM_POINTS_H

#include "../uapi/stream.h"
#include "../uapi/util.h"

/*
 * Enough that who holds a lock is preempted: while it runs others spin, and
 * look at no signal.
 */
#define POINT_RIVALS	3

/* A device that all have not enough of, and the pieces that each has of it. */
#define SMALL		MIB(16)
#define PIECE		KIB(64)
#define PIECES		64
#define PARTY		MIB(64)

/* One who makes these calls. */
struct party {
	struct client c;
	struct stream s;
	__u8 *host;
	__u32 small;	/* index of that device */
	struct stream small_s;
	struct rng r;
	/* Of one party; the next one's are PARTY higher. */
	__u64 pieces;
	bool is_there[PIECES];
	__u64 run, run_length;	/* what it wants in one piece */
	__u64 granted;
};

/* @small and @host are set; from then on with a client, streams and memory. */
int party_enter(struct party *self);
void party_leave(struct party *self);

/* Who may be ended by a signal that is not fatal, with EINTR. */
enum ends { NEVER, UNLESS_RESTARTED, ALWAYS };

/* 0 or -errno. */
typedef int point_fn(struct party *self);

struct point {
	const char *name;
	point_fn *fn;
	enum ends ends;
	int with;	/* so many rivals */
};

extern const struct point points[];
extern const int nr_points;

#endif
