// SPDX-License-Identifier: MIT
/* torch_npu._C: the functions that the Python package calls. */
#include "npu.h"

#include <torch/csrc/utils/pybind.h>

namespace npu {

namespace {

namespace py = pybind11;

c10::Stream stream_of(int device, int64_t id)
{
	return c10::Stream(c10::Stream::UNSAFE,
			   c10::Device(TYPE, (c10::DeviceIndex)device), id);
}

void synchronize(int device)
{
	c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

	NPU_CHECK(aclrtSynchronizeDevice());
}

void synchronize_stream(int device, int64_t id)
{
	stream_of(device, id).synchronize();
}

/* An event: it gets its handle, and its device, when it is first recorded. */
class Event {
public:
	explicit Event(bool is_timed)
		: flags(ACL_EVENT_SYNC | (is_timed ? ACL_EVENT_TIME_LINE : 0))
	{
	}

	/* The device may be gone. */
	~Event()
	{
		if (event)
			(void)aclrtDestroyEvent(event);
	}

	Event(const Event &) = delete;

	void record(int device, int64_t stream)
	{
		c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

		if (!event)
			NPU_CHECK(aclrtCreateEventExWithFlag(&event, flags));
		NPU_CHECK(aclrtRecordEvent(event,
					   handle(stream_of(device, stream))));
	}

	void wait(int device, int64_t stream)
	{
		c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

		if (event)
			NPU_CHECK(aclrtStreamWaitEvent(
				handle(stream_of(device, stream)), event));
	}

	bool query()
	{
		aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

		if (event)
			NPU_CHECK(aclrtQueryEventStatus(event, &status));
		return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
	}

	void synchronize()
	{
		if (event)
			NPU_CHECK(aclrtSynchronizeEvent(event));
	}

	double elapsed_time(const Event &end)
	{
		float milliseconds;

		TORCH_CHECK(event && end.event, "both events must be recorded "
			    "before their time is read");
		TORCH_CHECK(flags & end.flags & ACL_EVENT_TIME_LINE,
			    "both events need enable_timing=True");
		NPU_CHECK(aclrtEventElapsedTime(&milliseconds, event, end.event));
		return milliseconds;
	}

private:
	aclrtEvent event = nullptr;
	uint32_t flags;
};

/* Tensor.set_() of 1.13 does not take storages of this device from Python. */
at::Tensor set_storage(const at::Tensor &tensor, uintptr_t storage, int64_t offset,
		       std::vector<int64_t> size, std::vector<int64_t> stride)
{
	auto source = c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(
		reinterpret_cast<c10::StorageImpl *>(storage));

	return tensor.set_(at::Storage(source), offset, size, stride);
}

py::dict statistics_dict(int device)
{
	Statistics s = statistics(device);
	py::dict out;

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

/* Free and total bytes of a device. */
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

using Released = py::call_guard<py::gil_scoped_release>;

PYBIND11_MODULE(_C, m)
{
	py::register_exception_translator(translate);
	m.def("device_count", device_count);
	m.def("current_device", current_device, Released());
	m.def("set_device", set_device, Released());
	m.def("synchronize", synchronize, Released());
	m.def("core_count", core_count);
	m.def("soc_name", [] { return std::string(aclrtGetSocName() ?: ""); });
	m.def("memory_info", memory_info);

	m.def("new_stream", [](int device) { return new_stream(device).id(); });
	m.def("current_stream",
	      [](int device) { return current_stream(device).id(); });
	m.def("set_stream", [](int device, int64_t id) {
		set_stream(stream_of(device, id));
	});
	m.def("synchronize_stream", synchronize_stream, Released());
	m.def("query_stream", [](int device, int64_t id) {
		return stream_of(device, id).query();
	});
	m.def("stream_handle", [](int device, int64_t id) {
		return (uintptr_t)handle(stream_of(device, id));
	});
	m.def("record_stream", [](const at::Tensor &tensor, int device, int64_t id) {
		record_stream(tensor.storage().data_ptr(), stream_of(device, id));
	});
	m.def("order", [](int first_device, int64_t first, int device, int64_t id) {
		order(stream_of(first_device, first), stream_of(device, id));
	});
	py::class_<Event>(m, "Event")
		.def(py::init<bool>())
		.def("record", &Event::record)
		.def("wait", &Event::wait)
		.def("query", &Event::query)
		.def("synchronize", &Event::synchronize, Released())
		.def("elapsed_time", &Event::elapsed_time);

	m.def("statistics", statistics_dict);
	m.def("reset_peaks", reset_peaks);
	m.def("empty_cache", empty_cache, Released());
	m.def("set_memory_fraction", set_memory_fraction);
	m.def("set_storage", set_storage);
	m.def("pin", pin);
	m.def("is_pinned", is_pinned);

	m.def("random_state", [](int device) {
		Random state = random_state(device);

		return std::make_pair(state.seed, state.offset);
	});
	m.def("set_random_state", [](int device, int64_t seed, int64_t offset) {
		set_random_state(device, { seed, offset });
	});
	m.def("fallbacks", fallbacks);
	m.def("clear_fallbacks", clear_fallbacks);
}

} /* namespace npu */
