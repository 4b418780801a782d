/* SPDX-License-Identifier: GPL-2.0-only */
/* Random tasks of the kinds that stream_model.h supports. */
#ifndef SELFTESTS_VNPU_STREAM_DRAW_H
#define SELFTESTS_VNPU_STREAM_DRAW_H

#include "stream.h"
#include "stream_model.h"
#include "util.h"

#define CELL	1024

/* Consecutive ranges of memory. A task uses memory in one of them. */
struct draw {
	struct rng rng;
	__u64 base;
	__u64 size;	/* length of a range */
	__u32 ranges;
};

/* How many bytes of addresses a task reads or writes. */
static inline __u64 span(const struct vnpu_task *task, bool write)
{
	switch (task->op) {
	case VNPU_TASK_COPY_2D:
		return (task->arg0 - 1) * (write ? task->arg1 : task->arg2) +
		       task->length;
	case VNPU_TASK_FILL_2D:
		return (task->arg1 - 1) * task->arg2 + task->length;
	case VNPU_TASK_VALUE_WRITE:
		return task->mode;
	case VNPU_TASK_REDUCE:
		return task->length * model_type_size(task->mode >> 8);
	case VNPU_TASK_RANDOM:
		return write ? model_random_bytes(task) : 16;
	default:
		return task->length;
	}
}

static inline __u64 somewhere(struct draw *d, __u64 length, __u64 align)
{
	__u64 room = d->size - length + 1;

	return d->base + rng_below(&d->rng, d->ranges) * d->size +
	       rng_below(&d->rng, room) / align * align;
}

/* Draw a task that writes values, or one that copies and may overlap. */
static inline struct vnpu_task draw_plain(struct draw *d)
{
	__u64 length = rng_below(&d->rng, 3 * CELL) + 1;
	__u16 bytes = 1 << rng_below(&d->rng, 4);
	__u64 rows = rng_below(&d->rng, 8) + 1;

	switch (rng_below(&d->rng, 4)) {
	case 0:
		return task_copy(somewhere(d, length, 1),
				 somewhere(d, length, 1), length);
	case 1:
		length = (length + 7) / 8 * 8;
		return task_fill(somewhere(d, length, 8), length,
				 rng_next(&d->rng) >> (64 - 8 * bytes), bytes);
	case 2:
		return (struct vnpu_task){
			.op = VNPU_TASK_FILL_2D, .mode = bytes,
			.dst = somewhere(d, rows * 256, 8),
			.length = (length % 256 / bytes + 1) * bytes,
			.arg0 = rng_next(&d->rng) >> (64 - 8 * bytes),
			.arg1 = rows, .arg2 = 256,
		};
	default:
		bytes = 4 << rng_below(&d->rng, 2);
		return (struct vnpu_task){
			.op = VNPU_TASK_VALUE_WRITE, .mode = bytes,
			.dst = somewhere(d, 8, 8),
			.arg0 = rng_next(&d->rng) >> (64 - 8 * bytes),
		};
	}
}

/* Draw two ranges of a task that do not overlap. */
static inline void place_apart(struct draw *d, struct vnpu_task *task, __u64 length)
{
	do {
		task->dst = somewhere(d, length, 8);
		task->src = somewhere(d, length, 8);
	} while (task->dst < task->src + length &&
		 task->src < task->dst + length);
}

static inline struct vnpu_task draw_copy_2d(struct draw *d)
{
	struct vnpu_task task = {
		.op = VNPU_TASK_COPY_2D,
		.length = rng_below(&d->rng, 200) + 1,
		.arg0 = rng_below(&d->rng, 8) + 1,
		.arg1 = 200 + rng_below(&d->rng, 50),
		.arg2 = 200 + rng_below(&d->rng, 50),
	};

	place_apart(d, &task, 2 * CELL);
	return task;
}

/* Reduce two arrays, or one, into one of them. */
static inline struct vnpu_task draw_reduce(struct draw *d)
{
	__u32 type = rng_below(&d->rng, VNPU_TYPE_FP64 + 1);
	__u32 op = rng_below(&d->rng, VNPU_REDUCE_PROD + 1);
	struct vnpu_task task = {
		.op = VNPU_TASK_REDUCE,
		.mode = VNPU_REDUCE(op, type),
		.length = rng_below(&d->rng, 2 * CELL / model_type_size(type)) +
			  1,
	};

	place_apart(d, &task, 2 * CELL);
	if (!rng_below(&d->rng, 4))
		task.src = task.dst;
	if (rng_below(&d->rng, 2))
		task.arg0 = rng_below(&d->rng, 2) ? task.src : task.dst;
	if (rng_below(&d->rng, 4) == 0)
		task.arg2 = rng_below(&d->rng, 2) ? task.src : task.dst;
	if ((task.arg0 || task.arg2) && rng_below(&d->rng, 2))
		task.flags = VNPU_TASK_F_REPLACE;
	return task;
}

