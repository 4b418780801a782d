// SPDX-License-Identifier: MIT
/*
 * Reductions of elements that have the same index: scatter_reduce(), index_reduce() and
 * segment_reduce().
 */
#include "call.h"

#include <cmath>
#include <limits>

#include <ATen/OpMathType.h>

namespace npu {

namespace {

at::Tensor with_dim(const at::Tensor &tensor)
{
	return tensor.dim() ? tensor : tensor.unsqueeze(0);
}

/* A reduction: elements of @source are reduced into those of @self that @index names. */
struct Reduction {
	at::Tensor self, index, source;
	int64_t dim;
	bool include_self;

	/* Return self; without its own elements, @value is in the places of the index. */
	at::Tensor start(const at::Scalar &value) const
	{
		return include_self ? self : self.scatter(dim, index, value);
	}

	at::Tensor sum() const
	{
		return start(0).scatter_add(dim, index, source);
	}

	at::Tensor product() const
	{
		return start(1).scatter(dim, index, source, "multiply");
	}

	at::Tensor mean() const
	{
		at::Tensor ones = at::ones_like(self);
		at::Tensor count = (include_self ? ones : at::zeros_like(self))
			.scatter_add(dim, index, at::ones_like(source))
			.clamp_min_(1);

		return self.is_floating_point() ? sum().div_(count) :
						  sum().div_(count, "floor");
	}

	at::Tensor most(bool is_least) const;
};

/*
 * scatter() writes elements in their order along the dimension, so the last one of those
 * with the same index stays. In sorted order that is the largest, or NaN.
 */
at::Tensor Reduction::most(bool is_least) const
{
	bool negates = is_least && self.is_floating_point();
	at::Tensor base = negates ? self.neg() : self;
	at::Tensor values, order;

	std::tie(values, order) = (negates ? source.neg() : source)
		.sort(true, dim, is_least && !negates);
	at::Tensor out = base.scatter(dim, index.gather(dim, order), values);

	if (include_self)
		out = is_least && !negates ? at::minimum(out, base) :
					     at::maximum(out, base);
	return negates ? out.neg_() : out;
}

at::Tensor reduce(const Reduction &reduction, const std::string &name)
{
	if (name == "sum")
		return reduction.sum();
	if (name == "prod")
		return reduction.product();
	if (name == "mean")
		return reduction.mean();
	if (name == "amax" || name == "amin")
		return reduction.most(name == "amin");
	throw Unsupported{ "reduction " + name };
}

/* The type in which elements are reduced. */
at::ScalarType wide_type(at::ScalarType type)
{
	return type == at::kBool ? at::kInt : at::toOpMathType(type);
}

at::Tensor reduce_into(const at::Tensor &self, int64_t dim, const at::Tensor &index,
		       const at::Tensor &source, const std::string &name,
		       bool include_self)
{
	if (self.is_complex())
		throw Unsupported{ "complex numbers" };
	at::ScalarType type = wide_type(self.scalar_type());
	at::Tensor places = with_dim(index), x = with_dim(self).to(type);
	at::Tensor values = with_dim(source).to(type);

	for (int64_t i = 0; i < places.dim(); i++)
		values = values.narrow(i, 0, places.size(i));
	if (!places.numel())
		return self;
	dim = at::maybe_wrap_dim(dim, x.dim());
	return reduce({ x, places, values, dim, include_self }, name)
		.reshape(self.sizes());
}

} /* namespace */

void compute_scatter_reduce(const Values &values)
{
	enum { SELF, DIM, INDEX, SOURCE, REDUCE, INCLUDE_SELF, OUT };

	values[OUT].toTensor().copy_(reduce_into(values[SELF].toTensor(),
		values[DIM].toInt(), values[INDEX].toTensor(),
		values[SOURCE].toTensor(), values[REDUCE].toStringRef(),
		values[INCLUDE_SELF].toBool()));
}

namespace {

using Optional = c10::optional<at::Tensor>;

/* Segments of a dimension, and one more with the elements behind them. */
struct Segments {
	Segments(const at::Tensor &data, const Optional &given,
		 const Optional &offsets, int64_t axis)
		: dim(at::maybe_wrap_dim(axis, data.dim()))
	{
		TORCH_CHECK((given && given->defined()) ||
			    (offsets && offsets->defined()), "segment_reduce(): "
			    "Either lengths or offsets must be defined.");
		lengths = given && given->defined() ? *given : offsets->diff();
		TORCH_CHECK(lengths.dim() == dim + 1, "segment_reduce(): axis must "
			    "be the last dimension of the lengths, which have ",
			    lengths.dim());
		count = lengths.size(dim);
		sizes = data.sizes().vec();
		sizes[dim] = count + 1;
		index = at::searchsorted(lengths.to(at::kLong).cumsum(dim),
			at::arange(data.size(dim), lengths.options()
				   .dtype(at::kLong))
			.expand(data.sizes().slice(0, dim + 1)).contiguous(),
			false, true);
		index = over_rest(index, data).expand(data.sizes());
	}

	/* Give a tensor the dimensions behind the axis. */
	at::Tensor over_rest(at::Tensor tensor, const at::Tensor &data) const
	{
		while (tensor.dim() < data.dim())
			tensor = tensor.unsqueeze(-1);
		return tensor;
	}

