/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of the generic netlink family (uapi/netlink/vnpu.yaml). */
#ifndef VNPU_NETLINK_H
#define VNPU_NETLINK_H

int vnpu_netlink_register(void);
void vnpu_netlink_unregister(void);

#endif
