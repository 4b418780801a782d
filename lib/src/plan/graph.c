// SPDX-License-Identifier: MIT
/*
 * Operators, and the lifetimes of tensors that follow from them.
 *
 * The order of operators has each one after all that it depends on; as far as
 * possible it is the order in which they were added.  A tensor lives from the
 * operator that makes it to its last reader.  With several streams that is not
 * enough, because an operator that is later in the order may run earlier.  So a
 * tensor lives until all later operators are known to run after its last
 * reader.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define MAX_STREAMS	64

/* State of the computation of lifetimes. */
struct graph {
	struct vnpu_plan *plan;
	uint32_t *first;	/* successors of an operator, and the end */
	uint32_t *next;
	uint32_t *missing;	/* number of dependencies without a position */
	uint32_t *heap;		/* ranks of possible next ones, lowest first */
	uint32_t heaps;
	uint32_t *order;	/* operators by position */
	uint32_t *before;	/* previous one of the stream, or PLAN_NONE */
	uint32_t *clock;	/* by operator and stream: how many ran before */
	uint32_t streams;
};

static int check_list(struct vnpu_plan *plan, const char *what,
		      const uint32_t *list, uint32_t count)
{
	uint32_t i;

	if (count && !list)
		return plan_fail(plan, -EINVAL, "operator %u: no list of %s",
				 plan->ops, what);
	for (i = 0; i < count; i++) {
		if (list[i] >= plan->tensors)
			return plan_fail(plan, -ENOENT,
					 "operator %u: %s: tensor %u does not exist",
					 plan->ops, what, list[i]);
		if (!(plan->tensor[list[i]].in.flags & VNPU_PLAN_OF_OPS))
			return plan_fail(plan, -EINVAL,
					 "operator %u: %s: tensor %u has its own lifetime",
					 plan->ops, what, list[i]);
	}
	return 0;
}

static int check_op(struct vnpu_plan *plan, const struct vnpu_plan_op *op)
{
	uint64_t links = (uint64_t)plan->links + op->num_inputs +
			 op->num_outputs + op->num_waits;
	int err = check_list(plan, "inputs", op->inputs, op->num_inputs);

	err = err ? err : check_list(plan, "outputs", op->outputs,
				     op->num_outputs);
	if (err)
		return err;
	if (op->num_waits && !op->waits)
		return plan_fail(plan, -EINVAL, "operator %u: no list of waits",
				 plan->ops);
	if (op->cost > VNPU_PLAN_MAX_COST)
		return plan_fail(plan, -ERANGE,
				 "operator %u: its cost %" PRIu64
				 " is above 2^40", plan->ops, op->cost);
	if (op->stream >= MAX_STREAMS)
		return plan_fail(plan, -ERANGE,
				 "operator %u: stream %u is not below %u",
				 plan->ops, op->stream, MAX_STREAMS);
	if (plan->ops == VNPU_PLAN_MAX_TENSORS ||
	    links > 16 * (uint64_t)VNPU_PLAN_MAX_TENSORS)
		return plan_fail(plan, -E2BIG, "too many operators");
	return 0;
}

static uint32_t add_links(struct vnpu_plan *plan, const uint32_t *list,
			  uint32_t count)
{
	uint32_t first = plan->links;

	if (count)
		memcpy(plan->link + first, list, count * sizeof(*list));
	plan->links += count;
	return first;
}

