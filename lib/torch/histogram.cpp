// SPDX-License-Identifier: MIT
/* Histograms of one or several dimensions. */
#include "call.h"

#include <cmath>

namespace npu {

namespace {

using Optional = c10::optional<at::Tensor>;
using Two = std::tuple<at::Tensor, at::Tensor>;
using Range = c10::optional<at::ArrayRef<double>>;

/* Points: the last dimension has their coordinates. */
at::Tensor points_of(const at::Tensor &self)
{
	TORCH_CHECK(self.dim() >= 2, "histogramdd: expected a tensor with 2 "
		    "dimensions at least, but got ", self.dim());
	return self.reshape({ -1, self.size(-1) });
}

/* The ends of the bins of a coordinate. Those of equal numbers are around these. */
std::pair<double, double> limits(const at::Tensor &x, const Range &range, size_t dim)
{
	double low = 0, high = 1;

	if (range) {
		TORCH_CHECK(range->size() > 2 * dim + 1, "histogram: the range has ",
			    range->size(), " numbers");
		low = range->at(2 * dim);
		high = range->at(2 * dim + 1);
	} else if (x.numel()) {
		low = x.min().item<double>();
		high = x.max().item<double>();
	}
	TORCH_CHECK(std::isfinite(low) && std::isfinite(high), "histogram: range of [",
		    low, ", ", high, "] is not finite");
	TORCH_CHECK(low <= high, "histogram: min should not exceed max, but got min ",
		    low, " max ", high);
	return low == high ? std::make_pair(low - 0.5, high + 0.5) :
			     std::make_pair(low, high);
}

/* As PyTorch does, the CPU computes the edges of the bins. */
at::Tensor edges_of(const at::Tensor &x, int64_t bins, const Range &range, size_t dim)
{
	need_fractions(x);
	TORCH_CHECK(bins > 0, "histogram: bins must be > 0, but got ", bins);
	auto [low, high] = limits(x, range, dim);

	return at::linspace(low, high, bins + 1, x.options().device(at::kCPU))
		.to(x.device());
}

/* The bin of each number, or -1. The last bin includes its end. */
at::Tensor bin_of(const at::Tensor &x, const at::Tensor &edges)
{
	int64_t bins = edges.numel() - 1;
	at::Tensor place = at::searchsorted(edges, x.contiguous(), false, true)
		.sub_(1);

	place = place.masked_fill(x.eq(edges.select(0, -1)), bins - 1);
	return place.masked_fill(place.eq(bins), -1);
}

at::Tensor count_points(const at::Tensor &points, const std::vector<at::Tensor> &edges,
			const Optional &weight, bool density)
{
	std::vector<int64_t> sizes;
	at::Tensor flat = at::zeros(points.size(0), points.options().dtype(at::kLong));
	at::Tensor is_inside = at::ones_like(flat, at::kBool);
	int64_t total = 1;

	need_fractions(points);
	bool has_weight = weight && weight->defined();

	TORCH_CHECK(!has_weight || (weight->numel() == points.size(0) &&
		    weight->scalar_type() == points.scalar_type()), "histogram: "
		    "expected a weight of the type ", points.scalar_type(), " with ",
		    points.size(0), " elements");
	TORCH_CHECK((int64_t)edges.size() == points.size(1), "histogramdd: ",
		    edges.size(), " sequences of bins, and ", points.size(1),
		    " coordinates");
	for (size_t i = 0; i < edges.size(); i++) {
		at::Tensor bin = bin_of(points.select(1, i), edges[i]);

		sizes.push_back(edges[i].numel() - 1);
		total *= sizes.back();
		is_inside.logical_and_(bin.ge(0));
		flat = flat.mul(sizes.back()).add_(bin);
	}
	at::Tensor ones = has_weight ? weight->reshape(-1) :
				       at::ones(flat.sizes(), points.options());
	at::Tensor is_outside = is_inside.logical_not();
	at::Tensor out = at::zeros(total, points.options())
		.scatter_add_(0, flat.masked_fill(is_outside, 0),
			      ones.masked_fill(is_outside, 0)).reshape(sizes);

	if (!density)
		return out;
	out.div_(out.sum());
	for (size_t i = 0; i < edges.size(); i++) {
		std::vector<int64_t> shape(edges.size(), 1);

		shape[i] = sizes[i];
		out.div_(edges[i].slice(0, 1).sub(edges[i].slice(0, 0, -1))
			 .view(shape));
	}
	return out;
}

Two histogram(const at::Tensor &self, int64_t bins, Range range,
	      const Optional &weight, bool density)
{
	at::Tensor x = self.reshape({ -1, 1 });
	at::Tensor edges = edges_of(x, bins, range, 0);

	return { count_points(x, { edges }, weight, density), edges };
}

Two histogram_between(const at::Tensor &self, const at::Tensor &edges,
		      const Optional &weight, bool density)
{
	TORCH_CHECK(edges.dim() == 1 && edges.numel() > 1, "histogram: expected a "
		    "vector of 2 edges at least");
	return { count_points(self.reshape({ -1, 1 }), { edges }, weight, density),
		 edges.clone() };
}

std::vector<at::Tensor> bin_edges(const at::Tensor &self, at::IntArrayRef bins,
				  Range range, const Optional &, bool)
{
	at::Tensor points = points_of(self);
	std::vector<at::Tensor> out;

	TORCH_CHECK((int64_t)bins.size() == points.size(1), "histogramdd: ",
		    bins.size(), " numbers of bins, and ", points.size(1),
		    " coordinates");
	for (size_t i = 0; i < bins.size(); i++)
		out.push_back(edges_of(points.select(1, i), bins[i], range, i));
	return out;
}

at::Tensor histogramdd(const at::Tensor &self, at::IntArrayRef bins, Range range,
		       const Optional &weight, bool density)
{
	return count_points(points_of(self), bin_edges(self, bins, range, weight,
						       density), weight, density);
}

at::Tensor histogramdd_between(const at::Tensor &self, at::TensorList edges,
			       const Optional &weight, bool density)
{
	return count_points(points_of(self), edges.vec(), weight, density);
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("histogram.bin_ct", OR_ON_CPU(histogram));
	m.impl("histogram.bins_tensor", OR_ON_CPU(histogram_between));
	m.impl("_histogramdd_bin_edges", OR_ON_CPU(bin_edges));
	m.impl("_histogramdd_from_bin_cts", OR_ON_CPU(histogramdd));
	m.impl("_histogramdd_from_bin_tensors",
	       OR_ON_CPU(histogramdd_between));
}

} /* namespace npu */
