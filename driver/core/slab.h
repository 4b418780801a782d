/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects smaller than a page, for one client on one device.
 *
 * A cache hands out addresses, which are offsets in a window that the caller
 * reserves among the client's device addresses. The window is cut into chunks.
 * A slab is a run of pages at the start of a chunk, cut into objects of one
 * size class. Sizes and addresses are multiples of 64 bytes. For requests above
 * 512 bytes, less than 12.5 % is lost, including the unused ends of slabs.
 *
 * A cache neither owns pages nor allocates memory: the caller provides both,
 * outside of the lock that protects the cache. To allocate an object:
 *
 *	for (;;) {
 *		err = vnpu_slab_alloc(cache, size, &addr);
 *		if (err == -EAGAIN && slab)
 *			err = vnpu_slab_add(cache, slab, size, &addr);
 *		if (err != -EAGAIN)
 *			break;
 *		unlock; allocate those of the following that are missing; lock:
 *			a struct vnpu_slab and vnpu_slab_pages(size) pages,
 *			if vnpu_slab_table_size(cache) is not 0, a table
 *			for vnpu_slab_set_table()
 *	}
 *	unlock; free what was not used;
 *
 * No slab is ever empty: vnpu_slab_add() also allocates the first object, and
 * vnpu_slab_free() returns the slab with its last object. So memory that a
 * client frees is available to all clients at once, and there is nothing to
 * reclaim when memory is short.
 *
 * All operations are O(1), except vnpu_slab_set_table(), which copies the
 * table. As the table doubles each time, the copies cost O(1) per slab ever
 * added. Callers serialise.
 */
#ifndef VNPU_CORE_SLAB_H
#define VNPU_CORE_SLAB_H

#include "core_internal.h"

/* The unit of addresses and sizes, in bytes. */
#define VNPU_SLAB_UNIT		64U

/* The largest object; larger requests use whole pages. */
#define VNPU_SLAB_MAX_SIZE	3584U

#define VNPU_SLAB_CLASSES	30
#define VNPU_SLAB_MAX_OBJECTS	64
#define VNPU_SLAB_MAX_PAGES	8

/* Size of a chunk, the address space of one slab: 32 KiB. */
#define VNPU_SLAB_CHUNK_SHIFT	15

/**
 * struct vnpu_slab - a slab
 * @link: entry in the class's list, if the slab has a free object
 * @free: a bit for each object, set if it is free
 * @chunk: number of its chunk; see vnpu_slab_base()
 * @inverse: 2^16 / @units, rounded up: multiplying by it replaces a division
 * @class: size class
 * @units: size of an object, in units of VNPU_SLAB_UNIT
 * @objects: number of objects, free or allocated
 * @slack: for each object, its size minus the requested size, in bytes
 *
 * The caller provides the memory, which need not be initialised. All members
 * are private while the slab is in a cache.
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
 * @partial: slabs with a free object
 * @slabs: number of slabs, partial and full
 * @objects: number of allocated objects
 * @requested: requested bytes of all allocated objects
 */
struct vnpu_slab_class {
	struct list_head partial;
	u64 slabs;
	u64 objects;
	u64 requested;
};

/**
 * struct vnpu_slab_cache - the slabs of a client on a device
 * @table: for each chunk, its slab or the number of the next free chunk
 * @room: number of entries that @table can hold
 * @used: number of entries in use; chunks from here on were never used
 * @max: number of chunks in the window
 * @next_free: head of the list of free chunks below @used
 * @class: the size classes
 *
 * All members are private, except that the caller copies @table to free it.
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
 * struct vnpu_slab_object - an allocated object
 * @slab: the slab that contains it
 * @addr: its address
 * @size: requested bytes
 */
struct vnpu_slab_object {
	struct vnpu_slab *slab;
	u64 addr;
	u32 size;
};

/**
 * struct vnpu_slab_stats - statistics of a cache, or of one of its size classes
 * @slabs: number of slabs
 * @objects: number of allocated objects
 * @requested: requested bytes
 * @used: bytes of the allocated objects; the rest of each object is lost
 * @held: bytes of the slabs: allocated objects, free ones, and unused ends
 */
struct vnpu_slab_stats {
	u64 slabs;
	u64 objects;
	u64 requested;
	u64 used;
	u64 held;
};

/**
 * vnpu_slab_init() - initialise an empty cache without a table
 * @cache: the cache
 * @window: size of the address window in bytes; the window begins at 0
 */
void vnpu_slab_init(struct vnpu_slab_cache *cache, u64 window);

/**
 * vnpu_slab_pages() - get the number of pages of a slab
 * @size: the request for which the slab is needed
 *
 * Return: number of pages of 4 KiB, at most VNPU_SLAB_MAX_PAGES; 0 if @size is
 * 0 or more than VNPU_SLAB_MAX_SIZE.
 */
u32 vnpu_slab_pages(u32 size);

/**
 * vnpu_slab_class_size() - get the object size of a class
 * @class: size class, below VNPU_SLAB_CLASSES
 *
 * Return: bytes.
 */
u32 vnpu_slab_class_size(u32 class);

