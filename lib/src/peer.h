/* SPDX-License-Identifier: MIT */
/*
 * Access of devices to each other's memory, see peer.c.
 */
#ifndef VNPU_LIB_PEER_H
#define VNPU_LIB_PEER_H

#include <stdint.h>

/* By the user's numbers; nothing if the peer has none or is the device. */
void vnpu_peer_enable(int32_t user_device, int32_t peer);

#endif /* VNPU_LIB_PEER_H */
