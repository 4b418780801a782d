/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client of /dev/vnpu for the tests: an open file, its window, and for each
 * ioctl a function that returns 0 or a negative errno. The tests use no
 * library, as they test the kernel.
 */
#ifndef SELFTESTS_VNPU_CLIENT_H
#define SELFTESTS_VNPU_CLIENT_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/vnpu.h>

#ifdef CHECK_ERRNOS
#include <stdio.h>
#include <stdlib.h>

#include "errnos.h"
#endif

#define VNPU_NODE	"/dev/vnpu"

#define PAGE		((__u64)VNPU_PAGE_SIZE)
#define KIB(n)		((__u64)(n) << 10)
#define MIB(n)		((__u64)(n) << 20)
#define GIB(n)		((__u64)(n) << 30)

/* As large as any device that tests run on; this uses address space only. */
#define WINDOW_SIZE	(sizeof(void *) == 8 ? GIB(8) : MIB(512))

struct client {
	int fd;
	__u64 base;	/* of the window; 0 if there is none */
	__u64 size;
};

static inline void *ptr(__u64 address)
{
	return (void *)(uintptr_t)address;
}

static inline __u64 addr(const void *p)
{
	return (uintptr_t)p;
}

static inline int call(int fd, unsigned long nr, void *arg)
{
	if (!ioctl(fd, nr, arg))
		return 0;
#ifdef CHECK_ERRNOS
	if (!errno_is_listed(nr, errno)) {
		fprintf(stderr, "ioctl 0x%lx: %m is not listed in errnos.h\n",
			nr);
		abort();
	}
#endif
	return -errno;
}

static inline int window_map(struct client *c, __u64 size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_SHARED, c->fd, VNPU_MMAP_WINDOW);

	if (p == MAP_FAILED)
		return -errno;
	c->base = addr(p);
	c->size = size;
	return 0;
}

static inline int client_open_only(struct client *c)
{
	memset(c, 0, sizeof(*c));
	c->fd = open(VNPU_NODE, O_RDWR | O_CLOEXEC);
	return c->fd < 0 ? -errno : 0;
}

/* Raise the limit of open files; open() reports if this has failed. */
static inline void client_allow_many(void)
{
	const struct rlimit files = { 4096, 4096 };

	setrlimit(RLIMIT_NOFILE, &files);
}

static inline void client_close(struct client *c)
{
	if (c->base)
		munmap(ptr(c->base), c->size);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	c->base = 0;
}

static inline int client_open(struct client *c)
{
	int ret = client_open_only(c);

	if (ret)
		return ret;
	ret = window_map(c, WINDOW_SIZE, PROT_NONE);
	if (ret)
		client_close(c);
	return ret;
}

static inline int info(const struct client *c, struct vnpu_info *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	return call(c->fd, VNPU_IOCTL_INFO, out);
}

/* Return the id of the client in netlink, or 0. */
static inline __u64 client_id(const struct client *c)
{
	struct vnpu_info i;

	return info(c, &i) ? 0 : i.out_client_id;
}

static inline __u32 device_count(const struct client *c)
{
	struct vnpu_info i;

	return info(c, &i) ? 0 : i.out_device_count;
}

static inline int device_query(const struct client *c, __u32 device,
			       struct vnpu_device_query *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->device = device;
	return call(c->fd, VNPU_IOCTL_DEVICE_QUERY, out);
}

/*
 * Changes if clients lose their memory on the device; ~0 without such a device.
 */
static inline __u64 device_lost(const struct client *c, __u32 device)
{
	struct vnpu_device_query q;

	return device_query(c, device, &q) ? ~0ULL : q.out_lost_epoch;
}

/* Return the bytes that all clients together have, or U64_MAX. */
static inline __u64 device_used(const struct client *c, __u32 device)
{
	struct vnpu_device_query q;

	return device_query(c, device, &q) ? ~0ULL : q.out_total - q.out_free;
}

static inline int mem_alloc(const struct client *c, __u32 device, __u32 flags,
			    __u32 page_shift, __u64 length, __u32 *id)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.flags = flags,
		.device = device,
		.page_shift = page_shift,
		.length = length,
	};
	int ret = call(c->fd, VNPU_IOCTL_MEM_ALLOC, &a);

	if (!ret)
		*id = a.out_id;
	return ret;
}

/* Allocate and bind in one call; the memory has no id. */
static inline int mem_alloc_at(const struct client *c, __u32 device,
			       __u32 flags, __u32 page_shift, __u64 length,
			       __u64 va)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.flags = flags | VNPU_MEM_F_BIND,
		.device = device,
		.page_shift = page_shift,
		.length = length,
		.va = va,
	};

	return call(c->fd, VNPU_IOCTL_MEM_ALLOC, &a);
}

static inline int mem_free(const struct client *c, __u32 id)
{
	struct vnpu_mem_free f = { .size = sizeof(f), .id = id };

	return call(c->fd, VNPU_IOCTL_MEM_FREE, &f);
}

static inline int mem_query(const struct client *c, __u32 id,
			    struct vnpu_mem_query *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->id = id;
	return call(c->fd, VNPU_IOCTL_MEM_QUERY, out);
}

static inline int va_bind(const struct client *c, __u32 id, __u64 va,
			  __u64 length, __u64 offset)
{
	struct vnpu_va_bind b = {
		.size = sizeof(b),
		.mem_id = id,
		.va = va,
		.length = length,
		.offset = offset,
	};

	return call(c->fd, VNPU_IOCTL_VA_BIND, &b);
}

