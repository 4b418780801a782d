/* SPDX-License-Identifier: GPL-2.0-only */
/* Would an allocation find room, now or after compaction? */
#ifndef VNPU_FIT_H
#define VNPU_FIT_H

#include <linux/types.h>

struct vnpu_device;
struct vnpu_pages_req;

/**
 * struct vnpu_fit - the answer, in pages
 * @largest: what a request of the same kind can get now
 * @largest_compacted: what it can get if others are moved for it
 * @moved: of others, that must be moved for a contiguous run; 0 if none or if
 *	that does not help
 * @fits: what is wanted is free
 * @fits_compacted: it is, or can be made free
 */
struct vnpu_fit {
	u32 largest;
	u32 largest_compacted;
	u32 moved;
	bool fits;
	bool fits_compacted;
};

int vnpu_fit_check(struct vnpu_device *dev, const struct vnpu_pages_req *req,
		   bool moves_runs, struct vnpu_fit *fit);

#endif
