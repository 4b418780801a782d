// SPDX-License-Identifier: MIT
/* Events of torch_npu._C. */
#include "bind.h"

namespace npu {

namespace {

/* An event: it gets its handle, and its device, when it is first recorded. */
class Event {
public:
	Event(bool is_timed, bool is_external)
		: flags(is_external ? ACL_EVENT_EXTERNAL : ACL_EVENT_SYNC |
			(is_timed ? ACL_EVENT_TIME_LINE : 0))
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

		create();
		NPU_CHECK(aclrtRecordEvent(event,
					   handle(stream_of(device, stream))));
	}

	void wait(int device, int64_t stream)
	{
		c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

		if (flags & ACL_EVENT_EXTERNAL)
			create();
		if (event)
			NPU_CHECK(aclrtStreamWaitEvent(
				handle(stream_of(device, stream)), event));
	}

	/* Of an external event: let the stream wait for the next record. */
	void reset(int device, int64_t stream)
	{
		c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

		create();
		NPU_CHECK(aclrtResetEvent(event,
					  handle(stream_of(device, stream))));
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
	void create()
	{
		if (event)
			return;
		if (flags & ACL_EVENT_EXTERNAL)
			NPU_CHECK(aclrtCreateEventWithFlag(&event, flags));
		else
			NPU_CHECK(aclrtCreateEventExWithFlag(&event, flags));
	}

	aclrtEvent event = nullptr;
	uint32_t flags;
};

} /* namespace */

void add_events(py::module &m)
{
	py::class_<Event>(m, "Event")
		.def(py::init<bool, bool>())
		.def("record", &Event::record, Released())
		.def("wait", &Event::wait, Released())
		.def("reset", &Event::reset, Released())
		.def("query", &Event::query, Released())
		.def("synchronize", &Event::synchronize, Released())
		.def("elapsed_time", &Event::elapsed_time, Released());
}

} /* namespace npu */
