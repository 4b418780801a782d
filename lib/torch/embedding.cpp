// SPDX-License-Identifier: MIT
/* Rows of a table: bags of them, limits of their norms, and gradients. */
#include "call.h"

#include <limits>

#include <ATen/OpMathType.h>

namespace npu {

namespace {

using Optional = c10::optional<at::Tensor>;
using Four = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

enum Mode { SUM, MEAN, MAX };

bool has(const Optional &tensor)
{
	return tensor && tensor->defined();
}

/* The gradients of rows, of which each is divided by the number of its uses. */
at::Tensor by_uses(const at::Tensor &grad, const at::Tensor &index, int64_t rows)
{
	at::Tensor ones = at::ones_like(index);
	at::Tensor counts = at::zeros(rows, index.options()).index_add_(0, index, ones);

	return grad.div(counts.index_select(0, index).unsqueeze(1));
}

/* Add the gradients of rows of a table. The row @padding gets none. */
at::Tensor add_rows(const at::Tensor &grad, const at::Tensor &index, int64_t rows,
		    int64_t padding, bool by_frequency)
{
	at::Tensor source = grad;
	at::Tensor out = at::zeros({ rows, grad.size(-1) }, grad.options());

	if (!index.numel())
		return out;
	if (padding >= 0)
		source = source.masked_fill(index.eq(padding).unsqueeze(1), 0);
	if (by_frequency)
		source = by_uses(source, index, rows);
	return out.index_add_(0, index, source);
}

at::Tensor embedding_backward(const at::Tensor &grad, const at::Tensor &indices,
			      int64_t rows, int64_t padding, bool by_frequency)
{
	at::Tensor index = indices.reshape(-1).to(at::kLong);

	return add_rows(grad.reshape({ index.numel(), grad.size(-1) }), index, rows,
			padding, by_frequency);
}

at::Tensor &renorm(at::Tensor &self, const at::Tensor &indices, double max_norm,
		   double norm_type)
{
	TORCH_CHECK(self.dim() == 2, "embedding_renorm_: expected a table with 2 "
		    "dimensions, but got ", self.dim());
	if (indices.numel())
		NPU_INVOKE(EmbeddingRenorm)({ self, indices.reshape(-1), max_norm,
					      norm_type });
	return self;
}

/* Rows, and the bag of each. Rows that are padding count nothing. */
struct Bags {
	Bags(const at::Tensor &indices, const at::Tensor &offsets, bool has_last,
	     int64_t padding)
		: index(indices.to(at::kLong)),
		  count(offsets.size(0) - has_last),
		  is_padding(index.eq(padding))
	{
		at::Tensor starts = offsets.narrow(0, 0, count).to(at::kLong);

		bag = at::searchsorted(starts, at::arange(index.numel(),
			index.options()), false, true).sub_(1);
		sizes = at::zeros({ count }, index.options());
		if (index.numel())
			sizes.index_add_(0, bag, is_padding.logical_not()
					 .to(at::kLong));
	}

