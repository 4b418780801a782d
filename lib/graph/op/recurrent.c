// SPDX-License-Identifier: MIT
/*
 * Recurrent layers: RNN, GRU and LSTM. The products of all inputs are one step;
 * then each time step has its own.
 */
#include <string.h>

#include "op/op.h"

enum { X, W, R, BIAS, LENGTHS, STATE, CELL, PEEPHOLES };
enum { Y, Y_STATE, Y_CELL };

/**
 * struct layer - a layer in one direction
 * @gates: number of gates
 * @time: number of times
 * @batch: size of the batch
 * @hidden: size of the state
 * @number: 0, or 1 for the second direction
 * @backward: times run backwards
 * @made: the products of the inputs: [time, batch, gates * hidden]
 * @r: weight of the state, transposed
 * @rbias: bias of the state, or none
 * @peepholes: weights of the cell, or none
 * @h: the state
 * @c: the cell
 */
struct layer {
	unsigned int gates;
	int64_t time, batch, hidden;
	unsigned int number;
	bool backward;
	struct build_view made, r, rbias, peepholes, h, c;
};

/* Element @at of the first dimension, without it. */
static struct build_view pick(struct build_view v, int64_t at)
{
	if (!view_has(&v))
		return v;
	view_slice(&v, 0, at, 1, 1);
	view_remove(&v, 0);
	return v;
}

/* Get the part of the last dimension that belongs to a gate. */
static struct build_view gate(struct build_view v, const struct layer *l,
			      unsigned int number)
{
	if (view_has(&v))
		view_slice(&v, v.t.rank - 1, number * l->hidden, l->hidden, 1);
	return v;
}

static struct build_view temp(struct build *b, const struct layer *l,
			      unsigned int gates)
{
	int64_t dims[] = { l->batch, gates * l->hidden };

	return build_temp(b, VNPU_DT_F32, 2, dims);
}

/* Multiply the state: out = h R + more. */
static void product(struct build *b, const struct build_view *h,
		    const struct build_view *r, const struct build_view *more,
		    const struct build_view *out)
{
	build_begin(b, VNPU_OP_MATMUL);
	build_end(b, 3, 1, h, r, more, out);
}

static void rnn_step(struct build *b, struct layer *l,
		     const struct build_view *x, const struct build_view *out)
{
	struct build_view t = temp(b, l, 1);

	product(b, &l->h, &l->r, x, &t);
	build_op1(b, VNPU_OP_TANH, &t, out);
}

/* The gates are update, reset and the new state. */
static void gru_step(struct build *b, struct layer *l,
		     const struct build_view *x, const struct build_view *out)
{
	bool before = build_attr_int(b, "linear_before_reset", 0);
	struct build_view r = l->r, zr = temp(b, l, 2), n = temp(b, l, 1), part;
	struct build_view z, reset, more = *x, own, bias;

	view_slice(&r, 1, 0, 2 * l->hidden, 1);
	view_slice(&more, 1, 0, 2 * l->hidden, 1);
	product(b, &l->h, &r, &more, &zr);
	build_op1(b, VNPU_OP_SIGMOID, &zr, &zr);
	z = gate(zr, l, 0);
	reset = gate(zr, l, 1);
	own = gate(l->r, l, 2);
	part = gate(*x, l, 2);
	bias = gate(l->rbias, l, 2);
	if (before) {
		product(b, &l->h, &own, &bias, &n);
		build_op2(b, VNPU_OP_MUL, &n, &reset, &n);
		build_op2(b, VNPU_OP_ADD, &n, &part, &n);
	} else {
		build_op2(b, VNPU_OP_MUL, &l->h, &reset, &n);
		more = temp(b, l, 1);
		product(b, &n, &own, &part, &more);
		n = more;
	}
	build_op1(b, VNPU_OP_TANH, &n, &n);
	/* Interpolate from the new state to the old one, by the update gate. */
	build_op3(b, VNPU_OP_LERP, &n, &l->h, &z, out);
}

/* Add a weight of the cell to a gate. */
static void peep(struct build *b, const struct layer *l, unsigned int number,
		 const struct build_view *c, const struct build_view *g)
{
	struct build_view p = gate(l->peepholes, l, number);

	if (view_has(&p))
		build_op3(b, VNPU_OP_ADDCMUL, g, c, &p, g);
}

