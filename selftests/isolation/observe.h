/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts that the netlink family reports to any user, requested without a
 * library.
 */
#ifndef SELFTESTS_VNPU_OBSERVE_H
#define SELFTESTS_VNPU_OBSERVE_H

#include <linux/types.h>

struct observed_memory {
	__u64 total;
	__u64 free;
	__u64 largest_free;
	__u64 objects;
};

/* Bytes that are free and dirty; bytes cleared and compacted so far. */
struct observed_dirt {
	__u64 dirty;
	__u64 cleared;
	__u64 moved;
};

struct observed_client {
	__u64 id;
	__u32 pid;
	char name[16];
	__u64 bindings;
	__u64 used;	/* on all devices together, as are the next two */
	__u64 objects;
};

/* Return 0 or -errno. */
int observe_memory(__u32 device, struct observed_memory *out);
int observe_dirt(__u32 device, struct observed_dirt *out);

/*
 * Return the number of clients, of which the first @max are described, or
 * -errno.
 */
int observe_clients(struct observed_client *out, int max);

#endif
