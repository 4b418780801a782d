// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench: comparable facilities of the kernel.
 *
 * Device nodes are opened once.  Without the node, the creation fails and the
 * peer does not take part.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#include "drm_abi.h"
#include "peer.h"

#define DRM_NODES	16

/* In place of a descriptor, or of the error that there was instead. */
#define NOT_OPENED	INT_MIN

#define PAGE		4096u
#define HUGE_PAGE	(2u << 20)

static int map_shared(struct peer_buffer *b, off_t offset)
{
	void *addr = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  b->fd, offset);

	if (addr == MAP_FAILED)
		return -errno;
	b->addr = addr;
	return 0;
}

static int map_fd(struct peer_buffer *b)
{
	return map_shared(b, 0);
}

static void unmap(struct peer_buffer *b)
{
	if (b->addr)
		munmap(b->addr, b->size);
	b->addr = NULL;
}

static void close_fd(struct peer_buffer *b)
{
	unmap(b);
	close(b->fd);
}

/* vgem: buffers of the DRM driver without hardware, in shared memory. */
static int vgem_open(void)
{
	char path[32], name[8];
	int i, fd;

	for (i = 0; i < DRM_NODES; i++) {
		struct drm_version version = {
			.name = name,
			.name_len = sizeof(name),
		};

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!ioctl(fd, DRM_IOCTL_VERSION, &version) &&
		    version.name_len == 4 && !memcmp(name, "vgem", 4))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

static int vgem_create(struct peer_buffer *b)
{
	/* An image of the given size: 4 bytes per pixel, a page per line. */
	struct drm_mode_create_dumb create = {
		.width = PAGE / 4,
		.height = (uint32_t)(b->size / PAGE),
		.bpp = 32,
	};
	static int vgem = NOT_OPENED;

	if (vgem == NOT_OPENED)
		vgem = vgem_open();
	if (vgem < 0)
		return vgem;
	if (ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &create))
		return -errno;
	b->fd = vgem;
	b->handle = create.handle;
	return 0;
}

static int vgem_map(struct peer_buffer *b)
{
	struct drm_mode_map_dumb map = { .handle = b->handle };

	if (ioctl(b->fd, DRM_IOCTL_MODE_MAP_DUMB, &map))
		return -errno;
	return map_shared(b, (off_t)map.offset);
}

static void vgem_destroy(struct peer_buffer *b)
{
	struct drm_gem_close gem_close = { .handle = b->handle };

	unmap(b);
	ioctl(b->fd, DRM_IOCTL_GEM_CLOSE, &gem_close);
}

/* Open a node on first use; false on failure. */
static bool node_open(int *fd, const char *path)
{
	if (*fd == NOT_OPENED) {
		*fd = open(path, O_RDWR | O_CLOEXEC);
		if (*fd < 0)
			*fd = -errno;
	}
	return *fd < 0;
}

static int heap_create(struct peer_buffer *b)
{
	struct dma_heap_allocation_data alloc = {
		.len = b->size,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};
	static int heap = NOT_OPENED;

	if (node_open(&heap, "/dev/dma_heap/system"))
		return heap;
	if (ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &alloc))
		return -errno;
	b->fd = (int)alloc.fd;
	return 0;
}

static int memfd_create_sized(uint64_t size, unsigned int flags)
{
	int fd = memfd_create("vnpu-bench", MFD_CLOEXEC | flags);

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)size)) {
		int ret = -errno;

		close(fd);
		return ret;
	}
	return fd;
}

static int memfd_peer_create(struct peer_buffer *b)
{
	b->fd = memfd_create_sized(b->size, 0);
	return b->fd < 0 ? b->fd : 0;
}

/* Create a dma-buf of the pages of a memfd, which it keeps alive. */
static int udmabuf_create(struct peer_buffer *b)
{
	struct udmabuf_create create = {
		.flags = UDMABUF_FLAGS_CLOEXEC,
		.size = b->size,
	};
	static int node = NOT_OPENED;
	int memfd, ret;

	if (node_open(&node, "/dev/udmabuf"))
		return node;
	memfd = memfd_create_sized(b->size, MFD_ALLOW_SEALING);
	if (memfd < 0)
		return memfd;
	create.memfd = (uint32_t)memfd;
	ret = fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK);
	if (!ret)
		ret = b->fd = ioctl(node, UDMABUF_CREATE, &create);
	ret = ret < 0 ? -errno : 0;
	close(memfd);
	return ret;
}

static int map_private(struct peer_buffer *b, int flags)
{
	void *addr = mmap(NULL, b->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (addr == MAP_FAILED)
		return -errno;
	b->addr = addr;
	return 0;
}

static int anonymous_create(struct peer_buffer *b)
{
	return map_private(b, 0);
}

static int hugetlb_create(struct peer_buffer *b)
{
	return map_private(b, MAP_HUGETLB);
}

const struct peer peers[] = {
	{ "vgem", 0, vgem_create, vgem_map, vgem_destroy },
	{ "dma-heap", 0, heap_create, map_fd, close_fd },
	{ "udmabuf", 0, udmabuf_create, map_fd, close_fd },
	{ "memfd", 0, memfd_peer_create, map_fd, close_fd },
	{ "anonymous", 0, anonymous_create, NULL, unmap },
	{ "hugetlb", HUGE_PAGE, hugetlb_create, NULL, unmap },
};

const size_t peer_count = sizeof(peers) / sizeof(peers[0]);
