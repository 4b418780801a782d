// SPDX-License-Identifier: MIT
/*
 * Chains of elementwise steps. See chain.h, and lib/ops/chain.c.
 *
 * Steps are visited in order. Each absorbs the steps that make its inputs;
 * those may be chains already. The step then runs at the place of the later
 * one, so the inputs of the earlier one must stay as they are until then.
 */
#include <errno.h>
#include <string.h>

#include "build/chain.h"

/**
 * struct touches - the steps that use a buffer
 * @step: their numbers, in order
 * @count: how many
 */
struct touches {
	uint32_t *step;
	uint32_t count;
};

/**
 * struct chains - the work on a graph
 * @b: the graph
 * @touches: by buffer
 * @live: bytes of the live buffers by step
 * @most: the largest of these
 */
struct chains {
	struct build *b;
	struct touches *touches;
	uint64_t *live;
	uint64_t most;
};

/**
 * struct link - a step as a chain, while it is composed
 * @steps: the operators
 * @count: their number
 * @params: their parameters
 * @param_count: number of these
 * @view: the inputs
 * @buffer: their buffers
 * @inputs: their number
 */
struct link {
	int64_t steps[VNPU_OP_LIST];
	unsigned int count;
	double params[VNPU_OP_CHAIN_PARAMS];
	unsigned int param_count;
	const struct vnpu_tensor *view[VNPU_OP_TENSORS];
	uint32_t buffer[VNPU_OP_TENSORS];
	unsigned int inputs;
};

static unsigned int tensors_of(const struct build_step *s)
{
	return s->launch->inputs + s->launch->outputs;
}

static uint32_t out_of(const struct build_step *s)
{
	return s->buffers[s->launch->inputs];
}

static const struct vnpu_tensor *out_view(const struct build_step *s)
{
	return &s->launch->tensor[s->launch->inputs];
}

static int count_touches(struct chains *c)
{
	struct build *b = c->b;
	uint32_t i, k;

	c->touches = store_alloc(&b->store, b->buffer_count + 1,
				 sizeof(*c->touches));
	c->live = store_alloc(&b->store, b->step_count + 1, sizeof(*c->live));
	if (!c->touches || !c->live)
		return graph_fail(b->g, -ENOMEM, "there is no memory for chains");
	for (i = 0; i < b->step_count; i++)
		for (k = 0; k < tensors_of(&b->steps[i]); k++)
			if (b->steps[i].buffers[k] != BUILD_NONE)
				c->touches[b->steps[i].buffers[k]].count++;
	for (i = 0; i < b->buffer_count; i++) {
		c->touches[i].step = store_alloc(&b->store,
						 c->touches[i].count + 1,
						 sizeof(uint32_t));
		if (!c->touches[i].step)
			return graph_fail(b->g, -ENOMEM,
					  "there is no memory for chains");
		c->touches[i].count = 0;
	}
	return 0;
}

static void find_touches(struct chains *c)
{
	struct build *b = c->b;
	uint32_t i, k, at;

	for (i = 0; i < b->step_count; i++)
		for (k = 0; k < tensors_of(&b->steps[i]); k++) {
			struct touches *t;

			at = b->steps[i].buffers[k];
			if (at == BUILD_NONE)
				continue;
			t = &c->touches[at];
			if (!t->count || t->step[t->count - 1] != i)
				t->step[t->count++] = i;
		}
	for (at = 0; at < b->buffer_count; at++) {
		const struct touches *t = &c->touches[at];

		if (b->buffers[at].kind != BUILD_WORK || !t->count)
			continue;
		c->live[t->step[0]] += b->buffers[at].bytes;
		c->live[t->step[t->count - 1] + 1] -= b->buffers[at].bytes;
	}
	for (i = 0; i < b->step_count; i++) {
		c->live[i] += i ? c->live[i - 1] : 0;
		if (c->live[i] > c->most)
			c->most = c->live[i];
	}
}

static unsigned int param_count(unsigned int op)
{
	unsigned int count = 0;

	while (vnpu_op_param(op, count, NULL))
		count++;
	return count;
}

