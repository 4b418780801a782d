// SPDX-License-Identifier: MIT
/* Private pools: see memory.h. */
#include "memory.h"

#include <atomic>

namespace npu {

namespace {

std::atomic<int64_t> last_number{0};

thread_local PrivatePoolRef of_thread;

/* Models that are being captured, and their pools. */
struct Captured {
	void *model;
	PrivatePoolRef pool;
};

std::mutex captured_lock;
std::vector<Captured> captured;
std::atomic<int> captured_count{0};

} /* namespace */

PrivatePool::PrivatePool(int device, int64_t number)
	: device(device), number(number)
{
}

PrivatePool::~PrivatePool()
{
	std::vector<void *> addresses;

	for (const Piece &piece : pieces)
		addresses.push_back(piece.address);
	return_idle(device, std::move(addresses));
}

/* Take the smallest free piece of the stream that is at most twice as large. */
void *PrivatePool::allocate(size_t size, c10::StreamId stream)
{
	std::lock_guard<std::mutex> guard(lock);
	Piece *best = nullptr;

	for (Piece &piece : pieces)
		if (piece.is_free && piece.stream == stream &&
		    piece.size >= size && piece.size / 2 <= size &&
		    (!best || piece.size < best->size))
			best = &piece;
	if (best) {
		best->is_free = false;
		return best->address;
	}
	void *address = take_idle(device, size);

	if (address)
		pieces.push_back({ address, size, stream, false });
	return address;
}

void PrivatePool::free(void *address, bool is_shared)
{
	std::lock_guard<std::mutex> guard(lock);

	for (Piece &piece : pieces)
		if (piece.address == address)
			piece.is_free = !is_shared;
}

PrivatePoolRef make_private_pool(int device)
{
	return std::make_shared<PrivatePool>(device, ++last_number);
}

PrivatePoolRef exchange_private_pool(PrivatePoolRef pool)
{
	of_thread.swap(pool);
	return pool;
}

PrivatePoolRef private_pool(const c10::Stream &stream)
{
	aclmdlRICaptureStatus status;
	aclmdlRI model;

	if (captured_count && is_capturing(stream)) {
		NPU_CHECK(aclmdlRICaptureGetInfo(handle(stream), &status,
						 &model));
		std::lock_guard<std::mutex> guard(captured_lock);

		for (const Captured &entry : captured)
			if (entry.model == model)
				return entry.pool;
	}
	return of_thread && of_thread->device == stream.device_index() ?
	       of_thread : nullptr;
}

bool is_capturing()
{
	return captured_count > 0;
}

bool is_capturing(const c10::Stream &stream)
{
	aclmdlRICaptureStatus status;
	aclmdlRI model;

	if (!captured_count || !stream.id())
		return false;
	c10::DeviceGuard on(stream.device());

	NPU_CHECK(aclmdlRICaptureGetInfo(handle(stream), &status, &model));
	return status != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
}

void begin_private(void *model, PrivatePoolRef pool)
{
	std::lock_guard<std::mutex> guard(captured_lock);

	captured.push_back({ model, std::move(pool) });
	captured_count++;
}

void end_private(void *model)
{
	{
		std::lock_guard<std::mutex> guard(captured_lock);

		for (size_t i = 0; i < captured.size(); i++)
			if (captured[i].model == model) {
				captured.erase(captured.begin() + i);
				captured_count--;
				break;
			}
	}
	if (!captured_count)
		free_delayed();
}

} /* namespace npu */
