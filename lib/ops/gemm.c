// SPDX-License-Identifier: MIT
/*
 * Products of matrices. See gemm.h.
 *
 * The result is cut into blocks. For each, the columns of the right factor are
 * packed once, and kept for the blocks below; the rows of the left factor are
 * packed in pieces of the inner dimension, and kept if all blocks have the same
 * ones. Conversions happen when elements are fetched, so all types, strides and
 * quantisations are one path; elements that need none are packed from where they
 * are.
 *
 * Packing costs more than it gains if the product has few rows. Then elements of
 * the right factor are used as they are fetched, or where they are.
 */
#include <string.h>

#include "gemm.h"

#define BLOCK_ROWS	OPS_LINE_ROWS
#define BLOCK_DEPTH	256
/* Size of the packed right factor, in bytes, and the fewest columns. */
#define BLOCK_RIGHT	(1 << 20)
/* The most bytes of a packed left factor that is kept for all blocks. */
#define BLOCK_LEFT	(1 << 19)
/* The most columns for which the left factor is not packed, if it need not be. */
#define SPARE		64

/* The most rows of a product that is not packed. */
#define FEW		4
/* Columns of its blocks, if they are added by rows, or are dot products. */
#define FEW_ADD		512
#define FEW_DOT		64
/* Elements of a dot product that are fetched at once. */
#define SPAN		(64 * OPS_DOT)

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

/* Make it the transposed product. */
static void swap(struct ops_product *p)
{
	struct ops_factor keep = p->left;
	int64_t m = p->m, row = p->out_row, bias_row = p->bias_row;

	p->left = p->right;
	p->right = keep;
	p->m = p->n;
	p->n = m;
	p->out_row = p->out_column * p->out_size;
	p->out_column = row / p->out_size;
	if (p->bias_load) {
		p->bias_row = p->bias_column;
		p->bias_column = bias_row;
	}
}

void ops_product_init(struct ops_product *p)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	int64_t most = BLOCK_RIGHT / (int64_t)g->size / (p->k ? p->k : 1);

	p->is_swapped = p->m > FEW && p->n <= FEW;
	if (p->is_swapped)
		swap(p);
	p->keeps_left = false;
	if (p->m <= FEW) {
		p->rows = p->m;
		p->depth = p->k;
		p->columns = p->right.fetches_outer ? FEW_ADD : FEW_DOT;
		if (p->columns > p->n)
			p->columns = p->n;
		return;
	}
	p->rows = BLOCK_ROWS;
	if (p->rows > round_up(p->m, OPS_MR))
		p->rows = round_up(p->m, OPS_MR);
	p->depth = p->k < BLOCK_DEPTH ? p->k : BLOCK_DEPTH;
	p->keeps_left = p->rows >= p->m &&
			p->rows * p->k * (int64_t)g->size <= BLOCK_LEFT;
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

/*
 * Distance of panels of the right factor, in elements. It is an odd number of
 * rows, so that rows of neighbours do not share a set of the cache.
 */
static int64_t panel_of(const struct ops_product *p)
{
	return (p->k | 1) * ops_vec->gemm[p->class].columns;
}

static size_t lay_out(const struct ops_product *p, uint8_t *scratch,
		      struct room *room)
{
	size_t size = ops_vec->gemm[p->class].size, at = 0;
	int64_t widest = p->columns > p->rows ? p->columns : p->rows;
	int64_t fetched = OPS_NR * p->depth;

	room->right = scratch;
	if (p->m <= FEW) {
		fetched = p->right.fetches_outer ? OPS_ADD * p->columns : SPAN;
		widest = FEW;
	} else {
		at += round_up(p->columns * (p->k | 1) * size, 64);
	}
	room->left = scratch + at;
	at += round_up(p->rows * (p->keeps_left ? p->k : p->depth) * size, 64);
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

/* Check whether the elements of a factor can be used where they are. */
static bool is_in_place(const struct ops_product *p, const struct ops_factor *f)
{
	unsigned int type = p->class == OPS_F ? VNPU_DT_F32 : VNPU_DT_F64;

	return f->fetch == fetch_view &&
	       f->load == ops_vec->load[type][p->class] &&
	       (f->fetches_outer ? f->outer : f->inner) == f->size;
}

/*
 * Pack @count rows or columns from @outer on, and @depth inner elements from
 * @inner on, into panels that are @panel elements apart.
 */
static void pack(const struct ops_product *p, const struct ops_factor *f,
		 const uint8_t *base, uint8_t *dst, int64_t panel, int64_t outer,
		 int64_t count, int64_t inner, int64_t depth, uint8_t *fetched,
		 bool is_left)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	int64_t width = is_left ? OPS_MR : g->columns;
	bool in_place = is_in_place(p, f);
	const uint8_t *src = fetched;
	size_t size = g->size;
	int64_t i, k;

