// SPDX-License-Identifier: MIT
/*
 * Convolutions that pack no windows. For each input channel and column of the
 * window, the function makes a line: the rows of the input one after the other, as
 * the positions of that column find them. All rows of the window read the same
 * line, at distances of whole rows, so the loops of the product need no copy of
 * it. With a stride, a line only has the rows that a row of the window needs. If
 * the window has one element, the channels of a dense input are the lines.
 *
 * The loops accumulate in the result, and add the bias and apply the limits
 * with the last inner elements. They add in the order of the weight, so the result
 * has the same bits as that of ops_product_run().
 */
#include <math.h>
#include <string.h>

#include "conv.h"

enum { ROW = 1, COLUMN };

/* The most columns of a block, and bytes of lines if there are more than a few. */
#define BLOCK_COLUMNS	512
#define FEW_COLUMNS	256
#define BLOCK_LINES	(768 << 10)
/* The most bytes of lines. */
#define LINES		(4 << 20)

/* The parts of the scratch memory. */
struct room {
	float *lines, *bias, *fetched, *left;
	int64_t *at, *last_at;
};

static int64_t count_lines(const struct ops_conv *v)
{
	return v->in_channels * v->g.kernel[COLUMN] * v->lined.kinds;
}

static int64_t width_of(const struct ops_conv *v, int64_t rows)
{
	/*
	 * An odd number of cache lines, so that they do not share a set. A panel
	 * that is read beyond them has other elements of the scratch memory.
	 */
	return (((rows + v->lined.below) * v->g.out[COLUMN] + OPS_NR) / OPS_NR |
		1) * OPS_NR;
}

/* Choose the rows of a block: few columns are to be left beside whole panels. */
static int64_t choose_rows(const struct ops_conv *v)
{
	int64_t most = BLOCK_LINES / (int64_t)sizeof(float) / count_lines(v);
	int64_t wide = v->g.out[COLUMN], rows, best = 1, least = OPS_NR * OPS_NR;

	for (rows = 1; rows <= v->g.out[ROW]; rows++) {
		int64_t waste = (-rows * wide & (OPS_NR - 1)) * OPS_NR / rows;

		if (rows > 1 && (rows * wide > BLOCK_COLUMNS ||
				 (rows * wide > FEW_COLUMNS &&
				  width_of(v, rows) > most)))
			return best;
		if (waste > least)
			continue;
		least = waste;
		best = rows;
	}
	return v->g.out[ROW];
}

/* Choose the blocks, and check that their lines fit. */
static bool measure(struct ops_conv *v)
{
	const int64_t most = LINES / (int64_t)sizeof(float);
	const struct ops_window *g = &v->g;
	int64_t reach = (g->kernel[ROW] - 1) * g->dilation[ROW];

	v->lined.kinds = g->stride[ROW] < g->kernel[ROW] ? g->stride[ROW] :
							   g->kernel[ROW];
	v->lined.below = reach / g->stride[ROW];
	/* The sizes of larger lines could overflow. */
	if (g->out[COLUMN] > most || v->lined.below > most / g->out[COLUMN])
		return false;
	v->lined.rows = choose_rows(v);
	v->lined.width = width_of(v, v->lined.rows);
	v->lined.columns = v->lined.rows * g->out[COLUMN];
	return count_lines(v) <= most / v->lined.width;
}

static bool is_flat(const struct ops_window *g)
{
	return g->kernel[0] == 1 && g->out[0] == 1 && g->in[0] == 1 &&
	       g->stride[0] == 1 && !g->pad[0];
}

/* Check whether channels of the input are lines: they are read where they are. */
static bool has_channels(const struct ops_conv *v)
{
	return ops_conv_has_points(v) &&
	       v->product.right.load == ops_vec->load[VNPU_DT_F32][OPS_F] &&
	       v->in_space[COLUMN] == sizeof(float) &&
	       v->in_channel % (int64_t)sizeof(float) == 0;
}

enum ops_conv_way ops_conv_choose_lines(struct ops_conv *v)
{
	const struct ops_product *p = &v->product;
	const struct ops_window *g = &v->g;