/* Take the words of a step apart. */
static void get_link(const struct build_step *s, struct link *link)
{
	const struct vnpu_op_launch *l = s->launch;
	enum vnpu_op_kind kind;
	unsigned int i;

	*link = (struct link){ .inputs = l->inputs };
	for (i = 0; i < l->inputs; i++) {
		link->view[i] = &l->tensor[i];
		link->buffer[i] = s->buffers[i];
	}
	if (l->op == VNPU_OP_CHAIN) {
		/* The list comes first, then one word for each parameter. */
		link->count = l->word[0].i;
		for (i = 0; i < link->count; i++)
			link->steps[i] = l->word[1 + i].i;
		for (i = 0; i < link->count; i++)
			link->param_count +=
				param_count(link->steps[i] & 0xffff);
		for (i = 0; i < VNPU_OP_CHAIN_PARAMS; i++)
			link->params[i] = l->word[1 + VNPU_OP_LIST + i].f;
		return;
	}
	link->count = 1;
	link->steps[0] = l->op;
	for (i = 0; i < l->inputs; i++)
		link->steps[0] |= (int64_t)(i + 1) << (16 + 8 * i);
	link->param_count = param_count(l->op);
	for (i = 0; i < link->param_count; i++) {
		vnpu_op_param(l->op, i, &kind);
		link->params[i] = kind == VNPU_OP_FLOAT ?
				  l->word[i].f : (double)l->word[i].i;
	}
}

/* Append an input, or find it if it is there; return 1 + its number. */
static unsigned int add_input(struct link *link, const struct vnpu_tensor *view,
			      uint32_t buffer)
{
	unsigned int i;

	for (i = 0; i < link->inputs; i++)
		if (link->buffer[i] == buffer &&
		    !memcmp(link->view[i], view, sizeof(*view)))
			return i + 1;
	link->view[i] = view;
	link->buffer[i] = buffer;
	return ++link->inputs;
}

/* Append the steps of @last, which reads the result of @link in @buffer. */
static bool join_links(struct link *link, const struct link *last,
		       uint32_t buffer)
{
	unsigned int before = link->count, i, k, in;

	if (before + last->count > VNPU_OP_LIST ||
	    link->param_count + last->param_count > VNPU_OP_CHAIN_PARAMS)
		return false;
	for (i = 0; i < last->count; i++) {
		int64_t step = last->steps[i] & 0xffff;

		for (k = 0; (in = VNPU_OP_CHAIN_INPUT(last->steps[i], k)); k++) {
			if (in & VNPU_OP_CHAIN_RESULT)
				in += before;
			else if (last->buffer[in - 1] == buffer)
				in = VNPU_OP_CHAIN_RESULT + before - 1;
			else
				in = add_input(link, last->view[in - 1],
					       last->buffer[in - 1]);
			step |= (int64_t)in << (16 + 8 * k);
		}
		link->steps[link->count++] = step;
	}
	for (i = 0; i < last->param_count; i++)
		link->params[link->param_count++] = last->params[i];
	return true;
}

static bool is_elementwise(const struct build_step *s)
{
	/* Elementwise operators come first in the list of the engine. */
	return s->launch && s->launch->outputs == 1 &&
	       (s->launch->op < VNPU_OP_COPY || s->launch->op == VNPU_OP_CHAIN);
}

static bool same_view(const struct vnpu_tensor *a, const struct vnpu_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       a->offset == b->offset &&
	       !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims)) &&
	       !memcmp(a->strides, b->strides, a->rank * sizeof(*a->strides));
}

static bool writes(const struct build_step *s, uint32_t buffer)
{
	uint32_t k;

	for (k = s->launch->inputs; k < tensors_of(s); k++)
		if (s->buffers[k] == buffer)
			return true;
	return false;
}

/*
 * Check whether the inputs of step @from are still the same when step @to runs.
 */
