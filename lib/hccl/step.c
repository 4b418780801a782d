// SPDX-License-Identifier: MIT
/* The steps of algorithms, see algorithm.h. */
#include <string.h>

#include "algorithm.h"

static void add(struct hccl_step *step, unsigned int part)
{
	step->parts[step->count++] = part;
}

/* The number of steps that double something from 1 to at least @ranks. */
static unsigned int doublings(unsigned int ranks)
{
	unsigned int count = 0;

	while (1U << count < ranks)
		count++;
	return count;
}

/* Each rank reads from the one before it the part that this one got last. */
static bool ring(unsigned int ranks, unsigned int rank, unsigned int number,
		 struct hccl_step *step)
{
	if (number + 1 >= ranks)
		return false;
	step->from = (rank + ranks - 1) % ranks;
	step->to = (rank + 1) % ranks;
	add(step, (rank + 2 * ranks - 1 - number) % ranks);
	return true;
}

/* Distances double: a rank has the parts of the ranks that follow it. */
static bool bruck(unsigned int ranks, unsigned int rank, unsigned int number,
		  struct hccl_step *step)
{
	unsigned int distance = 1U << number, count = distance;

	if (number >= doublings(ranks))
		return false;
	if (count > ranks - distance)
		count = ranks - distance;
	step->from = (rank + distance) % ranks;
	step->to = (rank + ranks - distance) % ranks;
	for (unsigned int i = 0; i < count; i++)
		add(step, (rank + distance + i) % ranks);
	return true;
}

/*
 * Distances halve: a rank has the parts of ranks at multiples of the last distance
 * before it.  So most parts come from the next rank.
 */
static bool hierarchical_ring(unsigned int ranks, unsigned int rank,
			      unsigned int number, struct hccl_step *step)
{
	unsigned int steps = doublings(ranks), distance;

	if (number >= steps)
		return false;
	distance = 1U << (steps - 1 - number);
	step->from = (rank + ranks - distance) % ranks;
	step->to = (rank + distance) % ranks;
	for (unsigned int at = distance; at < ranks; at += 2 * distance)
		add(step, (rank + ranks - at) % ranks);
	return true;
}

/* Pairs exchange all that they have, and the pair's distance doubles. */
static void exchange(unsigned int ranks, unsigned int half, unsigned int rank,
		     unsigned int number, struct hccl_step *step)
{
	unsigned int distance = 1U << number, first;

	if (rank >= half)
		return;
	step->from = step->to = rank ^ distance;
	first = step->from & ~(distance - 1);
	for (unsigned int part = first; part < first + distance; part++) {
		add(step, part);
		if (part + half < ranks)
			add(step, part + half);
	}
}

/*
 * Of ranks that are no power of 2, those beyond the largest power give their part
 * to a partner first, and get all from it in the end.
 */
static bool doubling(unsigned int ranks, unsigned int rank, unsigned int number,
		     struct hccl_step *step)
{
	unsigned int steps = doublings(ranks), half = 1U << steps;
	bool has_rest = half != ranks;

	if (has_rest) {
		half /= 2;
		steps--;
	}
	if (has_rest && !number) {
		if (rank >= half) {
			step->to = rank - half;
		} else if (rank + half < ranks) {
			step->from = rank + half;
			add(step, rank + half);
		}
		return true;
	}
	if (number - has_rest < steps) {
		exchange(ranks, half, rank, number - has_rest, step);
		return true;
	}
	if (!has_rest || number - 1 > steps)
		return false;
	if (rank + half < ranks)
		step->to = rank + half;
	if (rank < half)
		return true;
	step->from = rank - half;
	for (unsigned int part = 0; part < ranks; part++)
		if (part != rank)
			add(step, part);
	return true;
}

bool hccl_step_get(enum hccl_algorithm algorithm, unsigned int ranks,
		   unsigned int rank, unsigned int number,
		   struct hccl_step *step)
{
	step->from = HCCL_RANKS_MAX;
	step->to = HCCL_RANKS_MAX;
	step->count = 0;
	switch (algorithm) {
	case HCCL_RING:
		return ring(ranks, rank, number, step);
	case HCCL_HALVING:
		return doubling(ranks, rank, number, step);
	case HCCL_NHR:
		return hierarchical_ring(ranks, rank, number, step);
	case HCCL_NB:
		return bruck(ranks, rank, number, step);
	default:
		return false;
	}
}
