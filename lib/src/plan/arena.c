// SPDX-License-Identifier: MIT
/*
 * Memory for a plan.  The arena copies what it needs of the plan, so that the
 * caller may destroy the plan.  For the check, each position has a state and
 * the positions that it waits for; without operators only the last time that
 * began matters.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "plan/plan.h"
#include "vnpu/arena.h"

enum state {
	IDLE,
	RUNNING,
	ENDED,
};

struct place {
	uint64_t offset;
	uint64_t lower, upper;	/* views included */
};

struct vnpu_arena {
	unsigned char *base;
	void *own;		/* memory to be freed */
	struct place *place;
	uint32_t tensors;

	/* Used with VNPU_ARENA_CHECK only. */
	bool is_checked;
	uint32_t ops;
	uint32_t running, ended;
	uint8_t *state;		/* by position */
	uint32_t *first;	/* index into wait, by position, and the end */
	uint32_t *wait;		/* positions */
	uint64_t time;		/* last time that began, without operators */

	char fault[96];
};

static int arena_fail(struct vnpu_arena *arena, int err, const char *fmt, ...)
	VNPU_PRINTF(3, 4);

static int arena_fail(struct vnpu_arena *arena, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(arena->fault, sizeof(arena->fault), fmt, args);
	va_end(args);
	return err;
}

/* Copy the places of the tensors, and return the bytes that they need. */
static uint64_t copy_places(struct vnpu_arena *arena,
			    const struct vnpu_plan *plan)
{
	uint64_t top = 0;
	uint32_t i;

	for (i = 0; i < plan->tensors; i++) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;
		struct place *place = &arena->place[i];

		*place = (struct place){ plan->offset[i], t->lower, t->upper };
		if (place->offset != VNPU_PLAN_NO_OFFSET &&
		    place->offset + t->size > top)
			top = place->offset + t->size;
	}
	for (i = plan->tensors; i-- > 0; ) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;
		struct place *of = &arena->place[t->of];

		if (!(t->flags & VNPU_PLAN_VIEW))
			continue;
		if (of->lower > arena->place[i].lower)
			of->lower = arena->place[i].lower;
		if (of->upper < arena->place[i].upper)
			of->upper = arena->place[i].upper;
	}
	return top;
}

/* Copy, in the order of positions, what each operator waits for. */
static void copy_waits(struct vnpu_arena *arena, const struct vnpu_plan *plan,
		       uint32_t *order)
{
	uint32_t last[64], waits = 0, p, i;

	memset(last, 0xff, sizeof(last));
	for (i = 0; i < plan->ops; i++)
		order[plan->op[i].position] = i;
	for (p = 0; p < plan->ops; p++) {
		const struct plan_op *op = &plan->op[order[p]];

		arena->first[p] = waits;
		for (i = op->input; i < op->output; i++) {
			uint32_t from = plan->tensor[plan->link[i]].producer;

			if (from != PLAN_NONE)
				arena->wait[waits++] = plan->op[from].position;
		}
		for (i = op->wait; i < op->end; i++)
			arena->wait[waits++] =
				plan->op[plan->link[i]].position;
		if (last[op->stream] != PLAN_NONE)
			arena->wait[waits++] = last[op->stream];
		last[op->stream] = p;
	}
	arena->first[p] = waits;
}

static int init_check(struct vnpu_arena *arena, const struct vnpu_plan *plan)
{
	size_t ops = (size_t)plan->ops + 1;
	uint32_t *order = malloc(ops * sizeof(*order));
	int err = -ENOMEM;

	arena->is_checked = true;
	arena->ops = plan->ops;
	arena->state = calloc(ops, sizeof(*arena->state));
	arena->first = malloc(ops * sizeof(*arena->first));
	arena->wait = malloc((ops + plan->links) * sizeof(*arena->wait));
	if (order && arena->state && arena->first && arena->wait) {
		copy_waits(arena, plan, order);
		err = 0;
	}
	free(order);
	return err;
}

static int init_memory(struct vnpu_arena *arena, const struct vnpu_plan *plan,
		       void *base, uint64_t size, uint64_t top)
{
	uint32_t i;

	if (base && size < top)
		return -ENOSPC;
	if (!base && top) {
		if (aclrtMalloc(&arena->own, top, ACL_MEM_MALLOC_HUGE_FIRST)) {
			arena->own = NULL;
			return -ENOMEM;
		}
		base = arena->own;
	}
	arena->base = base;
	for (i = 0; i < plan->tensors; i++) {
		const struct vnpu_plan_tensor *t = &plan->tensor[i].in;

		if (t->size && plan->offset[i] != VNPU_PLAN_NO_OFFSET &&
		    ((uintptr_t)base + plan->offset[i]) % t->align)
			return -EINVAL;
	}
	return 0;
}