static inline int va_protect(const struct client *c, __u64 va, __u64 length,
			     __u32 device, __u32 access)
{
	struct vnpu_va_protect p = {
		.size = sizeof(p),
		.va = va,
		.length = length,
		.device = device,
		.access = access,
	};

	return call(c->fd, VNPU_IOCTL_VA_PROTECT, &p);
}

static inline int mem_open(const struct client *c, __u64 va, __u32 *id)
{
	struct vnpu_mem_open o = { .size = sizeof(o), .va = va };
	int ret = call(c->fd, VNPU_IOCTL_MEM_OPEN, &o);

	if (!ret)
		*id = o.out_id;
	return ret;
}

/* Return a file descriptor or a negative errno. */
static inline int mem_export(const struct client *c, __u32 id)
{
	struct vnpu_mem_export e = { .size = sizeof(e), .id = id };
	int ret = call(c->fd, VNPU_IOCTL_MEM_EXPORT, &e);

	return ret ? ret : e.out_fd;
}

static inline int mem_import(const struct client *c, int fd, __u32 *id)
{
	struct vnpu_mem_import i = { .size = sizeof(i), .fd = fd };
	int ret = call(c->fd, VNPU_IOCTL_MEM_IMPORT, &i);

	if (!ret)
		*id = i.out_id;
	return ret;
}

/* Return a file descriptor or a negative errno. */
static inline int mem_export_dmabuf(const struct client *c, __u32 flags,
				    __u32 id)
{
	struct vnpu_mem_export_dmabuf e = {
		.size = sizeof(e),
		.flags = flags,
		.id = id,
	};
	int ret = call(c->fd, VNPU_IOCTL_MEM_EXPORT_DMABUF, &e);

	return ret ? ret : e.out_fd;
}

static inline int mem_import_dmabuf(const struct client *c, int fd,
				    struct vnpu_mem_import_dmabuf *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->fd = fd;
	return call(c->fd, VNPU_IOCTL_MEM_IMPORT_DMABUF, out);
}

static inline int va_unbind_flags(const struct client *c, __u32 flags,
				  __u64 va, __u64 length)
{
	struct vnpu_va_unbind u = {
		.size = sizeof(u),
		.flags = flags,
		.va = va,
		.length = length,
	};

	return call(c->fd, VNPU_IOCTL_VA_UNBIND, &u);
}

static inline int va_unbind(const struct client *c, __u64 va, __u64 length)
{
	return va_unbind_flags(c, 0, va, length);
}

/* Set the place for slabs; see slab_alloc(). */
static inline int slab_window(const struct client *c, __u32 device, __u64 va,
			      __u64 length)
{
	struct vnpu_slab_window w = {
		.size = sizeof(w),
		.device = device,
		.va = va,
		.length = length,
	};

	return call(c->fd, VNPU_IOCTL_SLAB_WINDOW, &w);
}

/* Allocate an object of a slab; @cost may be NULL. */
static inline int slab_alloc(const struct client *c, __u32 device,
			     __u64 length, __u64 *va, __u64 *cost)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.flags = VNPU_MEM_F_SLAB,
		.device = device,
		.length = length,
	};
	int ret = call(c->fd, VNPU_IOCTL_MEM_ALLOC, &a);

	if (!ret) {
		*va = a.out_va;
		if (cost)
			*cost = a.out_length;
	}
	return ret;
}

static inline int slab_free(const struct client *c, __u64 va)
{
	return va_unbind_flags(c, VNPU_VA_UNBIND_F_FREE, va, 0);
}

static inline int host_alloc(const struct client *c, __u64 length, __u32 *id)
{
	struct vnpu_host_alloc a = { .size = sizeof(a), .length = length };
	int ret = call(c->fd, VNPU_IOCTL_HOST_ALLOC, &a);

	if (!ret)
		*id = a.out_id;
	return ret;
}

static inline int host_register(const struct client *c, __u32 flags,
				const void *p, __u64 length, __u32 *id)
{
	struct vnpu_host_register r = {
		.size = sizeof(r),
		.flags = flags,
		.addr = addr(p),
		.length = length,
	};
	int ret = call(c->fd, VNPU_IOCTL_HOST_REGISTER, &r);

	if (!ret)
		*id = r.out_id;
	return ret;
}

static inline int va_query(const struct client *c, __u32 flags, __u64 va,
			   struct vnpu_va_query *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->flags = flags;
	out->va = va;
	return call(c->fd, VNPU_IOCTL_VA_QUERY, out);
}

static inline int copy_done(const struct client *c, __u64 dst, __u64 src,
			    __u64 length, __u64 *done)
{
	struct vnpu_copy k = {
		.size = sizeof(k),
		.dst = dst,
		.src = src,
		.length = length,
		.out_done = ~0ULL,
	};
	int ret = call(c->fd, VNPU_IOCTL_COPY, &k);

	*done = k.out_done;
	return ret;
}

static inline int copy(const struct client *c, __u64 dst, __u64 src,
		       __u64 length)
{
	__u64 done;

	return copy_done(c, dst, src, length, &done);
}

static inline int fill(const struct client *c, __u64 dst, __u64 length,
		       __u64 value, __u32 value_size)
{
	struct vnpu_fill f = {
		.size = sizeof(f),
		.dst = dst,
		.length = length,
		.value = value,
		.value_size = value_size,
	};

	return call(c->fd, VNPU_IOCTL_FILL, &f);
}

#endif
