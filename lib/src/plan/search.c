// SPDX-License-Identifier: MIT
/*
 * The search: whether all boxes can be placed within a capacity, and where.
 *
 * Push all boxes of a plan down as far as possible: then each one rests on
 * another or at the bottom.  In each column some box is the lowest one.  Either
 * it is at the lowest offset that any box can have there, which leaves a few
 * candidates, or it is none of these, and all of them rest on boxes that are
 * not placed yet.  A node of the tree branches on a column with few candidates:
 * where no byte is spare, there is often only one.
 *
 * If no unplaced box crosses a point in time, the two sides are solved
 * separately, so that a side without a solution is not tried again for each
 * solution of the other.  States without a solution are stored, because many
 * paths lead to the same state.
 *
 * The choice of the column, and of the first box to try, decides whether a
 * solution is found soon.  A bad first choice may cost any time, so the search
 * restarts after short times that sometimes are longer.  Columns that led to
 * contradictions are preferred from then on.  Turns differ in the criterion for
 * the first box, in a pseudorandom part of it, and in the direction of time:
 * a plan and its mirror image are equally hard.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"

#define REPORT_NODES	256
#define TURN_NODES	1000
#define NODE_COLUMNS	256

/* Contradictions in a column that double its preference. */
#define WEIGHT_UNIT	64

/* Largest part of a criterion that is pseudorandom, in percent. */
#define NOISE_PERCENT	30

/* Compute a hash of the remaining problem in columns [lo, hi). */
static uint64_t state(const struct search *s, uint32_t lo, uint32_t hi)
{
	/* A state may fail for one capacity and not for another. */
	uint64_t h = s->capacity * 0x9e3779b97f4a7c15;
	uint32_t c;

	for (c = lo; c < hi; c++)
		h ^= s->column[c].hash;
	return h;
}

static uint64_t *failed_place(const struct search *s, uint64_t h)
{
	return &s->failed[h >> (64 - s->failed_bits)];
}

/* A column is better than another if these are smaller. */
struct merit {
	uint64_t first, second;
};

/*
 * Prefer few candidates, and many contradictions in the past: an error is then
 * found before much depends on it.
 */
static struct merit merit(const struct search *s,
			  const struct search_column *column)
{
	uint64_t slack = s->ceiling - column->floor - column->total;
	uint64_t answers = column->lowest + (slack >= s->step);
	struct merit m = {
		(answers << 32) / ((uint64_t)column->weight + WEIGHT_UNIT),
		slack,
	};

	return m;
}

static bool is_better(const struct search *s, const struct merit *a,
		      const struct merit *b)
{
	if (a->first != b->first)
		return a->first < b->first;
	return s->is_backward ? a->second <= b->second : a->second < b->second;
}

/* Find the end of the columns with the same floor as @c. */
static uint32_t end_of_valley(const struct search *s, uint32_t c, uint32_t hi)
{
	uint64_t floor = s->column[c].floor;

	while (c < hi && s->column[c].boxes && s->column[c].floor == floor)
		c++;
	return c;
}

/*
 * All candidates must be the lowest in each of their columns, or an unplaced
 * box might lie below them.  So only columns without a lower adjacent floor
 * qualify.  Boxes with gaps, or that are apart, have neighbours in any column;
 * then only the lowest of all qualifies.
 */
static bool is_valley(const struct search *s, uint32_t c, uint32_t end,
		      uint32_t lo, uint32_t hi, uint64_t lowest)
{
	uint64_t floor = s->column[c].floor;

	if (s->is_scattered)
		return floor == lowest;
	return !(c > lo && s->column[c - 1].boxes &&
		 s->column[c - 1].floor < floor) &&
	       !(end < hi && s->column[end].boxes &&
		 s->column[end].floor < floor);
}

/* Choose the best column to branch on; false if all boxes are placed. */
static bool choose(const struct search *s, uint32_t lo, uint32_t hi,
		   uint32_t *chosen)
{
	struct merit best = { UINT64_MAX, UINT64_MAX };
	uint64_t lowest = UINT64_MAX;
	uint32_t c, end;

	*chosen = PLAN_NONE;
	for (c = lo; s->is_scattered && c < hi; c++)
		if (s->column[c].boxes && s->column[c].floor < lowest)
			lowest = s->column[c].floor;
	for (c = lo; c < hi; c = end) {
		end = c + 1;
		if (!s->column[c].boxes)
			continue;
		end = end_of_valley(s, c, hi);
		if (!is_valley(s, c, end, lo, hi, lowest))
			continue;
		for (; c < end; c++) {
			struct merit m = merit(s, &s->column[c]);

			if (*chosen != PLAN_NONE && !is_better(s, &m, &best))
				continue;
			best = m;
			*chosen = c;
		}
	}
	return *chosen != PLAN_NONE;
}

/* Get the next candidate for the floor of a column, in order of ranks. */
static uint32_t next_answer(const struct search *s,
			    const struct search_column *column, uint32_t after)
{
	uint32_t best = PLAN_NONE, i;

	for (i = column->first; i < column->first + column->boxes; i++) {
		uint32_t b = s->member[i];

		if (s->low[b] == column->floor &&
		    (after == PLAN_NONE ||
		     s->box[b].rank > s->box[after].rank) &&
		    (best == PLAN_NONE || s->box[b].rank < s->box[best].rank))
			best = b;
	}
	return best;
}

