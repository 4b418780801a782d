// SPDX-License-Identifier: MIT
/*
 * Conversion of tensors to boxes: tensors that share memory become one box,
 * those without memory none, and times become numbers of sections.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "plan.h"

/* Tensors that share memory, by the first of them, while boxes are made. */
struct group {
	uint64_t lower, upper;
	uint32_t root;
	bool is_contended;	/* as a tensor is */
};

static uint32_t find(struct group *group, uint32_t i)
{
	while (group[i].root != i) {
		group[i].root = group[group[i].root].root;
		i = group[i].root;
	}
	return i;
}

static void join(struct group *group, uint32_t root, uint32_t i)
{
	group[i].root = root;
	if (group[i].lower < group[root].lower)
		group[root].lower = group[i].lower;
	if (group[i].upper > group[root].upper) {
		group[root].upper = group[i].upper;
		group[root].is_contended = group[i].is_contended;
	} else if (group[i].upper == group[root].upper) {
		group[root].is_contended |= group[i].is_contended;
	}
}

/*
 * Check whether @t is separated from a tensor of a group: one of those from
 * @at[t] to @at[t + 1] in @list.
 */
static bool is_apart(struct group *group, uint32_t root, uint32_t t,
		     const uint32_t *list, const uint32_t *at)
{
	uint32_t i;

	for (i = at ? at[t] : 0; at && i < at[t + 1]; i++)
		if (find(group, list[i]) == root)
			return true;
	return false;
}

/*
 * Check whether @t, the last of its group, can take the place of @of's group.
 */
static bool can_take_over(const struct vnpu_plan *plan,
			  const struct group *group, uint32_t root, uint32_t t)
{
	const struct plan_tensor *new = &plan->tensor[t];
	const struct plan_tensor *of = &plan->tensor[new->in.of];
	const struct plan_tensor *base = &plan->tensor[root];

	return !(of->in.flags & (VNPU_PLAN_VIEW | VNPU_PLAN_ON_CHIP)) &&
	       new->in.size && new->in.size == of->in.size &&
	       base->gap == PLAN_NONE && base->in.align % new->in.align == 0 &&
	       group[root].upper - 1 == group[t].lower &&
	       !group[root].is_contended;
}

/* Tensors and their views. */
static void join_views(struct plan_problem *p, const struct vnpu_plan *plan,
		       struct group *group)
{
	uint32_t i;

	for (i = 0; i < plan->tensors; i++) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;

		group[i] = (struct group){
			t->lower, t->upper, i, plan->tensor[i].is_contended,
		};
		p->within[i] = 0;
		if (!(t->flags & VNPU_PLAN_VIEW))
			continue;
		join(group, find(group, t->of), i);
		p->within[i] = p->within[t->of] + t->offset;
	}
}

static int make_groups(struct plan_problem *p, const struct vnpu_plan *plan,
		       struct group *group)
{
	uint32_t *list = NULL, *at = NULL, i;
	int err = plan_apart_list(plan, NULL, plan->tensors, &list, &at);

	join_views(p, plan, group);
	for (i = 0; i < plan->tensors && !err; i++) {
		uint32_t root;

		if (!(plan->tensor[i].in.flags & VNPU_PLAN_INPLACE))
			continue;
		root = find(group, plan->tensor[i].in.of);
		if (can_take_over(plan, group, root, i) &&
		    !is_apart(group, root, i, list, at))
			join(group, root, i);
	}
	free(list);
	free(at);
	return err;
}

static void add_segment(struct plan_problem *p, uint64_t *time,
			struct plan_box *box, uint64_t lower, uint64_t upper,
			uint64_t lo, uint64_t hi)
{
	if (lower == upper || lo == hi)
		return;
	p->segment[p->segments] = (struct plan_segment){
		.lo = lo, .hi = hi, .is_part = hi - lo < box->size,
	};
	time[2 * p->segments] = lower;
	time[2 * p->segments + 1] = upper;
	p->segments++;
	box->segments++;
}

