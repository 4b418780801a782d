// SPDX-License-Identifier: MIT
/*
 * Attention: softmax(scale * query * key^T + bias) * value, for batches and
 * heads. Several heads of the query may share one of key and value: their rows
 * are taken together.
 *
 * A block of rows meets the keys in blocks, so the matrix of all logits never
 * exists. Both products are made transposed, for panels of OPS_NR rows: the
 * logits, [key][row], then have the layout of a packed factor of the second one,
 * and the softmax has no sums across lanes. Rows that no key is allowed for
 * become 0.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "attention.h"
#include "families.h"

/* Bytes of a block, in two packed matrices, and the most rows. */
#define BLOCK		(512 << 10)
#define MOST_ROWS	512

enum { BATCH, HEAD, ROW, FEATURE };

int ops_attention_infer(struct ops_call *c)
{
	const struct vnpu_tensor *q = &c->l->tensor[0], *k = &c->l->tensor[1];
	const struct vnpu_tensor *v = &c->l->tensor[2];
	int64_t full[4];
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < 3; i++) {
		err = ops_need_rank(c, i, 4, 4);
		if (!err)
			err = ops_need_float(c, i);
	}
	if (err)
		return err;
	if (k->dims[BATCH] != q->dims[BATCH] ||
	    k->dims[FEATURE] != q->dims[FEATURE] || !k->dims[HEAD] ||
	    q->dims[HEAD] % k->dims[HEAD])
		return ops_fail(c, 1, -EINVAL, "shape %s does not match query %s",
				OPS_TDIMS(k), OPS_TDIMS(q));
	if (memcmp(v->dims, k->dims, 3 * sizeof(*v->dims)))
		return ops_fail(c, 2, -EINVAL, "shape %s does not match key %s",
				OPS_TDIMS(v), OPS_TDIMS(k));
	for (i = 0; i < 3; i++) {
		ops_like(&c->out[i], q);
		c->out[i].castable = true;
	}
	c->out[1].dtype = c->out[2].dtype = VNPU_DT_F32;
	c->out[1].rank = c->out[2].rank = 3;
	c->out[0].dims[FEATURE] = v->dims[FEATURE];
	/* Bias and mask expand to [batch, head, row, key]. */
	memcpy(full, q->dims, sizeof(full));
	full[3] = k->dims[ROW];
	for (i = 3; !err && i < 5; i++)
		if (ops_in(c->l, i))
			err = ops_need_expand(c, i, 4, full);
	if (!err && ops_in(c->l, 3))
		err = ops_need_float(c, 3);
	if (!err && ops_in(c->l, 4) &&
	    vnpu_dtype_is_float(c->l->tensor[4].dtype))
		err = ops_fail(c, 4, -EINVAL, "expected bool or integers, given %s",
			       vnpu_dtype_name(c->l->tensor[4].dtype));
	return err;
}

/* The parts of the scratch memory, each a multiple of a cache line. */
struct room {
	float *query, *result, *key, *value, *logits, *fetched;
	struct ops_softmax *state;
	int32_t *flags;
};

static size_t lay_out(const struct ops_attention *a, uint8_t *scratch,
		      struct room *room)
{
	int64_t panels = a->block / OPS_NR, fetched = OPS_NR * a->features;
	float *at = (float *)scratch;

	if (fetched < OPS_ATTENTION_KEYS)
		fetched = OPS_ATTENTION_KEYS;
	if (fetched < a->made)
		fetched = a->made;
	fetched = (fetched + OPS_NR - 1) / OPS_NR * OPS_NR;
	room->query = at;
	at += a->block * a->features;
	room->result = at;
	at += a->block * ops_panels(a->made) * OPS_MR;
	room->logits = at;
	at += OPS_ATTENTION_KEYS * OPS_NR;
	room->state = (struct ops_softmax *)at;
	at += panels * 2 * OPS_NR;
	room->fetched = at;
	at += fetched;
	room->flags = (int32_t *)at;
	at += (OPS_ATTENTION_KEYS + OPS_NR - 1) / OPS_NR * OPS_NR;
	room->key = at;
	at += OPS_ATTENTION_KEYS * a->features;
	room->value = at;
	at += OPS_ATTENTION_KEYS * ops_panels(a->made) * OPS_MR;
	return (uint8_t *)at - scratch;
}

