/* SPDX-License-Identifier: MIT */
/*
 * Whether this process is the child of one that used the device.
 */
#ifndef VNPU_LIB_CHILD_H
#define VNPU_LIB_CHILD_H

#include <stdbool.h>

/*
 * Check whether the process was forked after the device was opened, so that its
 * calls fail with -EPERM.
 */
bool vnpu_is_forked(void);

/* In the child: make vnpu_is_forked() true for good. */
void vnpu_set_forked(void);

#endif /* VNPU_LIB_CHILD_H */
