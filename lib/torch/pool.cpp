// SPDX-License-Identifier: MIT
/*
 * Pooling whose results PyTorch's device "meta" does not find; see operators.h for the
 * others.
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

} /* namespace */

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
