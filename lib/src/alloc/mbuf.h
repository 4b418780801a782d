/* SPDX-License-Identifier: MIT */
/*
 * Shared buffers (aclrtMbuf), see mbuf.c.
 */
#ifndef VNPU_LIB_MBUF_H
#define VNPU_LIB_MBUF_H

#include <stdint.h>

/*
 * Drop all buffers with memory of a device that is being reset.  Their handles
 * are invalid from here on.
 */
void vnpu_mbuf_drop_all(uint32_t device);

#endif /* VNPU_LIB_MBUF_H */
