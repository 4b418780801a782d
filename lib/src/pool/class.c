// SPDX-License-Identifier: MIT
/*
 * Size classes, see class.h.
 *
 * From 512 bytes on, there are eight classes per doubling, so at most an eighth
 * is lost.  A compact pool has fewer large classes but twice as many per
 * doubling.
 */
#include <string.h>

#include "base/util.h"
#include "class.h"
#include "heap.h"

#define SLAB_FINE		(64U << 10)
/* Limit on the unused part at the end of a compact pool's slabs. */
#define SLAB_WASTE_PART		32U

/* Sizes of classes are multiples of these; of pages from 64 KiB on. */
#define FINE_STEP		(1U << VNPU_FINE_SHIFT)
#define COARSE_STEP		(1U << VNPU_COARSE_SHIFT)

/* Limits of a cache per class: bytes, and the range of objects. */
#define CACHE_BYTES		(2U << 20)
#define CACHE_BYTES_COMPACT	(64U << 10)
#define CACHE_LEAST		4U
#define CACHE_MOST		256U

static uint32_t next_size(uint32_t size, uint32_t per_doubling)
{
	uint32_t step = size < VNPU_FINE_MAX ? FINE_STEP : COARSE_STEP;

	while (step * 2 * per_doubling <= size)
		step *= 2;
	return size + step;
}

static uint32_t slab_bytes(uint32_t size)
{
	if (size > VNPU_MEDIUM_MAX)
		return size;
	if (size > SLAB_FINE / 8)
		return size * 8;
	return size > VNPU_FINE_MAX ? size * 16 : SLAB_FINE;
}

/*
 * Choose the fewest pages: a few live objects keep a whole slab from other
 * uses, and here memory matters more than the description of each page.
 */
static uint32_t slab_bytes_compact(uint32_t size)
{
	uint32_t bytes = vnpu_align_up(size, VNPU_PAGE_SIZE);

	while (bytes % size > bytes / SLAB_WASTE_PART)
		bytes += VNPU_PAGE_SIZE;
	return bytes;
}

static void class_init(struct vnpu_class *class, uint32_t size,
		       bool is_compact)
{
	uint32_t kept = is_compact ? CACHE_BYTES_COMPACT : CACHE_BYTES;
	uint32_t bytes, granules;

	class->size = size;
	class->range = vnpu_range_of(size);
	granules = size >> vnpu_range_shift(class->range);
	class->reciprocal = ((1ULL << 31) + granules - 1) / granules;
	bytes = is_compact ? slab_bytes_compact(size) : slab_bytes(size);
	class->pages = vnpu_align_up(bytes, VNPU_PAGE_SIZE) >> VNPU_PAGE_SHIFT;
	class->objects = bytes / size;
	class->capacity = kept / size;
	if (class->capacity > CACHE_MOST)
		class->capacity = CACHE_MOST;
	if (class->capacity < CACHE_LEAST)
		class->capacity = CACHE_LEAST;
}

/* The last index of each step size. */
#define LAST_FINE	(VNPU_FINE_MAX / FINE_STEP)
#define LAST_MEDIUM	(LAST_FINE + 1 + (VNPU_MEDIUM_MAX - VNPU_COARSE_MIN) / \
					 COARSE_STEP)
#define LAST_LARGE	(VNPU_SIZES - 1)

unsigned int vnpu_size_index(uint64_t size)
{
	if (size <= VNPU_FINE_MAX)
		return (size + FINE_STEP - 1) / FINE_STEP;
	if (size <= VNPU_MEDIUM_MAX)
		return LAST_MEDIUM - (VNPU_MEDIUM_MAX - size) / COARSE_STEP;
	return LAST_LARGE - (VNPU_LARGE_MAX - size) / VNPU_PAGE_SIZE;
}

uint32_t vnpu_size_of(unsigned int index)
{
	if (index <= LAST_FINE)
		return index * FINE_STEP;
	if (index <= LAST_MEDIUM)
		return VNPU_MEDIUM_MAX - (LAST_MEDIUM - index) * COARSE_STEP;
	return VNPU_LARGE_MAX - (LAST_LARGE - index) * VNPU_PAGE_SIZE;
}

void vnpu_classes_init(struct vnpu_classes *classes, uint32_t alignment,
		       bool is_compact, const bool is_exact[VNPU_SIZES])
{
	unsigned int last = is_compact ? LAST_MEDIUM : LAST_LARGE;
	uint32_t per_doubling = is_compact ? 16 : 8;
	uint32_t usual = FINE_STEP;

	memset(classes, 0, sizeof(*classes));
	for (unsigned int i = 1; i <= last; i++) {
		uint32_t size = vnpu_size_of(i);

		while (usual < size)
			usual = next_size(usual, per_doubling);
		if (size == usual || is_exact[i])
			class_init(&classes->class[++classes->count], size,
				   is_compact);
	}
	for (uint32_t i = 1; i < VNPU_BY_64; i++)
		classes->by_64[i] = vnpu_class_find(classes, i * 64, alignment);
	for (uint32_t i = 1; i < VNPU_BY_256; i++)
		classes->by_256[i] = vnpu_class_find(classes, i * 256,
						     alignment);
	for (uint32_t i = 1; i < VNPU_BY_PAGE; i++)
		classes->by_page[i] = vnpu_class_find(classes,
				i * VNPU_PAGE_SIZE, alignment);
}

unsigned int vnpu_class_find(const struct vnpu_classes *classes, uint64_t size,
			     uint32_t alignment)
{
	for (unsigned int i = 1; i <= classes->count; i++)
		if (classes->class[i].size >= size &&
		    classes->class[i].size % alignment == 0)
			return i;
	return VNPU_CLASS_NONE;
}
