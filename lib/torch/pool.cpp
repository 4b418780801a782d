// SPDX-License-Identifier: MIT
/* Gradients of pooling. */
#include "npu.h"

#include <ATen/native/CPUFallback.h>

namespace npu {

namespace {

void on_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
	fall_back(op, stack, "only with other arguments");
}

at::Tensor max_pool2d_backward(const at::Tensor &grad, const at::Tensor &self,
			       at::IntArrayRef, at::IntArrayRef, at::IntArrayRef,
			       at::IntArrayRef, bool, const at::Tensor &indices)
{
	at::Tensor out = at::zeros(self.sizes(), self.options());

	/* Indices count within a plane. */
	out.flatten(-2).scatter_add_(-1, indices.flatten(-2), grad.flatten(-2));
	return out;
}

std::vector<int64_t> pair(at::IntArrayRef list)
{
	return { list.at(0), list.at(list.size() - 1) };
}

/* The numbers by which the elements of windows were divided. */
at::Tensor divisors(const at::Tensor &self, at::IntArrayRef kernel,
		    at::IntArrayRef stride, at::IntArrayRef padding,
		    bool ceil_mode)
{
	at::Tensor ones = at::ones({ 1, self.size(-2), self.size(-1) },
				   self.options());

	return at::avg_pool2d(ones, kernel, stride, padding, ceil_mode, false, 1);
}

/* Each window spreads its gradient: a transposed convolution with ones. */
at::Tensor avg_pool2d_backward(const at::Tensor &grad, const at::Tensor &self,
			       at::IntArrayRef kernel, at::IntArrayRef stride,
			       at::IntArrayRef padding, bool ceil_mode,
			       bool count_include_pad,
			       c10::optional<int64_t> divisor)
{
	std::vector<int64_t> k = pair(kernel), p = pair(padding), more(2);
	std::vector<int64_t> s = stride.empty() ? k : pair(stride);
	bool is_padded = p[0] || p[1];

	/* Windows that end in the padding have other divisors. */
	if (!divisor && ceil_mode && count_include_pad && is_padded)
		return at::native::call_fallback_fn<&on_cpu,
			at::_ops::avg_pool2d_backward>::call(grad, self, kernel,
			stride, padding, ceil_mode, count_include_pad, divisor);
	at::Tensor part = divisor ? grad.div(*divisor) :
		count_include_pad && !ceil_mode ? grad.div(k[0] * k[1]) :
		grad.div(divisors(self, k, s, p, ceil_mode));

	for (int i = 0; i < 2; i++)
		more[i] = std::max<int64_t>(0, self.size(i - 2) -
			((grad.size(i - 2) - 1) * s[i] - 2 * p[i] + k[i]));
	at::Tensor out = at::conv_transpose2d(
		part.reshape({ -1, 1, grad.size(-2), grad.size(-1) }),
		at::ones({ 1, 1, k[0], k[1] }, self.options()), {}, s, p, more);

	return out.narrow(2, 0, self.size(-2)).narrow(3, 0, self.size(-1))
		.reshape(self.sizes());
}

/* Where windows have one size, their elements share the gradient. */
at::Tensor adaptive_avg_pool2d_backward(const at::Tensor &grad,
					const at::Tensor &self)
{
	int64_t rows = grad.size(-2), columns = grad.size(-1);

	if (!grad.numel() || self.size(-2) % rows || self.size(-1) % columns)
		return at::native::call_fallback_fn<&on_cpu,
			at::_ops::_adaptive_avg_pool2d_backward>::call(grad, self);
	int64_t height = self.size(-2) / rows, width = self.size(-1) / columns;

	return grad.div(height * width).reshape({ -1, rows, 1, columns, 1 })
		.expand({ -1, rows, height, columns, width })
		.reshape(self.sizes());
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("max_pool2d_with_indices_backward", max_pool2d_backward);
	m.impl("avg_pool2d_backward", avg_pool2d_backward);
	m.impl("_adaptive_avg_pool2d_backward", adaptive_avg_pool2d_backward);
}

} /* namespace npu */
