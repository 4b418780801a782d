// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench copy: what moves bytes, beside what moves them elsewhere.
 *
 * A copy to the device is a copy by the kernel, as is a write to a memfd;
 * memcpy() of the C library may have instructions that the kernel leaves
 * alone.
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

static const uint64_t sizes[] = { 4 * KIB, 64 * KIB, MIB, 16 * MIB };

/* What is copied between; all of them SIZE_MAX_BYTES long. */
struct buffers {
	char *host[2];
	void *device[2];
	int memfd;
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
	return npu_errno(aclrtMemcpy(b->device[1], b->size, b->device[0],
				     b->size, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

static int fill_device(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;

	(void)ns;
	return npu_errno(aclrtMemset(b->device[0], b->size, 1, b->size));
}

static int to_memfd(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;
	ssize_t n = pwrite(b->memfd, b->host[0], b->size, 0);

	(void)ns;
	return n == (ssize_t)b->size ? 0 : -EIO;
}

static int from_memfd(void *arg, uint64_t *ns)
{
	const struct buffers *b = arg;
	ssize_t n = pread(b->memfd, b->host[0], b->size, 0);

	(void)ns;
	return n == (ssize_t)b->size ? 0 : -EIO;
}

/* Not to be left out because nobody reads what was written. */
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

struct way {
	const char *title;
	struct subject subjects[3];
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
		NPU_MUST(aclrtMallocAlign32(&b->device[i], SIZE_MAX_BYTES,
					    ACL_MEM_MALLOC_HUGE_FIRST));
	}
	b->memfd = memfd_create("vnpu-bench", MFD_CLOEXEC);
	if (b->memfd < 0)
		die(BENCH_FAILED, "memfd_create: %s", strerror(errno));
}

static void close_buffers(struct buffers *b)
{
	int i;

	for (i = 0; i < 2; i++) {
		free(b->host[i]);
		NPU_MUST(aclrtFree(b->device[i]));
	}
	close(b->memfd);
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
