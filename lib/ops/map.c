// SPDX-License-Identifier: MIT
/*
 * Elementwise operators: rows of elements are loaded, computed and stored.
 *
 * The elements are taken in tiles. An operand is used in place if its elements
 * follow each other in a tile, and have the type of the class; that is the fast
 * path. Any other one goes through a buffer in the scratch memory.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "map.h"

/* Rows that are shorter are gathered, several into a tile. */
#define SHORT_ROW	64

static const struct map *map_of(const struct vnpu_op_job *job)
{
	return (const struct map *)job->plan;
}

/* Find the type of the result, and the class that computes it. */
static int find_types(struct ops_call *c, unsigned int *type,
		      enum ops_class *class)
{
	unsigned int all = (1U << c->l->inputs) - 1;

	*type = ops_common(c->l, c->op->rule == OPS_SELECT ? all & ~1U : all);
	if (c->op->rule == OPS_INTEGER && vnpu_dtype_is_float(*type))
		return ops_fail(c, 0, -EINVAL,
				"expected integers or bool, given %s",
				vnpu_dtype_name(*type));
	if (c->op->rule == OPS_SELECT &&
	    vnpu_dtype_is_float(c->l->tensor[0].dtype))
		return ops_fail(c, 0, -EINVAL,
				"expected bool or integers, given %s",
				vnpu_dtype_name(c->l->tensor[0].dtype));
	if (!(c->op->classes & 1U << ops_class_of(*type))) {
		if (c->op->rule != OPS_FLOAT)
			return ops_fail(c, 0, -EINVAL,
					"is not possible for type %s",
					vnpu_dtype_name(*type));
		*type = VNPU_DT_F32;
	}
	*class = ops_class_of(*type);
	return 0;
}

/* A factor of integers must be an integer: a fraction would be lost. */
static int need_whole(struct ops_call *c, unsigned int type)
{
	double factor;

	switch (c->l->op) {
	case VNPU_OP_ADD:
	case VNPU_OP_SUB:
	case VNPU_OP_RSUB:
		factor = CALL_FLOAT(c, 0);
		if (vnpu_dtype_is_float(type) || factor == trunc(factor))
			return 0;
		return ops_fail(c, -1, -EINVAL,
				"alpha: expected an integer for type %s, given %g",
				vnpu_dtype_name(type), factor);
	default:
		return 0;
	}
}

int ops_map_infer(struct ops_call *c)
{
	struct ops_shape shape = { .castable = true };
	enum ops_class class;
	unsigned int type, i;
	int err;

	err = find_types(c, &type, &class);
	if (!err)
		err = need_whole(c, type);
	if (!err)
		err = ops_broadcast(c, ~0U, &shape);
	if (err)
		return err;
	shape.dtype = c->op->rule == OPS_BOOLEAN ? VNPU_DT_BOOL : type;
	for (i = 0; i < c->l->outputs; i++)
		c->out[i] = shape;
	return 0;
}

/* The largest finite number of a type, for nan_to_num. */
static double largest(unsigned int type)
{
	switch (type) {
	case VNPU_DT_F16:
		return 65504;
	case VNPU_DT_BF16:
		return 0x1.fep127;
	case VNPU_DT_F64:
		return __DBL_MAX__;
	default:
		return __FLT_MAX__;
	}
}

void map_read_params(const struct vnpu_op_job *job, struct map *m)
{
	const struct ops_param *p = job->op->params;
	const union vnpu_op_word *word = job->launch.word;
	unsigned int i;

	for (i = 0; p[i].name; i++)
		m->param[i] = p[i].kind == VNPU_OP_FLOAT ? word[i].f :
							   (double)word[i].i;
	if (job->launch.op == VNPU_OP_NAN_TO_NUM)
		m->param[OPS_ROW_PARAMS - 1] =
			largest(ops_out(&job->launch, 0)->dtype);
}

/*
 * An input that is transposed has its neighbours in other rows. Cut rows into
 * strips, and take all rows of a strip before the next one, so that the cache
 * lines of such inputs stay in the cache until they are used up.
 */
