/* SPDX-License-Identifier: GPL-2.0-only */
/* The last figures of clients that are gone. */
#ifndef VNPU_EXITED_H
#define VNPU_EXITED_H

#include <linux/bitmap.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

#include <linux/vnpu.h>

struct pid;
struct vnpu_client;
struct vnpu_user;

/* How many are remembered, of all users together. */
#define VNPU_EXITED_MAX	256

/**
 * struct vnpu_exited - what is remembered of a client
 * @ref: held by the client, the table, and a reader of the table
 * @node: in the table, by @seq. This, @seq and @user_link are under the table's
 *	lock.
 * @user_link: in vnpu_user.exited
 * @user: the user that answered for it, with a reference
 * @seq: its place among all that were remembered, from 1
 * @id: of the client
 * @pid: its process, with a reference
 * @uid: its user
 * @comm: the last name of its process
 * @opened: when it came, by CLOCK_MONOTONIC in ns
 * @closed: when it went
 * @busy_ns: how long engines have run its tasks
 * @nr_streams: how many streams it had when it ended
 * @devices: which devices it has used
 * @used: bytes that it held on each when it ended
 * @peak: the most bytes at one time
 *
 * It is written by the client, and constant once it is in the table.
 */
struct vnpu_exited {
	struct kref ref;
	struct rb_node node;
	struct list_head user_link;
	struct vnpu_user *user;
	unsigned long seq;
	unsigned long id;
	struct pid *pid;
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	u64 opened;
	u64 closed;
	u64 busy_ns;
	u32 nr_streams;
	DECLARE_BITMAP(devices, VNPU_MAX_DEVICES);
	u64 used[VNPU_MAX_DEVICES];
	u64 peak[VNPU_MAX_DEVICES];
};

struct vnpu_exited *vnpu_exited_create(const struct vnpu_client *client);
void vnpu_exited_note_end(const struct vnpu_client *client);
void vnpu_exited_add(const struct vnpu_client *client);
struct vnpu_exited *vnpu_exited_get_next(unsigned long *seq);
void vnpu_exited_put(struct vnpu_exited *exited);
unsigned int vnpu_exited_generation(void);
void vnpu_exited_forget_all(void);

#endif
