/* SPDX-License-Identifier: GPL-2.0-only */
/* Fault injection: the faults that an administrator sets for a device. */
#ifndef VNPU_INJECT_H
#define VNPU_INJECT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "base/device.h"

struct netlink_ext_ack;
struct vnpu_client;
struct vnpu_device;
struct vnpu_engine;
struct vnpu_stream;
struct vnpu_account;

/* Wildcards: any client, and any class of engines. */
#define VNPU_INJECT_ANY_CLIENT	0
#define VNPU_INJECT_ANY_CLASS	U32_MAX

/**
 * struct vnpu_injection - a fault to inject
 * @kind: VNPU_INJECT_KIND_*. Together with @class, @client and @addr it is
 *	unique on a device.
 * @class: class of the engine, VNPU_ENGINE_*, or VNPU_INJECT_ANY_CLASS
 * @client: id of the client, or VNPU_INJECT_ANY_CLIENT
 * @nth: number of passes of the injection point until the fault happens; 0 once
 *	it has happened.
 *	Not used by a slow engine, nor with @ppm.
 * @every: number of passes after which the fault happens again; 0 for never
 * @ppm: probability of the fault at a pass, in millionths; 0 if passes are
 *	counted instead
 * @seed: seed of the random numbers for @ppm
 * @drawn: number of random numbers drawn so far
 * @delay_us: time that a slow engine adds to each part of a task, or a slow core
 *	to a launch, in microseconds; 0 for other faults
 * @addr: device address of a memory error; 0 for other faults
 * @hits: number of times that the fault has happened
 */
struct vnpu_injection {
	u32 kind;
	u32 class;
	u64 client;
	u64 addr;
	u64 nth;
	u64 every;
	u32 ppm;
	u64 seed;
	u64 drawn;
	u64 delay_us;
	u64 hits;
};

/**
 * struct vnpu_injection_entry - a fault in the list of a device
 * @link: entry in vnpu_inject.faults
 * @number: number of the fault; increases along the list
 * @fault: the fault
 */
struct vnpu_injection_entry {
	struct list_head link;
	u64 number;
	struct vnpu_injection fault;
};

/*
 * The number of faults on all devices. The check costs a load and a branch that
 * is not taken. A static key would cost nothing, but it is patched while
 * engines run the code. Emulated CPUs do not support that: they fail with
 * "Oops: int3".
 */
extern atomic_t vnpu_inject_count;

static inline bool vnpu_inject_is_on(void)
{
	return unlikely(atomic_read(&vnpu_inject_count));
}

void vnpu_inject_init(struct vnpu_inject *inject);
int vnpu_inject_check(struct vnpu_injection *fault,
		      struct netlink_ext_ack *extack);
int vnpu_inject_set(struct vnpu_inject *inject, const struct vnpu_injection *fault);
int vnpu_inject_clear(struct vnpu_inject *inject,
		      const struct vnpu_injection *fault);
void vnpu_inject_clear_all(struct vnpu_inject *inject);
bool vnpu_inject_get_next(struct vnpu_inject *inject, u64 *number,
			  struct vnpu_injection *fault);

/* The points where faults happen; called only if vnpu_inject_is_on(). */
bool vnpu_inject_happens(struct vnpu_device *dev, u32 kind, u32 class, u64 client,
			 u64 *delay_us);
bool vnpu_inject_alloc(const struct vnpu_account *account);
bool vnpu_inject_host_alloc(const struct vnpu_client *client);
bool vnpu_inject_event(struct vnpu_device *dev, u64 client);
int vnpu_inject_memory(struct vnpu_device *dev, const struct vnpu_client *client,
		       u64 va, u64 length, u64 *addr);

#endif
