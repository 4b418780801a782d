// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instances for the planner's tests; see generate.h.
 */
#include <stdlib.h>
#include <string.h>

#include "generate.h"

#define UNIT	512U

static uint32_t below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)((*state >> 32) * bound >> 32);
}

/* Between 1 and @most, small values more often. */
static uint32_t skewed(uint64_t *state, uint32_t most)
{
	uint32_t limit = 1 + below(state, most);

	return 1 + below(state, limit);
}

struct piece {
	uint64_t lower, upper, from, to;
};

static uint32_t life_of(const struct piece *p)
{
	return (uint32_t)(p->upper - p->lower) / UNIT;
}

static uint32_t size_of(const struct piece *p)
{
	return (uint32_t)(p->to - p->from) / UNIT;
}

/* Cut a sufficiently large piece in two, across time or across offsets. */
static bool cut(struct piece *p, struct piece *other, uint64_t *state)
{
	uint32_t life = life_of(p), size = size_of(p);

	*other = *p;
	if (life > 1 && (size < 2 || below(state, 2))) {
		p->upper = p->lower + UNIT * (1 + below(state, life - 1));
		other->lower = p->upper;
		return true;
	}
	if (size > 1) {
		p->to = p->from + UNIT * (1 + below(state, size - 1));
		other->from = p->to;
		return true;
	}
	return false;
}

/* Cut a piece in five: four around the middle, each along one of its sides. */
static bool pinwheel(struct piece *p, struct piece other[4], uint64_t *state)
{
	const struct piece whole = *p;
	uint64_t t[2], o[2];
	bool is_left = below(state, 2);

	if (life_of(p) < 3 || size_of(p) < 3)
		return false;
	t[0] = 1 + below(state, life_of(p) - 2);
	t[1] = t[0] + 1 + below(state, life_of(p) - (uint32_t)t[0] - 1);
	o[0] = 1 + below(state, size_of(p) - 2);
	o[1] = o[0] + 1 + below(state, size_of(p) - (uint32_t)o[0] - 1);
	t[0] = whole.lower + UNIT * t[0];
	t[1] = whole.lower + UNIT * t[1];
	o[0] = whole.from + UNIT * o[0];
	o[1] = whole.from + UNIT * o[1];
	*p = (struct piece){ t[0], t[1], o[0], o[1] };
	if (is_left) {
		other[0] = (struct piece){ whole.lower, t[1], whole.from, o[0] };
		other[1] = (struct piece){ t[1], whole.upper, whole.from, o[1] };
		other[2] = (struct piece){ t[0], whole.upper, o[1], whole.to };
		other[3] = (struct piece){ whole.lower, t[0], o[0], whole.to };
	} else {
		other[0] = (struct piece){ t[0], whole.upper, whole.from, o[0] };
		other[1] = (struct piece){ t[1], whole.upper, o[0], whole.to };
		other[2] = (struct piece){ whole.lower, t[1], o[1], whole.to };
		other[3] = (struct piece){ whole.lower, t[0], whole.from, o[1] };
	}
	return true;
}

static void cut_up(struct vnpu_plan_tensor *tensor, uint32_t count,
		   bool is_pinwheel, uint64_t *state)
{
	struct piece *piece = calloc(count, sizeof(*piece));
	uint32_t i = 1, k;

	if (!piece)
		abort();
	piece[0] = (struct piece){ 0, GENERATE_WHOLE, 0, GENERATE_WHOLE };
	while (i < count) {
		/* The larger one of two, or few pieces would be large. */
		uint32_t a = below(state, i), b = below(state, i);

		if ((uint64_t)life_of(&piece[a]) * size_of(&piece[a]) <
		    (uint64_t)life_of(&piece[b]) * size_of(&piece[b]))
			a = b;
		if (is_pinwheel && i + 4 <= count && below(state, 2))
			i += pinwheel(&piece[a], &piece[i], state) ? 4 : 0;
		else
			i += cut(&piece[a], &piece[i], state);
	}
	for (k = 0; k < count; k++) {
		tensor[k].lower = piece[k].lower;
		tensor[k].upper = piece[k].upper;
		tensor[k].size = piece[k].to - piece[k].from;
	}
	free(piece);
}

static void make_loose(struct vnpu_plan_tensor *tensor, uint32_t count,
		       uint64_t *state)
{
	uint32_t all = count + count / 8, i, k;
	struct vnpu_plan_tensor *more = calloc(all, sizeof(*more));

	if (!more)
		abort();
	cut_up(more, all, false, state);
	for (i = 0; all > count; all--) {
		i = below(state, all);
		more[i] = more[all - 1];
	}
	for (k = 0; k < count / 8; k++) {
		struct vnpu_plan_tensor *t = &more[below(state, count)];
		uint32_t size = (uint32_t)t->size / UNIT;

		t->size -= UNIT * (size / 8 ? below(state, size / 8) : 0);
	}
	memcpy(tensor, more, count * sizeof(*tensor));
	free(more);
}

#define LADDER_UNIT	(GENERATE_WHOLE / 1024)

/* The lowest place for a box among those placed before it, or -1. */
static int64_t lowest(const struct vnpu_plan_tensor *tensor, uint32_t placed,
		      const struct vnpu_plan_tensor *t)
{
	uint64_t at = 0;
	bool has_moved = true;
	uint32_t i;

	while (has_moved) {
		has_moved = false;
		for (i = 0; i < placed; i++) {
			const struct vnpu_plan_tensor *o = &tensor[i];

			if (o->lower < t->upper && t->lower < o->upper &&
			    o->offset < at + t->size &&
			    at < o->offset + o->size) {
				at = o->offset + o->size;
				has_moved = true;
			}
		}
	}
	return at + t->size <= GENERATE_WHOLE ? (int64_t)at : -1;
}

