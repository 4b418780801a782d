// SPDX-License-Identifier: MIT
/* Losses of margins: scores of classes that are not far enough below the right ones. */
#include "call.h"

#include <ATen/core/Reduction.h>

namespace npu {

namespace {

using Optional = c10::optional<at::Tensor>;
using Two = std::tuple<at::Tensor, at::Tensor>;

/* Lines of scores; a single one has no dimension of lines. */
at::Tensor lines(const at::Tensor &tensor)
{
	return tensor.dim() < 2 ? tensor.reshape({ 1, -1 }) : tensor;
}

/* The gradient of each line's loss, of which @count lines were reduced. */
at::Tensor line_gradient(const at::Tensor &grad, int64_t reduction, int64_t count)
{
	at::Tensor out = grad.reshape({ -1, 1 });

	return reduction == at::Reduction::Mean ? out.div(count) : out;
}

/* Scores, and how much each one lacks of its distance to that of the right class. */
struct Margin {
	Margin(const at::Tensor &self, const at::Tensor &target,
	       const at::Scalar &exponent, const at::Scalar &margin,
	       const Optional &weight)
		: x(lines(self)), index(target.reshape({ -1, 1 })),
		  is_square(exponent.toDouble() == 2)
	{
		need_fractions(self);
		TORCH_CHECK(is_square || exponent.toDouble() == 1,
			    "multi_margin_loss: only p == 1 and p == 2 supported");
		TORCH_CHECK(self.dim() <= 2 && x.size(1) &&
			    target.numel() == x.size(0), "multi_margin_loss: "
			    "inconsistent sizes ", self.sizes(), " and ",
			    target.sizes());
		lack = x.sub(x.gather(1, index)).add_(margin).clamp_min_(0)
			.scatter_(1, index, 0);
		if (weight && weight->defined())
			factor = weight->index_select(0, index.reshape(-1))
				.div(x.size(1)).unsqueeze(1);
		else
			factor = at::full({ 1, 1 }, 1. / (double)x.size(1),
					  x.options());
	}

	at::Tensor x, index, lack, factor;
	bool is_square;
};

at::Tensor multi_margin(const at::Tensor &self, const at::Tensor &target,
			const at::Scalar &exponent, const at::Scalar &margin,
			const Optional &weight, int64_t reduction)
{
	Margin m(self, target, exponent, margin, weight);
	at::Tensor loss = m.is_square ? m.lack.square() : m.lack;

	return reduced(loss.mul(m.factor).sum(1).reshape(target.sizes()), reduction);
}

at::Tensor multi_margin_backward(const at::Tensor &grad, const at::Tensor &self,
				 const at::Tensor &target,
				 const at::Scalar &exponent,
				 const at::Scalar &margin, const Optional &weight,
				 int64_t reduction)
{
	Margin m(self, target, exponent, margin, weight);
	at::Tensor slope = m.is_square ? m.lack.mul(2) : m.lack.sign();

	slope.mul_(m.factor).mul_(line_gradient(grad, reduction, m.x.size(0)));
	return slope.scatter_(1, m.index, slope.sum(1, true).neg_())
		.reshape(self.sizes());
}

/* Right classes are those before the first negative number of a line. */
struct Multilabel {
	Multilabel(const at::Tensor &self, const at::Tensor &target)
		: x(lines(self))
	{
		need_fractions(self);
		TORCH_CHECK(self.dim() <= 2 && self.sizes() == target.sizes(),
			    "multilabel_margin_loss: inconsistent sizes ",
			    self.sizes(), " and ", target.sizes());
		at::Tensor given = lines(target);
		at::Tensor is_label = given.lt(0).to(at::kLong).cumsum(1).eq(0);

		index = given.masked_fill(is_label.logical_not(), 0);
		is_target = at::zeros_like(x)
			.scatter_add_(1, index, is_label.to(x.scalar_type()))
			.gt(0);
		/* For each label, and each class that is none. */
		lack = x.unsqueeze(1).sub(x.gather(1, index).unsqueeze(2)).add_(1)
			.clamp_min_(0).mul_(is_label.unsqueeze(2))
			.mul_(is_target.logical_not().unsqueeze(1));
	}

	at::Tensor x, index, is_target, lack;
};

Two multilabel_margin(const at::Tensor &self, const at::Tensor &target,
		      int64_t reduction)
{
	Multilabel m(self, target);
	std::vector<int64_t> size;

	if (self.dim() == 2)
		size.push_back(self.size(0));
	at::Tensor loss = m.lack.sum(at::IntArrayRef{ 1, 2 }).div_(m.x.size(1));

	return { reduced(loss.reshape(size), reduction),
		 m.is_target.to(self.scalar_type()).reshape(self.sizes()) };
}

at::Tensor multilabel_margin_backward(const at::Tensor &grad, const at::Tensor &self,
				      const at::Tensor &target, int64_t reduction,
				      const at::Tensor &)
{
	Multilabel m(self, target);
	at::Tensor slope = m.lack.sign();
	at::Tensor out = slope.sum(1)
		.scatter_add_(1, m.index, slope.sum(2).neg_())
		.div_(m.x.size(1));

	return out.mul_(line_gradient(grad, reduction, m.x.size(0)))
		.reshape(self.sizes());
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("multi_margin_loss", OR_ON_CPU(multi_margin));
	m.impl("multi_margin_loss_backward", multi_margin_backward);
	m.impl("multilabel_margin_loss_forward", OR_ON_CPU(multilabel_margin));
	m.impl("multilabel_margin_loss_backward", multilabel_margin_backward);
}

} /* namespace npu */
