// SPDX-License-Identifier: MIT
/*
 * Counts of n-grams: windows of the input are compared with all n-grams of a
 * length at once. See op.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "op/op.h"

/**
 * struct ngrams - attributes
 * @counts: where the n-grams of each length begin in the pool
 * @lengths: number of @counts
 * @places: where the count of each n-gram goes
 * @total: number of n-grams
 * @pool: elements of the n-grams
 * @size: their number
 * @weights: factors of the counts, or NULL
 * @least: shortest length that counts
 * @most: longest
 * @skips: most elements that are left out between two of an n-gram
 * @mode: TF, IDF or TFIDF
 */
struct ngrams {
	const int64_t *counts, *places, *pool;
	size_t lengths, total, size;
	const float *weights;
	int64_t least, most, skips;
	const char *mode;
};

static const struct graph_attr *list_of(struct build *b, const char *name,
					enum graph_kind kind)
{
	const struct graph_attr *a = graph_attr(b->node, name);

	return a && a->kind == kind ? a : NULL;
}

static int read_ngrams(struct build *b, struct ngrams *g, int64_t *width)
{
	const struct graph_attr *counts, *places, *pool, *weights;
	size_t i;

	counts = list_of(b, "ngram_counts", GRAPH_INTS);
	places = list_of(b, "ngram_indexes", GRAPH_INTS);
	pool = list_of(b, "pool_int64s", GRAPH_INTS);
	weights = list_of(b, "weights", GRAPH_FLOATS);
	if (!counts || !places || !pool ||
	    (weights && weights->count != places->count))
		return build_refuse(b, "only n-grams of integers, with an index each, are supported");
	*g = (struct ngrams){
		.counts = counts->ints, .lengths = counts->count,
		.places = places->ints, .total = places->count,
		.pool = pool->ints, .size = pool->count,
		.weights = weights ? weights->floats : NULL,
		.least = build_attr_int(b, "min_gram_length", 1),
		.most = build_attr_int(b, "max_gram_length", 1),
		.skips = build_attr_int(b, "max_skip_count", 0),
		.mode = build_attr_text(b, "mode", "TF"),
	};
	*width = 0;
	for (i = 0; i < g->total; i++) {
		if (g->places[i] < 0 || g->places[i] >= GRAPH_MAX)
			return build_fail(b, "ngram_indexes: %lld is not possible",
					  (long long)g->places[i]);
		if (g->places[i] >= *width)
			*width = g->places[i] + 1;
	}
	for (i = 0; i < g->lengths; i++)
		if (g->counts[i] < 0 || g->counts[i] > (int64_t)g->size ||
		    (i && g->counts[i] < g->counts[i - 1]))
			return build_fail(b, "ngram_counts: %lld is not possible",
					  (long long)g->counts[i]);
	if (g->skips < 0 || g->skips > 64)
		return build_refuse(b, "max_skip_count: %lld is not supported",
				    (long long)g->skips);
	return 0;
}

/* Add the counts of @n-grams at one distance of elements to @sum. */
static void count_at(struct build *b, const struct build_view *x,
		     const struct build_view *pool, int64_t n, int64_t distance,
		     const struct build_view *sum)
{
	int64_t windows = x->t.dims[1] - (n - 1) * distance, last[] = { 3 };
	int64_t rows = x->t.dims[0], grams = pool->t.dims[0];
	int64_t same[] = { rows, windows, grams, n }, one[] = { 1 };
	struct build_view v = *x, is, all, found;

	if (windows < 1 || !grams)
		return;
	v.t.dims[1] = windows;
	view_insert(&v, 2, 1);
	view_window(&v, 3, n, distance * x->t.strides[1]);
	is = build_temp(b, VNPU_DT_BOOL, 4, same);
	build_op2(b, VNPU_OP_EQ, &v, pool, &is);
	all = build_temp(b, VNPU_DT_BOOL, 3, same);
	build_begin(b, VNPU_OP_ALL);
	build_set_ints(b, "dims", last, 1);
	build_end(b, 1, 1, &is, &all);
	same[1] = grams;
	found = build_temp(b, VNPU_DT_I64, 2, same);
	build_begin(b, VNPU_OP_SUM);
	build_set_ints(b, "dims", one, 1);
	build_end(b, 1, 1, &all, &found);
	build_op2(b, VNPU_OP_ADD, sum, &found, sum);
}

/* Count all n-grams: [rows, total] in the order of the pool. */
static struct build_view count_all(struct build *b, const struct ngrams *g,
				   const struct build_view *x)
{
	int64_t dims[] = { x->t.dims[0], g->total }, first = 0, n, skip;
	struct build_view sums = build_temp(b, VNPU_DT_I64, 2, dims), part;
	struct build_view zero = view_integer(0), pool;

	build_copy(b, &zero, &sums);
	for (n = 1; n <= (int64_t)g->lengths; n++) {
		int64_t end = n < (int64_t)g->lengths ? g->counts[n] :
							(int64_t)g->size;
		int64_t grams = (end - g->counts[n - 1]) / n;
		int64_t shape[] = { grams, n };

		if (grams > (int64_t)g->total - first)
			grams = shape[0] = g->total - first;
		part = sums;
		view_slice(&part, 1, first, grams, 1);
		first += grams;
		if (n < g->least || n > g->most || !grams)
			continue;
		pool = build_const(b, VNPU_DT_I64, 2, shape,
				   g->pool + g->counts[n - 1]);
		for (skip = 0; skip <= (n > 1 ? g->skips : 0); skip++)
			count_at(b, x, &pool, n, skip + 1, &part);
	}
	return sums;
}

int op_ngrams(struct build *b)
{
	struct build_view x = build_in(b, 0), y, sums, out, places, weights;
	struct build_view zero = view_number(0), t;
	int64_t dims[2], width = 0, count;
	struct ngrams g = { .mode = "TF" };

	if (read_ngrams(b, &g, &width) || op_need_rank(b, 0, &x, 1, 2))
		return b->g->err;
	if (x.t.dtype != VNPU_DT_I32 && x.t.dtype != VNPU_DT_I64)
		return build_refuse(b, "type %s is not supported",
				    vnpu_dtype_name(x.t.dtype));
	dims[0] = x.t.dims[0];
	dims[1] = width;
	y = build_out(b, 0, VNPU_DT_F32, x.t.rank, x.t.rank == 1 ? dims + 1 :
		      dims);
	if (build_infers(b))
		return b->g->err;
	out = y;
	if (x.t.rank == 1) {
		view_insert(&x, 0, 1);
		view_insert(&out, 0, 1);
	}
	sums = count_all(b, &g, &x);
	t = build_temp(b, VNPU_DT_F32, 2, sums.t.dims);
	build_copy(b, &sums, &t);
	if (strcmp(g.mode, "TF")) {
		/* IDF: whether there is one; TFIDF: how many. */
		if (!strcmp(g.mode, "IDF"))
			build_op2(b, VNPU_OP_GT, &t, &zero, &t);
		count = g.total;
		if (g.weights) {
			weights = build_const(b, VNPU_DT_F32, 1, &count,
					      g.weights);
			build_op2(b, VNPU_OP_MUL, &t, &weights, &t);
		}
	}
	build_copy(b, &zero, &out);
	places = build_const_ints(b, g.total, g.places);
	build_begin(b, VNPU_OP_PUT);
	build_set_int(b, "dim", 1);
	return build_end(b, 2, 1, &places, &t, &out);
}
