// SPDX-License-Identifier: MIT
/* Losses and comparisons. */
#include "call.h"

#include <ATen/core/Reduction.h>

namespace npu {

at::Tensor reduced(const at::Tensor &loss, int64_t reduction)
{
	if (reduction == at::Reduction::Mean)
		return loss.mean();
	return reduction == at::Reduction::Sum ? loss.sum() : loss;
}

namespace {

using Optional = c10::optional<at::Tensor>;
using Two = std::tuple<at::Tensor, at::Tensor>;

at::Tensor mse_loss(const at::Tensor &self, const at::Tensor &target,
		    int64_t reduction)
{
	return reduced(self.sub(target).square_(), reduction);
}

at::Tensor mse_loss_backward(const at::Tensor &grad, const at::Tensor &self,
			     const at::Tensor &target, int64_t reduction)
{
	at::Tensor difference = self.sub(target);
	double factor = reduction == at::Reduction::Mean ?
			2.0 / std::max<int64_t>(difference.numel(), 1) : 2.0;

	return difference.mul_(factor).mul_(grad);
}

at::Tensor smooth_loss_backward(const at::Tensor &grad, const at::Tensor &self,
				const at::Tensor &target, int64_t reduction,
				double beta)
{
	at::Tensor out = at::empty_like(self);

	LAUNCH(SmoothL1LossBackward, grad, self, target, reduction, beta, out);
	return out;
}

/* The loss of Huber is the smooth one, times the bound of its square. */
at::Tensor huber_loss(const at::Tensor &self, const at::Tensor &target,
		      int64_t reduction, double delta)
{
	TORCH_CHECK(delta > 0, "huber_loss does not support non-positive values for "
		    "delta.");
	return at::smooth_l1_loss(self, target, reduction, delta).mul_(delta);
}

at::Tensor huber_loss_backward(const at::Tensor &grad, const at::Tensor &self,
			       const at::Tensor &target, int64_t reduction,
			       double delta)
{
	return smooth_loss_backward(grad, self, target, reduction, delta)
		.mul_(delta);
}

/*
 * The classes of a loss: dimension 1, or 0 of a single line. Targets that are
 * ignored have class 0, and weight 0.
 */
struct Classes {
	Classes(const at::Tensor &self, const at::Tensor &target,
		const Optional &class_weight, int64_t ignore)
		: dim(self.dim() > 1)
	{
		at::Tensor ignored = target.eq(ignore);

		index = target.masked_fill(ignored, 0).unsqueeze(dim);
		if (class_weight && class_weight->defined())
			weight = class_weight->index_select(0, index.reshape(-1))
				.view(target.sizes());
		else
			weight = at::ones(target.sizes(), self.options());
		weight = weight.masked_fill(ignored, 0);
		is_ignored = ignored;
	}

	int64_t dim;
	at::Tensor index, weight, is_ignored;
};

Two nll_loss(const at::Tensor &self, const at::Tensor &target,
	     const Optional &weight, int64_t reduction, int64_t ignore)
{
	Classes classes(self, target, weight, ignore);
	at::Tensor total = classes.weight.sum();
	at::Tensor loss = self.gather(classes.dim, classes.index)
		.squeeze(classes.dim).neg_().mul_(classes.weight)
		.masked_fill_(classes.is_ignored, 0);

	if (reduction == at::Reduction::None)
		return { loss, at::zeros({}, self.options()) };
	loss = loss.sum();
	if (reduction == at::Reduction::Mean)
		loss.div_(total);
	return { loss, total };
}

at::Tensor nll_loss_backward(const at::Tensor &grad, const at::Tensor &self,
			     const at::Tensor &target, const Optional &weight,
			     int64_t reduction, int64_t ignore,
			     const at::Tensor &total)
{
	Classes classes(self, target, weight, ignore);
	at::Tensor part = classes.weight.neg().mul_(grad);

	if (reduction == at::Reduction::Mean)
		part.div_(total);
	return at::zeros(self.sizes(), self.options())
		.scatter_(classes.dim, classes.index, part.unsqueeze(classes.dim));
}

at::Tensor is_nan(const at::Tensor &self)
{
	return self.ne(self);
}

bool equal(const at::Tensor &self, const at::Tensor &other)
{
	TORCH_CHECK(self.device() == other.device(), "Expected all tensors to be "
		    "on the same device, but found at least two devices, ",
		    self.device(), " and ", other.device(), "!");
	return self.sizes() == other.sizes() && self.eq(other).all().item<bool>();
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("mse_loss", mse_loss);
	m.impl("mse_loss_backward", mse_loss_backward);
	m.impl("smooth_l1_loss_backward", smooth_loss_backward);
	m.impl("huber_loss", huber_loss);
	m.impl("huber_loss_backward", huber_loss_backward);
	m.impl("nll_loss_forward", nll_loss);
	m.impl("nll_loss_backward", nll_loss_backward);
	m.impl("nll_loss2d_forward", nll_loss);
	m.impl("nll_loss2d_backward", nll_loss_backward);
	m.impl("isnan", is_nan);
	m.impl("equal", equal);
}

} /* namespace npu */
