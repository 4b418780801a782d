// SPDX-License-Identifier: MIT
/*
 * Memory of devices, from a pool of libvnpu for each device.
 *
 * A tensor's memory belongs to the stream that was current when it was allocated.
 * The pool frees it in the order of that stream, which may use it again at once.
 */
#include "memory.h"

#include <atomic>
#include <deque>

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

/* The memory of a device. @large serves requests beyond max_split of config(). */
struct Memory {
	vnpu_pool_t pool = nullptr, large = nullptr;
	size_t capacity = 0;
	std::atomic<size_t> limit{0};
	Count bytes, blocks;
	std::atomic<int64_t> ooms{0};
};

/* An allocation: the context of a DataPtr. */
struct Block {
	Memory *memory;
	vnpu_pool_t pool;		/* NULL if @from or a plug made the block */
	PrivatePoolRef from;		/* the private pool, or NULL */
	void *address;
	size_t size;
	c10::Stream stream;
	std::mutex lock;
	std::vector<c10::Stream> users;	/* other streams */
};

std::mutex memories_lock;
std::deque<Memory> memories;

std::mutex blocks_lock;
std::set<Block *> blocks;		/* all of them */

/* Freed while a stream was captured: blocks, and memory of private pools. */
std::vector<Block *> delayed;
std::vector<std::pair<int, std::vector<void *>>> delayed_idle;

vnpu_pool_t make_pool(size_t capacity)
{
	struct vnpu_pool_config of_pool;
	vnpu_pool_t pool;

	vnpu_pool_config_init(&of_pool);
	of_pool.type = VNPU_POOL_COMPACT;
	of_pool.reuse = 1;
	of_pool.reuse_threshold = capacity;
	of_pool.alignment = 512;
	if (config().is_expandable)
		of_pool.remap = 2 << 20;
	NPU_CHECK(vnpu_pool_create(&pool, &of_pool));
	return pool;
}

/* Get the memory of a device. */
Memory &memory_of(int device)
{
	std::lock_guard<std::mutex> guard(memories_lock);
	size_t free;

	while (memories.size() <= (size_t)device)
		memories.emplace_back();
	Memory &memory = memories[device];

	if (memory.pool)
		return memory;
	c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

	NPU_CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &memory.capacity));
	memory.limit = memory.capacity;
	if (config().max_split != SIZE_MAX && !memory.large)
		memory.large = make_pool(memory.capacity);
	memory.pool = make_pool(memory.capacity);
	return memory;
}

struct vnpu_pool_stats stats_of(vnpu_pool_t pool)
{
	struct vnpu_pool_stats stats = {};

	stats.size = sizeof(stats);
	if (pool)
		NPU_CHECK(vnpu_pool_get_stats(pool, &stats));
	return stats;
}

void trim(Memory &memory)
{
	NPU_CHECK(vnpu_pool_trim(memory.pool, 0));
	if (memory.large)
		NPU_CHECK(vnpu_pool_trim(memory.large, 0));
}

/* Get the pool for a request, after the options for its growth are met. */
vnpu_pool_t pool_for(Memory &memory, size_t size)
{
	bool is_large = memory.large && size > config().max_split;
	vnpu_pool_t pool = is_large ? memory.large : memory.pool;

	if (config().collect > 0 && stats_of(memory.pool).reserved +
	    stats_of(memory.large).reserved > config().collect * memory.limit)
		trim(memory);
	if (memory.large && memory.limit < memory.capacity) {
		size_t other = stats_of(is_large ? memory.pool :
					memory.large).reserved;

		/* A limit of 0 is none. */
		NPU_CHECK(vnpu_pool_set_limit(pool, other < memory.limit ?
					      memory.limit - other : 1));
	}
	return pool;
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

void give_back(Block *block)
{
	c10::DeviceGuard on(block->stream.device());

	if (block->from) {
		block->from->free(block->address, !block->users.empty());
		return;
	}
	for (const c10::Stream &user : block->users)
		order(user, block->stream);
	if (block->pool)
		(void)vnpu_pool_free_async(block->pool, block->address,
					   handle(block->stream));
	else
		plug.free(block->address, block->size, block->stream.device_index(),
			  handle(block->stream));
}

void add_user(Block *block, const c10::Stream &stream)
{
	if (block->stream == stream)
		return;
	std::lock_guard<std::mutex> guard(block->lock);

	for (const c10::Stream &user : block->users)
		if (user == stream)
			return;
	block->users.push_back(stream);
}

/*
 * The caller cannot handle a failure. The process then ends, or the device is gone and
 * its memory with it, so the function ignores failures. A free is no task that can be
 * captured: it is delayed until the capture ends.
 */
void free_block(void *context)
{
	Block *block = static_cast<Block *>(context);

	block->memory->bytes.remove(block->size);
	block->memory->blocks.remove(1);
	/*
	 * Gradients may have read it on the stream of backward(). Other threads
	 * must not get it from its own stream before.
	 */
	if (is_in_backward())
		add_user(block, current_stream(block->stream.device_index()));
	{
		std::lock_guard<std::mutex> guard(blocks_lock);

		blocks.erase(block);
		if (!block->from && is_capturing()) {
			delayed.push_back(block);
			return;
		}
	}
	try {
		give_back(block);
	} catch (const c10::Error &) {
	}
	delete block;
}

/* Take memory in the order of a stream, or return NULL. */
void *take(Memory &memory, vnpu_pool_t pool, size_t size, const c10::Stream &stream)
{
	void *address = vnpu_pool_alloc_async(pool, size, handle(stream));

	if (address || is_capturing())
		return address;
	/*
	 * When all work has ended, memory that the program has freed is available. The
	 * message of the first attempt is discarded.
	 */
	(void)aclGetRecentErrMsg();
	NPU_CHECK(aclrtSynchronizeDevice());
	trim(memory);
	return vnpu_pool_alloc_async(pool, size, handle(stream));
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
		PrivatePoolRef from = private_pool(stream);
		vnpu_pool_t pool = nullptr;
		void *address;

		if (from) {
			address = from->allocate(size, stream.id());
		} else if (plug.allocate) {
			address = plug.allocate(size, device, handle(stream));
		} else {
			pool = pool_for(memory, size);
			address = take(memory, pool, size, stream);
		}
		if (!address)
			out_of_memory(memory, device, size);
		memory.bytes.add(size);
		memory.blocks.add(1);
		Block *block = new Block{ &memory, pool, from, address, size,
					  stream, {}, {} };
		std::lock_guard<std::mutex> guard(blocks_lock);

		blocks.insert(block);
		return { address, block, free_block, where };
	}

	c10::DeleterFnPtr raw_deleter() const override
	{
		return nullptr;
	}
};

