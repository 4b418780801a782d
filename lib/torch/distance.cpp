// SPDX-License-Identifier: MIT
/* Distances of rows: those of all pairs within a tensor, and gradients. */
#include "call.h"

#include <cmath>

#include <ATen/ExpandUtils.h>

namespace npu {

namespace {

/*
 * The gradient of norms by the differences they are of. Norms of 0, and differences of
 * 0, have the gradient 0.
 */
at::Tensor norm_gradient(const at::Tensor &grad, const at::Tensor &difference,
			 const at::Tensor &norm, double p)
{
	if (p == 0)
		return at::zeros_like(difference);
	at::Tensor out = difference.sign().mul_(grad);

	if (std::isinf(p))
		return out.mul_(difference.abs().eq(norm));
	if (p != 1)
		out.mul_(difference.abs().div_(norm).pow_(p - 1));
	return out.masked_fill_(difference.eq(0), 0);
}

/* PyTorch's device "meta" wants a mode of computing, which is not needed. */
at::Tensor cdist(const at::Tensor &x1, const at::Tensor &x2, double p,
		 c10::optional<int64_t>)
{
	need_fractions(x1);
	need_fractions(x2);
	TORCH_CHECK(x1.scalar_type() == x2.scalar_type(), "cdist: expected tensors of "
		    "one type, but got ", x1.scalar_type(), " and ",
		    x2.scalar_type());
	TORCH_CHECK(x1.dim() >= 2 && x2.dim() >= 2 && x1.size(-1) == x2.size(-1),
		    "cdist: expected tensors with 2 dimensions at least, and equal "
		    "last ones, but got ", x1.sizes(), " and ", x2.sizes());
	std::vector<int64_t> size = at::infer_size(
		x1.sizes().slice(0, x1.dim() - 2), x2.sizes().slice(0, x2.dim() - 2));

	size.push_back(x1.size(-2));
	size.push_back(x2.size(-2));
	at::Tensor out = at::zeros(size, x1.options());

	if (out.numel() && x1.size(-1))
		NPU_INVOKE(Cdist)({ x1, x2, p, 0, out });
	return out;
}

/* The gradient of x1; that of x2 is the one of x1, with the two exchanged. */
at::Tensor cdist_backward(const at::Tensor &grad, const at::Tensor &x1,
			  const at::Tensor &x2, double p, const at::Tensor &norm)
{
	at::Tensor difference = x1.unsqueeze(-2).sub(x2.unsqueeze(-3));

	return at::sum_to(norm_gradient(grad.unsqueeze(-1), difference,
					norm.unsqueeze(-1), p).sum(-2),
			  x1.sizes());
}

/* The two rows of each pair, the first of which comes before the second. */
struct Pairs {
	explicit Pairs(const at::Tensor &self)
	{
		TORCH_CHECK(self.dim() == 2, "pdist only supports 2D tensors, got: ",
			    self.dim(), "D");
		at::Tensor both = at::triu_indices(self.size(0), self.size(0), 1)
			.to(self.device());

		first = both.select(0, 0);
		second = both.select(0, 1);
	}

	at::Tensor difference(const at::Tensor &self) const
	{
		return self.index_select(0, first)
			.sub_(self.index_select(0, second));
	}

	at::Tensor first, second;
};

at::Tensor pdist(const at::Tensor &self, double p)
{
	at::Tensor difference = Pairs(self).difference(self);

	if (!self.size(1))
		return at::zeros({ difference.size(0) }, self.options());
	return at::linalg_vector_norm(difference, p, at::IntArrayRef{ 1 });
}

at::Tensor pdist_backward(const at::Tensor &grad, const at::Tensor &self, double p,
			  const at::Tensor &norm)
{
	Pairs pairs(self);

	if (!pairs.first.numel())
		return at::zeros_like(self);
	at::Tensor part = norm_gradient(grad.unsqueeze(1), pairs.difference(self),
					norm.unsqueeze(1), p);

	return at::zeros_like(self).index_add_(0, pairs.first, part)
		.index_add_(0, pairs.second, part, -1);
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("_cdist_forward", OR_ON_CPU(npu::cdist));
	m.impl("_cdist_backward", cdist_backward);
	m.impl("_pdist_forward", pdist);
	m.impl("_pdist_backward", pdist_backward);
}

} /* namespace npu */
