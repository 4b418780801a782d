/* SPDX-License-Identifier: MIT */
/*
 * Size classes of a pool, and its three address ranges.
 *
 * Sizes below 4 KiB are in the fine range, with granules of 64 bytes; sizes up
 * to 64 KiB in the coarse range, with granules of 256 bytes; all others in the
 * paged range, with granules of a page, apart from slabs, which live long.  An
 * object begins at a granule and is found by the number of the granule.
 */
#ifndef VNPU_LIB_POOL_CLASS_H
#define VNPU_LIB_POOL_CLASS_H

#include <stdbool.h>
#include <stdint.h>

enum vnpu_range_kind { VNPU_FINE, VNPU_COARSE, VNPU_PAGED, VNPU_RANGES };

#define VNPU_FINE_SHIFT		6
#define VNPU_COARSE_SHIFT	8
#define VNPU_PAGED_SHIFT	12

#define VNPU_FINE_MAX		4032U
#define VNPU_COARSE_MIN		4096U
#define VNPU_MEDIUM_MAX		65536U
#define VNPU_LARGE_MAX		(2U << 20)

/* A class is a number of 7 bits; 0 means none. */
#define VNPU_CLASSES		128
#define VNPU_CLASS_NONE		0
#define VNPU_CLASS_HUGE		127	/* of an individual size */
#define VNPU_CLASS_STEP		126	/* of an individual size, in a step */
#define VNPU_CLASSES_MOST	125

struct vnpu_class {
	uint32_t size;
	uint32_t pages;			/* of a slab */
	uint32_t reciprocal;		/* 2^31 / granules, rounded up */
	uint16_t objects;		/* of a slab */
	uint16_t capacity;		/* of the cache of a thread */
	uint8_t range;			/* enum vnpu_range_kind */
};

/* Sizes that a class can have; 0 means none. */
#define VNPU_SIZES		(1 + VNPU_FINE_MAX / 64 + 1 +		\
				 (VNPU_MEDIUM_MAX - VNPU_COARSE_MIN) / 256 + \
				 (VNPU_LARGE_MAX - VNPU_MEDIUM_MAX) / 4096)

/* Entries of tables by size, each for sizes that the one before lacks. */
#define VNPU_BY_64		(VNPU_FINE_MAX / 64 + 1)
#define VNPU_BY_256		(VNPU_MEDIUM_MAX / 256 + 1)
#define VNPU_BY_PAGE		(VNPU_LARGE_MAX / 4096 + 1)

struct vnpu_classes {
	unsigned int count;		/* ascending sizes, from 1 on */
	struct vnpu_class class[VNPU_CLASSES];
	uint8_t by_64[VNPU_BY_64];
	uint8_t by_256[VNPU_BY_256];
	uint8_t by_page[VNPU_BY_PAGE];
};

/* Find the smallest size that holds a size from 1 to 2 MiB, and its index. */
unsigned int vnpu_size_index(uint64_t size);
uint32_t vnpu_size_of(unsigned int index);

/*
 * Make the classes of a pool with allocations in multiples of @alignment: the
 * default ones, and those of @is_exact, by vnpu_size_index().  There must be at
 * most VNPU_CLASSES_MOST.
 */
void vnpu_classes_init(struct vnpu_classes *classes, uint32_t alignment,
		       bool is_compact, const bool is_exact[VNPU_SIZES]);

/*
 * Find the class of a size aligned to at most a page; VNPU_CLASS_NONE if none.
 */
unsigned int vnpu_class_find(const struct vnpu_classes *classes, uint64_t size,
			     uint32_t alignment);

static inline unsigned int vnpu_range_shift(enum vnpu_range_kind range)
{
	if (range == VNPU_FINE)
		return VNPU_FINE_SHIFT;
	return range == VNPU_COARSE ? VNPU_COARSE_SHIFT : VNPU_PAGED_SHIFT;
}

static inline enum vnpu_range_kind vnpu_range_of(uint32_t size)
{
	if (size <= VNPU_FINE_MAX)
		return VNPU_FINE;
	return size <= VNPU_MEDIUM_MAX ? VNPU_COARSE : VNPU_PAGED;
}

#endif /* VNPU_LIB_POOL_CLASS_H */
