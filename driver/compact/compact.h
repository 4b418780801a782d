/* SPDX-License-Identifier: GPL-2.0-only */
/* Compaction: make a run of free memory by moving the objects in its way. */
#ifndef VNPU_COMPACT_H
#define VNPU_COMPACT_H

#include <linux/types.h>

struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages_req;
struct vnpu_quota_state;
struct vnpu_account;

/**
 * struct vnpu_compaction - the progress and the result of a compaction
 * @dev: the device
 * @client: id of the client that requests memory; 0 for a compaction on demand
 * @moved: number of bytes moved; while it is running, the device's count at its
 *	start
 * @nr_moves: number of moves of objects, or of parts of them; while it is
 *	running, the device's count at its start
 * @pause: time in us to wait before the next attempt
 * @ns: duration; while it is running, the start time
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
		     struct vnpu_account *account,
		     struct vnpu_quota_state *refusal);
int vnpu_compact_device(struct vnpu_device *dev);

#endif
