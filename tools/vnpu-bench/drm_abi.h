/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vnpu-bench: the calls of the kernel's DRM interface that it uses. Their
 * headers come with libdrm instead of the C library, and are not needed for
 * anything else.
 */
#ifndef VNPU_BENCH_DRM_ABI_H
#define VNPU_BENCH_DRM_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <stddef.h>

struct drm_version {
	int version_major;
	int version_minor;
	int version_patchlevel;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};

struct drm_gem_close {
	__u32 handle;
	__u32 pad;
};

struct drm_mode_create_dumb {
	__u32 height;
	__u32 width;
	__u32 bpp;
	__u32 flags;
	__u32 handle;
	__u32 pitch;
	__u64 size;
};

struct drm_mode_map_dumb {
	__u32 handle;
	__u32 pad;
	__u64 offset;
};

#define DRM_IOCTL_VERSION		_IOWR('d', 0x00, struct drm_version)
#define DRM_IOCTL_GEM_CLOSE		_IOW('d', 0x09, struct drm_gem_close)
#define DRM_IOCTL_MODE_CREATE_DUMB	_IOWR('d', 0xb2, struct drm_mode_create_dumb)
#define DRM_IOCTL_MODE_MAP_DUMB		_IOWR('d', 0xb3, struct drm_mode_map_dumb)

#endif /* VNPU_BENCH_DRM_ABI_H */
