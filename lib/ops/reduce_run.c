// SPDX-License-Identifier: MIT
/* Running a part of a reduction. See reduce.c. */
#include <string.h>

#include "reduce_plan.h"

/* A place among the inner elements of an output. */
struct inner {
	int64_t index[VNPU_TENSOR_DIMS];
	uint8_t *at;
};

static void seek(const struct ops_reduce *r, struct inner *p, uint8_t *base,
		 int64_t number)
{
	unsigned int i;

	p->at = base;
	for (i = r->inner_rank; i--;) {
		p->index[i] = i ? number % r->inner_dims[i] : number;
		number = i ? number / r->inner_dims[i] : 0;
		p->at += p->index[i] * r->inner_from[i];
	}
}

static void advance(const struct ops_reduce *r, struct inner *p, int64_t n)
{
	unsigned int i = r->inner_rank - 1;

	p->index[i] += n;
	p->at += n * r->inner_from[i];
	for (; i && p->index[i] == r->inner_dims[i]; i--) {
		p->at -= p->index[i] * r->inner_from[i];
		p->index[i] = 0;
		p->at += r->inner_from[i - 1];
		p->index[i - 1]++;
	}
}

/*
 * Load the next @n elements of @group outputs that are neighbours; those of one
 * are OPS_APART apart from those of the next.
 */
static void load_tile(const struct ops_reduce *r, struct inner *p, int64_t n,
		      unsigned int group, uint8_t *buffer, uint8_t *column)
{
	unsigned int last = r->inner_rank - 1, k;
	bool wide = r->class == OPS_D || r->class == OPS_L;
	int64_t i, done, now;

	for (done = 0; done < n; done += now) {
		now = r->inner_dims[last] - p->index[last];
		if (now > n - done)
			now = n - done;
		if (group == 1) {
			r->load(buffer + done * (wide ? 8 : 4), p->at,
				r->inner_from[last] / r->size, now);
			advance(r, p, now);
			continue;
		}
		for (i = 0; i < now; i++) {
			r->load(column, p->at + i * r->inner_from[last], 1,
				group);
			for (k = 0; k < group; k++)
				if (wide)
					((uint64_t *)buffer)[k * OPS_APART + done + i] =
						((uint64_t *)column)[k];
				else
					((uint32_t *)buffer)[k * OPS_APART + done + i] =
						((uint32_t *)column)[k];
		}
		advance(r, p, now);
	}
}

/* Reduce a section of @group outputs, of which the first begins at @base. */
static void reduce_section(const struct ops_reduce *r, uint8_t *base,
			   unsigned int group, int64_t from, int64_t to,
			   struct ops_sum *sum, uint8_t *scratch)
{
	int64_t element = r->class == OPS_D || r->class == OPS_L ? 8 : 4, n;
	uint8_t *column = scratch + OPS_GROUP * OPS_APART * 8;
	struct inner p;
	unsigned int k;

	memset(sum, 0, group * sizeof(*sum));
	if (from == to)
		return;
	seek(r, &p, base, from);
	for (; from < to; from += n) {
		n = to - from < OPS_TILE ? to - from : OPS_TILE;
		if (r->in_place) {
			r->reduce(sum, base + from * r->size, n, r->param);
			continue;
		}
		load_tile(r, &p, n, group, scratch, column);
		for (k = 0; k < group; k++)
			r->reduce(&sum[k], scratch + k * OPS_APART * element, n,
				  r->param);
	}
}

/* Add the lanes of a tile to the states, in the order of a single output. */
static void add_lanes(struct ops_lanes *lanes, unsigned int group, int64_t n,
		      struct ops_sum *sum)
{
	unsigned int e, h, k;

	for (e = OPS_LANES / 2; e; e /= 2)
		for (h = 0; h < e; h++)
			for (k = 0; k < group; k++)
				lanes->lane[h][k] += lanes->lane[h + e][k];
	for (k = 0; k < group; k++) {
		sum[k].sum += lanes->lane[0][k];
		sum[k].count += n;
	}
}

