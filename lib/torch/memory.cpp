// SPDX-License-Identifier: MIT
/*
 * Memory of devices, from a pool of libvnpu for each device, and pinned memory of
 * the host.
 *
 * A tensor's memory belongs to the stream that was current when it was allocated.
 * The pool frees it in the order of that stream, which may use it again at once.
 */
#include "npu.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <set>
#include <vector>

#include "vnpu/pool.h"

namespace npu {

namespace {

/* A count that remembers its peak; updates of several threads add up. */
struct Count {
	std::atomic<int64_t> now{0}, peak{0}, total{0};

	void add(int64_t n)
	{
		int64_t value = now.fetch_add(n) + n, most = peak.load();

		total += n;
		while (value > most && !peak.compare_exchange_weak(most, value))
			;
	}

	void remove(int64_t n)
	{
		now -= n;
	}
};

/* The memory of a device. */
struct Memory {
	vnpu_pool_t pool = nullptr;
	size_t capacity = 0;
	Count bytes, blocks;
	std::atomic<int64_t> ooms{0};
};

/* An allocation: the context of a DataPtr. */
struct Block {
	Memory *memory;
	void *address;
	size_t size;
	c10::Stream stream;
	std::mutex lock;
	std::vector<c10::Stream> users;	/* other streams */
};

std::mutex memories_lock;
std::deque<Memory> memories;

/* Get the memory of a device. */
Memory &memory_of(int device)
{
	std::lock_guard<std::mutex> guard(memories_lock);
	struct vnpu_pool_config config;
	size_t free;

	while (memories.size() <= (size_t)device)
		memories.emplace_back();
	Memory &memory = memories[device];

	if (memory.pool)
		return memory;
	c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

	NPU_CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &memory.capacity));
	vnpu_pool_config_init(&config);
	config.type = VNPU_POOL_COMPACT;
	config.reuse = 1;
	config.reuse_threshold = memory.capacity;
	config.alignment = 512;
	NPU_CHECK(vnpu_pool_create(&memory.pool, &config));
	return memory;
}

std::string megabytes(uint64_t bytes)
{
	char text[32];

	if (bytes >= 1ULL << 30)
		snprintf(text, sizeof(text), "%.2f GiB", bytes / 1073741824.0);
	else if (bytes >= 1ULL << 20)
		snprintf(text, sizeof(text), "%.2f MiB", bytes / 1048576.0);
	else
		snprintf(text, sizeof(text), "%llu bytes",
			 (unsigned long long)bytes);
	return text;
}

[[noreturn]] void out_of_memory(Memory &memory, int device, size_t size)
{
	const char *reason = aclGetRecentErrMsg();
	std::string text = reason && *reason ? reason : "";
	size_t free = 0, total = 0;

	memory.ooms++;
	/* The figures are 0 where the device cannot give them. */
	(void)aclrtGetMemInfo(ACL_HBM_MEM, &free, &total);
	TORCH_CHECK_WITH(OutOfMemoryError, false,
		"NPU out of memory. Tried to allocate ", megabytes(size),
		" (NPU ", device, "; ", megabytes(total), " total capacity; ",
		megabytes(memory.bytes.now), " already allocated; ",
		megabytes(free), " free; ",
		megabytes(statistics(device).reserved),
		" reserved in total by PyTorch)",
		text.empty() ? "" : "\n" + text);
	abort();
}

/*
 * A failure is of no use to the caller, which has freed the memory: the process
 * ends, or the device is gone, and its memory with it.
 */
void free_block(void *context)
{
	Block *block = static_cast<Block *>(context);

	try {
		c10::DeviceGuard on(block->stream.device());

		for (const c10::Stream &user : block->users)
			order(user, block->stream);
		(void)vnpu_pool_free_async(block->memory->pool, block->address,
					   handle(block->stream));
	} catch (const c10::Error &) {
	}
	block->memory->bytes.remove(block->size);
	block->memory->blocks.remove(1);
	delete block;
}

