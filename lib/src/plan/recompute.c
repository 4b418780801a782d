// SPDX-License-Identifier: MIT
/*
 * Operators that run again, so that the plan fits.
 *
 * A tensor need not be kept while nothing reads it, if the operator that makes
 * it can run again.  The algorithm selects one operator at a time: the one that
 * frees most, in bytes and in time above the target, for its cost.  Its inputs
 * have to live until then, which counts against it.  Each selection becomes an
 * ordinary operator and tensor, so all rules of plans hold for the new plan.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

/* The number of placements that are tried once the sum would fit. */
#define ATTEMPTS	16

struct recompute {
	struct vnpu_plan *plan;
	uint64_t bound;
	uint64_t target;	/* limit on the live bytes */
	uint64_t most;		/* greatest excess over it */
	uint64_t *live;		/* bytes, by position */
	uint32_t *over;		/* earlier positions above the target */
	uint32_t *order;	/* operators by position */
	uint64_t *until;	/* end of a tensor and its views */
	uint32_t *idle;		/* since when it has no reader; or 0 */
	uint32_t *version;	/* of a tensor, the last copy */
};

struct choice {
	uint32_t tensor;
	uint32_t position;	/* of its next reader */
	double score;
};

static bool copy_array(void *to, uint32_t *room, const void *from,
		       uint32_t count, size_t element)
{
	void *array;

	*room = 0;
	memset(to, 0, sizeof(array));
	if (!count)
		return true;
	if (!plan_grow(to, room, count, element))
		return false;
	memcpy(&array, to, sizeof(array));
	memcpy(array, from, count * element);
	return true;
}

static struct vnpu_plan *clone(const struct vnpu_plan *plan)
{
	struct vnpu_plan *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	new->tensors = plan->tensors;
	new->gaps = plan->gaps;
	new->pairs = plan->pairs;
	new->ops = plan->ops;
	new->links = plan->links;
	new->reruns = plan->reruns;
	new->bytes = plan->bytes;
	new->guard = plan->guard;
	if (copy_array(&new->tensor, &new->tensor_room, plan->tensor,
		       plan->tensors, sizeof(*plan->tensor)) &&
	    copy_array(&new->gap, &new->gap_room, plan->gap, plan->gaps,
		       sizeof(*plan->gap)) &&
	    copy_array(&new->pair, &new->pair_room, plan->pair, plan->pairs,
		       sizeof(*plan->pair)) &&
	    copy_array(&new->op, &new->op_room, plan->op, plan->ops,
		       sizeof(*plan->op)) &&
	    copy_array(&new->link, &new->link_room, plan->link, plan->links,
		       sizeof(*plan->link)) &&
	    copy_array(&new->sequence, &new->sequence_room, plan->sequence,
		       plan->ops, sizeof(*plan->sequence)) &&
	    copy_array(&new->rerun, &new->rerun_room, plan->rerun,
		       plan->reruns, sizeof(*plan->rerun)))
		return new;
	vnpu_plan_destroy(new);
	return NULL;
}

static void init(struct recompute *r)
{
	/* Each operator may run twice. */
	size_t ops = 2 * (size_t)r->plan->ops + 1;
	size_t tensors = (size_t)r->plan->tensors + r->plan->ops + 1;

	r->live = malloc(ops * sizeof(*r->live));
	r->over = malloc(ops * sizeof(*r->over));
	r->order = malloc(ops * sizeof(*r->order));
	r->until = malloc(tensors * sizeof(*r->until));
	r->idle = malloc(tensors * sizeof(*r->idle));
	r->version = malloc(tensors * sizeof(*r->version));
}

static void fini(struct recompute *r)
{
	free(r->version);
	free(r->idle);
	free(r->until);
	free(r->order);
	free(r->over);
	free(r->live);
}

/* Get the tensor that a view is a part of. */
static uint32_t base_of(const struct vnpu_plan *plan, uint32_t t)
{
	while (plan->tensor[t].in.flags & VNPU_PLAN_VIEW)
		t = plan->tensor[t].in.of;
	return t;
}

