// SPDX-License-Identifier: MIT
/*
 * Gradients of attention. The weights are made again from the largest logit and
 * the sum of each row, which attention has stored. For a panel of OPS_NR rows
 * and a block of keys, with all matrices transposed as in attention.c:
 *
 *	weights = exp(scale * key * query + bias - max) / sum
 *	slopes = weights * (value * grad - dot(grad, out)) * scale
 *
 * so the gradients are sums of products: of value, weights * grad; of key,
 * slopes * query; of query, slopes * key. A part has whole heads of key and
 * value, so each sum has a fixed order.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "attention.h"
#include "families.h"

enum { GRAD, QUERY, KEY, VALUE, OUT, MOST, SUM, BIAS };
enum { BATCH, HEAD, ROW, FEATURE };

/* The inputs as attention has them, which also checks them. */
static int check_forward(struct ops_call *c, struct ops_shape *shapes)
{
	struct vnpu_op_launch l;
	struct ops_call forward = { .l = &l, .op = c->op, .error = c->error };
	unsigned int i;
	int err;

	vnpu_op_init(&l, VNPU_OP_ATTENTION, 5, 1);
	for (i = 0; i < 3; i++)
		l.tensor[i] = c->l->tensor[QUERY + i];
	for (i = 0; i < 2; i++)
		if (ops_in(c->l, BIAS + i))
			l.tensor[3 + i] = c->l->tensor[BIAS + i];
	err = ops_attention_infer(&forward);
	if (err && c->error)
		c->error->argument += c->error->argument < 3 ? QUERY : BIAS - 3;
	memcpy(shapes, forward.out, 3 * sizeof(*shapes));
	return err;
}

int ops_attention_backward_infer(struct ops_call *c)
{
	struct ops_shape shape[3];
	unsigned int i;
	int err;

	err = check_forward(c, shape);
	for (i = 0; !err && i < 3; i++) {
		unsigned int number = i == 0 ? OUT : i == 1 ? MOST : SUM;

		err = ops_need_float(c, number);
		if (!err)
			err = ops_need_shape(c, number, shape[i].rank,
					     shape[i].dims);
		ops_like(&c->out[i], &c->l->tensor[QUERY + i]);
		c->out[i].castable = true;
	}
	if (!err)
		err = ops_need_float(c, GRAD);
	return err ? err : ops_need_shape(c, GRAD, 4, shape[0].dims);
}

/* The parts of the scratch memory, each a multiple of a cache line. */
struct room {
	float *query, *grad, *of_query, *query_rows, *grad_rows;
	float *key, *key_columns, *value, *of_key, *of_value;
	float *weights, *slopes, *fetched, *dots, *most, *factor;
	int32_t *flags;
};

/* Whole panels of OPS_NR, which are also what a right factor has. */
static int64_t wide(int64_t n)
{
	return (n + OPS_NR - 1) / OPS_NR * OPS_NR;
}

static float *take(float **at, int64_t count)
{
	float *from = *at;

	*at += wide(count);
	return from;
}

static size_t lay_out(const struct ops_attention *a, uint8_t *scratch,
		      struct room *room)
{
	int64_t d = a->features, m = a->made, keys = OPS_ATTENTION_KEYS;
	int64_t fetched = OPS_NR * (d > m ? d : m), all = wide(a->keys);
	float *at = (float *)scratch;

	room->query = take(&at, OPS_NR * d);
	room->grad = take(&at, OPS_NR * m);
	room->of_query = take(&at, OPS_NR * OPS_MR * ops_panels(d));
	room->query_rows = take(&at, OPS_NR * wide(d));
	room->grad_rows = take(&at, OPS_NR * wide(m));
	room->weights = take(&at, keys * OPS_NR);
	room->slopes = take(&at, keys * OPS_NR);
	room->dots = take(&at, OPS_NR);
	room->most = take(&at, OPS_NR);
	room->factor = take(&at, OPS_NR);
	room->flags = (int32_t *)take(&at, keys);
	room->fetched = take(&at, fetched > keys ? fetched : keys);
	/* All keys and values of a head, in blocks. */
	room->key = take(&at, (all + OPS_MR * keys) * d);
	room->key_columns = take(&at, all * OPS_MR * ops_panels(d));
	room->value = take(&at, (all + OPS_MR * keys) * m);
	room->of_key = take(&at, all * wide(d));
	room->of_value = take(&at, all * wide(m));
	return (uint8_t *)at - scratch;
}

