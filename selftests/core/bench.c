// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure the arena allocator: nanoseconds for a free and an allocation that
 * replaces it, in a steady state. Each load is measured in parts, of which the
 * best and the median are printed. "--json" prints one object, any other
 * argument selects loads by a part of their name.
 */
#include <time.h>

#include "../../driver/core/allocator.h"
#include "tap.h"

#define MiB	256U
#define GiB	(1024U * MiB)

struct load {
	const char *name;
	u32 arena;		/* pages */
	u32 live;		/* objects */
	/* of each object; 0: log-uniform 4 KiB to 32 MiB */
	u32 pages;
	u32 pairs;
	u8 granule;
	u8 align;
	u8 flags;
	u32 batch;		/* at most 16; 0: 1 */
	u32 goal_ns;		/* ns of a pair; 0: none */
	u32 goal_worst_us;	/* us of a call; 0: none */
};

static const struct load loads[] = {
	{ "4 KiB, 1000 live", 8 * GiB, 1000, 1, 4000000, .goal_ns = 15 },
	{ "64 KiB, 1000 live", 8 * GiB, 1000, 16, 4000000, .goal_ns = 15 },
	{ "1 MiB, 1000 live", 8 * GiB, 1000, MiB, 4000000, .goal_ns = 15 },
	{ "2 MiB, 1000 live", 8 * GiB, 1000, 512, 4000000, .goal_ns = 15 },
	{ "2 MiB class, 1000 live", 8 * GiB, 1000, 512, 4000000, .granule = 9 },
	{ "4 KiB, 1000 live, 16 at once", 8 * GiB, 1000, 1, 4000000,
	  .batch = 16 },
	{ "2 MiB, 1000 live, 16 at once", 8 * GiB, 1000, 512, 4000000,
	  .batch = 16 },
	{ "4 KiB, 10^6 live", 32 * GiB, 1000000, 1, 4000000, .goal_ns = 60 },
	{ "mixed scattered, 2000 live", 8 * GiB, 2000, 0, 3000000,
	  .goal_ns = 100 },
	{ "mixed contiguous, 2000 live", 16 * GiB, 2000, 0, 3000000,
	  .flags = VNPU_ALLOC_CONTIGUOUS, .goal_ns = 150,
	  .goal_worst_us = 10 },
	{ "mixed contiguous, 1100 live", 8 * GiB, 1100, 0, 3000000,
	  .flags = VNPU_ALLOC_CONTIGUOUS, .goal_ns = 150,
	  .goal_worst_us = 10 },
	{ "mixed contiguous, 64 KiB aligned", 8 * GiB, 1100, 0, 3000000,
	  .align = 4, .flags = VNPU_ALLOC_CONTIGUOUS },
};

/*
 * An object is one extent, or the first of several; the others are a list. Most
 * are one, so a benchmark mostly accesses the array of objects only.
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

/* Return whether all of it was allocated; the object may be empty. */
static bool object_alloc(struct vnpu_allocator *b, const struct load *l,
			 struct object *o, u32 pages)
{
	struct vnpu_allocator_req req = {
		.pages = pages,
		.granule_order = l->granule,
		.align_order = l->align,
		.flags = l->flags,
	};
	int err;

	o->ext.count = 0;
	o->next = NONE;
	err = vnpu_allocator_alloc(b, &req, &o->ext);
	while (err == -EAGAIN) {
		req.resume = o->ext.start;
		err = vnpu_allocator_alloc(b, &req, &o->ext);
	}
	if (err) {
		o->ext.count = 0;
		return false;
	}
	for (req.pages -= o->ext.count; req.pages;
	     req.pages -= o->ext.count) {
		u32 p = spare;

		spare = pieces[p].next;
		pieces[p] = *o;
		o->next = p;
		if (vnpu_allocator_alloc(b, &req, &o->ext)) {
			o->ext.count = 0;
			return false;
		}
	}
	return true;
}

static void object_free(struct vnpu_allocator *b, struct object *o)
{
	if (o->ext.count && vnpu_allocator_free(b, o->ext, false))
		abort();
	o->ext.count = 0;
	while (o->next != NONE) {
		u32 p = o->next;

		if (vnpu_allocator_free(b, pieces[p].ext, false))
			abort();
		o->next = pieces[p].next;
		pieces[p].next = spare;
		spare = p;
	}
}

