// SPDX-License-Identifier: MIT
/* Images that are preprocessed as each run says. See op.h and edit/aipp.h. */
#include "op/op.h"

int op_image(struct build *b)
{
	struct build_view bytes = build_in(b, 0), parameters = build_in(b, 1), y;
	int64_t sizes[4];
	int count = build_attr_ints(b, "sizes", sizes, 4);

	if (count < 0)
		return count;
	if (count != 4)
		return build_fail(b, "attribute sizes: expected 4 of them, given %d",
				  count);
	y = build_out(b, 0, VNPU_DT_F32, 4, sizes);
	build_begin(b, VNPU_OP_IMAGE);
	build_set_ints(b, "sizes", sizes, 4);
	build_set_int(b, "last", build_attr_int(b, "last", 0));
	return build_end(b, 2, 1, &bytes, &parameters, &y);
}