/* Get the lowest offset of @b if it rests on an unplaced box. */
static uint64_t lowest_on_other(const struct search *s, uint32_t b)
{
	const struct search_box *box = &s->box[b];
	uint64_t least = UINT64_MAX;
	uint32_t i;

	for (i = box->next; i < box->next + box->nexts; i++) {
		uint32_t other = s->next[i];
		uint64_t top = s->low[other] + s->box[other].size;

		if (!s->is_placed[other] && top < least)
			least = top;
	}
	if (least != UINT64_MAX && least <= s->low[b])
		least = s->low[b] + s->step;
	return least;
}

/* Exclude all candidates of column @c: they lie higher up. */
static bool refuse_answers(struct search *s, uint32_t c)
{
	const struct search_column *column = &s->column[c];
	uint64_t floor = column->floor;

	while (column->floor == floor) {
		uint32_t b = next_answer(s, column, PLAN_NONE);
		uint64_t low = lowest_on_other(s, b);

		if (low >= s->capacity || !search_raise(s, b, low))
			return false;
	}
	return true;
}

/* Count a node for @columns, or several if there are many; true to stop. */
static bool is_over(struct search *s, uint32_t columns)
{
	uint64_t cost = 1 + columns / NODE_COLUMNS;

	if (s->no_memory || !s->nodes)
		return true;
	s->nodes -= cost < s->nodes ? cost : s->nodes;
	s->unreported += cost;
	if (s->unreported >= REPORT_NODES) {
		if (plan_is_spent(s->budget, s->unreported))
			s->nodes = 0;
		s->unreported = 0;
	}
	return !s->nodes;
}

/*
 * Try the next candidate of a node without an immediate contradiction; its
 * columns are then solved part by part.  False if there is none.
 */
static bool next_try(struct search *s, struct search_node *node)
{
	for (;;) {
		node->box = next_answer(s, &s->column[node->column], node->box);
		while (node->box == PLAN_NONE) {
			if (!refuse_answers(s, node->column) ||
			    !choose(s, node->lo, node->hi, &node->column)) {
				if (!s->no_memory)
					*failed_place(s, node->state) =
						node->state;
				return false;
			}
			node->mark = s->undos;
			node->box = next_answer(s, &s->column[node->column],
						PLAN_NONE);
		}
		if (search_place(s, node->box)) {
			node->rest_lo = node->lo;
			node->rest_hi = node->hi;
			return true;
		}
		search_undo(s, node->mark);
		if (is_over(s, 0))
			return false;
	}
}

/*
 * Push a node for columns [lo, hi) with its first candidate.  Return: 1; 0 if
 * nothing is left to place; -1 for a contradiction.
 */
static int descend(struct search *s, uint32_t lo, uint32_t hi)
{
	struct search_node *node = &s->path[s->depth];

	*node = (struct search_node){
		.lo = lo, .hi = hi, .box = PLAN_NONE,
		.before = s->undos, .mark = s->undos,
	};
	if (!choose(s, lo, hi, &node->column))
		return 0;
	node->state = state(s, lo, hi);
	if (*failed_place(s, node->state) == node->state ||
	    is_over(s, hi - lo))
		return -1;
	if (!next_try(s, node)) {
		search_undo(s, node->before);
		return -1;
	}
	s->depth++;
	return 1;
}

/* Return to the last node with another candidate; false if there is none. */
static bool retreat(struct search *s)
{
	while (s->depth > 1) {
		struct search_node *node = &s->path[s->depth - 1];

		search_undo(s, node->mark);
		if (!is_over(s, 0) && next_try(s, node))
			return true;
		search_undo(s, node->before);
		s->depth--;
	}
	return false;
}

/* Take the next part of a node's columns, which no box connects to others. */
static void next_part(const struct search *s, struct search_node *node,
		      uint32_t *lo, uint32_t *hi)
{
	if (s->is_backward) {
		*hi = node->rest_hi;
		do {
			node->rest_hi--;
		} while (node->rest_hi > node->rest_lo &&
			 s->column[node->rest_hi].cross);
		*lo = node->rest_hi;
	} else {
		*lo = node->rest_lo;
		do {
			node->rest_lo++;
		} while (node->rest_lo < node->rest_hi &&
			 s->column[node->rest_lo].cross);
		*hi = node->rest_lo;
	}
}

/*
 * Solve all columns, part by part.  The path from the root is not recursive,
 * because there may be a node for each box, and the stack of the thread may be
 * small.
 */
static bool solve(struct search *s)
{
	uint32_t lo, hi;

	s->path[0] = (struct search_node){ .rest_hi = s->columns };
	s->depth = 1;
	while (s->depth) {
		struct search_node *node = &s->path[s->depth - 1];

		if (node->rest_lo == node->rest_hi) {
			s->depth--;
			continue;
		}
		next_part(s, node, &lo, &hi);
		if (descend(s, lo, hi) < 0 && !retreat(s))
			return false;
	}
	return true;
}

