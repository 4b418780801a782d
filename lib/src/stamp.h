/* SPDX-License-Identifier: MIT */
/*
 * Stamps: 16 bytes of pinned memory to which the device writes when an event
 * was reached, and which record it was.
 */
#ifndef VNPU_LIB_STAMP_H
#define VNPU_LIB_STAMP_H

#include <stdatomic.h>
#include <stdint.h>

#include "acl/acl_rt.h"

struct vnpu_stamp {
	_Atomic uint64_t ns;		/* CLOCK_MONOTONIC */
	_Atomic uint64_t cookie;	/* of the latest record that was reached */
};

/* 0 or -errno. */
int vnpu_stamp_get(struct vnpu_stamp **stamp, uint64_t *va);
void vnpu_stamp_put(struct vnpu_stamp *stamp, uint64_t va);

/*
 * A cookie that is greater than all before, so that of two records the later
 * one stays, also when the stamp has got another owner meanwhile.
 */
uint64_t vnpu_stamp_cookie(void);

#endif /* VNPU_LIB_STAMP_H */