	for (k = 0; k < depth && f->fetches_outer; k++) {
		if (in_place)
			src = base + (inner + k) * f->inner + outer * size;
		else
			f->fetch(f, base, fetched, inner + k, outer, count);
		(is_left ? g->pack->spread_left : g->pack->spread_right)(
			dst + k * width * size, panel, src, count);
	}
	in_place = in_place && f->outer % f->size == 0;
	for (i = 0; i < count && !f->fetches_outer; i += width) {
		int64_t now = count - i < width ? count - i : width;

		if (in_place)
			src = base + (outer + i) * f->outer + inner * size;
		for (k = 0; k < now && !in_place; k++)
			f->fetch(f, base, fetched + k * depth * size, inner,
				 outer + i + k, depth);
		(is_left ? g->pack->left : g->pack->right)(
			dst + i / width * panel * size, src,
			in_place ? f->outer / f->size : depth, depth, now);
	}
}

void ops_product_pack_left(const struct ops_product *p, const uint8_t *base,
			   void *dst, int64_t row, int64_t rows, int64_t k,
			   int64_t depth, void *fetched)
{
	pack(p, &p->left, base, dst, depth * OPS_MR, row, rows, k, depth,
	     fetched, true);
}

static void pack_right(const struct ops_product *p, const uint8_t *base,
		       const struct room *room, int64_t column, int64_t columns)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	int64_t k, depth;

	for (k = 0; k < p->k; k += depth) {
		depth = p->k - k < p->depth ? p->k - k : p->depth;
		pack(p, &p->right, base, room->right + k * g->columns * g->size,
		     panel_of(p), column, columns, k, depth, room->fetched,
		     false);
	}
}

/*
 * Whether packing the left factor costs more than it gains: each element is used
 * for few panels of columns only.
 */
static bool is_left_in_place(const struct ops_product *p, int64_t columns)
{
	const struct ops_factor *f = &p->left;

	return columns <= SPARE && is_in_place(p, f) && !f->fetches_outer &&
	       f->outer % f->size == 0;
}

/* Pack a block of the left factor unless it is kept, or find where it is. */
static struct ops_left place_left(const struct ops_product *p,
				  const uint8_t *base, const struct room *room,
				  int64_t row, int64_t rows, int64_t columns,
				  int64_t k, int64_t depth, bool is_first)
{
	const struct ops_factor *f = &p->left;
	uint8_t *to = room->left;

	if (is_left_in_place(p, columns))
		return (struct ops_left){
			.data = base + row * f->outer + k * f->inner,
			.row = f->outer / f->size,
			.inner = 1,
			.panel = f->outer / f->size * OPS_MR,
		};
	if (p->keeps_left)
		to += p->rows * k * ops_vec->gemm[p->class].size;
	if (!p->keeps_left || is_first)
		ops_product_pack_left(p, base, to, row, rows, k, depth,
				      room->fetched);
	return ops_left_packed(to, depth);
}

static void multiply(const struct ops_product *p, const uint8_t *base,
		     const struct room *room, int64_t row, int64_t rows,
		     int64_t columns, bool is_first)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	struct ops_right right = {
		.panel = panel_of(p),
		.panels = (columns + g->columns - 1) / g->columns,
	};
	int64_t k, depth;

	memset(room->result, 0, p->rows * p->columns * g->size);
	for (k = 0; k < p->k; k += depth) {
		struct ops_left left;

		depth = p->k - k < p->depth ? p->k - k : p->depth;
		left = place_left(p, base, room, row, rows, columns, k, depth,
				  is_first);
		right.data = room->right + k * g->columns * g->size;
		g->kernel(&left, &right, room->result, p->columns, depth, rows);
	}
}

/* Load all rows of the left factor. */
static void load_left(const struct ops_product *p, const uint8_t *base,
		      const struct room *room)
{
	const struct ops_factor *f = &p->left;
	size_t size = ops_vec->gemm[p->class].size;
	int64_t i, r;

	for (r = 0; r < p->m && !f->fetches_outer; r++)
		f->fetch(f, base, room->left + r * p->k * size, 0, r, p->k);
	for (i = 0; i < p->k && f->fetches_outer; i++) {
		f->fetch(f, base, room->fetched, i, 0, p->m);
		for (r = 0; r < p->m; r++)
			memcpy(room->left + (r * p->k + i) * size,
			       room->fetched + r * size, size);
	}
}

#define SUM_LANES(T)							\
	do {								\
		T *lane = (T *)lanes;					\
									\
		for (n = OPS_DOT / 2; n; n /= 2)			\
			for (i = 0; i < n; i++)				\
				lane[i] += lane[i + n];			\
		memcpy(result, lane, sizeof(T));			\
	} while (0)

static void sum_lanes(enum ops_class class, void *lanes, uint8_t *result)
{
	unsigned int n, i;

	if (class == OPS_F)
		SUM_LANES(float);
	else
		SUM_LANES(double);
}

