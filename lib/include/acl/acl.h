/* SPDX-License-Identifier: MIT */
/*
 * AscendCL, the part that a program includes.
 *
 * These headers declare what libvnpu implements, and nothing else: a call that
 * is missing here fails at compile time, not at run time.  Names, values and
 * layouts are those of CANN, so a program is built from the same source for
 * both.
 */
#ifndef ACL_ACL_H
#define ACL_ACL_H

#include "acl_base.h"
#include "acl_rt.h"

#endif /* ACL_ACL_H */
