// SPDX-License-Identifier: MIT
/* Normalisations, variances, and their gradients. */
#include "call.h"

#include <array>

#include <ATen/OpMathType.h>
#include <ATen/WrapDimUtils.h>

namespace npu {

namespace {

using Optional = c10::optional<at::Tensor>;
using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

bool has(const Optional &tensor)
{
	return tensor && tensor->defined();
}

/* Half types are normalised in f32. */
at::Tensor widened(const at::Tensor &tensor)
{
	return tensor.to(at::toOpMathType(tensor.scalar_type()));
}

/* The channels of a tensor, dimension 1, and its other dimensions. */
struct Channels {
	explicit Channels(const at::Tensor &input) : shape(input.dim(), 1)
	{
		shape[1] = input.size(1);
		for (int64_t i = 0; i < input.dim(); i++)
			if (i != 1)
				others.push_back(i);
		count = input.size(1) ? input.numel() / input.size(1) : 0;
	}

	at::Tensor expand(const at::Tensor &channels) const
	{
		return channels.view(shape);
	}

	std::vector<int64_t> shape, others;
	int64_t count;
};

/* Move a running mean towards that of the batch. */
void move_running(const Optional &running, const at::Tensor &value,
		  double momentum)
{
	if (has(running))
		running->mul_(1 - momentum).add_(value, momentum);
}

at::Tensor scale_and_shift(const at::Tensor &x, const Optional &weight,
			   const Optional &bias, const Channels &channels)
{
	at::Tensor out = x;

	if (has(weight))
		out = out.mul(channels.expand(*weight));
	if (has(bias))
		out = out.add(channels.expand(*bias));
	return out;
}

Three batch_norm(const at::Tensor &input, const Optional &weight,
		 const Optional &bias, const Optional &running_mean,
		 const Optional &running_var, bool training, double momentum,
		 double eps)
{
	Channels channels(input);
	at::Tensor x = widened(input), mean, rstd;

	if (training) {
		mean = x.mean(channels.others);
		x = x.sub(channels.expand(mean));
		at::Tensor var = x.square().mean(channels.others);

		rstd = var.add(eps).rsqrt_();
		move_running(running_mean, mean, momentum);
		move_running(running_var, var.mul(channels.count /
			std::max(channels.count - 1.0, 1.0)), momentum);
		x.mul_(channels.expand(rstd));
	} else {
		x = x.sub(channels.expand(*running_mean))
			.mul_(channels.expand(running_var->add(eps).rsqrt_()));
		mean = rstd = at::empty({ 0 }, x.options());
	}
	return { scale_and_shift(x, weight, bias, channels)
		 .to(input.scalar_type()), mean, rstd };
}

Three batch_norm_backward(const at::Tensor &grad_out, const at::Tensor &input,
			  const Optional &weight, const Optional &running_mean,
			  const Optional &running_var, const Optional &save_mean,
			  const Optional &save_rstd, bool train, double eps,
			  std::array<bool, 3> wanted)
{
	Channels channels(input);
	at::Tensor grad = widened(grad_out), of_input;
	at::Tensor mean = train ? *save_mean : *running_mean;
	at::Tensor rstd = train ? *save_rstd : running_var->add(eps).rsqrt_();
	at::Tensor x = widened(input).sub(channels.expand(mean))
		.mul_(channels.expand(rstd));
	at::Tensor sum = grad.sum(channels.others);
	at::Tensor dot = grad.mul(x).sum(channels.others);

	if (wanted[0]) {
		at::Tensor scale = has(weight) ? rstd.mul(*weight) : rstd;

		of_input = grad;
		if (train)
			of_input = grad.sub(channels.expand(sum.div(channels.count)))
				.sub_(x.mul_(channels.expand(
					dot.div(channels.count))));
		of_input = of_input.mul(channels.expand(scale))
			.to(input.scalar_type());
	}
	at::ScalarType type = has(weight) ? weight->scalar_type() :
			      sum.scalar_type();

	return { of_input, wanted[1] ? dot.to(type) : at::Tensor(),
		 wanted[2] ? sum.to(type) : at::Tensor() };
}

Three layer_norm(const at::Tensor &input, at::IntArrayRef shape,
		 const Optional &weight, const Optional &bias, double eps)
{
	c10::DeviceGuard on(input.device());
	int64_t leading = input.dim() - (int64_t)shape.size();

	TORCH_CHECK(leading >= 0 && input.sizes().slice(leading) == shape,
		    "Given normalized_shape=", shape, ", expected input with "
		    "shape [*, ", shape, "], but got input of size",
		    input.sizes());
	std::vector<int64_t> size(input.dim(), 1);

	std::copy_n(input.sizes().begin(), leading, size.begin());
	at::Tensor out = at::empty(input.sizes(), input.options());
	at::Tensor mean = at::empty(size, input.options());
	at::Tensor rstd = at::empty(size, input.options());

	if (input.numel())
		LAUNCH(LayerNorm, input, shape.vec(),
		       has(weight) ? c10::IValue(*weight) : c10::IValue(),
		       has(bias) ? c10::IValue(*bias) : c10::IValue(), eps, out,
		       mean, rstd);
	return { out, mean, rstd };
}

Three layer_norm_backward(const at::Tensor &grad_out, const at::Tensor &input,
			  at::IntArrayRef shape, const at::Tensor &mean,
			  const at::Tensor &rstd, const Optional &weight,
			  const Optional &bias, std::array<bool, 3> wanted)
{
	at::Tensor grad = widened(grad_out), of_input, of_weight, of_bias;
	at::Tensor scale = widened(rstd);
	at::Tensor x = widened(input).sub(mean).mul_(scale);
	std::vector<int64_t> inner, outer;
	int64_t leading = input.dim() - (int64_t)shape.size();

	for (int64_t i = 0; i < input.dim(); i++)
		(i < leading ? outer : inner).push_back(i);
	/* An empty list would mean all dimensions. */
	auto over_lines = [&](const at::Tensor &tensor) {
		return outer.empty() ? tensor : tensor.sum(outer);
	};

	if (wanted[1] && has(weight))
		of_weight = over_lines(grad.mul(x)).to(weight->scalar_type());
	if (wanted[2] && has(bias))
		of_bias = over_lines(grad).to(bias->scalar_type());
	if (wanted[0]) {
		if (has(weight))
			grad = grad.mul(*weight);
		at::Tensor dot = grad.mul(x).mean(inner, true);

		of_input = grad.sub(grad.mean(inner, true)).sub_(x.mul_(dot))
			.mul_(scale).to(input.scalar_type());
	}
	return { of_input, of_weight, of_bias };
}

/* The same with groups of channels; the result of the forward pass is PyTorch's own. */
Three group_norm_backward(const at::Tensor &grad_out, const at::Tensor &input,
			  const at::Tensor &mean, const at::Tensor &rstd,
			  const Optional &weight, int64_t n, int64_t c, int64_t hw,
			  int64_t group, std::array<bool, 3> wanted)
{
	TORCH_CHECK(group > 0 && c % group == 0 && input.numel() == n * c * hw,
		    "group_norm: ", group, " groups of ", c, " channels");
	at::Tensor grad = widened(grad_out).reshape({ n, c, hw });
	at::Tensor scale = widened(rstd).reshape({ n, group, 1 });
	at::Tensor x = widened(input).reshape({ n, group, c / group * hw })
		.sub(widened(mean).reshape({ n, group, 1 })).mul_(scale);
	const std::vector<int64_t> outer = { 0, 2 };
	at::ScalarType type = has(weight) ? weight->scalar_type() :
					    input.scalar_type();
	at::Tensor of_input, of_weight, of_bias;

	if (wanted[1])
		of_weight = grad.mul(x.view({ n, c, hw })).sum(outer)
			.to(type);
	if (wanted[2])
		of_bias = grad.sum(outer).to(type);
	if (wanted[0]) {
		if (has(weight))
			grad = grad.mul(weight->view({ c, 1 }));
		grad = grad.reshape(x.sizes());
		at::Tensor dot = grad.mul(x).mean(2, true);

		of_input = grad.sub(grad.mean(2, true)).sub_(x.mul_(dot))
			.mul_(scale).reshape(input.sizes())
			.to(input.scalar_type());
	}
	return { of_input, of_weight, of_bias };
}

std::tuple<at::Tensor, at::Tensor> variance_mean(
	const at::Tensor &self, at::OptionalIntArrayRef dim,
	c10::optional<int64_t> correction, bool keepdim)
{
	std::vector<int64_t> dims;

	if (dim)
		dims = dim->vec();
	if (dims.empty())
		for (int64_t i = 0; i < self.dim(); i++)
			dims.push_back(i);
	int64_t count = 1;

	for (int64_t i : dims)
		count *= self.dim() ? self.size(i) : 1;
	at::Tensor x = widened(self), mean = x.mean(dims, true);
	double divisor = std::max(count - correction.value_or(1), (int64_t)0);
	at::Tensor var = x.sub(mean).square_().sum(dims, keepdim).div_(divisor);

	if (!keepdim)
		mean = x.mean(dims, false);
	return { var.to(self.scalar_type()), mean.to(self.scalar_type()) };
}

at::Tensor variance(const at::Tensor &self, at::OptionalIntArrayRef dim,
		    c10::optional<int64_t> correction, bool keepdim)
{
	return std::get<0>(variance_mean(self, dim, correction, keepdim));
}

at::Tensor std_deviation(const at::Tensor &self, at::OptionalIntArrayRef dim,
			 c10::optional<int64_t> correction, bool keepdim)
{
	return variance(self, dim, correction, keepdim).sqrt_();
}

std::tuple<at::Tensor, at::Tensor> deviation_mean(
	const at::Tensor &self, at::OptionalIntArrayRef dim,
	c10::optional<int64_t> correction, bool keepdim)
{
	auto [var, mean] = variance_mean(self, dim, correction, keepdim);

	return { var.sqrt_(), mean };
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("native_batch_norm", batch_norm);
	m.impl("native_batch_norm_backward", batch_norm_backward);
	m.impl("native_layer_norm", layer_norm);
	m.impl("native_layer_norm_backward", layer_norm_backward);
	m.impl("native_group_norm_backward", group_norm_backward);
	m.impl("var.correction", variance);
	m.impl("std.correction", std_deviation);
	m.impl("var_mean.correction", variance_mean);
	m.impl("std_mean.correction", deviation_mean);
}

} /* namespace npu */
