/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects below a page: what one client has on one device.
 *
 * A cache hands out addresses, which are offsets in a window that the caller
 * keeps for it among the client's device addresses. The window is cut into
 * chunks; a slab is a run of pages at the start of a chunk, cut into objects
 * of one size class. Sizes are multiples of 64 bytes, and so are addresses; of
 * what is asked for above 512 bytes less than 12.5 % is lost, with what is
 * left over at the ends of slabs counted in.
 *
 * A cache has no pages and takes no memory: both come from the caller, outside
 * of the lock under which the cache is used. To allocate:
 *
 *	for (;;) {
 *		err = vnpu_slab_alloc(cache, size, &addr);
 *		if (err == -EAGAIN && slab)
 *			err = vnpu_slab_add(cache, slab, size, &addr);
 *		if (err != -EAGAIN)
 *			break;
 *		unlock; what is missing of these, allocate; lock;
 *			a struct vnpu_slab and vnpu_slab_pages(size) pages,
 *			a table if vnpu_slab_table_size(cache) is not 0,
 *			for vnpu_slab_set_table()
 *	}
 *	unlock; what was not used, free;
 *
 * No slab is ever empty: one is added with its first object, and with its
 * last it is given back at once. So what a client has freed is free, for
 * everybody, and there is nothing to reclaim when memory is short.
 *
 * Everything is O(1), except vnpu_slab_set_table(), which copies the table:
 * as it doubles, that is O(1) per slab ever added. Callers serialise.
 */
#ifndef VNPU_CORE_SLAB_H
#define VNPU_CORE_SLAB_H

#include "core_internal.h"

/* The unit of addresses and sizes, in bytes. */
#define VNPU_SLAB_UNIT		64U

/* The largest object; what is larger is better off with pages. */
#define VNPU_SLAB_MAX_SIZE	3584U

#define VNPU_SLAB_CLASSES	30
#define VNPU_SLAB_MAX_OBJECTS	64
#define VNPU_SLAB_MAX_PAGES	8

/* Address space of a slab, used or not: 32 KiB. */
#define VNPU_SLAB_CHUNK_SHIFT	15

/**
 * struct vnpu_slab - a slab
 * @link: in the class's list, if an object is free
 * @free: a bit per object, set if it is free
 * @chunk: where it is; see vnpu_slab_base()
 * @inverse: 2^16 / @units, rounded up: dividing is multiplying by it
 * @class: size class
 * @units: size of an object
 * @objects: how many there are, free or not
 * @slack: by how many bytes the request was smaller than the object
 *
 * It is the caller's memory, and all of it private while it is in a cache. It
 * need not be initialised.
 */
struct vnpu_slab {
	struct list_head link;
	u64 free;
	u32 chunk;
	u32 inverse;
	u8 class;
	u8 units;
	u8 objects;
	u8 slack[VNPU_SLAB_MAX_OBJECTS];
};

/**
 * struct vnpu_slab_class - the slabs of a size class
 * @partial: those with a free object; in all others none is free
 * @slabs: how many in all
 * @objects: how many objects are allocated
 * @requested: bytes asked for, of the objects that are allocated
 */
struct vnpu_slab_class {
	struct list_head partial;
	u64 slabs;
	u64 objects;
	u64 requested;
};

/**
 * struct vnpu_slab_cache - the slabs of a client on a device
 * @table: by chunk: the slab, or which chunk is the next free one
 * @room: entries that the table has room for
 * @used: those from here on have never been used
 * @max: chunks in the window
 * @next_free: the first in the list of free chunks below @used
 * @class: by size class
 *
 * All is private, except that a copy of @table is needed to free it.
 */
struct vnpu_slab_cache {
	struct vnpu_slab **table;
	u32 room;
	u32 used;
	u32 max;
	u32 next_free;
	struct vnpu_slab_class class[VNPU_SLAB_CLASSES];
};

/**
 * struct vnpu_slab_object - an object that is allocated
 * @slab: where it is in
 * @addr: its address
 * @size: bytes that were asked for
 */
struct vnpu_slab_object {
	struct vnpu_slab *slab;
	u64 addr;
	u32 size;
};

/**
 * struct vnpu_slab_stats - the state of a cache, or of one size class of it
 * @slabs: how many
 * @objects: that are allocated
 * @requested: bytes that were asked for
 * @used: bytes of the objects; the difference is lost inside them
 * @held: bytes of the slabs; the difference is free, or left over at ends
 */
struct vnpu_slab_stats {
	u64 slabs;
	u64 objects;
	u64 requested;
	u64 used;
	u64 held;
};

/**
 * vnpu_slab_init() - make a cache, empty and without a table
 * @cache: the cache
 * @window: bytes of its address window, which begins at 0
 */
void vnpu_slab_init(struct vnpu_slab_cache *cache, u64 window);

/**
 * vnpu_slab_pages() - what a slab is made of
 * @size: the request that it is for
 *
 * Return: pages of 4 KiB, at most VNPU_SLAB_MAX_PAGES; 0 if @size is 0 or more
 * than VNPU_SLAB_MAX_SIZE.
 */
