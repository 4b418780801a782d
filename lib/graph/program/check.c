// SPDX-License-Identifier: MIT
/* Checks of programs. See program.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "program/program.h"

/* An aligned address, for checks of launches that have no memory yet. */
#define SOME_ADDRESS	4096

int program_fail(struct program_error *error, int64_t step, const char *format,
		 ...)
{
	va_list args;

	error->step = step;
	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return -EINVAL;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15U;
	return sum << 29 | sum >> 35;
}

uint64_t program_checksum(const void *data, size_t size)
{
	const size_t skip = offsetof(struct program_head, checksum);
	const char *bytes = data;
	uint64_t sum = size, word;
	size_t at;

	for (at = 0; at < size; at += sizeof(word)) {
		size_t n = size - at < sizeof(word) ? size - at : sizeof(word);

		word = 0;
		if (at != skip)
			memcpy(&word, bytes + at, n);
		sum = mix(sum, word);
	}
	return sum;
}

/* Check whether a part lies in the program, behind the head. */
static bool has_part(const struct program_head *h, uint64_t at, uint64_t size,
		     uint64_t align)
{
	return at >= sizeof(*h) && at <= h->size && size <= h->size - at &&
	       at % align == 0;
}

/* Check whether the weights are where the caller of this file expects them. */
static bool has_weights(const struct program_head *h, const void *outside,
			uint64_t size)
{
	if (outside)
		return !h->weights_at && h->weights_size == size;
	return has_part(h, h->weights_at, h->weights_size, PROGRAM_PAGE);
}

int program_check_start(const void *data, size_t size,
			const struct program_kind *kind,
			struct program_error *error)
{
	const struct program_head *h = data;

	if (size < sizeof(h->magic) ||
	    memcmp(h->magic, kind->magic, sizeof(h->magic))) {
		program_fail(error, -1, "this is no model of vnpu");
		return -ENOEXEC;
	}
	if (size < kind->head)
		return program_fail(error, -1, "the model is cut off in its head");
	if (h->version != kind->version) {
		program_fail(error, -1, "the model has version %u, expected %u: compile it again",
			     h->version, kind->version);
		return -ENOEXEC;
	}
	if (h->size != size)
		return program_fail(error, -1, "the model has %zu bytes, expected %llu",
				    size, (unsigned long long)h->size);
	if (h->checksum != program_checksum(h, size))
		return program_fail(error, -1, "the checksum of the model is wrong");
	return 0;
}

static int check_head(const struct program_head *h, size_t size,
		      const void *weights, uint64_t weights_size,
		      struct program_error *error)
{
	static const struct program_kind kind = {
		PROGRAM_MAGIC, PROGRAM_VERSION, sizeof(*h),
	};
	int ret = program_check_start(h, size, &kind, error);
	uint64_t io;

	if (ret)
		return ret;
	io = (uint64_t)h->inputs + h->outputs;
	if (io > PROGRAM_TENSORS || h->steps > PROGRAM_STEPS || h->reserved ||
	    h->work > VNPU_TENSOR_MAX ||
	    !has_part(h, h->tensors_at, io * sizeof(struct program_tensor), 8) ||
	    !has_part(h, h->steps_at, h->steps_size, 8) ||
	    !has_part(h, h->text_at, h->text_size, 1) ||
	    !has_weights(h, weights, weights_size))
		return program_fail(error, -1, "the head of the model is not valid");
	if (!h->text_size ||
	    ((const char *)h)[h->text_at + h->text_size - 1] ||
	    h->name >= h->text_size)
		return program_fail(error, -1, "the names of the model are not valid");
	return 0;
}

static int check_tensor(const struct program *p, uint32_t index,
			struct program_error *error)
{
	const struct program_tensor *t = &p->tensors[index];
	const struct program_head *h = p->head;
	uint64_t size = vnpu_dtype_bits(t->dtype) / 8, count = 1;
	static const uint8_t none[sizeof(t->reserved)];
	bool zero = false;
	unsigned int i;

	if (t->name >= h->text_size || !size || t->rank > VNPU_TENSOR_DIMS ||
	    t->count_dim >= VNPU_TENSOR_DIMS ||
	    memcmp(t->reserved, none, sizeof(none)))
		return program_fail(error, -1, "tensor %u of the model is not valid",
			    index);
	for (i = 0; i < t->rank; i++) {
		zero |= !t->dims[i];
		if (t->dims[i] < 0 || t->dims[i] > VNPU_TENSOR_MAX ||
		    __builtin_mul_overflow(count, t->dims[i] ? t->dims[i] : 1,
					   &count) || count > VNPU_TENSOR_MAX)
			return program_fail(error, -1, "tensor %u has a size that is not possible",
				    index);
	}
	if (t->bytes != (zero ? 0 : count * size) ||
	    (t->count_at != PROGRAM_NONE &&
	     (t->count_at % 8 || h->work < 8 || t->count_at > h->work - 8 ||
	      t->count_dim >= t->rank)) ||
	    (t->frozen_at != PROGRAM_NONE &&
	     (t->frozen_at > h->weights_size ||
	      t->bytes > h->weights_size - t->frozen_at)))
		return program_fail(error, -1, "tensor %u of the model is not valid",
			    index);
	return 0;
}

