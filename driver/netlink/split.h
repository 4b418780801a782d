/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The generated table of operations has entries for "do" and for "dump". Linux
 * accepts any attribute of such a dump that has no policy, and knows no such
 * entries before 6.2. Let the table have entries of the older type, which
 * vnpu_netlink_register() merges for each command.
 */
#ifndef VNPU_SPLIT_H
#define VNPU_SPLIT_H

#include "compat.h"

#define genl_split_ops	genl_ops
#define split_ops	ops
#define n_split_ops	n_ops

#endif