/* Add a box with the pieces of a life, with two times in @time for each. */
static void add_box(struct plan_problem *p, const struct vnpu_plan *plan,
		    uint32_t i, const struct group *group, uint64_t *time)
{
	const struct plan_tensor *t = &plan->tensor[i];
	struct plan_box *box = &p->box[p->boxes];
	uint64_t from = group->lower;
	uint32_t g;

	*box = (struct plan_box){
		.size = t->in.size,
		.align = t->in.align,
		.fixed = t->in.flags & VNPU_PLAN_FIXED ? t->in.offset :
							 VNPU_PLAN_NO_OFFSET,
		.segment = p->segments,
	};
	for (g = t->gap; g != PLAN_NONE; g = plan->gap[g].next) {
		const struct vnpu_plan_gap *gap = &plan->gap[g].in;

		add_segment(p, time, box, from, gap->lower, 0, t->in.size);
		add_segment(p, time, box, gap->lower, gap->upper, gap->from,
			    gap->to);
		from = gap->upper;
	}
	add_segment(p, time, box, from, group->upper, 0, t->in.size);
	if (box->segments)
		p->box_of[i] = p->boxes++;
}

static void add_boxes(struct plan_problem *p, const struct vnpu_plan *plan,
		      struct group *group, uint64_t *time)
{
	uint32_t i;

	for (i = 0; i < plan->tensors; i++) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;

		p->box_of[i] = PLAN_NONE;
		if (t->size && !(t->flags & VNPU_PLAN_ON_CHIP) &&
		    find(group, i) == i)
			add_box(p, plan, i, &group[i], time);
	}
	/* A tensor that takes over a recomputed one precedes it. */
	for (i = 0; i < plan->tensors; i++)
		if (plan->tensor[i].in.size)
			p->box_of[i] = p->box_of[find(group, i)];
}

/* Number the times of all segments. */
static void cut_time(struct plan_problem *p, const uint64_t *time,
		     uint32_t *index, uint32_t *spare)
{
	uint32_t count = 2 * p->segments, i;

	for (i = 0; i < count; i++)
		index[i] = i;
	plan_sort(index, spare, count, time);
	for (i = 0; i < count; i++) {
		struct plan_segment *s = &p->segment[index[i] / 2];

		if (!i || time[index[i]] != time[index[i - 1]])
			p->time[p->sections++] = time[index[i]];
		if (index[i] & 1)
			s->r = p->sections - 1;
		else
			s->l = p->sections - 1;
	}
	/* The last time is the end of everything. */
	p->sections -= p->sections > 0;
	for (i = 0; i < p->boxes; i++) {
		struct plan_box *box = &p->box[i];

		box->l = p->segment[box->segment].l;
		box->r = p->segment[box->segment + box->segments - 1].r;
	}
}

#define NO_STREAM	64
#define ANY_STREAM	65

static bool is_on(uint64_t streams, uint32_t stream)
{
	return stream < NO_STREAM ? streams >> stream & 1 :
	       stream == ANY_STREAM || !streams;
}

/* Count the boxes on a stream in each section, in @count. */
static void count_on(const struct plan_problem *p, const uint64_t *streams,
		     uint32_t stream, uint64_t *count)
{
	uint32_t i, s;

	for (i = 0; i <= p->sections; i++)
		count[i] = 0;
	for (i = 0; i < p->boxes; i++) {
		const struct plan_box *box = &p->box[i];

		if (!is_on(streams[i], stream))
			continue;
		for (s = box->segment; s < box->segment + box->segments; s++) {
			count[p->segment[s].l]++;
			count[p->segment[s].r]--;
		}
	}
	for (i = 0; i < p->sections; i++)
		count[i + 1] += count[i];
}

/* Check whether any two have to be kept apart; plan_is_guarded() for all. */
static bool needs_guard(const struct plan_problem *p, const uint64_t *streams,
			uint64_t *kinds, uint64_t *count)
{
	uint32_t stream, i;

	for (stream = 0; stream < ANY_STREAM; stream++) {
		count_on(p, streams, stream, count);
		for (i = 0; i < p->sections; i++)
			kinds[i] += count[i] > 0;
	}
	count_on(p, streams, ANY_STREAM, count);
	for (i = 0; i < p->sections; i++)
		if (count[i] > 1 && kinds[i] > 1)
			return true;
	return false;
}

