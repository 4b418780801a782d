// SPDX-License-Identifier: MIT
/*
 * Products of matrices. See gemm.h.
 *
 * The result is cut into blocks. For each, the columns of the right factor are
 * packed once, and kept for the blocks below; the rows of the left factor are
 * packed in pieces of the inner dimension. Conversions happen when elements are
 * fetched, so all types, strides and quantisations are one path.
 */
#include <string.h>

#include "gemm.h"

#define BLOCK_ROWS	(20 * OPS_MR)
#define BLOCK_DEPTH	256
/* Size of the packed right factor, in bytes, and the fewest columns. */
#define BLOCK_RIGHT	(1 << 20)

static void fetch_view(const struct ops_factor *f, const uint8_t *base,
		       void *dst, int64_t inner, int64_t outer, int64_t n)
{
	f->load(dst, base + inner * f->inner + outer * f->outer,
		(f->fetches_outer ? f->outer : f->inner) / f->size, n);
}

void ops_factor_view(struct ops_factor *f, unsigned int dtype,
		     enum ops_class class, int64_t inner, int64_t outer)
{
	f->fetch = fetch_view;
	f->load = ops_vec->load[dtype][class];
	f->size = ops_size(dtype);
	f->inner = inner;
	f->outer = outer;
	f->fetches_outer = outer == f->size && inner != f->size;
}

static int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

void ops_product_init(struct ops_product *p)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	int64_t most = BLOCK_RIGHT / (int64_t)g->size / (p->k ? p->k : 1);

	p->rows = BLOCK_ROWS;
	if (p->rows > round_up(p->m, OPS_MR))
		p->rows = round_up(p->m, OPS_MR);
	p->depth = p->k < BLOCK_DEPTH ? p->k : BLOCK_DEPTH;
	most = most > 512 ? 512 : most < 4 * g->columns ? 4 * g->columns : most;
	p->columns = most / g->columns * g->columns;
	if (p->columns > round_up(p->n, g->columns))
		p->columns = round_up(p->n, g->columns);
}

static int64_t count_rows(const struct ops_product *p)
{
	return p->rows ? (p->m + p->rows - 1) / p->rows : 0;
}

int64_t ops_product_blocks(const struct ops_product *p)
{
	if (!p->m || !p->n)
		return 0;
	return count_rows(p) * ((p->n + p->columns - 1) / p->columns);
}

/* The parts of the scratch memory, each a multiple of a cache line. */
struct room {
	uint8_t *right, *left, *result, *fetched, *bias;
};

static size_t lay_out(const struct ops_product *p, uint8_t *scratch,
		      struct room *room)
{
	size_t size = ops_vec->gemm[p->class].size, at = 0;
	int64_t widest = p->columns > p->rows ? p->columns : p->rows;
	int64_t fetched = OPS_NR * p->depth;

	room->right = scratch;
	at += round_up(p->columns * p->k * size, 64);
	room->left = scratch + at;
	at += round_up(p->rows * p->depth * size, 64);
	room->result = scratch + at;
	at += round_up(p->rows * p->columns * size, 64);
	room->fetched = scratch + at;
	if (fetched < widest)
		fetched = widest;
	at += round_up(fetched * size, 64);
	room->bias = scratch + at;
	at += round_up(p->columns * size, 64);
	return at;
}

size_t ops_product_scratch(const struct ops_product *p)
{
	struct room room;

	return lay_out(p, NULL, &room);
}

/*
 * Pack @count rows or columns from @outer on, and @depth inner elements from
 * @inner on, into panels of @width, which are @panel bytes apart.
 */
static void pack(const struct ops_product *p, const struct ops_factor *f,
		 const uint8_t *base, uint8_t *dst, unsigned int width,
		 size_t panel, int64_t outer, int64_t count, int64_t inner,
		 int64_t depth, uint8_t *fetched, bool is_left)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	size_t size = g->size;
	int64_t i, k;

	if (f->fetches_outer) {
		for (k = 0; k < depth; k++) {
			f->fetch(f, base, fetched, inner + k, outer, count);
			for (i = 0; i < count; i += width) {
				int64_t now = count - i < width ? count - i :
								  width;
				uint8_t *to = dst + i / width * panel +
					      k * width * size;

				memcpy(to, fetched + i * size, now * size);
				memset(to + now * size, 0, (width - now) * size);
			}
		}
		return;
	}
	for (i = 0; i < count; i += width) {
		int64_t now = count - i < width ? count - i : width;

		for (k = 0; k < now; k++)
			f->fetch(f, base, fetched + k * depth * size, inner,
				 outer + i + k, depth);
		(is_left ? g->pack_left : g->pack_right)(
			dst + i / width * panel, fetched, depth, now);
	}
}

