// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects smaller than a page. See slab.h.
 *
 * The table of chunks maps an address to its slab; one multiplication then
 * finds the object. One word has a bit for each free object of a slab. The
 * table entry of an unused chunk holds the number of the next unused chunk,
 * marked by an odd value. So the table is only as long as the highest number of
 * slabs there ever was.
 *
 * Full slabs are in no list, because no search needs them. When an object of a
 * full slab is freed, the slab goes to the head of its class's list. So the
 * fullest slabs are filled first, and the others have time to drain.
 */
#include "slab.h"

/*
 * An invalid chunk; all numbers are below this, which leaves a bit for a mark.
 */
#define NO_CHUNK	0x7fffffffU
#define FIRST_ROOM	64U
#define CHUNK_UNITS	512U
#define PAGE_UNITS	64U

/**
 * struct layout - the layout of the slabs of a class
 * @units: size of an object, in units of VNPU_SLAB_UNIT
 * @pages: number of pages of a slab
 */
struct layout {
	u8 units;
	u8 pages;
};

/*
 * There are eight classes for each doubling of the size. A slab has the fewest
 * pages that meet two conditions. It holds six objects and wastes at most 1/32
 * of its pages at the end. Above 512 bytes, that waste and the unused end of an
 * object are together less than 1/8 of the object's cost.
 */
static const struct layout layouts[VNPU_SLAB_CLASSES] = {
	{ 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 },
	{ 5, 2 }, { 6, 2 }, { 7, 1 }, { 8, 1 },
	{ 9, 1 }, { 10, 3 }, { 11, 3 }, { 12, 3 },
	{ 13, 5 }, { 14, 2 }, { 15, 4 }, { 16, 2 },
	{ 18, 2 }, { 20, 5 }, { 22, 6 }, { 24, 3 },
	{ 26, 5 }, { 28, 4 }, { 30, 8 }, { 32, 3 },
	{ 36, 4 }, { 40, 5 }, { 44, 7 }, { 48, 6 },
	{ 52, 5 }, { 56, 7 },
};

/* Return the class of a size from 1 to VNPU_SLAB_MAX_SIZE. */
static inline u32 size_class(u32 size)
{
	u32 last = (size - 1) / VNPU_SLAB_UNIT;
	u32 shift = fls64(last | 15) - 4;

	return shift * 8 + (last >> shift);
}

static inline bool size_is_valid(u32 size)
{
	return size - 1 < VNPU_SLAB_MAX_SIZE;
}

static inline u32 size_of(const struct vnpu_slab *slab)
{
	return slab->units * VNPU_SLAB_UNIT;
}

static inline u64 all_objects(const struct vnpu_slab *slab)
{
	return ~0ULL >> (VNPU_SLAB_MAX_OBJECTS - slab->objects);
}

static inline u64 object_addr(const struct vnpu_slab *slab, u32 i)
{
	return vnpu_slab_base(slab) + i * size_of(slab);
}

static inline u32 object_size(const struct vnpu_slab *slab, u32 i)
{
	return size_of(slab) - slab->slack[i];
}

static inline struct vnpu_slab *chunk_mark(u32 next)
{
	return (struct vnpu_slab *)((unsigned long)next << 1 | 1);
}

static inline bool chunk_is_mark(const struct vnpu_slab *slab)
{
	return (unsigned long)slab & 1;
}

static inline u32 chunk_next(const struct vnpu_slab *mark)
{
	return (unsigned long)mark >> 1;
}

/* Remove all slabs; keep the table and the window. */
static void cache_reset(struct vnpu_slab_cache *cache)
{
	u32 i;

	cache->used = 0;
	cache->next_free = NO_CHUNK;
	for (i = 0; i < VNPU_SLAB_CLASSES; i++) {
		INIT_LIST_HEAD(&cache->class[i].partial);
		cache->class[i].slabs = 0;
		cache->class[i].objects = 0;
		cache->class[i].requested = 0;
	}
}

void vnpu_slab_init(struct vnpu_slab_cache *cache, u64 window)
{
	cache->table = NULL;
	cache->room = 0;
	cache->max = min_t(u64, window >> VNPU_SLAB_CHUNK_SHIFT, NO_CHUNK);
	cache_reset(cache);
}

u32 vnpu_slab_pages(u32 size)
{
	return size_is_valid(size) ? layouts[size_class(size)].pages : 0;
}

u32 vnpu_slab_class_size(u32 class)
{
	return layouts[class].units * VNPU_SLAB_UNIT;
}

u32 vnpu_slab_round(u32 size)
{
	return vnpu_slab_class_size(size_class(size));
}