static void sum_up(struct recompute *r, const struct plan_problem *p)
{
	const struct vnpu_plan *plan = r->plan;
	uint64_t sum = 0;
	uint32_t i;

	memset(r->live, 0, ((size_t)plan->ops + 1) * sizeof(*r->live));
	for (i = 0; i < p->segments; i++) {
		const struct plan_segment *s = &p->segment[i];
		uint64_t l = p->time[s->l], u = p->time[s->r];

		r->live[l < plan->ops ? l : plan->ops] += s->hi - s->lo;
		r->live[u < plan->ops ? u : plan->ops] -= s->hi - s->lo;
	}
	for (i = 0; i < plan->ops; i++) {
		sum += r->live[i];
		r->live[i] = sum > p->guard ? sum - p->guard : 0;
		r->order[plan->op[i].position] = i;
	}
	for (i = 0; i < plan->tensors; i++)
		r->until[i] = plan->tensor[i].in.upper;
	for (i = 0; i < plan->tensors; i++) {
		uint32_t base = base_of(plan, i);

		if (r->until[base] < r->until[i])
			r->until[base] = r->until[i];
	}
}

/* Compute the live bytes at each position. */
static int measure(struct recompute *r, uint64_t align)
{
	struct plan_problem p;
	int err = plan_graph_live(r->plan);

	err = err ? err : plan_problem_init(&p, r->plan, align);
	if (err)
		return err;
	r->bound = p.bound - p.guard;
	sum_up(r, &p);
	plan_problem_fini(&p);
	return 0;
}

static void find_excess(struct recompute *r)
{
	uint32_t i;

	r->most = 0;
	r->over[0] = 0;
	for (i = 0; i < r->plan->ops; i++) {
		bool is_over = r->live[i] > r->target;

		r->over[i + 1] = r->over[i] + is_over;
		if (is_over && r->live[i] - r->target > r->most)
			r->most = r->live[i] - r->target;
	}
}

static bool can_be_made_again(const struct vnpu_plan *plan, uint32_t t)
{
	const struct plan_tensor *tensor = &plan->tensor[t];
	const struct plan_op *op;

	if (tensor->producer == PLAN_NONE || tensor->has_view ||
	    !tensor->in.size || tensor->in.flags != VNPU_PLAN_OF_OPS)
		return false;
	op = &plan->op[tensor->producer];
	return op->cost && op->wait - op->output == 1;
}

/*
 * Rate a candidate: the gain minus the longer lives of inputs, by cost; 0 for
 * none.
 */
static double score(const struct recompute *r, uint32_t t, uint32_t position)
{
	const struct vnpu_plan *plan = r->plan;
	const struct plan_op *op = &plan->op[plan->tensor[t].producer];
	uint64_t size = plan->tensor[t].in.size;
	double gain = (double)(size < r->most ? size : r->most) *
		      (r->over[position] - r->over[r->idle[t]]);
	uint32_t i;

	for (i = op->input; i < op->output; i++) {
		uint32_t origin = plan->tensor[plan->link[i]].origin;
		uint32_t base = base_of(plan, r->version[origin]);
		const struct vnpu_plan_tensor *in = &plan->tensor[base].in;

		if (in->flags & VNPU_PLAN_ON_CHIP)
			return 0;
		if (r->until[base] > position)
			continue;
		/* Another tensor may have its place by then. */
		if (in->flags & VNPU_PLAN_FIXED)
			return 0;
		gain -= (double)in->size * (r->over[position + 1] -
					    r->over[r->until[base]]);
	}
	return gain > 0 ? gain / (double)op->cost : 0;
}

/* From @position on, its operator's outputs are the current versions. */
static void step(struct recompute *r, uint32_t position)
{
	const struct vnpu_plan *plan = r->plan;
	const struct plan_op *op = &plan->op[r->order[position]];
	uint32_t i;

	for (i = op->output; i < op->wait; i++) {
		uint32_t t = plan->link[i];

		r->version[plan->tensor[t].origin] = t;
	}
}

static void begin(struct recompute *r)
{
	uint32_t i;

	for (i = 0; i < r->plan->tensors; i++)
		r->version[i] = i;
}