static void pack_right(const struct ops_product *p, const uint8_t *base,
		       const struct room *room, int64_t column, int64_t columns)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	size_t panel = (size_t)p->k * g->columns * g->size;
	int64_t k, depth;

	for (k = 0; k < p->k; k += depth) {
		depth = p->k - k < p->depth ? p->k - k : p->depth;
		pack(p, &p->right, base, room->right + k * g->columns * g->size,
		     g->columns, panel, column, columns, k, depth,
		     room->fetched, false);
	}
}

static void multiply(const struct ops_product *p, const uint8_t *base,
		     const struct room *room, int64_t row, int64_t rows,
		     int64_t columns)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	size_t panel = (size_t)p->k * g->columns * g->size;
	int64_t k, depth, i, j;

	memset(room->result, 0, p->rows * p->columns * g->size);
	for (k = 0; k < p->k; k += depth) {
		depth = p->k - k < p->depth ? p->k - k : p->depth;
		pack(p, &p->left, base, room->left, OPS_MR,
		     depth * OPS_MR * g->size, row, rows, k, depth,
		     room->fetched, true);
		for (j = 0; j < columns; j += g->columns)
			for (i = 0; i < rows; i += OPS_MR)
				g->kernel(room->left + i * depth * g->size,
					  room->right + j / g->columns * panel +
					  k * g->columns * g->size,
					  room->result +
					  (i * p->columns + j) * g->size,
					  p->columns, depth,
					  rows - i < OPS_MR ? rows - i : OPS_MR);
	}
}

#define FINISH(T)							\
	do {								\
		T *to = (T *)row;					\
		const T *add = (const T *)bias;				\
									\
		if (p->alpha != 1)					\
			for (i = 0; i < n; i++)				\
				to[i] *= (T)p->alpha;			\
		if (bias && p->beta == 1)				\
			for (i = 0; i < n; i++)				\
				to[i] += add[i];			\
		else if (bias)						\
			for (i = 0; i < n; i++)				\
				to[i] += (T)p->beta * add[i];		\
	} while (0)

static void finish(const struct ops_product *p, const struct ops_matrices *x,
		   const struct room *room, int64_t row_at, int64_t column,
		   int64_t rows, int64_t n)
{
	size_t size = ops_vec->gemm[p->class].size;
	int64_t r, i;

	for (r = 0; r < rows; r++) {
		uint8_t *row = room->result + r * p->columns * size;
		uint8_t *bias = p->bias_load ? room->bias : NULL;

		if (bias)
			p->bias_load(bias, x->bias +
				     (row_at + r) * p->bias_row +
				     column * p->bias_column,
				     p->bias_column / p->bias_size, n);
		if (p->class == OPS_F)
			FINISH(float);
		else
			FINISH(double);
		p->store(x->out + (row_at + r) * p->out_row +
			 column * p->out_column * p->out_size, p->out_column,
			 row, n);
	}
}

void ops_product_run(const struct ops_product *p, const struct ops_matrices *x,
		     int64_t first, int64_t end, void *scratch)
{
	int64_t high = count_rows(p), packed = -1, at;
	struct room room;

	lay_out(p, scratch, &room);
	for (at = first; at < end; at++) {
		int64_t row = at % high * p->rows;
		int64_t column = at / high * p->columns;
		int64_t rows = p->m - row, columns = p->n - column;

		rows = rows < p->rows ? rows : p->rows;
		columns = columns < p->columns ? columns : p->columns;
		if (packed != column)
			pack_right(p, x->right, &room, column, columns);
		packed = column;
		multiply(p, x->left, &room, row, rows, columns);
		finish(p, x, &room, row, column, rows, columns);
	}
}