void ops_attention_shape(const struct vnpu_op_launch *l, unsigned int query,
			 struct ops_attention *a)
{
	const struct vnpu_tensor *q = &l->tensor[query], *k = q + 1, *v = q + 2;
	int64_t rows, blocks, most, size;

	a->batches = q->dims[BATCH];
	a->heads = k->dims[HEAD];
	a->group = q->dims[HEAD] / k->dims[HEAD];
	a->rows = q->dims[ROW];
	a->keys = k->dims[ROW];
	a->features = q->dims[FEATURE];
	a->made = v->dims[FEATURE];
	/* Blocks of about the same size, which share packed keys and values. */
	size = (a->features + a->made + 1) * (int64_t)sizeof(float);
	most = BLOCK / size < OPS_NR ? OPS_NR : BLOCK / size;
	most = most < MOST_ROWS ? most : MOST_ROWS;
	rows = a->group * a->rows;
	blocks = (rows + most - 1) / most;
	a->block = blocks ? (rows + blocks - 1) / blocks : 1;
	a->block = (a->block + OPS_NR - 1) / OPS_NR * OPS_NR;
}

void ops_attention_plan(struct vnpu_op_job *job)
{
	struct ops_attention *a = (struct ops_attention *)job->plan;
	int64_t rows, items;
	struct room room;

	ops_attention_shape(&job->launch, 0, a);
	if (!vnpu_tensor_elements(ops_out(&job->launch, 0)))
		return;
	rows = a->group * a->rows;
	items = a->batches * a->heads * ((rows + a->block - 1) / a->block);
	job->scratch = lay_out(a, NULL, &room);
	job->parts = ops_parts((double)a->batches * a->heads * rows * a->keys *
			       (a->features + a->made) / 4, items);
}

/* Address of row @row of a head of [batch, head, row, ...]. */
static uint8_t *row_at(const struct vnpu_tensor *t, int64_t batch, int64_t head,
		       int64_t row)
{
	return ops_data(t) + batch * ops_attention_step(t, BATCH) +
	       head * ops_attention_step(t, HEAD) +
	       row * ops_attention_step(t, ROW);
}

uint8_t *ops_attention_row(const struct ops_attention *a,
			   const struct vnpu_tensor *t, int64_t batch,
			   int64_t head, int64_t row)
{
	return row_at(t, batch, head * a->group + row / a->rows, row % a->rows);
}

void ops_attention_pack(const struct ops_attention *a,
			const struct vnpu_tensor *t, int64_t batch,
			int64_t head, int64_t from, int64_t rows,
			float *fetched, float *to)
{
	ops_load_fn load = ops_vec->load[t->dtype][OPS_F];
	int64_t n = t->dims[FEATURE], i;

	for (i = 0; i < rows; i++)
		load(fetched + i * n, ops_attention_row(a, t, batch, head,
							from + i),
		     t->strides[FEATURE], n);
	ops_vec->gemm[OPS_F].pack->right(to, fetched, n, n, rows);
}

void ops_attention_pack_rows(const struct vnpu_tensor *t, int64_t batch,
			     int64_t head, int64_t from, int64_t keys,
			     float *fetched, float *to)
{
	ops_load_fn load = ops_vec->load[t->dtype][OPS_F];
	int64_t n = t->dims[FEATURE], i, k, now;

	for (i = 0; i < keys; i += OPS_MR, to += OPS_MR * n) {
		now = keys - i < OPS_MR ? keys - i : OPS_MR;
		for (k = 0; k < now; k++)
			load(fetched + k * n, row_at(t, batch, head, from + i + k),
			     t->strides[FEATURE], n);
		ops_vec->gemm[OPS_F].pack->left(to, fetched, n, n, now);
	}
}