static bool choose(struct recompute *r, struct choice *best)
{
	const struct vnpu_plan *plan = r->plan;
	uint32_t p, i;

	best->score = 0;
	begin(r);
	memset(r->idle, 0, plan->tensors * sizeof(*r->idle));
	for (p = 0; p < plan->ops; p++) {
		const struct plan_op *op = &plan->op[r->order[p]];

		for (i = op->input; i < op->output; i++) {
			uint32_t t = plan->link[i];
			double s;

			if (!r->idle[t] || r->idle[t] >= p ||
			    r->over[r->idle[t]] == r->over[p] ||
			    !can_be_made_again(plan, t))
				continue;
			s = score(r, t, p);
			if (s > best->score)
				*best = (struct choice){ t, p, s };
		}
		for (i = op->input; i < op->output; i++)
			if (r->idle[plan->link[i]] < op->clear)
				r->idle[plan->link[i]] = op->clear;
		for (i = op->output; i < op->wait; i++)
			r->idle[plan->link[i]] = op->clear;
		step(r, p);
	}
	return best->score > 0;
}

/* Make readers from @position on use @copy instead of @t. */
static void redirect(struct recompute *r, uint32_t t, uint32_t copy,
		     uint32_t position)
{
	struct vnpu_plan *plan = r->plan;
	uint32_t p, i;

	for (p = position; p < plan->ops; p++) {
		const struct plan_op *op = &plan->op[r->order[p]];

		for (i = op->input; i < op->output; i++)
			if (plan->link[i] == t)
				plan->link[i] = copy;
		for (i = op->output; i < op->wait; i++) {
			struct vnpu_plan_tensor *in =
				&plan->tensor[plan->link[i]].in;

			if (in->flags & VNPU_PLAN_INPLACE && in->of == t)
				in->of = copy;
		}
	}
}

/* Move the last operator to @position in the order. */
static void insert(struct recompute *r, uint32_t position)
{
	struct vnpu_plan *plan = r->plan;
	uint32_t last = plan->ops - 1, i;

	for (i = 0; i < plan->ops; i++) {
		uint32_t o = i == position ? last :
			     r->order[i < position ? i : i - 1];

		plan->sequence[i] = o;
		plan->op[o].rank = i;
	}
}

static int add_operator(struct recompute *r, uint32_t origin, uint32_t copy,
			uint32_t position)
{
	struct vnpu_plan *plan = r->plan;
	const struct plan_op *old = &plan->op[origin];
	struct vnpu_plan_op op = {
		.outputs = &copy, .num_outputs = 1,
		.num_inputs = old->output - old->input,
		.num_waits = old->end - old->wait,
		.stream = plan->op[r->order[position]].stream,
		.cost = old->cost,
	};
	/* The lists of the plan may move when it grows. */
	uint32_t *list = malloc(((size_t)op.num_inputs + op.num_waits + 1) *
				sizeof(*list));
	uint32_t i;
	int err;

	if (!list)
		return -ENOMEM;
	begin(r);
	for (i = 0; i < position; i++)
		step(r, i);
	for (i = 0; i < op.num_inputs; i++)
		list[i] = r->version[plan->tensor[plan->link[old->input + i]]
				     .origin];
	for (i = 0; i < op.num_waits; i++)
		list[op.num_inputs + i] = plan->link[old->wait + i];
	op.inputs = list;
	op.waits = list + op.num_inputs;
	err = vnpu_plan_add_op(plan, &op);
	free(list);
	return err;
}

/* Separate @copy from all that @t is separated from. */
static int copy_pairs(struct vnpu_plan *plan, uint32_t t, uint32_t copy)
{
	uint32_t pairs = plan->tensor[t].is_apart ? plan->pairs : 0, i;
	int err = 0;

	for (i = 0; i < pairs && !err; i++) {
		struct plan_pair pair = plan->pair[i];

		if (pair.a == t || pair.b == t)
			err = plan_add_pair(plan, copy,
					    pair.a == t ? pair.b : pair.a);
	}
	return err;
}

