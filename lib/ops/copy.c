// SPDX-License-Identifier: MIT
/*
 * Copies: of any view to any other, with conversion of types, and the filling
 * with a scalar. Slices, permutations, expansions and concatenations are copies
 * of views.
 */
#include <errno.h>
#include <string.h>

#include "copy.h"
#include "families.h"
#include "vec/vec.h"

/*
 * Squares with sides of a cache line are transposed at a time. Then each line
 * of both views is touched once, for any strides.
 */
#define LINE		64

struct copy {
	struct ops_move move;
	/* The scalar to fill with, in the type of the output. */
	uint64_t value;
};
_Static_assert(sizeof(struct copy) <= sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

int ops_copy_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	const struct vnpu_tensor *out = ops_out(c->l, 0);
	unsigned int i, own;

	ops_like(&c->out[0], self);
	if (self->flags & VNPU_TENSOR_F_IMMEDIATE &&
	    self->dtype == VNPU_DT_F64)
		c->out[0].dtype = VNPU_DT_F32;
	if (!out)
		return 0;

	/* The output has the shape to which the input is expanded. */
	ops_like(&c->out[0], out);
	for (i = 0; i < self->rank; i++) {
		own = self->rank - 1 - i;
		if (i < out->rank && (self->dims[own] == 1 ||
				      self->dims[own] ==
				      out->dims[out->rank - 1 - i]))
			continue;
		return ops_fail(c, 0, -EINVAL,
				"shape %s cannot be expanded to %s",
				OPS_TDIMS(self), OPS_TDIMS(out));
	}
	return 0;
}

/* Fill, or copy from one distance of elements to another. */
#define COPY_ROW(T)							\
	do {								\
		T *d = (T *)dst, value = *(const T *)src;		\
									\
		if (!from && to == (int64_t)sizeof(T))			\
			for (i = 0; i < n; i++)				\
				d[i] = value;				\
		else							\
			for (i = 0; i < n; i++)				\
				*(T *)(dst + i * to) =			\
					*(const T *)(src + i * from);	\
	} while (0)

void ops_copy_row(uint8_t *dst, int64_t to, const uint8_t *src, int64_t from,
		  unsigned int size, int64_t n)
{
	int64_t i;

	if (to == (int64_t)size && from == (int64_t)size) {
		memmove(dst, src, n * size);
		return;
	}
	switch (size) {
	case 1:
		COPY_ROW(uint8_t);
		break;
	case 2:
		COPY_ROW(uint16_t);
		break;
	case 4:
		COPY_ROW(uint32_t);
		break;
	case 8:
		COPY_ROW(uint64_t);
		break;
	}
}

