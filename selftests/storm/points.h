/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All kinds of calls that may wait, for tasks, for locks or for memory that is
 * moved, each with the call that undoes it.
 */
#ifndef SELFTESTS_STORM_POINTS_H
#define SELFTESTS_STORM_POINTS_H

#include "../uapi/stream.h"
#include "../uapi/util.h"

/*
 * So many that a thread with a lock is preempted: while it runs, other threads
 * spin and do not check for signals.
 */
#define POINT_RIVALS	3

/*
 * A device that is too small for all of them, and the pieces that each
 * allocates of it.
 */
#define SMALL		MIB(16)
#define PIECE		KIB(64)
#define PIECES		64
#define PARTY		MIB(64)

/* A thread that makes these calls. */
struct party {
	struct client c;
	struct stream s;
	__u8 *host;
	__u32 small;	/* index of that device */
	struct stream small_s;
	struct rng r;
	/* Values of one party; the next one's are PARTY higher. */
	__u64 pieces;
	bool is_there[PIECES];
	__u64 run, run_length;	/* length of its contiguous request */
	__u64 granted;
};

/* Set @small and @host before; this adds a client, streams and memory. */
int party_enter(struct party *self);
void party_leave(struct party *self);

/* Calls that a non-fatal signal may end with EINTR. */
enum ends { NEVER, UNLESS_RESTARTED, ALWAYS };

/* Return 0 or -errno. */
typedef int point_fn(struct party *self);

struct point {
	const char *name;
	point_fn *fn;
	enum ends ends;
	int with;	/* number of rivals */
};

extern const struct point points[];
extern const int nr_points;

#endif
