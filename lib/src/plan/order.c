// SPDX-License-Identifier: MIT
/*
 * Another order of operators, in which less memory is alive at a time.
 *
 * The search appends operators one by one.  Of all sequences, it follows those
 * with the smallest peak, as many at once as there is room for.  Two sequences
 * of the same operators have the same live tensors, so only the better one is
 * followed; for small graphs this covers all orders.
 *
 * The live memory is only estimated: as if there were one stream, and only
 * views shared memory.  The caller decides whether the order is better.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* More operators would take too long. */
#define MAX_OPS		16384
#define MAX_LINKS	(1U << 18)

#define MAX_WAYS	128
#define ROOM		262144	/* operators of all sequences together */
/* Only the operators that became ready last are considered. */
#define LOOKED_AT	32
#define SLOTS		512	/* over MAX_WAYS */

/* A sequence of some of the operators. */
struct way {
	uint64_t peak;
	uint64_t live;
	uint64_t hash;		/* of the operators that have run */
	uint64_t *done;		/* bits, by operator */
	uint32_t *ready;	/* possible next operators */
	uint32_t ready_count;
};

/* A sequence with one more operator. */
struct step {
	uint64_t peak;
	uint64_t live;
	uint64_t hash;
	uint32_t way;
	uint32_t ready;		/* index into the ready ones */
};

struct orderer {
	const struct vnpu_plan *plan;
	uint32_t *root;		/* of a tensor: the base of its views */
	uint32_t *first_reader;	/* of a root, and the end */
	uint32_t *reader;
	uint32_t *first_next;	/* of an operator, and the end */
	uint32_t *next;
	struct way *way, *new_way;
	struct step *step;
	uint32_t *from;		/* by depth and way: the previous way */
	uint32_t *ran;
	uint32_t *seen;		/* by tensor or operator: the last round */
	uint32_t round;
	uint16_t slot[SLOTS];	/* new ways by hash, from 1 on */
	uint32_t words;		/* of the bits */
	uint32_t ways;
	uint32_t most;
	uint32_t steps;
};

static bool is_done(const struct way *way, uint32_t o)
{
	return way->done[o / 64] >> o % 64 & 1;
}

static uint64_t bytes_of(const struct orderer *r, uint32_t root)
{
	const struct vnpu_plan_tensor *t = &r->plan->tensor[root].in;

	return t->flags & (VNPU_PLAN_ON_CHIP | VNPU_PLAN_VIEW) ? 0 : t->size;
}

