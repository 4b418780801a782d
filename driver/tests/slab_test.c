// SPDX-License-Identifier: GPL-2.0-only
/* The slab cache, compared with a model that has an entry per 64 bytes. */
#include "core_test.h"

#define CHUNK_SIZE	32768U
#define CHUNK_UNITS	(CHUNK_SIZE / VNPU_SLAB_UNIT)
#define SLAB_PAGE	4096U

/* Allocate as the driver does, but without locks and pages. */
static int pool_alloc(struct vnpu_slab_cache *cache, u32 size, u64 *addr)
{
	int err = vnpu_slab_alloc(cache, size, addr);
	struct vnpu_slab **table;
	struct vnpu_slab *slab;
	u32 room;

	if (err != -EAGAIN)
		return err;
	slab = kvzalloc(sizeof(*slab), GFP_KERNEL);
	if (!slab)
		return -ENOMEM;
	memset(slab, 0xaa, sizeof(*slab));
	err = vnpu_slab_add(cache, slab, size, addr);
	if (err == -EAGAIN) {
		room = vnpu_slab_table_size(cache);
		table = kvcalloc(room, sizeof(*table), GFP_KERNEL);
		if (!table) {
			kvfree(slab);
			return -ENOMEM;
		}
		memset(table, 0xaa, room * sizeof(*table));
		kvfree(vnpu_slab_set_table(cache, table, room));
		err = vnpu_slab_add(cache, slab, size, addr);
	}
	if (err)
		kvfree(slab);
	return err;
}

static int pool_free(struct vnpu_slab_cache *cache, u64 addr, u32 *size)
{
	struct vnpu_slab *empty = NULL;
	int err = vnpu_slab_free(cache, addr, size, &empty);

	kvfree(empty);
	return err;
}

static u32 pool_fini(struct vnpu_slab_cache *cache)
{
	struct vnpu_slab *slab;
	u32 slabs = 0;

	while ((slab = vnpu_slab_pop(cache))) {
		kvfree(slab);
		slabs++;
	}
	kvfree(cache->table);
	return slabs;
}

static bool pool_is_empty(const struct vnpu_slab_cache *cache)
{
	struct vnpu_slab_stats stats, none = { };

	vnpu_slab_get_stats(cache, &stats);
	EXPECT(!memcmp(&stats, &none, sizeof(none)));
	EXPECT(!vnpu_slab_next(cache, NULL));
	EXPECT(vnpu_slab_check(cache));
	return true;
}

/* Test every size: the cost of an object, and the addresses of objects. */
bool test_slab_sizes(void)
{
	static struct vnpu_slab_cache cache;
	struct vnpu_slab_stats stats;
	u32 size, n, class_size;

	vnpu_slab_init(&cache, 4 * CHUNK_SIZE);
	for (size = 1; size <= VNPU_SLAB_MAX_SIZE; size++) {
		u32 pages = vnpu_slab_pages(size);
		u64 addr[VNPU_SLAB_MAX_OBJECTS];
		u32 i, got;

		EXPECT(pages && pages <= VNPU_SLAB_MAX_PAGES);
		EXPECT(!pool_alloc(&cache, size, &addr[0]));
		for (n = 1; !vnpu_slab_alloc(&cache, size, &addr[n]); n++)
			EXPECT(n < VNPU_SLAB_MAX_OBJECTS);
		vnpu_slab_get_stats(&cache, &stats);
		EXPECT(stats.objects == n);
		EXPECT(stats.requested == (u64)n * size);
		EXPECT(stats.held == pages * SLAB_PAGE);

		class_size = stats.used / n;
		EXPECT(class_size >= size);
		EXPECT(class_size == vnpu_slab_round(size));
		EXPECT(class_size % VNPU_SLAB_UNIT == 0);
		for (i = 0; i < n; i++)
			EXPECT(addr[i] == addr[0] + i * class_size);
		EXPECT(n * class_size <= pages * SLAB_PAGE);

		/* Above 512 bytes, less than 12.5 % is lost in total. */
		if (size > 512)
			EXPECT((stats.held - stats.requested) * 8 < stats.held);
		if (size <= 1024)
			EXPECT(class_size - size < VNPU_SLAB_UNIT);
		EXPECT((stats.held - stats.used) * 32 <= stats.held);

		for (i = 0; i < n; i++) {
			EXPECT(!pool_free(&cache, addr[i], &got));
			EXPECT(got == size);
		}
		EXPECT(pool_is_empty(&cache));
	}
	EXPECT(vnpu_slab_class_size(0) == VNPU_SLAB_UNIT);
	EXPECT(vnpu_slab_class_size(VNPU_SLAB_CLASSES - 1) ==
	       VNPU_SLAB_MAX_SIZE);
	EXPECT(!pool_fini(&cache));
	return true;
}

