/* SPDX-License-Identifier: MIT */
/* Parts of quantisation, for operators that quantise what they compute. */
#ifndef ACLNN_BUILD_QUANT_H
#define ACLNN_BUILD_QUANT_H

#include "build.h"

/* Round by an operator, and convert to the type of the output, which saturates. */
int aclnn_round_to(struct aclnn_build *b, unsigned int engine,
		   const struct aclnn_view *value, const struct aclnn_view *out);

/*
 * Quantise lines of the last dimension: the scale of a line makes its largest
 * number 127.  Argument @y gets the integers.
 */
int aclnn_quantise_lines(struct aclnn_build *b, const struct aclnn_view *x,
			 unsigned int y, const struct aclnn_view *scale);

/* View scales that are kept in the lower half of i64 as f32. */
void aclnn_unpack_scale(struct aclnn_view *scale);

#endif /* ACLNN_BUILD_QUANT_H */
