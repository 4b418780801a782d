// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench copy: copies to, from and on the device, and their peers.
 *
 * A copy to the device is a copy by the kernel, like a write to a memfd;
 * memcpy() of the C library may use instructions that the kernel avoids.
 *
 * Copies by a stream use pinned host memory. For copies on the device there is
 * no peer that is only a copy by the kernel; the closest ones are reading a
 * memfd and copying from one to another.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"
#include "npu.h"
#include "report.h"

#define SIZE_MAX_BYTES	(16 * MIB)
/*
 * Copies on the device have their destination shifted by this. An emulated CPU
 * caches all addresses that are a power of two apart in the same place, and a
 * copy between two of these takes four times as long as any other.
 */
#define APART		(68 * KIB)

static const uint64_t sizes[] = { 4 * KIB, 64 * KIB, MIB, 16 * MIB };

/* The buffers of copies, all of SIZE_MAX_BYTES. */
struct buffers {
	char *host[2];
	void *pinned;
	void *device[2];
	void *apart;		/* in the second */
	int memfd[2];
	aclrtStream stream;
	uint64_t size;		/* of a copy */
};

static int to_device(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	return npu_errno(aclrtMemcpy(b->device[0], b->size, b->host[0], b->size,
				     ACL_MEMCPY_HOST_TO_DEVICE));
}

static int to_host(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	return npu_errno(aclrtMemcpy(b->host[0], b->size, b->device[0], b->size,
				     ACL_MEMCPY_DEVICE_TO_HOST));
}

static int on_device(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	return npu_errno(aclrtMemcpy(b->apart, b->size, b->device[0],
				     b->size, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

static int fill_device(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	return npu_errno(aclrtMemset(b->device[0], b->size, 1, b->size));
}

static int by_stream(const struct buffers *b, void *to, const void *from,
		     aclrtMemcpyKind kind)
{
	aclError err = aclrtMemcpyAsync(to, b->size, from, b->size, kind,
					b->stream);

	return npu_errno(err ? err : aclrtSynchronizeStream(b->stream));
}

static int stream_to_device(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	return by_stream(b, b->device[0], b->pinned, ACL_MEMCPY_HOST_TO_DEVICE);
}

static int stream_to_host(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	return by_stream(b, b->pinned, b->device[0], ACL_MEMCPY_DEVICE_TO_HOST);
}

static int stream_on_device(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	return by_stream(b, b->apart, b->device[0],
			 ACL_MEMCPY_DEVICE_TO_DEVICE);
}

static int to_memfd(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;
	ssize_t n = pwrite(b->memfd[0], b->host[0], b->size, 0);

	(void)ns;
	return n == (ssize_t)b->size ? 0 : -EIO;
}

static int from_memfd(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;
	ssize_t n = pread(b->memfd[0], b->host[0], b->size, 0);

	(void)ns;
	return n == (ssize_t)b->size ? 0 : -EIO;
}

static int among_memfds(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;
	off_t from = 0, to = 0;

	(void)ns;
	while (from < (off_t)b->size) {
		size_t left = b->size - (uint64_t)from;

		if (copy_file_range(b->memfd[0], &from, b->memfd[1], &to, left,
				    0) <= 0)
			return -EIO;
	}
	return 0;
}

/* Keep the compiler from removing a write that is never read. */
static void keep(const void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static int by_memcpy(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	memcpy(b->host[1], b->host[0], b->size);
	keep(b->host[1]);
	return 0;
}

static int by_memset(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	memset(b->host[1], 1, b->size);
	keep(b->host[1]);
	return 0;
}

/* At least 95 % as fast. */
#define STREAM_GOAL	(1 / 0.95)

/* Goals are for SIZE_MAX_BYTES. */
struct way {
	const char *title;
	struct subject subjects[4];
};

static const struct way ways[] = {
	{ "copy to the device", {
		{ .name = "vnpu", .run = to_device },
		{ .name = "memfd write", .run = to_memfd },
		{ .name = "memcpy", .run = by_memcpy } } },
	{ "copy to the host", {
		{ .name = "vnpu", .run = to_host },
		{ .name = "memfd read", .run = from_memfd },
		{ .name = "memcpy", .run = by_memcpy } } },
	{ "copy on the device", {
		{ .name = "vnpu", .run = on_device },
		{ .name = "memcpy", .run = by_memcpy } } },
	{ "copy by a stream to the device", {
		{ .name = "vnpu", .run = stream_to_device },
		{ .name = "memfd write", .run = to_memfd, .goal = STREAM_GOAL },
		{ .name = "memcpy", .run = by_memcpy } } },
	{ "copy by a stream to the host", {
		{ .name = "vnpu", .run = stream_to_host },
		{ .name = "memfd read", .run = from_memfd,
		  .goal = STREAM_GOAL },
		{ .name = "memcpy", .run = by_memcpy } } },
	{ "copy by a stream on the device", {
		{ .name = "vnpu", .run = stream_on_device },
		{ .name = "memfd read", .run = from_memfd,
		  .goal = STREAM_GOAL },
		{ .name = "memfd copy", .run = among_memfds,
		  .goal = STREAM_GOAL },
		{ .name = "memcpy", .run = by_memcpy } } },
	{ "fill", {
		{ .name = "vnpu", .run = fill_device },
		{ .name = "memset", .run = by_memset } } },
};

static void open_buffers(struct buffers *b)
{
	int i;

	for (i = 0; i < 2; i++) {
		b->host[i] = need(1, SIZE_MAX_BYTES);
		memset(b->host[i], i + 1, SIZE_MAX_BYTES);
		NPU_MUST(aclrtMallocAlign32(&b->device[i],
					    SIZE_MAX_BYTES + APART,
					    ACL_MEM_MALLOC_HUGE_FIRST));
		b->memfd[i] = memfd_create("vnpu-bench", MFD_CLOEXEC);
		if (b->memfd[i] < 0 ||
		    pwrite(b->memfd[i], b->host[i], SIZE_MAX_BYTES, 0) !=
		    SIZE_MAX_BYTES)
			die(BENCH_FAILED, "memfd: %s", strerror(errno));
	}
	b->apart = (char *)b->device[1] + APART;
	NPU_MUST(aclrtMallocHost(&b->pinned, SIZE_MAX_BYTES));
	memset(b->pinned, 1, SIZE_MAX_BYTES);
	NPU_MUST(aclrtCreateStream(&b->stream));
}

static void close_buffers(struct buffers *b)
{
	int i;

	for (i = 0; i < 2; i++) {
		free(b->host[i]);
		NPU_MUST(aclrtFree(b->device[i]));
		close(b->memfd[i]);
	}
	NPU_MUST(aclrtDestroyStream(b->stream));
	NPU_MUST(aclrtFreeHost(b->pinned));
}

static void measure(const struct options *opt, struct report *report,
		    const struct way *way, struct buffers *buffers)
{
	struct contest contest = { .title = way->title, .size = buffers->size };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(way->subjects); i++) {
		struct subject *subject;

		if (!way->subjects[i].name)
			continue;
		subject = contest_add(&contest);
		*subject = way->subjects[i];
		subject->arg = buffers;
		if (buffers->size != SIZE_MAX_BYTES)
			subject->goal = 0;
	}
	contest_run(&contest, opt);
	report_contest(report, &contest);
}

void bench_copy(const struct options *opt, struct report *report)
{
	struct buffers buffers;
	size_t i, k;

	open_buffers(&buffers);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (k = 0; k < ARRAY_SIZE(sizes); k++) {
			buffers.size = sizes[k];
			measure(opt, report, &ways[i], &buffers);
		}
	}
	close_buffers(&buffers);
}