/* splitmix64, by Sebastiano Vigna: the sum over a set is the set's. */
static uint64_t hash_of(uint32_t o)
{
	uint64_t z = ((uint64_t)o + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Link readers to tensors and successors to operators: count, then fill. */
static void count_links(struct orderer *r, uint32_t o, bool is_filling)
{
	const struct plan_op *op = &r->plan->op[o];
	uint32_t i, t, d;

	for (i = op->input; i < op->output; i++) {
		t = r->root[r->plan->link[i]];
		d = r->plan->tensor[r->plan->link[i]].producer;
		if (is_filling)
			r->reader[r->first_reader[t]++] = o;
		else
			r->first_reader[t + 1]++;
		if (d == PLAN_NONE)
			continue;
		if (is_filling)
			r->next[r->first_next[d]++] = o;
		else
			r->first_next[d + 1]++;
	}
	for (i = op->wait; i < op->end; i++) {
		d = r->plan->link[i];
		if (is_filling)
			r->next[r->first_next[d]++] = o;
		else
			r->first_next[d + 1]++;
	}
}

static void sum_up(uint32_t *first, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		first[i + 1] += first[i];
}

/* After the fill, each start is that of the next one. */
static void step_back(uint32_t *first, uint32_t count)
{
	memmove(first + 1, first, count * sizeof(*first));
	first[0] = 0;
}

static bool link_up(struct orderer *r)
{
	const struct vnpu_plan *plan = r->plan;
	uint32_t t, o;

	for (t = 0; t < plan->tensors; t++) {
		const struct vnpu_plan_tensor *in = &plan->tensor[t].in;

		r->root[t] = in->flags & VNPU_PLAN_VIEW ? r->root[in->of] : t;
	}
	for (o = 0; o < plan->ops; o++)
		count_links(r, o, false);
	sum_up(r->first_reader, plan->tensors);
	sum_up(r->first_next, plan->ops);
	r->reader = malloc(((size_t)r->first_reader[plan->tensors] + 1) *
			   sizeof(*r->reader));
	r->next = malloc(((size_t)r->first_next[plan->ops] + 1) *
			 sizeof(*r->next));
	if (!r->reader || !r->next)
		return false;
	for (o = 0; o < plan->ops; o++)
		count_links(r, o, true);
	step_back(r->first_reader, plan->tensors);
	step_back(r->first_next, plan->ops);
	return true;
}

/* Check whether a tensor is no longer needed after operator @o. */
static bool is_over(const struct orderer *r, const struct way *way,
		    uint32_t root, uint32_t o)
{
	uint32_t i;

	if (r->plan->tensor[root].in.flags & VNPU_PLAN_KEEP)
		return false;
	for (i = r->first_reader[root]; i < r->first_reader[root + 1]; i++)
		if (r->reader[i] != o && !is_done(way, r->reader[i]))
			return false;
	return true;
}

/* Check whether a number was in the same list before. */
static bool is_repeated(struct orderer *r, uint32_t number)
{
	bool is = r->seen[number] == r->round;

	r->seen[number] = r->round;
	return is;
}

static void measure(struct orderer *r, const struct way *way, uint32_t o,
		    struct step *step)
{
	const struct plan_op *op = &r->plan->op[o];
	uint32_t i, root;

	step->live = way->live;
	step->hash = way->hash + hash_of(o);
	for (i = op->output; i < op->wait; i++)
		step->live += bytes_of(r, r->plan->link[i]);
	step->peak = step->live > way->peak ? step->live : way->peak;
	r->round++;
	for (i = op->input; i < op->wait; i++) {
		root = r->root[r->plan->link[i]];
		if (!is_repeated(r, root) && is_over(r, way, root, o))
			step->live -= bytes_of(r, root);
	}
}

static int by_memory(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->peak != y->peak)
		return x->peak < y->peak ? -1 : 1;
	if (x->live != y->live)
		return x->live < y->live ? -1 : 1;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->way != y->way)
		return x->way < y->way ? -1 : 1;
	return (x->ready > y->ready) - (x->ready < y->ready);
}

static void find_steps(struct orderer *r)
{
	uint32_t w, i;

	r->steps = 0;
	for (w = 0; w < r->ways; w++) {
		const struct way *way = &r->way[w];

		i = way->ready_count > LOOKED_AT ? way->ready_count - LOOKED_AT :
						   0;
		for (; i < way->ready_count; i++) {
			struct step *step = &r->step[r->steps++];

			measure(r, way, way->ready[i], step);
			step->way = w;
			step->ready = i;
		}
	}
	qsort(r->step, r->steps, sizeof(*r->step), by_memory);
}

/* Check whether all dependencies of operator @o have run. */
static bool is_ready(const struct orderer *r, const struct way *way, uint32_t o)
{
	const struct plan_op *op = &r->plan->op[o];
	uint32_t i, d;

	for (i = op->input; i < op->output; i++) {
		d = r->plan->tensor[r->plan->link[i]].producer;
		if (d != PLAN_NONE && !is_done(way, d))
			return false;
	}
	for (i = op->wait; i < op->end; i++)
		if (!is_done(way, r->plan->link[i]))
			return false;
	return true;
}

/* Make @way from the one that @step continues; returns the operator. */
static uint32_t go(struct orderer *r, const struct step *step, struct way *way)
{
	const struct way *old = &r->way[step->way];
	uint32_t o = old->ready[step->ready], i;

	way->peak = step->peak;
	way->live = step->live;
	way->hash = step->hash;
	memcpy(way->done, old->done, r->words * sizeof(*way->done));
	memcpy(way->ready, old->ready, old->ready_count * sizeof(*way->ready));
	way->ready_count = old->ready_count - 1;
	way->ready[step->ready] = way->ready[way->ready_count];
	way->done[o / 64] |= UINT64_C(1) << o % 64;
	r->round++;
	for (i = r->first_next[o]; i < r->first_next[o + 1]; i++)
		if (!is_repeated(r, r->next[i]) && is_ready(r, way, r->next[i]))
			way->ready[way->ready_count++] = r->next[i];
	return o;
}

/* Check whether a new way has run the same operators; else add it. */
static bool is_known(struct orderer *r, uint64_t hash, uint32_t ways)
{
	uint32_t i = hash % SLOTS;

	for (; r->slot[i]; i = (i + 1) % SLOTS)
		if (r->new_way[r->slot[i] - 1].hash == hash)
			return true;
	r->slot[i] = (uint16_t)(ways + 1);
	return false;
}