u32 vnpu_slab_table_size(const struct vnpu_slab_cache *cache)
{
	if (cache->next_free != NO_CHUNK || cache->used < cache->room ||
	    cache->room == cache->max)
		return 0;
	return min(max(cache->room * 2, FIRST_ROOM), cache->max);
}

struct vnpu_slab **vnpu_slab_set_table(struct vnpu_slab_cache *cache,
				       struct vnpu_slab **table, u32 room)
{
	struct vnpu_slab **old = cache->table;

	room = min(room, cache->max);
	if (room <= cache->room)
		return table;
	if (cache->used)
		memcpy(table, old, cache->used * sizeof(*table));
	cache->table = table;
	cache->room = room;
	return old;
}

static int chunk_take(struct vnpu_slab_cache *cache, u32 *chunk)
{
	if (cache->next_free != NO_CHUNK) {
		*chunk = cache->next_free;
		cache->next_free = chunk_next(cache->table[*chunk]);
		return 0;
	}
	if (cache->used == cache->max)
		return -ENOSPC;
	if (cache->used == cache->room)
		return -EAGAIN;
	*chunk = cache->used++;
	return 0;
}

static void slab_cut(struct vnpu_slab *slab, u32 class)
{
	const struct layout *l = &layouts[class];

	slab->class = class;
	slab->units = l->units;
	slab->objects = l->pages * PAGE_UNITS / l->units;
	slab->inverse = DIV_ROUND_UP(1U << 16, l->units);
	slab->free = all_objects(slab);
}

/* Allocate an object from a slab that has a free one. */
static inline u64 slab_take(struct vnpu_slab_class *class,
			    struct vnpu_slab *slab, u32 size)
{
	u32 i = __ffs64(slab->free);

	slab->free &= slab->free - 1;
	if (!slab->free)
		list_del(&slab->link);
	slab->slack[i] = size_of(slab) - size;
	class->objects++;
	class->requested += size;
	return object_addr(slab, i);
}

int vnpu_slab_add(struct vnpu_slab_cache *cache, struct vnpu_slab *slab,
		  u32 size, u64 *addr)
{
	struct vnpu_slab_class *class;
	int err;

	if (!size_is_valid(size))
		return -EINVAL;
	err = chunk_take(cache, &slab->chunk);
	if (err)
		return err;

	slab_cut(slab, size_class(size));
	class = &cache->class[slab->class];
	list_add(&slab->link, &class->partial);
	class->slabs++;
	cache->table[slab->chunk] = slab;
	*addr = slab_take(class, slab, size);
	return 0;
}

int vnpu_slab_alloc(struct vnpu_slab_cache *cache, u32 size, u64 *addr)
{
	struct vnpu_slab_class *class;
	struct vnpu_slab *slab;

	if (!size_is_valid(size))
		return -EINVAL;
	class = &cache->class[size_class(size)];
	if (list_empty(&class->partial))
		return -EAGAIN;
	slab = list_first_entry(&class->partial, struct vnpu_slab, link);
	*addr = slab_take(class, slab, size);
	return 0;
}

/* Return the slab with @addr in its chunk, or NULL. */
static inline struct vnpu_slab *slab_at(const struct vnpu_slab_cache *cache,
					u64 addr)
{
	u64 chunk = addr >> VNPU_SLAB_CHUNK_SHIFT;
	struct vnpu_slab *slab;

	if (chunk >= cache->used)
		return NULL;
	slab = cache->table[chunk];
	return chunk_is_mark(slab) ? NULL : slab;
}

/*
 * Find the allocated object that contains @addr. The inverse exceeds 2^16 /
 * units by less than 1. So the quotient is too large by less than CHUNK_UNITS /
 * 2^16, which is less than the 1 / units that would reach the next object.
 */
static inline bool object_at(const struct vnpu_slab *slab, u64 addr, u32 *i)
{
	u32 unit = addr / VNPU_SLAB_UNIT % CHUNK_UNITS;

	*i = unit * slab->inverse >> 16;
	return *i < slab->objects && !(slab->free >> *i & 1);
}

static void slab_remove(struct vnpu_slab_cache *cache, struct vnpu_slab *slab)
{
	list_del(&slab->link);
	cache->class[slab->class].slabs--;
	cache->table[slab->chunk] = chunk_mark(cache->next_free);
	cache->next_free = slab->chunk;
}

int vnpu_slab_free(struct vnpu_slab_cache *cache, u64 addr, u32 *size,
		   struct vnpu_slab **empty)
{
	struct vnpu_slab *slab = slab_at(cache, addr);
	struct vnpu_slab_class *class;
	u32 i;

	if (!slab || !object_at(slab, addr, &i) || addr != object_addr(slab, i))
		return -EINVAL;

