// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files for developers of the driver in /sys/kernel/debug/vnpu: the state of
 * each device's allocator and engines. Nothing here is an ABI.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

#include "base/device.h"
#include "exec/engine.h"
#include "debugfs.h"

static struct dentry *vnpu_debugfs_root;

static int allocator_show(struct seq_file *m, void *unused)
{
	struct vnpu_device *dev = m->private;
	struct vnpu_allocator_stats stats;
	u64 objects, requested, moved;
	u32 extents;
	int order;

	spin_lock(&dev->lock);
	vnpu_allocator_get_stats(dev->allocator, &stats);
	objects = dev->nr_objects;
	extents = dev->nr_extents;
	requested = dev->requested;
	moved = dev->moved;
	spin_unlock(&dev->lock);

	seq_printf(m, "pages total=%u free=%u dirty=%u largest=%u runs=%u\n",
		   stats.total, stats.free, stats.dirty, stats.largest,
		   stats.runs);
	seq_printf(m, "objects count=%llu extents=%u asked_bytes=%llu moved_bytes=%llu\n",
		   objects, extents, requested, moved);
	seq_printf(m, "segments count=%u\n", dev->nr_segs);
	for (order = 0; order < VNPU_ALLOCATOR_ORDERS; order++)
		if (stats.free_blocks[order])
			seq_printf(m, "order %d free=%u\n", order,
				   stats.free_blocks[order]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(allocator);

static void vnpu_debugfs_show_engine(struct seq_file *m,
				     struct vnpu_engine *engine)
{
	u64 running = READ_ONCE(engine->running);
	u64 beat = READ_ONCE(engine->beat);
	/*
	 * Only the engine writes it; the value may be outdated when it is
	 * shown.
	 */
	u32 busy_polled = data_race(engine->nr_busy_polled);
	u64 now = ktime_get_ns();

	seq_printf(m, "%s%u thread=%d asleep=%d polling=%u tasks=%llu busy_ns=%llu",
		   vnpu_engine_class_name(engine->class), engine->index,
		   task_pid_nr(engine->thread), READ_ONCE(engine->asleep),
		   busy_polled, READ_ONCE(engine->tasks),
		   vnpu_engine_busy_ns(engine));
	if (running)
		seq_printf(m, " client=%llu number=%llu turn_ns=%llu",
			   running >> VNPU_ENGINE_NUMBER_BITS,
			   running & (BIT_ULL(VNPU_ENGINE_NUMBER_BITS) - 1),
			   beat && beat < now ? now - beat : 0);
	seq_putc(m, '\n');
}

static int engines_show(struct seq_file *m, void *unused)
{
	struct vnpu_device *dev = m->private;
	struct vnpu_engines *engines = dev->engines;
	u32 class, i;

	mutex_lock(&engines->start_lock);
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		for (i = 0; i < engines->count[class]; i++)
			vnpu_debugfs_show_engine(m,
						 &engines->engines[class][i]);
	mutex_unlock(&engines->start_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(engines);

/**
 * vnpu_debugfs_init() - create the directory of all devices
 *
 * A failure has no consequences: without debugfs there are no files.
 */
void vnpu_debugfs_init(void)
{
	vnpu_debugfs_root = debugfs_create_dir("vnpu", NULL);
}

/**
 * vnpu_debugfs_fini() - remove the directory of all devices
 */
void vnpu_debugfs_fini(void)
{
	debugfs_remove(vnpu_debugfs_root);
}

/**
 * vnpu_debugfs_add() - create the files of a device
 * @dev: the device, fully initialized
 */
void vnpu_debugfs_add(struct vnpu_device *dev)
{
	char name[12];

	snprintf(name, sizeof(name), "%u", dev->index);
	dev->debugfs = debugfs_create_dir(name, vnpu_debugfs_root);
	debugfs_create_file("allocator", 0400, dev->debugfs, dev,
			    &allocator_fops);
	debugfs_create_file("engines", 0400, dev->debugfs, dev, &engines_fops);
}

/**
 * vnpu_debugfs_remove() - remove the files of a device, and wait for readers
 * @dev: the device
 */
void vnpu_debugfs_remove(struct vnpu_device *dev)
{
	debugfs_remove(dev->debugfs);
}