/*
 * If any two have to be kept apart, all are, because the neighbours are not
 * known before the placement.
 */
static void add_guard(struct plan_problem *p, uint64_t guard)
{
	uint32_t i;

	p->guard = guard;
	for (i = 0; i < p->boxes; i++)
		p->box[i].size += guard;
	for (i = 0; i < p->segments; i++)
		p->segment[i].hi += guard;
}

static int guard_all(struct plan_problem *p, const struct vnpu_plan *plan)
{
	size_t sections = (size_t)p->sections + 1;
	uint64_t *streams, *kinds;
	int err = -ENOMEM;
	uint32_t i;

	if (!plan->guard)
		return 0;
	streams = calloc((size_t)p->boxes + 1, sizeof(*streams));
	kinds = calloc(2 * sections, sizeof(*kinds));
	if (streams && kinds) {
		for (i = 0; i < plan->tensors; i++)
			if (p->box_of[i] != PLAN_NONE)
				streams[p->box_of[i]] |= plan->tensor[i].streams;
		if (needs_guard(p, streams, kinds, kinds + sections))
			add_guard(p, plan->guard);
		err = 0;
	}
	free(kinds);
	free(streams);
	return err;
}

/* Find the first tensor of a box. */
static uint32_t tensor_of(const struct plan_problem *p, uint32_t box)
{
	uint32_t i = 0;

	while (p->box_of[i] != box)
		i++;
	return i;
}

/* Offsets are also multiples of the caller's alignment. */
static int align_all(struct plan_problem *p, struct vnpu_plan *plan,
		     uint64_t align)
{
	uint32_t i;

	p->unit = 0;
	for (i = 0; i < p->boxes; i++) {
		struct plan_box *box = &p->box[i];
		uint64_t factor = align / plan_gcd(align, box->align);

		if (factor > VNPU_PLAN_MAX_BYTES / p->boxes / box->align)
			return plan_fail(plan, -EOVERFLOW,
					 "tensor %u: its alignment %" PRIu64
					 " and that of all, %" PRIu64
					 ", have no common multiple that is small enough",
					 tensor_of(p, i), box->align, align);
		box->align *= factor;
		if (box->fixed == VNPU_PLAN_NO_OFFSET)
			p->unit = plan_gcd(p->unit, box->align);
		else if (box->fixed % align)
			return plan_fail(plan, -EINVAL,
					 "tensor %u: its fixed offset %" PRIu64
					 " is not a multiple of %" PRIu64,
					 tensor_of(p, i), box->fixed, align);
		else
			p->unit = 1;
	}
	if (!p->unit)
		p->unit = 1;
	return 0;
}

/*
 * A box above another lies at a multiple of the unit, so all boxes but the
 * uppermost take whole units.  This does not apply where only a part of a box
 * is needed, which may begin at any byte.
 */
static void find_bound(struct plan_problem *p, uint64_t *live)
{
	uint64_t sum = 0, top = 0, slack = 0;
	uint32_t i, s;

	for (i = 0; i <= p->sections; i++)
		live[i] = 0;
	for (i = 0; i < p->segments; i++)
		if (p->segment[i].is_part)
			p->unit = 1;
	for (i = 0; i < p->boxes; i++) {
		const struct plan_box *box = &p->box[i];
		uint64_t rest = plan_align_up(box->size, p->unit) - box->size;

		if (rest > slack)
			slack = rest;
		if (box->fixed != VNPU_PLAN_NO_OFFSET &&
		    box->fixed + box->size > top)
			top = box->fixed + box->size;
		for (s = box->segment; s < box->segment + box->segments; s++) {
			const struct plan_segment *seg = &p->segment[s];
			uint64_t size = seg->hi - seg->lo + rest;

			live[seg->l] += size;
			live[seg->r] -= size;
		}
	}
	for (i = 0; i < p->sections; i++) {
		sum += live[i];
		if (sum > p->bound) {
			p->bound = sum;
			p->bound_section = i;
		}
	}
	p->bound -= p->bound > slack ? slack : p->bound;
	if (p->bound < top)
		p->bound = top;
}