static bool address_is_refused(struct vnpu_slab_cache *cache, u64 addr)
{
	struct vnpu_slab *empty;
	u32 size;

	EXPECT(vnpu_slab_free(cache, addr, &size, &empty) == -EINVAL);
	return true;
}

/*
 * Free an address in a window of full slabs, one per class, in ascending order.
 */
static bool free_address(struct vnpu_slab_cache *cache, u64 addr, u32 *freed)
{
	u32 want = vnpu_slab_class_size(addr / CHUNK_SIZE);
	u32 objects = vnpu_slab_pages(want) * SLAB_PAGE / want;
	u32 i = addr % CHUNK_SIZE / want;
	struct vnpu_slab_object object;
	struct vnpu_slab *empty;
	u32 size;

	if (i >= objects) {
		EXPECT(vnpu_slab_find(cache, addr, &object) == -ENOENT);
		return address_is_refused(cache, addr);
	}
	if (addr % CHUNK_SIZE % want)
		return address_is_refused(cache, addr);

	EXPECT(!vnpu_slab_find(cache, addr + want - 1, &object));
	EXPECT(object.addr == addr && object.size == want);
	EXPECT(object.slab->chunk == addr / CHUNK_SIZE);
	EXPECT(!vnpu_slab_free(cache, addr, &size, &empty));
	EXPECT(size == want);
	EXPECT(empty == (i == objects - 1 ? object.slab : NULL));
	kvfree(empty);
	EXPECT(vnpu_slab_find(cache, addr, &object) == -ENOENT);
	EXPECT(address_is_refused(cache, addr));
	++*freed;
	return true;
}

/* Every address is either freed or refused. */
bool test_slab_addresses(void)
{
	const u64 end = (u64)VNPU_SLAB_CLASSES * CHUNK_SIZE;
	static struct vnpu_slab_cache cache;
	u32 class, n = 0, freed = 0;
	u64 addr;

	vnpu_slab_init(&cache, 1 << 30);
	for (class = 0; class < VNPU_SLAB_CLASSES; class++) {
		u32 size = vnpu_slab_class_size(class);

		EXPECT(!pool_alloc(&cache, size, &addr));
		EXPECT(addr == class * (u64)CHUNK_SIZE);
		do
			n++;
		while (!vnpu_slab_alloc(&cache, size, &addr));
	}
	for (addr = 0; addr < end; addr++)
		EXPECT(free_address(&cache, addr, &freed));
	for (; addr < end + CHUNK_SIZE; addr++)
		EXPECT(address_is_refused(&cache, addr));
	EXPECT(n == freed && pool_is_empty(&cache));
	EXPECT(!pool_fini(&cache));
	return true;
}

