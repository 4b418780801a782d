// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure objects below a page, and planning a compaction: the best of many
 * parts of a run, as other processes may use the machine. "--json" prints one
 * array.
 */
#include <stdio.h>
#include <time.h>

#include "../../driver/core/compact.h"
#include "../../driver/core/slab.h"
#include "tap.h"

#define PASSES	7
#define PARTS	64

static bool json;
static bool first = true;

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void tell(const char *name, const char *unit, double value, u32 goal,
		 const char *more)
{
	if (json) {
		printf("%s{\"name\": \"%s\", \"%s\": %.2f, \"goal\": %u}",
		       first ? "[" : ", ", name, unit, value, goal);
	} else {
		printf("%-38s %9.1f %s", name, value, unit);
		if (goal)
			printf(", goal %u: %s", goal,
			       value <= goal ? "met" : "MISSED");
		printf("%s\n", more);
	}
	first = false;
	fflush(stdout);
}

struct load {
	const char *name;
	u32 live;
	u32 max_size;	/* sizes are uniform up to this one; all 64 if 64 */
	u32 pairs;
	u32 goal;	/* ns of a pair; 0: none */
};

static const struct load loads[] = {
	{ "slab: 64 B, 1 live, slab comes and goes", 1, 64, 4000000, 0 },
	{ "slab: 64 B, 1000 live", 1000, 64, 4000000, 10 },
	{ "slab: 64 B, 10^6 live", 1000000, 64, 4000000, 0 },
	{ "slab: to 1 KiB, 1000 live", 1000, 1024, 4000000, 0 },
	{ "slab: to 3584 B, 10^5 live", 100000, 3584, 4000000, 0 },
};

/* Slabs that are not in the cache. */
static struct vnpu_slab **spare;
static u32 nr_spare;

static inline u64 object_alloc(struct vnpu_slab_cache *cache, u32 size)
{
	u64 addr;

	if (vnpu_slab_alloc(cache, size, &addr) &&
	    vnpu_slab_add(cache, spare[--nr_spare], size, &addr))
		abort();
	return addr;
}

static inline void object_free(struct vnpu_slab_cache *cache, u64 addr)
{
	struct vnpu_slab *empty;
	u32 size;

	if (vnpu_slab_free(cache, addr, &size, &empty))
		abort();
	if (empty)
		spare[nr_spare++] = empty;
}

static u32 draw_size(const struct load *l)
{
	return l->max_size == 64 ? 64 : 1 + tap_below(l->max_size);
}

static void run_slab(const struct load *l)
{
	struct vnpu_slab *slabs = calloc(l->live, sizeof(*slabs));
	u64 *addr = calloc(l->live, sizeof(*addr));
	u32 *which = calloc(l->pairs, sizeof(*which));
	u16 *size = calloc(l->pairs, sizeof(*size));
	struct vnpu_slab_cache cache;
	struct vnpu_slab_stats s;
	double best = 1e9;
	char more[100];
	u32 i, pass;

	spare = calloc(l->live, sizeof(*spare));
	for (nr_spare = 0; nr_spare < l->live; nr_spare++)
		spare[nr_spare] = &slabs[nr_spare];
	vnpu_slab_init(&cache, 1ULL << 40);
	vnpu_slab_set_table(&cache, calloc(l->live, sizeof(*cache.table)),
			    l->live);
	for (i = 0; i < l->live; i++)
		addr[i] = object_alloc(&cache, draw_size(l));
	for (i = 0; i < l->pairs; i++) {
		which[i] = tap_below(l->live);
		size[i] = draw_size(l);
	}
	for (pass = 0; pass < PASSES * PARTS; pass++) {
		u32 n = l->pairs / PARTS;
		u32 from = pass % PARTS * n;
		u64 begin = now();

		for (i = from; i < from + n; i++) {
			u64 *a = &addr[which[i]];

			object_free(&cache, *a);
			*a = object_alloc(&cache, size[i]);
		}
		best = min(best, (double)(now() - begin) / n);
	}
	vnpu_slab_get_stats(&cache, &s);
	snprintf(more, sizeof(more), "  (held %.1f %% more than requested)",
		 100.0 * s.held / s.requested - 100);
	tell(l->name, "ns", best, l->goal, more);
	free(cache.table);
	free(spare);
	free(size);
	free(which);
	free(addr);
	free(slabs);
}

static void run_compact(u32 nr, u32 pages, u8 align_order, u8 large_order,
			const char *name)
{
	struct vnpu_compact_block *block = calloc(nr, sizeof(*block));
	struct vnpu_compact_req req = { pages, align_order, large_order };
	struct vnpu_compact_plan plan = { };
	struct vnpu_extent seg = { 0, 0 };
	double best = 1e9, largest = 1e9;
	char more[100];
	u32 at = 0, i;
	u64 begin;
	int err;

	for (i = 0; i < nr; i++) {
		at += tap_below(40);
		block[i].ext.start = at;
		block[i].ext.count = 1 + tap_below(40);
		block[i].kind = tap_below(1000) ? VNPU_COMPACT_SMALL :
				VNPU_COMPACT_FIXED;
		if (large_order && !tap_below(100)) {
			at = (at | ((1U << large_order) - 1)) + 1;
			block[i] = (struct vnpu_compact_block){
				{ at, 1U << large_order }, VNPU_COMPACT_LARGE };
		}
		at += block[i].ext.count;
	}
	seg.count = at + 40;
	for (i = 0; i < PASSES; i++) {
		begin = now();
		err = vnpu_compact_plan(&seg, 1, block, nr, &req, &plan);
		best = min(best, (now() - begin) / 1e6);
		begin = now();
		vnpu_compact_largest(&seg, 1, block, nr, align_order,
				     large_order);
		largest = min(largest, (now() - begin) / 1e6);
	}
	snprintf(more, sizeof(more), "  (moves %u of %u pages; largest: %.1f ms)",
		 err ? 0 : plan.moved, pages, largest);
	tell(name, "ms", best, 0, more);
	free(block);
}

int main(int argc, char **argv)
{
	u32 i;

	json = argc > 1 && !strcmp(argv[1], "--json");
	tap_start(1);
	for (i = 0; i < ARRAY_SIZE(loads); i++)
		run_slab(&loads[i]);
	run_compact(1000000, 512, 9, 0, "compact: 10^6 blocks, 2 MiB aligned");
	run_compact(1000000, 10000, 0, 0, "compact: 10^6 blocks, 10^4 pages");
	run_compact(1000000, 1 << 18, 9, 9, "compact: ... and 10^4 large, 1 GiB");
	run_compact(10000, 10000, 0, 0, "compact: 10^4 blocks, 10^4 pages");
	if (json)
		printf("]\n");
	return 0;
}
