/* SPDX-License-Identifier: GPL-2.0-only */
/* History of exited clients. */
#ifndef VNPU_HISTORY_H
#define VNPU_HISTORY_H

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

/* Maximum number of records, of all users together. */
#define VNPU_HISTORY_MAX	256

/**
 * struct vnpu_history - the record of an exited client
 * @ref: held by the client, the table, and a reader of the table
 * @node: in the table, by @seq. This, @seq and @user_link are under the table's
 *	lock.
 * @user_link: in vnpu_user.history
 * @user: the user that answered for the client, with a reference
 * @seq: sequence number of the record, from 1
 * @id: id of the client
 * @pid: the client's process, with a reference
 * @uid: the client's user
 * @comm: last name of the process
 * @opened: time of the open, by CLOCK_MONOTONIC in ns
 * @closed: time of the close
 * @busy_ns: time for which engines have run the client's tasks
 * @nr_streams: number of streams at the end
 * @devices: the devices that the client has used
 * @used: for each device, bytes held at the end
 * @peak: for each device, the most bytes held at any time
 *
 * The client writes the record, which is constant once it is in the table.
 */
struct vnpu_history {
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

struct vnpu_history *vnpu_history_create(const struct vnpu_client *client);
void vnpu_history_note_end(const struct vnpu_client *client);
void vnpu_history_add(const struct vnpu_client *client);
struct vnpu_history *vnpu_history_get_next(unsigned long *seq);
void vnpu_history_put(struct vnpu_history *history);
unsigned int vnpu_history_generation(void);
void vnpu_history_forget_all(void);

#endif