	if (p->class != OPS_F || p->m < OPS_MR || p->n < OPS_MR || !p->k ||
	    g->transposed || v->by_rows || !ops_product_is_plain(p))
		return OPS_CONV_PRODUCT;
	v->lined.columns = BLOCK_COLUMNS;
	if (has_channels(v))
		return OPS_CONV_CHANNELS;
	if (!is_flat(g) || (g->stride[ROW] > 1 && g->dilation[ROW] > 1))
		return OPS_CONV_PRODUCT;
	return measure(v) ? OPS_CONV_LINES : OPS_CONV_PRODUCT;
}

static int64_t count_rows(const struct ops_product *p)
{
	return (p->m + OPS_LINE_ROWS - 1) / OPS_LINE_ROWS;
}

int64_t ops_conv_line_blocks(const struct ops_conv *v)
{
	int64_t columns = v->lined.columns;

	return count_rows(&v->product) * ((v->product.n + columns - 1) / columns);
}

/* Check whether the weight is read where it is. */
static bool has_packed_floats(const struct ops_conv *v)
{
	return v->is_packed &&
	       v->product.left.load == ops_vec->load[VNPU_DT_F32][OPS_F];
}

/* Elements of a block of the left factor that is packed. */
static int64_t left_size(const struct ops_conv *v)
{
	const struct ops_product *p = &v->product;

	if (has_packed_floats(v))
		return 0;
	return p->rows * (p->keeps_left ? p->k : p->depth);
}

static size_t lay_out(const struct ops_conv *v, float *scratch,
		      struct room *room)
{
	const struct ops_product *p = &v->product;
	const int64_t wide = sizeof(*room->at) / sizeof(*scratch);
	int64_t at = 0;

	room->lines = scratch;
	at += v->way == OPS_CONV_CHANNELS ? p->k * OPS_NR :
					    count_lines(v) * v->lined.width;
	room->bias = scratch + at;
	at += (OPS_LINE_ROWS + OPS_NR - 1) / OPS_NR * OPS_NR;
	room->fetched = scratch + at;
	at += OPS_NR * p->depth;
	room->at = (int64_t *)(scratch + at);
	at += p->k * wide;
	room->last_at = (int64_t *)(scratch + at);
	at += p->depth * wide;
	room->left = scratch + (at + OPS_NR - 1) / OPS_NR * OPS_NR;
	at += left_size(v) + OPS_NR;
	return at * sizeof(*scratch);
}

size_t ops_conv_lines_scratch(const struct ops_conv *v)
{
	struct room room;

	return lay_out(v, NULL, &room);
}

/* Find the line of each inner element, and its place in it. */
static void find_lines(const struct ops_conv *v, const struct room *room)
{
	const struct ops_window *g = &v->g;
	int64_t *at = room->at, channel, row, column;

	for (row = 0; row < v->product.depth; row++)
		room->last_at[row] = row * OPS_NR;
	if (v->way == OPS_CONV_CHANNELS) {
		for (row = 0; row < v->product.k; row++)
			at[row] = row * (v->in_channel / (int64_t)sizeof(float));
		return;
	}
	for (channel = 0; channel < v->in_channels; channel++)
		for (row = 0; row < g->kernel[ROW]; row++)
			for (column = 0; column < g->kernel[COLUMN]; column++) {
				int64_t from = row * g->dilation[ROW];
				int64_t line = channel * g->kernel[COLUMN] + column;

				line = line * v->lined.kinds + from % g->stride[ROW];
				*at++ = line * v->lined.width +
					from / g->stride[ROW] * g->out[COLUMN];
			}
}

/* The positions from *@first to below *@end have an element inside the input. */
static void find_inside(int64_t in, int64_t at, int64_t stride, int64_t count,
			int64_t *first, int64_t *end)
{
	*first = at < 0 ? (-at + stride - 1) / stride : 0;
	*end = at < in ? (in - 1 - at) / stride + 1 : 0;
	*first = *first < count ? *first : count;
	*end = *end < *first ? *first : *end < count ? *end : count;
}

/*
 * Load @rows rows of a line of @width elements: @src is the first element of the
 * channel, @top the row of the input of the first one, which may be outside, and
 * @left its column.  Elements behind the rows become 0.
 */
