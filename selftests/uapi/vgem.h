/* SPDX-License-Identifier: GPL-2.0-only */
/* vgem: a driver of the kernel whose only purpose is to provide dma-bufs. */
#ifndef SELFTESTS_VNPU_VGEM_H
#define SELFTESTS_VNPU_VGEM_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm/vgem_drm.h>

static inline int vgem_call(int vgem, unsigned long nr, void *arg)
{
	return ioctl(vgem, nr, arg) ? -errno : 0;
}

/* Open its node, or return -ENODEV. Cards of other drivers may come first. */
static inline int vgem_open(void)
{
	char path[32], name[8];
	unsigned int i;
	int fd;

	if (system("modprobe -q vgem") < 0)
		return -ENODEV;
	for (i = 0; i < 16; i++) {
		struct drm_version v = {
			.name = name,
			.name_len = sizeof(name),
		};

		snprintf(path, sizeof(path), "/dev/dri/card%u", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!vgem_call(fd, DRM_IOCTL_VERSION, &v) && v.name_len == 4 &&
		    !memcmp(name, "vgem", 4))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

/* @length is in whole pages. */
static inline int vgem_create(int vgem, unsigned int length, __u32 *handle)
{
	struct drm_mode_create_dumb d = {
		.width = 4096,
		.height = length / 4096,
		.bpp = 8,
	};
	int ret = vgem_call(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &d);

	*handle = d.handle;
	return ret;
}

/* Return a dma-buf, or a negative errno; @flags: 0 or DRM_RDWR */
static inline int vgem_export(int vgem, __u32 handle, __u32 flags)
{
	struct drm_prime_handle p = {
		.handle = handle,
		.flags = DRM_CLOEXEC | flags,
	};
	int ret = vgem_call(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);

	return ret ? ret : p.fd;
}

/* Users of the buffer now wait for the fence, for at most 10 seconds. */
static inline int vgem_fence_attach(int vgem, __u32 handle, __u32 *fence)
{
	struct drm_vgem_fence_attach a = {
		.handle = handle,
		.flags = VGEM_FENCE_WRITE,
	};
	int ret = vgem_call(vgem, DRM_IOCTL_VGEM_FENCE_ATTACH, &a);

	*fence = a.out_fence;
	return ret;
}

static inline int vgem_fence_signal(int vgem, __u32 fence)
{
	struct drm_vgem_fence_signal s = { .fence = fence };

	return vgem_call(vgem, DRM_IOCTL_VGEM_FENCE_SIGNAL, &s);
}

#endif