/* Reduce @group outputs that are neighbours, row by row. */
static void reduce_columns(const struct ops_reduce *r, uint8_t *base,
			   unsigned int group, struct ops_sum *sum,
			   uint8_t *scratch)
{
	unsigned int last = r->inner_rank - 1;
	int64_t step = r->inner_from[last], from, n, done, now, i;
	int64_t element = r->class == OPS_D ? 8 : 4;
	struct ops_lanes *lanes = (struct ops_lanes *)scratch;
	uint8_t *rows = scratch + sizeof(*lanes);
	struct inner p;

	memset(sum, 0, group * sizeof(*sum));
	if (!r->length)
		return;
	seek(r, &p, base, 0);
	for (from = 0; from < r->length; from += n) {
		n = r->length - from < OPS_TILE ? r->length - from : OPS_TILE;
		memset(lanes, 0, sizeof(*lanes));
		for (done = 0; done < n; done += now) {
			now = r->inner_dims[last] - p.index[last];
			now = now < n - done ? now : n - done;
			if (r->is_ready && step % r->size == 0) {
				r->columns(lanes, p.at, step / r->size, now,
					   done, group);
				advance(r, &p, now);
				continue;
			}
			now = now < OPS_ROWS ? now : OPS_ROWS;
			for (i = 0; i < now; i++)
				r->load(rows + i * group * element,
					p.at + i * step, 1, group);
			r->columns(lanes, rows, group, now, done, group);
			advance(r, &p, now);
		}
		add_lanes(lanes, group, n, sum);
	}
}

/* Find the addresses of an output, and of its first element. */
static uint8_t *find(const struct ops_reduce *r, int64_t number, uint8_t **out)
{
	uint8_t *base = r->base;
	unsigned int i;

	out[0] = r->out[0];
	out[1] = r->out[1];
	for (i = r->rank; i--;) {
		int64_t index = number % r->dims[i];

		number /= r->dims[i];
		base += index * r->from[i];
		out[0] += index * r->to[0][i];
		if (out[1])
			out[1] += index * r->to[1][i];
	}
	return base;
}

static void run_sections(const struct vnpu_op_job *job,
			 const struct vnpu_op_work *w)
{
	const struct ops_reduce *r = (const struct ops_reduce *)job->plan;
	bool is_float = r->class == OPS_F || r->class == OPS_D;
	struct ops_sum *sums = w->shared;
	int64_t at, end, k;
	uint8_t *out[2];

	if (w->phase == 0) {
		ops_share(w, r->outputs * r->sections, 1, &at, &end);
		for (; at < end; at++) {
			int64_t from = at % r->sections * OPS_SECTION;
			int64_t to = from + OPS_SECTION;

			reduce_section(r, find(r, at / r->sections, out), 1,
				       from, to < r->length ? to : r->length,
				       &sums[at], w->scratch);
		}
		return;
	}
	ops_share(w, r->outputs, 1, &at, &end);
	for (; at < end; at++) {
		struct ops_sum *s = &sums[at * r->sections];

		for (k = 1; k < r->sections; k++)
			ops_sum_combine(s, &s[k], r->kind, is_float);
		find(r, at, out);
		ops_sum_store(job, s, out);
	}
}

int ops_reduce_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct ops_reduce *r = (const struct ops_reduce *)job->plan;
	unsigned int most = r->columns ? OPS_COLUMNS : OPS_GROUP, group, k;
	struct ops_sum sum[OPS_COLUMNS];
	uint8_t *base, *out[2];
	int64_t at, end, rest;

	if (r->sections > 1) {
		run_sections(job, w);
		return 0;
	}
	ops_share(w, r->outputs, most, &at, &end);
	for (; at < end; at += group) {
		group = 1;
		if (r->in_groups) {
			rest = r->dims[r->rank - 1] - at % r->dims[r->rank - 1];
			rest = rest < end - at ? rest : end - at;
			group = rest < most ? rest : most;
		}
		base = find(r, at, out);
		if (r->columns)
			reduce_columns(r, base, group, sum, w->scratch);
		else
			reduce_section(r, base, group, 0, r->length, sum,
				       w->scratch);
		for (k = 0; k < group; k++) {
			if (k)
				find(r, at + k, out);
			ops_sum_store(job, &sum[k], out);
		}
	}
	return 0;
}