struct result {
	double best;	/* ns of a pair, in the fastest part */
	double median;	/* median of the parts */
	double worst;	/* us of a call; 0: not measured */
	u32 refused;
	u32 used;	/* percent, at the end */
	u32 runs;
};

/* The operation on each object: the same in every pass. */
struct plan {
	const struct load *load;
	u32 *which;
	u32 *size;
};

struct state {
	struct vnpu_allocator *b;
	struct object *object;
	u32 refused;
};

static void plan_init(struct plan *p, const struct load *l)
{
	u32 i;

	p->load = l;
	p->which = calloc(l->pairs, sizeof(*p->which));
	p->size = calloc(l->pairs, sizeof(*p->size));
	for (i = 0; i < l->pairs; i++) {
		p->which[i] = tap_below(l->live);
		p->size[i] = l->pages ?: tap_log_uniform(13);
	}
}

static void plan_fini(struct plan *p)
{
	free(p->which);
	free(p->size);
}

static void state_init(struct state *s, const struct load *l)
{
	struct vnpu_extent seg = { 0, l->arena };
	u32 i;

	pieces_init();
	s->b = vnpu_allocator_create(&seg, 1, false);
	s->object = calloc(l->live, sizeof(*s->object));
	for (i = 0; i < l->live; i++)
		object_alloc(s->b, l, &s->object[i],
			     l->pages ?: tap_log_uniform(13));
	s->refused = 0;
}

static void state_fini(struct state *s)
{
	free(s->object);
	free(pieces);
	vnpu_allocator_destroy(s->b);
}

/*
 * Some pairs. A batch frees several objects and then allocates the same number,
 * so that no object gets the pages that were freed last.
 */
static void pairs(struct state *s, const struct plan *p, u32 from, u32 to)
{
	const struct load *l = p->load;
	u32 batch = l->batch ?: 1;
	u32 i, j;

	for (i = from; i < to; i += batch) {
		for (j = i; j < i + batch; j++)
			object_free(s->b, &s->object[p->which[j]]);
		for (j = i; j < i + batch; j++) {
			struct object *o = &s->object[p->which[j]];

			/* Twice in the batch: it is already allocated. */
			if (!o->ext.count)
				s->refused += !object_alloc(s->b, l, o,
							    p->size[j]);
		}
	}
}

#define PARTS	64

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void measure(struct state *s, const struct plan *p, struct result *r)
{
	u32 n = p->load->pairs / PARTS / 16 * 16;
	double part[PARTS];
	u32 i;

	pairs(s, p, 0, n * PARTS / 4);
	s->refused = 0;
	for (i = 0; i < PARTS; i++) {
		u64 begin = now();

		pairs(s, p, i * n, (i + 1) * n);
		part[i] = (double)(now() - begin) / n;
	}
	qsort(part, PARTS, sizeof(*part), compare);
	r->best = part[0];
	r->median = part[PARTS / 2];
	r->refused = s->refused;
}

/*
 * Each call at its best of some identical passes, to exclude other work of the
 * machine.
 */
static double measure_worst(const struct plan *p)
{
	u32 n = min(p->load->pairs, 500000U);
	u32 *took = malloc(2 * n * sizeof(*took));
	struct state s;
	u32 worst = 0;
	u32 pass, i;

	memset(took, 0xff, 2 * n * sizeof(*took));
	for (pass = 0; pass < 5; pass++) {
		tap_start(1);
		state_init(&s, p->load);
		for (i = 0; i < n; i++) {
			struct object *o = &s.object[p->which[i]];
			u64 t[3];

			t[0] = now();
			object_free(s.b, o);
			t[1] = now();
			object_alloc(s.b, p->load, o, p->size[i]);
			t[2] = now();
			took[2 * i] = min(took[2 * i], (u32)(t[1] - t[0]));
			took[2 * i + 1] = min(took[2 * i + 1],
					      (u32)(t[2] - t[1]));
		}
		state_fini(&s);
	}
	for (i = 0; i < 2 * n; i++)
		worst = max(worst, took[i]);
	free(took);
	return worst;
}

static struct result run(const struct load *l)
{
	struct result r = { .worst = 0 };
	struct vnpu_allocator_stats stats;
	struct state s;
	struct plan p;

