// SPDX-License-Identifier: MIT
/*
 * Convolutions. Their gradients are convolutions, too. The gradient of the input is the
 * transposed convolution. The gradient of the weight is a convolution of the input, and
 * its weight is the gradient of the output.
 */
#include "call.h"

#include <array>

namespace npu {

namespace {

struct Window {
	at::IntArrayRef stride, padding, dilation;
};

/* A list of one number stands for all dimensions. */
std::vector<int64_t> all_dims(at::IntArrayRef list, size_t dims)
{
	return list.size() == dims ? list.vec() :
	       std::vector<int64_t>(dims, list.at(0));
}

int64_t output_size(int64_t in, int64_t kernel, int64_t stride, int64_t padding,
		    int64_t dilation, bool transposed, int64_t output_padding)
{
	int64_t reach = dilation * (kernel - 1);

	if (transposed)
		return (in - 1) * stride - 2 * padding + reach + output_padding + 1;
	return (in + 2 * padding - reach - 1) / stride + 1;
}

at::Tensor convolve(const at::Tensor &input, const at::Tensor &weight,
		    const c10::optional<at::Tensor> &bias,
		    at::IntArrayRef stride, at::IntArrayRef padding,
		    at::IntArrayRef dilation, bool transposed,
		    at::IntArrayRef output_padding, int64_t groups)
{
	c10::DeviceGuard on(input.device());
	size_t dims = input.dim() - 2;
	std::vector<int64_t> s = all_dims(stride, dims);
	std::vector<int64_t> p = all_dims(padding, dims);
	std::vector<int64_t> d = all_dims(dilation, dims);
	std::vector<int64_t> o = all_dims(output_padding, dims);
	std::vector<int64_t> size = { input.size(0), transposed ?
				      weight.size(1) * groups : weight.size(0) };

	for (size_t i = 0; i < dims; i++)
		size.push_back(output_size(input.size(i + 2), weight.size(i + 2),
					   s[i], p[i], d[i], transposed, o[i]));
	at::Tensor out = at::empty(size, input.options());

	if (out.numel())
		LAUNCH(Convolution, input, weight,
		       bias ? c10::IValue(*bias) : c10::IValue(), s, p, d,
		       transposed, o, groups, out, 0);
	return out;
}

at::Tensor input_gradient(const at::Tensor &grad, const at::Tensor &input,
			  const at::Tensor &weight, const Window &w,
			  bool transposed, int64_t groups)
{
	size_t dims = input.dim() - 2;
	std::vector<int64_t> more(dims);

	for (size_t i = 0; !transposed && i < dims; i++)
		more[i] = input.size(i + 2) -
			  output_size(grad.size(i + 2), weight.size(i + 2),
				      w.stride[i], w.padding[i], w.dilation[i],
				      true, 0);
	at::Tensor out = convolve(grad, weight, {}, w.stride, w.padding,
				  w.dilation, !transposed, more, groups);

	/* The last elements come from the padding of the output alone. */
	for (int64_t i = 2; i < out.dim(); i++)
		out = out.narrow(i, 0, input.size(i));
	return out;
}

/* Return the gradient of the weight, for one group that is not transposed. */
at::Tensor group_gradient(const at::Tensor &grad, const at::Tensor &input,
			  const at::Tensor &weight, const Window &w)
{
	std::vector<int64_t> none(input.dim() - 2);
	at::Tensor out = convolve(input.transpose(0, 1), grad.transpose(0, 1),
				     {}, w.dilation, w.padding, w.stride, false,
				     none, 1);

	/* Elements of the input that no window reached have made the result longer. */
	for (int64_t i = 2; i < out.dim(); i++)
		out = out.narrow(i, 0, weight.size(i));
	return out.transpose(0, 1);
}

at::Tensor weight_gradient(const at::Tensor &grad, const at::Tensor &input,
			   const at::Tensor &weight, const Window &w,
			   bool transposed, int64_t groups)
{
	std::vector<at::Tensor> parts;

	for (int64_t i = 0; i < groups; i++) {
		at::Tensor g = grad.chunk(groups, 1)[i];
		at::Tensor x = input.chunk(groups, 1)[i];

		parts.push_back(transposed ? group_gradient(x, g, weight, w) :
					     group_gradient(g, x, weight, w));
	}
	return groups == 1 ? parts[0].contiguous() : at::cat(parts, 0);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolve_backward(
	const at::Tensor &grad, const at::Tensor &input, const at::Tensor &weight,
	at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
	bool transposed, at::IntArrayRef, int64_t groups,
	std::array<bool, 3> wanted)
{
	size_t dims = input.dim() - 2;
	std::vector<int64_t> s = all_dims(stride, dims);
	std::vector<int64_t> p = all_dims(padding, dims);
	std::vector<int64_t> d = all_dims(dilation, dims);
	Window window = { s, p, d };
	at::Tensor of_input, of_weight, of_bias;

	if (wanted[0])
		of_input = input_gradient(grad, input, weight, window, transposed,
					  groups);
	if (wanted[1])
		of_weight = weight_gradient(grad, input, weight, window,
					    transposed, groups);
	if (wanted[2]) {
		std::vector<int64_t> others = { 0 };

		for (int64_t i = 2; i < grad.dim(); i++)
			others.push_back(i);
		of_bias = grad.sum(others);
	}
	return { of_input, of_weight, of_bias };
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("convolution_overrideable", convolve);
	m.impl("convolution_backward_overrideable", convolve_backward);
}

} /* namespace npu */