int vnpu_plan_add_op(struct vnpu_plan *plan, const struct vnpu_plan_op *op)
{
	struct plan_op *new;
	int err;

	if (!plan || !op)
		return -EINVAL;
	plan->fault[0] = '\0';
	err = check_op(plan, op);
	if (err)
		return err;
	if (!plan_grow(&plan->op, &plan->op_room, plan->ops + 1,
		       sizeof(*plan->op)) ||
	    !plan_grow(&plan->link, &plan->link_room, plan->links +
		       op->num_inputs + op->num_outputs + op->num_waits + 1,
		       sizeof(*plan->link)) ||
	    !plan_grow(&plan->sequence, &plan->sequence_room, plan->ops + 1,
		       sizeof(*plan->sequence)))
		return -ENOMEM;
	plan->sequence[plan->ops] = plan->ops;
	new = &plan->op[plan->ops];
	new->rank = plan->ops;
	new->origin = plan->ops++;
	new->input = add_links(plan, op->inputs, op->num_inputs);
	new->output = add_links(plan, op->outputs, op->num_outputs);
	new->wait = add_links(plan, op->waits, op->num_waits);
	new->end = plan->links;
	new->stream = op->stream;
	new->cost = op->cost;
	new->position = 0;
	new->clear = 0;
	plan_changed(plan);
	return 0;
}

static int find_producers(struct graph *g)
{
	struct vnpu_plan *plan = g->plan;
	uint32_t o, i;

	for (i = 0; i < plan->tensors; i++)
		plan->tensor[i].producer = PLAN_NONE;
	for (o = 0; o < plan->ops; o++) {
		const struct plan_op *op = &plan->op[o];

		if (op->stream >= g->streams)
			g->streams = op->stream + 1;
		for (i = op->output; i < op->wait; i++) {
			struct plan_tensor *t = &plan->tensor[plan->link[i]];

			if (t->producer != PLAN_NONE)
				return plan_fail(plan, -EEXIST,
						 "tensor %u: operators %u and %u both make it",
						 plan->link[i], t->producer, o);
			t->producer = o;
		}
		for (i = op->wait; i < op->end; i++)
			if (plan->link[i] >= plan->ops)
				return plan_fail(plan, -ENOENT,
						 "operator %u: waits for operator %u, which does not exist",
						 o, plan->link[i]);
	}
	return 0;
}

/* Iterate over the dependencies of operator @o; PLAN_NONE at the end. */
static uint32_t dependency(const struct graph *g, uint32_t o, uint32_t i)
{
	const struct plan_op *op = &g->plan->op[o];
	uint32_t inputs = op->output - op->input;

	if (i < inputs)
		return g->plan->tensor[g->plan->link[op->input + i]].producer;
	i -= inputs;
	return i < op->end - op->wait ? g->plan->link[op->wait + i] :
					g->before[o];
}

static uint32_t dependencies(const struct graph *g, uint32_t o)
{
	const struct plan_op *op = &g->plan->op[o];

	return op->output - op->input + op->end - op->wait + 1;
}

static bool list_successors(struct graph *g)
{
	uint32_t ops = g->plan->ops, o, i, last[MAX_STREAMS];

	memset(last, 0xff, sizeof(last));
	for (i = 0; i < ops; i++) {
		o = g->plan->sequence[i];
		g->before[o] = last[g->plan->op[o].stream];
		last[g->plan->op[o].stream] = o;
	}
	for (o = 0; o < ops; o++) {
		for (i = 0; i < dependencies(g, o); i++) {
			uint32_t d = dependency(g, o, i);

			if (d == PLAN_NONE)
				continue;
			g->first[d + 1]++;
			g->missing[o]++;
		}
	}
	for (o = 0; o < ops; o++)
		g->first[o + 1] += g->first[o];
	g->next = malloc(((size_t)g->first[ops] + 1) * sizeof(*g->next));
	if (!g->next)
		return false;
	for (o = 0; o < ops; o++)
		for (i = 0; i < dependencies(g, o); i++)
			if (dependency(g, o, i) != PLAN_NONE)
				g->next[g->first[dependency(g, o, i)]++] = o;
	for (o = ops; o > 0; o--)
		g->first[o] = g->first[o - 1];
	g->first[0] = 0;
	return true;
}

static void heap_add(struct graph *g, uint32_t rank)
{
	uint32_t i = g->heaps++;

	for (; i && g->heap[(i - 1) / 2] > rank; i = (i - 1) / 2)
		g->heap[i] = g->heap[(i - 1) / 2];
	g->heap[i] = rank;
}