/*
 * The criteria that decide which box is tried first: its lifetime, its size
 * times its lifetime, and the greatest load during its life.  Larger values
 * come first.
 */
enum criterion {
	LIFE,
	AREA,
	TOTAL,
	CRITERIA,
};

static uint64_t measure(const struct search *s, uint32_t b, enum criterion what)
{
	const struct search_box *box = &s->box[b];
	const struct plan_problem *p = s->p;
	uint64_t life = p->time[p->box[b].r] - p->time[p->box[b].l];
	uint64_t most = 0;
	uint32_t c;

	switch (what) {
	case LIFE:
	case CRITERIA:
		return life;
	case AREA:
		return __builtin_mul_overflow(life, box->size, &most) ?
		       UINT64_MAX : most;
	case TOTAL:
		break;
	}
	for (c = box->l; c < box->r; c++)
		if (s->column[c].total > most)
			most = s->column[c].total;
	return most;
}

/* Compute a pseudorandom number below 2^16 for a box and a turn. */
static uint64_t noise(uint32_t b, uint64_t round)
{
	uint64_t h = (b + 1) * 0x9e3779b97f4a7c15 ^ round * 0xbf58476d1ce4e5b9;

	h ^= h >> 31;
	return h * 0x94d049bb133111eb >> 48;
}

/* Add up to NOISE_PERCENT, without a floating-point number. */
static uint64_t disturb(uint64_t value, uint32_t b, uint64_t round)
{
	uint64_t part = noise(b, round) * NOISE_PERCENT / 100;
	uint64_t more = (value >> 16) * part + ((value & 0xffff) * part >> 16);

	return round && value <= UINT64_MAX - more ? value + more : value;
}

/* Sort by the criterion of a turn, then by the others. */
static void rank(struct search *s, uint64_t turn, uint64_t *key,
		 uint32_t *index)
{
	uint32_t lead = (uint32_t)(turn % CRITERIA), b, i;

	for (b = 0; b < s->boxes; b++)
		index[b] = b;
	for (i = CRITERIA; i-- > 0; ) {
		uint32_t what = i ? i - (i <= lead) : lead;

		for (b = 0; b < s->boxes; b++)
			key[b] = ~disturb(measure(s, b, (enum criterion)what),
					  b, turn / CRITERIA);
		plan_sort(index, index + s->boxes, s->boxes, key);
	}
	for (b = 0; b < s->boxes; b++)
		s->box[index[b]].rank = b;
}

/* The Luby sequence 1, 1, 2, 1, 1, 2, 4, ...: universally good lengths. */
static uint64_t luby(uint64_t i)
{
	uint64_t size = 1, k = 0;

	while (size < i + 1) {
		size = 2 * size + 1;
		k++;
	}
	while (size - 1 != i) {
		size = (size - 1) / 2;
		k--;
		i %= size;
	}
	return UINT64_C(1) << k;
}

/* Directions, and criteria in each of them. */
#define ROUND_TURNS	(2 * CRITERIA)

/* Older contradictions count less. */
static void forget(struct search *s)
{
	uint32_t c;

	for (c = 0; c < s->columns; c++)
		s->column[c].weight -= s->column[c].weight / 4;
}

/*
 * Return: 1 if all boxes were placed, 0 if that is impossible, -EAGAIN,
 * -ENOMEM.
 */
static int take_turn(struct search *s, uint64_t capacity, uint64_t nodes,
		     uint64_t *key, uint32_t *index)
{
	if (!search_begin(s, capacity))
		return 0;
	s->is_backward = s->turn % 2;
	rank(s, s->turn / 2, key, index);
	forget(s);
	s->turn++;
	s->nodes = nodes;
	if (solve(s))
		return 1;
	if (s->no_memory)
		return -ENOMEM;
	return s->nodes ? 0 : -EAGAIN;
}

int plan_search(struct search *s, uint64_t capacity, uint64_t nodes,
		struct plan_budget *budget, uint64_t *offset)
{
	uint64_t *key = malloc(s->boxes * sizeof(*key));
	uint32_t *index = malloc(2 * (size_t)s->boxes * sizeof(*index));
	/* A solution alone takes a node for each box. */
	uint64_t length = (TURN_NODES + 2 * (uint64_t)s->boxes) *
			  (1 + s->columns / NODE_COLUMNS);
	uint64_t spent = 0, turn;
	int found = key && index ? -EAGAIN : -ENOMEM;

	s->budget = budget;
	for (turn = 0; found == -EAGAIN && spent < nodes &&
	     !plan_is_spent(budget, 0); turn++) {
		uint64_t part = length * luby(turn / ROUND_TURNS);

		found = take_turn(s, capacity, part, key, index);
		spent += part;
	}
	if (found == 1)
		memcpy(offset, s->low, s->boxes * sizeof(*offset));
	plan_is_spent(budget, s->unreported);
	s->unreported = 0;
	search_undo(s, 0);
	free(index);
	free(key);
	return found;
}
