// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault injection: the lists of faults.
 *
 * An administrator sets a fault through netlink, for a device and optionally
 * for one client or one class of engines. To add a kind of fault, add a row to
 * the table below and a function to ras/inject_point.c that the faulty code
 * calls.
 */
#include <linux/err.h>
#include <linux/netlink.h>
#include <linux/slab.h>

#include <linux/vnpu_netlink.h>

#include "base/device.h"
#include "inject.h"

/* Maximum number of faults on a device. */
#define VNPU_FAULTS_MAX		64

/* Maximum delay that a slow engine or core adds to a part of a task or a launch. */
#define VNPU_FAULT_DELAY_MAX	(60 * USEC_PER_SEC)

/* Maximum probability: a fault at every pass of an injection point. */
#define VNPU_FAULT_PPM_MAX	1000000

atomic_t vnpu_inject_count = ATOMIC_INIT(0);

/**
 * struct vnpu_injection_kind - the attributes of a kind of fault
 * @has_class: true if the fault may be limited to one class of engines
 * @has_nth: true if the request selects the passes at which the fault happens
 * @has_delay: true if the request must give a delay
 * @has_addr: true if the request must give a client and its device address
 */
struct vnpu_injection_kind {
	bool has_class;
	bool has_nth;
	bool has_delay;
	bool has_addr;
};

static const struct vnpu_injection_kind vnpu_injection_kinds[] = {
	[VNPU_INJECT_KIND_ENGINE_HANG] = { .has_class = true, .has_nth = true },
	[VNPU_INJECT_KIND_ENGINE_SLOW] = { .has_class = true, .has_delay = true },
	[VNPU_INJECT_KIND_DOORBELL_LOST] = { .has_nth = true },
	[VNPU_INJECT_KIND_ALLOC_FAIL] = { .has_nth = true },
	[VNPU_INJECT_KIND_ECC_CORRECTED] = { .has_nth = true, .has_addr = true },
	[VNPU_INJECT_KIND_ECC_UNCORRECTED] = { .has_nth = true, .has_addr = true },
	[VNPU_INJECT_KIND_EVENT_OVERRUN] = { .has_nth = true },
	[VNPU_INJECT_KIND_HOST_ALLOC_FAIL] = { .has_nth = true },
	[VNPU_INJECT_KIND_ACCESS_FAULT] = { .has_nth = true, .has_addr = true },
	[VNPU_INJECT_KIND_CORE_HANG] = { .has_nth = true },
	[VNPU_INJECT_KIND_CORE_DIE] = { .has_nth = true },
	[VNPU_INJECT_KIND_CORE_SLOW] = { .has_nth = true, .has_delay = true },
	[VNPU_INJECT_KIND_CORE_TWICE] = { .has_nth = true },
	[VNPU_INJECT_KIND_CORE_GARBAGE] = { .has_nth = true },
};

/**
 * vnpu_inject_init() - initialize the list of faults of a device
 * @inject: the list
 */
void vnpu_inject_init(struct vnpu_inject *inject)
{
	spin_lock_init(&inject->lock);
	INIT_LIST_HEAD(&inject->faults);
}

