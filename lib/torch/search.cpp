// SPDX-License-Identifier: MIT
/*
 * Operators that search, count and choose elements.
 */
#include "call.h"

#include <cmath>

#include <ATen/OpMathType.h>

namespace npu {

namespace {

using Optional = c10::optional<at::Tensor>;
using Two = std::tuple<at::Tensor, at::Tensor>;

at::Tensor search_sorted(const at::Tensor &sorted, const at::Tensor &self,
			bool is_int32, bool is_right,
			c10::optional<c10::string_view> side, const Optional &sorter)
{
	TORCH_CHECK(!side || *side == "left" || *side == "right",
		    "searchsorted: side is ", *side, ", not left or right");
	TORCH_CHECK(!side || !is_right || *side == "right", "searchsorted: side is "
		    "left, but right is true");
	TORCH_CHECK(!sorter || !sorter->defined() ||
		    (sorter->sizes() == sorted.sizes() &&
		     sorter->scalar_type() == at::kLong), "searchsorted: the sorter "
		    "must be a long tensor of the sorted sequence's size");
	at::Tensor out = at::empty(self.sizes(),
		self.options().dtype(is_int32 ? at::kInt : at::kLong));
	bool is_after = is_right || (side && *side == "right");
	at::ScalarType type = at::result_type(sorted, self);

	if (out.numel())
		NPU_INVOKE(SearchSorted)({ sorted.to(type), self.to(type), is_int32,
					   is_after, sorter, out });
	return out;
}

at::Tensor bucketize(const at::Tensor &self, const at::Tensor &boundaries,
		     bool is_int32, bool is_right)
{
	TORCH_CHECK(boundaries.dim() == 1, "bucketize: boundaries have ",
		    boundaries.dim(), " dimensions, not 1");
	return search_sorted(boundaries, self, is_int32, is_right, {}, {});
}

at::Tensor bincount(const at::Tensor &self, const Optional &weights,
		    int64_t minlength)
{
	TORCH_CHECK(self.dim() == 1 && minlength >= 0 &&
		    at::isIntegralType(self.scalar_type(), false),
		    "bincount: expected a vector of integers, and a minlength of at "
		    "least 0");
	bool has_weights = weights && weights->defined();

	TORCH_CHECK(!has_weights || weights->sizes() == self.sizes(),
		    "bincount: weights have another size than the input");
	if (!self.numel())
		return at::zeros({ minlength }, self.options().dtype(at::kLong));
	at::ScalarType type = !has_weights ? at::kLong :
		weights->scalar_type() == at::kFloat ? at::kFloat : at::kDouble;
	int64_t count = std::max(minlength, self.max().item<int64_t>() + 1);

	TORCH_CHECK(self.min().item<int64_t>() >= 0,
		    "bincount: a number is negative");
	at::Tensor ones = at::ones({ 1 }, self.options().dtype(type));

	return at::zeros({ count }, self.options().dtype(type))
		.scatter_add_(0, self.to(at::kLong), has_weights ?
			      weights->to(type) : ones.expand(self.sizes()));
}

at::Tensor histc(const at::Tensor &self, int64_t bins, const at::Scalar &min,
		 const at::Scalar &max)
{
	double least = min.toDouble(), most = max.toDouble();

	TORCH_CHECK(bins > 0, "histc: the number of bins is ", bins);
	/* The range is that of the elements then. */
	if (least == most && self.numel()) {
		least = self.min().item<double>();
		most = self.max().item<double>();
	}
	TORCH_CHECK(std::isfinite(least) && std::isfinite(most),
		    "histc: range of [", least, ", ", most, "] is not finite");
	TORCH_CHECK(least <= most, "histc: max must be larger than min");
	if (least == most) {
		least -= 1;
		most += 1;
	}
	at::Tensor out = at::zeros({ bins }, self.options());

	if (self.numel())
		NPU_INVOKE(Histc)({ self, bins, least, most, out });
	return out;
}

/* Each number repeats its position: the first sum that exceeds a place is its own. */
at::Tensor repeat_interleave(const at::Tensor &repeats, c10::optional<int64_t> size)
{
	TORCH_CHECK(repeats.dim() == 1 && (repeats.scalar_type() == at::kInt ||
					   repeats.scalar_type() == at::kLong),
		    "repeat_interleave: expected a vector of type int or long");
	if (!repeats.numel())
		return at::empty({ 0 }, repeats.options());
	TORCH_CHECK(repeats.min().item<int64_t>() >= 0,
		    "repeat_interleave: a number is negative");
	at::Tensor ends = repeats.cumsum(0, at::kLong);
	int64_t total = ends.select(0, -1).item<int64_t>();

	TORCH_CHECK(!size || *size == total, "repeat_interleave: the output's size "
		    "is ", total);
	return search_sorted(ends, at::arange(total, ends.options()), false, true, {},
			    {}).to(repeats.scalar_type());
}

/* Write the elements at a place of each sorted line, and their indices. */
void pick(const Two &sorted, const at::Tensor &place, int64_t dim, bool is_number,
	  bool keepdim, at::Tensor &values, at::Tensor &indices)
{
	at::Tensor value = std::get<0>(sorted), index = std::get<1>(sorted);

	TORCH_CHECK(values.scalar_type() == value.scalar_type() &&
		    indices.scalar_type() == at::kLong &&
		    values.device() == value.device() &&
		    indices.device() == value.device(), "expected results of the "
		    "types ", value.scalar_type(), " and Long on ", value.device());
	value = value.gather(dim, place);
	index = index.gather(dim, place);
	if (is_number) {
		value = value.reshape({});
		index = index.reshape({});
	} else if (!keepdim) {
		value = value.squeeze(dim);
		index = index.squeeze(dim);
	}
	values.resize_(value.sizes()).copy_(value);
	indices.resize_(index.sizes()).copy_(index);
}

std::tuple<at::Tensor &, at::Tensor &> kthvalue(
	const at::Tensor &self, int64_t k, int64_t dim, bool keepdim,
	at::Tensor &values, at::Tensor &indices)
{
	at::Tensor x = self.dim() ? self : self.reshape(1);
	int64_t wrapped = at::maybe_wrap_dim(dim, x.dim());
	std::vector<int64_t> size = x.sizes().vec();

	TORCH_CHECK(k >= 1 && k <= size[wrapped], "kthvalue: k is ", k,
		    ", not from 1 to ", size[wrapped]);
	size[wrapped] = 1;
	pick(x.sort(true, wrapped, false),
	     at::full(size, k - 1, x.options().dtype(at::kLong)), wrapped,
	     !self.dim(), keepdim, values, indices);
	return { values, indices };
}

/*
 * Sorting puts NaNs last, and keeps their order. The lower median of the others is in
 * the middle; if NaNs count, it is the first one of each line that has one.
 */
template <bool skips_nan>
std::tuple<at::Tensor &, at::Tensor &> median_dim(
	const at::Tensor &self, int64_t dim, bool keepdim, at::Tensor &values,
	at::Tensor &indices)
{
	at::Tensor x = self.dim() ? self : self.reshape(1);
	int64_t wrapped = at::maybe_wrap_dim(dim, x.dim());
	int64_t length = x.size(wrapped);

	TORCH_CHECK_INDEX(length, "median: the dimension ", dim, " is empty");
	at::Tensor nans = x.isnan().sum({ wrapped }, true);
	at::Tensor place = skips_nan ?
		nans.neg().add_(length - 1).clamp_min_(0)
			.div_(at::scalar_tensor(2, at::kLong), "floor") :
		at::where(nans.gt(0), nans.neg().add_(length),
			  at::scalar_tensor((length - 1) / 2, nans.options()));

	pick(x.sort(true, wrapped, false), place, wrapped, !self.dim(), keepdim,
	     values, indices);
	return { values, indices };
}

template <bool skips_nan>
at::Tensor median(const at::Tensor &self)
{
	at::Tensor value = at::empty({ 0 }, self.options());
	at::Tensor index = at::empty({ 0 }, self.options().dtype(at::kLong));

	if (!self.numel())
		return at::full({}, std::nan(""), self.options());
	median_dim<skips_nan>(self.reshape(-1), 0, false, value, index);
	return value;
}

/*
 * Of equal numbers, which are next to each other in sorted order, the last one knows how
 * many there are. The mode is the first of those with the largest count.
 */
Two mode(const at::Tensor &self, int64_t dim, bool keepdim)
{
	at::Tensor x = self.dim() ? self : self.reshape(1);
	int64_t wrapped = at::maybe_wrap_dim(dim, x.dim()), length = x.size(wrapped);
	at::Tensor values = at::empty({ 0 }, self.options());
	at::Tensor indices = at::empty({ 0 }, self.options().dtype(at::kLong));
	std::vector<int64_t> shape(x.dim(), 1);

	TORCH_CHECK_INDEX(length, "mode(): Expected reduction dim ", dim, " to have "
			  "non-zero size.");
	shape[wrapped] = length;
	Two sorted = x.sort(true, wrapped, false);
	at::Tensor value = std::get<0>(sorted);
	at::Tensor number = at::arange(length, indices.options()).view(shape);
	at::Tensor repeats = value.eq(value.roll(1, wrapped))
		.logical_and_(number.gt(0));
	at::Tensor start = number.expand(x.sizes()).masked_fill(repeats, 0);
	at::Tensor place = number.sub(std::get<0>(start.cummax(wrapped)))
		.argmax(wrapped, true);

	pick(sorted, place, wrapped, !self.dim(), keepdim, values, indices);
	return { values, indices };
}

/* Each step adds sums that are twice as long as those before. */
at::Tensor &logcumsumexp_out(const at::Tensor &self, int64_t dim, at::Tensor &out)
{
	need_fractions(self);
	at::Tensor sum = self.to(at::toOpMathType(self.scalar_type()));
	int64_t wrapped = at::maybe_wrap_dim(dim, self.dim());
	int64_t length = self.dim() ? self.size(wrapped) : 1;

	for (int64_t step = 1; step < length; step *= 2) {
		at::Tensor next = sum.clone();

		next.narrow(wrapped, step, length - step).copy_(at::logaddexp(
			sum.narrow(wrapped, step, length - step),
			sum.narrow(wrapped, 0, length - step)));
		sum = next;
	}
	return out.resize_(self.sizes()).copy_(sum);
}

at::Tensor logcumsumexp(const at::Tensor &self, int64_t dim)
{
	at::Tensor out = at::empty(self.sizes(), self.options());

	return logcumsumexp_out(self, dim, out);
}

void cummax(const at::Tensor &self, at::Tensor &values, at::Tensor &indices,
	    int64_t dim)
{
	NPU_INVOKE(Cummax)({ self, dim, values, indices });
}

void cummin(const at::Tensor &self, at::Tensor &values, at::Tensor &indices,
	    int64_t dim)
{
	NPU_INVOKE(Cummin)({ self, dim, values, indices });
}

/* Masks would choose elements. */
void check_index(const char *name, const at::Tensor &self, const at::Tensor &index)
{
	TORCH_CHECK(index.scalar_type() == at::kLong, name,
		    ": Expected a long tensor for index, but got ",
		    index.scalar_type());
	TORCH_CHECK_INDEX(self.numel() || !index.numel(), name,
			  ": the tensor is empty, and the index is not");
}

at::Tensor take(const at::Tensor &self, const at::Tensor &index)
{
	check_index("take()", self, index);
	c10::List<Optional> places;

	places.push_back(index);
	return at::index(self.reshape(-1), places);
}

at::Tensor &put(at::Tensor &self, const at::Tensor &index, const at::Tensor &source,
		bool accumulate)
{
	check_index("put_()", self, index);
	TORCH_CHECK(source.scalar_type() == self.scalar_type(), "put_(): self and "
		    "source expected to have the same dtype, but got ",
		    self.scalar_type(), " and ", source.scalar_type());
	TORCH_CHECK(index.numel() == source.numel(), "put_: the index has ",
		    index.numel(), " elements, the source ", source.numel());
	at::Tensor flat = self.reshape(-1);
	c10::List<Optional> places;

	places.push_back(index.reshape(-1));
	flat.index_put_(places, source.reshape(-1), accumulate);
	copy_back(flat, self);
	return self;
}

at::Tensor &index_fill(at::Tensor &self, int64_t dim, const at::Tensor &index,
		       const at::Tensor &value)
{
	TORCH_CHECK(!value.dim(), "index_fill_: the value has ", value.dim(),
		    " dimensions, not 0");
	return self.index_fill_(dim, index, value.item());
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("searchsorted.Tensor", OR_ON_CPU(search_sorted));
	m.impl("bucketize.Tensor", OR_ON_CPU(bucketize));
	m.impl("bincount", bincount);
	m.impl("histc", OR_ON_CPU(histc));
	m.impl("repeat_interleave.Tensor", OR_ON_CPU(repeat_interleave));
	m.impl("kthvalue.values", kthvalue);
	m.impl("median.dim_values", median_dim<false>);
	m.impl("nanmedian.dim_values", median_dim<true>);
	m.impl("median", median<false>);
	m.impl("nanmedian", median<true>);
	m.impl("mode", mode);
	m.impl("_logcumsumexp", OR_ON_CPU(logcumsumexp));
	m.impl("_logcumsumexp.out", OR_ON_CPU(logcumsumexp_out));
	m.impl("_cummax_helper", OR_ON_CPU(cummax));
	m.impl("_cummin_helper", OR_ON_CPU(cummin));
	m.impl("take", take);
	m.impl("put_", put);
	m.impl("index_fill_.int_Tensor", index_fill);
}

} /* namespace npu */
