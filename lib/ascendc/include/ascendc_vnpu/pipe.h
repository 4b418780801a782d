/* SPDX-License-Identifier: MIT */
/*
 * Allocation of a core's memory: TPipe, TBufPool, and an allocator for kernels
 * without a TPipe.
 */
#ifndef ASCENDC_VNPU_PIPE_H
#define ASCENDC_VNPU_PIPE_H

#include "queue.h"

namespace vnpu {

/* A size that was computed below zero must not become a small one. */
VNPU_ALWAYS_INLINE uint32_t whole_blocks(uint32_t bytes)
{
	return bytes > ~0U - 31 ? bytes : (bytes + 31) / 32 * 32;
}

} /* namespace vnpu */

namespace AscendC {

class TPipe {
public:
	TPipe()
	{
		Init();
		vnpu::state()->pipe = this;
	}

	TPipe(const TPipe &) = delete;
	TPipe &operator=(const TPipe &) = delete;

	void Init()
	{
		Reset();
	}

	void Destroy()
	{
		Reset();
	}

#if VNPU_CHECK
	~TPipe()
	{
		check_left();
	}
#endif

	/* All memory and all ids are back. */
	void Reset()
	{
		check_left();
		vnpu::check_barrier();
		vnpu::check_disown();
		for (uint32_t &used : used_)
			used = 0;
		buffer_count_ = 0;
		__builtin_memset(vnpu::state()->events, 0,
				 sizeof(vnpu::state()->events));
	}

	template <typename Q>
	bool InitBuffer(Q &que, uint8_t count, uint32_t bytes)
	{
		bytes = vnpu::whole_blocks(bytes);
		if (buffer_count_ + count > vnpu::BUFFERS)
			vnpu::fault(VNPU_FAULT_QUEUE,
				    "InitBuffer: %u buffers, where a TPipe has %u",
				    buffer_count_ + count, vnpu::BUFFERS);
		que.queue_.buffers = &buffers_[buffer_count_];
		que.queue_.count = count;
		que.queue_.next = que.queue_.queued = que.queue_.head = 0;
		for (uint8_t i = 0; i < count; i++) {
			struct vnpu::buffer *b = &buffers_[buffer_count_++];

			*b = {};
			b->at = take(Q::position, bytes);
			b->bytes = bytes;
			b->state = vnpu::buffer::FREE;
			vnpu::check_owner(vnpu::local_of(Q::position), b->at,
					  bytes, b);
		}
		return true;
	}

	template <TPosition pos>
	bool InitBuffer(TBuf<pos> &buf, uint32_t bytes)
	{
		bytes = vnpu::whole_blocks(bytes);
		buf.address_ = take(pos, bytes);
		buf.bytes_ = bytes;
		vnpu::check_owner(vnpu::local_of(pos), buf.address_, bytes,
				  nullptr);
		return true;
	}

	/* A piece of memory for a pool; its buffers are handed out by the pool. */
	template <typename Pool>
	bool InitBufPool(Pool &pool, uint32_t bytes)
	{
		bytes = vnpu::whole_blocks(bytes);
		pool.address_ = take(Pool::position, bytes);
		pool.bytes_ = bytes;
		/* Pools may share the memory, so it is one buffer. */
		vnpu::check_owner(vnpu::local_of(Pool::position),
				  pool.address_, bytes, nullptr);
		pool.Reset();
		return true;
	}

	/* ... the same piece that another pool has, for another phase. */
	template <typename Pool, typename Other>
	bool InitBufPool(Pool &pool, uint32_t bytes, const Other &shared)
	{
		if (bytes > shared.bytes_)
			vnpu::fault(VNPU_FAULT_MEMORY,
				    "InitBufPool: %u bytes, where the pool to share with has %u",
				    bytes, shared.bytes_);
		pool.address_ = shared.address_;
		pool.bytes_ = shared.bytes_;
		pool.Reset();
		return true;
	}

	template <HardEvent event>
	TEventID AllocEventID()
	{
		return vnpu::event_find(event, true);
	}

	template <HardEvent event>
	void ReleaseEventID(TEventID id)
	{
		vnpu::event_free(event, id);
	}

	template <HardEvent event>
	TEventID FetchEventID()
	{
		return vnpu::event_find(event, false);
	}

	TEventID FetchEventID(HardEvent event)
	{
		return vnpu::event_find(event, false);
	}

	/* A memory from its beginning, whatever was handed out of it. */
	template <TPosition pos, typename T>
	LocalTensor<T> GetAbsAddr(int32_t offset, int32_t size) const
	{
		return LocalTensor<T>(pos, offset, size);
	}

	template <TPosition pos>
	TBuf<pos> GetAbsAddr(int32_t offset, int32_t bytes) const
	{
		TBuf<pos> out;

		out.address_ = static_cast<uint8_t *>(vnpu::block()->local[
			vnpu::local_of(pos)].base) + offset;
		out.bytes_ = bytes;
		return out;
	}

	uint8_t *take(TPosition position, uint32_t bytes)
	{
		uint32_t local = vnpu::local_of(position);
		const struct vnpu_local &memory = vnpu::block()->local[local];
		uint32_t from = used_[local];

		if (!memory.base || bytes > memory.size - from)
			vnpu::fault(VNPU_FAULT_MEMORY,
				    "InitBuffer: %u bytes, where %llu of the %llu of %s are left",
				    bytes,
				    (unsigned long long)memory.size - from,
				    (unsigned long long)memory.size,
				    vnpu::local_name(local));
		used_[local] = from + bytes;
		return static_cast<uint8_t *>(memory.base) + from;
	}

private:
	/* Tensors that were queued and never fetched. */
	void check_left() const
	{
		uint32_t left = 0;

		for (uint32_t i = 0; vnpu::is_checked(VNPU_CHECK_QUEUE) &&
		     i < buffer_count_; i++)
			left += buffers_[i].state == vnpu::buffer::QUEUED;
		if (left)
			vnpu::finding(VNPU_FAULT_QUEUE,
				      "%u tensors are still in queues at the end of the TPipe",
				      left);
	}

