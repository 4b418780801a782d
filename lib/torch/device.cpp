// SPDX-License-Identifier: MIT
/* Devices, streams and events, and the guard by which PyTorch uses them. */
#include "npu.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <vector>

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/ThreadLocalDebugInfo.h>

namespace npu {

void check(aclError error, const char *call)
{
	if (error == ACL_SUCCESS)
		return;
	const char *text = aclGetRecentErrMsg();

	TORCH_CHECK(false, "ACL runtime error ", error, " in ",
		    std::string(call, strcspn(call, "(")), ": ",
		    text && *text ? text : "there is no further message");
}

namespace {

/* Streams that programs made: number n + 1 of a device is streams[n]. */
std::mutex streams_lock;
std::vector<std::vector<aclrtStream>> streams;

/* Streams on which a launch waits for its end. */
std::vector<c10::Stream> sync_launches;
std::atomic<bool> has_sync_launches{false};

/* Threads that compute gradients: calls of join_streams(). */
std::atomic<int> backward_count{0};

/* The device of the thread; -1 before it has one. */
thread_local int device_now = -1;

/*
 * The streams of a thread, one of each device. PyTorch hands this to the threads
 * that compute gradients, so they use the streams of the caller of backward().
 */
struct Streams final : public c10::DebugInfoBase {
	std::vector<c10::StreamId> ids;
};

constexpr c10::DebugInfoKind KIND = c10::DebugInfoKind::INFERENCE_CONTEXT;

c10::StreamId stream_id(int device)
{
	auto *streams = static_cast<Streams *>(
		c10::ThreadLocalDebugInfo::get(KIND));

	return streams && streams->ids.size() > (size_t)device ?
	       streams->ids[device] : 0;
}

void set_stream_id(int device, c10::StreamId id)
{
	if (id == stream_id(device))
		return;
	prepare_thread();
	auto *streams = static_cast<Streams *>(
		c10::ThreadLocalDebugInfo::get(KIND));

	if (streams->ids.size() <= (size_t)device)
		streams->ids.resize(device + 1);
	streams->ids[device] = id;
}

c10::Stream make_stream(int device, c10::StreamId id)
{
	return c10::Stream(c10::Stream::UNSAFE,
			   c10::Device(TYPE, (c10::DeviceIndex)device), id);
}

int index_of(const c10::Device &device)
{
	return device.has_index() ? device.index() : current_device();
}

int count_devices()
{
	uint32_t count = 0;
	aclError error = aclInit(nullptr);

	if (error && error != ACL_ERROR_REPEAT_INITIALIZE)
		return 0;
	return aclrtGetDeviceCount(&count) ? 0 : (int)count;
}

} /* namespace */

void prepare_thread()
{
	if (!c10::ThreadLocalDebugInfo::get(KIND))
		c10::ThreadLocalDebugInfo::_push(KIND,
						 std::make_shared<Streams>());
}

int device_count()
{
	static const int count = count_devices();

	return count;
}

int current_device()
{
	if (device_now < 0)
		set_device(0);
	return device_now;
}

void set_device(int device)
{
	int count = device_count();

	TORCH_CHECK(count > 0, "there is no NPU: the driver is not loaded, or "
		    "this user may not open /dev/vnpu*");
	TORCH_CHECK(device >= 0 && device < count, "invalid NPU ", device,
		    ": the devices are 0 to ", count - 1);
	if (device == device_now)
		return;
	NPU_CHECK(aclrtSetDevice(device));
	device_now = device;
}

/* Call a function with another device as the thread's. */
static void on_device(int device, const std::function<void()> &function)
{
	int before = current_device();

	set_device(device);
	try {
		function();
	} catch (...) {
		set_device(before);
		throw;
	}
	set_device(before);
}

c10::Stream new_stream(int device)
{
	aclrtStream stream;

	on_device(device, [&] { NPU_CHECK(aclrtCreateStream(&stream)); });
	return adopt_stream(device, stream);
}

c10::Stream adopt_stream(int device, aclrtStream stream)
{
	std::lock_guard<std::mutex> guard(streams_lock);

	if (streams.size() <= (size_t)device)
		streams.resize(device + 1);
	streams[device].push_back(stream);
	return make_stream(device, streams[device].size());
}

c10::Stream current_stream(int device)
{
	return make_stream(device, stream_id(device));
}

c10::Stream set_stream(c10::Stream stream)
{
	int device = stream.device_index();
	c10::Stream before = current_stream(device);

	set_stream_id(device, stream.id());
	return before;
}

void set_sync_launch(const c10::Stream &stream)
{
	std::lock_guard<std::mutex> guard(streams_lock);

	sync_launches.push_back(stream);
	has_sync_launches = true;
}

void after_launch(int device)
{
	if (!has_sync_launches)
		return;
	c10::Stream stream = current_stream(device);
	std::unique_lock<std::mutex> guard(streams_lock);
	bool waits = std::find(sync_launches.begin(), sync_launches.end(),
			       stream) != sync_launches.end();

	guard.unlock();
	if (waits)
		NPU_CHECK(aclrtSynchronizeStream(handle(stream)));
}

aclrtStream handle(const c10::Stream &stream)
{
	if (!stream.id())
		return nullptr;
	std::lock_guard<std::mutex> guard(streams_lock);

	return streams.at(stream.device_index()).at(stream.id() - 1);
}

aclrtStream stream_now()
{
	return handle(current_stream(current_device()));
}

void order(const c10::Stream &first, const c10::Stream &later)
{
	aclrtEvent event;

	if (first == later)
		return;
	on_device(first.device_index(), [&] {
		NPU_CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
		NPU_CHECK(aclrtRecordEvent(event, handle(first)));
	});
	on_device(later.device_index(), [&] {
		NPU_CHECK(aclrtStreamWaitEvent(handle(later), event));
	});
	NPU_CHECK(aclrtDestroyEvent(event));
}

/* Count the streams that the program has made. */
static size_t count_streams(int device)
{
	std::lock_guard<std::mutex> guard(streams_lock);

	return streams.size() > (size_t)device ? streams[device].size() : 0;
}

static void join_all(bool is_before)
{
	if (device_now < 0 || !count_streams(device_now))
		return;
	int device = device_now;
	c10::Stream here = current_stream(device);
	size_t count = count_streams(device);

	if (is_capturing(here))
		return;
	for (size_t id = 0; id <= count; id++) {
		c10::Stream other = make_stream(device, id);

		if (other == here || is_capturing(other))
			continue;
		if (is_before)
			order(other, here);
		else
			order(here, other);
	}
}

/* If the call before backward() fails, there is no call afterwards. */
void join_streams(bool is_before)
{
	if (!is_before)
		backward_count--;
	join_all(is_before);
	if (is_before)
		backward_count++;
}

bool is_in_backward()
{
	return backward_count > 0;
}

namespace {

struct Guard final : public c10::impl::DeviceGuardImplInterface {
	c10::DeviceType type() const override
	{
		return TYPE;
	}

