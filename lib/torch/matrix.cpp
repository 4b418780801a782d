// SPDX-License-Identifier: MIT
/* Factors of matrices, and products of vectors. */
#include "call.h"

namespace npu {

namespace {

at::Tensor vdot(const at::Tensor &self, const at::Tensor &other)
{
	if (self.is_complex())
		throw Unsupported{ "complex numbers" };
	return at::dot(self, other);
}

void check_square(const char *name, const at::Tensor &a)
{
	TORCH_CHECK(a.dim() >= 2 && a.size(-1) == a.size(-2), name, ": A must be "
		    "batches of square matrices, but they are of size ", a.sizes());
}

/*
 * Each column of the factor is that of the matrix, less the products of the columns
 * before, divided by the root of its first element.
 */
at::Tensor cholesky(const at::Tensor &self, bool upper)
{
	need_fractions(self);
	check_square("cholesky", self);
	int64_t n = self.size(-1);
	at::Tensor a = upper ? self.mH() : self, out = at::zeros(a.sizes(), a.options());

	for (int64_t i = 0; i < n; i++) {
		at::Tensor rest = out.narrow(-2, i, n - i).narrow(-1, 0, i);
		at::Tensor column = a.narrow(-2, i, n - i).narrow(-1, i, 1);

		if (i)
			column = column.sub(at::matmul(rest,
				rest.narrow(-2, 0, 1).transpose(-1, -2)));
		out.narrow(-2, i, n - i).narrow(-1, i, 1)
			.copy_(column.div(column.narrow(-2, 0, 1).sqrt()));
	}
	TORCH_CHECK_LINALG(!out.numel() ||
			   out.diagonal(0, -2, -1).gt(0).all().item<bool>(),
			   "linalg.cholesky: The factorization could not be completed "
			   "because the input is not positive-definite.");
	return upper ? out.mH().contiguous() : out;
}

/* A is the product of its factor, from which both sides are solved. */
at::Tensor cholesky_solve(const at::Tensor &self, const at::Tensor &factor, bool upper)
{
	need_fractions(self);
	at::Tensor first = std::get<0>(at::triangular_solve(self, factor, upper, upper,
							    false));

	return std::get<0>(at::triangular_solve(first, factor, upper, !upper, false));
}

at::Tensor cholesky_inverse(const at::Tensor &self, bool upper)
{
	need_fractions(self);
	check_square("cholesky_inverse", self);
	at::Tensor one = at::eye(self.size(-1), self.size(-1), self.options())
		.expand(self.sizes());

	return npu::cholesky_solve(one.contiguous(), self, upper);
}

at::Tensor solve_triangular(const at::Tensor &a, const at::Tensor &b, bool upper,
			    bool left, bool unitriangular)
{
	need_fractions(a);
	if (!left)
		return solve_triangular(a.mT(), b.mT(), !upper, true, unitriangular)
			.mT();
	return std::get<0>(at::triangular_solve(b, a, upper, false, unitriangular));
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("vdot", OR_ON_CPU(vdot));
	m.impl("cholesky", OR_ON_CPU(npu::cholesky));
	m.impl("_cholesky_solve_helper", OR_ON_CPU(npu::cholesky_solve));
	m.impl("cholesky_inverse", OR_ON_CPU(npu::cholesky_inverse));
	m.impl("linalg_solve_triangular", OR_ON_CPU(solve_triangular));
}

} /* namespace npu */