bool test_slab_refused(void)
{
	struct vnpu_slab *table[8];
	struct vnpu_slab_object object;
	static struct vnpu_slab_cache cache;
	struct vnpu_slab *empty;
	struct vnpu_slab slab[3];
	u64 addr, first;
	u32 size;

	/* A window too small for one chunk. */
	vnpu_slab_init(&cache, CHUNK_SIZE - 1);
	EXPECT(vnpu_slab_table_size(&cache) == 0);
	EXPECT(vnpu_slab_alloc(&cache, 1, &addr) == -EAGAIN);
	EXPECT(vnpu_slab_add(&cache, &slab[0], 1, &addr) == -ENOSPC);
	EXPECT(vnpu_slab_set_table(&cache, table, 8) == table);

	vnpu_slab_init(&cache, 2 * CHUNK_SIZE);
	EXPECT(vnpu_slab_free(&cache, 0, &size, &empty) == -EINVAL);
	EXPECT(vnpu_slab_find(&cache, 0, &object) == -ENOENT);
	EXPECT(vnpu_slab_add(&cache, &slab[0], 64, &addr) == -EAGAIN);
	EXPECT(vnpu_slab_table_size(&cache) == 2);
	EXPECT(!vnpu_slab_set_table(&cache, table, 8));
	EXPECT(vnpu_slab_set_table(&cache, table + 1, 2) == table + 1);

	EXPECT(vnpu_slab_alloc(&cache, 0, &addr) == -EINVAL);
	EXPECT(vnpu_slab_alloc(&cache, VNPU_SLAB_MAX_SIZE + 1, &addr) ==
	       -EINVAL);
	EXPECT(vnpu_slab_alloc(&cache, U32_MAX, &addr) == -EINVAL);
	EXPECT(vnpu_slab_add(&cache, &slab[0], 0, &addr) == -EINVAL);
	EXPECT(vnpu_slab_add(&cache, &slab[0], U32_MAX, &addr) == -EINVAL);
	EXPECT(!vnpu_slab_pages(0));
	EXPECT(!vnpu_slab_pages(VNPU_SLAB_MAX_SIZE + 1));

	EXPECT(!vnpu_slab_add(&cache, &slab[0], 3000, &first));
	EXPECT(!vnpu_slab_add(&cache, &slab[1], 100, &addr));
	EXPECT(vnpu_slab_add(&cache, &slab[2], 200, &addr) == -ENOSPC);
	EXPECT(vnpu_slab_free(&cache, U64_MAX, &size, &empty) == -EINVAL);
	EXPECT(vnpu_slab_free(&cache, U64_MAX << VNPU_SLAB_CHUNK_SHIFT, &size,
			      &empty) == -EINVAL);
	EXPECT(!vnpu_slab_find(&cache, first + 3071, &object));
	EXPECT(object.slab == &slab[0] && object.size == 3000);
	EXPECT(vnpu_slab_find(&cache, first + 3072, &object) == -ENOENT);
	EXPECT(!vnpu_slab_free(&cache, first, &size, &empty));
	EXPECT(size == 3000 && empty == &slab[0]);
	EXPECT(vnpu_slab_free(&cache, first, &size, &empty) == -EINVAL);
	EXPECT(!vnpu_slab_add(&cache, &slab[2], 200, &addr));
	EXPECT(vnpu_slab_base(&slab[2]) == first && addr == first);

	EXPECT(vnpu_slab_check(&cache));
	EXPECT(vnpu_slab_pop(&cache) && vnpu_slab_pop(&cache));
	EXPECT(!vnpu_slab_pop(&cache) && pool_is_empty(&cache));
	return true;
}

/* Free all objects, in an order that is good or bad for the cache. */
static bool drain(struct vnpu_slab_cache *cache, u64 *addr, u32 n, u32 order)
{
	u32 i, k, size;

	for (i = 0; i < n; i++) {
		switch (order) {
		case 0:		/* first in, first out */
			k = i;
			break;
		case 1:		/* last in, first out */
			k = n - 1 - i;
			break;
		case 2:		/* one of each slab, repeatedly */
			k = (u64)i * 64 % n + (u64)i * 64 / n;
			break;
		default:
			k = i + tap_below(n - i);
			break;
		}
		EXPECT(!pool_free(cache, addr[k], &size));
		EXPECT(size == 64);
		if (order > 2)
			addr[k] = addr[i];
	}
	return true;
}

bool test_slab_exhausted(void)
{
	const u32 chunks = 1000, n = chunks * 64;
	u64 *addr = kvcalloc(n, sizeof(*addr), GFP_KERNEL);
	struct vnpu_slab_stats stats;
	static struct vnpu_slab_cache cache;
	u32 order, i;
	u64 none;

	EXPECT(addr);
	vnpu_slab_init(&cache, (u64)chunks * CHUNK_SIZE);
	for (order = 0; order < 4; order++) {
		for (i = 0; i < n; i++)
			EXPECT(!pool_alloc(&cache, 64, &addr[i]));
		EXPECT(pool_alloc(&cache, 64, &none) == -ENOSPC);
		EXPECT(pool_alloc(&cache, 65, &none) == -ENOSPC);
		vnpu_slab_get_stats(&cache, &stats);
		EXPECT(stats.slabs == chunks && stats.objects == n);
		EXPECT(stats.held == stats.used);
		EXPECT(vnpu_slab_check(&cache));
		EXPECT(drain(&cache, addr, n, order));
		EXPECT(pool_is_empty(&cache));
	}
	kvfree(addr);
	EXPECT(!pool_fini(&cache));
	return true;
}

/* Size of the model, which has an entry per unit of the window. */
#define MODEL_CHUNKS	48
#define MODEL_UNITS	(MODEL_CHUNKS * CHUNK_UNITS)
#define MODEL_LIVE	2048

struct object {
	u64 addr;
	u32 size;
	u32 units;
};

struct slab_state {
	struct vnpu_slab_cache cache;
	struct object live[MODEL_LIVE];
	u32 nr;
	u64 requested;
	/*
	 * For each unit, its object: an index in @live plus 1; 0 if it is free.
	 */
	u16 unit[MODEL_UNITS];
	u32 max_size;
};

static void model_mark(struct slab_state *st, const struct object *o, u16 mark)
{
	u32 i;

	for (i = 0; i < o->units; i++)
		st->unit[o->addr / VNPU_SLAB_UNIT + i] = mark;
}