static inline __u16 draw_distribution(struct draw *d)
{
	static const __u8 floats[] = {
		VNPU_TYPE_FP32, VNPU_TYPE_FP16, VNPU_TYPE_BF16,
	};
	static const __u8 integers[] = {
		VNPU_TYPE_S32, VNPU_TYPE_S64, VNPU_TYPE_U32, VNPU_TYPE_U64,
	};

	switch (rng_below(&d->rng, 4)) {
	case 0:
		return VNPU_RANDOM(VNPU_RANDOM_DROPOUT, VNPU_TYPE_U8);
	case 1:
		return VNPU_RANDOM(VNPU_RANDOM_UNIFORM,
				   integers[rng_below(&d->rng, 4)]);
	default:
		return VNPU_RANDOM(VNPU_RANDOM_UNIFORM + rng_below(&d->rng, 3),
				   floats[rng_below(&d->rng, 3)]);
	}
}

/* With or without a counter in memory, which may be overwritten. */
static inline struct vnpu_task draw_random(struct draw *d)
{
	__u16 mode = draw_distribution(d);
	struct vnpu_task task = {
		.op = VNPU_TASK_RANDOM,
		.mode = mode,
		.dst = somewhere(d, 2 * CELL, 8),
		.length = rng_below(&d->rng, CELL / 4) + 1,
		.arg0 = rng_next(&d->rng),
	};
	__u32 low = rng_below(&d->rng, 100), more = rng_below(&d->rng, 100);

	if (rng_below(&d->rng, 2))
		task.src = somewhere(d, 16, 8);
	if (mode == VNPU_RANDOM(VNPU_RANDOM_DROPOUT, VNPU_TYPE_U8)) {
		task.arg1 = float_bits((float)low / 100);
	} else if (float_format(mode >> 8)) {
		task.arg1 = float_bits((float)low);
		task.arg2 = float_bits((float)(low + more));
	} else {
		task.arg1 = low;
		task.arg2 = low + more;
	}
	return task;
}

/* Draw a copy between any addresses, across either end of the memory, too. */
static inline struct vnpu_task draw_reach(struct draw *d)
{
	__u64 length = rng_below(&d->rng, 3 * CELL) + 1;
	__u64 part = rng_below(&d->rng, length + 1);
	__u64 end = d->base + d->ranges * d->size;
	struct vnpu_task t = task_copy(somewhere(d, length, 1),
				       somewhere(d, length, 1), length);

	switch (rng_below(&d->rng, 14)) {
	case 0:
		t.length = 0;
		break;
	case 1:
		t.length = rng_next(&d->rng);
		break;
	case 2:
		t.dst = end - part;
		break;
	case 3:
		t.src = end - part;
		break;
	case 4:
		t.dst = d->base - part;
		break;
	case 5:
		t.src = d->base - part;
		break;
	case 6:
		t.src = end - length;
		t.dst = t.src + part;
		break;
	case 7:
		t.src = d->base - part;
		t.dst = t.src + rng_below(&d->rng, length);
		break;
	}
	return t;
}

/* Draw where a number is read from; seldom where that fails. */
static inline __u64 draw_place(struct draw *d)
{
	__u64 place = somewhere(d, 8, 8);

	switch (rng_below(&d->rng, 32)) {
	case 0:
		return place + 4;
	case 1:
		return d->base + d->ranges * d->size + CELL;
	default:
		return place;
	}
}

static inline __u64 draw_offset(struct draw *d)
{
	switch (rng_below(&d->rng, 24)) {
	case 0:
		return -1 - rng_below(&d->rng, CELL);
	case 1 ... 11:
		return rng_below(&d->rng, CELL);
	default:
		return 0;
	}
}

/*
 * Make the indirect form of the copy @reach, with its numbers at these
 * addresses.
 */
static inline struct vnpu_task draw_indirect(struct draw *d,
					     const struct vnpu_task *reach)
{
	struct vnpu_task t = {
		.op = VNPU_TASK_COPY_INDIRECT,
		.dst = draw_place(d),
		.src = draw_place(d),
		.arg0 = draw_offset(d),
		.arg1 = draw_offset(d),
	};
	__u64 how = rng_below(&d->rng, 16);

	if (how < 8)
		t.length = reach->length;
	if (how > 6)
		t.arg2 = draw_place(d);
	return t;
}

static inline struct vnpu_task draw_task(struct draw *d)
{
	switch (rng_below(&d->rng, 8)) {
	case 0:
		return draw_copy_2d(d);
	case 1:
		return draw_random(d);
	case 2:
	case 3:
		return draw_reduce(d);
	default:
		return draw_plain(d);
	}
}

#endif