struct Allocator final : public c10::Allocator {
	c10::DataPtr allocate(size_t size) const override
	{
		int device = current_device();
		c10::Device where(TYPE, (c10::DeviceIndex)device);
		c10::Stream stream = current_stream(device);

		if (!size)
			return { nullptr, where };
		Memory &memory = memory_of(device);
		void *address = vnpu_pool_alloc_async(memory.pool, size,
						      handle(stream));

		if (!address) {
			/* Work that uses freed memory ends; the message is old. */
			(void)aclGetRecentErrMsg();
			NPU_CHECK(aclrtSynchronizeDevice());
			(void)vnpu_pool_trim(memory.pool, 0);
			address = vnpu_pool_alloc_async(memory.pool, size,
							handle(stream));
		}
		if (!address)
			out_of_memory(memory, device, size);
		memory.bytes.add(size);
		memory.blocks.add(1);
		return { address,
			 new Block{ &memory, address, size, stream, {}, {} },
			 free_block, where };
	}

	c10::DeleterFnPtr raw_deleter() const override
	{
		return nullptr;
	}
};

Allocator the_allocator;

/* Pinned blocks, by their address, with their sizes. */
std::mutex pinned_lock;
std::map<uintptr_t, size_t> pinned;

void free_pinned(void *address)
{
	std::lock_guard<std::mutex> guard(pinned_lock);

	pinned.erase((uintptr_t)address);
	/* A copy that does not block may still use it. */
	(void)aclrtFreeHostWithDevSync(address);
}

} /* namespace */

c10::Allocator *allocator()
{
	return &the_allocator;
}

void record_stream(const c10::DataPtr &data, const c10::Stream &stream)
{
	if (data.get_deleter() != free_block)
		return;
	Block *block = static_cast<Block *>(data.get_context());

	if (!block || block->stream == stream)
		return;
	std::lock_guard<std::mutex> guard(block->lock);

	for (const c10::Stream &user : block->users)
		if (user == stream)
			return;
	block->users.push_back(stream);
}

Statistics statistics(int device)
{
	struct vnpu_pool_stats pool = {};
	Memory &memory = memory_of(device);
	Statistics out;

	pool.size = sizeof(pool);
	NPU_CHECK(vnpu_pool_get_stats(memory.pool, &pool));
	out.allocated = memory.bytes.now;
	out.allocated_peak = memory.bytes.peak;
	out.allocated_total = memory.bytes.total;
	out.freed_total = out.allocated_total - out.allocated;
	out.blocks = memory.blocks.now;
	out.blocks_peak = memory.blocks.peak;
	out.blocks_total = memory.blocks.total;
	out.reserved = pool.reserved;
	out.reserved_peak = pool.reserved_peak;
	out.inactive_split = pool.inactive_split;
	out.ooms = memory.ooms;
	return out;
}

void reset_peaks(int device)
{
	Memory &memory = memory_of(device);

	memory.bytes.peak = memory.bytes.now.load();
	memory.blocks.peak = memory.blocks.now.load();
	NPU_CHECK(vnpu_pool_reset_peaks(memory.pool));
}

void empty_cache()
{
	std::vector<vnpu_pool_t> pools;

	{
		std::lock_guard<std::mutex> guard(memories_lock);

		for (Memory &memory : memories)
			if (memory.pool)
				pools.push_back(memory.pool);
	}
	if (pools.empty())
		return;
	/* Memory that streams have freed returns when they reach the free. */
	NPU_CHECK(aclrtSynchronizeDevice());
	for (vnpu_pool_t pool : pools)
		NPU_CHECK(vnpu_pool_trim(pool, 0));
}

void set_memory_fraction(double fraction, int device)
{
	TORCH_CHECK(fraction > 0 && fraction <= 1, "invalid fraction ", fraction,
		    ": it is more than 0 and at most 1");
	Memory &memory = memory_of(device);

	NPU_CHECK(vnpu_pool_set_limit(memory.pool,
				      (uint64_t)(fraction * memory.capacity)));
}

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
	{
		std::lock_guard<std::mutex> guard(pinned_lock);

		pinned[(uintptr_t)address] = size;
	}
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

} /* namespace npu */
