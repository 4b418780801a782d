/* SPDX-License-Identifier: MIT */
/* The functions of the families of operators. See op.h. */
#ifndef VNPU_OPS_FAMILIES_H
#define VNPU_OPS_FAMILIES_H

#include "op.h"

#define FAMILY(name)							\
	int ops_##name##_infer(struct ops_call *c);			\
	void ops_##name##_plan(struct vnpu_op_job *job);		\
	int ops_##name##_run(const struct vnpu_op_job *job,		\
			     const struct vnpu_op_work *w)

FAMILY(map);
FAMILY(chain);
FAMILY(copy);
FAMILY(reduce);
FAMILY(matmul);
FAMILY(lines);
FAMILY(take);
FAMILY(put);
FAMILY(gather);
FAMILY(scatter);
FAMILY(tri);
FAMILY(arange);
FAMILY(remap);
FAMILY(rope);
FAMILY(scan);
FAMILY(sort);
FAMILY(conv);
FAMILY(im2col);
FAMILY(attention);
FAMILY(attention_backward);
FAMILY(quant);
FAMILY(plane);
FAMILY(random);
FAMILY(solve);
FAMILY(inverse);
FAMILY(qr);
FAMILY(index_list);
FAMILY(dropout);
FAMILY(nonzero);
FAMILY(masked_select);
FAMILY(masked_scatter);
FAMILY(unique);
FAMILY(one_hot);
FAMILY(histogram);
FAMILY(norm_weight);
FAMILY(nll);
FAMILY(embedding);
FAMILY(conv_weight);
FAMILY(plane_backward);
FAMILY(col2im);
FAMILY(grid);
FAMILY(grid_backward);
FAMILY(grouped);
FAMILY(ctc);
FAMILY(search);
FAMILY(cdist);
FAMILY(image);

/* Plan an elementwise operator that only converts, for ops_map_run(). */
void ops_map_plan_cast(struct vnpu_op_job *job);

/*
 * Make a job of the launch in @job, if its tensors and operator are plain; return
 * whether they are.  See plain.c.
 */
bool ops_plain_prepare(struct vnpu_op_job *job,
		       const struct vnpu_op_window *window);

#undef FAMILY

#endif