u32 vnpu_slab_pages(u32 size);

/**
 * vnpu_slab_class_size() - the size of the objects of a class
 * @class: size class, below VNPU_SLAB_CLASSES
 *
 * Return: bytes.
 */
u32 vnpu_slab_class_size(u32 class);

/**
 * vnpu_slab_round() - what an object costs
 * @size: the request, from 1 to VNPU_SLAB_MAX_SIZE
 *
 * Return: bytes, of the size class.
 */
u32 vnpu_slab_round(u32 size);

/**
 * vnpu_slab_table_size() - how large a table is needed
 * @cache: the cache
 *
 * Return: pointers in the table that vnpu_slab_set_table() should be given
 * before a slab is added, or 0 if the one that is there will do.
 */
u32 vnpu_slab_table_size(const struct vnpu_slab_cache *cache);

/**
 * vnpu_slab_set_table() - give a larger table
 * @cache: the cache
 * @table: memory for it, with any contents
 * @room: how many pointers it has room for
 *
 * Return: what is no longer, or not, used of the two tables; NULL if there was
 * none before.
 */
struct vnpu_slab **vnpu_slab_set_table(struct vnpu_slab_cache *cache,
				       struct vnpu_slab **table, u32 room);

/**
 * vnpu_slab_add() - add a slab, and allocate its first object
 * @cache: the cache
 * @slab: the slab
 * @size: the request, as for vnpu_slab_alloc()
 * @addr: the object's address, which is the slab's
 *
 * The caller has vnpu_slab_pages(@size) pages for it and binds them at
 * vnpu_slab_base(@slab).
 *
 * Return: 0, -EAGAIN if the table is full, -ENOSPC if the window is, -EINVAL
 * if @size is no slab's.
 */
int vnpu_slab_add(struct vnpu_slab_cache *cache, struct vnpu_slab *slab,
		  u32 size, u64 *addr);

/**
 * vnpu_slab_alloc() - allocate an object
 * @cache: the cache
 * @size: bytes
 * @addr: its address
 *
 * Return: 0, -EAGAIN if another slab is needed for it, -EINVAL if @size is 0
 * or more than VNPU_SLAB_MAX_SIZE.
 */
int vnpu_slab_alloc(struct vnpu_slab_cache *cache, u32 size, u64 *addr);

/**
 * vnpu_slab_free() - free an object
 * @cache: the cache
 * @addr: its address
 * @size: bytes that were asked for
 * @empty: the slab, if it has no other object: it is no longer in the cache,
 *	and its pages and addresses are the caller's again; else NULL
 *
 * Return: 0, or -EINVAL, and nothing has changed, if no allocated object
 * begins at @addr.
 */
int vnpu_slab_free(struct vnpu_slab_cache *cache, u64 addr, u32 *size,
		   struct vnpu_slab **empty);

/**
 * vnpu_slab_find() - find the object that an address is in
 * @cache: the cache
 * @addr: the address, from the object's first byte to the last of its class;
 *	those from object.addr + object.size on were not asked for
 * @object: filled
 *
 * Return: 0, or -ENOENT if there is none.
 */
int vnpu_slab_find(const struct vnpu_slab_cache *cache, u64 addr,
		   struct vnpu_slab_object *object);

/**
 * vnpu_slab_next() - walk the slabs, by address
 * @cache: the cache
 * @slab: the one before, or NULL
 *
 * Return: the slab or NULL.
 */
struct vnpu_slab *vnpu_slab_next(const struct vnpu_slab_cache *cache,
				 const struct vnpu_slab *slab);

/**
 * vnpu_slab_pop() - take a cache apart, whatever is still allocated
 * @cache: the cache; until NULL is returned, only this may be called
 *
 * Return: a slab, as from vnpu_slab_free(), or NULL when there is none left:
 * then the table can be freed, or the cache be used again.
 */
struct vnpu_slab *vnpu_slab_pop(struct vnpu_slab_cache *cache);

/**
 * vnpu_slab_get_class_stats() - the state of a size class
 * @cache: the cache
 * @class: size class, below VNPU_SLAB_CLASSES
 * @stats: filled
 */
void vnpu_slab_get_class_stats(const struct vnpu_slab_cache *cache, u32 class,
			       struct vnpu_slab_stats *stats);

/**
 * vnpu_slab_get_stats() - the state of the cache; no scan
 * @cache: the cache
 * @stats: filled
 */
void vnpu_slab_get_stats(const struct vnpu_slab_cache *cache,
			 struct vnpu_slab_stats *stats);

/**
 * vnpu_slab_check() - compare all that is kept with what it is derived from
 * @cache: the cache
 *
 * For tests: looks at every slab.
 *
 * Return: whether all of it agrees.
 */
bool vnpu_slab_check(const struct vnpu_slab_cache *cache);

/**
 * vnpu_slab_base() - where a slab is
 * @slab: a slab that is in a cache, or was
 *
 * Return: the address of its first object.
 */
static inline u64 vnpu_slab_base(const struct vnpu_slab *slab)
{
	return (u64)slab->chunk << VNPU_SLAB_CHUNK_SHIFT;
}

#endif