static void load_line(const struct ops_conv *v, const uint8_t *src, float *to,
		      int64_t width, int64_t top, int64_t left, int64_t rows)
{
	const struct ops_factor *f = &v->product.right;
	const struct ops_window *g = &v->g;
	int64_t wide = g->out[COLUMN], first, end, from, until, y, x;
	bool is_float = f->load == ops_vec->load[VNPU_DT_F32][OPS_F];
	int64_t row = v->in_space[ROW] * g->stride[ROW];
	int64_t step = v->in_space[COLUMN] / f->size * g->stride[COLUMN];

	find_inside(g->in[ROW], top, g->stride[ROW], rows, &first, &end);
	find_inside(g->in[COLUMN], left, g->stride[COLUMN], wide, &from, &until);
	if (from == until)
		first = end = 0;
	memset(to, 0, first * wide * sizeof(*to));
	memset(to + end * wide, 0, (width - end * wide) * sizeof(*to));
	if (first == end)
		return;
	src += (top + first * g->stride[ROW]) * v->in_space[ROW] +
	       (left + from * g->stride[COLUMN]) * v->in_space[COLUMN];
	to += first * wide;
	if (is_float && row % (int64_t)sizeof(float) == 0) {
		ops_vec->plane->rows(to + from, wide, (const float *)src,
				     row / (int64_t)sizeof(float), step,
				     until - from, end - first);
	} else {
		for (y = 0; y < end - first; y++)
			f->load(to + y * wide + from, src + y * row, step,
				until - from);
	}
	for (y = first; y < end; y++, to += wide) {
		for (x = 0; x < from; x++)
			to[x] = 0;
		for (x = until; x < wide; x++)
			to[x] = 0;
	}
}

/* Load the lines for a block of positions that begins at row @y. */
static void load_lines(const struct ops_conv *v, const uint8_t *src,
		       float *to, int64_t y)
{
	const struct ops_window *g = &v->g;
	int64_t width = v->lined.width, channel, column, kind;
	int64_t rows = g->out[ROW] - y < v->lined.rows ? g->out[ROW] - y :
							 v->lined.rows;

	for (channel = 0; channel < v->in_channels; channel++)
		for (column = 0; column < g->kernel[COLUMN]; column++)
			for (kind = 0; kind < v->lined.kinds; kind++, to += width)
				load_line(v, src + channel * v->in_channel, to,
					  width, y * g->stride[ROW] + kind -
						 g->pad[ROW],
					  column * g->dilation[COLUMN] -
					  g->pad[COLUMN], rows + v->lined.below);
}

/* Copy the columns of channels behind the last whole panel. */
static void load_last(const struct ops_conv *v, const uint8_t *src, float *to,
		      int64_t columns)
{
	int64_t k;

	for (k = 0; k < v->product.k; k++, src += v->in_channel, to += OPS_NR) {
		memset(to, 0, OPS_NR * sizeof(*to));
		memcpy(to, src, columns * sizeof(*to));
	}
}

/**
 * struct block - a block of the result
 * @product: the product; its left factor has a place
 * @x: its matrices
 * @row: the first row
 * @rows: number of rows
 * @column: the first column
 * @columns: number of columns
 * @is_packed: the left factor is packed, if that of the product is kept
 */
struct block {
	const struct ops_product *product;
	struct ops_matrices x;
	int64_t row;
	int64_t rows;
	int64_t column;
	int64_t columns;
	bool is_packed;
};

static void load_block(const struct ops_conv *v, const struct block *b,
		       const struct room *room)
{
	int64_t whole = b->columns / OPS_NR * OPS_NR;

	if (v->way == OPS_CONV_LINES)
		load_lines(v, b->x.right, room->lines,
			   b->column / v->g.out[COLUMN]);
	else if (whole < b->columns)
		load_last(v, b->x.right + (b->column + whole) * sizeof(float),
			  room->lines, b->columns - whole);
}

static void load_bias(const struct ops_conv *v, const struct block *b, float *to)
{
	const struct ops_product *p = &v->product;
	int64_t i;

	if (p->bias_load)
		p->bias_load(to, b->x.bias + b->row * p->bias_row,
			     p->bias_row / p->bias_size, b->rows);
	for (i = 0; i < b->rows && !p->bias_load; i++)
		to[i] = -0.0f;
}