static void cut_rows(struct map *m)
{
	struct ops_iter *it = &m->it;
	unsigned int k, d;
	bool is_transposed = false;
	int64_t strip;

	for (k = m->outputs; k < it->count; k++)
		for (d = 1; d < it->rank; d++)
			if (it->stride[k][d] == m->size[k] &&
			    llabs(it->stride[k][0]) >= 256)
				is_transposed = true;
	if (!is_transposed || it->rank == VNPU_TENSOR_DIMS ||
	    it->dims[0] < 4 * SHORT_ROW)
		return;
	for (strip = 2 * SHORT_ROW; it->dims[0] % strip; strip--)
		if (strip == SHORT_ROW)
			return;
	it->dims[it->rank] = it->dims[0] / strip;
	it->dims[0] = strip;
	for (k = 0; k < it->count; k++)
		it->stride[k][it->rank] = it->stride[k][0] * strip;
	it->rank++;
}

/* Decide how each operand gets to the row function. */
static void choose_modes(struct map *m, const struct vnpu_tensor *const *t,
			 unsigned int class_type)
{
	const struct ops_iter *it = &m->it;
	unsigned int k, d;

	m->gathers = it->rank > 1 && it->dims[0] < SHORT_ROW;
	for (k = 0; k < it->count; k++) {
		bool near = it->stride[k][0] == m->size[k] || it->dims[0] == 1;
		bool constant = k >= m->outputs && it->total > 1;

		for (d = 0; d < it->rank; d++)
			if (it->stride[k][d])
				constant = false;
		if (constant)
			m->mode[k] = MAP_CONSTANT;
		else if (near && !m->gathers && t[k]->dtype == class_type)
			m->mode[k] = MAP_IN_PLACE;
		else
			m->mode[k] = MAP_BUFFERED;
	}
}

void map_plan(struct vnpu_op_job *job, enum ops_class class, ops_row_fn row)
{
	static const uint8_t sizes[OPS_CLASSES] = { 4, 8, 4, 8 };
	static const uint8_t types[OPS_CLASSES] = {
		VNPU_DT_F32, VNPU_DT_F64, VNPU_DT_I32, VNPU_DT_I64,
	};
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *t[OPS_OPERANDS];
	struct map *m = (struct map *)job->plan;
	unsigned int k, count = (unsigned int)l->outputs + l->inputs;

	m->row = row;
	m->chain.count = 0;
	m->outputs = l->outputs;
	m->class_size = sizes[class];
	for (k = 0; k < count; k++) {
		t[k] = k < l->outputs ? &l->tensor[l->inputs + k] :
					&l->tensor[k - l->outputs];
		if (k < l->outputs)
			m->store[k] = ops_vec->store[class][t[k]->dtype];
		else
			m->load[k] = ops_vec->load[t[k]->dtype][class];
		m->size[k] = ops_size(t[k]->dtype);
	}
	ops_iter_init(&m->it, t[0]->rank, t[0]->dims, t, count);
	cut_rows(m);
	choose_modes(m, t, types[class]);
	job->parts = ops_parts(m->it.total * 4.0,
			       (m->it.total + MAP_TILE - 1) / MAP_TILE);
	for (k = 0; k < count; k++)
		if (m->mode[k] != MAP_IN_PLACE)
			job->scratch = (size_t)count * MAP_TILE * m->class_size;
}

void ops_map_plan(struct vnpu_op_job *job)
{
	enum ops_class class = OPS_F;
	struct ops_call c;
	unsigned int type;

	ops_call_init(&c, &job->launch, job->op, NULL);
	/* The launch was checked, so this succeeds. */
	find_types(&c, &type, &class);
	map_read_params(job, (struct map *)job->plan);
	map_plan(job, class, ops_vec->row[job->launch.op][class]);
}

void ops_map_plan_cast(struct vnpu_op_job *job)
{
	/* Loading is exact in the class of the source; storing rounds once. */
	map_plan(job, ops_class_of(job->launch.tensor[0].dtype), NULL);
}

/*
 * Copy the next @n elements of operand @k between the views and its buffer,
 * across rows.
 */
static void gather(const struct map *m, unsigned int k,
		   const struct ops_place *place, int64_t n, uint8_t *buffer)
{
	struct ops_place p = *place;
	const struct ops_iter *it = &m->it;
	int64_t stride = it->stride[k][0] / m->size[k];

	while (n) {
		int64_t rest = it->dims[0] - p.index[0];
		int64_t now = rest < n ? rest : n;
		unsigned int i;

		if (k < m->outputs)
			m->store[k](p.at[k], stride, buffer, now);
		else
			m->load[k](buffer, p.at[k], stride, now);
		buffer += now * m->class_size;
		n -= now;
		p.at[k] -= p.index[0] * it->stride[k][0];
		p.index[0] = 0;
		for (i = 1; i < it->rank; i++) {
			p.at[k] += it->stride[k][i];
			if (++p.index[i] < it->dims[i])
				break;
			p.at[k] -= p.index[i] * it->stride[k][i];
			p.index[i] = 0;
		}
	}
}