/**
 * vnpu_slab_round() - round a request up to its size class
 * @size: the request, from 1 to VNPU_SLAB_MAX_SIZE
 *
 * Return: bytes per object of the class.
 */
u32 vnpu_slab_round(u32 size);

/**
 * vnpu_slab_table_size() - get the size of the table that is needed next
 * @cache: the cache
 *
 * Return: number of pointers of the table that the caller must pass to
 * vnpu_slab_set_table() before it adds a slab; 0 if the current table is large
 * enough.
 */
u32 vnpu_slab_table_size(const struct vnpu_slab_cache *cache);

/**
 * vnpu_slab_set_table() - replace the table by a larger one
 * @cache: the cache
 * @table: memory for the new table, with any contents
 * @room: number of pointers that @table can hold
 *
 * Return: the table for the caller to free: the old one, or @table if it is not
 * larger; NULL if there was no old one.
 */
struct vnpu_slab **vnpu_slab_set_table(struct vnpu_slab_cache *cache,
				       struct vnpu_slab **table, u32 room);

/**
 * vnpu_slab_add() - add a slab and allocate its first object
 * @cache: the cache
 * @slab: the slab
 * @size: the request, as for vnpu_slab_alloc()
 * @addr: filled with the address of the object, which is that of the slab
 *
 * The caller has vnpu_slab_pages(@size) pages for the slab and binds them at
 * vnpu_slab_base(@slab).
 *
 * Return: 0; -EAGAIN if the table is full; -ENOSPC if the window is full;
 * -EINVAL if @size is 0 or more than VNPU_SLAB_MAX_SIZE.
 */
int vnpu_slab_add(struct vnpu_slab_cache *cache, struct vnpu_slab *slab,
		  u32 size, u64 *addr);

/**
 * vnpu_slab_alloc() - allocate an object
 * @cache: the cache
 * @size: bytes
 * @addr: filled with the address
 *
 * Return: 0; -EAGAIN if the caller must add a slab; -EINVAL if @size is 0 or
 * more than VNPU_SLAB_MAX_SIZE.
 */
int vnpu_slab_alloc(struct vnpu_slab_cache *cache, u32 size, u64 *addr);

/**
 * vnpu_slab_free() - free an object
 * @cache: the cache
 * @addr: address of the object
 * @size: filled with the requested bytes
 * @empty: set to the slab if the object was its last one, else to NULL. Such a
 *	slab is no longer in the cache; its pages and addresses belong to the
 *	caller.
 *
 * Return: 0, or -EINVAL if no allocated object begins at @addr; then nothing
 * has changed.
 */
int vnpu_slab_free(struct vnpu_slab_cache *cache, u64 addr, u32 *size,
		   struct vnpu_slab **empty);

/**
 * vnpu_slab_find() - find the object that contains an address
 * @cache: the cache
 * @addr: the address, from the object's first byte to the last one of its
 *	class; bytes from object.addr + object.size on were not requested
 * @object: filled with the object
 *
 * Return: 0, or -ENOENT if no allocated object contains @addr.
 */
int vnpu_slab_find(const struct vnpu_slab_cache *cache, u64 addr,
		   struct vnpu_slab_object *object);

/**
 * vnpu_slab_next() - walk the slabs in the order of addresses
 * @cache: the cache
 * @slab: the previous slab, or NULL for the first
 *
 * Return: the slab, or NULL at the end.
 */
struct vnpu_slab *vnpu_slab_next(const struct vnpu_slab_cache *cache,
				 const struct vnpu_slab *slab);

/**
 * vnpu_slab_pop() - remove a slab, even if it has allocated objects
 * @cache: the cache; no other function may be called until this returns NULL
 *
 * Return: a slab that the caller frees, as from vnpu_slab_free(). NULL when
 * none is left: the caller may then free the table or use the cache again.
 */
struct vnpu_slab *vnpu_slab_pop(struct vnpu_slab_cache *cache);

/**
 * vnpu_slab_get_class_stats() - get the statistics of a size class
 * @cache: the cache
 * @class: size class, below VNPU_SLAB_CLASSES
 * @stats: filled with the statistics
 */
void vnpu_slab_get_class_stats(const struct vnpu_slab_cache *cache, u32 class,
			       struct vnpu_slab_stats *stats);

/**
 * vnpu_slab_get_stats() - get the statistics of a cache without a scan
 * @cache: the cache
 * @stats: filled with the statistics
 */
void vnpu_slab_get_stats(const struct vnpu_slab_cache *cache,
			 struct vnpu_slab_stats *stats);

/**
 * vnpu_slab_check() - verify the derived state of a cache
 * @cache: the cache
 *
 * For tests; visits every slab.
 *
 * Return: true if the state is consistent.
 */
bool vnpu_slab_check(const struct vnpu_slab_cache *cache);

/**
 * vnpu_slab_base() - get the address of a slab
 * @slab: a slab that is in a cache, or was in one
 *
 * Return: the address of its first object.
 */
static inline u64 vnpu_slab_base(const struct vnpu_slab *slab)
{
	return (u64)slab->chunk << VNPU_SLAB_CHUNK_SHIFT;
}

#endif
