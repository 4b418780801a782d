/* SPDX-License-Identifier: MIT */
/* Sums of views in place, for the operators that add elements by index. */
#ifndef VNPU_OPS_ACCUMULATE_H
#define VNPU_OPS_ACCUMULATE_H

#include "op.h"

/**
 * ops_accumulate() - add the elements of a view to those of another one
 * @to: the view that changes
 * @from: the other one, of the same type; expanded to the shape of @to
 *
 * It computes what the operator add does, but needs no scratch memory.
 */
void ops_accumulate(const struct vnpu_tensor *to,
		    const struct vnpu_tensor *from);

#endif
