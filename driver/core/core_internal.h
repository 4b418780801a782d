/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only interface between driver/core and its environment.
 *
 * driver/core is pure: its algorithms use their own memory alone, and no locks,
 * clocks, user pointers or prints. So the same .c files run in the kernel, in
 * KUnit and in a user-space process under sanitizers. The functions of the
 * kernel that they use, and the constants of the ABI, come through this header
 * only. In user space, selftests/core/core_shim.h provides them.
 *
 * Callers serialise: only one thread at a time uses an object of this
 * directory. The driver holds the device's lock.
 */
#ifndef VNPU_CORE_INTERNAL_H
#define VNPU_CORE_INTERNAL_H

#ifdef __KERNEL__
#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/vnpu_task.h>
#else
#include "core_shim.h"
#endif

#endif
