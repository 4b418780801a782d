// SPDX-License-Identifier: GPL-2.0-only
/*
 * More ways of giving memory up than in secret.c, after each of which the data
 * cannot be found: by calls, by files, by an importer, with the window, by
 * exec(), and with the device itself.
 *
 * The victim stays alive, and its client stays open if possible, so that
 * neither can have freed the memory.
 */
#include "kselftest_harness.h"

#include "../uapi/stream.h"
#include "../uapi/trouble.h"
#include "secret.h"

/*
 * Allocate all of a device as one object, bound at the beginning of the window.
 */
static int take_object(const struct client *c, __u32 d, __u32 *id,
		       __u64 *length)
{
	struct vnpu_device_query q;
	int ret = device_query(c, d, &q);

	*length = q.out_free;
	return ret ?: mem_alloc(c, d, 0, 0, *length, id) ?:
	       va_bind(c, *id, c->base, *length, 0);
}

/* Do the same, and write the secret to it. */
static int take_written(const struct client *c, __u32 d, __u32 *id,
			__u64 *length)
{
	return take_object(c, d, id, length) ?:
	       write_fill(c, c->base, *length);
}

static int by_id(struct client *c, __u32 d)
{
	__u64 length;
	__u32 id;

	return take_written(c, d, &id, &length) ?:
	       va_unbind(c, c->base, 0) ?: mem_free(c, id);
}

static int by_unbind(struct client *c, __u32 d)
{
	__u64 length;
	__u32 id;

	return take_written(c, d, &id, &length) ?: mem_free(c, id) ?:
	       va_unbind(c, c->base, length);
}

static int by_unbind_that_frees(struct client *c, __u32 d)
{
	__u64 length;

	return take_all(c, d, 0, false, c->base, &length) ?:
	       write_fill(c, c->base, length) ?:
	       va_unbind_flags(c, VNPU_VA_UNBIND_F_FREE, c->base, c->size);
}

/* Close the exported file, which is the last reference to the memory. */
static int by_file(struct client *c, __u32 id, int fd)
{
	return fd < 0 ? fd :
	       va_unbind(c, c->base, 0) ?: mem_free(c, id) ?: close(fd);
}

static int by_file_of_memory(struct client *c, __u32 d)
{
	__u64 length;
	__u32 id;

	return take_written(c, d, &id, &length) ?:
	       by_file(c, id, mem_export(c, id));
}

static int by_dmabuf(struct client *c, __u32 d)
{
	__u64 length;
	__u32 id;

	return take_written(c, d, &id, &length) ?:
	       by_file(c, id, mem_export_dmabuf(c, 0, id));
}

/* The memory was written through the exported file, too. */
static int by_map_of_dmabuf(struct client *c, __u32 d)
{
	__u64 length, at;
	__u32 id;
	__u8 *p;
	int fd;

	if (take_object(c, d, &id, &length))
		return -EIO;
	fd = mem_export_dmabuf(c, 0, id);
	p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || by_file(c, id, fd))
		return -EIO;
	for (at = 0; at < length; at += 8 * PAGE)
		*(volatile __u64 *)(p + at + 1024) = SECRET;
	return munmap(p, length);
}

/* The exporter gave the memory up long before, and never wrote to it. */
static int by_importer(struct client *c, __u32 d)
{
	struct client maker;
	__u64 length;
	__u32 id;
	int fd;

	if (client_open(&maker) || take_object(&maker, d, &id, &length))
		return -EIO;
	fd = mem_export(&maker, id);
	if (fd < 0 || mem_import(c, fd, &id) || close(fd))
		return -EIO;
	client_close(&maker);
	return va_bind(c, id, c->base, length, 0) ?:
	       write_fill(c, c->base, length) ?:
	       va_unbind(c, c->base, 0) ?: mem_free(c, id);
}

#define SLABS	4096

