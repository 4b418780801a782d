// SPDX-License-Identifier: GPL-2.0-only
/*
 * The smallest arena in which a recorded load completes, over the most bytes it
 * ever has live: 1.000 is perfect.
 *
 *	replay TRACE[.gz|.xz]...
 *
 * A trace has a line for each event: "a ID BYTES" and "f ID". Requests are
 * rounded up to pages. Contiguous: each in one run. Scattered: in pieces.
 */
#include <stdio.h>

#include "../../driver/core/allocator.h"

struct event {
	u32 id;
	u32 pages;	/* 0: free */
};

struct trace {
	struct event *event;
	size_t nr;
	u32 ids;
	u64 peak_bytes;
	u64 peak_pages;
};

static void *grow(void *p, size_t n, size_t *max, size_t size)
{
	if (n < *max)
		return p;
	*max = *max ? *max * 2 : 1024;
	p = realloc(p, *max * size);
	if (!p)
		abort();
	return p;
}

static FILE *trace_open(const char *path)
{
	const char *end = strrchr(path, '.');
	char command[4096];

	if (!end || (strcmp(end, ".gz") && strcmp(end, ".xz")))
		return fopen(path, "r");
	if (strchr(path, '\'') || strlen(path) > sizeof(command) - 32)
		return NULL;
	sprintf(command, "%s -dc '%s'", end[1] == 'g' ? "gzip" : "xz", path);
	return popen(command, "r");
}

static bool trace_read(struct trace *t, const char *path)
{
	size_t max_events = 0, max_ids = 0;
	unsigned long long id, bytes;
	u64 live = 0, live_pages = 0;
	u64 *size = NULL;
	char line[256];
	FILE *f;

	f = trace_open(path);
	if (!f)
		return false;
	memset(t, 0, sizeof(*t));
	while (fgets(line, sizeof(line), f)) {
		struct event e = { 0 };

		if (sscanf(line, "a %llu %llu", &id, &bytes) == 2) {
			while (id >= max_ids)
				size = grow(size, max_ids, &max_ids,
					    sizeof(*size));
			size[id] = bytes;
			e.pages = (bytes + 4095) / 4096 ?: 1;
			live += bytes;
			live_pages += e.pages;
		} else if (sscanf(line, "f %llu", &id) == 1 && id < max_ids) {
			live -= size[id];
			live_pages -= (size[id] + 4095) / 4096 ?: 1;
		} else {
			continue;
		}
		e.id = id;
		t->ids = max(t->ids, e.id + 1);
		t->peak_bytes = max(t->peak_bytes, live);
		t->peak_pages = max(t->peak_pages, live_pages);
		t->event = grow(t->event, t->nr, &max_events,
				sizeof(*t->event));
		t->event[t->nr++] = e;
	}
	free(size);
	fclose(f);
	return t->nr;
}

/* An object's pieces are a list through one array. */
struct piece {
	struct vnpu_extent ext;
	u32 next;
};

struct arena {
	struct vnpu_allocator *b;
	struct piece *piece;
	size_t nr_pieces;
	size_t max_pieces;
	u32 spare;
	u32 *object;
};

#define NONE	U32_MAX

static bool arena_alloc(struct arena *a, u32 id, u32 pages, u8 flags)
{
	struct vnpu_allocator_req req = { .pages = pages, .flags = flags };
	u32 p;

	a->object[id] = NONE;
	while (req.pages) {
		p = a->spare;
		if (p == NONE) {
			a->piece = grow(a->piece, a->nr_pieces, &a->max_pieces,
					sizeof(*a->piece));
			p = a->nr_pieces++;
			a->piece[p].next = NONE;
		}
		if (vnpu_allocator_alloc(a->b, &req, &a->piece[p].ext))
			return false;
		a->spare = a->piece[p].next;
		a->piece[p].next = a->object[id];
		a->object[id] = p;
		req.pages -= a->piece[p].ext.count;
	}
	return true;
}

static void arena_free(struct arena *a, u32 id)
{
	u32 p = a->object[id];

	while (p != NONE) {
		u32 next = a->piece[p].next;

		vnpu_allocator_free(a->b, a->piece[p].ext, true);
		a->piece[p].next = a->spare;
		a->spare = p;
		p = next;
	}
}

/* Segments are of 2 MiB; the rest beyond @pages is allocated first. */
static bool fits(const struct trace *t, u32 pages, u8 flags)
{
	struct vnpu_extent seg = { 0, (pages + 511) / 512 * 512 };
	struct arena a = { .spare = NONE };
	struct vnpu_allocator_req rest = {
		.pages = seg.count - pages,
		.flags = VNPU_ALLOC_CONTIGUOUS | VNPU_ALLOC_TOPDOWN,
	};
	struct vnpu_extent ext;
	bool ok = true;
	size_t i;

	a.b = vnpu_allocator_create(&seg, 1, true);
	a.object = calloc(t->ids, sizeof(*a.object));
	if (rest.pages)
		vnpu_allocator_alloc(a.b, &rest, &ext);
	for (i = 0; ok && i < t->nr; i++) {
		const struct event *e = &t->event[i];

		if (e->pages)
			ok = arena_alloc(&a, e->id, e->pages, flags);
		else
			arena_free(&a, e->id);
	}
	vnpu_allocator_destroy(a.b);
	free(a.piece);
	free(a.object);
	return ok;
}

/* To the page, provided that a larger arena is never worse. */
static double smallest(const struct trace *t, u8 flags)
{
	u32 low = t->peak_pages - 1;
	u32 high = t->peak_pages * 2;

	while (high - low > 1) {
		u32 mid = low + (high - low) / 2;

		if (fits(t, mid, flags))
			high = mid;
		else
			low = mid;
	}
	return high * 4096.0 / t->peak_bytes;
}

int main(int argc, char **argv)
{
	struct trace t;
	int i;

	printf("%-24s %9s %12s %11s %11s\n", "trace", "events", "peak live",
	       "contiguous", "scattered");
	for (i = 1; i < argc; i++) {
		const char *name = strrchr(argv[i], '/');

		if (!trace_read(&t, argv[i])) {
			fprintf(stderr, "replay: cannot read %s\n", argv[i]);
			return 1;
		}
		printf("%-24s %9zu %8llu MiB %11.4f %11.4f\n",
		       name ? name + 1 : argv[i], t.nr,
		       (unsigned long long)t.peak_bytes >> 20,
		       smallest(&t, VNPU_ALLOC_CONTIGUOUS), smallest(&t, 0));
		fflush(stdout);
		free(t.event);
	}
	return 0;
}
