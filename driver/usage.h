/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounts: what a client holds on one device. */
#ifndef VNPU_USAGE_H
#define VNPU_USAGE_H

#include <linux/types.h>

struct vnpu_client;
struct vnpu_device;

/**
 * struct vnpu_usage - what a client holds on one device
 * @client: the client; constant
 * @dev: the device, with a reference; constant
 * @used: bytes. This and what follows is written under the device's lock, and
 *	may be read without.
 * @peak: the most bytes at one time
 * @objects: memory objects
 */
struct vnpu_usage {
	struct vnpu_client *client;
	struct vnpu_device *dev;
	u64 used;
	u64 peak;
	u64 objects;
};

void vnpu_usage_charge_locked(struct vnpu_usage *usage, u64 bytes);
void vnpu_usage_uncharge_locked(struct vnpu_usage *usage, u64 bytes);

#endif
