// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device is taken away while it is used.
 *
 * Who uses it keeps what he has, but nothing of it works any more: calls and
 * tasks fail with ENODEV, the host's mappings of its memory with SIGBUS. All of
 * it is given back in the ordinary way, and the device itself with the last of
 * it. What the kernel has mapped for another driver by a dma-buf cannot be
 * taken from under it, and stays until that driver lets go.
 */
#include "bind.h"
#include "device.h"
#include "devmem.h"
#include "dmabuf.h"
#include "engine.h"
#include "unplug.h"

static void vnpu_unplug_memory(struct vnpu_device *dev)
{
	struct vnpu_devmem_iter iter;
	struct vnpu_devmem *devmem;

	vnpu_devmem_iter_begin(&iter, dev);
	while ((devmem = vnpu_devmem_iter_next(&iter))) {
		if (!vnpu_devmem_iter_pause(&iter))
			continue;
		/* Before it leaves the mappings, see vnpu_block_check(). */
		WRITE_ONCE(devmem->mem.stale, true);
		vnpu_mapped_revoke(&devmem->mem);
		vnpu_dmabuf_zap(devmem);
		vnpu_devmem_iter_resume(&iter);
	}
	vnpu_devmem_iter_end(&iter);
}

/**
 * vnpu_device_unplug() - have nobody use a device any more
 * @dev: the device, which can not be looked up any more; may be called once
 *
 * May sleep. On return the host does not reach its memory, and no engine begins
 * anything: a part of a task that one is at may still be under way.
 */
void vnpu_device_unplug(struct vnpu_device *dev)
{
	mutex_lock(&dev->lock);
	WRITE_ONCE(dev->gone, true);
	mutex_unlock(&dev->lock);
	vnpu_unplug_memory(dev);
	vnpu_engines_kick_all(dev->engines);
}
