/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Endless loops of calls of one user, beside one busy stream. A loop ends with the
 * error of the first call that fails, and the test has to check that it did not.
 */
#ifndef SELFTESTS_VNPU_LOOPS_H
#define SELFTESTS_VNPU_LOOPS_H

#include "../uapi/sync.h"
#include "beside.h"

#define FRAME		MIB(2)

/* Device memory that is left to other users. */
#define SPARE		MIB(8)

/* Offset of the loops' bindings in the window. */
#define LOOPS_AT	MIB(64)

#define HOLES		8192
#define FRAMES		16
#define BINDINGS	4096
#define SYNC_FILES	256

static inline int loop_pages(struct client *c)
{
	__u32 id;
	int ret = 0;

	while (!ret)
		ret = mem_alloc(c, 0, 0, 0, PAGE, &id) ?: mem_free(c, id);
	return ret;
}

/* Keep a stream busy, and allocate all memory but @length and SPARE. */
static inline int begin_scarce(struct client *c, __u64 length)
{
	struct vnpu_device_query q;
	__u32 id;

	return honest(c) ?: device_query(c, 0, &q) ?:
	       mem_alloc(c, 0, 0, 0, q.out_free - length - SPARE, &id);
}

/* Leave holes of one page, and no more than SPARE beside them. */
static inline int begin_extents(struct client *c)
{
	int ret = begin_scarce(c, 2 * HOLES * PAGE);
	__u64 i, va = c->base + LOOPS_AT;

	for (i = 0; !ret && i < 2 * HOLES; i++)
		ret = mem_alloc_at(c, 0, 0, 0, PAGE, va + i * PAGE);
	for (i = 0; !ret && i < 2 * HOLES; i += 2)
		ret = va_unbind(c, va + i * PAGE, PAGE);
	return ret;
}

static inline int loop_extents(struct client *c)
{
	__u32 id;
	int ret = 0;

	while (!ret)
		ret = mem_alloc(c, 0, 0, 0, HOLES * PAGE, &id) ?:
		      mem_free(c, id);
	return ret;
}

static inline int begin_compact(struct client *c)
{
	return begin_scarce(c, FRAMES * FRAME);
}

/* Hold a page in each 2 MiB, then allocate all but one of the 2 MiB pages. */
static inline int compact_once(struct client *c)
{
	__u64 i, va = c->base + LOOPS_AT;
	__u32 pages[FRAMES], id[FRAMES];
	int ret = 0;

	for (i = 0; !ret && i < FRAMES; i++)
		ret = mem_alloc_at(c, 0, 0, 0, FRAME - PAGE, va + i * FRAME) ?:
		      mem_alloc(c, 0, 0, 0, PAGE, &pages[i]);
	ret = ret ?: va_unbind(c, va, FRAMES * FRAME);
	for (i = 0; !ret && i + 1 < FRAMES; i++)
		ret = mem_alloc(c, 0, 0, VNPU_PAGE_SHIFT_2M, FRAME, &id[i]);
	for (i = 0; !ret && i + 1 < FRAMES; i++)
		ret = mem_free(c, id[i]);
	for (i = 0; !ret && i < FRAMES; i++)
		ret = mem_free(c, pages[i]);
	return ret;
}

static inline int loop_compact(struct client *c)
{
	int ret = 0;

	while (!ret)
		ret = compact_once(c);
	return ret;
}

static inline int loop_bind(struct client *c)
{
	__u64 i, va = c->base + LOOPS_AT;
	__u32 id = 0;
	int ret = mem_alloc(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE, &id);

	while (!ret) {
		for (i = 0; !ret && i < BINDINGS; i++)
			ret = va_bind(c, id, va + i * PAGE, PAGE, 0);
		ret = ret ?: va_unbind(c, va, BINDINGS * PAGE);
	}
	return ret;
}

/* Export and import fences of a stream's task, then close and destroy them. */
static inline int sync_once(struct client *c, struct stream *s, __u64 value)
{
	__u64 id[SYNC_FILES];
	int fd[SYNC_FILES], count, i, ret = 0;

	for (count = 0; !ret && count < SYNC_FILES; count++) {
		fd[count] = sync_export(c, s->id, value);
		if (fd[count] < 0)
			break;
		ret = sync_import(c, fd[count], &id[count]);
		if (ret)
			close(fd[count]);
	}
	for (i = 0; i < count - !!ret; i++) {
		close(fd[i]);
		ret = ret ?: timeline_destroy(c, id[i]);
	}
	return ret ? ret : count == SYNC_FILES ? 0 : fd[count];
}

static inline int loop_sync(struct client *c)
{
	struct stream s;
	int ret = stream_create(&s, c, 0);

	while (!ret) {
		stream_put(&s, task_copy(c->base + LENGTH, c->base, LENGTH));
		ret = stream_submit(&s) ?: sync_once(c, &s, s.last);
	}
	return ret;
}

static inline int loop_clients(struct client *c)
{
	struct client other;
	struct stream s;
	int ret = 0;

	(void)c;
	while (!ret) {
		ret = client_open_only(&other) ?:
		      window_map(&other, MIB(4), PROT_NONE) ?:
		      mem_alloc_at(&other, 0, 0, 0, MIB(1), other.base) ?:
		      stream_create(&s, &other, 0) ?:
		      stream_run(&s, task_fill(other.base, MIB(1), 1, 1));
		if (!ret)
			munmap(s.ring, s.map_size);
		client_close(&other);
	}
	return ret;
}

static inline int loop_doorbells(struct client *c)
{
	struct stream s;
	int ret = stream_create(&s, c, 0);

	while (!ret)
		ret = stream_doorbell(&s);
	return ret;
}

#endif