int plan_problem_init(struct plan_problem *p, struct vnpu_plan *plan,
		      uint64_t align)
{
	/* A gap leaves two pieces and may be one itself. */
	size_t segments = (size_t)plan->tensors + 2 * (size_t)plan->gaps + 1;
	struct group *group = calloc(plan->tensors + 1, sizeof(*group));
	uint64_t *time = calloc(2 * segments, sizeof(*time));
	uint32_t *index = calloc(4 * segments, sizeof(*index));
	int err = -ENOMEM;

	*p = (struct plan_problem){
		.box = calloc(plan->tensors + 1, sizeof(*p->box)),
		.segment = calloc(segments, sizeof(*p->segment)),
		.time = calloc(2 * segments, sizeof(*p->time)),
		.box_of = calloc(plan->tensors + 1, sizeof(*p->box_of)),
		.within = calloc(plan->tensors + 1, sizeof(*p->within)),
	};
	if (group && time && index && p->box && p->segment && p->time &&
	    p->box_of && p->within) {
		err = make_groups(p, plan, group);
		if (!err) {
			add_boxes(p, plan, group, time);
			cut_time(p, time, index, index + 2 * segments);
			err = guard_all(p, plan);
		}
		err = err ? err : plan_apart_list(plan, p->box_of, p->boxes,
						  &p->apart, &p->apart_at);
		err = err ? err : align_all(p, plan, align ? align : 1);
		if (!err)
			find_bound(p, time);
	}
	free(index);
	free(time);
	free(group);
	if (err)
		plan_problem_fini(p);
	return err;
}

void plan_problem_fini(struct plan_problem *p)
{
	free(p->apart_at);
	free(p->apart);
	free(p->within);
	free(p->box_of);
	free(p->time);
	free(p->segment);
	free(p->box);
}

static bool is_alive(const struct plan_problem *p, const struct plan_box *box,
		     uint32_t section)
{
	uint32_t s;

	for (s = box->segment; s < box->segment + box->segments; s++)
		if (p->segment[s].l <= section && section < p->segment[s].r)
			return true;
	return false;
}

uint32_t *plan_problem_peak(const struct plan_problem *p,
			    const struct vnpu_plan *plan, uint32_t *count)
{
	uint32_t *owner = malloc((p->boxes + 1) * sizeof(*owner));
	uint64_t *since = calloc(p->boxes + 1, sizeof(*since));
	uint32_t *peak = malloc((p->boxes + 1) * sizeof(*peak));
	uint64_t *key = malloc((plan->tensors + 1) * sizeof(*key));
	uint64_t time = p->sections ? p->time[p->bound_section] : 0;
	uint32_t i;

	*count = 0;
	if (!owner || !since || !peak || !key) {
		free(peak);
		peak = NULL;
		goto out;
	}
	/*
	 * Of tensors that take over each other's memory, use the current owner.
	 */
	for (i = 0; i < plan->tensors; i++) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;
		uint32_t b = p->box_of[i];

		key[i] = ~t->size;
		if (b == PLAN_NONE || t->flags & VNPU_PLAN_VIEW)
			continue;
		if (!since[b] || (t->lower <= time &&
				  t->lower + 1 >= since[b])) {
			owner[b] = i;
			since[b] = t->lower <= time ? t->lower + 1 : 1;
		}
	}
	for (i = 0; i < p->boxes; i++)
		if (is_alive(p, &p->box[i], p->bound_section))
			peak[(*count)++] = owner[i];
	plan_sort(peak, owner, *count, key);
out:
	free(key);
	free(since);
	free(owner);
	return peak;
}

uint64_t plan_peak(const struct plan_problem *p, const uint64_t *offset)
{
	uint64_t peak = 0;
	uint32_t i;

	for (i = 0; i < p->boxes; i++)
		if (offset[i] + p->box[i].size > peak)
			peak = offset[i] + p->box[i].size;
	return peak;
}