void ops_attention_pack_columns(const struct vnpu_tensor *t, int64_t batch,
				int64_t head, int64_t from, int64_t keys,
				float *fetched, float *to)
{
	ops_load_fn load = ops_vec->load[t->dtype][OPS_F];
	int64_t n = t->dims[FEATURE], i, k, now;

	for (k = 0; k < keys; k++) {
		load(fetched, row_at(t, batch, head, from + k),
		     t->strides[FEATURE], n);
		for (i = 0; i < n; i += OPS_MR) {
			float *at = to + i * keys + k * OPS_MR;

			now = n - i < OPS_MR ? n - i : OPS_MR;
			memset(at, 0, OPS_MR * sizeof(float));
			memcpy(at, fetched + i, now * sizeof(float));
		}
	}
}

void ops_attention_multiply(const float *left, const float *right, float *result,
			    int64_t m, int64_t k)
{
	struct ops_left rows = ops_left_packed(left, k);
	struct ops_right panel = { .data = right, .panels = 1 };

	ops_vec->gemm[OPS_F].kernel(&rows, &panel, result, OPS_NR, k, m);
}

/* The number of keys that a causal mask allows for a row; all, without one. */
static int64_t causal_end(const struct vnpu_op_job *job,
			  const struct ops_attention *a, int64_t row)
{
	if (!JOB_INT(job, 1))
		return a->keys;
	return row % a->rows + a->keys - a->rows + 1;
}

bool ops_attention_adjust(const struct vnpu_op_job *job,
			  const struct ops_attention *a, unsigned int bias,
			  const struct ops_attention_tile *tile, float *logits,
			  float *fetched, int32_t *flags)
{
	const struct vnpu_tensor *add = ops_in(&job->launch, bias);
	const struct vnpu_tensor *mask = ops_in(&job->launch, bias + 1);
	float scale = JOB_FLOAT(job, 0);
	int64_t i, r, end;

	if (!add && !mask && !JOB_INT(job, 1) && scale > 0)
		return false;
	for (r = 0; r < tile->rows; r++) {
		int64_t row = tile->row + r;
		int64_t head = tile->head * a->group + row / a->rows;

		if (add)
			ops_vec->load[add->dtype][OPS_F](fetched,
				row_at(add, tile->batch, head, row % a->rows) +
				tile->key * ops_attention_step(add, FEATURE),
				ops_attention_step(add, FEATURE) /
				ops_size(add->dtype), tile->keys);
		if (mask)
			ops_vec->load[mask->dtype][OPS_I](flags,
				row_at(mask, tile->batch, head, row % a->rows) +
				tile->key * ops_attention_step(mask, FEATURE),
				ops_attention_step(mask, FEATURE) /
				ops_size(mask->dtype), tile->keys);
		end = causal_end(job, a, row) - tile->key;
		for (i = 0; i < tile->keys; i++) {
			float *x = &logits[i * OPS_NR + r];

			*x = *x * scale + (add ? fetched[i] : 0);
			if (i >= end || (mask && flags[i]))
				*x = -INFINITY;
		}
	}
	return true;
}

/* Meet a block of keys, which are packed, with all rows of the block. */
static void meet_keys(const struct vnpu_op_job *job,
		      struct ops_attention_tile *tile, int64_t rows,
		      const struct room *room)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	int64_t first = tile->row, i, width = ops_panels(a->made) * OPS_MR;
	float scale;

	for (i = 0; i < rows; i += OPS_NR) {
		float *result = room->result + i * width;

		tile->row = first + i;
		tile->rows = rows - i < OPS_NR ? rows - i : OPS_NR;
		memset(room->logits, 0, tile->keys * OPS_NR * sizeof(float));
		ops_attention_multiply(room->key,
				       room->query + i * a->features,
				       room->logits, tile->keys, a->features);
		scale = JOB_FLOAT(job, 0);
		if (ops_attention_adjust(job, a, 3, tile, room->logits,
					 room->fetched, room->flags))
			scale = 1;
		ops_vec->softmax(&room->state[i / OPS_NR], room->logits,
				 tile->keys, scale, result, a->made);
		ops_attention_multiply(room->value, room->logits, result,
				       a->made, tile->keys);
	}
	tile->row = first;
}