/* Add the products of the inner elements from @k on. */
static void add(const struct ops_conv *v, const struct block *b,
		const struct room *room, struct ops_sums *sums,
		const struct ops_left *left, int64_t k, int64_t depth)
{
	void (*lines)(const struct ops_left *, const struct ops_right *,
		      const struct ops_sums *, int64_t, unsigned int, int64_t) =
		ops_vec->gemm[OPS_F].lines;
	struct ops_right right = { .data = room->lines, .at = room->at + k };
	int64_t whole = b->columns;

	if (v->way == OPS_CONV_CHANNELS) {
		right.data = b->x.right + b->column * sizeof(float);
		whole = whole / OPS_NR * OPS_NR;
	}
	lines(left, &right, sums, depth, b->rows, whole);
	if (whole == b->columns)
		return;
	right.data = room->lines + k * OPS_NR;
	right.at = room->last_at;
	sums->data += whole;
	lines(left, &right, sums, depth, b->rows, b->columns - whole);
	sums->data -= whole;
}

/* Find inner elements of the left factor, or pack them unless they are kept. */
static struct ops_left place_left(const struct ops_conv *v,
				  const struct block *b, const struct room *room,
				  int64_t k, int64_t depth)
{
	const struct ops_product *p = b->product;
	float *to = room->left;

	if (has_packed_floats(v)) {
		const float *data = (const float *)b->x.left + b->row * p->k;
		struct ops_left left = {
			data + k * OPS_MR, 1, OPS_MR, p->k * OPS_MR, NULL,
		};

		if (k + depth < p->k)
			left.next = data + (k + depth) * OPS_MR;
		else if (b->row + b->rows < p->m)
			left.next = data + b->rows * p->k;
		return left;
	}
	if (p->keeps_left)
		to += p->rows * k;
	if (!b->is_packed)
		ops_product_pack_left(p, b->x.left, to, b->row, b->rows, k,
				      depth, room->fetched);
	return ops_left_packed(to, depth);
}

static void run_block(const struct ops_conv *v, const struct block *b,
		      const struct room *room)
{
	const struct ops_product *p = b->product;
	struct ops_sums sums = {
		.data = (float *)(b->x.out + b->row * p->out_row) + b->column,
		.stride = p->out_row / p->out_size,
		.bias = room->bias,
		.least = p->clamps ? p->least : -INFINITY,
		.most = p->clamps ? p->most : INFINITY,
	};
	int64_t k, depth;

	load_bias(v, b, room->bias);
	for (k = 0; k < p->k; k += depth) {
		struct ops_left left;

		depth = p->k - k < p->depth ? p->k - k : p->depth;
		left = place_left(v, b, room, k, depth);
		sums.is_first = !k;
		sums.is_last = k + depth >= p->k;
		add(v, b, room, &sums, &left, k, depth);
	}
}

void ops_conv_run_lines(const struct vnpu_op_job *job,
			const struct vnpu_op_work *w)
{
	const struct ops_conv *v = (const struct ops_conv *)job->plan;
	struct ops_product p = v->product;
	struct ops_conv_place place = { .conv = v };
	int64_t high = count_rows(&p), wide = v->lined.columns;
	int64_t blocks = ops_conv_line_blocks(v), at, end, loaded = -1;
	struct block b = { .product = &p };
	struct room room;

	p.left.data = &place;
	lay_out(v, w->scratch, &room);
	find_lines(v, &room);
	ops_share(w, v->batches * v->groups * blocks, 1, &at, &end);
	for (; at < end; at++) {
		int64_t unit = at / blocks, column = at / high;

		b.is_packed = loaded >= 0 && p.keeps_left &&
			      loaded / (blocks / high) % v->groups ==
			      unit % v->groups;
		ops_conv_place(job, unit, &b.x);
		b.row = at % high * OPS_LINE_ROWS;
		b.rows = p.m - b.row < OPS_LINE_ROWS ? p.m - b.row :
							 OPS_LINE_ROWS;
		b.column = at % blocks / high * wide;
		b.columns = p.n - b.column < wide ? p.n - b.column : wide;
		if (loaded != column)
			load_block(v, &b, &room);
		loaded = column;
		run_block(v, &b, &room);
	}
}