Allocator the_allocator;

} /* namespace */

Plug plug;

c10::Allocator *allocator()
{
	return &the_allocator;
}

void record_stream(const c10::DataPtr &data, const c10::Stream &stream)
{
	if (data.get_deleter() != free_block)
		return;
	Block *block = static_cast<Block *>(data.get_context());

	if (block)
		add_user(block, stream);
}

void *take_idle(int device, size_t size)
{
	Memory &memory = memory_of(device);
	c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

	return vnpu_pool_alloc(memory.pool, size);
}

/* After a failure the process ends, or the device is gone. */
static void return_now(int device, const std::vector<void *> &addresses) noexcept
{
	try {
		Memory &memory = memory_of(device);
		c10::DeviceGuard on(c10::Device(TYPE, (c10::DeviceIndex)device));

		without_python([&] {
			(void)aclrtSynchronizeDevice();
			for (void *address : addresses)
				(void)vnpu_pool_free(memory.pool, address);
		});
	} catch (const c10::Error &) {
	}
}

/* No call may wait for the device during a capture, so memory returns after it. */
void return_idle(int device, std::vector<void *> addresses) noexcept
{
	if (addresses.empty())
		return;
	{
		std::lock_guard<std::mutex> guard(blocks_lock);

		if (is_capturing()) {
			delayed_idle.emplace_back(device, std::move(addresses));
			return;
		}
	}
	return_now(device, addresses);
}

void free_delayed()
{
	std::vector<std::pair<int, std::vector<void *>>> idle;
	std::vector<Block *> now;

	{
		std::lock_guard<std::mutex> guard(blocks_lock);

		now.swap(delayed);
		idle.swap(delayed_idle);
	}
	for (Block *block : now) {
		try {
			give_back(block);
		} catch (const c10::Error &) {
		}
		delete block;
	}
	for (const auto &entry : idle)
		return_now(entry.first, entry.second);
}

std::vector<Holding> holdings()
{
	std::lock_guard<std::mutex> guard(blocks_lock);
	std::vector<Holding> out;

	for (const Block *block : blocks)
		out.push_back({ block->stream.device_index(),
				(uintptr_t)block->address, block->size,
				block->stream.id(),
				block->from ? block->from->number : 0 });
	return out;
}

Statistics statistics(int device)
{
	Memory &memory = memory_of(device);
	struct vnpu_pool_stats pool = stats_of(memory.pool);
	struct vnpu_pool_stats large = stats_of(memory.large);
	Statistics out;

	out.allocated = memory.bytes.now;
	out.allocated_peak = memory.bytes.peak;
	out.allocated_total = memory.bytes.total;
	out.freed_total = out.allocated_total - out.allocated;
	out.blocks = memory.blocks.now;
	out.blocks_peak = memory.blocks.peak;
	out.blocks_total = memory.blocks.total;
	out.reserved = pool.reserved + large.reserved;
	/* The pools may have had their peaks at different times: the sum is a bound. */
	out.reserved_peak = pool.reserved_peak + large.reserved_peak;
	out.inactive_split = pool.inactive_split + large.inactive_split;
	out.ooms = memory.ooms;
	return out;
}

void reset_peaks(int device)
{
	Memory &memory = memory_of(device);

	memory.bytes.peak = memory.bytes.now.load();
	memory.blocks.peak = memory.blocks.now.load();
	NPU_CHECK(vnpu_pool_reset_peaks(memory.pool));
	if (memory.large)
		NPU_CHECK(vnpu_pool_reset_peaks(memory.large));
}

void reset_totals(int device)
{
	Memory &memory = memory_of(device);

	memory.bytes.total = memory.bytes.now.load();
	memory.blocks.total = memory.blocks.now.load();
	memory.ooms = 0;
}

void empty_cache()
{
	std::vector<Memory *> used;

	{
		std::lock_guard<std::mutex> guard(memories_lock);

		for (Memory &memory : memories)
			if (memory.pool)
				used.push_back(&memory);
	}
	if (used.empty())
		return;
	/* A stream frees memory in its order: when it has reached the free. */
	NPU_CHECK(aclrtSynchronizeDevice());
	for (Memory *memory : used)
		trim(*memory);
}

void set_memory_fraction(double fraction, int device)
{
	TORCH_CHECK(fraction > 0 && fraction <= 1, "invalid fraction ", fraction,
		    ": it is more than 0 and at most 1");
	Memory &memory = memory_of(device);

	memory.limit = (size_t)(fraction * memory.capacity);
	NPU_CHECK(vnpu_pool_set_limit(memory.pool, memory.limit));
	if (memory.large)
		NPU_CHECK(vnpu_pool_set_limit(memory.large, memory.limit));
}

} /* namespace npu */
