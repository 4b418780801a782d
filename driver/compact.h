/* SPDX-License-Identifier: GPL-2.0-only */
/* Compaction: making a run of free memory by moving what is in its way. */
#ifndef VNPU_COMPACT_H
#define VNPU_COMPACT_H

#include <linux/types.h>

struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages_req;
struct vnpu_quota_state;
struct vnpu_usage;

/**
 * struct vnpu_compaction - what one has done
 * @dev: on which device
 * @client: id of who wanted memory, 0 if it was asked for as such
 * @moved: bytes; while it goes on, how many there had been before it
 * @nr_moves: objects of which something was moved, as often as it was; likewise
 * @pause: us to wait before the next try
 * @ns: how long it took; while it goes on, when it began
 * @result: 0 or -errno
 */
struct vnpu_compaction {
	struct vnpu_device *dev;
	u64 client;
	u64 moved;
	u64 nr_moves;
	unsigned int pause;
	u64 ns;
	int result;
};

int vnpu_compact_for(struct vnpu_devmem *devmem,
		     const struct vnpu_pages_req *req,
		     struct vnpu_usage *usage,
		     struct vnpu_quota_state *refusal);
int vnpu_compact_device(struct vnpu_device *dev);

#endif
