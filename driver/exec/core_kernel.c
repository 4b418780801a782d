// SPDX-License-Identifier: GPL-2.0-only
/*
 * Launches and times of kernels, for monitors. A core names its kernels, and says
 * with each completion which of them ran. The driver counts and measures, so a
 * core cannot report more launches or time than it had. It can give a launch to
 * another of its own kernels.
 */
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "base/device.h"
#include "core.h"
#include "engine.h"

/**
 * vnpu_core_name_kernel() - name a kernel of a core
 * @core: the core, which the calling process has attached to
 * @number: a number from 1 to VNPU_ENGINE_KERNELS_MAX - 1
 * @name: the name
 *
 * Return: 0, -EBUSY if the number has a name, or -ENOMEM.
 */
int vnpu_core_name_kernel(struct vnpu_core *core, u32 number, const char *name)
{
	char *copy = kstrdup(name, GFP_KERNEL_ACCOUNT);

	if (!copy)
		return -ENOMEM;
	number = array_index_nospec(number, VNPU_ENGINE_KERNELS_MAX);
	/* A full barrier. Pairs with the dependency of a reader of the name. */
	if (!cmpxchg(&core->kernels[number].name, NULL, copy))
		return 0;
	kfree(copy);
	return -EBUSY;
}

/**
 * vnpu_core_free_names() - free the names of all kernels of a core
 * @core: the core, which no other thread uses
 */
void vnpu_core_free_names(struct vnpu_core *core)
{
	u32 i;

	for (i = 0; i < VNPU_ENGINE_KERNELS_MAX; i++)
		kfree(core->kernels[i].name);
}

/**
 * vnpu_core_count_kernel_locked() - count a launch that a core has ended
 * @core: the core
 * @slot: the slot of the launch, which the core has got
 * @number: number of its kernel, below VNPU_ENGINE_KERNELS_MAX
 * @now: CLOCK_MONOTONIC in ns, read while the caller held the lock
 */
void vnpu_core_count_kernel_locked(struct vnpu_core *core,
				   const struct vnpu_core_slot *slot,
				   u32 number, u64 now)
{
	struct vnpu_core_kernel *kernel;

	lockdep_assert_held(&core->dev->engines->lock);
	number = array_index_nospec(number, VNPU_ENGINE_KERNELS_MAX);
	kernel = &core->kernels[number];
	if (!READ_ONCE(kernel->name))
		kernel = &core->kernels[0];
	WRITE_ONCE(kernel->busy_ns, kernel->busy_ns + now - slot->fetched_at);
	/*
	 * Order the load of the name, which another thread may have stored, before
	 * the store of the number. Pairs with smp_load_acquire() in
	 * vnpu_core_read_kernel().
	 */
	smp_store_release(&kernel->launches, kernel->launches + 1);
}

/**
 * vnpu_core_read_kernel() - read the statistics of a kernel
 * @core: the core
 * @number: a number below VNPU_ENGINE_KERNELS_MAX
 * @f: filled with the statistics; its name is NULL for the kernels without one
 *
 * Return: false if it had no launches.
 */
bool vnpu_core_read_kernel(const struct vnpu_core *core, u32 number,
			   struct vnpu_core_kernel *f)
{
	const struct vnpu_core_kernel *kernel = &core->kernels[number];

	/* Pairs with smp_store_release() in vnpu_core_count_kernel_locked(). */
	f->launches = smp_load_acquire(&kernel->launches);
	f->busy_ns = READ_ONCE(kernel->busy_ns);
	f->name = READ_ONCE(kernel->name);
	return f->launches;
}