static bool slab_step_alloc(struct slab_state *st)
{
	struct object *o = &st->live[st->nr];
	struct vnpu_slab_object found;
	u32 i;
	int err;

	if (st->nr == MODEL_LIVE)
		return true;
	o->size = 1 + tap_below(tap_below(st->max_size) + 1);
	err = pool_alloc(&st->cache, o->size, &o->addr);
	if (err) {
		EXPECT(err == -ENOSPC);
		return true;
	}
	EXPECT(o->addr % VNPU_SLAB_UNIT == 0);
	o->units = 1;
	while (o->units < 64 &&
	       !vnpu_slab_find(&st->cache, o->addr + o->units * VNPU_SLAB_UNIT,
			       &found) && found.addr == o->addr)
		o->units++;
	EXPECT(o->units * VNPU_SLAB_UNIT >= o->size);
	for (i = 0; i < o->units; i++)
		EXPECT(!st->unit[o->addr / VNPU_SLAB_UNIT + i]);
	model_mark(st, o, ++st->nr);
	st->requested += o->size;
	return true;
}

static bool slab_step_free(struct slab_state *st)
{
	u32 i, size;
	struct object *o;

	if (!st->nr)
		return true;
	i = tap_below(st->nr);
	o = &st->live[i];
	EXPECT(!pool_free(&st->cache, o->addr, &size));
	EXPECT(size == o->size);
	EXPECT(pool_free(&st->cache, o->addr, &size) == -EINVAL);
	model_mark(st, o, 0);
	st->requested -= o->size;
	if (i != --st->nr) {
		*o = st->live[st->nr];
		model_mark(st, o, i + 1);
	}
	return true;
}

/* Look up and free a random address; only the start of an object is freed. */
static bool slab_step_anywhere(struct slab_state *st)
{
	u64 addr = tap_below(MODEL_CHUNKS * CHUNK_SIZE);
	struct vnpu_slab_object found;
	u32 size, mark;

	if (tap_below(2))
		addr &= ~(VNPU_SLAB_UNIT - 1ULL);
	mark = st->unit[addr / VNPU_SLAB_UNIT];
	EXPECT(vnpu_slab_find(&st->cache, addr, &found) ==
	       (mark ? 0 : -ENOENT));
	if (mark) {
		EXPECT(found.addr == st->live[mark - 1].addr);
		EXPECT(found.size == st->live[mark - 1].size);
		if (found.addr == addr)
			return true;
	}
	EXPECT(pool_free(&st->cache, addr, &size) == -EINVAL);
	return true;
}

static bool slab_same_stats(struct slab_state *st)
{
	struct vnpu_slab_stats stats;
	u64 units = 0;
	u32 i;

	for (i = 0; i < st->nr; i++)
		units += st->live[i].units;
	vnpu_slab_get_stats(&st->cache, &stats);
	EXPECT(stats.objects == st->nr);
	EXPECT(stats.requested == st->requested);
	EXPECT(stats.used == units * VNPU_SLAB_UNIT);
	EXPECT(stats.held >= stats.used);
	EXPECT(vnpu_slab_check(&st->cache));
	return true;
}

static bool slab_run(struct slab_state *st, unsigned long steps)
{
	bool growing = true;
	unsigned long i;

	for (i = 0; i < steps; i++) {
		u32 what = tap_below(100);

		if (!tap_below(4000))
			growing = !growing;
		if (what < 10)
			EXPECT(slab_step_anywhere(st));
		else if (what < (growing ? 70 : 40))
			EXPECT(slab_step_alloc(st));
		else
			EXPECT(slab_step_free(st));
		if (i % 1024 == 0)
			EXPECT(slab_same_stats(st));
	}
	return true;
}

/* Sizes of all classes, of a few classes, and of one class. */
bool test_slab_random(void)
{
	static const u32 max_size[] = { VNPU_SLAB_MAX_SIZE, 512, 64 };
	struct slab_state *st = kvzalloc(sizeof(*st), GFP_KERNEL);
	bool ok = true;
	u32 i, left;

	EXPECT(st);
	for (i = 0; ok && i < ARRAY_SIZE(max_size); i++) {
		memset(st, 0, sizeof(*st));
		st->max_size = max_size[i];
		vnpu_slab_init(&st->cache, MODEL_CHUNKS * CHUNK_SIZE);
		ok = slab_run(st, tap_steps / ARRAY_SIZE(max_size));
		left = pool_fini(&st->cache);
		ok = ok && !left == !st->nr;
	}
	kvfree(st);
	return ok;
}
