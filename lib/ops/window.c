// SPDX-License-Identifier: MIT
/* Windows that slide over a tensor. See window.h. */
#include <errno.h>
#include <string.h>

#include "window.h"

/* A value of a list: the last one also stands for those after it. */
static int64_t value_of(const union vnpu_op_word *list, unsigned int i,
			int64_t otherwise)
{
	if (!list->i)
		return otherwise;
	return list[1 + (i < list->i ? i : list->i - 1)].i;
}

void ops_window_read(const struct ops_op *op, const struct vnpu_op_launch *l,
		     unsigned int param, unsigned int rank,
		     struct ops_window *g)
{
	unsigned int i;

	for (i = 0; i < OPS_SPACE; i++) {
		unsigned int own = i + rank - OPS_SPACE;
		bool has = i + rank >= OPS_SPACE;

		g->stride[i] = has ? value_of(ops_words(op, l, param), own, 1) :
				     1;
		g->pad[i] = has ? value_of(ops_words(op, l, param + 1), own, 0) :
				  0;
		g->dilation[i] = has ? value_of(ops_words(op, l, param + 2),
						own, 1) : 1;
	}
}

int ops_window_check(struct ops_call *c, struct ops_window *g,
		     const int64_t *more)
{
	const int64_t most = (int64_t)1 << 30;
	unsigned int i;
	int64_t reach;

	for (i = 0; i < OPS_SPACE; i++) {
		if (g->stride[i] < 1 || g->dilation[i] < 1 || g->pad[i] < 0 ||
		    g->stride[i] > most || g->dilation[i] > most ||
		    g->pad[i] > most || g->kernel[i] > most || g->in[i] > most)
			return ops_fail(c, -1, -EINVAL,
					"stride %lld, padding %lld and dilation %lld are not possible",
					(long long)g->stride[i],
					(long long)g->pad[i],
					(long long)g->dilation[i]);
		if (g->kernel[i] < 1)
			return ops_fail(c, -1, -EINVAL, "the window is empty");
		reach = g->dilation[i] * (g->kernel[i] - 1) + 1;
		if (g->transposed)
			g->out[i] = (g->in[i] - 1) * g->stride[i] -
				    2 * g->pad[i] + reach + more[i];
		else
			g->out[i] = g->in[i] + 2 * g->pad[i] < reach ? 0 :
				(g->in[i] + 2 * g->pad[i] - reach) /
				g->stride[i] + 1;
		if (g->out[i] < 1 || more[i] < 0 || more[i] > most)
			return ops_fail(c, -1, -EINVAL,
					"a window of %lld does not fit into %lld",
					(long long)reach, (long long)g->in[i]);
	}
	return 0;
}

/* Where elements are loaded from and to; see ops_window_row(). */
struct strip {
	ops_load_fn load;
	const uint8_t *src;
	int64_t step, size, element, first, n;
	uint8_t *dst;
};

static int64_t between(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/*
 * Load elements for the positions from @begin to below @end, at a distance of
 * @stride elements, and 0 for others; @at is the element of position 0.
 */
static void load_strip(const struct strip *s, int64_t begin, int64_t end,
		       int64_t at, int64_t stride)
{
	int64_t last = s->first + s->n;

	begin = between(begin, s->first, last);
	end = between(end, begin, last);
	memset(s->dst, 0, (begin - s->first) * s->element);
	if (begin < end)
		s->load(s->dst + (begin - s->first) * s->element,
			s->src + (begin * stride + at) * s->step * s->size,
			s->step * stride, end - begin);
	memset(s->dst + (end - s->first) * s->element, 0,
	       (last - end) * s->element);
}

void ops_window_row(const struct ops_window *g, ops_load_fn load,
		    const uint8_t *src, int64_t step, int64_t size, void *dst,
		    bool wide, int64_t first, int64_t n, int64_t k)
{
	const unsigned int d = OPS_SPACE - 1;
	struct strip s = { load, src, step, size, wide ? 8 : 4, first, n, dst };
	int64_t stride = g->stride[d], at, i;

	if (g->transposed) {
		for (i = 0; i < n; i++) {
			at = ops_window_source(g, d, first + i, k);
			if (at < 0)
				memset(s.dst + i * s.element, 0, s.element);
			else
				load(s.dst + i * s.element,
				     src + at * step * size, 1, 1);
		}
		return;
	}
	/* The positions with an element inside; they follow each other. */
	at = k * g->dilation[d] - g->pad[d];
	load_strip(&s, at < 0 ? (-at + stride - 1) / stride : 0,
		   g->in[d] - 1 - at < 0 ? 0 : (g->in[d] - 1 - at) / stride + 1,
		   at, stride);
}

void ops_window_plane(const struct ops_window *g, ops_load_fn load,
		      const uint8_t *src, int64_t step, int64_t size, void *dst,
		      bool wide, int64_t first, int64_t n, const int64_t *k)
{
	struct strip s = { load, src, step, size, wide ? 8 : 4, first, n, dst };
	int64_t y = k[1] * g->dilation[1] - g->pad[1], width = g->in[2];
	int64_t x = k[2] * g->dilation[2] - g->pad[2], at = y * width + x;
	/* In each row, the positions with an element before or after the row. */
	int64_t out = x < 0 ? 0 : width - x, out_end = x < 0 ? -x : width;
	int64_t row, i, end;

	load_strip(&s, -at, g->in[1] * width - at, at, 1);
	for (row = first / width * width; row < first + n; row += width) {
		end = between(row + out_end, first, first + n);
		for (i = between(row + out, first, end); i < end; i++)
			memset(s.dst + (i - first) * s.element, 0, s.element);
	}
}