static void load(const struct map *m, unsigned int k,
		 const struct ops_place *place, int64_t n, uint8_t *buffer)
{
	if (m->gathers)
		gather(m, k, place, n, buffer);
	else
		m->load[k](buffer, place->at[k],
			   m->it.stride[k][0] / m->size[k], n);
}

static void store(const struct map *m, unsigned int k,
		  const struct ops_place *place, int64_t n, uint8_t *buffer)
{
	if (m->gathers)
		gather(m, k, place, n, buffer);
	else
		m->store[k](place->at[k], m->it.stride[k][0] / m->size[k],
			    buffer, n);
}

/* Run @n elements of a row, or of several if the map gathers. */
static void run_tile(const struct map *m, struct ops_row *r,
		     const struct ops_place *place, int64_t n, uint8_t *scratch)
{
	uint8_t *at[OPS_OPERANDS];
	unsigned int k;

	for (k = 0; k < m->it.count; k++) {
		at[k] = place->at[k];
		if (m->mode[k] != MAP_IN_PLACE)
			at[k] = scratch + (size_t)k * MAP_TILE * m->class_size;
		if (m->mode[k] == MAP_BUFFERED && k >= m->outputs)
			load(m, k, place, n, at[k]);
	}
	if (m->chain.count) {
		chain_run(m, at, n, scratch);
	} else {
		r->n = n;
		for (k = 0; k < m->outputs; k++)
			r->out[k] = at[k];
		for (; k < m->it.count; k++)
			r->in[k - m->outputs] = at[k];
		m->row(r);
	}
	for (k = 0; k < m->outputs; k++)
		if (m->mode[k] != MAP_IN_PLACE)
			store(m, k, place, n, at[k]);
}

/* Convert @n elements, by way of a buffer if both types are other ones. */
static void cast_tile(const struct map *m, const struct ops_place *place,
		      int64_t n, uint8_t *scratch)
{
	uint8_t *buffer = m->mode[0] == MAP_IN_PLACE ? place->at[0] :
			  m->mode[1] == MAP_IN_PLACE ? place->at[1] :
						   scratch + MAP_TILE * m->class_size;

	if (m->mode[1] == MAP_BUFFERED)
		load(m, 1, place, n, buffer);
	if (m->mode[0] == MAP_BUFFERED)
		store(m, 0, place, n, buffer);
	else if (m->mode[1] == MAP_CONSTANT)
		memcpy(buffer, scratch + MAP_TILE * m->class_size,
		       n * m->class_size);
}

static void advance(const struct map *m, struct ops_place *place, int64_t n)
{
	unsigned int k;

	while (n >= m->it.dims[0] - place->index[0] && m->it.rank > 1) {
		n -= m->it.dims[0] - place->index[0];
		for (k = 0; k < m->it.count; k++)
			place->at[k] += (m->it.dims[0] - place->index[0]) *
					m->it.stride[k][0];
		place->index[0] = m->it.dims[0];
		ops_iter_next_row(&m->it, place);
	}
	place->index[0] += n;
	for (k = 0; k < m->it.count; k++)
		place->at[k] += n * m->it.stride[k][0];
}

int ops_map_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct map *m = map_of(job);
	struct ops_place place;
	int64_t at, end, limit, n;
	struct ops_row r;
	unsigned int k;

	ops_share(w, m->it.total, MAP_TILE, &at, &end);
	if (at == end)
		return 0;
	memcpy(r.param, m->param, sizeof(r.param));
	ops_iter_seek(&m->it, &place, at);
	limit = job->scratch ? MAP_TILE : 8 * MAP_TILE;
	for (k = m->outputs; k < m->it.count; k++)
		if (m->mode[k] == MAP_CONSTANT)
			m->load[k]((uint8_t *)w->scratch +
				   (size_t)k * MAP_TILE * m->class_size,
				   place.at[k], 0,
				   end - at < MAP_TILE ? end - at : MAP_TILE);
	for (; at < end; at += n) {
		n = end - at < limit ? end - at : limit;
		if (!m->gathers && n > m->it.dims[0] - place.index[0])
			n = m->it.dims[0] - place.index[0];
		if (m->row || m->chain.count)
			run_tile(m, &r, &place, n, w->scratch);
		else
			cast_tile(m, &place, n, w->scratch);
		advance(m, &place, n);
	}
	return 0;
}