	c10::Device exchangeDevice(c10::Device device) const override
	{
		c10::Device before = getDevice();

		set_device(index_of(device));
		return before;
	}

	c10::Device getDevice() const override
	{
		return c10::Device(TYPE, (c10::DeviceIndex)current_device());
	}

	void setDevice(c10::Device device) const override
	{
		set_device(index_of(device));
	}

	void uncheckedSetDevice(c10::Device device) const noexcept override
	{
		int index = device.index();

		if (index >= 0 && index != device_now && !aclrtSetDevice(index))
			device_now = index;
	}

	c10::Stream getStream(c10::Device device) const noexcept override
	{
		return current_stream(device.has_index() ? device.index() : 0);
	}

	c10::Stream getDefaultStream(c10::Device device) const override
	{
		return make_stream(index_of(device), 0);
	}

	c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override
	{
		return new_stream(index_of(device));
	}

	c10::Stream exchangeStream(c10::Stream stream) const noexcept override
	{
		return set_stream(stream);
	}

	void destroyEvent(void *event, c10::DeviceIndex) const noexcept override
	{
		/* An event belongs to no device, and a failure at most leaks it. */
		(void)aclrtDestroyEvent(event);
	}

	void record(void **event, const c10::Stream &stream,
		    c10::DeviceIndex, c10::EventFlag flag) const override
	{
		on_device(stream.device_index(), [&] {
			if (!*event)
				NPU_CHECK(aclrtCreateEventExWithFlag(event,
					flag == c10::EventFlag::BACKEND_DEFAULT ?
					ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE :
					ACL_EVENT_SYNC));
			NPU_CHECK(aclrtRecordEvent(*event, handle(stream)));
		});
	}

	void block(void *event, const c10::Stream &stream) const override
	{
		if (!event)
			return;
		on_device(stream.device_index(), [&] {
			NPU_CHECK(aclrtStreamWaitEvent(handle(stream), event));
		});
	}

	bool queryEvent(void *event) const override
	{
		aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;

		if (event)
			NPU_CHECK(aclrtQueryEventStatus(event, &status));
		return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
	}

	c10::DeviceIndex deviceCount() const noexcept override
	{
		return (c10::DeviceIndex)device_count();
	}

	bool queryStream(const c10::Stream &stream) const override
	{
		aclrtStreamStatus status;

		on_device(stream.device_index(), [&] {
			NPU_CHECK(aclrtStreamQuery(handle(stream), &status));
		});
		return status == ACL_STREAM_STATUS_COMPLETE;
	}

	void synchronizeStream(const c10::Stream &stream) const override
	{
		on_device(stream.device_index(), [&] {
			NPU_CHECK(aclrtSynchronizeStream(handle(stream)));
		});
	}

	void recordDataPtrOnStream(const c10::DataPtr &data,
				   const c10::Stream &stream) const override
	{
		record_stream(data, stream);
	}
};

} /* namespace */

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

} /* namespace npu */
