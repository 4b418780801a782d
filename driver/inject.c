// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand: which there are.
 *
 * An administrator sets them by netlink, each for a device and, if he likes, for
 * one client or class of engines. A kind of fault is a row of the table below,
 * and the place that asks for it, see occasion.c.
 */
#include <linux/err.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include <linux/vnpu_netlink.h>

#include "engine.h"
#include "inject.h"

/* How many one device has at most. */
#define VNPU_FAULTS_MAX		64

/* The longest that a slow engine takes for a part of a task. */
#define VNPU_FAULT_DELAY_MAX	(60 * USEC_PER_SEC)

/* In how many of so many occasions a fault may happen. */
#define VNPU_FAULT_PPM_MAX	1000000

atomic_t vnpu_inject_count = ATOMIC_INIT(0);

/**
 * struct vnpu_fault_kind - a kind of fault
 * @has_class: it may be for one class of engines
 * @has_nth: it is said at which occasions it happens
 * @has_delay: it takes a time that is said
 * @has_addr: it is at an address of a client, both of which are said
 */
struct vnpu_fault_kind {
	bool has_class;
	bool has_nth;
	bool has_delay;
	bool has_addr;
};

static const struct vnpu_fault_kind vnpu_fault_kinds[] = {
	[VNPU_INJECT_KIND_ENGINE_HANG] = { .has_class = true, .has_nth = true },
	[VNPU_INJECT_KIND_ENGINE_SLOW] = { .has_class = true, .has_delay = true },
	[VNPU_INJECT_KIND_DOORBELL_LOST] = { .has_nth = true },
	[VNPU_INJECT_KIND_ALLOC_FAIL] = { .has_nth = true },
	[VNPU_INJECT_KIND_ECC_CORRECTED] = { .has_nth = true, .has_addr = true },
	[VNPU_INJECT_KIND_ECC_UNCORRECTED] = { .has_nth = true, .has_addr = true },
	[VNPU_INJECT_KIND_EVENT_OVERRUN] = { .has_nth = true },
	[VNPU_INJECT_KIND_HOST_ALLOC_FAIL] = { .has_nth = true },
	[VNPU_INJECT_KIND_ACCESS_FAULT] = { .has_nth = true, .has_addr = true },
};

/**
 * vnpu_inject_init() - no faults
 * @inject: of a device
 */
void vnpu_inject_init(struct vnpu_inject *inject)
{
	spin_lock_init(&inject->lock);
	INIT_LIST_HEAD(&inject->faults);
}

/* Whether it can be said so when it happens; the next time, if it is not. */
static int vnpu_inject_check_occasion(struct vnpu_fault *fault, bool has_nth,
				      struct netlink_ext_ack *extack)
{
	if (!has_nth) {
		if (!fault->nth && !fault->every && !fault->ppm && !fault->seed)
			return 0;
		NL_SET_ERR_MSG(extack, "this kind of fault takes no nth, every, ppm or seed");
		return -EINVAL;
	}
	if (!fault->ppm) {
		if (fault->seed) {
			NL_SET_ERR_MSG(extack, "seed requires ppm");
			return -EINVAL;
		}
		if (!fault->nth)
			fault->nth = fault->every ?: 1;
		return 0;
	}
	if (fault->nth || fault->every) {
		NL_SET_ERR_MSG(extack, "ppm excludes nth and every");
		return -EINVAL;
	}
	if (fault->ppm > VNPU_FAULT_PPM_MAX) {
		NL_SET_ERR_MSG(extack, "invalid ppm: must be 1 to 1000000");
		return -EINVAL;
	}
	return 0;
}

/**
 * vnpu_inject_check() - can a fault be set?
 * @fault: any values; the next occasion, if none is said
 * @extack: told why not
 *
 * Return: 0 or -EINVAL.
 */
int vnpu_inject_check(struct vnpu_fault *fault,
		      struct netlink_ext_ack *extack)
{
	const struct vnpu_fault_kind *kind;

