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

void ops_window_row(const struct ops_window *g,
		    void (*load)(void *dst, const void *src, int64_t stride,
				 size_t n),
		    const uint8_t *src, int64_t step, int64_t size, void *dst,
		    bool wide, int64_t first, int64_t n, int64_t k)
{
	const unsigned int d = OPS_SPACE - 1;
	int64_t element = wide ? 8 : 4, at, begin, end, i;
	uint8_t *to = dst;

	if (g->transposed) {
		for (i = 0; i < n; i++) {
			at = ops_window_source(g, d, first + i, k);
			if (at < 0)
				memset(to + i * element, 0, element);
			else
				load(to + i * element, src + at * step * size, 1,
				     1);
		}
		return;
	}
	/* The positions whose element is inside, which follow each other. */
	at = k * g->dilation[d] - g->pad[d];
	begin = at < 0 ? (-at + g->stride[d] - 1) / g->stride[d] : 0;
	end = g->in[d] - 1 - at < 0 ? 0 :
		(g->in[d] - 1 - at) / g->stride[d] + 1;
	begin = begin < first ? first : begin > first + n ? first + n : begin;
	end = end < begin ? begin : end > first + n ? first + n : end;
	memset(to, 0, (begin - first) * element);
	if (begin < end)
		load(to + (begin - first) * element,
		     src + (begin * g->stride[d] + at) * step * size,
		     step * g->stride[d], end - begin);
	memset(to + (end - first) * element, 0, (first + n - end) * element);
}
