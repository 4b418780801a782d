/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sequential model of tasks: an interpreter that streams are compared with.
 * It has a range of device addresses as an array.
 */
#ifndef SELFTESTS_VNPU_STREAM_MODEL_H
#define SELFTESTS_VNPU_STREAM_MODEL_H

#include <string.h>

#include <linux/vnpu_task.h>

#include "../core/float_model.h"
#include "model_random.h"

struct model {
	__u64 base;	/* the device address of mem[0] */
	__u8 *mem;
	__u64 size;	/* of mem */
};

static inline __u8 *model_at(const struct model *m, __u64 va)
{
	return m->mem + (va - m->base);
}

/* Read or write an integer of 1, 2, 4 or 8 bytes. */
static inline __u64 model_load(const __u8 *p, unsigned int bytes)
{
	__u64 x = 0;

	memcpy(&x, p, bytes);
	return x;
}

static inline void model_store(__u8 *p, __u64 x, unsigned int bytes)
{
	memcpy(p, &x, bytes);
}

static inline void model_fill(__u8 *p, __u64 length, __u64 value,
			      unsigned int bytes)
{
	__u64 i;

	for (i = 0; i < length; i += bytes)
		model_store(p + i, value, bytes);
}

static inline unsigned int model_type_size(unsigned int type)
{
	switch (type) {
	case VNPU_TYPE_S8:
	case VNPU_TYPE_U8:
		return 1;
	case VNPU_TYPE_S16:
	case VNPU_TYPE_U16:
	case VNPU_TYPE_FP16:
	case VNPU_TYPE_BF16:
		return 2;
	case VNPU_TYPE_S32:
	case VNPU_TYPE_U32:
	case VNPU_TYPE_FP32:
		return 4;
	default:
		return 8;
	}
}

static inline void model_reduce(__u8 *dst, const __u8 *src, unsigned int op,
				unsigned int type)
{
	unsigned int bytes = model_type_size(type);
	int is_signed = type != VNPU_TYPE_U8 && type != VNPU_TYPE_U16 &&
			type != VNPU_TYPE_U32 && type != VNPU_TYPE_U64;
	/*
	 * With the sign bit inverted, signed numbers are ordered like unsigned
	 * ones.
	 */
	__u64 flip = is_signed ? 1ULL << (8 * bytes - 1) : 0;
	__u64 a = model_load(dst, bytes), b = model_load(src, bytes);
	const struct float_format *format = float_format(type);
	int above = (a ^ flip) > (b ^ flip);

	if (format) {
		model_store(dst, float_reduce(format, op, a, b), bytes);
		return;
	}
	switch (op) {
	case VNPU_REDUCE_SUM:
		a += b;
		break;
	case VNPU_REDUCE_MAX:
		a = above ? a : b;
		break;
	case VNPU_REDUCE_MIN:
		a = above ? b : a;
		break;
	case VNPU_REDUCE_EQUAL:
		a = a == b;
		break;
	case VNPU_REDUCE_PROD:
		a *= b;
		break;
	}
	model_store(dst, a, bytes);
}

/* Reduce the elements at an offset in all arrays of a task. */
static inline void model_reduce_all(const struct model *m,
				    const struct vnpu_task *t, __u64 offset)
{
	const __u64 arrays[] = { t->src, t->arg0, t->arg1, t->arg2 };
	unsigned int first = t->flags & VNPU_TASK_F_REPLACE ? 1 : 0, k;
	unsigned int type = t->mode >> 8, size = model_type_size(type);
	__u8 result[8];

	memcpy(result, model_at(m, (first ? t->src : t->dst) + offset), size);
	for (k = first; k < 4; k++)
		if (!k || arrays[k])
			model_reduce(result, model_at(m, arrays[k] + offset),
				     t->mode & 0xff, type);
	memcpy(model_at(m, t->dst + offset), result, size);
}

/* Tasks that only wait or signal change nothing here. */
static inline void model_run(const struct model *m, const struct vnpu_task *t)
{
	unsigned int type = t->mode >> 8, size = model_type_size(type);
	unsigned long long counter[2] = { 0, 0 };
	__u64 i;

	switch (t->op) {
	case VNPU_TASK_COPY:
		memmove(model_at(m, t->dst), model_at(m, t->src), t->length);
		break;
	case VNPU_TASK_COPY_2D:
		for (i = 0; i < t->arg0; i++)
			memcpy(model_at(m, t->dst + i * t->arg1),
			       model_at(m, t->src + i * t->arg2), t->length);
		break;
	case VNPU_TASK_FILL:
		model_fill(model_at(m, t->dst), t->length, t->arg0, t->mode);
		break;
	case VNPU_TASK_FILL_2D:
		for (i = 0; i < t->arg1; i++)
			model_fill(model_at(m, t->dst + i * t->arg2), t->length,
				   t->arg0, t->mode);
		break;
	case VNPU_TASK_VALUE_WRITE:
		model_store(model_at(m, t->dst), t->arg0, t->mode);
		break;
	case VNPU_TASK_REDUCE:
		for (i = 0; i < t->length; i++)
			model_reduce_all(m, t, i * size);
		break;
	case VNPU_TASK_RANDOM:
		if (t->src)
			memcpy(counter, model_at(m, t->src), sizeof(counter));
		model_random(t, counter, model_at(m, t->dst));
		break;
	}
}

#endif
