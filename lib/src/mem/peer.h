/* SPDX-License-Identifier: MIT */
/*
 * Access of devices to each other's memory, see peer.c.
 */
#ifndef VNPU_LIB_PEER_H
#define VNPU_LIB_PEER_H

#include <stdint.h>

/*
 * Enable access, by the user's numbers; ignores an unknown or identical peer.
 */
void vnpu_peer_enable(int32_t user_device, int32_t peer);

#endif /* VNPU_LIB_PEER_H */