static void store_row(const struct vnpu_op_job *job,
		      const struct ops_attention_tile *tile, int64_t number,
		      const struct room *room)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	const struct ops_softmax *s = &room->state[number / OPS_NR];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0), *t;
	int64_t width = ops_panels(a->made) * OPS_MR, h = number % OPS_NR, i;
	const float *result = room->result + number / OPS_NR * OPS_NR * width;
	float factor = s->sum[h] == 0 ? 0 : 1 / s->sum[h];

	for (i = 0; i < a->made; i++)
		room->fetched[i] = result[i * OPS_NR + h] * factor;
	ops_vec->store[OPS_F][out->dtype](ops_attention_row(a, out, tile->batch,
		tile->head, tile->row + number), out->strides[FEATURE],
		room->fetched, a->made);
	for (i = 1; i < 3; i++) {
		t = ops_out(&job->launch, i);
		if (t)
			ops_vec->store[OPS_F][t->dtype](ops_attention_single(a, t,
				tile->batch, tile->head, tile->row + number), 1,
				i == 1 ? &s->most[h] : &s->sum[h], 1);
	}
}

static void run_block(const struct vnpu_op_job *job,
		      struct ops_attention_tile *tile, const struct room *room)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	const struct vnpu_tensor *t = job->launch.tensor;
	int64_t rows = a->group * a->rows - tile->row, i, most = 0;

	rows = rows < a->block ? rows : a->block;
	for (i = 0; i < rows; i += OPS_NR) {
		ops_attention_pack(a, &t[0], tile->batch, tile->head,
				   tile->row + i,
				   rows - i < OPS_NR ? rows - i : OPS_NR,
				   room->fetched,
				   room->query + i * a->features);
		room->state[i / OPS_NR] = (struct ops_softmax){ { 0 }, { 0 } };
	}
	for (i = 0; i < a->block; i++)
		room->state[i / OPS_NR].most[i % OPS_NR] = -INFINITY;
	memset(room->result, 0, a->block * ops_panels(a->made) * OPS_MR *
				sizeof(float));
	for (i = 0; i < rows; i++)
		if (most < causal_end(job, a, tile->row + i))
			most = causal_end(job, a, tile->row + i);
	most = most < a->keys ? most : a->keys;
	for (i = 0; i < most; i += OPS_ATTENTION_KEYS) {
		tile->key = i;
		tile->keys = most - i < OPS_ATTENTION_KEYS ?
				     most - i : OPS_ATTENTION_KEYS;
		ops_attention_pack_rows(&t[1], tile->batch, tile->head, i,
					tile->keys, room->fetched, room->key);
		ops_attention_pack_columns(&t[2], tile->batch, tile->head, i,
					   tile->keys, room->fetched,
					   room->value);
		meet_keys(job, tile, rows, room);
	}
	for (i = 0; i < rows; i++)
		store_row(job, tile, i, room);
}

int ops_attention_run(const struct vnpu_op_job *job,
		      const struct vnpu_op_work *w)
{
	const struct ops_attention *a = (const struct ops_attention *)job->plan;
	struct ops_attention_tile tile;
	int64_t blocks, at, end;
	struct room room;

	if (!vnpu_tensor_elements(ops_out(&job->launch, 0)))
		return 0;
	lay_out(a, w->scratch, &room);
	blocks = (a->group * a->rows + a->block - 1) / a->block;
	ops_share(w, a->batches * a->heads * blocks, 1, &at, &end);
	for (; at < end; at++) {
		tile.batch = at / blocks / a->heads;
		tile.head = at / blocks % a->heads;
		tile.row = at % blocks * a->block;
		run_block(job, &tile, &room);
	}
	return 0;
}
