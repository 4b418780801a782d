// SPDX-License-Identifier: MIT
/*
 * Indexing by tensors: x[i, j], and assignments to it. Adjacent dimensions that are
 * indexed become one, and the device computes its index.
 */
#include "call.h"

#include <ATen/ExpandUtils.h>
#include <ATen/native/IndexingUtils.h>

namespace npu {

namespace {

using Indices = c10::List<c10::optional<at::Tensor>>;

/*
 * A tensor, with the indexed dimensions next to each other, and one index for them.
 * Masks have become indices by nonzero().
 */
struct Selection {
	Selection(const at::Tensor &tensor, const Indices &given);

	/* Return a view with one dimension in place of the indexed ones. */
	at::Tensor flat() const
	{
		std::vector<int64_t> size = shape(count);

		return self.reshape(size);
	}

	/* Return the sizes of the tensor, with @middle for the indexed dimensions. */
	std::vector<int64_t> shape(at::IntArrayRef middle) const
	{
		std::vector<int64_t> out(self.sizes().begin(),
					 self.sizes().begin() + first);

		out.insert(out.end(), middle.begin(), middle.end());
		out.insert(out.end(), self.sizes().begin() + first + indexed,
			   self.sizes().end());
		return out;
	}

	at::Tensor self, index;
	std::vector<int64_t> sizes;	/* of the indices */
	int64_t first = 0, indexed = 0, count = 1;
};

Selection::Selection(const at::Tensor &tensor, const Indices &given)
	: self(tensor)
{
	std::vector<at::Tensor> list = at::native::expandTensors(self, given);

	TORCH_CHECK_INDEX(list.size() <= (size_t)self.dim(), "too many indices "
			  "for tensor of dimension ", self.dim(), " (got ",
			  list.size(), ")");
	for (at::Tensor &item : list)
		if (item.defined())
			item = item.to(self.device(), at::kLong);
	list = at::expand_outplace(list);
	list.resize(self.dim());
	if (!at::native::hasContiguousSubspace(list))
		std::tie(self, list) = at::native::transposeToFront(self, list);
	while (first < (int64_t)list.size() && !list[first].defined())
		first++;
	for (int64_t i = first; i < self.dim() && list[i].defined(); i++) {
		int64_t size = self.size(i);
		at::Tensor wrapped = at::where(list[i].lt(0), list[i].add(size),
					       list[i]);
		at::Tensor is_bad = wrapped.lt(0).logical_or_(wrapped.ge(size));

		/* The device reports this number as an index that is out of range. */
		wrapped = wrapped.masked_fill_(is_bad, INT32_MAX);
		index = index.defined() ? index.mul(size).add_(wrapped) : wrapped;
		count *= size;
		indexed++;
	}
	sizes = index.sizes().vec();
	index = index.reshape(-1);
}

bool has_index(const Indices &indices)
{
	for (c10::optional<at::Tensor> item : indices)
		if (item && item->defined())
			return true;
	return false;
}

at::Tensor get(const at::Tensor &self, const Indices &indices)
{
	if (!has_index(indices))
		return self.alias();
	Selection selection(self, indices);

	return selection.flat().index_select(selection.first, selection.index)
		.reshape(selection.shape(selection.sizes));
}

/*
 * Each non-zero element scatters its position to its place among them. Only their
 * number comes to the host.
 */
at::Tensor nonzero(const at::Tensor &self)
{
	at::TensorOptions options = self.options().dtype(at::kLong);
	at::Tensor flags = self.ne(0).reshape(-1);

	if (!flags.numel())
		return at::empty({ 0, self.dim() }, options);
	at::Tensor places = flags.cumsum(0, at::kLong);
	int64_t count = places.select(0, -1).item<int64_t>();
	at::Tensor rest = at::empty({ count + 1 }, options)
		.scatter_(0, at::where(flags, places.sub(1),
				       at::scalar_tensor(count, at::kLong)),
			  at::arange(flags.numel(), options))
		.narrow(0, 0, count);
	std::vector<at::Tensor> columns;

	for (int64_t i = self.dim() - 1; i >= 0; i--) {
		columns.insert(columns.begin(), rest.remainder(self.size(i)));
		rest = rest.floor_divide(self.size(i));
	}
	return columns.empty() ? at::empty({ count, 0 }, options) :
				 at::stack(columns, 1);
}

at::Tensor masked_select(const at::Tensor &self, const at::Tensor &mask)
{
	TORCH_CHECK(mask.scalar_type() == at::kBool, "masked_select: expected a "
		    "mask of type bool, not ", mask.scalar_type());
	std::vector<at::Tensor> both = at::broadcast_tensors({ self, mask });

	return both[0].reshape(-1).index_select(0,
		both[1].reshape(-1).nonzero().squeeze(1));
}

/* Fill the elements of a mask, x[mask] = number, which needs no indices. */
bool fill_mask(at::Tensor &self, const Indices &indices, const at::Tensor &values)
{
	c10::optional<at::Tensor> mask = indices.get(0);

	if (indices.size() != 1 || !mask || !mask->defined() ||
	    mask->scalar_type() != at::kBool || values.numel() != 1 ||
	    mask->dim() > self.dim() ||
	    mask->sizes() != self.sizes().slice(0, mask->dim()))
		return false;
	std::vector<int64_t> size(self.dim(), 1);

	std::copy(mask->sizes().begin(), mask->sizes().end(), size.begin());
	self.masked_fill_(mask->to(self.device()).view(size),
			  values.to(self.device()).reshape({}));
	return true;
}

at::Tensor &put(at::Tensor &self, const Indices &indices,
		const at::Tensor &values, bool accumulate, bool)
{
	if (!self.numel() || (!accumulate && fill_mask(self, indices, values)))
		return self;
	if (!has_index(indices))
		return accumulate ? self.add_(values) : self.copy_(values);
	c10::DeviceGuard on(self.device());
	Selection selection(self, indices);

	if (!selection.index.numel())
		return self;
	std::vector<int64_t> size = selection.shape(selection.sizes);
	at::Tensor source = values.to(self.device(), self.scalar_type())
		.expand(size).reshape(selection.shape(selection.index.numel()));
	at::Tensor target = selection.flat();

	if (accumulate)
		target.index_add_(selection.first, selection.index, source);
	else
		NPU_INVOKE(InplaceIndexCopy)({ target, selection.first,
					       selection.index, source });
	copy_back(target, selection.self);
	return self;
}

at::Tensor scatter_value(const at::Tensor &self, int64_t dim,
			 const at::Tensor &index, const at::Scalar &value)
{
	return self.scatter(dim, index, at::full({}, value, self.options())
			    .expand(index.sizes()));
}

at::Tensor &scatter_value_in_place(at::Tensor &self, int64_t dim,
				   const at::Tensor &index,
				   const at::Scalar &value)
{
	return self.scatter_(dim, index, at::full({}, value, self.options())
			     .expand(index.sizes()));
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("index.Tensor", get);
	m.impl("_index_put_impl_", OR_ON_CPU(put));
	m.impl("nonzero", nonzero);
	m.impl("masked_select", masked_select);
	m.impl("scatter.value", scatter_value);
	m.impl("scatter_.value", scatter_value_in_place);
}

} /* namespace npu */