static uint32_t heap_take(struct graph *g)
{
	uint32_t least = g->heap[0], last = g->heap[--g->heaps];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < g->heaps) {
		if (child + 1 < g->heaps && g->heap[child + 1] < g->heap[child])
			child++;
		if (g->heap[child] >= last)
			break;
		g->heap[i] = g->heap[child];
		i = child;
	}
	g->heap[i] = last;
	return least;
}

/* Find a dependency of operator @o without a position; @o has none either. */
static uint32_t first_missing(const struct graph *g, uint32_t o)
{
	uint32_t i = 0, d;

	do {
		d = dependency(g, o, i++);
	} while (d == PLAN_NONE || !g->missing[d]);
	return d;
}

/*
 * Find an operator that depends on itself, by going back as many steps as there
 * are operators.  The heap is empty, and stores the step from each.
 */
static uint32_t on_cycle(struct graph *g, uint32_t o)
{
	uint32_t steps;

	memset(g->heap, 0xff, g->plan->ops * sizeof(*g->heap));
	for (steps = 0; steps < g->plan->ops; steps++) {
		if (g->heap[o] == PLAN_NONE)
			g->heap[o] = first_missing(g, o);
		o = g->heap[o];
	}
	return o;
}

static int put_in_order(struct graph *g)
{
	struct vnpu_plan *plan = g->plan;
	uint32_t position = 0, o, i;

	for (o = 0; o < plan->ops; o++)
		if (!g->missing[o])
			heap_add(g, plan->op[o].rank);
	while (g->heaps) {
		o = plan->sequence[heap_take(g)];
		plan->op[o].position = position;
		g->order[position++] = o;
		for (i = g->first[o]; i < g->first[o + 1]; i++)
			if (!--g->missing[g->next[i]])
				heap_add(g, plan->op[g->next[i]].rank);
	}
	if (position == plan->ops)
		return 0;
	for (o = 0; !g->missing[o]; o++)
		;
	return plan_fail(plan, -ELOOP, "operator %u: depends on itself",
			 on_cycle(g, o));
}

/*
 * Count the operators of each stream that have ended when an operator begins.
 */
static void tick(struct graph *g, uint32_t o, uint32_t *count)
{
	uint32_t *clock = &g->clock[(size_t)o * g->streams], i, s;

	for (i = 0; i < dependencies(g, o); i++) {
		uint32_t d = dependency(g, o, i);
		const uint32_t *other;

		if (d == PLAN_NONE)
			continue;
		other = &g->clock[(size_t)d * g->streams];
		for (s = 0; s < g->streams; s++)
			if (other[s] > clock[s])
				clock[s] = other[s];
		s = g->plan->op[d].stream;
		if (count[d] > clock[s])
			clock[s] = count[d];
	}
}

/*
 * Find the last operator by position, among those that do not wait for the k-th
 * of a stream, which is one of them itself: all beyond it run later.
 */
static void find_clear(struct graph *g, uint32_t *count, uint32_t *last)
{
	struct vnpu_plan *plan = g->plan;
	uint32_t of_stream[MAX_STREAMS] = { 0 }, p, s, k;

	for (p = 0; p < plan->ops; p++) {
		uint32_t o = g->order[p];

		count[o] = ++of_stream[plan->op[o].stream];
		tick(g, o, count);
	}
	for (s = 0; s < g->streams; s++) {
		memset(last, 0, (of_stream[s] + 1) * sizeof(*last));
		for (p = 0; p < plan->ops; p++)
			last[g->clock[(size_t)g->order[p] * g->streams + s]] = p;
		for (k = 1; k <= of_stream[s]; k++)
			if (last[k] < last[k - 1])
				last[k] = last[k - 1];
		for (p = 0; p < plan->ops; p++)
			if (plan->op[g->order[p]].stream == s)
				plan->op[g->order[p]].clear =
					last[count[g->order[p]] - 1] + 1;
	}
}

