// SPDX-License-Identifier: MIT
/* Pinned memory of the host. */
#include "npu.h"

#include <mutex>

namespace npu {

namespace {

/* The sizes of pinned blocks, by address. */
std::mutex pinned_lock;
std::map<uintptr_t, size_t> pinned;
PinnedStatistics figures;

void add_pinned(void *address, size_t size)
{
	std::lock_guard<std::mutex> guard(pinned_lock);

	pinned[(uintptr_t)address] = size;
	figures.blocks++;
	figures.blocks_total++;
	figures.bytes += size;
	figures.bytes_total += size;
	figures.blocks_peak = std::max(figures.blocks_peak, figures.blocks);
	figures.bytes_peak = std::max(figures.bytes_peak, figures.bytes);
}

void free_pinned(void *address)
{
	{
		std::lock_guard<std::mutex> guard(pinned_lock);

		figures.blocks--;
		figures.bytes -= pinned[(uintptr_t)address];
		pinned.erase((uintptr_t)address);
	}
	/* A copy that does not block may still use it. */
	(void)aclrtFreeHostWithDevSync(address);
}

} /* namespace */

at::Tensor pin(const at::Tensor &tensor)
{
	TORCH_CHECK(tensor.device().is_cpu(), "cannot pin a tensor of ",
		    tensor.device(), ": only those of the CPU can be");
	if (is_pinned(tensor) || !tensor.numel())
		return tensor;
	size_t size = tensor.numel() * tensor.element_size();
	void *address;

	(void)current_device();
	NPU_CHECK(aclrtMallocHost(&address, size));
	add_pinned(address, size);
	at::Tensor out = at::from_blob(address, tensor.sizes(),
		tensor.is_non_overlapping_and_dense() ? tensor.strides() :
		tensor.contiguous().strides(), free_pinned,
		tensor.options().requires_grad(false));

	out.copy_(tensor);
	return out;
}

bool is_pinned(const at::Tensor &tensor)
{
	std::lock_guard<std::mutex> guard(pinned_lock);

	if (!tensor.device().is_cpu() || !tensor.has_storage())
		return false;
	uintptr_t address = (uintptr_t)tensor.storage().data();
	auto next = pinned.upper_bound(address);

	if (next == pinned.begin())
		return false;
	--next;
	return address < next->first + next->second;
}

PinnedStatistics pinned_statistics()
{
	std::lock_guard<std::mutex> guard(pinned_lock);

	return figures;
}

void reset_pinned(bool peaks, bool totals)
{
	std::lock_guard<std::mutex> guard(pinned_lock);

	if (peaks) {
		figures.blocks_peak = figures.blocks;
		figures.bytes_peak = figures.bytes;
	}
	if (totals) {
		figures.blocks_total = figures.blocks;
		figures.bytes_total = figures.bytes;
	}
}

} /* namespace npu */
