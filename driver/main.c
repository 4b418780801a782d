// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu - a software NPU: loading and unloading of the module.
 *
 * Documentation/architecture.md describes the rooms (folders) of the driver.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mmu_notifier.h>
#include <linux/module.h>

#include <linux/vnpu.h>

#include "account/host_account.h"
#include "account/host_quota.h"
#include "account/user.h"
#include "base/device.h"
#include "base/params.h"
#include "client/history.h"
#include "device/create.h"
#include "device/hotplug.h"
#include "exec/fence.h"
#include "ioctl/file.h"
#include "mem/devmem.h"
#include "mem/key.h"
#include "mem/mem.h"
#include "mem/scrub.h"
#include "mem/userptr.h"
#include "netlink/netlink.h"
#include "sync/fence_import.h"
#include "sync/timeline.h"
#include "va/bind.h"

/* Each device page is mapped as one host page. */
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
	ret = vnpu_userptr_init();
	if (ret)
		goto err_bind_cache;
	ret = vnpu_fence_import_init();
	if (ret)
		goto err_userptr;
	ret = vnpu_keys_init();
	if (ret)
		goto err_fence_import;
	ret = vnpu_scrub_init();
	if (ret)
		goto err_keys;
	ret = vnpu_devices_init(&cfg);
	if (ret)
		goto err_scrub;
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
err_scrub:
	vnpu_scrub_fini();
err_keys:
	vnpu_keys_fini();
err_fence_import:
	vnpu_fence_import_fini();
err_userptr:
	vnpu_userptr_fini();
err_bind_cache:
	vnpu_bind_fini_cache();
err_devmem_cache:
	vnpu_devmem_fini_cache();
	return ret;
}

static void __exit vnpu_exit(void)
{
	vnpu_file_unregister();
	/* Before netlink: a write to a hotplug file sends events. */
	vnpu_hotplug_fini();
	vnpu_netlink_unregister();
	vnpu_history_forget_all();
	/* Owners are freed after a grace period by code of this module. */
	mmu_notifier_synchronize();
	vnpu_timelines_flush();
	vnpu_fence_import_fini();
	vnpu_fences_fini();
	vnpu_devices_fini();
	vnpu_scrub_fini();
	vnpu_keys_fini();
	vnpu_userptr_fini();
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