static void make_ladder(struct vnpu_plan_tensor *tensor, uint32_t count,
			uint64_t *state)
{
	uint32_t i = 0, time = 3 * count / 5 + 4;

	while (i < count) {
		struct vnpu_plan_tensor t = { 0 };
		int64_t at;

		t.size = LADDER_UNIT * (40 + below(state, 70));
		t.lower = below(state, time);
		t.upper = t.lower + 3 + below(state, 10);
		at = lowest(tensor, i, &t);
		if (at < 0) {
			/* Full; there is room at the end. */
			time++;
			continue;
		}
		t.offset = (uint64_t)at;
		tensor[i++] = t;
	}
	for (i = 0; i < count; i++)
		tensor[i].offset = 0;
}

/*
 * A cache of keys and values grows by a factor when it is full: the new one and
 * the old one are alive together for a moment.
 */
static void make_serving(struct vnpu_plan_tensor *tensor, uint32_t count,
			 uint64_t *state)
{
	uint64_t now = 0;
	uint32_t i = 0;

	while (i < count) {
		uint32_t steps = 1 + below(state, 4), room, k;
		uint64_t begin = now;

		room = 16 * skewed(state, 64);
		for (k = 0; k < steps && i < count; k++) {
			struct vnpu_plan_tensor *t = &tensor[i++];
			uint32_t life = 8 + skewed(state, 400);

			t->size = (uint64_t)room * 4096;
			t->lower = begin;
			t->upper = begin + life;
			begin += life - 1;
			room += room / 2;
		}
		now += below(state, 12);
	}
}

static void make_training(struct vnpu_plan_tensor *tensor, uint32_t count,
			  uint64_t *state)
{
	uint32_t i = 0, layers = count / 4 + 1, layer = 0;

	while (i < count) {
		struct vnpu_plan_tensor *t = &tensor[i++];
		uint64_t forward = 2 * layer, backward = 4 * layers - forward;

		t->size = UNIT * skewed(state, 4096);
		t->lower = forward;
		switch (below(state, 4)) {
		case 0:		/* kept for the backward pass */
		case 1:
			t->upper = backward;
			break;
		case 2:		/* a workspace of the forward pass */
			t->upper = forward + 1 + below(state, 3);
			break;
		default:	/* and of the backward pass */
			t->lower = backward - 1 - below(state, 3);
			t->upper = backward + 1;
			break;
		}
		layer = (layer + below(state, 2)) % layers;
	}
}

static void make_stream(struct vnpu_plan_tensor *tensor, uint32_t count,
			uint64_t *state)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		tensor[i].size = UNIT * skewed(state, 2048);
		tensor[i].lower = i;
		tensor[i].upper = i + 1 + skewed(state, 40);
	}
}

void generate(enum generate_kind kind, uint64_t seed,
	      struct vnpu_plan_tensor *tensor, uint32_t count)
{
	uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15 + kind;

	memset(tensor, 0, count * sizeof(*tensor));
	below(&state, 2);
	switch (kind) {
	case GENERATE_GUILLOTINE:
	case GENERATE_PINWHEEL:
		cut_up(tensor, count, kind == GENERATE_PINWHEEL, &state);
		break;
	case GENERATE_LOOSE:
		make_loose(tensor, count, &state);
		break;
	case GENERATE_LADDER:
		make_ladder(tensor, count, &state);
		break;
	case GENERATE_SERVING:
		make_serving(tensor, count, &state);
		break;
	case GENERATE_TRAINING:
		make_training(tensor, count, &state);
		break;
	case GENERATE_STREAM:
	case GENERATE_KINDS:
		make_stream(tensor, count, &state);
		break;
	}
}

void generate_mirror(struct vnpu_plan_tensor *tensor, uint32_t count)
{
	uint64_t end = 0, lower;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (tensor[i].upper > end)
			end = tensor[i].upper;
	for (i = 0; i < count; i++) {
		lower = tensor[i].lower;
		tensor[i].lower = end - tensor[i].upper;
		tensor[i].upper = end - lower;
	}
}

void generate_shuffle(struct vnpu_plan_tensor *tensor, uint32_t count,
		      uint64_t seed)
{
	uint64_t state = seed + 1;
	uint32_t i;

	for (i = count; i > 1; i--) {
		uint32_t k = below(&state, i);
		struct vnpu_plan_tensor t = tensor[k];

		tensor[k] = tensor[i - 1];
		tensor[i - 1] = t;
	}
}

void generate_scale(struct vnpu_plan_tensor *tensor, uint32_t count,
		    uint64_t times, uint64_t sizes)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		tensor[i].lower *= times;
		tensor[i].upper *= times;
		tensor[i].size *= sizes;
	}
}

void generate_perturb(struct vnpu_plan_tensor *tensor, uint32_t count,
		      uint64_t seed)
{
	uint64_t state = seed + 1;
	uint32_t i;

	for (i = 0; i < 1 + (count - 1) / 100; i++) {
		struct vnpu_plan_tensor *t = &tensor[below(&state, count)];
		uint64_t life = t->upper - t->lower;

		switch (below(&state, 3)) {
		case 0:
			t->size -= t->size * below(&state, 10) / 100;
			break;
		case 1:
			t->lower += life > 1;
			break;
		default:
			t->upper -= life > 1;
			break;
		}
	}
}