	if (fault->kind >= ARRAY_SIZE(vnpu_fault_kinds)) {
		NL_SET_ERR_MSG(extack, "unknown kind of fault");
		return -EINVAL;
	}
	kind = &vnpu_fault_kinds[fault->kind];
	if (fault->class != VNPU_FAULT_ANY_CLASS &&
	    (!kind->has_class || fault->class >= VNPU_ENGINE_CLASSES)) {
		NL_SET_ERR_MSG(extack, "engine class unknown or not applicable to this fault");
		return -EINVAL;
	}
	if (kind->has_delay != !!fault->delay_us ||
	    fault->delay_us > VNPU_FAULT_DELAY_MAX) {
		NL_SET_ERR_MSG(extack,
			       "delay-us must be 1 to 60000000 for engine-slow, else absent");
		return -EINVAL;
	}
	if (kind->has_addr != !!fault->addr ||
	    (kind->has_addr && fault->client == VNPU_FAULT_ANY_CLIENT)) {
		NL_SET_ERR_MSG(extack,
			       "ecc-* and access-fault need addr and client-id, others no addr");
		return -EINVAL;
	}
	return vnpu_inject_check_occasion(fault, kind->has_nth, extack);
}

static struct vnpu_fault_entry *
vnpu_inject_find_locked(struct vnpu_inject *inject,
			const struct vnpu_fault *fault)
{
	struct vnpu_fault_entry *entry;

	lockdep_assert_held(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link)
		if (entry->fault.kind == fault->kind &&
		    entry->fault.class == fault->class &&
		    entry->fault.client == fault->client &&
		    entry->fault.addr == fault->addr)
			return entry;
	return NULL;
}

static void vnpu_inject_remove_locked(struct vnpu_inject *inject,
				      struct vnpu_fault_entry *entry)
{
	lockdep_assert_held(&inject->lock);
	list_del(&entry->link);
	inject->count--;
}

static void vnpu_fault_entry_free(struct vnpu_fault_entry *entry)
{
	kfree(entry);
	atomic_dec(&vnpu_inject_count);
}

/**
 * vnpu_inject_set() - have a fault happen
 * @inject: of the device
 * @fault: the fault, which was checked; it takes the place of the one that is
 *	there for the same
 *
 * Return: 0, -ENOMEM or -ENOSPC (there are too many).
 */
int vnpu_inject_set(struct vnpu_inject *inject, const struct vnpu_fault *fault)
{
	struct vnpu_fault_entry *entry, *old;
	bool full;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->fault = *fault;
	/* Before it can happen, so that no occasion is missed. */
	atomic_inc(&vnpu_inject_count);

	spin_lock(&inject->lock);
	old = vnpu_inject_find_locked(inject, fault);
	full = !old && inject->count == VNPU_FAULTS_MAX;
	if (!full) {
		if (old)
			vnpu_inject_remove_locked(inject, old);
		entry->number = ++inject->last;
		list_add_tail(&entry->link, &inject->faults);
		inject->count++;
	}
	spin_unlock(&inject->lock);
	if (full)
		old = entry;
	if (old)
		vnpu_fault_entry_free(old);
	return full ? -ENOSPC : 0;
}

/**
 * vnpu_inject_clear() - have a fault not happen any more
 * @inject: of the device
 * @fault: its kind, class, client and address
 *
 * What has happened stays so: an engine that hangs goes on doing it.
 *
 * Return: 0 or -ENOENT.
 */
int vnpu_inject_clear(struct vnpu_inject *inject,
		      const struct vnpu_fault *fault)
{
	struct vnpu_fault_entry *entry;

	spin_lock(&inject->lock);
	entry = vnpu_inject_find_locked(inject, fault);
	if (entry)
		vnpu_inject_remove_locked(inject, entry);
	spin_unlock(&inject->lock);
	if (!entry)
		return -ENOENT;
	vnpu_fault_entry_free(entry);
	return 0;
}

/**
 * vnpu_inject_clear_all() - have none happen any more
 * @inject: of the device
 */
void vnpu_inject_clear_all(struct vnpu_inject *inject)
{
	struct vnpu_fault_entry *entry, *next;
	LIST_HEAD(faults);

	spin_lock(&inject->lock);
	list_splice_init(&inject->faults, &faults);
	inject->count = 0;
	spin_unlock(&inject->lock);
	list_for_each_entry_safe(entry, next, &faults, link)
		vnpu_fault_entry_free(entry);
}

/**
 * vnpu_inject_get_next() - look at the faults one after the other
 * @inject: of the device
 * @number: of the last that was looked at, 0 at first; of this one
 * @fault: filled
 *
 * Return: false if there is none left.
 */
bool vnpu_inject_get_next(struct vnpu_inject *inject, u64 *number,
			  struct vnpu_fault *fault)
{
	struct vnpu_fault_entry *entry;
	bool found = false;

	spin_lock(&inject->lock);
	list_for_each_entry(entry, &inject->faults, link) {
		found = entry->number > *number;
		if (found) {
			*number = entry->number;
			*fault = entry->fault;
			break;
		}
	}
	spin_unlock(&inject->lock);
	return found;
}
