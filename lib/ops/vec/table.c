// SPDX-License-Identifier: MIT
/* The table of a variant. See vec.h. */
#include "vec.h"

#define STRING2(x) #x
#define STRING(x) STRING2(x)

const struct ops_vec V(ops_vec) = {
	.name = STRING(OPS_VARIANT),
	.load = V(ops_loads),
	.store = V(ops_stores),
	.row = V(ops_rows),
	.reduce = V(ops_reduces),
	.columns = V(ops_columns),
	.line = V(ops_lines),
	.gemm = V(ops_gemms),
	.plane = &V(ops_planes),
	.softmax = V(ops_softmax_block),
	.slopes = V(ops_slopes),
};