	at::Tensor index;
	int64_t count;
	at::Tensor is_padding, bag, sizes;
};

at::Tensor sum_bags(const Bags &bags, const at::Tensor &rows, bool divides)
{
	at::Tensor out = at::zeros({ bags.count, rows.size(1) }, rows.options())
		.index_add_(0, bags.bag,
			    rows.masked_fill(bags.is_padding.unsqueeze(1), 0));

	if (divides)
		out.div_(bags.sizes.clamp_min(1).unsqueeze(1));
	return out;
}

/*
 * Rows are written to their bags from the least element to the largest one, and of equal
 * ones, the first is the last. @chosen gets the indices of those that stay.
 */
at::Tensor max_bags(const Bags &bags, const at::Tensor &rows, at::Tensor &chosen)
{
	at::Tensor values, order, is_empty = bags.sizes.eq(0).unsqueeze(1);
	std::vector<int64_t> size = { bags.count, rows.size(1) };

	std::tie(values, order) = rows.masked_fill(bags.is_padding.unsqueeze(1),
		-std::numeric_limits<double>::infinity()).sort(true, 0, true);
	order = order.flip(0);
	at::Tensor places = bags.bag.unsqueeze(1).expand(rows.sizes())
		.gather(0, order);

	chosen = at::zeros(size, order.options()).scatter_(0, places,
		bags.index.unsqueeze(1).expand(rows.sizes()).gather(0, order));
	return at::zeros(size, rows.options()).scatter_(0, places, values.flip(0))
		.masked_fill_(is_empty, 0);
}

void check_bags(const at::Tensor &weight, const at::Tensor &indices,
		const at::Tensor &offsets, int64_t mode, const Optional &factors,
		bool has_last)
{
	TORCH_CHECK(weight.dim() == 2 && indices.dim() == 1 && offsets.dim() == 1,
		    "embedding_bag: expected a table with 2 dimensions, and vectors "
		    "of indices and offsets");
	TORCH_CHECK(offsets.size(0) >= has_last, "embedding_bag: there is no last "
		    "offset");
	TORCH_CHECK(!has(factors) || mode == SUM, "embedding_bag: per_sample_weights "
		    "was not None, and the mode is not 'sum'");
	TORCH_CHECK(!has(factors) || (factors->sizes() == indices.sizes() &&
		    factors->scalar_type() == weight.scalar_type()),
		    "embedding_bag: expected per_sample_weights of the type ",
		    weight.scalar_type(), " and of the size ", indices.sizes());
}

Four embedding_bag(const at::Tensor &weight, const at::Tensor &indices,
		   const at::Tensor &offsets, bool, int64_t mode, bool,
		   const Optional &factors, bool has_last, int64_t padding)
{
	need_fractions(weight);
	check_bags(weight, indices, offsets, mode, factors, has_last);
	Bags bags(indices, offsets, has_last, padding);
	at::ScalarType type = weight.scalar_type();
	at::Tensor rows = weight.index_select(0, bags.index)
		.to(at::toOpMathType(type));
	at::Tensor chosen = at::empty({ 0 }, bags.index.options()), out;

	if (has(factors))
		rows = rows.mul(factors->unsqueeze(1));
	if (!bags.index.numel())
		out = at::zeros({ bags.count, rows.size(1) }, rows.options());
	else
		out = mode == MAX ? max_bags(bags, rows, chosen) :
				    sum_bags(bags, rows, mode == MEAN);
	return { out.to(type), bags.bag, bags.sizes, chosen };
}

at::Tensor embedding_bag_backward(const at::Tensor &grad, const at::Tensor &indices,
				  const at::Tensor &bag, const at::Tensor &sizes,
				  const at::Tensor &chosen, int64_t rows,
				  bool by_frequency, int64_t mode,
				  const Optional &factors, int64_t padding)
{
	if (mode == MAX && chosen.numel())
		return at::zeros({ rows, grad.size(1) }, grad.options())
			.scatter_add_(0, chosen, grad.masked_fill(
				sizes.eq(0).unsqueeze(1), 0));
	at::Tensor index = indices.to(at::kLong), of_bags = grad;

	if (mode == MEAN)
		of_bags = grad.div(sizes.clamp_min(1).unsqueeze(1));
	of_bags = of_bags.index_select(0, bag);
	if (has(factors))
		of_bags = of_bags.mul(factors->unsqueeze(1));
	return add_rows(of_bags, index, rows, padding, by_frequency);
}

at::Tensor factors_backward(const at::Tensor &grad, const at::Tensor &weight,
			    const at::Tensor &indices, const at::Tensor &,
			    const at::Tensor &bag, int64_t, int64_t padding)
{
	return grad.index_select(0, bag).mul_(weight.index_select(0, indices))
		.sum(1).masked_fill_(indices.eq(padding), 0);
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("embedding_dense_backward", embedding_backward);
	m.impl("embedding_renorm_", OR_ON_CPU(renorm));
	m.impl("_embedding_bag", OR_ON_CPU(npu::embedding_bag));
	m.impl("_embedding_bag_forward_only", OR_ON_CPU(npu::embedding_bag));
	m.impl("_embedding_bag_dense_backward", embedding_bag_backward);
	m.impl("_embedding_bag_per_sample_weights_backward", factors_backward);
}

} /* namespace npu */
