/* SPDX-License-Identifier: GPL-2.0-only */
/* Fit check: whether an allocation would succeed, now or after compaction. */
#ifndef VNPU_FIT_H
#define VNPU_FIT_H

#include <linux/types.h>

struct vnpu_device;
struct vnpu_pages_req;

/**
 * struct vnpu_fit - the result of a fit check, in pages
 * @largest: largest request of the same kind that would succeed now
 * @largest_compacted: largest request that would succeed after compaction
 * @moved: number of pages that compaction would move to make a contiguous run;
 *	0 if no move is needed, or if compaction does not help
 * @fits: true if the request would succeed now
 * @fits_compacted: true if the request would succeed now or after compaction
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
