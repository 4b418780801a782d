/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instances for the planner's tests, the same on every machine for a seed.
 *
 * The planner must not be fitted to a set of files, so its tests draw new
 * instances of each kind, and transform them in ways that leave the problem
 * the same.
 */
#ifndef VNPU_PLAN_GENERATE_H
#define VNPU_PLAN_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "vnpu/plan.h"

/* The capacity of all packings, of which the tensors are pieces. */
#define GENERATE_WHOLE	(UINT64_C(1) << 20)

enum generate_kind {
	/* Fill GENERATE_WHOLE without a gap: cut in two again and again, */
	GENERATE_GUILLOTINE,
	/* or into five around a middle piece, which no cut separates. */
	GENERATE_PINWHEEL,
	/* A guillotine packing that lost some pieces and parts of others. */
	GENERATE_LOOSE,
	/* Short lives and similar sizes, placed wherever there is room. */
	GENERATE_LADDER,
	/* Requests of random lengths with contiguous caches that grow. */
	GENERATE_SERVING,
	/* Forward and backward passes: the first to begin is the last to end. */
	GENERATE_TRAINING,
	/* Few are alive at a time, whatever their number. */
	GENERATE_STREAM,
	GENERATE_KINDS,
};

/*
 * Fill @tensor with @count tensors.  Those of the first four kinds fit into
 * GENERATE_WHOLE.
 */
void generate(enum generate_kind kind, uint64_t seed,
	      struct vnpu_plan_tensor *tensor, uint32_t count);

/* Reverse time: the least peak is the same. */
void generate_mirror(struct vnpu_plan_tensor *tensor, uint32_t count);

/* Change the order in which the tensors are added. */
void generate_shuffle(struct vnpu_plan_tensor *tensor, uint32_t count,
		      uint64_t seed);

/* Multiply all times and all sizes. */
void generate_scale(struct vnpu_plan_tensor *tensor, uint32_t count,
		    uint64_t times, uint64_t sizes);

/*
 * Change one of a hundred tensors, at least one: a smaller size or a shorter
 * life, so that they fit into the same memory.
 */
void generate_perturb(struct vnpu_plan_tensor *tensor, uint32_t count,
		      uint64_t seed);

#endif /* VNPU_PLAN_GENERATE_H */