static bool keeps_inputs(const struct chains *c, uint32_t from, uint32_t to)
{
	const struct build_step *f = &c->b->steps[from], *t = &c->b->steps[to];
	uint32_t i, k;

	for (k = 0; k < f->launch->inputs; k++) {
		const struct touches *touches;

		if (f->buffers[k] == BUILD_NONE)
			continue;
		touches = &c->touches[f->buffers[k]];
		for (i = 0; i < touches->count; i++)
			if (touches->step[i] > from && touches->step[i] < to &&
			    writes(&c->b->steps[touches->step[i]],
				   f->buffers[k]))
				return false;
		/* A chain may write over an input, but only element by element. */
		if (f->buffers[k] == out_of(t) &&
		    !same_view(&f->launch->tensor[k], out_view(t)))
			return false;
	}
	return true;
}

/* Check whether step @to alone reads the result of step @from, as it is. */
static bool can_join(const struct chains *c, uint32_t from, uint32_t to)
{
	const struct build_step *f = &c->b->steps[from], *t = &c->b->steps[to];
	const struct vnpu_tensor *x = out_view(f);
	uint32_t buffer = out_of(f), k;
	const struct touches *touches = &c->touches[buffer];
	int64_t elements = vnpu_tensor_elements(x);

	if (!is_elementwise(f) || x->dtype != VNPU_DT_F32 ||
	    out_view(t)->dtype != VNPU_DT_F32 || !elements || x->offset ||
	    !vnpu_tensor_is_contiguous(x) ||
	    (uint64_t)elements * sizeof(float) != c->b->buffers[buffer].bytes ||
	    out_view(t)->rank != x->rank ||
	    memcmp(out_view(t)->dims, x->dims, x->rank * sizeof(*x->dims)))
		return false;
	for (k = 0; k < t->launch->inputs; k++)
		if (t->buffers[k] == buffer &&
		    !same_view(&t->launch->tensor[k], x))
			return false;
	/* It may be the place of the result, too; else nothing else needs it. */
	if (out_of(t) == buffer ? !same_view(out_view(t), x) :
	    c->b->buffers[buffer].kind != BUILD_WORK ||
	    touches->step[touches->count - 1] != to)
		return false;
	return keeps_inputs(c, from, to);
}

/*
 * Change the sums of live tensors as if step @from ran at @to, where its result is
 * gone; or back, for @sign -1.
 */
static void move_lives(struct chains *c, uint32_t from, uint32_t to, int sign)
{
	const struct build_step *f = &c->b->steps[from];
	const struct touches *touches = &c->touches[out_of(f)];
	uint32_t i, k, last;

	if (touches->step[0] == from && out_of(&c->b->steps[to]) != out_of(f))
		for (i = from; i <= to; i++)
			c->live[i] -= sign * c->b->buffers[out_of(f)].bytes;
	for (k = 0; k < f->launch->inputs; k++) {
		uint32_t buffer = f->buffers[k];

		if (buffer == BUILD_NONE ||
		    c->b->buffers[buffer].kind != BUILD_WORK ||
		    (k && buffer == f->buffers[k - 1]))
			continue;
		touches = &c->touches[buffer];
		last = touches->step[touches->count - 1];
		for (i = last + 1; i <= to; i++)
			c->live[i] += sign * c->b->buffers[buffer].bytes;
	}
}

static bool gains(struct chains *c, uint32_t from, uint32_t to)
{
	uint32_t i;

	move_lives(c, from, to, 1);
	for (i = from; i <= to; i++)
		if (c->live[i] > c->most) {
			move_lives(c, from, to, -1);
			return false;
		}
	return true;
}

/* Note that step @from no longer uses a buffer, but step @to does if @stays. */
static void move_touch(struct touches *t, uint32_t from, uint32_t to, bool stays)
{
	uint32_t i, k = 0;

	for (i = 0; i < t->count; i++)
		if (t->step[i] != from && t->step[i] != to)
			t->step[k++] = t->step[i];
	if (stays) {
		for (i = k++; i && t->step[i - 1] > to; i--)
			t->step[i] = t->step[i - 1];
		t->step[i] = to;
	}
	t->count = k;
}

