// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engines of a device: their number, start and end. A device has none until
 * the first stream is created.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "base/device.h"
#include "engine.h"

static unsigned int copy_engines;
module_param(copy_engines, uint, 0444);
MODULE_PARM_DESC(copy_engines, "Copy engines of each device, 1 to 16 (default: one per CPU, at most 2)");

static unsigned int vector_engines;
module_param(vector_engines, uint, 0444);
MODULE_PARM_DESC(vector_engines, "Vector engines of each device, 1 to 16 (default: one per CPU, at most 2)");

static const char * const vnpu_engine_names[VNPU_ENGINE_STATS_CLASSES] = {
	[VNPU_ENGINE_COPY] = "copy",
	[VNPU_ENGINE_VECTOR] = "vector",
	[VNPU_ENGINE_AICORE] = "aicore",
};

/**
 * vnpu_engine_class_name() - get the name of a class of engines
 * @class: VNPU_ENGINE_COPY, _VECTOR or _AICORE
 */
const char *vnpu_engine_class_name(u32 class)
{
	return vnpu_engine_names[class];
}

static void vnpu_engines_stop_class(struct vnpu_engines *engines, u32 class)
{
	u32 i;

	for (i = 0; i < engines->count[class]; i++)
		kthread_stop(engines->engines[class][i].thread);
	kfree(engines->engines[class]);
	engines->engines[class] = NULL;
	engines->count[class] = 0;
}

static int vnpu_engines_start_class(struct vnpu_engines *engines, u32 class,
				    u32 count)
{
	u32 i;

	if (!count)
		count = min_t(u32, num_online_cpus(), 2);
	count = min_t(u32, count, VNPU_ENGINE_MAX);
	engines->engines[class] = kcalloc(count, sizeof(struct vnpu_engine),
					  GFP_KERNEL);
	if (!engines->engines[class])
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		struct vnpu_engine *engine = &engines->engines[class][i];

		engine->engines = engines;
		engine->class = class;
		engine->index = i;
		engine->thread = kthread_run(vnpu_engine_main, engine,
					     "vnpu%u-%s%u", engines->dev->index,
					     vnpu_engine_names[class], i);
		if (IS_ERR(engine->thread)) {
			int ret = PTR_ERR(engine->thread);

			vnpu_engines_stop_class(engines, class);
			return ret;
		}
		engines->count[class]++;
	}
	return 0;
}

/**
 * vnpu_engines_start() - start the engines, if they are not running
 * @engines: the engines of a device
 *
 * Return: 0, -ENOMEM or -EINTR.
 */
int vnpu_engines_start(struct vnpu_engines *engines)
{
	int ret = 0;

	mutex_lock(&engines->start_lock);
	if (!engines->started) {
		ret = vnpu_engines_start_class(engines, VNPU_ENGINE_COPY,
					       copy_engines);
		if (!ret) {
			ret = vnpu_engines_start_class(engines,
						       VNPU_ENGINE_VECTOR,
						       vector_engines);
			if (ret)
				vnpu_engines_stop_class(engines,
							VNPU_ENGINE_COPY);
		}
		if (!ret) {
			/* Pairs with vnpu_engines_are_started(). */
			smp_store_release(&engines->started, true);
		}
	}
	mutex_unlock(&engines->start_lock);
	return ret;
}

/**
 * vnpu_engines_create() - create the engines of a device, without starting them
 * @dev: the device
 *
 * Return: the engines or NULL.
 */
struct vnpu_engines *vnpu_engines_create(struct vnpu_device *dev)
{
	struct vnpu_engines *engines;
	u32 class;

	engines = kzalloc(sizeof(*engines), GFP_KERNEL);
	if (!engines)
		return NULL;
	engines->dev = dev;
	mutex_init(&engines->start_lock);
	mutex_init(&engines->reset_lock);
	vnpu_watchdog_init(engines);
	spin_lock_init(&engines->lock);
	INIT_LIST_HEAD(&engines->streams);
	INIT_LIST_HEAD(&engines->cores.list);
	xa_init_flags(&engines->cores.by_index,
		      XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	engines->users = RB_ROOT;
	init_waitqueue_head(&engines->detached);
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++) {
		init_waitqueue_head(&engines->sleepers[class]);
		vnpu_fairq_init(&engines->ready[class]);
	}
	return engines;
}

/**
 * vnpu_engines_destroy() - end the engines of a device
 * @engines: the engines, with no stream left, or NULL
 */
void vnpu_engines_destroy(struct vnpu_engines *engines)
{
	u32 class;

	if (!engines)
		return;
	vnpu_watchdog_stop(engines);
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		vnpu_engines_stop_class(engines, class);
	xa_destroy(&engines->cores.by_index);
	mutex_destroy(&engines->start_lock);
	mutex_destroy(&engines->reset_lock);
	kfree(engines);
}
