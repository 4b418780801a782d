/* SPDX-License-Identifier: MIT */
/*
 * Stamps: 16 bytes of pinned memory, to which the device writes the time when
 * it reaches a record of an event, and the cookie of that record.
 */
#ifndef VNPU_LIB_STAMP_H
#define VNPU_LIB_STAMP_H

#include <stdatomic.h>
#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_stamp {
	_Atomic uint64_t ns;		/* CLOCK_MONOTONIC */
	_Atomic uint64_t cookie;	/* of the latest record reached */
};

/* Get a stamp; 0 or -errno. */
int vnpu_stamp_get(struct vnpu_stamp **stamp, uint64_t *va);
void vnpu_stamp_put(struct vnpu_stamp *stamp, uint64_t va);

/*
 * Get a cookie that is greater than all earlier ones.  Of two records the later
 * one thus stays, even if the stamp changes its owner in between.
 */
uint64_t vnpu_stamp_cookie(void);

#endif /* VNPU_LIB_STAMP_H */