static int write_launch(struct chains *c, uint32_t number,
			const struct link *link, struct vnpu_op_launch *l)
{
	struct build_step *s = &c->b->steps[number];
	struct vnpu_tensor out = *out_view(s);
	uint32_t buffer = out_of(s), i;

	vnpu_op_init(l, VNPU_OP_CHAIN, link->inputs, 1);
	vnpu_op_set_ints(l, 0, link->steps, link->count);
	for (i = 0; i < link->param_count; i++)
		vnpu_op_set_float(l, 1 + i, link->params[i]);
	for (i = 0; i < link->inputs; i++)
		l->tensor[i] = *link->view[i];
	l->tensor[link->inputs] = out;
	/* Operators of other types, and too many inputs, are refused here. */
	if (vnpu_op_check(l, NULL))
		return 0;
	s->launch = store_alloc(&c->b->store, 1, l->size);
	if (!s->launch)
		return graph_fail(c->b->g, -ENOMEM,
				  "there is no memory for a step");
	memcpy(s->launch, l, l->size);
	for (i = 0; i < link->inputs; i++)
		s->buffers[i] = link->buffer[i];
	s->buffers[link->inputs] = buffer;
	return 1;
}

/* Join two steps; return 1 if it was done, 0 if not, or a negative errno. */
static int join(struct chains *c, uint32_t from, uint32_t to)
{
	struct build_step *f = &c->b->steps[from], *t = &c->b->steps[to];
	uint32_t buffer = out_of(f), k;
	struct vnpu_op_launch l;
	struct link link, last;
	int done;

	get_link(f, &link);
	get_link(t, &last);
	if (!can_join(c, from, to) || !join_links(&link, &last, buffer) ||
	    link.inputs >= VNPU_OP_TENSORS || !gains(c, from, to))
		return 0;
	done = write_launch(c, to, &link, &l);
	if (done <= 0) {
		move_lives(c, from, to, -1);
		return done;
	}
	for (k = 0; k < f->launch->inputs; k++)
		if (f->buffers[k] != BUILD_NONE && f->buffers[k] != buffer)
			move_touch(&c->touches[f->buffers[k]], from, to, true);
	move_touch(&c->touches[buffer], from, to, out_of(t) == buffer);
	f->launch = NULL;
	return 1;
}

/* Find the step that has written an input of step @number, which follows. */
static bool find_maker(const struct chains *c, uint32_t number, uint32_t buffer,
		       uint32_t *maker)
{
	const struct touches *t;
	uint32_t i;

	if (buffer == BUILD_NONE)
		return false;
	t = &c->touches[buffer];
	for (i = 0; i < t->count && t->step[i] != number; i++)
		*maker = t->step[i];
	return i && is_elementwise(&c->b->steps[*maker]) &&
	       out_of(&c->b->steps[*maker]) == buffer;
}

/* Absorb steps into a step, as long as some can be joined. */
static int grow(struct chains *c, uint32_t number)
{
	struct build_step *s = &c->b->steps[number];
	int joined = 0, done = 1;
	uint32_t maker, k;

	while (done > 0 && is_elementwise(s)) {
		done = 0;
		for (k = 0; !done && k < s->launch->inputs; k++)
			if (find_maker(c, number, s->buffers[k], &maker))
				done = join(c, maker, number);
		joined += done;
	}
	return done < 0 ? done : joined;
}

int build_chains(struct build *b)
{
	struct chains c = { .b = b };
	uint32_t i, kept = 0;
	int joined = 0, done;

	if (count_touches(&c))
		return b->g->err;
	find_touches(&c);
	for (i = 0; i < b->step_count; i++) {
		done = grow(&c, i);
		if (done < 0)
			return done;
		joined += done;
	}
	for (i = 0; i < b->step_count; i++)
		if (b->steps[i].launch)
			b->steps[kept++] = b->steps[i];
	b->step_count = kept;
	return joined;
}
