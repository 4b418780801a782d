// SPDX-License-Identifier: GPL-2.0-only
/* Accounts: what a client holds on one device. */
#include "device.h"
#include "usage.h"

/**
 * vnpu_usage_charge_locked() - one more memory object
 * @usage: the account; its device's lock is held
 * @class: page class of the object, counted from the smallest
 * @bytes: of the object
 */
void vnpu_usage_charge_locked(struct vnpu_usage *usage, unsigned int class,
			      u64 bytes)
{
	struct vnpu_usage_class *of_class = &usage->class[class];

	lockdep_assert_held(&usage->dev->lock);
	if (!usage->objects)
		usage->dev->nr_clients++;
	WRITE_ONCE(usage->objects, usage->objects + 1);
	WRITE_ONCE(usage->used, usage->used + bytes);
	WRITE_ONCE(of_class->objects, of_class->objects + 1);
	WRITE_ONCE(of_class->used, of_class->used + bytes);
	if (usage->peak < usage->used)
		WRITE_ONCE(usage->peak, usage->used);
}

/**
 * vnpu_usage_uncharge_locked() - one memory object less
 * @usage: the account; its device's lock is held
 * @class: page class of the object
 * @bytes: of the object
 */
void vnpu_usage_uncharge_locked(struct vnpu_usage *usage, unsigned int class,
				u64 bytes)
{
	struct vnpu_usage_class *of_class = &usage->class[class];

	lockdep_assert_held(&usage->dev->lock);
	WRITE_ONCE(usage->used, usage->used - bytes);
	WRITE_ONCE(usage->objects, usage->objects - 1);
	WRITE_ONCE(of_class->used, of_class->used - bytes);
	WRITE_ONCE(of_class->objects, of_class->objects - 1);
	if (!usage->objects)
		usage->dev->nr_clients--;
}
