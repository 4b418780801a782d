/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of the host's memory a user may have the driver allocate. */
#ifndef VNPU_HOSTQUOTA_H
#define VNPU_HOSTQUOTA_H

#include <linux/uidgid.h>

void vnpu_hostquota_init(void);
void vnpu_hostquota_fini(void);

int vnpu_hostquota_charge(kuid_t uid, unsigned long pages);
void vnpu_hostquota_uncharge(kuid_t uid, unsigned long pages);

#endif
