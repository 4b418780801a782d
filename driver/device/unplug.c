// SPDX-License-Identifier: GPL-2.0-only
/*
 * Removal of a device that is in use.
 *
 * The users of the device keep their objects, but can no longer use them: calls
 * and tasks fail with ENODEV, and accesses through host mappings with SIGBUS.
 * The users release the objects in the ordinary way, and the device is freed
 * with the last of them. A dma-buf that another driver has mapped cannot be
 * revoked: its memory stays valid until that driver unmaps it.
 */
#include "base/device.h"
#include "exec/core.h"
#include "exec/engine.h"
#include "mem/devmem.h"
#include "mem/dmabuf.h"
#include "va/bind.h"
#include "unplug.h"

static void vnpu_unplug_memory(struct vnpu_device *dev)
{
	struct vnpu_devmem_iter iter;
	struct vnpu_devmem *devmem;

	vnpu_devmem_iter_begin(&iter, dev);
	while ((devmem = vnpu_devmem_iter_next(&iter))) {
		if (!vnpu_devmem_iter_keep(&iter))
			continue;
		vnpu_devmem_iter_pause(&iter);
		/*
		 * Mark before the mappings are removed: see vnpu_block_check().
		 */
		WRITE_ONCE(devmem->mem.stale, true);
		vnpu_mapped_revoke(&devmem->mem, 0, devmem->mem.length);
		vnpu_dmabuf_zap(devmem, 0, devmem->mem.length);
		vnpu_devmem_iter_resume(&iter);
	}
	vnpu_devmem_iter_end(&iter);
}

/**
 * vnpu_device_unplug() - end all use of a device
 * @dev: the device, which can no longer be looked up; may be called once
 *
 * May sleep. On return, the host cannot access the memory of the device, and no
 * engine begins new work. The current part of a task may still be running.
 */
void vnpu_device_unplug(struct vnpu_device *dev)
{
	spin_lock(&dev->lock);
	WRITE_ONCE(dev->gone, true);
	spin_unlock(&dev->lock);
	vnpu_unplug_memory(dev);
	vnpu_cores_end_device(dev->engines);
	vnpu_engines_kick_all(dev->engines);
}
