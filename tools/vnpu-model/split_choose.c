// SPDX-License-Identifier: GPL-2.0-only
/* The choice of cuts, by dynamic programming. See split.h. */
#include <stdlib.h>

#include "split.h"
#include "tensor.h"

/**
 * struct best - the best choice for all pieces before one
 * @moved: bytes of inputs and outputs; UINT64_MAX if there is no choice
 * @largest: bytes of memory of its largest shard
 * @shards: number of shards
 * @from: where the last one begins
 */
struct best {
	uint64_t moved;
	uint64_t largest;
	uint32_t shards;
	uint32_t from;
};

static const struct best no_choice = { UINT64_MAX, UINT64_MAX, 0, 0 };

/* Add a shard to a choice. */
static struct best extend(const struct split_table *t, const struct best *b,
			  uint32_t from, uint32_t end)
{
	uint64_t need = t->need[split_at(t, from, end)];

	return (struct best){
		.moved = b->moved + t->moved[split_at(t, from, end)],
		.largest = need > b->largest ? need : b->largest,
		.shards = b->shards + 1, .from = from,
	};
}

/* Write the shards of a choice; layers of @stride elements have one shard more each. */
static void take(const struct best *best, uint32_t end, size_t stride,
		 struct split_shard *shards)
{
	for (uint32_t i = best[end].shards; i--;) {
		shards[i] = (struct split_shard){ .first = best[end].from,
						  .end = end };
		end = best[end].from;
		best -= stride;
	}
}

char *split_choose(const struct split_table *t, uint64_t bound,
		   struct split_shard *shards, uint32_t *count)
{
	struct best *best = calloc(t->pieces + 1, sizeof(*best));

	if (!best)
		return tensor_message("out of memory");
	for (uint32_t end = 1; end <= t->pieces; end++) {
		best[end] = no_choice;
		for (uint32_t from = end; from--;) {
			struct best b;

			if (best[from].moved == UINT64_MAX ||
			    t->reach[from] < end ||
			    t->need[split_at(t, from, end)] > bound)
				continue;
			b = extend(t, &best[from], from, end);
			if (b.moved < best[end].moved ||
			    (b.moved == best[end].moved &&
			     b.shards < best[end].shards))
				best[end] = b;
		}
	}
	*count = best[t->pieces].moved == UINT64_MAX ? 0 :
		 best[t->pieces].shards;
	if (*count)
		take(best, t->pieces, 0, shards);
	free(best);
	return NULL;
}

/* Fill the layer of choices with one shard more than those of the layer before. */
static void fill_layer(const struct split_table *t, struct best *layer,
		       const struct best *before, uint64_t bound)
{
	for (uint32_t end = 0; end <= t->pieces; end++) {
		layer[end] = no_choice;
		for (uint32_t from = 0; from < end; from++) {
			struct best b;

			if (before[from].moved == UINT64_MAX ||
			    t->need[split_at(t, from, end)] > bound)
				continue;
			b = extend(t, &before[from], from, end);
			if (bound == UINT64_MAX ?
			    b.largest < layer[end].largest :
			    b.moved < layer[end].moved)
				layer[end] = b;
		}
	}
}

/* Fill all layers; without a bound, the largest shard is made small. */
static void fill_layers(const struct split_table *t, struct best *layers,
			uint32_t count, uint64_t bound)
{
	size_t stride = t->pieces + 1;

	for (uint32_t end = 0; end <= t->pieces; end++)
		layers[end] = no_choice;
	layers[0] = (struct best){ 0 };
	for (uint32_t i = 1; i <= count; i++)
		fill_layer(t, layers + i * stride, layers + (i - 1) * stride,
			   bound);
}

char *split_choose_equal(const struct split_table *t, uint32_t count,
			 struct split_shard *shards)
{
	size_t stride = t->pieces + 1;
	struct best *layers = calloc((count + 1) * stride, sizeof(*layers));
	uint64_t bound;

	if (!layers)
		return tensor_message("out of memory");
	fill_layers(t, layers, count, UINT64_MAX);
	bound = layers[count * stride + t->pieces].largest;
	fill_layers(t, layers, count, bound + bound / 10);
	take(layers + count * stride, t->pieces, stride, shards);
	free(layers);
	return NULL;
}
