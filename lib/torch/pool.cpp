// SPDX-License-Identifier: MIT
/*
 * Pooling whose results PyTorch's device "meta" does not find, and averages that aclnn
 * does not compute; see operators.h for the others.
 */
#include "call.h"

#include <ATen/native/Pool.h>

namespace npu {

namespace {

using Two = std::tuple<at::Tensor, at::Tensor>;

/* Indices count within a plane, which has the last dimensions. */
template <int64_t dims>
at::Tensor max_pool_backward(const at::Tensor &grad, const at::Tensor &self,
			     at::IntArrayRef, at::IntArrayRef, at::IntArrayRef,
			     at::IntArrayRef, bool, const at::Tensor &indices)
{
	at::Tensor out = at::zeros(self.sizes(), self.options());

	out.flatten(-dims).scatter_add_(-1, indices.flatten(-dims),
					grad.flatten(-dims));
	return out;
}

/* Return the numbers of three dimensions. A list may have one for all of them. */
std::array<int64_t, 3> three(const char *name, at::IntArrayRef list)
{
	TORCH_CHECK(list.size() == 1 || list.size() == 3, "max_pool3d: ", name,
		    " must either be a single int, or a tuple of three ints");
	return { list.front(), list[list.size() / 2], list.back() };
}

Two max_pool3d(const at::Tensor &self, at::IntArrayRef kernel,
	       at::IntArrayRef stride, at::IntArrayRef padding,
	       at::IntArrayRef dilation, bool ceil_mode)
{
	at::IntArrayRef step = stride.empty() ? kernel : stride;
	std::array<int64_t, 3> k = three("kernel_size", kernel);
	std::array<int64_t, 3> s = three("stride", step);
	std::array<int64_t, 3> p = three("padding", padding);
	std::array<int64_t, 3> d = three("dilation", dilation);
	std::vector<int64_t> size = self.sizes().vec();

	TORCH_CHECK(self.dim() == 4 || self.dim() == 5, "max_pool3d: expected a "
		    "tensor with 4 or 5 dimensions, but got ", self.dim());
	for (size_t i = 0; i < 3; i++) {
		int64_t &n = size[size.size() - 3 + i];

		n = at::native::pooling_output_shape<int64_t>(n, k[i], p[i],
			s[i], d[i], ceil_mode);
		TORCH_CHECK(n > 0, "max_pool3d: the output's size would be ", n);
	}
	at::Tensor out = at::empty(size, self.options());
	at::Tensor indices = at::empty(size, self.options().dtype(at::kInt));

	NPU_INVOKE(MaxPool3dWithArgmax)({ self, kernel, step, padding, dilation,
					  ceil_mode, out, indices });
	return { out, indices.to(at::kLong) };
}

at::Tensor adaptive_avg_pool2d_backward(const at::Tensor &grad,
					const at::Tensor &self)
{
	at::Tensor out = at::empty(self.sizes(), self.options());

	NPU_INVOKE(AdaptiveAvgPool2dBackward)({ grad, self, out });
	return out;
}

at::Tensor adaptive_avg_pool3d_backward(const at::Tensor &grad,
					const at::Tensor &self)
{
	at::Tensor out = at::empty(self.sizes(), self.options());

	NPU_INVOKE(AdaptiveAvgPool3dBackward)({ grad, self, out });
	return out;
}

/* The reverse of max_pool: each element goes to the position that an index names. */
template <int64_t dims>
at::Tensor unpool(const at::Tensor &self, const at::Tensor &indices,
		  at::IntArrayRef size)
{
	std::vector<int64_t> sizes = self.sizes().vec();

	TORCH_CHECK(self.sizes() == indices.sizes() && (int64_t)size.size() == dims &&
		    (self.dim() == dims + 1 || self.dim() == dims + 2),
		    "max_unpool: sizes do not match");
	std::copy(size.begin(), size.end(), sizes.end() - dims);
	at::Tensor out = at::zeros(sizes, self.options());

	/* The device reports this number as an index that is out of range. */
	at::Tensor places = indices.masked_fill(indices.lt(0), INT32_MAX);

	out.flatten(-dims).scatter_(-1, places.flatten(-dims), self.flatten(-dims));
	return out;
}

/* Only a program's own backward pass would use the stride and the padding. */
at::Tensor max_unpool3d(const at::Tensor &self, const at::Tensor &indices,
			at::IntArrayRef size, at::IntArrayRef, at::IntArrayRef)
{
	return unpool<3>(self, indices, size);
}

/* A dimension with windows; an element of the result averages one of them. */
struct Windows {
	int64_t in, out, kernel, step, padding;

	/* Return how many elements the windows and the padding reach over. */
	int64_t reach() const
	{
		return std::max((out - 1) * step + kernel, in + padding);
	}