	class = &cache->class[slab->class];
	*size = object_size(slab, i);
	class->requested -= *size;
	class->objects--;
	if (!slab->free)
		list_add(&slab->link, &class->partial);
	slab->free |= 1ULL << i;
	*empty = NULL;
	if (slab->free == all_objects(slab)) {
		slab_remove(cache, slab);
		*empty = slab;
	}
	return 0;
}

int vnpu_slab_find(const struct vnpu_slab_cache *cache, u64 addr,
		   struct vnpu_slab_object *object)
{
	struct vnpu_slab *slab = slab_at(cache, addr);
	u32 i;

	if (!slab || !object_at(slab, addr, &i))
		return -ENOENT;
	object->slab = slab;
	object->addr = object_addr(slab, i);
	object->size = object_size(slab, i);
	return 0;
}

struct vnpu_slab *vnpu_slab_next(const struct vnpu_slab_cache *cache,
				 const struct vnpu_slab *slab)
{
	u32 chunk = slab ? slab->chunk + 1 : 0;

	for (; chunk < cache->used; chunk++)
		if (!chunk_is_mark(cache->table[chunk]))
			return cache->table[chunk];
	return NULL;
}

struct vnpu_slab *vnpu_slab_pop(struct vnpu_slab_cache *cache)
{
	while (cache->used) {
		struct vnpu_slab *slab = cache->table[--cache->used];

		if (!chunk_is_mark(slab))
			return slab;
	}
	cache_reset(cache);
	return NULL;
}

void vnpu_slab_get_class_stats(const struct vnpu_slab_cache *cache, u32 class,
			       struct vnpu_slab_stats *stats)
{
	const struct vnpu_slab_class *c = &cache->class[class];

	stats->slabs = c->slabs;
	stats->objects = c->objects;
	stats->requested = c->requested;
	stats->used = c->objects * vnpu_slab_class_size(class);
	stats->held = c->slabs * layouts[class].pages * PAGE_UNITS *
		      VNPU_SLAB_UNIT;
}

void vnpu_slab_get_stats(const struct vnpu_slab_cache *cache,
			 struct vnpu_slab_stats *stats)
{
	struct vnpu_slab_stats class;
	u32 i;

	memset(stats, 0, sizeof(*stats));
	for (i = 0; i < VNPU_SLAB_CLASSES; i++) {
		vnpu_slab_get_class_stats(cache, i, &class);
		stats->slabs += class.slabs;
		stats->objects += class.objects;
		stats->requested += class.requested;
		stats->used += class.used;
		stats->held += class.held;
	}
}

static bool check_slab(const struct vnpu_slab_cache *cache,
		       const struct vnpu_slab *slab)
{
	return cache->table[slab->chunk] == slab &&
	       slab->class < VNPU_SLAB_CLASSES &&
	       !(slab->free & ~all_objects(slab)) &&
	       slab->free != all_objects(slab);
}

static u64 sum_requested(const struct vnpu_slab *slab)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < slab->objects; i++)
		if (!(slab->free >> i & 1))
			sum += object_size(slab, i);
	return sum;
}

/* Check the counts of a class, and that it lists just the partial slabs. */
static bool check_class(const struct vnpu_slab_cache *cache, u32 class)
{
	u64 slabs = 0, objects = 0, requested = 0, partial = 0;
	const struct vnpu_slab *slab;

	for (slab = vnpu_slab_next(cache, NULL); slab;
	     slab = vnpu_slab_next(cache, slab)) {
		if (slab->class != class)
			continue;
		slabs++;
		objects += slab->objects - hweight64(slab->free);
		requested += sum_requested(slab);
		partial += !!slab->free;
	}
	list_for_each_entry(slab, &cache->class[class].partial, link) {
		if (!check_slab(cache, slab) || slab->class != class ||
		    !slab->free)
			return false;
		partial--;
	}
	return slabs == cache->class[class].slabs &&
	       requested == cache->class[class].requested &&
	       objects == cache->class[class].objects && !partial;
}

bool vnpu_slab_check(const struct vnpu_slab_cache *cache)
{
	u32 marks = 0, chunk, class;

	for (chunk = 0; chunk < cache->used; chunk++) {
		const struct vnpu_slab *slab = cache->table[chunk];

		if (chunk_is_mark(slab)) {
			marks++;
			continue;
		}
		if (slab->chunk != chunk || !check_slab(cache, slab))
			return false;
	}
	for (chunk = cache->next_free; chunk != NO_CHUNK; marks--) {
		if (!marks || chunk >= cache->used ||
		    !chunk_is_mark(cache->table[chunk]))
			return false;
		chunk = chunk_next(cache->table[chunk]);
	}
	for (class = 0; class < VNPU_SLAB_CLASSES; class++)
		if (!check_class(cache, class))
			return false;
	return !marks && cache->used <= cache->room &&
	       cache->room <= cache->max;
}