	/* Return the length of each segment, as a number of the data's type. */
	at::Tensor divisor(const at::Tensor &data) const
	{
		return over_rest(lengths, data).to(data.scalar_type());
	}

	/* Reduce elements to one for each segment. */
	at::Tensor reduce_to(const at::Tensor &data, const std::string &name,
			     double start) const
	{
		return reduce({ at::full(sizes, start, data.options()), index, data,
				dim, true }, name);
	}

	/* Return the element of its segment for each one; those behind have 0. */
	at::Tensor spread(const at::Tensor &segments) const
	{
		std::vector<int64_t> size = sizes;

		size[dim] = 1;
		return at::cat({ segments, at::zeros(size, segments.options()) }, dim)
			.gather(dim, index);
	}

	int64_t dim, count;
	at::Tensor lengths, index;
	std::vector<int64_t> sizes;
};

/* Without an initial number, empty segments have this one. */
double neutral(c10::string_view name, const c10::optional<at::Scalar> &initial)
{
	constexpr double INF = std::numeric_limits<double>::infinity();

	if (initial)
		return initial->toDouble();
	if (name == "max" || name == "min")
		return name == "max" ? -INF : INF;
	return name == "prod";
}

std::string reduction_of(c10::string_view name)
{
	if (name == "max" || name == "min")
		return "a" + std::string(name);
	return name == "prod" ? "prod" : "sum";
}

at::Tensor segment_reduce(const at::Tensor &data, c10::string_view name,
			  const Optional &lengths, const Optional &,
			  const Optional &offsets, int64_t axis, bool unsafe,
			  const c10::optional<at::Scalar> &initial)
{
	need_fractions(data);
	Segments segments(data, lengths, offsets, axis);
	int64_t dim = segments.dim;

	TORCH_CHECK(unsafe || !segments.lengths.numel() ||
		    (segments.lengths.min().item<int64_t>() >= 0 &&
		     segments.lengths.sum(dim).eq(data.size(dim)).all()
		     .item<bool>()), "segment_reduce(): Expected all rows of lengths "
		    "along axis to sum to data.size(axis) when !unsafe, and no length "
		    "below 0");
	at::Tensor out = segments.reduce_to(data, reduction_of(name),
					    neutral(name, initial))
		.narrow(dim, 0, segments.count);

	if (name != "mean")
		return out.contiguous();
	at::Tensor divisor = segments.divisor(data);

	out = out.div(divisor.clamp_min(1));
	return initial ? out : out.masked_fill_(divisor.eq(0), NAN);
}

/* The product of the other elements of the segment: zeros are counted, not divided by. */
at::Tensor others_product(const Segments &segments, const at::Tensor &data,
			  double start)
{
	at::Tensor is_zero = data.eq(0), factors = data.masked_fill(is_zero, 1);
	at::Tensor product = segments.reduce_to(factors, "prod", start)
		.gather(segments.dim, segments.index).div_(factors);
	at::Tensor zeros = segments.reduce_to(is_zero.to(data.scalar_type()), "sum", 0)
		.gather(segments.dim, segments.index)
		.sub_(is_zero.to(data.scalar_type()));

	return product.masked_fill_(zeros.gt(0), 0);
}

at::Tensor segment_reduce_backward(const at::Tensor &grad, const at::Tensor &output,
				   const at::Tensor &data, c10::string_view name,
				   const Optional &lengths, const Optional &offsets,
				   int64_t axis,
				   const c10::optional<at::Scalar> &initial)
{
	Segments segments(data, lengths, offsets, axis);
	at::Tensor out;

	if (name == "mean")
		return segments.spread(grad.div(segments.divisor(data)
						.clamp_min(1)));
	out = segments.spread(grad);
	if (name == "prod")
		return out.mul_(others_product(segments, data,
					       neutral(name, initial)));
	if (name == "sum")
		return out;
	/* Those that are equal to the result share its gradient. */
	at::Tensor is_result = data.eq(segments.spread(output))
		.logical_or_(data.ne(data)).to(data.scalar_type());
	at::Tensor count = segments.reduce_to(is_result, "sum", 0)
		.gather(segments.dim, segments.index).clamp_min_(1);

	return out.mul_(is_result).div_(count);
}

} /* namespace */

/* The same index for all elements of a slice of the source. */
void compute_index_reduce(const Values &values)
{
	enum { SELF, DIM, INDEX, SOURCE, REDUCE, INCLUDE_SELF, OUT };
	at::Tensor source = with_dim(values[SOURCE].toTensor());
	int64_t dim = at::maybe_wrap_dim(values[DIM].toInt(), source.dim());
	std::vector<int64_t> shape(source.dim(), 1);

	shape[dim] = source.size(dim);
	at::Tensor index = values[INDEX].toTensor().reshape(shape).to(at::kLong)
		.expand(source.sizes());

	values[OUT].toTensor().copy_(reduce_into(values[SELF].toTensor(), dim, index,
		source, values[REDUCE].toStringRef(),
		values[INCLUDE_SELF].toBool()));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("segment_reduce", OR_ON_CPU(segment_reduce));
	m.impl("_segment_reduce_backward", segment_reduce_backward);
}

} /* namespace npu */
