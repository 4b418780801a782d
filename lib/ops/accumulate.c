// SPDX-License-Identifier: MIT
/* Sums of views in place.  See accumulate.h. */
#include "accumulate.h"
#include "iter.h"
#include "vec/vec.h"

/* Elements that are added at a time. */
#define TILE	128

void ops_accumulate(const struct vnpu_tensor *to,
		    const struct vnpu_tensor *from)
{
	enum ops_class class = ops_class_of(to->dtype);
	const struct vnpu_tensor *t[] = { to, from };
	int64_t size = ops_size(to->dtype), done, n;
	/* Of the largest class. */
	double sum[TILE], addend[TILE];
	struct ops_row r = {
		.in = { sum, addend },
		.out = { sum },
		.param = { 1 },
	};
	struct ops_place p;
	struct ops_iter it;

	ops_iter_init(&it, to->rank, to->dims, t, 2);
	if (!it.total)
		return;
	ops_iter_seek(&it, &p, 0);
	for (done = 0; done < it.total; done += n) {
		if (p.index[0] == it.dims[0])
			ops_iter_next_row(&it, &p);
		n = it.dims[0] - p.index[0];
		if (n > TILE)
			n = TILE;
		ops_vec->load[to->dtype][class](sum, p.at[0],
						it.stride[0][0] / size, n);
		ops_vec->load[to->dtype][class](addend, p.at[1],
						it.stride[1][0] / size, n);
		r.n = n;
		ops_vec->row[VNPU_OP_ADD][class](&r);
		ops_vec->store[class][to->dtype](p.at[0],
						 it.stride[0][0] / size, sum,
						 n);
		p.index[0] += n;
		p.at[0] += n * it.stride[0][0];
		p.at[1] += n * it.stride[1][0];
	}
}
