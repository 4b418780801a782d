// SPDX-License-Identifier: MIT
/* Iteration over several views at once. See iter.h. */
#include <stdlib.h>

#include "iter.h"

/* Check whether dimension @a should be inside of @b, by the first stride that says. */
static bool is_inner(const struct ops_iter *it, unsigned int a, unsigned int b)
{
	unsigned int k;

	for (k = 0; k < it->count; k++) {
		int64_t x = llabs(it->stride[k][a]), y = llabs(it->stride[k][b]);

		if (x && y && x != y)
			return x < y;
	}
	return false;
}

void ops_iter_swap(struct ops_iter *it, unsigned int a, unsigned int b)
{
	int64_t keep = it->dims[a];
	unsigned int k;

	it->dims[a] = it->dims[b];
	it->dims[b] = keep;
	for (k = 0; k < it->count; k++) {
		keep = it->stride[k][a];
		it->stride[k][a] = it->stride[k][b];
		it->stride[k][b] = keep;
	}
}

static void sort(struct ops_iter *it)
{
	unsigned int i, k;

	for (i = 1; i < it->rank; i++)
		for (k = i; k && is_inner(it, k, k - 1); k--)
			ops_iter_swap(it, k, k - 1);
}

static bool can_merge(const struct ops_iter *it, unsigned int inner,
		      unsigned int outer)
{
	unsigned int k;

	for (k = 0; k < it->count; k++)
		if (it->stride[k][outer] !=
		    it->stride[k][inner] * it->dims[inner])
			return false;
	return true;
}

static void merge(struct ops_iter *it)
{
	unsigned int to = 0, i, k;

	for (i = 1; i < it->rank; i++) {
		if (can_merge(it, to, i)) {
			it->dims[to] *= it->dims[i];
			continue;
		}
		to++;
		it->dims[to] = it->dims[i];
		for (k = 0; k < it->count; k++)
			it->stride[k][to] = it->stride[k][i];
	}
	it->rank = to + 1;
}

void ops_iter_init(struct ops_iter *it, unsigned int rank, const int64_t *dims,
		   const struct vnpu_tensor *const *t, unsigned int count)
{
	unsigned int i, k, to = 0;

	it->count = count;
	it->total = 1;
	for (i = 0; i < rank; i++) {
		unsigned int dim = rank - 1 - i;

		it->total *= dims[dim];
		if (dims[dim] == 1)
			continue;
		it->dims[to] = dims[dim];
		for (k = 0; k < count; k++) {
			/* Dimensions that a tensor lacks are outermost. */
			unsigned int own = t[k]->rank - 1 - i;

			it->stride[k][to] = i < t[k]->rank &&
					    t[k]->dims[own] != 1 ?
				t[k]->strides[own] * ops_size(t[k]->dtype) : 0;
		}
		to++;
	}
	for (k = 0; k < count; k++)
		it->base[k] = ops_data(t[k]);
	it->rank = to;
	if (!to) {
		it->rank = 1;
		it->dims[0] = 1;
		for (k = 0; k < count; k++)
			it->stride[k][0] = 0;
	}
	if (to > 1) {
		sort(it);
		merge(it);
	}
}

void ops_iter_seek(const struct ops_iter *it, struct ops_place *place,
		   int64_t number)
{
	unsigned int i, k;

	for (k = 0; k < it->count; k++)
		place->at[k] = it->base[k];
	for (i = 0; i < it->rank; i++) {
		int64_t index = it->rank == 1 ? number : number % it->dims[i];

		number = it->rank == 1 ? 0 : number / it->dims[i];
		place->index[i] = index;
		if (!index)
			continue;
		for (k = 0; k < it->count; k++)
			place->at[k] += index * it->stride[k][i];
	}
}

void ops_iter_next_row(const struct ops_iter *it, struct ops_place *place)
{
	unsigned int i, k;

	for (k = 0; k < it->count; k++)
		place->at[k] -= place->index[0] * it->stride[k][0];
	place->index[0] = 0;
	for (i = 1; i < it->rank; i++) {
		if (++place->index[i] < it->dims[i]) {
			for (k = 0; k < it->count; k++)
				place->at[k] += it->stride[k][i];
			return;
		}
		place->index[i] = 0;
		for (k = 0; k < it->count; k++)
			place->at[k] -= (it->dims[i] - 1) * it->stride[k][i];
	}
}