void ops_attention_backward_plan(struct vnpu_op_job *job)
{
	struct ops_attention *a = (struct ops_attention *)job->plan;
	struct room room;

	ops_attention_shape(&job->launch, QUERY, a);
	if (!a->batches || !a->heads)
		return;
	job->scratch = lay_out(a, NULL, &room);
	job->parts = ops_parts((double)a->batches * a->heads * a->group *
			       a->rows * a->keys * (a->features + a->made),
			       a->batches * a->heads);
}

/* Load rows of a group, OPS_NR floats apart at least, and pack them. */
static void load_rows(const struct ops_attention *a,
		      const struct vnpu_tensor *t,
		      const struct ops_attention_tile *tile, float *rows,
		      float *packed, float *fetched)
{
	int64_t n = t->dims[FEATURE], width = wide(n), i, k;

	ops_attention_pack(a, t, tile->batch, tile->head, tile->row, tile->rows,
			   fetched, packed);
	/* Panels of OPS_NR features, of which the inner dimension are rows. */
	memset(rows, 0, OPS_NR * width * sizeof(float));
	for (i = 0; i < tile->rows; i++)
		for (k = 0; k < n; k++)
			rows[k / OPS_NR * OPS_NR * OPS_NR + i * OPS_NR +
			     k % OPS_NR] = fetched[i * n + k];
}

static float load_single(const struct vnpu_tensor *t, const uint8_t *at)
{
	float x;

	ops_vec->load[t->dtype][OPS_F](&x, at, 1, 1);
	return x;
}

/* Prepare what rows need: packed factors, statistics, dot(grad, out). */
static void load_tile(const struct vnpu_op_job *job,
		      const struct ops_attention_tile *tile,
		      const struct room *room)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	const struct vnpu_tensor *t = job->launch.tensor;
	int64_t r, i;

	memset(room->of_query, 0, OPS_NR * OPS_MR * ops_panels(a->features) *
				  sizeof(float));
	memset(room->factor, 0, OPS_NR * sizeof(float));
	memset(room->most, 0, OPS_NR * sizeof(float));
	memset(room->dots, 0, OPS_NR * sizeof(float));
	load_rows(a, &t[GRAD], tile, room->grad_rows, room->grad, room->fetched);
	for (r = 0; r < tile->rows; r++) {
		double dot = 0;
		float sum, *out = room->fetched;

		ops_vec->load[t[OUT].dtype][OPS_F](out, ops_attention_row(a,
			&t[OUT], tile->batch, tile->head, tile->row + r),
			t[OUT].strides[FEATURE], a->made);
		for (i = 0; i < a->made; i++)
			dot += (double)out[i] * room->grad[i * OPS_NR + r];
		room->dots[r] = dot;
		sum = load_single(&t[SUM], ops_attention_single(a, &t[SUM],
			tile->batch, tile->head, tile->row + r));
		/* Rows that no key is allowed for have no gradient. */
		room->factor[r] = sum == 0 ? 0 : 1 / sum;
		room->most[r] = sum == 0 ? 0 : load_single(&t[MOST],
			ops_attention_single(a, &t[MOST], tile->batch,
					     tile->head, tile->row + r));
	}
	load_rows(a, &t[QUERY], tile, room->query_rows, room->query,
		  room->fetched);
}

/* Make the weights and slopes of a tile. */
static void make_slopes(const struct vnpu_op_job *job,
			const struct ops_attention_tile *tile,
			const struct room *room)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	float scale = JOB_FLOAT(job, 0), given = scale;
	int64_t size = tile->keys * OPS_NR * sizeof(float);

	memset(room->weights, 0, size);
	memset(room->slopes, 0, size);
	ops_attention_multiply(room->key + tile->key * a->features, room->query,
			       room->weights, tile->keys, a->features);
	ops_attention_multiply(room->value + tile->key * a->made, room->grad,
			       room->slopes, tile->keys, a->made);
	if (ops_attention_adjust(job, a, BIAS, tile, room->weights,
				 room->fetched, room->flags))
		given = 1;
	ops_vec->slopes(room->weights, room->slopes, tile->keys, given, scale,
			room->most, room->factor, room->dots);
}