/* Validate when a fault happens; the default is the next pass. */
static int vnpu_inject_check_point(struct vnpu_injection *fault, bool has_nth,
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
 * vnpu_inject_check() - validate a fault
 * @fault: the fault, with any values; an absent @nth is set to its default
 * @extack: receives a message about the first invalid value
 *
 * Return: 0 or -EINVAL.
 */
int vnpu_inject_check(struct vnpu_injection *fault,
		      struct netlink_ext_ack *extack)
{
	const struct vnpu_injection_kind *kind;

	if (fault->kind >= ARRAY_SIZE(vnpu_injection_kinds)) {
		NL_SET_ERR_MSG(extack, "unknown kind of fault");
		return -EINVAL;
	}
	kind = &vnpu_injection_kinds[fault->kind];
	if (fault->class != VNPU_INJECT_ANY_CLASS &&
	    (!kind->has_class || fault->class >= VNPU_ENGINE_CLASSES)) {
		NL_SET_ERR_MSG(extack, "engine class unknown or not applicable to this fault");
		return -EINVAL;
	}
	if (kind->has_delay != !!fault->delay_us ||
	    fault->delay_us > VNPU_FAULT_DELAY_MAX) {
		NL_SET_ERR_MSG(extack,
			       "delay-us must be 1 to 60000000 for engine-slow and core-slow, else absent");
		return -EINVAL;
	}
	if (kind->has_addr != !!fault->addr ||
	    (kind->has_addr && fault->client == VNPU_INJECT_ANY_CLIENT)) {
		NL_SET_ERR_MSG(extack,
			       "ecc-* and access-fault need addr and client-id, others no addr");
		return -EINVAL;
	}
	return vnpu_inject_check_point(fault, kind->has_nth, extack);
}

static struct vnpu_injection_entry *
vnpu_inject_find_locked(struct vnpu_inject *inject,
			const struct vnpu_injection *fault)
{
	struct vnpu_injection_entry *entry;

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
				      struct vnpu_injection_entry *entry)
{
	lockdep_assert_held(&inject->lock);
	list_del(&entry->link);
	inject->count--;
}

static void vnpu_injection_entry_free(struct vnpu_injection_entry *entry)
{
	kfree(entry);
	atomic_dec(&vnpu_inject_count);
}

/**
 * vnpu_inject_set() - start to inject a fault
 * @inject: the faults of the device
 * @fault: the fault, validated by vnpu_inject_check(); it replaces the fault of
 *	the same kind, class, client and address, if there is one
 *
 * Return: 0, -ENOMEM or -ENOSPC (the list is full).
 */
int vnpu_inject_set(struct vnpu_inject *inject, const struct vnpu_injection *fault)
{
	struct vnpu_injection_entry *entry, *old;
	bool full;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->fault = *fault;
	/*
	 * Count before the fault is in the list, so that no pass is missed.
	 */
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
		vnpu_injection_entry_free(old);
	return full ? -ENOSPC : 0;
}

/**
 * vnpu_inject_clear() - stop to inject a fault
 * @inject: the faults of the device
 * @fault: the kind, class, client and address of the fault
 *
 * The effects of the fault remain: an engine that hangs continues to hang.
 *
 * Return: 0 or -ENOENT.
 */
int vnpu_inject_clear(struct vnpu_inject *inject,
		      const struct vnpu_injection *fault)
{
	struct vnpu_injection_entry *entry;

	spin_lock(&inject->lock);
	entry = vnpu_inject_find_locked(inject, fault);
	if (entry)
		vnpu_inject_remove_locked(inject, entry);
	spin_unlock(&inject->lock);
	if (!entry)
		return -ENOENT;
	vnpu_injection_entry_free(entry);
	return 0;
}

/**
 * vnpu_inject_clear_all() - stop to inject all faults of a device
 * @inject: the faults of the device
 */
void vnpu_inject_clear_all(struct vnpu_inject *inject)
{
	struct vnpu_injection_entry *entry, *next;
	LIST_HEAD(faults);

	spin_lock(&inject->lock);
	list_splice_init(&inject->faults, &faults);
	inject->count = 0;
	spin_unlock(&inject->lock);
	list_for_each_entry_safe(entry, next, &faults, link)
		vnpu_injection_entry_free(entry);
}

/**
 * vnpu_inject_get_next() - iterate over the faults of a device
 * @inject: the faults of the device
 * @number: number of the previous fault, 0 at first; set to that of this fault
 * @fault: filled with the fault
 *
 * Return: true, or false if there is no further fault.
 */
bool vnpu_inject_get_next(struct vnpu_inject *inject, u64 *number,
			  struct vnpu_injection *fault)
{
	struct vnpu_injection_entry *entry;
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