	/* Return the sizes of the windows, whose padding may count. */
	std::vector<int64_t> sizes(bool with_padding) const
	{
		std::vector<int64_t> list;

		for (int64_t i = 0; i < out; i++) {
			int64_t first = i * step - padding;
			int64_t end = std::min(first + kernel, in + padding);

			list.push_back(with_padding ? end - first :
				       std::min(end, in) -
				       std::max<int64_t>(first, 0));
		}
		return list;
	}
};

/* The windows of the last dimensions, and the divisor of each element. */
struct Average {
	/* The lists have one number for each dimension, or one for all of them. */
	Average(const at::Tensor &input, const at::Tensor &output,
		const std::vector<int64_t> &kernel,
		const std::vector<int64_t> &stride,
		const std::vector<int64_t> &padding, size_t dims)
	{
		const std::vector<int64_t> &step = stride.empty() ? kernel : stride;

		for (size_t i = 0; i < dims; i++)
			windows.push_back({
				input.size((int64_t)i - (int64_t)dims),
				output.size((int64_t)i - (int64_t)dims),
				kernel[kernel.size() > 1 ? i : 0],
				step[step.size() > 1 ? i : 0],
				padding[padding.size() > 1 ? i : 0] });
	}

	/* Return zeros in place of the input and of the padding. */
	at::Tensor reached(const at::Tensor &like) const
	{
		std::vector<int64_t> size = like.sizes().vec();

		for (size_t i = 0; i < windows.size(); i++)
			size[size.size() - windows.size() + i] =
				windows[i].reach();
		return at::zeros(size, like.options());
	}

	/* Return the view of the input. */
	at::Tensor input_of(at::Tensor padded) const
	{
		for (int64_t i = 0; i < (int64_t)windows.size(); i++)
			padded = padded.narrow(i - (int64_t)windows.size(),
					       windows[i].padding,
					       windows[i].in);
		return padded;
	}

	/* Call a function with the view of each element of the windows. */
	template <class F>
	void each(const at::Tensor &padded, F function, size_t dim = 0) const
	{
		if (dim == windows.size())
			return function(padded);
		const Windows &w = windows[dim];
		int64_t which = (int64_t)dim - (int64_t)windows.size();

		for (int64_t i = 0; i < w.kernel; i++)
			each(padded.slice(which, i, i + (w.out - 1) * w.step + 1,
					  w.step), function, dim + 1);
	}

	/* Return the divisors, as a tensor that expands to the output. */
	at::Tensor divisor(bool with_padding, int64_t given,
			   const at::TensorOptions &options) const
	{
		at::Tensor out = at::full({}, given ? given : 1, options);

		for (size_t i = 0; !given && i < windows.size(); i++) {
			std::vector<int64_t> shape(windows.size() - i, 1);

			shape[0] = -1;
			out = out.mul(at::tensor(windows[i].sizes(with_padding),
						 at::kLong)
				      .to(options.device(),
					  c10::typeMetaToScalarType(
						  options.dtype()))
				      .view(shape));
		}
		return out;
	}

	std::vector<Windows> windows;
};

} /* namespace */

void average_integers(const Values &values)
{
	enum { SELF, KERNEL, STRIDE, PADDING, CEIL, WITH_PADDING, DIVISOR };
	at::Tensor self = values[SELF].toTensor(), out = values.back().toTensor();
	size_t dims = values.size() == DIVISOR + 2 ? 3 : 2;
	Average average(self, out, values[KERNEL].toIntVector(),
			values[STRIDE].toIntVector(),
			values[PADDING].toIntVector(), dims);
	at::Tensor padded = average.reached(self), sum = at::zeros_like(out);

	average.input_of(padded).copy_(self);
	average.each(padded, [&](const at::Tensor &part) { sum.add_(part); });
	out.copy_(sum.div_(average.divisor(values[WITH_PADDING].toBool(),
					   values[DIVISOR].toInt(), self.options()),
			   "trunc"));
}

void compute_avg_pool_backward(const Values &values)
{
	enum { GRAD, SELF, KERNEL, STRIDE, PADDING, CEIL, WITH_PADDING, DIVISOR, OUT };
	at::Tensor grad = values[GRAD].toTensor(), self = values[SELF].toTensor();
	Average average(self, grad, values[KERNEL].toIntVector(),
			values[STRIDE].toIntVector(),
			values[PADDING].toIntVector(), 3);
	at::Tensor padded = average.reached(self);
	at::Tensor part = grad.div(average.divisor(values[WITH_PADDING].toBool(),
						   values[DIVISOR].toInt(),
						   grad.options()));

	average.each(padded, [&](const at::Tensor &place) { place.add_(part); });
	values[OUT].toTensor().copy_(average.input_of(padded));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("max_pool2d_with_indices_backward", max_pool_backward<2>);
	m.impl("max_pool3d_with_indices_backward", max_pool_backward<3>);
	m.impl("max_pool3d_with_indices", OR_ON_CPU(max_pool3d));
	m.impl("max_unpool2d", unpool<2>);
	m.impl("max_unpool3d", max_unpool3d);
	m.impl("_adaptive_avg_pool2d_backward",
	       OR_ON_CPU(adaptive_avg_pool2d_backward));
	m.impl("_adaptive_avg_pool3d_backward",
	       OR_ON_CPU(adaptive_avg_pool3d_backward));
}

} /* namespace npu */
