/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls from low rooms to exec/: check that the caller may wait, check whether
 * engines are busy, start the thread that calls other drivers.
 */
#ifndef VNPU_UPCALLS_H
#define VNPU_UPCALLS_H

#include <linux/types.h>

struct vnpu_engines;
struct vnpu_foreign;

void vnpu_assert_may_wait(void);
bool vnpu_engines_are_busy(const struct vnpu_engines *engines);
int vnpu_foreign_start(struct vnpu_foreign *foreign);

#endif