/* Objects below a page, in shared pages. */
static int by_slabs(struct client *c, __u32 d)
{
	static __u64 va[SLABS];
	const __u64 length = 448;
	int ret = slab_window(c, d, c->base + d * MIB(16), MIB(16)), i;

	for (i = 0; !ret && i < SLABS; i++)
		ret = slab_alloc(c, d, length, &va[i], NULL) ?:
		      write_fill(c, va[i], length);
	for (i = 0; !ret && i < SLABS; i++)
		ret = slab_free(c, va[i]);
	return ret;
}

/* the pipe that signals the spy */
static int done;

/* Take all of one device after another; return whether that was the last. */
static bool take_next(const struct client *c, __u32 d)
{
	const __u64 va = c->base + d * GIB(1);
	__u64 length;

	if (take_all(c, d, 0, false, va, &length) ||
	    write_fill(c, va, length))
		_exit(3);
	return d + 1 == device_count(c);
}

/* The process holds the file, whose descriptor is closed already. */
static int by_window(struct client *c, __u32 d)
{
	if (!take_next(c, d))
		return 0;
	return close(c->fd) ?: munmap(ptr(c->base), c->size);
}

/* The file stays open, but its address space is gone. */
static int by_exec(struct client *c, __u32 d)
{
	if (!take_next(c, d))
		return 0;
	if (fcntl(c->fd, F_SETFD, 0) || dup2(done, STDOUT_FILENO) < 0)
		return -errno;
	return execl("/bin/sh", "sh", "-c", "echo; exec sleep 1000", NULL);
}

FIXTURE(secret_end)
{
	int done[2];
};

FIXTURE_VARIANT(secret_end)
{
	int (*give)(struct client *c, __u32 device);
};

/* clang-format off */
#define GIVEN(way)							\
	FIXTURE_VARIANT_ADD(secret_end, way) { .give = way }

GIVEN(by_id);
GIVEN(by_unbind);
GIVEN(by_unbind_that_frees);
GIVEN(by_file_of_memory);
GIVEN(by_dmabuf);
GIVEN(by_map_of_dmabuf);
GIVEN(by_importer);
GIVEN(by_slabs);
GIVEN(by_window);
GIVEN(by_exec);
/* clang-format on */

FIXTURE_SETUP(secret_end)
{
	ASSERT_EQ(0, pipe(self->done));
}

FIXTURE_TEARDOWN(secret_end)
{
	close(self->done[0]);
	close(self->done[1]);
}

TEST_F_TIMEOUT(secret_end, spy_reads_only_zeros, 120)
{
	pid_t pid = fork_bound();

	ASSERT_LE(0, pid);
	if (!pid) {
		struct client c;
		__u32 d, count;

		done = self->done[1];
		if (client_open(&c))
			_exit(1);
		count = device_count(&c);
		for (d = 0; d < count; d++)
			if (variant->give(&c, d))
				_exit(2);
		baton_pass(self->done[1]);
		pause();
	}
	close(self->done[1]);
	self->done[1] = -1;
	baton_take(self->done[0]);
	EXPECT_EQ(NO_LEAK, find_leak_anywhere());
	kill(pid, SIGKILL);
	child_wait(pid);
}

#define ADDED	MIB(16)

/*
 * The memory of a removed device goes back to the kernel, and the next device
 * gets it from there. The memory is removed while allocated, and after it was
 * freed.
 */
TEST(removed_device)
{
	struct client c;
	__u64 length;
	int device, i;

	for (i = 0; i < 8; i++) {
		device = device_add(ADDED);
		if (device == -EPERM)
			SKIP(return, "needs root");
		ASSERT_LT(0, device);
		ASSERT_EQ(0, client_open(&c));
		ASSERT_EQ(0, take_all(&c, device, 0, i & 1, c.base, &length));
		EXPECT_EQ(ADDED, length);
		EXPECT_EQ(NO_LEAK, find_leak(&c, c.base, length))
			TH_LOG("device %d, round %d", device, i);
		ASSERT_EQ(0, write_fill(&c, c.base, length));
		if (i & 2)
			ASSERT_EQ(0, va_unbind(&c, c.base, c.size));
		ASSERT_EQ(0, device_remove((__u32)device));
		client_close(&c);
	}
}

TEST_HARNESS_MAIN
