// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that stand for timelines and counters.
 *
 * Files pass timelines from one process to another, and let event loops wait
 * for a value: a file is readable when its value is reached.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "pollers.h"
#include "timeline.h"
#include "timeline_file.h"

/**
 * struct vnpu_timeline_file - a file that stands for a timeline
 * @timeline: the timeline, with a reference; held unless @wait_only
 * @wait_only: ids of it must not signal it; constant
 * @value: the value that poll() waits for
 * @waiter: waits for it
 * @waits: it was not reached when the file was created
 * @pollers: the pollers of the file
 */
struct vnpu_timeline_file {
	struct vnpu_timeline *timeline;
	bool wait_only;
	u64 value;
	struct vnpu_waiter waiter;
	bool waits;
	struct vnpu_pollers pollers;
};

static void vnpu_timeline_file_wake(struct vnpu_waiter *waiter)
{
	struct vnpu_timeline_file *tf =
		container_of(waiter, struct vnpu_timeline_file, waiter);

	vnpu_pollers_call(&tf->pollers);
}

static __poll_t vnpu_timeline_file_poll(struct file *file,
					struct poll_table_struct *table)
{
	struct vnpu_timeline_file *tf = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &tf->pollers.queue, table);
	if (tf->timeline->kind == VNPU_TIMELINE_KIND_COUNTER)
		return 0;
	if (vnpu_timeline_value(tf->timeline) >= tf->value)
		events |= EPOLLIN | EPOLLRDNORM;
	if (vnpu_timeline_error(tf->timeline))
		events |= EPOLLERR;
	return events;
}

static void vnpu_timeline_file_free(struct vnpu_timeline_file *tf)
{
	if (tf->waits)
		vnpu_waiter_remove(&tf->waiter, tf->timeline);
	vnpu_pollers_fini(&tf->pollers);
	vnpu_timeline_drop(tf->timeline, tf->wait_only);
	kfree(tf);
}

static int vnpu_timeline_file_release(struct inode *inode, struct file *file)
{
	vnpu_timeline_file_free(file->private_data);
	return 0;
}

static const struct file_operations vnpu_timeline_file_ops = {
	.owner = THIS_MODULE,
	.release = vnpu_timeline_file_release,
	.poll = vnpu_timeline_file_poll,
};

/**
 * vnpu_timeline_file_create() - create a file that stands for a timeline
 * @timeline: the timeline, counter or stream; the file takes its own reference
 * @value: the value at which it is readable
 * @wait_only: ids of it must not signal it
 *
 * Return: the file, or ERR_PTR() of -ENOENT if the last id has gone meanwhile,
 * -ENOMEM, or an error of anon_inode_getfile().
 */
struct file *vnpu_timeline_file_create(struct vnpu_timeline *timeline,
				       u64 value, bool wait_only)
{
	struct vnpu_timeline_file *tf;
	struct file *file;

	tf = kzalloc(sizeof(*tf), GFP_KERNEL_ACCOUNT);
	if (!tf)
		return ERR_PTR(-ENOMEM);
	if (!wait_only && !vnpu_timeline_try_hold(timeline)) {
		kfree(tf);
		return ERR_PTR(-ENOENT);
	}
	vnpu_pollers_init(&tf->pollers);
	vnpu_timeline_get(timeline);
	tf->timeline = timeline;
	tf->wait_only = wait_only;
	tf->value = value;
	file = anon_inode_getfile("[vnpu-timeline]", &vnpu_timeline_file_ops,
				  tf, O_RDWR);
	if (IS_ERR(file)) {
		vnpu_timeline_file_free(tf);
		return file;
	}
	if (timeline->kind != VNPU_TIMELINE_KIND_COUNTER)
		tf->waits = vnpu_waiter_add(&tf->waiter, timeline, value,
					    vnpu_timeline_file_wake);
	return file;
}

/**
 * vnpu_timeline_file_get() - get the timeline of a file
 * @fd: any number
 * @wait_only: set to whether ids of it must not signal it
 *
 * Return: the timeline, with a reference, and held unless @wait_only; or
 * ERR_PTR of -EBADF or -EINVAL.
 */
struct vnpu_timeline *vnpu_timeline_file_get(int fd, bool *wait_only)
{
	struct vnpu_timeline *timeline = ERR_PTR(-EINVAL);
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (vnpu_timeline_is_file(file)) {
		struct vnpu_timeline_file *tf = file->private_data;

		timeline = tf->timeline;
		/*
		 * While the file is referenced, so that the timeline does not
		 * end in between.
		 */
		vnpu_timeline_get(timeline);
		*wait_only = tf->wait_only;
		if (!tf->wait_only)
			vnpu_timeline_hold(timeline);
	}
	fput(file);
	return timeline;
}

/**
 * vnpu_timeline_is_file() - check whether a file stands for a timeline
 * @file: any file
 *
 * Return: true if it does.
 */
bool vnpu_timeline_is_file(const struct file *file)
{
	return file->f_op == &vnpu_timeline_file_ops;
}