static void take_steps(struct orderer *r, uint32_t depth)
{
	struct way *old = r->way;
	uint32_t i, ways = 0;

	memset(r->slot, 0, sizeof(r->slot));
	for (i = 0; i < r->steps && ways < r->most; i++) {
		size_t at = (size_t)depth * r->most + ways;

		if (is_known(r, r->step[i].hash, ways))
			continue;
		r->from[at] = r->step[i].way;
		r->ran[at] = go(r, &r->step[i], &r->new_way[ways++]);
	}
	r->ways = ways;
	r->way = r->new_way;
	r->new_way = old;
}

static void begin(struct orderer *r)
{
	const struct vnpu_plan *plan = r->plan;
	struct way *way = &r->way[0];
	uint32_t t, o;

	for (t = 0; t < plan->tensors; t++)
		if (plan->tensor[t].in.flags & VNPU_PLAN_OF_OPS &&
		    plan->tensor[t].producer == PLAN_NONE)
			way->live += bytes_of(r, t);
	way->peak = way->live;
	for (o = 0; o < plan->ops; o++)
		if (is_ready(r, way, o))
			way->ready[way->ready_count++] = o;
	r->ways = 1;
}

static bool ways_init(struct orderer *r, struct way **ways)
{
	uint32_t i;

	*ways = calloc(r->most, sizeof(**ways));
	for (i = 0; *ways && i < r->most; i++) {
		(*ways)[i].done = calloc(r->words, sizeof(uint64_t));
		(*ways)[i].ready = malloc(r->plan->ops * sizeof(uint32_t));
		if (!(*ways)[i].done || !(*ways)[i].ready)
			return false;
	}
	return *ways;
}

static void ways_fini(const struct orderer *r, struct way *ways)
{
	uint32_t i;

	for (i = 0; ways && i < r->most; i++) {
		free(ways[i].done);
		free(ways[i].ready);
	}
	free(ways);
}

static bool init(struct orderer *r)
{
	const struct vnpu_plan *plan = r->plan;
	size_t numbers = (size_t)plan->tensors + plan->ops;

	r->most = ROOM / plan->ops < MAX_WAYS ? ROOM / plan->ops : MAX_WAYS;
	r->words = (plan->ops + 63) / 64;
	r->root = malloc(((size_t)plan->tensors + 1) * sizeof(*r->root));
	r->first_reader = calloc((size_t)plan->tensors + 2,
				 sizeof(*r->first_reader));
	r->first_next = calloc((size_t)plan->ops + 2, sizeof(*r->first_next));
	r->from = malloc((size_t)plan->ops * r->most * sizeof(*r->from));
	r->ran = malloc((size_t)plan->ops * r->most * sizeof(*r->ran));
	r->seen = calloc(numbers, sizeof(*r->seen));
	r->step = malloc((size_t)r->most * LOOKED_AT * sizeof(*r->step));
	return r->seen && r->step && r->root && r->first_reader && r->first_next && r->from &&
	       r->ran && ways_init(r, &r->way) && ways_init(r, &r->new_way) &&
	       link_up(r);
}

static void fini(struct orderer *r)
{
	ways_fini(r, r->way);
	ways_fini(r, r->new_way);
	free(r->step);
	free(r->seen);
	free(r->ran);
	free(r->from);
	free(r->next);
	free(r->first_next);
	free(r->reader);
	free(r->first_reader);
	free(r->root);
}

int plan_order(const struct vnpu_plan *plan, uint32_t *order)
{
	struct orderer r = { .plan = plan };
	uint32_t depth, way = 0;
	int err = -ENOMEM;

	if (plan->ops < 2 || plan->ops > MAX_OPS || plan->links > MAX_LINKS)
		return -E2BIG;
	if (!init(&r))
		goto out;
	begin(&r);
	for (depth = 0; depth < plan->ops; depth++) {
		find_steps(&r);
		take_steps(&r, depth);
	}
	/* The first way is the best one. */
	for (depth = plan->ops; depth-- > 0; ) {
		order[depth] = r.ran[(size_t)depth * r.most + way];
		way = r.from[(size_t)depth * r.most + way];
	}
	err = 0;
out:
	fini(&r);
	return err;
}
