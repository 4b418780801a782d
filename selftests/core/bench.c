// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the arena allocator costs: nanoseconds for a free and an allocation
 * that takes its place, in a state that lasts. "--json" prints one object, any
 * other argument selects loads by a part of their name.
 */
#include <time.h>

#include "../../driver/core/buddy.h"
#include "tap.h"

#define MiB	256U
#define GiB	(1024U * MiB)

struct load {
	const char *name;
	u32 arena;		/* pages */
	u32 live;		/* objects */
	u32 pages;		/* of each; 0: log-uniform 4 KiB to 32 MiB */
	u32 pairs;
	u8 granule;
	u8 align;
	u8 flags;
	u32 goal_ns;		/* of a pair; 0: none */
	u32 goal_worst_us;	/* of a call; 0: none */
};

static const struct load loads[] = {
	{ "4 KiB, 1000 live", 8 * GiB, 1000, 1, 5000000, .goal_ns = 15 },
	{ "64 KiB, 1000 live", 8 * GiB, 1000, 16, 5000000, .goal_ns = 15 },
	{ "1 MiB, 1000 live", 8 * GiB, 1000, MiB, 5000000, .goal_ns = 15 },
	{ "2 MiB, 1000 live", 8 * GiB, 1000, 512, 5000000, .goal_ns = 15 },
	{ "2 MiB class, 1000 live", 8 * GiB, 1000, 512, 5000000,
	  .granule = 9 },
	{ "4 KiB, 10^6 live", 32 * GiB, 1000000, 1, 5000000, .goal_ns = 60 },
	{ "mixed scattered, 2000 live", 8 * GiB, 2000, 0, 3000000,
	  .goal_ns = 100 },
	{ "mixed contiguous, 2000 live", 16 * GiB, 2000, 0, 3000000,
	  .flags = VNPU_BUDDY_CONTIGUOUS, .goal_ns = 150,
	  .goal_worst_us = 10 },
	{ "mixed contiguous, 1100 live", 8 * GiB, 1100, 0, 3000000,
	  .flags = VNPU_BUDDY_CONTIGUOUS, .goal_ns = 150,
	  .goal_worst_us = 10 },
	{ "mixed contiguous 64 KiB aligned", 8 * GiB, 1100, 0, 3000000,
	  .align = 4, .flags = VNPU_BUDDY_CONTIGUOUS },
};

/*
 * An object is one extent, or the first of several; the others are a list.
 * Most are one, so the array of objects is all that a benchmark touches.
 */
struct object {
	struct vnpu_extent ext;
	u32 next;
};

#define NONE	U32_MAX
#define SPARE	4000000U

static struct object *pieces;
static u32 spare;

static u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void pieces_init(void)
{
	u32 i;

	pieces = calloc(SPARE, sizeof(*pieces));
	for (i = 0; i < SPARE; i++)
		pieces[i].next = i + 1 < SPARE ? i + 1 : NONE;
	spare = 0;
}

/* Whether all of it could be had; the object may be empty. */
static bool object_alloc(struct vnpu_buddy *b, const struct load *l,
			 struct object *o, u32 pages)
{
	struct vnpu_buddy_req req = {
		.pages = pages,
		.granule_order = l->granule,
		.align_order = l->align,
		.flags = l->flags,
	};

	o->ext.count = 0;
	o->next = NONE;
	if (vnpu_buddy_alloc(b, &req, &o->ext))
		return false;
	for (req.pages -= o->ext.count; req.pages;
	     req.pages -= o->ext.count) {
		u32 p = spare;

		spare = pieces[p].next;
		pieces[p] = *o;
		o->next = p;
		if (vnpu_buddy_alloc(b, &req, &o->ext)) {
			o->ext.count = 0;
			return false;
		}
	}
	return true;
}

static void object_free(struct vnpu_buddy *b, struct object *o)
{
	if (o->ext.count && vnpu_buddy_free(b, o->ext, false))
		abort();
	while (o->next != NONE) {
		u32 p = o->next;

		if (vnpu_buddy_free(b, pieces[p].ext, false))
			abort();
		o->next = pieces[p].next;
		pieces[p].next = spare;
		spare = p;
	}
}

struct result {
	double pair;
	double worst;
	u32 refused;
	u32 used;	/* percent, at the end */
	u32 runs;
};

/* One pass; the call that takes longest only if @worst, as looking costs. */
static void pass(struct vnpu_buddy *b, const struct load *l,
		 struct object *object, const u32 *which, const u32 *size, u32 n, struct result *r,
		 bool worst)
{
	u64 begin = now();
	u32 i;

	for (i = 0; i < n; i++) {
		struct object *o = &object[which[i]];
		u64 t = worst ? now() : 0;

		object_free(b, o);
		if (worst) {
			u64 mid = now();

			r->worst = max(r->worst, (double)(mid - t));
			t = mid;
		}
		r->refused += !object_alloc(b, l, o, size[i]);
		if (worst)
			r->worst = max(r->worst, (double)(now() - t));
	}
	if (!worst)
		r->pair = min(r->pair, (double)(now() - begin) / n);
}

