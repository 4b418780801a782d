// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu - a software NPU: load and unload.
 *
 * From the outside in: file.c (the node) and netlink*.c (what others see),
 * ioctl*.c (the ABI), then the objects: a client and the address space that
 * owns it (client.c, owner.c) and what is remembered of it (exited.c), its
 * addresses (window.c, hostmap.c, bind.c, resolve.c), the memory behind them
 * (mem.c, devmem.c, holder.c, slabs.c, hostmem.c, view.c) and files for it
 * (share.c, key.c, dmabuf*.c), a device and what it is made of (device.c, pages.c,
 * arena.c), how it comes and goes (hotplug.c, unplug.c), and who may have how
 * much of it (usage.c, quota.c); what is done with them: copy.c, compact.c,
 * evacuate.c, move.c, clear.c.
 * Streams run tasks (stream.c, ring.c, task*.c) on engines (engine.c, sched*.c)
 * and meet at timelines and counters (timeline*.c, counter.c, wait.c), and at
 * fences of the kernel (bounded.c, fence*.c). Trouble is made on demand
 * (inject.c), found (watchdog.c), ended (reset.c) and written down (coredump.c).
 * And core/, algorithms that know nothing of a kernel.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mmu_notifier.h>
#include <linux/module.h>

#include <linux/vnpu.h>

#include "account.h"
#include "bind.h"
#include "clear.h"
#include "device.h"
#include "devmem.h"
#include "exited.h"
#include "fence.h"
#include "fence_import.h"
#include "file.h"
#include "host_quota.h"
#include "hotplug.h"
#include "key.h"
#include "mem.h"
#include "netlink.h"
#include "params.h"
#include "timeline.h"
#include "user.h"

/* Device pages are mapped as host pages. */
static_assert(PAGE_SHIFT == VNPU_PAGE_SHIFT);

static int __init vnpu_init(void)
{
	struct vnpu_config cfg;
	int ret;

	ret = vnpu_params_parse(&cfg);
	if (ret)
		return ret;
	vnpu_mem_init_locks();
	vnpu_user_limits_init();
	ret = vnpu_devmem_init_cache();
	if (ret)
		return ret;
	ret = vnpu_bind_init_cache();
	if (ret)
		goto err_devmem_cache;
	ret = vnpu_fence_import_init();
	if (ret)
		goto err_bind_cache;
	ret = vnpu_keys_init();
	if (ret)
		goto err_fence_import;
	ret = vnpu_clear_init();
	if (ret)
		goto err_keys;
	ret = vnpu_devices_init(&cfg);
	if (ret)
		goto err_clear;
	ret = vnpu_netlink_register();
	if (ret)
		goto err_devices;
	ret = vnpu_hotplug_init();
	if (ret)
		goto err_netlink;
	ret = vnpu_file_register();
	if (ret)
		goto err_hotplug;

	pr_info("created %u device(s) with %llu MiB each of %s memory\n",
		cfg.ndevs, cfg.arena_size >> 20,
		cfg.region_size ? "reserved" : "kernel");
	return 0;

err_hotplug:
	vnpu_hotplug_fini();
err_netlink:
	vnpu_netlink_unregister();
	vnpu_host_quota_remove_all();
	vnpu_users_fini();
err_devices:
	vnpu_devices_fini();
err_clear:
	vnpu_clear_fini();
err_keys:
	vnpu_keys_fini();
err_fence_import:
	vnpu_fence_import_fini();
err_bind_cache:
	vnpu_bind_fini_cache();
err_devmem_cache:
	vnpu_devmem_fini_cache();
	return ret;
}

static void __exit vnpu_exit(void)
{
	vnpu_file_unregister();
	/* It tells by netlink. */
	vnpu_hotplug_fini();
	vnpu_netlink_unregister();
	vnpu_exited_forget_all();
	/* Owners are freed after a grace period, by code of this module. */
	mmu_notifier_synchronize();
	vnpu_timelines_flush();
	vnpu_fence_import_fini();
	vnpu_fences_fini();
	vnpu_devices_fini();
	vnpu_clear_fini();
	vnpu_keys_fini();
	vnpu_bind_fini_cache();
	vnpu_devmem_fini_cache();
	vnpu_host_quota_remove_all();
	vnpu_users_fini();
}

module_init(vnpu_init);
module_exit(vnpu_exit);

MODULE_DESCRIPTION("vnpu: a software NPU");
MODULE_AUTHOR("The vnpu developers");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