/* The bytes of a segment; 0 for one that a step must not use. */
static uint64_t segment_size(const struct program *p, unsigned int segment,
			     bool writes)
{
	const struct program_head *h = p->head;

	if (segment == PROGRAM_WEIGHTS)
		return writes ? 0 : h->weights_size;
	if (segment == PROGRAM_WORK)
		return h->work;
	segment -= PROGRAM_IO;
	if (segment >= h->inputs + h->outputs || (writes && segment < h->inputs))
		return 0;
	return p->tensors[segment].bytes;
}

static int check_step(const struct program *p, const struct program_step *s,
		      int64_t number, struct program_error *error)
{
	size_t size = s->size - sizeof(*s), least;
	struct vnpu_op_launch l = { 0 };
	unsigned int i, tensors;
	const char *why;

	least = offsetof(struct vnpu_op_launch, tensor);
	if (s->name >= p->head->text_size || s->type >= p->head->text_size ||
	    !s->parts || size < least || size > sizeof(l))
		return program_fail(error, number, "step %lld of the model is not valid",
			    (long long)number);
	memcpy(&l, s + 1, size);
	tensors = l.inputs + l.outputs;
	if (l.size != size || tensors > VNPU_OP_TENSORS ||
	    size != least + tensors * sizeof(*l.tensor))
		return program_fail(error, number, "step %lld of the model is not valid",
			    (long long)number);
	for (i = 0; i < tensors; i++) {
		struct vnpu_tensor *t = &l.tensor[i];
		uint64_t room;

		if (s->segments[i] == PROGRAM_IMMEDIATE) {
			if (!t->dtype || (t->flags & VNPU_TENSOR_F_IMMEDIATE &&
					  !vnpu_tensor_check(t, &why)))
				continue;
			return program_fail(error, number, "step %lld has a tensor without memory",
				    (long long)number);
		}
		room = segment_size(p, s->segments[i], i >= l.inputs);
		if (t->flags & VNPU_TENSOR_F_IMMEDIATE || t->data > room ||
		    t->bytes > room - t->data ||
		    t->data % (vnpu_dtype_bits(t->dtype) / 8 ?
			       vnpu_dtype_bits(t->dtype) / 8 : 1))
			return program_fail(error, number, "step %lld has a tensor outside of its memory",
				    (long long)number);
		t->data = SOME_ADDRESS;
		if (vnpu_tensor_check(t, &why))
			return program_fail(error, number, "step %lld has a tensor that is not valid: %s",
				    (long long)number, why);
	}
	return 0;
}

static int check_steps(const struct program *p, struct program_error *error)
{
	const struct program_head *h = p->head;
	const struct program_step *s;
	uint64_t left = h->steps_size;
	uint32_t i;
	int err;

	s = (const void *)((const char *)h + h->steps_at);
	for (i = 0; i < h->steps; i++) {
		if (left < sizeof(*s) || s->size > left || s->size % 8 ||
		    s->size < sizeof(*s))
			return program_fail(error, i, "step %u of the model is cut off",
				    i);
		err = check_step(p, s, i, error);
		if (err)
			return err;
		left -= s->size;
		s = (const void *)((const char *)s + s->size);
	}
	return left ? program_fail(error, -1, "the model has bytes behind its last step") :
		      0;
}

/* Open a program; @weights: NULL if they are a part of it. */
static int open_at(struct program *p, const void *data, size_t size,
		   const void *weights, uint64_t weights_size,
		   struct program_error *error)
{
	const struct program_head *h = data;
	uint32_t i;
	int err;

	err = check_head(h, size, weights, weights_size, error);
	if (err)
		return err;
	p->head = h;
	p->tensors = (const void *)((const char *)data + h->tensors_at);
	p->text = (const char *)data + h->text_at;
	p->weights = weights ? weights : (const char *)data + h->weights_at;
	for (i = 0; i < h->inputs + h->outputs; i++) {
		err = check_tensor(p, i, error);
		if (err)
			return err;
	}
	return check_steps(p, error);
}

int program_open(struct program *p, const void *data, size_t size,
		 struct program_error *error)
{
	return open_at(p, data, size, NULL, 0, error);
}

int program_open_part(struct program *p, const void *data, size_t size,
		      const void *weights, uint64_t weights_size,
		      struct program_error *error)
{
	return open_at(p, data, size, weights, weights_size, error);
}

const struct program_step *program_next(const struct program *p,
					const struct program_step *step)
{
	const char *start = (const char *)p->head + p->head->steps_at;
	const char *next = step ? (const char *)step + step->size : start;

	return next < start + p->head->steps_size ?
		       (const struct program_step *)next : NULL;
}