	tap_start(1);
	plan_init(&p, l);
	state_init(&s, l);
	measure(&s, &p, &r);
	vnpu_allocator_get_stats(s.b, &stats);
	r.used = 100 - (u64)stats.free * 100 / stats.total;
	r.runs = stats.runs;
	state_fini(&s);
	if (l->goal_worst_us)
		r.worst = measure_worst(&p);
	plan_fini(&p);
	return r;
}

/*
 * The slowest possible calls: a giant run beside the largest number of short
 * ones.
 */
static double run_adverse(void)
{
	const u32 pages = 8 * GiB;
	struct vnpu_extent seg = { 0, pages }, ext;
	struct vnpu_allocator *b = vnpu_allocator_create(&seg, 1, true);
	struct vnpu_allocator_req req = { .flags = VNPU_ALLOC_CONTIGUOUS };
	u64 took[3] = { U64_MAX, U64_MAX, U64_MAX };
	u32 p, i;

	req.pages = pages;
	vnpu_allocator_alloc(b, &req, &ext);
	vnpu_allocator_free(b, (struct vnpu_extent){ pages / 2, pages / 2 }, true);
	for (p = 0; p < pages / 2 - 1; p += 2)
		vnpu_allocator_free(b, (struct vnpu_extent){ p, 1 }, true);

	for (i = 0; i < 100; i++) {
		struct vnpu_extent none;
		u64 t[4];

		t[0] = now();
		req.pages = pages / 2;
		if (vnpu_allocator_alloc(b, &req, &ext))
			abort();
		t[1] = now();
		vnpu_allocator_free(b, ext, true);
		t[2] = now();
		req.pages = pages / 2 + 1;
		if (!vnpu_allocator_alloc(b, &req, &none))
			abort();
		t[3] = now();
		for (p = 0; p < 3; p++)
			took[p] = min(took[p], t[p + 1] - t[p]);
	}
	vnpu_allocator_destroy(b);
	return max(max(took[0], took[1]), took[2]);
}

static double metadata(void)
{
	struct vnpu_extent seg = { 0, 8 * GiB };
	struct vnpu_allocator *b = vnpu_allocator_create(&seg, 1, false);
	double bytes = (double)vnpu_allocator_metadata(b) / seg.count;

	vnpu_allocator_destroy(b);
	return bytes;
}

static void print_text(const struct load *l, const struct result *r)
{
	bool met = (!l->goal_ns || r->best <= l->goal_ns) &&
		   (!l->goal_worst_us || r->worst <= l->goal_worst_us * 1e3);

	printf("%-34s %7.1f %7.1f %5u %9.1f %8u %6u %6u %s\n", l->name,
	       r->best, r->median, l->goal_ns, r->worst / 1e3, r->refused,
	       r->used, r->runs, !l->goal_ns ? "" : met ? "met" : "missed");
}

static void print_json(const struct load *l, const struct result *r)
{
	printf("\n  {\"name\": \"%s\", \"ns\": %.1f, \"median_ns\": %.1f, ",
	       l->name, r->best, r->median);
	printf("\"goal_ns\": %u, \"worst_us\": %.2f, \"refused\": %u}",
	       l->goal_ns, r->worst / 1e3, r->refused);
}

int main(int argc, char **argv)
{
	bool json = argc > 1 && !strcmp(argv[1], "--json");
	const char *only = argc > 1 && !json ? argv[1] : NULL;
	unsigned int i;
	double adverse;

	if (json)
		printf("{\"loads\": [");
	else
		printf("%-34s %7s %7s %5s %9s %8s %6s %6s\n", "free and alloc",
		       "best ns", "median", "goal", "worst us", "refused",
		       "used %", "runs");
	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		const struct load *l = &loads[i];
		struct result r;

		if (only && !strstr(l->name, only))
			continue;
		r = run(l);
		if (json && i)
			printf(",");
		(json ? print_json : print_text)(l, &r);
		fflush(stdout);
	}
	if (only)
		return 0;

	adverse = run_adverse();
	if (json) {
		printf("],\n \"adverse_us\": %.2f,", adverse / 1e3);
		printf(" \"metadata_bytes_per_page\": %.3f}\n", metadata());
	} else {
		printf("\n4 GiB contiguous, beside 524288 runs of one page: ");
		printf("%.1f us\n", adverse / 1e3);
		printf("metadata for 8 GiB: %.2f bytes per page, %.4f %%\n",
		       metadata(), metadata() / 40.96);
	}
	return 0;
}