/* The gates are input, output, forget and the new cell. */
static void lstm_step(struct build *b, struct layer *l,
		      const struct build_view *x, const struct build_view *out)
{
	struct build_view g = temp(b, l, 4), c = temp(b, l, 1), i, o, f, n;

	product(b, &l->h, &l->r, x, &g);
	i = gate(g, l, 0);
	o = gate(g, l, 1);
	f = gate(g, l, 2);
	n = gate(g, l, 3);
	peep(b, l, 0, &l->c, &i);
	peep(b, l, 2, &l->c, &f);
	build_op1(b, VNPU_OP_SIGMOID, &i, &i);
	build_op1(b, VNPU_OP_SIGMOID, &f, &f);
	build_op1(b, VNPU_OP_TANH, &n, &n);
	build_op2(b, VNPU_OP_MUL, &f, &l->c, &c);
	build_op3(b, VNPU_OP_ADDCMUL, &c, &i, &n, &c);
	peep(b, l, 1, &c, &o);
	l->c = c;
	build_op1(b, VNPU_OP_TANH, &c, &n);
	build_op2(b, VNPU_OP_SIGMOID_MUL, &o, &n, out);
}

/* Multiply all inputs, and add both biases where that is possible. */
static void begin(struct build *b, struct layer *l, const struct build_view *x)
{
	struct build_view w = pick(build_in(b, W), l->number);
	struct build_view bias = pick(build_in(b, BIAS), l->number), sum, rest;
	int64_t dims[] = { l->time, l->batch, l->gates * l->hidden };
	bool late = build_attr_int(b, "linear_before_reset", 0);

	view_swap(&w, 0, 1);
	l->r = pick(build_in(b, R), l->number);
	view_swap(&l->r, 0, 1);
	l->made = build_temp(b, VNPU_DT_F32, 3, dims);
	sum = l->rbias = bias;
	if (view_has(&bias)) {
		view_slice(&bias, 0, 0, dims[2], 1);
		view_slice(&l->rbias, 0, dims[2], dims[2], 1);
		sum = build_temp_like(b, &bias);
		build_copy(b, &bias, &sum);
		/* The last gate of a late reset gets its bias with the state. */
		bias = sum;
		rest = l->rbias;
		if (late) {
			view_slice(&bias, 0, 0, 2 * l->hidden, 1);
			view_slice(&rest, 0, 0, 2 * l->hidden, 1);
		}
		build_op2(b, VNPU_OP_ADD, &bias, &rest, &bias);
	}
	product(b, x, &w, &sum, &l->made);
}

/* Views of outputs without the direction, with the time first. */
static struct build_view out_of(struct build *b, unsigned int out,
				const struct layer *l, unsigned int directions)
{
	bool batch_first = build_attr_int(b, "layout", 0);
	static const unsigned int perm[] = { 1, 2, 0, 3 };
	int64_t dims[] = { l->time, directions, l->batch, l->hidden };
	int64_t swapped[] = { l->batch, l->time, directions, l->hidden };
	int64_t last[] = { batch_first ? l->batch : directions,
			   batch_first ? directions : l->batch, l->hidden };
	struct build_view v;

	if (out != Y) {
		v = build_out(b, out, VNPU_DT_F32, 3, last);
		if (view_has(&v) && batch_first)
			view_swap(&v, 0, 1);
		return v;
	}
	v = build_out(b, out, VNPU_DT_F32, 4, batch_first ? swapped : dims);
	if (view_has(&v) && batch_first)
		view_permute(&v, perm);
	return v;
}

static struct build_view state_of(struct build *b, unsigned int in,
				  const struct layer *l)
{
	struct build_view v = build_in(b, in);
	int64_t dims[] = { l->batch, l->hidden };

	if (!view_has(&v))
		return op_filled(b, VNPU_DT_F32, 2, dims, 0);
	if (build_attr_int(b, "layout", 0))
		view_swap(&v, 0, 1);
	return pick(v, l->number);
}

static void run(struct build *b, struct layer *l, const struct build_view *x,
		unsigned int directions,
		void (*step)(struct build *b, struct layer *l,
			     const struct build_view *x,
			     const struct build_view *out))
{
	struct build_view y = out_of(b, Y, l, directions), made, out, last;
	int64_t i;

	last = pick(out_of(b, Y_STATE, l, directions), l->number);
	begin(b, l, x);
	l->h = state_of(b, STATE, l);
	if (l->gates == 4) {
		l->c = state_of(b, CELL, l);
		l->peepholes = pick(build_in(b, PEEPHOLES), l->number);
	}
	for (i = 0; !build_infers(b) && i < l->time; i++) {
		int64_t at = l->backward ? l->time - 1 - i : i;

		made = pick(l->made, at);
		out = view_has(&y) ? pick(pick(y, at), l->number) :
				     temp(b, l, 1);
		step(b, l, &made, &out);
		l->h = out;
	}
	if (view_has(&last))
		build_copy(b, &l->h, &last);
	last = l->gates == 4 ? pick(out_of(b, Y_CELL, l, directions),
				    l->number) : last;
	if (view_has(&last) && l->gates == 4)
		build_copy(b, &l->c, &last);
}

