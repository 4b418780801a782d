/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timelines: values that only grow, and that can be waited for. All waits of
 * tasks, of the host and for files are for a value of a timeline. The value of
 * a counter can increase and decrease, and only tasks wait for it (counter.h).
 */
#ifndef VNPU_TIMELINE_H
#define VNPU_TIMELINE_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/rbtree.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct vnpu_client;
struct vnpu_device;
struct vnpu_timeline;
struct vnpu_account;

/**
 * struct vnpu_waiter - a waiter for a value
 * @node: in vnpu_timeline.waiters; empty when it does not wait
 * @value: the value
 * @wake: called once, when the value is reached or never will be, with the
 *	timeline's lock held. The waiter is out of the tree by then.
 */
struct vnpu_waiter {
	struct rb_node node;
	u64 value;
	void (*wake)(struct vnpu_waiter *waiter);
};

/**
 * struct vnpu_timeline - a timeline, which may be a stream's, or a counter
 * @ref: held by each id and file of it, and by its waiters
 * @rcu: an id may be looked up without a reference
 * @later: queues it when vnpu_timeline_put_later() has dropped the last
 *	reference
 * @release: called with the last reference, to free it by @rcu; may sleep;
 *	constant
 * @unheld: called when it has no holder any more, after it has ended; may be
 *	NULL; constant
 * @kind: VNPU_TIMELINE_KIND_*; constant
 * @number: of a counter: its number on the device; constant
 * @dev: of a counter: its device, with a reference; constant
 * @account: of a counter: the account that its number is charged to, with a
 *	reference to its client; NULL when it has no holder any more
 * @holders: number of ids and files that may signal it, unless it is a
 *	stream's; it ends with the last
 * @value: may be read by any thread; U64_MAX at the end. That of a stream is
 *	written by the engine that runs it, others under @lock.
 * @lock: protects the following
 * @error: why waits fail, -errno; 0 if they do not
 * @nr_waiters: number of waiters; may be read by any thread
 * @waiters: by value
 * @counter_waiters: those of a counter, vnpu_counter_waiter.link, in the order
 *	of arrival
 * @counter_at: the link of the next waiter to check since the last change of a
 *	counter; @counter_waiters itself when all were checked
 * @counter_changes: how often the counter was changed
 */
struct vnpu_timeline {
	struct kref ref;
	union {
		struct rcu_head rcu;
		struct llist_node later;
	};
	void (*release)(struct vnpu_timeline *timeline);
	void (*unheld)(struct vnpu_timeline *timeline);
	u32 kind;
	u32 number;
	struct vnpu_device *dev;
	struct vnpu_account *account;
	atomic_t holders;
	u64 value;

	spinlock_t lock;
	int error;
	u32 nr_waiters;
	struct rb_root_cached waiters;
	struct list_head counter_waiters;
	struct list_head *counter_at;
	u64 counter_changes;
};

/* In vnpu_client.timelines: streams that the client has created. */
#define VNPU_MARK_STREAM	XA_MARK_0

/* The tag of timelines for which the client may only wait; others have none. */
#define VNPU_TAG_WAIT_ONLY	1

static inline struct vnpu_timeline *vnpu_timeline_of_entry(void *entry)
{
	return xa_untag_pointer(entry);
}

void vnpu_timeline_init(struct vnpu_timeline *timeline, u32 kind,
			void (*release)(struct vnpu_timeline *timeline));
struct vnpu_timeline *vnpu_timeline_create(u64 value);
void vnpu_timeline_get(struct vnpu_timeline *timeline);
void vnpu_timeline_put(struct vnpu_timeline *timeline);
void vnpu_timeline_put_later(struct vnpu_timeline *timeline);
void vnpu_timelines_flush(void);
void vnpu_timeline_hold(struct vnpu_timeline *timeline);
bool vnpu_timeline_try_hold(struct vnpu_timeline *timeline);
void vnpu_timeline_unhold(struct vnpu_timeline *timeline);

bool vnpu_timeline_wake_some(struct vnpu_timeline *timeline, u64 reached, u64 *cost);
void vnpu_timeline_wake(struct vnpu_timeline *timeline, u64 reached);
void vnpu_timeline_set_end(struct vnpu_timeline *timeline, int error);
void vnpu_timeline_end(struct vnpu_timeline *timeline, int error);
void vnpu_timeline_reach(struct vnpu_timeline *timeline, u64 value, int error);
int vnpu_timeline_signal(struct vnpu_timeline *timeline, u64 value, u32 mode,
			 u64 *reached, u64 *cost);
int vnpu_timeline_signal_all(struct vnpu_timeline *timeline, u64 value, u32 mode);
int vnpu_timeline_error(struct vnpu_timeline *timeline);

bool vnpu_waiter_add(struct vnpu_waiter *waiter,
		     struct vnpu_timeline *timeline, u64 value,
		     void (*wake)(struct vnpu_waiter *waiter));
bool vnpu_waiter_remove(struct vnpu_waiter *waiter,
			struct vnpu_timeline *timeline);
bool vnpu_waiter_remove_locked(struct vnpu_waiter *waiter,
			       struct vnpu_timeline *timeline);

/* Check if it has still to be woken; the timeline's lock is held. */
static inline bool vnpu_waiter_waits_locked(const struct vnpu_waiter *waiter)
{
	return !RB_EMPTY_NODE(&waiter->node);
}

int vnpu_timeline_reserve_ids(struct vnpu_client *client, u32 count, u64 *first);
int vnpu_timeline_reserve_id(struct vnpu_client *client, u64 *id);
void vnpu_timeline_cancel_id(struct vnpu_client *client, u64 id);
void vnpu_timeline_publish_id(struct vnpu_client *client, u64 id,
			      struct vnpu_timeline *timeline, bool wait_only);
int vnpu_timeline_find(struct vnpu_client *client, u64 id,
		       struct vnpu_timeline **timeline);
int vnpu_timeline_find_rights(struct vnpu_client *client, u64 id,
			      struct vnpu_timeline **timeline,
			      bool *wait_only);
int vnpu_timeline_find_to_signal(struct vnpu_client *client, u64 id,
				 struct vnpu_timeline **timeline);
void vnpu_timeline_drop(struct vnpu_timeline *timeline, bool wait_only);

static inline u64 vnpu_timeline_value(const struct vnpu_timeline *timeline)
{
	/*
	 * A reader that sees the value reached sees the stores before it. Pairs
	 * with the functions that change the value by smp_store_release().
	 */
	return smp_load_acquire(&timeline->value);
}

#endif
