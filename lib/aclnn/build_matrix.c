// SPDX-License-Identifier: MIT
/* Factors of matrices. */
#include "build.h"
#include "builders.h"

/* Modes of LinalgQr: the factors are as small as possible, square, or R alone. */
enum { REDUCED, COMPLETE, R_ONLY };

int build_qr(struct aclnn_build *b)
{
	enum { SELF, MODE, Q, R };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view q = aclnn_view(b, Q), r = aclnn_view(b, R);
	int64_t mode = aclnn_int(b, MODE);

	if (mode < REDUCED || mode > R_ONLY)
		return aclnn_fail(b, MODE, "expected 0 to 2, given %lld",
				  (long long)mode);
	if (mode == R_ONLY)
		q = (struct aclnn_view){ .arg = ACLNN_NO_ARG };
	aclnn_begin(b, VNPU_OP_QR, 1, 2);
	aclnn_set_int(b, "complete", mode == COMPLETE);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &r);
	aclnn_put(b, 2, &q);
	return aclnn_end(b);
}