static struct result run(const struct load *l)
{
	struct vnpu_extent seg = { 0, l->arena };
	struct vnpu_buddy *b = vnpu_buddy_create(&seg, 1, false);
	struct object *object = calloc(l->live, sizeof(*object));
	u32 *which = calloc(l->pairs, sizeof(*which));
	u32 *size = calloc(l->pairs, sizeof(*size));
	struct result r = { .pair = 1e9 };
	struct vnpu_buddy_stats s;
	u32 i;

	pieces_init();
	for (i = 0; i < l->live; i++)
		object_alloc(b, l, &object[i],
			     l->pages ?: tap_log_uniform(13));
	for (i = 0; i < l->pairs; i++) {
		which[i] = tap_below(l->live);
		size[i] = l->pages ?: tap_log_uniform(13);
	}

	/* Settle, then the best of three, then look for the worst call. */
	pass(b, l, object, which, size, l->pairs / 4, &r, false);
	r.pair = 1e9;
	for (i = 0; i < 3; i++) {
		r.refused = 0;
		pass(b, l, object, which, size, l->pairs, &r, false);
	}
	vnpu_buddy_get_stats(b, &s);
	r.used = 100 - (u64)s.free * 100 / s.total;
	r.runs = s.runs;
	if (l->goal_worst_us) {
		u32 refused = r.refused;

		pass(b, l, object, which, size, min(l->pairs, 1000000U), &r,
		     true);
		r.refused = refused;
	}

	free(pieces);
	free(size);
	free(which);
	free(object);
	vnpu_buddy_destroy(b);
	return r;
}

/* The longest calls there are: a giant run beside the most short ones. */
static void run_adverse(double *contiguous, double *refused)
{
	const u32 pages = 8 * GiB;
	struct vnpu_extent seg = { 0, pages };
	struct vnpu_buddy *b = vnpu_buddy_create(&seg, 1, true);
	struct vnpu_buddy_req req = {
		.pages = pages / 2,
		.flags = VNPU_BUDDY_CONTIGUOUS,
	};
	struct vnpu_extent ext, all = { 0, pages };
	u64 t;
	u32 p, i;

	req.pages = pages;
	vnpu_buddy_alloc(b, &req, &ext);
	vnpu_buddy_free(b, (struct vnpu_extent){ pages / 2, pages / 2 }, true);
	for (p = 0; p < pages / 2 - 1; p += 2)
		vnpu_buddy_free(b, (struct vnpu_extent){ p, 1 }, true);

	*contiguous = 0;
	*refused = 0;
	for (i = 0; i < 100; i++) {
		req.pages = pages / 2;
		t = now();
		if (vnpu_buddy_alloc(b, &req, &ext))
			abort();
		*contiguous = max(*contiguous, (double)(now() - t));
		t = now();
		vnpu_buddy_free(b, ext, true);
		*contiguous = max(*contiguous, (double)(now() - t));
		req.pages = pages / 2 + 1;
		t = now();
		if (!vnpu_buddy_alloc(b, &req, &all))
			abort();
		*refused = max(*refused, (double)(now() - t));
	}
	vnpu_buddy_destroy(b);
}

static const char *verdict(double got, u32 goal)
{
	return !goal ? "" : got <= goal ? "met" : "MISSED";
}

int main(int argc, char **argv)
{
	bool json = argc > 1 && !strcmp(argv[1], "--json");
	const char *only = argc > 1 && !json ? argv[1] : NULL;
	struct vnpu_extent seg = { 0, 8 * GiB };
	double contiguous, refused;
	struct vnpu_buddy *b;
	unsigned int i;
	double bytes;

	tap_start(1);
	if (json)
		printf("{\"loads\": [");
	else
		printf("%-34s %8s %6s %9s %8s %5s %8s\n", "load", "ns/pair",
		       "goal", "worst us", "refused", "used%", "runs");
	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		const struct load *l = &loads[i];
		struct result r;

		if (only && !strstr(l->name, only))
			continue;
		r = run(l);

		if (json)
			printf("%s{\"name\": \"%s\", \"ns_per_pair\": %.1f, \"goal_ns\": %u, \"worst_us\": %.2f, \"refused\": %u}",
			       i ? ", " : "", l->name, r.pair, l->goal_ns,
			       r.worst / 1000, r.refused);
		else
			printf("%-34s %8.1f %6.0u %9.1f %8u %5u %8u %s\n",
			       l->name, r.pair, l->goal_ns, r.worst / 1000,
			       r.refused, r.used, r.runs,
			       verdict(r.pair, l->goal_ns));
		fflush(stdout);
	}

	if (only)
		return 0;
	run_adverse(&contiguous, &refused);
	b = vnpu_buddy_create(&seg, 1, false);
	bytes = (double)vnpu_buddy_metadata(b) / seg.count;
	vnpu_buddy_destroy(b);
	if (json)
		printf("], \"adverse_4gib_us\": %.2f, \"adverse_refused_us\": %.2f, \"metadata_bytes_per_page\": %.3f}\n",
		       contiguous / 1000, refused / 1000, bytes);
	else
		printf("\n4 GiB contiguous beside 524288 runs of a page: worst %.1f us, refused in %.1f us\nmetadata of 8 GiB: %.2f bytes per page, %.4f %%\n",
		       contiguous / 1000, refused / 1000, bytes,
		       bytes / 40.96);
	return 0;
}
