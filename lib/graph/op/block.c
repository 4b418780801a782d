// SPDX-License-Identifier: MIT
/* Operators that move blocks of elements. See op.h. */
#include <string.h>

#include "op/op.h"

#define DIMS VNPU_TENSOR_DIMS

/* Move blocks between channels and planes: [n, block, block, c, h, w]. */
int op_depth_to_space(struct build *b)
{
	static const unsigned int dcr[] = { 0, 3, 4, 1, 5, 2 };
	static const unsigned int crd[] = { 0, 1, 4, 2, 5, 3 };
	bool is_crd = !strcmp(build_attr_text(b, "mode", "DCR"), "CRD");
	int64_t size = build_attr_int(b, "blocksize", 0);
	struct build_view x = build_in(b, 0);
	int64_t *d = x.t.dims;

	if (op_need_rank(b, 0, &x, 4, 4))
		return b->g->err;
	if (size < 1 || size > 65536 || d[1] % (size * size))
		return build_fail(b, "blocksize %lld does not fit to %lld channels",
				  (long long)size, (long long)d[1]);

	int64_t c = d[1] / (size * size);
	int64_t out[] = { d[0], c, d[2] * size, d[3] * size };
	int64_t split[] = { d[0], is_crd ? c : size, size, is_crd ? size : c,
			    d[2], d[3] };

	x = build_reshape(b, &x, 6, split);
	view_permute(&x, is_crd ? crd : dcr);
	return op_reshaped(b, 0, &x, 4, out);
}

int op_space_to_depth(struct build *b)
{
	static const unsigned int perm[] = { 0, 3, 5, 1, 2, 4 };
	int64_t size = build_attr_int(b, "blocksize", 0);
	struct build_view x = build_in(b, 0);
	int64_t *d = x.t.dims;

	if (op_need_rank(b, 0, &x, 4, 4))
		return b->g->err;
	if (size < 1 || size > 65536 || d[2] % size || d[3] % size)
		return build_fail(b, "blocksize %lld does not fit to planes of %lld x %lld",
				  (long long)size, (long long)d[2],
				  (long long)d[3]);

	int64_t out[] = { d[0], d[1] * size * size, d[2] / size, d[3] / size };
	int64_t split[] = { d[0], d[1], out[2], size, out[3], size };

	x = build_reshape(b, &x, 6, split);
	view_permute(&x, perm);
	return op_reshaped(b, 0, &x, 4, out);
}

/* The first elements of each batch are copied from the end. */
int op_reverse_sequence(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);
	int64_t batch = build_attr_int(b, "batch_axis", 1), i, lengths[4096];
	int64_t time = build_attr_int(b, "time_axis", 0);
	struct build_view from, to;
	int count;

	if (op_need_rank(b, 0, &x, 2, DIMS))
		return b->g->err;
	if (batch + time != 1 || (batch && time))
		return build_fail(b, "batch_axis and time_axis: expected 0 and 1");
	count = build_known(b, 1, lengths, 4096);
	if (count < 0 || count != x.t.dims[batch])
		return build_fail(b, "expected %lld lengths",
				  (long long)x.t.dims[batch]);
	build_copy(b, &x, &y);
	for (i = 0; i < count; i++) {
		if (lengths[i] < 0 || lengths[i] > x.t.dims[time])
			return build_fail(b, "length %lld is not possible",
					  (long long)lengths[i]);
		from = x;
		to = y;
		view_slice(&from, batch, i, 1, 1);
		view_slice(&to, batch, i, 1, 1);
		view_slice(&from, time, lengths[i] - 1, lengths[i], -1);
		view_slice(&to, time, 0, lengths[i], 1);
		build_copy(b, &from, &to);
	}
	return b->g->err;
}
