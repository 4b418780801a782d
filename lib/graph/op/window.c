// SPDX-License-Identifier: MIT
/* Windows of convolutions and pooling. See window.h. */
#include <string.h>

#include "op/window.h"

/* Read a list with a value for each dimension, or none. */
static int read_list(struct build *b, const char *name, unsigned int n,
		     int64_t otherwise, int64_t *to)
{
	unsigned int i;
	int count;

	for (i = 0; i < n; i++)
		to[i] = otherwise;
	count = build_attr_ints(b, name, to, n);
	if (count < 0 || count == 0 || count == (int)n)
		return count;
	return build_fail(b, "attribute %s: expected %u values, given %d", name,
			  n, count);
}

static int check(struct build *b, const struct op_window *w)
{
	const int64_t most = (int64_t)1 << 30;
	unsigned int i;

	for (i = 0; i < w->space; i++)
		if (w->kernel[i] < 1 || w->stride[i] < 1 ||
		    w->dilation[i] < 1 || w->kernel[i] > most ||
		    w->stride[i] > most || w->dilation[i] > most ||
		    w->before[i] > most || w->after[i] > most ||
		    w->in[i] > most ||
		    w->before[i] < 0 || w->after[i] < 0)
			return build_fail(b, "kernel %lld, stride %lld, dilation %lld and pads %lld, %lld are not possible for size %lld",
					  (long long)w->kernel[i],
					  (long long)w->stride[i],
					  (long long)w->dilation[i],
					  (long long)w->before[i],
					  (long long)w->after[i],
					  (long long)w->in[i]);
	return 0;
}

int op_window_read(struct build *b, const struct build_view *x,
		   const int64_t *weight, struct op_window *w)
{
	int64_t pads[2 * OP_SPACE];
	unsigned int n;

	if (op_need_rank(b, 0, x, 3, 2 + OP_SPACE))
		return b->g->err;
	n = x->t.rank - 2;
	*w = (struct op_window){ .space = n };
	memcpy(w->in, x->t.dims + 2, n * sizeof(*w->in));
	if (read_list(b, "kernel_shape", n, 0, w->kernel) < 0 ||
	    read_list(b, "strides", n, 1, w->stride) < 0 ||
	    read_list(b, "dilations", n, 1, w->dilation) < 0 ||
	    read_list(b, "pads", 2 * n, 0, pads) < 0)
		return b->g->err;
	if (weight && graph_attr(b->node, "kernel_shape") &&
	    memcmp(w->kernel, weight, n * sizeof(*weight)))
		return build_fail(b, "kernel_shape differs from the shape of the weight");
	if (weight)
		memcpy(w->kernel, weight, n * sizeof(*weight));
	memcpy(w->before, pads, n * sizeof(*pads));
	memcpy(w->after, pads + n, n * sizeof(*pads));
	w->ceil = build_attr_int(b, "ceil_mode", 0);
	return check(b, w);
}

int op_window_place(struct build *b, struct op_window *w)
{
	const char *mode = build_attr_text(b, "auto_pad", "NOTSET");
	bool same = !strncmp(mode, "SAME_", 5), lower = strstr(mode, "LOWER");
	unsigned int i;

	for (i = 0; i < w->space; i++) {
		int64_t reach = w->dilation[i] * (w->kernel[i] - 1) + 1, pad;

		if (same) {
			w->out[i] = (w->in[i] + w->stride[i] - 1) / w->stride[i];
			pad = (w->out[i] - 1) * w->stride[i] + reach - w->in[i];
			pad = pad < 0 ? 0 : pad;
			w->before[i] = lower ? pad - pad / 2 : pad / 2;
			w->after[i] = pad - w->before[i];
			continue;
		}
		if (!strcmp(mode, "VALID"))
			w->before[i] = w->after[i] = 0;
		pad = w->in[i] + w->before[i] + w->after[i] - reach;
		if (pad < 0)
			return build_fail(b, "a window of %lld does not fit into size %lld with pads %lld and %lld",
					  (long long)reach, (long long)w->in[i],
					  (long long)w->before[i],
					  (long long)w->after[i]);
		w->out[i] = (pad + (w->ceil ? w->stride[i] - 1 : 0)) /
			    w->stride[i] + 1;
	}
	return 0;
}

bool op_window_is_even(const struct op_window *w)
{
	return !memcmp(w->before, w->after, w->space * sizeof(*w->before));
}

struct build_view op_window_pad(struct build *b, const struct op_window *w,
				const struct build_view *x, double value)
{
	int64_t before[2 + OP_SPACE] = { 0 }, after[2 + OP_SPACE] = { 0 };

	memcpy(before + 2, w->before, w->space * sizeof(*before));
	memcpy(after + 2, w->after, w->space * sizeof(*after));
	return op_padded(b, x, before, after, value);
}