/* Transpose a square, or less at the edges, by way of the stack. */
#define TRANSPOSE(bits)							\
static void transpose##bits(uint8_t *dst, int64_t to, const uint8_t *src, \
			    int64_t from, int64_t n, int64_t rows)	\
{									\
	enum { SIDE = LINE / ((bits) / 8) };				\
	uint##bits##_t square[SIDE][SIDE];				\
	int64_t i, k;							\
									\
	for (i = 0; i < n; i++, src += from)				\
		for (k = 0; k < rows; k++)				\
			square[k][i] = ((const uint##bits##_t *)src)[k]; \
	for (k = 0; k < rows; k++, dst += to)				\
		memcpy(dst, square[k], n * sizeof(**square));		\
}
TRANSPOSE(8)
TRANSPOSE(16)
TRANSPOSE(32)
TRANSPOSE(64)

/*
 * Copy @rows rows of @n elements, which are columns of the source: its rows are
 * @from apart, those of the destination @to.
 */
static void transpose(uint8_t *dst, int64_t to, const uint8_t *src,
		      int64_t from, unsigned int size, int64_t n, int64_t rows)
{
	switch (size) {
	case 1:
		transpose8(dst, to, src, from, n, rows);
		break;
	case 2:
		transpose16(dst, to, src, from, n, rows);
		break;
	case 4:
		transpose32(dst, to, src, from, n, rows);
		break;
	case 8:
		transpose64(dst, to, src, from, n, rows);
		break;
	}
}

void ops_move_init(struct ops_move *m, const struct vnpu_tensor *to,
		   const struct vnpu_tensor *from)
{
	const struct vnpu_tensor *t[2] = { to, from };
	struct ops_iter *it = &m->it;
	unsigned int d;

	m->size = ops_size(to->dtype);
	ops_iter_init(it, to->rank, to->dims, t, 2);
	m->is_transposed = false;
	if (it->stride[0][0] != m->size || it->stride[1][0] == m->size ||
	    it->dims[0] < 4)
		return;
	for (d = 1; d < it->rank; d++)
		if (it->stride[1][d] == m->size && it->dims[d] >= 4) {
			m->is_transposed = true;
			ops_iter_swap(it, 1, d);
			return;
		}
}

/* Number of rows of squares. */
static int64_t count_bands(const struct ops_move *m)
{
	int64_t side = LINE / m->size;

	return m->it.total ? m->it.total / m->it.dims[0] / m->it.dims[1] *
			     ((m->it.dims[1] + side - 1) / side) : 0;
}

static void run_transposed(const struct ops_move *m,
			   const struct vnpu_op_work *w)
{
	const struct ops_iter *it = &m->it;
	int64_t side = LINE / m->size;
	int64_t each = (it->dims[1] + side - 1) / side;
	int64_t at, end, i;
	struct ops_place p;

	ops_share(w, count_bands(m), 1, &at, &end);
	for (; at < end; at++) {
		int64_t row = at % each * side;
		int64_t rows = it->dims[1] - row;

		ops_iter_seek(it, &p, (at / each * it->dims[1] + row) *
				      it->dims[0]);
		if (rows > side)
			rows = side;
		for (i = 0; i < it->dims[0]; i += side) {
			int64_t n = it->dims[0] - i;

			transpose(p.at[0] + i * it->stride[0][0],
				  it->stride[0][1],
				  p.at[1] + i * it->stride[1][0],
				  it->stride[1][0], m->size,
				  n < side ? n : side, rows);
		}
	}
}

uint32_t ops_move_parts(const struct ops_move *m)
{
	return ops_parts(m->it.total * 4.0, m->is_transposed ?
			 count_bands(m) : m->it.total / 512);
}

void ops_move_run(const struct ops_move *m, const struct vnpu_op_work *w)
{
	const struct ops_iter *it = &m->it;
	struct ops_place p;
	int64_t at, end, n;

	if (m->is_transposed) {
		run_transposed(m, w);
		return;
	}
	ops_share(w, it->total, 512, &at, &end);
	if (at == end)
		return;
	ops_iter_seek(it, &p, at);
	for (; at < end; at += n) {
		n = it->dims[0] - p.index[0];
		if (n > end - at)
			n = end - at;
		ops_copy_row(p.at[0], it->stride[0][0], p.at[1],
			     it->stride[1][0], m->size, n);
		if (at + n < end)
			ops_iter_next_row(it, &p);
	}
}

static struct copy *copy_of(const struct vnpu_op_job *job)
{
	return (struct copy *)job->plan;
}

static bool converts(const struct vnpu_op_launch *l)
{
	return l->tensor[0].dtype != l->tensor[1].dtype &&
	       !(l->tensor[0].flags & VNPU_TENSOR_F_IMMEDIATE);
}

void ops_copy_plan(struct vnpu_op_job *job)
{
	const struct vnpu_op_launch *l = &job->launch;
	struct vnpu_tensor from = l->tensor[0];
	struct copy *c = copy_of(job);
	enum ops_class class;
	uint64_t value;

	if (converts(l)) {
		ops_map_plan_cast(job);
		return;
	}
	if (from.flags & VNPU_TENSOR_F_IMMEDIATE) {
		class = ops_class_of(from.dtype);
		ops_vec->load[from.dtype][class](&value, &from.data, 1, 1);
		ops_vec->store[class][l->tensor[1].dtype](&c->value, 1, &value,
							  1);
	}
	ops_move_init(&c->move, &l->tensor[1], &from);
	if (from.flags & VNPU_TENSOR_F_IMMEDIATE)
		c->move.it.base[1] = (uint8_t *)&c->value;
	job->parts = ops_move_parts(&c->move);
}

int ops_copy_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	if (converts(&job->launch))
		return ops_map_run(job, w);
	ops_move_run(&copy_of(job)->move, w);
	return 0;
}