/*
 * Extend the life of a tensor that an operator makes or reads.  An operator
 * must not work in place on a tensor that it makes, or that another one reads
 * at the same time.
 */
static void live_on(struct plan_tensor *t, const struct plan_op *op,
		    bool is_made)
{
	bool is_contended = is_made || op->position != op->clear - 1;

	t->streams |= UINT64_C(1) << op->stream;
	if (t->in.upper < op->clear) {
		t->in.upper = op->clear;
		t->is_contended = is_contended;
	} else if (t->in.upper == op->clear) {
		t->is_contended |= is_contended;
	}
}

static int set_lives(const struct graph *g)
{
	struct vnpu_plan *plan = g->plan;
	uint32_t t, o, i;

	for (t = 0; t < plan->tensors; t++) {
		struct plan_tensor *tensor = &plan->tensor[t];

		if (!(tensor->in.flags & VNPU_PLAN_OF_OPS))
			continue;
		o = tensor->producer;
		tensor->in.lower = o == PLAN_NONE ? 0 : plan->op[o].position;
		tensor->in.upper = 0;
		tensor->streams = 0;
		tensor->is_contended = false;
		if (o != PLAN_NONE)
			live_on(tensor, &plan->op[o], true);
	}
	for (o = 0; o < plan->ops; o++)
		for (i = plan->op[o].input; i < plan->op[o].output; i++)
			live_on(&plan->tensor[plan->link[i]], &plan->op[o],
				false);
	for (t = 0; t < plan->tensors; t++) {
		if (!(plan->tensor[t].in.flags & VNPU_PLAN_KEEP))
			continue;
		plan->tensor[t].in.upper = plan->ops;
		plan->tensor[t].is_contended = true;
	}
	for (t = 0; t < plan->tensors; t++)
		if (plan->tensor[t].in.lower >= plan->tensor[t].in.upper)
			return plan_fail(plan, -EINVAL,
					 "tensor %u: no operator uses it", t);
	return 0;
}

int plan_graph_live(struct vnpu_plan *plan)
{
	size_t ops = (size_t)plan->ops + 1;
	struct graph g = { .plan = plan, .streams = 1 };
	uint32_t *count = malloc(ops * sizeof(*count));
	uint32_t *last = malloc((ops + 1) * sizeof(*last));
	int err = -ENOMEM;

	g.first = calloc(ops + 1, sizeof(*g.first));
	g.missing = calloc(ops, sizeof(*g.missing));
	g.heap = malloc(ops * sizeof(*g.heap));
	g.order = malloc(ops * sizeof(*g.order));
	g.before = malloc(ops * sizeof(*g.before));
	if (!count || !last || !g.first || !g.missing || !g.heap ||
	    !g.order || !g.before)
		goto out;
	err = find_producers(&g);
	if (err)
		goto out;
	g.clock = calloc(ops * g.streams, sizeof(*g.clock));
	err = g.clock && list_successors(&g) ? put_in_order(&g) : -ENOMEM;
	if (!err) {
		find_clear(&g, count, last);
		err = set_lives(&g);
	}
out:
	free(g.clock);
	free(g.before);
	free(g.order);
	free(g.heap);
	free(g.missing);
	free(g.next);
	free(g.first);
	free(last);
	free(count);
	return err;
}

int vnpu_plan_get_life(const struct vnpu_plan *plan, uint32_t tensor,
		       uint64_t *lower, uint64_t *upper)
{
	if (!plan || !lower || !upper || !plan->offset)
		return -EINVAL;
	if (tensor >= plan->tensors)
		return -ENOENT;
	*lower = plan->tensor[tensor].in.lower;
	*upper = plan->tensor[tensor].in.upper;
	return 0;
}

int vnpu_plan_get_position(const struct vnpu_plan *plan, uint32_t op,
			   uint32_t *position)
{
	if (!plan || !position || !plan->offset)
		return -EINVAL;
	if (op >= plan->ops)
		return -ENOENT;
	*position = plan->op[op].position;
	return 0;
}
