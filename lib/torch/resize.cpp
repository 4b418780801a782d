// SPDX-License-Identifier: MIT
/*
 * Padding by the tensor's own elements, resizing of volumes and sampling at the points
 * of a grid, as far as operators.h does not have them.
 */
#include "call.h"

#include <ATen/native/UpSample.h>

namespace npu {

namespace {

using Two = std::tuple<at::Tensor, at::Tensor>;
using Factors = c10::optional<at::ArrayRef<double>>;

/* Return which of @n elements each element of the padded dimension is. */
at::Tensor origins(int64_t n, int64_t before, int64_t after, bool reflects,
		   c10::Device device)
{
	std::vector<int64_t> out;

	TORCH_CHECK(n > 0 && n + before + after > 0, "the padding (", before, ", ",
		    after, ") leaves nothing of the size ", n);
	TORCH_CHECK(!reflects || (before < n && after < n), "the padding (", before,
		    ", ", after, ") is not less than the size ", n);
	for (int64_t i = -before; i < n + after; i++) {
		int64_t inside = std::min(std::max<int64_t>(i, 0), n - 1);

		out.push_back(reflects ? 2 * inside - i : inside);
	}
	return at::tensor(out, at::kLong).to(device);
}

/* The padding lists the numbers before and after, from the last dimension on. */
template <int64_t dims>
void check_padding(const at::Tensor &self, at::IntArrayRef padding)
{
	TORCH_CHECK((int64_t)padding.size() == 2 * dims, "expected a padding of ",
		    2 * dims, " numbers, but got ", padding.size());
	TORCH_CHECK(self.dim() == dims + 1 || self.dim() == dims + 2,
		    "expected a tensor with ", dims + 1, " or ", dims + 2,
		    " dimensions, but got ", self.dim());
}

template <int64_t dims, bool reflects>
at::Tensor pad(const at::Tensor &self, at::IntArrayRef padding)
{
	at::Tensor out = self;

	check_padding<dims>(self, padding);
	for (int64_t i = 0; i < dims; i++)
		out = out.index_select(-1 - i, origins(self.size(-1 - i),
			padding[2 * i], padding[2 * i + 1], reflects,
			self.device()));
	return out;
}

template <int64_t dims, bool reflects>
at::Tensor pad_backward(const at::Tensor &grad, const at::Tensor &self,
			at::IntArrayRef padding)
{
	at::Tensor out = grad;

	check_padding<dims>(self, padding);
	TORCH_CHECK(grad.dim() == self.dim(), "the gradient has ", grad.dim(),
		    " dimensions, the input ", self.dim());
	for (int64_t i = 0; i < dims; i++) {
		int64_t dim = self.dim() - 1 - i;
		std::vector<int64_t> sizes = out.sizes().vec();

		sizes[dim] = self.size(dim);
		out = at::zeros(sizes, out.options()).index_add_(dim,
			origins(self.size(dim), padding[2 * i],
				padding[2 * i + 1], reflects, self.device()),
			out);
	}
	return out;
}

c10::optional<double> factor(const Factors &factors, size_t i)
{
	return factors ? c10::make_optional(factors->at(i)) : c10::nullopt;
}

using Resize = at::Tensor (*)(const at::Tensor &, at::IntArrayRef,
			      c10::optional<double>, c10::optional<double>,
			      c10::optional<double>);

template <Resize resize>
at::Tensor resize_volume(const at::Tensor &input, at::OptionalIntArrayRef size,
			 Factors factors)
{
	auto sizes = at::native::upsample::compute_output_size(input.sizes(), size,
							       factors);

	return resize(input, sizes, factor(factors, 0), factor(factors, 1),
		      factor(factors, 2));
}

using ResizeBackward = at::Tensor (*)(const at::Tensor &, at::IntArrayRef,
				      at::IntArrayRef, c10::optional<double>,
				      c10::optional<double>,
				      c10::optional<double>);

template <ResizeBackward resize>
at::Tensor resize_volume_backward(const at::Tensor &grad,
				  at::OptionalIntArrayRef size,
				  at::IntArrayRef input, Factors factors)
{
	auto sizes = at::native::upsample::compute_output_size(input, size, factors);

	return resize(grad, sizes, input, factor(factors, 0), factor(factors, 1),
		      factor(factors, 2));
}

Two grid_sample_backward(const at::Tensor &grad, const at::Tensor &input,
			 const at::Tensor &grid, int64_t interpolation,
			 int64_t padding, bool align_corners,
			 std::array<bool, 2> wanted)
{
	at::Tensor of_input = at::zeros(input.sizes(), input.options());
	at::Tensor of_grid = at::empty(grid.sizes(), grid.options());
	c10::List<bool> both({ true, true });

	(input.dim() == 4 ? NPU_INVOKE(GridSampler2DBackward) :
			    NPU_INVOKE(GridSampler3DBackward))(
		{ grad, input, grid, interpolation, padding, align_corners, both,
		  of_input, of_grid });
	return { wanted[0] ? of_input : at::Tensor(),
		 wanted[1] ? of_grid : at::Tensor() };
}

at::Tensor grid_sample_volume(const at::Tensor &input, const at::Tensor &grid,
			      int64_t interpolation, int64_t padding,
			      bool align_corners)
{
	TORCH_CHECK(input.dim() == 5 && grid.dim() == 5, "grid_sampler_3d: expected "
		    "an input and a grid with 5 dimensions, but got ", input.dim(),
		    " and ", grid.dim());
	at::Tensor out = at::empty({ input.size(0), input.size(1), grid.size(1),
				     grid.size(2), grid.size(3) },
				   input.options());

	NPU_INVOKE(GridSampler3D)({ input, grid, interpolation, padding,
				    align_corners, out });
	return out;
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("reflection_pad3d", pad<3, true>);
	m.impl("replication_pad3d", pad<3, false>);
	m.impl("reflection_pad1d_backward", pad_backward<1, true>);
	m.impl("reflection_pad2d_backward", pad_backward<2, true>);
	m.impl("reflection_pad3d_backward", pad_backward<3, true>);
	m.impl("replication_pad1d_backward", pad_backward<1, false>);
	m.impl("replication_pad2d_backward", pad_backward<2, false>);
	m.impl("replication_pad3d_backward", pad_backward<3, false>);
	m.impl("upsample_nearest3d.vec", resize_volume<at::upsample_nearest3d>);
	m.impl("_upsample_nearest_exact3d.vec",
	       resize_volume<at::_upsample_nearest_exact3d>);
	m.impl("upsample_nearest3d_backward.vec",
	       resize_volume_backward<at::upsample_nearest3d_backward>);
	m.impl("_upsample_nearest_exact3d_backward.vec",
	       resize_volume_backward<at::_upsample_nearest_exact3d_backward>);
	m.impl("grid_sampler_2d_backward", OR_ON_CPU(grid_sample_backward));
	m.impl("grid_sampler_3d_backward", OR_ON_CPU(grid_sample_backward));
	m.impl("grid_sampler_3d", OR_ON_CPU(grid_sample_volume));
}

} /* namespace npu */