	uint32_t used_[VNPU_LOCAL_COUNT];
	uint32_t buffer_count_ = 0;
	struct vnpu::buffer buffers_[vnpu::BUFFERS];
};

/*
 * A piece of a memory, for the buffers of one phase of a kernel; another pool may
 * have the same piece in the next phase.
 */
template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool {
public:
	static constexpr TPosition position = pos;

	template <typename Q>
	bool InitBuffer(Q &que, uint8_t count, uint32_t bytes)
	{
		bytes = vnpu::whole_blocks(bytes);
		if (used_count_ + count > bufIDSize)
			vnpu::fault(VNPU_FAULT_QUEUE,
				    "InitBuffer: %u buffers, where the TBufPool has %u",
				    used_count_ + count, bufIDSize);
		que.queue_.buffers = &buffers_[used_count_];
		que.queue_.count = count;
		que.queue_.next = que.queue_.queued = que.queue_.head = 0;
		for (uint8_t i = 0; i < count; i++) {
			struct vnpu::buffer *b = &buffers_[used_count_++];

			*b = {};
			b->at = take(bytes);
			b->bytes = bytes;
			b->state = vnpu::buffer::FREE;
		}
		return true;
	}

	template <TPosition at>
	bool InitBuffer(TBuf<at> &buf, uint32_t bytes)
	{
		bytes = vnpu::whole_blocks(bytes);
		buf.address_ = take(bytes);
		buf.bytes_ = bytes;
		return true;
	}

	void Reset()
	{
		used_ = used_count_ = 0;
	}

	uint8_t *address_ = nullptr;
	uint32_t bytes_ = 0;

private:
	uint8_t *take(uint32_t bytes)
	{
		uint32_t from = used_;

		if (bytes > bytes_ - used_)
			vnpu::fault(VNPU_FAULT_MEMORY,
				    "InitBuffer: %u bytes, where %u of the %u of the TBufPool are left",
				    bytes, bytes_ - used_, bytes_);
		used_ += bytes;
		return address_ + from;
	}

	uint32_t used_ = 0;
	uint32_t used_count_ = 0;
	struct vnpu::buffer buffers_[bufIDSize];
};

VNPU_ALWAYS_INLINE TPipe *GetTPipePtr()
{
	return static_cast<TPipe *>(vnpu::state()->pipe);
}

/* Memory of a core without a TPipe: tensors one behind the other. */
template <Hardware hardware>
class LocalMemAllocator {
public:
	LocalMemAllocator()
	{
		used() = 0;
	}

	template <TPosition pos, typename T, uint32_t size>
	LocalTensor<T> Alloc()
	{
		return Alloc<pos, T>(size);
	}

	template <TPosition pos, typename T>
	LocalTensor<T> Alloc(uint32_t size)
	{
		uint32_t from = used();
		uint64_t bytes = uint64_t(size) * sizeof(T);
		const struct vnpu_local &memory = vnpu::block()->local[local];

		static_assert(vnpu::local_of(pos) == local,
			      "the position is in another memory");
		bytes = AlignUp<uint64_t>(bytes, ONE_BLK_SIZE);
		if (bytes > memory.size - from)
			vnpu::fault(VNPU_FAULT_MEMORY,
				    "Alloc: %llu bytes, where %llu of the %llu of %s are left",
				    (unsigned long long)bytes,
				    (unsigned long long)memory.size - from,
				    (unsigned long long)memory.size,
				    vnpu::local_name(local));
		used() = from + bytes;
		return LocalTensor<T>(pos, from, size);
	}

	template <typename T, uint32_t size>
	LocalTensor<T> Alloc()
	{
		return Alloc<anywhere, T>(size);
	}

	template <typename T>
	LocalTensor<T> Alloc(uint32_t size)
	{
		return Alloc<anywhere, T>(size);
	}

	uint32_t GetCurAddr() const
	{
		return used();
	}

private:
	static constexpr uint32_t local =
		hardware == Hardware::UB ? VNPU_LOCAL_UB :
		hardware == Hardware::L1 ? VNPU_LOCAL_L1 :
		hardware == Hardware::L0A ? VNPU_LOCAL_L0A :
		hardware == Hardware::L0B ? VNPU_LOCAL_L0B :
		hardware == Hardware::L0C ? VNPU_LOCAL_L0C :
		hardware == Hardware::BIAS ? VNPU_LOCAL_BT : VNPU_LOCAL_FB;
	static constexpr TPosition anywhere =
		hardware == Hardware::UB ? TPosition::VECCALC :
		hardware == Hardware::L1 ? TPosition::A1 :
		hardware == Hardware::L0A ? TPosition::A2 :
		hardware == Hardware::L0B ? TPosition::B2 :
		hardware == Hardware::L0C ? TPosition::CO1 :
		hardware == Hardware::BIAS ? TPosition::C2 :
		TPosition::C2PIPE2GM;

	static uint32_t &used()
	{
		return vnpu::state()->allocated[local];
	}
};

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_PIPE_H */
