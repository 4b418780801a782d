// SPDX-License-Identifier: GPL-2.0-only
/* Engine files: each stands for a core, see linux/vnpu_engine.h. */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>

#include <linux/vnpu_engine.h>

#include "exec/core.h"
#include "va/core_window.h"
#include "ioctl.h"

static int vnpu_engine_file_release(struct inode *inode, struct file *file)
{
	vnpu_core_destroy(file->private_data);
	return 0;
}

static long vnpu_engine_file_ioctl(struct file *file, unsigned int cmd,
				   unsigned long arg)
{
	return vnpu_engine_dispatch(file->private_data, cmd,
				    (void __user *)arg);
}

static int vnpu_engine_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vnpu_core *core = file->private_data;
	bool is_core = vnpu_core_is_current(core);

	if (!is_core && !vnpu_core_is_client(core))
		return -EPERM;
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	switch ((u64)vma->vm_pgoff << PAGE_SHIFT) {
	case VNPU_ENGINE_MMAP_STATE:
		return vnpu_core_mmap_state(core, vma);
	case VNPU_ENGINE_MMAP_WINDOW:
		return is_core ? vnpu_core_window_mmap(&core->window, vma) :
				 -EPERM;
	default:
		return -EINVAL;
	}
}

static __poll_t vnpu_engine_file_poll(struct file *file,
				      struct poll_table_struct *table)
{
	struct vnpu_core *core = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &core->pollers.queue, table);
	if (READ_ONCE(core->nr_events))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(core->has_ended))
		events |= EPOLLHUP;
	return events;
}

static const struct file_operations vnpu_engine_file_ops = {
	.owner = THIS_MODULE,
	.release = vnpu_engine_file_release,
	.unlocked_ioctl = vnpu_engine_file_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = vnpu_engine_file_mmap,
	.poll = vnpu_engine_file_poll,
};

/**
 * vnpu_engine_file_create() - create the file of a core
 * @core: the core, which the file owns, and which is destroyed on failure
 *
 * Return: the file or ERR_PTR().
 */
struct file *vnpu_engine_file_create(struct vnpu_core *core)
{
	struct file *file = anon_inode_getfile("[vnpu-engine]",
					       &vnpu_engine_file_ops, core,
					       O_RDWR);

	if (IS_ERR(file))
		vnpu_core_destroy(core);
	else
		/* So that memory is removed from all mappings at once. */
		file->f_mapping = core->inode->i_mapping;
	return file;
}
