/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults on demand: what a device is told to do wrong. */
#ifndef VNPU_INJECT_H
#define VNPU_INJECT_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct netlink_ext_ack;
struct vnpu_client;
struct vnpu_device;
struct vnpu_engine;
struct vnpu_stream;
struct vnpu_usage;

/* Any client, any class of engines. */
#define VNPU_FAULT_ANY_CLIENT	0
#define VNPU_FAULT_ANY_CLASS	U32_MAX

/**
 * struct vnpu_fault - a fault that is to happen
 * @kind: VNPU_INJECT_KIND_*. With @class, @client and @addr it is what there is
 *	only one of.
 * @class: of the engine, VNPU_ENGINE_*, or VNPU_FAULT_ANY_CLASS
 * @client: id of the client, or VNPU_FAULT_ANY_CLIENT
 * @nth: at which occasion from now on; 0 when it has happened. Not of a slow
 *	engine, nor with @ppm.
 * @every: how many occasions later again; 0 for not
 * @ppm: in how many of a million occasions, or 0: then they are counted
 * @seed: of what is drawn for that
 * @drawn: for how many occasions it was
 * @delay_us: of a slow engine: how much it takes longer
 * @addr: of an error of memory: the client's device address; 0 of others
 * @hits: how often it has happened
 */
struct vnpu_fault {
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
 * struct vnpu_fault_entry - a fault in the list of a device
 * @link: in vnpu_inject.faults
 * @number: of the fault; grows along the list
 * @fault: the fault
 */
struct vnpu_fault_entry {
	struct list_head link;
	u64 number;
	struct vnpu_fault fault;
};

/**
 * struct vnpu_inject - the faults of a device
 * @lock: protects what follows; innermost
 * @faults: vnpu_fault_entry.link, in the order in which they were set
 * @count: how many
 * @last: number of the last that was set
 */
struct vnpu_inject {
	spinlock_t lock;
	struct list_head faults;
	u32 count;
	u64 last;
};

/*
 * How many faults there are, on all devices. It costs a load and a branch that
 * is not taken. A static key would cost nothing, but is patched while engines
 * run the code, which emulated CPUs do not bear: "Oops: int3".
 */
extern atomic_t vnpu_inject_count;

static inline bool vnpu_inject_is_on(void)
{
	return unlikely(atomic_read(&vnpu_inject_count));
}

void vnpu_inject_init(struct vnpu_inject *inject);
int vnpu_inject_check(struct vnpu_fault *fault,
		      struct netlink_ext_ack *extack);
int vnpu_inject_set(struct vnpu_inject *inject, const struct vnpu_fault *fault);
int vnpu_inject_clear(struct vnpu_inject *inject,
		      const struct vnpu_fault *fault);
void vnpu_inject_clear_all(struct vnpu_inject *inject);
bool vnpu_inject_get_next(struct vnpu_inject *inject, u64 *number,
			  struct vnpu_fault *fault);

/* Where faults happen; asked only while vnpu_inject_is_on(). */
int vnpu_inject_task(struct vnpu_engine *engine, struct vnpu_stream *stream,
		     bool starts, u64 *cost);
bool vnpu_inject_doorbell(const struct vnpu_stream *stream);
bool vnpu_inject_alloc(const struct vnpu_usage *usage);
bool vnpu_inject_host_alloc(const struct vnpu_client *client);
bool vnpu_inject_event(struct vnpu_device *dev, u64 client);
int vnpu_inject_memory(struct vnpu_device *dev, const struct vnpu_client *client,
		       u64 va, u64 length, u64 *addr);

#endif