/* Add the products of the rows of a tile to sums [key][feature]. */
static void add_outer(const struct ops_attention_tile *tile, const float *left,
		      const float *rows, float *sums, int64_t n)
{
	const struct ops_left keys = {
		.data = left,
		.row = OPS_NR,
		.inner = 1,
		.panel = OPS_NR * OPS_MR,
	};
	int64_t width = wide(n);
	const struct ops_right panels = {
		.data = rows,
		.panel = OPS_NR * OPS_NR,
		.panels = width / OPS_NR,
	};

	ops_vec->gemm[OPS_F].kernel(&keys, &panels, sums + tile->key * width,
				    width, OPS_NR, tile->keys);
}

static void run_tile(const struct vnpu_op_job *job,
		     struct ops_attention_tile *tile, const struct room *room)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t r, i, width = OPS_MR * ops_panels(a->features);

	load_tile(job, tile, room);
	for (i = 0; i < a->keys; i += OPS_ATTENTION_KEYS) {
		tile->key = i;
		tile->keys = a->keys - i < OPS_ATTENTION_KEYS ?
				     a->keys - i : OPS_ATTENTION_KEYS;
		make_slopes(job, tile, room);
		add_outer(tile, room->weights, room->grad_rows, room->of_value,
			  a->made);
		add_outer(tile, room->slopes, room->query_rows, room->of_key,
			  a->features);
		ops_attention_multiply(room->key_columns + i * width,
				       room->slopes, room->of_query,
				       a->features, tile->keys);
	}
	for (r = 0; out && r < tile->rows; r++) {
		for (i = 0; i < a->features; i++)
			room->fetched[i] = room->of_query[i * OPS_NR + r];
		ops_vec->store[OPS_F][out->dtype](ops_attention_row(a, out,
			tile->batch, tile->head, tile->row + r),
			out->strides[FEATURE], room->fetched, a->features);
	}
}

/* Store the sums [key][feature] of a head. */
static void store_sums(const struct vnpu_tensor *t,
		       const struct ops_attention_tile *tile, const float *sums)
{
	int64_t i, size = ops_size(t->dtype);

	for (i = 0; i < t->dims[ROW]; i++)
		ops_vec->store[OPS_F][t->dtype](ops_data(t) +
			(tile->batch * t->strides[BATCH] +
			 tile->head * t->strides[HEAD] + i * t->strides[ROW]) *
			size, t->strides[FEATURE],
			sums + i * wide(t->dims[FEATURE]), t->dims[FEATURE]);
}

static void run_head(const struct vnpu_op_job *job,
		     struct ops_attention_tile *tile, const struct room *room)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	const struct vnpu_tensor *t = job->launch.tensor;
	int64_t rows = a->group * a->rows, i, n, all = wide(a->keys);

	memset(room->of_key, 0, all * wide(a->features) * sizeof(float));
	memset(room->of_value, 0, all * wide(a->made) * sizeof(float));
	for (i = 0; i < a->keys; i += OPS_ATTENTION_KEYS) {
		n = a->keys - i < OPS_ATTENTION_KEYS ? a->keys - i :
						       OPS_ATTENTION_KEYS;
		ops_attention_pack_rows(&t[KEY], tile->batch, tile->head, i, n,
					room->fetched,
					room->key + i * a->features);
		ops_attention_pack_columns(&t[KEY], tile->batch, tile->head, i,
					   n, room->fetched, room->key_columns +
					   i * OPS_MR * ops_panels(a->features));
		ops_attention_pack_rows(&t[VALUE], tile->batch, tile->head, i,
					n, room->fetched,
					room->value + i * a->made);
	}
	for (i = 0; i < rows; i += OPS_NR) {
		tile->row = i;
		tile->rows = rows - i < OPS_NR ? rows - i : OPS_NR;
		run_tile(job, tile, room);
	}
	if (ops_out(&job->launch, 1))
		store_sums(ops_out(&job->launch, 1), tile, room->of_key);
	if (ops_out(&job->launch, 2))
		store_sums(ops_out(&job->launch, 2), tile, room->of_value);
}

int ops_attention_backward_run(const struct vnpu_op_job *job,
			       const struct vnpu_op_work *w)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	struct ops_attention_tile tile;
	struct room room;
	int64_t at, end;

	if (!a->batches || !a->heads)
		return 0;
	lay_out(a, w->scratch, &room);
	ops_share(w, a->batches * a->heads, 1, &at, &end);
	for (; at < end; at++) {
		tile.batch = at / a->heads;
		tile.head = at % a->heads;
		run_head(job, &tile, &room);
	}
	return 0;
}
