/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of the host's memory a user may have the driver allocate. */
#ifndef VNPU_HOSTQUOTA_H
#define VNPU_HOSTQUOTA_H

struct vnpu_user;

void vnpu_hostquota_init(void);

int vnpu_hostquota_charge(struct vnpu_user *user, unsigned long pages);
void vnpu_hostquota_uncharge(struct vnpu_user *user, unsigned long pages);

#endif