static int run_again(struct recompute *r, const struct choice *choice)
{
	struct vnpu_plan *plan = r->plan;
	struct vnpu_plan_tensor in = plan->tensor[choice->tensor].in;
	uint32_t origin = plan->tensor[choice->tensor].origin;
	uint32_t op = plan->op[plan->tensor[choice->tensor].producer].origin;
	uint32_t copy = plan->tensors;
	int err;

	in.lower = 0;
	in.upper = 0;
	if (!plan_grow(&plan->rerun, &plan->rerun_room, plan->reruns + 1,
		       sizeof(*plan->rerun)))
		return -ENOMEM;
	err = vnpu_plan_add_tensor(plan, &in);
	if (err)
		return err;
	plan->tensor[copy].origin = origin;
	err = copy_pairs(plan, choice->tensor, copy);
	if (err)
		return err;
	redirect(r, choice->tensor, copy, choice->position);
	err = add_operator(r, op, copy, choice->position);
	if (err)
		return err;
	plan->op[plan->ops - 1].origin = op;
	insert(r, choice->position);
	plan->rerun[plan->reruns++] = (struct vnpu_plan_rerun){
		.tensor = origin, .op = op, .copy = copy,
		.before = r->order[choice->position],
	};
	return 0;
}

/* Solve with the rest of the time, which is for all attempts together. */
static int solve(struct vnpu_plan *plan,
		 const struct vnpu_plan_options *options, uint64_t begin,
		 struct vnpu_plan_result *result)
{
	struct vnpu_plan_options left = *options;
	uint64_t spent;

	if (options->time_limit_ns) {
		spent = plan_now_ns() - begin;
		left.time_limit_ns = spent < options->time_limit_ns ?
				     options->time_limit_ns - spent : 1;
	}
	return vnpu_plan_solve(plan, &left, result);
}

static int make_it_fit(struct recompute *r,
		       const struct vnpu_plan_options *options, uint64_t begin,
		       struct vnpu_plan_result *result)
{
	uint32_t limit = r->plan->ops, attempts = 0, n;
	struct vnpu_plan_result found;
	struct choice choice = { 0 };
	int err;

	r->target = options->capacity;
	for (n = 0; ; n++) {
		err = measure(r, options->align);
		if (err)
			return err;
		if (n && r->bound <= options->capacity) {
			err = solve(r->plan, options, begin, &found);
			if (!err && result)
				*result = found;
			if (err != -ENOSPC || ++attempts == ATTEMPTS)
				return err;
		}
		/*
		 * The sum fits, but the placement does not: lower the target.
		 */
		if (r->bound <= r->target)
			r->target = r->bound - 1;
		find_excess(r);
		if (n == limit || !choose(r, &choice))
			return -ENOSPC;
		err = run_again(r, &choice);
		if (err)
			return err;
	}
}

int vnpu_plan_recompute(struct vnpu_plan *plan,
			const struct vnpu_plan_options *options,
			struct vnpu_plan **fits,
			struct vnpu_plan_result *result)
{
	uint64_t begin = plan_now_ns();
	struct recompute r = { 0 };
	int err;

	if (!plan || !options || !fits)
		return -EINVAL;
	*fits = NULL;
	plan->fault[0] = '\0';
	if (!plan_is_limited(options))
		return plan_fail(plan, -EINVAL, "options: the capacity is missing");
	r.plan = clone(plan);
	if (!r.plan)
		return -ENOMEM;
	err = solve(r.plan, options, begin, result);
	memcpy(plan->fault, r.plan->fault, sizeof(plan->fault));
	if (err == -ENOSPC) {
		init(&r);
		err = r.live && r.over && r.order && r.until && r.idle &&
		      r.version ? make_it_fit(&r, options, begin, result) :
				    -ENOMEM;
		fini(&r);
	}
	if (err) {
		vnpu_plan_destroy(r.plan);
		return err;
	}
	plan->fault[0] = '\0';
	*fits = r.plan;
	return 0;
}

int vnpu_plan_get_rerun(const struct vnpu_plan *plan, uint32_t index,
			struct vnpu_plan_rerun *rerun)
{
	if (!plan || !rerun)
		return -EINVAL;
	if (index >= plan->reruns)
		return -ENOENT;
	*rerun = plan->rerun[index];
	return 0;
}