int vnpu_arena_create(const struct vnpu_plan *plan, void *base, uint64_t size,
		      uint32_t flags, struct vnpu_arena **arena)
{
	struct vnpu_arena *new;
	uint64_t top;
	int err;

	if (!arena)
		return -EINVAL;
	*arena = NULL;
	if (!plan || !plan->offset || flags & ~VNPU_ARENA_CHECK ||
	    (!base && size))
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->tensors = plan->tensors;
	new->place = calloc((size_t)plan->tensors + 1, sizeof(*new->place));
	err = new->place ? 0 : -ENOMEM;
	if (!err && flags & VNPU_ARENA_CHECK)
		err = init_check(new, plan);
	if (!err) {
		top = copy_places(new, plan);
		err = init_memory(new, plan, base, size, top);
	}
	if (err) {
		vnpu_arena_destroy(new);
		return err;
	}
	*arena = new;
	return 0;
}

void vnpu_arena_destroy(struct vnpu_arena *arena)
{
	if (!arena)
		return;
	if (arena->own)
		aclrtFree(arena->own);
	free(arena->wait);
	free(arena->first);
	free(arena->state);
	free(arena->place);
	free(arena);
}

const char *vnpu_arena_fault(const struct vnpu_arena *arena)
{
	return arena ? arena->fault : "";
}

static bool is_running(const struct vnpu_arena *arena, uint64_t time)
{
	if (arena->ops)
		return time < arena->ops && arena->state[time] == RUNNING;
	return arena->running && arena->time == time;
}

static int begin_op(struct vnpu_arena *arena, uint64_t time)
{
	uint32_t i;

	if (time >= arena->ops)
		return arena_fail(arena, -ENOENT,
				  "no operator is at %" PRIu64, time);
	if (arena->ended == arena->ops)
		vnpu_arena_restart(arena);
	if (arena->state[time] != IDLE)
		return arena_fail(arena, -EALREADY,
				  "the operator at %" PRIu64 " has begun", time);
	for (i = arena->first[time]; i < arena->first[time + 1]; i++)
		if (arena->state[arena->wait[i]] != ENDED)
			return arena_fail(arena, -EBUSY,
					  "the operator at %" PRIu64
					  " begins before that at %u has ended",
					  time, arena->wait[i]);
	arena->state[time] = RUNNING;
	return 0;
}

static int begin_time(struct vnpu_arena *arena, uint64_t time)
{
	if (arena->running || arena->ended) {
		if (time <= arena->time)
			return arena_fail(arena, -EALREADY, "%" PRIu64
					  " begins after %" PRIu64, time,
					  arena->time);
		if (arena->running)
			return arena_fail(arena, -EBUSY, "%" PRIu64
					  " begins before %" PRIu64
					  " has ended", time, arena->time);
	}
	arena->time = time;
	return 0;
}

int vnpu_arena_begin(struct vnpu_arena *arena, uint64_t time)
{
	int err;

	if (!arena)
		return -EINVAL;
	arena->fault[0] = '\0';
	if (!arena->is_checked)
		return 0;
	err = arena->ops ? begin_op(arena, time) : begin_time(arena, time);
	if (!err)
		arena->running++;
	return err;
}

int vnpu_arena_end(struct vnpu_arena *arena, uint64_t time)
{
	if (!arena)
		return -EINVAL;
	arena->fault[0] = '\0';
	if (!arena->is_checked)
		return 0;
	if (!is_running(arena, time))
		return arena_fail(arena, -EINVAL,
				  "no operator that began at %" PRIu64 " can end",
				  time);
	if (arena->ops) {
		arena->state[time] = ENDED;
		arena->ended++;
	} else {
		arena->ended = 1;
	}
	arena->running--;
	return 0;
}

int vnpu_arena_use(struct vnpu_arena *arena, uint64_t time, uint32_t tensor,
		   void **address)
{
	const struct place *place;

	if (!arena || !address)
		return -EINVAL;
	arena->fault[0] = '\0';
	if (tensor >= arena->tensors)
		return arena_fail(arena, -ENOENT, "tensor %u: does not exist",
				  tensor);
	place = &arena->place[tensor];
	if (arena->is_checked && !is_running(arena, time))
		return arena_fail(arena, -EINVAL, "tensor %u: used at %" PRIu64
				  ", when no operator runs", tensor, time);
	if (arena->is_checked && (time < place->lower || time >= place->upper))
		return arena_fail(arena, -ESTALE, "tensor %u: used at %" PRIu64
				  ", planned for [%" PRIu64 ", %" PRIu64 ")",
				  tensor, time, place->lower, place->upper);
	*address = place->offset == VNPU_PLAN_NO_OFFSET ? NULL :
		   arena->base + place->offset;
	return 0;
}

int vnpu_arena_restart(struct vnpu_arena *arena)
{
	if (!arena)
		return -EINVAL;
	arena->fault[0] = '\0';
	if (arena->running)
		return arena_fail(arena, -EBUSY, "%u have not ended",
				  arena->running);
	if (arena->is_checked)
		memset(arena->state, IDLE, arena->ops);
	arena->ended = 0;
	return 0;
}
