// SPDX-License-Identifier: MIT
/* Creation, views and resizing of tensors: nothing here reads their memory. */
#include "npu.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>

namespace npu {

namespace {

constexpr c10::DispatchKeySet KEYS(c10::DispatchKey::PrivateUse1);

void check_options(const at::TensorOptions &options)
{
	TORCH_CHECK(options.layout() == at::kStrided, "NPU tensors are strided, "
		    "not ", options.layout());
	TORCH_CHECK(!options.pinned_memory(), "only tensors of the CPU can be "
		    "pinned");
}

at::TensorOptions options_of(c10::optional<at::ScalarType> dtype,
			     c10::optional<at::Layout> layout,
			     c10::optional<at::Device> device,
			     c10::optional<bool> pin_memory)
{
	return at::TensorOptions().dtype(dtype).layout(layout).device(device)
		.pinned_memory(pin_memory);
}

at::Tensor empty_memory_format(at::IntArrayRef size,
			       c10::optional<at::ScalarType> dtype,
			       c10::optional<at::Layout> layout,
			       c10::optional<at::Device> device,
			       c10::optional<bool> pin_memory,
			       c10::optional<at::MemoryFormat> format)
{
	at::TensorOptions options = options_of(dtype, layout, device, pin_memory);

	check_options(options);
	c10::DeviceGuard on(options.device());

	return at::detail::empty_generic(size, allocator(), KEYS,
		at::typeMetaToScalarType(options.dtype()), format);
}

at::Tensor empty_strided_impl(at::IntArrayRef size, at::IntArrayRef stride,
			      c10::optional<at::ScalarType> dtype,
			      c10::optional<at::Layout> layout,
			      c10::optional<at::Device> device,
			      c10::optional<bool> pin_memory)
{
	return empty_strided(size, stride,
			     options_of(dtype, layout, device, pin_memory));
}

/* Give the storage at least @bytes, and keep its contents. */
void grow(c10::StorageImpl *storage, size_t bytes)
{
	if (bytes <= storage->nbytes())
		return;
	c10::DeviceGuard on(storage->device());
	c10::DataPtr data = allocator()->allocate(bytes);

	TORCH_CHECK(storage->resizable(), "this storage cannot be resized");
	if (storage->nbytes())
		NPU_CHECK(aclrtMemcpyAsync(data.get(), bytes, storage->data(),
			storage->nbytes(), ACL_MEMCPY_DEVICE_TO_DEVICE,
			stream_now()));
	storage->set_data_ptr_noswap(std::move(data));
	storage->set_nbytes(bytes);
}

void fit_storage(const at::Tensor &tensor)
{
	size_t bytes = at::detail::computeStorageNbytes(tensor.sizes(),
		tensor.strides(), tensor.element_size(), tensor.storage_offset());

	if (tensor.numel())
		grow(tensor.storage().unsafeGetStorageImpl(), bytes);
}

const at::Tensor &resize_format(const at::Tensor &self, at::IntArrayRef size,
				c10::optional<at::MemoryFormat> format)
{
	resize_tensor(self, size);
	if (format) {
		TORCH_CHECK(*format != at::MemoryFormat::Preserve,
			    "resize_() cannot preserve the memory format");
		self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
	}
	return self;
}

at::Tensor &set_storage(at::Tensor &self, at::Storage source, int64_t offset,
			at::IntArrayRef size, at::IntArrayRef stride)
{
	at::native::checkSetStorage(self, source, offset, size, stride);
	self.unsafeGetTensorImpl()->set_storage_offset(offset);
	if (stride.empty() && !size.empty())
		self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
	else
		self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
	fit_storage(self);
	return self;
}

at::Tensor &set_whole_storage(at::Tensor &self, at::Storage source)
{
	int64_t count = source.nbytes() / self.element_size();

	return set_storage(self, source, 0, count, at::IntArrayRef{});
}

at::Tensor &set_tensor(at::Tensor &self, const at::Tensor &source)
{
	if (self.is_same(source))
		return self;
	return set_storage(self, source.storage(), source.storage_offset(),
			   source.sizes(), source.strides());
}

at::Tensor &set_empty(at::Tensor &self)
{
	at::Storage storage(c10::Storage::use_byte_size_t(), 0,
			    c10::DataPtr(nullptr, self.device()), allocator(),
			    true);

	return set_storage(self, storage, 0, at::IntArrayRef{ 0 },
			   at::IntArrayRef{});
}

void record(at::Tensor &self, c10::Stream stream)
{
	record_stream(self.storage().data_ptr(), stream);
}

} /* namespace */

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
			 const at::TensorOptions &options)
{
	check_options(options);
	c10::DeviceGuard on(options.device());

	return at::detail::empty_strided_generic(size, stride, allocator(), KEYS,
		at::typeMetaToScalarType(options.dtype()));
}

at::Tensor empty(at::IntArrayRef size, const at::TensorOptions &options)
{
	return empty_memory_format(size, at::typeMetaToScalarType(options.dtype()),
				   at::kStrided, options.device(), false, {});
}

void resize_tensor(const at::Tensor &tensor, at::IntArrayRef size)
{
	if (tensor.sizes() == size)
		return;
	tensor.unsafeGetTensorImpl()->set_sizes_contiguous(size);
	fit_storage(tensor);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("empty.memory_format", empty_memory_format);
	m.impl("empty_strided", empty_strided_impl);
	m.impl("as_strided", at::native::as_strided_tensorimpl);
	m.impl("view", at::native::view);
	m.impl("_reshape_alias", at::native::_reshape_alias);
	m.impl("unfold", at::native::unfold);
	m.impl("view_as_real", at::native::view_as_real);
	m.impl("view_as_complex", at::native::view_as_complex);
	m.impl("resize_", resize_format);
	m.impl("set_.source_Storage", set_whole_storage);
	m.impl("set_.source_Storage_storage_offset", set_storage);
	m.impl("set_.source_Tensor", set_tensor);
	m.impl("set_", set_empty);
	m.impl("record_stream", record);
}

} /* namespace npu */
