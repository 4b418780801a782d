// SPDX-License-Identifier: MIT
/*
 * Sums of products by an equation of labels. Each input becomes a view with a
 * dimension for each label; the views are multiplied, and labels that the result
 * lacks are summed.
 */
#include <ctype.h>
#include <string.h>

#include "op/op.h"

#define DIMS	VNPU_TENSOR_DIMS
/* The dimensions of "..." are labels before all letters. */
#define DOTS(i)	((char)(1 + (i)))

/**
 * struct einsum - an equation
 * @labels: all labels, those of the result first
 * @sizes: their sizes
 * @count: their number
 * @kept: number of labels of the result
 */
struct einsum {
	char labels[2 * DIMS];
	int64_t sizes[2 * DIMS];
	unsigned int count;
	unsigned int kept;
};

/* Replace "..." by a label for each of @extra dimensions; return the length. */
static int read_term(struct build *b, const char **at, unsigned int extra,
		     char *term)
{
	unsigned int n = 0, i;

	for (; **at && **at != ',' && **at != '-'; ++*at) {
		if (**at == ' ')
			continue;
		if (!strncmp(*at, "...", 3)) {
			for (i = 0; i < extra && n < DIMS; i++)
				term[n++] = DOTS(i);
			*at += 2;
		} else if (isalpha((unsigned char)**at) && n < DIMS) {
			term[n++] = **at;
		} else {
			return build_fail(b, "the equation has '%c', or more than %d labels",
					  **at, DIMS);
		}
	}
	return n;
}

static int find_label(const struct einsum *e, char label)
{
	unsigned int i;

	for (i = 0; i < e->count; i++)
		if (e->labels[i] == label)
			return i;
	return -1;
}

static int add_label(struct build *b, struct einsum *e, char label)
{
	if (find_label(e, label) >= 0)
		return 0;
	if (e->count == DIMS)
		return build_refuse(b, "more than %d labels are not supported",
				    DIMS);
	e->sizes[e->count] = 1;
	e->labels[e->count++] = label;
	return 0;
}

/* Count the dimensions that "..." stands for in an input. */
static int extra_of(const char *at, unsigned int rank)
{
	unsigned int letters = 0;
	bool dots = false;

	for (; *at && *at != ',' && *at != '-'; at++) {
		letters += isalpha((unsigned char)*at) != 0;
		dots |= *at == '.';
	}
	return dots && rank > letters ? rank - letters : 0;
}

/* Find the labels of the result, in their order, then the others. */
static int find_labels(struct build *b, const char *equation, struct einsum *e)
{
	const char *arrow = strstr(equation, "->"), *at = equation;
	char term[DIMS], seen[128] = { 0 };
	unsigned int i, extra = 0;
	int n, k;

	for (i = 0; i < b->node->ins; i++) {
		unsigned int own = extra_of(at, b->node->in[i]->rank);

		extra = own > extra ? own : extra;
		n = read_term(b, &at, own, term);
		if (n < 0)
			return n;
		for (k = 0; k < n; k++)
			seen[(unsigned char)term[k]] +=
				seen[(unsigned char)term[k]] < 2;
		at += *at == ',';
	}
	if (arrow) {
		at = arrow + 2;
		n = read_term(b, &at, extra, term);
		for (k = 0; k < n; k++)
			if (add_label(b, e, term[k]))
				return b->g->err;
	} else {
		/* Labels that occur once, in the order of the alphabet. */
		for (k = 0; k < 128; k++)
			if ((seen[k] == 1 || (seen[k] && k <= DIMS)) &&
			    add_label(b, e, k))
				return b->g->err;
	}
	e->kept = e->count;
	for (k = 0; k < 128; k++)
		if (seen[k] && add_label(b, e, k))
			return b->g->err;
	return extra;
}

/* Make a view with a dimension for each label; strides of a label add up. */
static int spread(struct build *b, struct einsum *e, const char **at,
		  struct build_view *v)
{
	struct vnpu_tensor old = v->t;
	char term[DIMS];
	int n, k, label;

	n = read_term(b, at, extra_of(*at, old.rank), term);
	*at += **at == ',';
	if (n != old.rank)
		return build_fail(b, "an input has %u dimensions, and %d labels",
				  old.rank, n);
	v->t.rank = e->count;
	for (k = 0; k < (int)e->count; k++) {
		v->t.dims[k] = 1;
		v->t.strides[k] = 0;
	}
	for (k = 0; k < n; k++) {
		label = find_label(e, term[k]);
		if (old.dims[k] == 1)
			continue;
		if (e->sizes[label] != 1 && e->sizes[label] != old.dims[k])
			return build_fail(b, "a label has the sizes %lld and %lld",
					  (long long)e->sizes[label],
					  (long long)old.dims[k]);
		e->sizes[label] = v->t.dims[label] = old.dims[k];
		v->t.strides[label] += old.strides[k];
	}
	return 0;
}

int op_einsum(struct build *b)
{
	const char *equation = build_attr_text(b, "equation", ""), *at = equation;
	struct build_view views[8], all, y;
	struct einsum e = { .count = 0 };
	int64_t summed[DIMS];
	unsigned int i;

	if (b->node->ins > 8)
		return build_refuse(b, "more than 8 inputs are not supported");
	if (find_labels(b, equation, &e) < 0)
		return b->g->err;
	for (i = 0; i < b->node->ins; i++) {
		views[i] = build_in(b, i);
		if (spread(b, &e, &at, &views[i]))
			return b->g->err;
	}
	y = build_out(b, 0, views[0].t.dtype, e.kept, e.sizes);
	for (i = e.kept; i < e.count; i++)
		summed[i - e.kept] = i;
	view_expand(&views[0], e.count, e.sizes);
	all = views[0];
	for (i = 1; i < b->node->ins; i++) {
		struct build_view next = build_temp(b, all.t.dtype, e.count,
						    e.sizes);

		build_op2(b, VNPU_OP_MUL, &all, &views[i], &next);
		all = next;
	}
	if (e.kept == e.count)
		return build_copy(b, &all, &y);
	build_begin(b, VNPU_OP_SUM);
	build_set_ints(b, "dims", summed, e.count - e.kept);
	return build_end(b, 1, 1, &all, &y);
}
