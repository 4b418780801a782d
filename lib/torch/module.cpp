// SPDX-License-Identifier: MIT
/* torch_npu._C: the functions that the Python package calls. */
#include "bind.h"

namespace npu {

namespace {

void synchronize(int device)
{
	c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

	NPU_CHECK(aclrtSynchronizeDevice());
}

void synchronize_stream(int device, int64_t id)
{
	stream_of(device, id).synchronize();
}

/* Do what Tensor.set_() does, which 1.13 refuses for storages of this device. */
at::Tensor set_storage(const at::Tensor &tensor, uintptr_t storage, int64_t offset,
		       std::vector<int64_t> size, std::vector<int64_t> stride)
{
	auto source = c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(
		reinterpret_cast<c10::StorageImpl *>(storage));

	return tensor.set_(at::Storage(source), offset, size, stride);
}

py::dict statistics_dict(int device)
{
	Statistics s;
	py::dict out;

	{
		py::gil_scoped_release released;

		s = statistics(device);
	}

	out["allocated_bytes.all.current"] = s.allocated;
	out["allocated_bytes.all.peak"] = s.allocated_peak;
	out["allocated_bytes.all.allocated"] = s.allocated_total;
	out["allocated_bytes.all.freed"] = s.freed_total;
	out["allocation.all.current"] = s.blocks;
	out["allocation.all.peak"] = s.blocks_peak;
	out["allocation.all.allocated"] = s.blocks_total;
	out["allocation.all.freed"] = s.blocks_total - s.blocks;
	out["reserved_bytes.all.current"] = s.reserved;
	out["reserved_bytes.all.peak"] = s.reserved_peak;
	out["inactive_split_bytes.all.current"] = s.inactive_split;
	out["num_ooms"] = s.ooms;
	return out;
}

/* Return the free and the total bytes of a device. */
std::pair<size_t, size_t> memory_info(int device)
{
	c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));
	size_t free, total;

	NPU_CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
	return { free, total };
}

int64_t core_count(int device)
{
	int64_t count;

	NPU_CHECK(aclrtGetDeviceInfo(device, ACL_DEV_ATTR_AICORE_CORE_NUM,
				     &count));
	return count;
}

void translate(std::exception_ptr exception)
{
	try {
		std::rethrow_exception(exception);
	} catch (const c10::Error &error) {
		PyErr_SetString(PyExc_RuntimeError,
				error.what_without_backtrace());
	}
}

} /* namespace */

void without_python(const std::function<void()> &function)
{
	c10::optional<py::gil_scoped_release> released;

	if (Py_IsInitialized() && PyGILState_Check())
		released.emplace();
	function();
}

PYBIND11_MODULE(_C, m)
{
	prepare_thread();
	add_graphs(m);
	add_modes(m);
	add_memory(m);
	py::register_exception_translator(translate);
	m.def("device_count", device_count, Released());
	m.def("current_device", current_device, Released());
	m.def("set_device", set_device, Released());
	m.def("synchronize", synchronize, Released());
	m.def("core_count", core_count, Released());
	m.def("soc_name", [] { return std::string(aclrtGetSocName() ?: ""); });
	m.def("memory_info", memory_info, Released());

	m.def("sync_mode", [] { return (int)sync_mode(); });
	m.def("set_sync_mode", [](int mode) { set_sync_mode((SyncMode)mode); });
	m.def("adopt_stream", [](int device, uintptr_t stream) {
		return adopt_stream(device, (aclrtStream)stream).id();
	});
	m.def("set_sync_launch", [](int device, int64_t id) {
		set_sync_launch(stream_of(device, id));
	});
	m.def("new_stream", [](int device) { return new_stream(device).id(); },
	      Released());
	m.def("current_stream",
	      [](int device) { return current_stream(device).id(); });
	m.def("set_stream", [](int device, int64_t id) {
		set_stream(stream_of(device, id));
	});
	m.def("synchronize_stream", synchronize_stream, Released());
	m.def("query_stream", [](int device, int64_t id) {
		return stream_of(device, id).query();
	}, Released());
	m.def("stream_handle", [](int device, int64_t id) {
		return (uintptr_t)handle(stream_of(device, id));
	});
	m.def("record_stream", [](const at::Tensor &tensor, int device, int64_t id) {
		record_stream(tensor.storage().data_ptr(), stream_of(device, id));
	}, Released());
	m.def("order", [](int first_device, int64_t first, int device, int64_t id) {
		order(stream_of(first_device, first), stream_of(device, id));
	}, Released());
	add_events(m);
	m.def("statistics", statistics_dict);
	m.def("reset_peaks", reset_peaks, Released());
	m.def("reset_totals", reset_totals, Released());
	m.def("empty_cache", empty_cache, Released());
	m.def("set_memory_fraction", set_memory_fraction, Released());
	m.def("set_storage", set_storage);
	m.def("pin", pin, Released());
	m.def("is_pinned", is_pinned, Released());

	m.def("fallbacks", fallbacks);
	m.def("clear_fallbacks", clear_fallbacks);
}

} /* namespace npu */
