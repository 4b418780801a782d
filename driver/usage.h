/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounts: what a client holds on one device. */
#ifndef VNPU_USAGE_H
#define VNPU_USAGE_H

#include <linux/types.h>

#include "core/buddy.h"

struct vnpu_client;
struct vnpu_device;

/**
 * struct vnpu_usage_class - what is held as pages of one class
 * @used: bytes
 * @objects: memory objects
 */
struct vnpu_usage_class {
	u64 used;
	u64 objects;
};

/**
 * struct vnpu_usage - what a client holds on one device
 * @client: the client; constant
 * @dev: the device, with a reference; constant
 * @used: bytes. This and what follows is written under the device's lock, and
 *	may be read without.
 * @peak: the most bytes at one time
 * @objects: memory objects
 * @class: the same by page class
 */
struct vnpu_usage {
	struct vnpu_client *client;
	struct vnpu_device *dev;
	u64 used;
	u64 peak;
	u64 objects;
	struct vnpu_usage_class class[VNPU_BUDDY_CLASSES];
};

void vnpu_usage_charge_locked(struct vnpu_usage *usage, unsigned int class,
			      u64 bytes);
void vnpu_usage_uncharge_locked(struct vnpu_usage *usage, unsigned int class,
				u64 bytes);

#endif
