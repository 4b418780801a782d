/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Model of copies whose addresses are in memory: the equivalent plain copy for
 * stream_model.h, and the result.
 */
#ifndef SELFTESTS_VNPU_MODEL_INDIRECT_H
#define SELFTESTS_VNPU_MODEL_INDIRECT_H

#include <errno.h>

#include "client.h"
#include "stream_model.h"

/* 0, or the reason of a failure, and the failing range. */
struct model_end {
	__u32 error;
	__u64 first;
	__u64 last;
};

static inline bool model_has(const struct model *m, __u64 va)
{
	return va >= m->base && va - m->base < m->size;
}

/* Return how many bytes are valid from an address on. */
static inline __u64 model_room(const struct model *m, __u64 va)
{
	return model_has(m, va) ? m->base + m->size - va : 0;
}

/*
 * Read one of the three numbers; all are read before any of their memory is
 * used.
 */
static inline void model_operand(const struct model *m, __u64 va, __u64 *value,
				 struct model_end *end)
{
	if (end->error)
		return;
	if (model_has(m, va))
		*value = model_load(model_at(m, va), 8);
	else
		*end = (struct model_end){ EFAULT, va, va };
}

static inline struct model_end
model_read_indirect(const struct model *m, struct vnpu_task *t)
{
	struct model_end end = { 0 };
	__u64 dst = 0, src = 0, length = t->length, last;

	if (t->dst % 8 || t->src % 8 || t->arg2 % 8 || (t->length && t->arg2)) {
		end.error = EINVAL;
		return end;
	}
	model_operand(m, t->dst, &dst, &end);
	model_operand(m, t->src, &src, &end);
	if (t->arg2)
		model_operand(m, t->arg2, &length, &end);
	if (end.error)
		return end;
	if (__builtin_add_overflow(dst, t->arg0, &dst) ||
	    __builtin_add_overflow(src, t->arg1, &src) ||
	    (length && (__builtin_add_overflow(dst, length - 1, &last) ||
			__builtin_add_overflow(src, length - 1, &last))))
		end.error = EOVERFLOW;
	*t = (struct vnpu_task){
		.op = VNPU_TASK_COPY, .dst = dst, .src = src, .length = length,
	};
	return end;
}

/* Copied upwards: it fails at the first byte that is not bound. */
static inline struct model_end model_clip_forward(const struct model *m,
						  struct vnpu_task *t)
{
	__u64 to = model_room(m, t->dst), from = model_room(m, t->src), at;

	if (t->length <= to && t->length <= from)
		return (struct model_end){ 0 };
	t->length = to < from ? to : from;
	at = (to < from ? t->dst : t->src) + t->length;
	return (struct model_end){ EFAULT, at, at };
}

/* Copied downwards, in pages: the start of the source may be reached first. */
static inline struct model_end model_clip_backward(const struct model *m,
						   struct vnpu_task *t)
{
	__u64 last = t->src + t->length - 1, missing;

	if (model_has(m, last))
		last = t->dst + t->length - 1;
	if (!model_has(m, last)) {
		t->length = 0;
		return (struct model_end){ EFAULT, last & ~(PAGE - 1), last };
	}
	if (model_has(m, t->src))
		return (struct model_end){ 0 };
	missing = m->base - t->src;
	t->dst += missing;
	t->src += missing;
	t->length -= missing;
	return (struct model_end){ EFAULT, m->base - PAGE, m->base - 1 };
}

/*
 * Replace an indirect copy by the copy of the bytes that are copied, or of none
 * if it fails before. Other tasks stay as they are, and do not fail.
 */
static inline struct model_end model_resolve(const struct model *m,
					     struct vnpu_task *t)
{
	struct model_end end = { 0 };

	if (t->op != VNPU_TASK_COPY_INDIRECT)
		return end;
	end = model_read_indirect(m, t);
	if (end.error)
		*t = (struct vnpu_task){ .op = VNPU_TASK_NOP };
	else if (t->dst > t->src && t->dst - t->src < t->length)
		end = model_clip_backward(m, t);
	else if (t->length)
		end = model_clip_forward(m, t);
	return end;
}

#endif
