// SPDX-License-Identifier: MIT
/*
 * Requests to pools, see pattern.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "heap.h"
#include "pattern.h"

void vnpu_tally_note(struct vnpu_tally *tally, uint64_t size, uint64_t align)
{
	unsigned int index = 0;

	if (align <= VNPU_PAGE_SIZE && size <= VNPU_LARGE_MAX)
		index = vnpu_size_index(vnpu_align_up(size, align));
	atomic_fetch_add_explicit(&tally->requests[index], 1,
				  memory_order_relaxed);
}

/* Order by requests, descending, and then by size, ascending. */
static int compare(const void *a, const void *b)
{
	const struct vnpu_pattern_size *x = a, *y = b;

	if (x->requests != y->requests)
		return x->requests < y->requests ? 1 : -1;
	return x->size < y->size ? -1 : x->size > y->size;
}

void vnpu_pattern_of(struct vnpu_pattern *pattern,
		     const struct vnpu_tally *tally)
{
	uint64_t requests[VNPU_SIZES];

	memset(pattern, 0, sizeof(*pattern));
	/* Other threads keep counting. */
	for (unsigned int i = 0; i < VNPU_SIZES; i++) {
		requests[i] = atomic_load_explicit(&tally->requests[i],
						   memory_order_relaxed);
		pattern->requests += requests[i];
	}
	for (unsigned int i = 1; i < VNPU_SIZES; i++)
		if (requests[i] > pattern->requests / 100)
			pattern->size[pattern->count++] =
				(struct vnpu_pattern_size){
					.size = vnpu_size_of(i),
					.requests = requests[i],
				};
	qsort(pattern->size, pattern->count, sizeof(pattern->size[0]), compare);
}

void vnpu_pattern_choose(const struct vnpu_pattern *pattern,
			 uint32_t alignment, bool is_compact,
			 bool is_exact[VNPU_SIZES])
{
	struct vnpu_classes usual;
	unsigned int left, class;

	vnpu_classes_init(&usual, alignment, is_compact, is_exact);
	left = VNPU_CLASSES_MOST - usual.count;
	for (unsigned int i = 0; i < pattern->count && left; i++) {
		uint64_t size = pattern->size[i].size;

		class = vnpu_class_find(&usual, size, alignment);
		/* Sizes beyond the last class are always exact. */
		if (size % alignment || class == VNPU_CLASS_NONE ||
		    usual.class[class].size == size)
			continue;
		is_exact[vnpu_size_index(size)] = true;
		left--;
	}
}