/* Check the shape of an input that may be missing. */
static int need_shape(struct build *b, unsigned int in, unsigned int rank,
		      const int64_t *dims)
{
	struct build_view v = build_in(b, in);

	if (!view_has(&v) ||
	    (v.t.rank == rank && !memcmp(v.t.dims, dims, rank * sizeof(*dims))))
		return 0;
	return build_fail(b, "input %u has a shape that does not fit to the layer",
			  in);
}

static int check_optional(struct build *b, const struct layer *l,
			  int64_t directions)
{
	bool batch_first = build_attr_int(b, "layout", 0);
	int64_t bias[] = { directions, 2 * l->gates * l->hidden };
	int64_t peepholes[] = { directions, 3 * l->hidden };
	int64_t state[] = { batch_first ? l->batch : directions,
			    batch_first ? directions : l->batch, l->hidden };

	if (need_shape(b, BIAS, 2, bias) || need_shape(b, STATE, 3, state))
		return b->g->err;
	if (l->gates != 4)
		return 0;
	if (need_shape(b, CELL, 3, state))
		return b->g->err;
	return need_shape(b, PEEPHOLES, 2, peepholes);
}

static int check(struct build *b, const struct build_view *x,
		 const struct layer *l, unsigned int directions)
{
	struct build_view w = build_in(b, W), r = build_in(b, R);
	int64_t lengths[4096];
	int count, i;

	if (x->t.dtype != VNPU_DT_F32)
		return build_refuse(b, "type %s is not supported, only f32",
				    vnpu_dtype_name(x->t.dtype));
	if (graph_attr(b->node, "activations") || graph_attr(b->node, "clip") ||
	    build_attr_int(b, "input_forget", 0))
		return build_refuse(b, "activations, clip and input_forget are not supported");
	if (op_need_rank(b, W, &w, 3, 3) || op_need_rank(b, R, &r, 3, 3))
		return b->g->err;
	if (l->hidden < 1 || w.t.dims[0] != directions ||
	    w.t.dims[1] != l->gates * l->hidden ||
	    w.t.dims[2] != x->t.dims[2] || r.t.dims[0] != directions ||
	    r.t.dims[1] != w.t.dims[1] || r.t.dims[2] != l->hidden)
		return build_fail(b, "the weights do not fit to %u directions, %lld inputs and a state of %lld",
				  directions, (long long)x->t.dims[2],
				  (long long)l->hidden);
	if (check_optional(b, l, directions))
		return b->g->err;
	count = build_known(b, LENGTHS, lengths, 4096);
	for (i = 0; i < count; i++)
		if (lengths[i] != l->time)
			return build_refuse(b, "sequences of different lengths are not supported");
	return count < 0 ? count : 0;
}

static int recurrent(struct build *b, unsigned int gates,
		     void (*step)(struct build *b, struct layer *l,
				  const struct build_view *x,
				  const struct build_view *out))
{
	const char *direction = build_attr_text(b, "direction", "forward");
	unsigned int directions = *direction == 'b' ? 2 : 1, i;
	struct build_view x = build_in(b, X), r = build_in(b, R);
	struct layer l;

	if (op_need_rank(b, X, &x, 3, 3) || op_need_rank(b, R, &r, 3, 3))
		return b->g->err;
	if (build_attr_int(b, "layout", 0))
		view_swap(&x, 0, 1);
	l = (struct layer){ .gates = gates, .time = x.t.dims[0],
			    .batch = x.t.dims[1], .hidden = r.t.dims[2] };
	if (check(b, &x, &l, directions))
		return b->g->err;
	for (i = 0; i < directions; i++) {
		l.number = i;
		l.backward = i || *direction == 'r';
		run(b, &l, &x, directions, step);
	}
	return b->g->err;
}

int op_rnn(struct build *b)
{
	return recurrent(b, 1, rnn_step);
}

int op_gru(struct build *b)
{
	return recurrent(b, 3, gru_step);
}

int op_lstm(struct build *b)
{
	return recurrent(b, 4, lstm_step);
}