/* Multiply all rows with a column. */
static void multiply_column(const struct ops_product *p, const uint8_t *base,
			    const struct room *room, int64_t column,
			    uint8_t *result)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	const struct ops_factor *f = &p->right;
	double lanes[FEW][OPS_DOT] = { 0 };
	bool in_place = is_in_place(p, f);
	int64_t k, n, r;

	for (k = 0; k < p->k; k += n) {
		const uint8_t *at = room->fetched;

		n = in_place || p->k - k < SPAN ? p->k - k : SPAN;
		if (in_place)
			at = base + k * f->inner + column * f->outer;
		else
			f->fetch(f, base, room->fetched, k, column, n);
		for (r = 0; r < p->m; r++)
			g->dot(room->left + (r * p->k + k) * g->size,
			       at, lanes[r], n);
	}
	for (r = 0; r < p->m; r++)
		sum_lanes(p->class, lanes[r], result + r * p->columns * g->size);
}

/* Add the rows of the right factor to columns of the result. */
static void add_rows(const struct ops_product *p, const uint8_t *base,
		     const struct room *room, int64_t column, int64_t columns)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	const struct ops_factor *f = &p->right;
	bool in_place = is_in_place(p, f) && f->inner % f->size == 0;
	int64_t k, now, r;

	for (k = 0; k < p->k; k += now) {
		const uint8_t *at = room->fetched;

		if (in_place)
			at = base + k * f->inner + column * f->outer;
		now = p->k - k < OPS_ADD ? p->k - k : OPS_ADD;
		for (r = 0; r < now && !in_place; r++)
			f->fetch(f, base, room->fetched + r * columns * g->size,
				 k + r, column, columns);
		for (r = 0; r < p->m; r++)
			g->add(room->left + (r * p->k + k) * g->size, at,
			       room->result + r * p->columns * g->size,
			       in_place ? f->inner / f->size : columns, columns,
			       now);
	}
}

static void multiply_few(const struct ops_product *p, const uint8_t *base,
			 const struct room *room, int64_t column,
			 int64_t columns)
{
	size_t size = ops_vec->gemm[p->class].size;
	int64_t i;

	memset(room->result, 0, p->rows * p->columns * size);
	if (p->right.fetches_outer)
		add_rows(p, base, room, column, columns);
	for (i = 0; i < columns && !p->right.fetches_outer; i++)
		multiply_column(p, base, room, column + i,
				room->result + i * size);
}

bool ops_product_is_plain(const struct ops_product *p)
{
	unsigned int type = p->class == OPS_F ? VNPU_DT_F32 : VNPU_DT_F64;

	return p->out_column == 1 && p->store == ops_vec->store[p->class][type];
}

static void finish(const struct ops_product *p, const struct ops_matrices *x,
		   const struct room *room, int64_t row_at, int64_t column,
		   int64_t rows, int64_t n)
{
	const struct ops_gemm *g = &ops_vec->gemm[p->class];
	const struct ops_finish end = {
		.alpha = p->alpha,
		.beta = p->beta,
		.least = p->clamps ? p->least : -INFINITY,
		.most = p->clamps ? p->most : INFINITY,
	};
	uint8_t *bias = p->bias_load ? room->bias : NULL;
	bool is_one = !p->bias_column;
	int64_t r;

	for (r = 0; r < rows; r++) {
		uint8_t *row = room->result + r * p->columns * g->size;
		uint8_t *out = x->out + (row_at + r) * p->out_row +
			       column * p->out_column * p->out_size;

		if (bias)
			p->bias_load(bias, x->bias +
				     (row_at + r) * p->bias_row +
				     column * p->bias_column,
				     p->bias_column / p->bias_size,
				     is_one ? 1 : n);
		g->finish(&end, bias, is_one, row, ops_product_is_plain(p) ? out : row, n);
		if (!ops_product_is_plain(p))
			p->store(out, p->out_column, row, n);
	}
}

void ops_product_run(const struct ops_product *p, const struct ops_matrices *x,
		     int64_t first, int64_t end, void *scratch)
{
	const uint8_t *left = p->is_swapped ? x->right : x->left;
	const uint8_t *right = p->is_swapped ? x->left : x->right;
	int64_t high = count_rows(p), packed = -1, at;
	struct room room;

	lay_out(p, scratch, &room);
	if (p->m <= FEW && first < end)
		load_left(p, left, &room);
	for (at = first; at < end; at++) {
		int64_t row = at % high * p->rows;
		int64_t column = at / high * p->columns;
		int64_t rows = p->m - row, columns = p->n - column;

		rows = rows < p->rows ? rows : p->rows;
		columns = columns < p->columns ? columns : p->columns;
		if (p->m <= FEW) {
			multiply_few(p, right, &room, column, columns);
		} else {
			if (packed != column)
				pack_right(p, right, &room, column, columns);
			packed = column;
			multiply(p, left, &room, row, rows, columns,
				 at == first);
		}
		finish(p, x, &room, row, column, rows, columns);
	}
}
