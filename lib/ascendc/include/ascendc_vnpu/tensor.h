/* SPDX-License-Identifier: MIT */
/*
 * Tensors: views of a core's own memory and of device memory.
 */
#ifndef ASCENDC_VNPU_TENSOR_H
#define ASCENDC_VNPU_TENSOR_H

#include "lanes.h"

#include "../vnpu_check/check.h"

namespace vnpu {

/* The memory that a position is in. */
constexpr uint32_t local_of(AscendC::TPosition position)
{
	using P = AscendC::TPosition;

	switch (position) {
	case P::A1:
	case P::B1:
	case P::C1:
	case P::TSCM:
		return VNPU_LOCAL_L1;
	case P::A2:
		return VNPU_LOCAL_L0A;
	case P::B2:
		return VNPU_LOCAL_L0B;
	case P::CO1:
		return VNPU_LOCAL_L0C;
	case P::C2:
		return VNPU_LOCAL_BT;
	case P::C2PIPE2GM:
		return VNPU_LOCAL_FB;
	default:
		return VNPU_LOCAL_UB;
	}
}

[[noreturn]] VNPU_COLD inline void
fault_range(const char *what, const char *operand, const void *at,
	    uint64_t bytes, uint32_t local)
{
	const struct vnpu_local &memory = block()->local[local];

	fault_address(VNPU_FAULT_BOUNDS, at, bytes,
		      "%s: %llu bytes of %s at offset %lld are outside of %s, which has %llu",
		      what, (unsigned long long)bytes, operand,
		      (long long)((intptr_t)at - (intptr_t)memory.base),
		      local_name(local), (unsigned long long)memory.size);
}

[[noreturn]] VNPU_COLD inline void
fault_align(const char *what, const char *operand, const void *at)
{
	fault_address(VNPU_FAULT_ALIGN, at, 0,
		      "%s: the address of %s is no multiple of 32: it is %llu bytes behind one",
		      what, operand,
		      (unsigned long long)((uintptr_t)at % 32));
}

/* An operand of an instruction has to lie in its memory. */
VNPU_ALWAYS_INLINE void check_bounds(const char *what, const char *operand,
				    const void *at, uint64_t bytes,
				    AscendC::TPosition position)
{
	uint32_t local = local_of(position);
	const struct vnpu_local &memory = block()->local[local];
	uint64_t offset = (uintptr_t)at - (uintptr_t)memory.base;

	if (__builtin_expect(offset > memory.size ||
			     bytes > memory.size - offset, 0))
		fault_range(what, operand, at, bytes, local);
}

/* ... and the checkers look at an operand of a vector instruction. */
VNPU_ALWAYS_INLINE void check_range(const char *what, const char *operand,
				    const void *at, uint64_t bytes,
				    AscendC::TPosition position)
{
	check_bounds(what, operand, at, bytes, position);
	if (local_of(position) == VNPU_LOCAL_UB)
		check_named(what, operand, at, bytes, false);
}

/*
 * Bytes that an instruction of another pipe reads or writes; @unit is that of struct
 * check_use.
 */
VNPU_ALWAYS_INLINE void check_part(const char *what, const char *operand,
				   uint32_t pipe, bool is_write,
				   const void *at, uint64_t bytes,
				   AscendC::TPosition position, uint32_t unit)
{
	check_access_local({ what, operand, pipe, is_write, unit,
			     local_of(position), at, bytes });
}

VNPU_ALWAYS_INLINE void check_row(const char *what, uint32_t pipe,
				  bool is_write, const void *at, uint64_t bytes,
				  AscendC::TPosition position,
				  uint32_t unit = CHECK_BLOCK)
{
	check_part(what, is_write ? "dst" : "src", pipe, is_write, at, bytes,
		   position, unit);
}

VNPU_ALWAYS_INLINE void check_align(const char *what, const char *operand,
				    const void *at)
{
	if (__builtin_expect((uintptr_t)at % 32, 0))
		fault_align(what, operand, at);
}

/* The core notes accesses to device memory, if it checks for races. */
VNPU_ALWAYS_INLINE void check_access(const volatile void *at, uint64_t bytes,
				     uint32_t flags)
{
	struct vnpu_block *b = block();

	if (__builtin_expect(b->ops->access != nullptr, 0))
		b->ops->access(b, const_cast<const void *>(at), bytes, flags);
}

/* ... of @count rows, @step bytes from one to the next. */
VNPU_ALWAYS_INLINE void check_access_rows(const volatile void *at,
					  uint64_t count, uint64_t bytes,
					  uint64_t step, uint32_t flags)
{
	const volatile char *row = static_cast<const volatile char *>(at);

	if (__builtin_expect(block()->ops->access == nullptr, 1))
		return;
	if (step == bytes) {
		bytes *= count;
		count = 1;
	}
	for (uint64_t i = 0; i < count; i++)
		check_access(row + i * step, bytes, flags);
}

} /* namespace vnpu */

namespace AscendC {

/* The part of a tensor that is independent of the element type. */
struct LocalTensorBase {
	uint8_t *address_ = nullptr;
	uint32_t bytes_ = 0;
	TPosition position_ = TPosition::VECCALC;
	void *buffer_ = nullptr;	/* of the queue that it came from */
};

/* Where a tensor is in a core's memory: bytes, and bytes in front of it. */
struct TBuffAddr {
	uint32_t dataLen = 0;
	uint32_t bufferAddr = 0;
	TBufHandle bufferHandle = nullptr;
	uint8_t logicPos = 0;
};

template <typename T>
class LocalTensor : public LocalTensorBase {
public:
	using PrimType = T;

	LocalTensor() = default;

	explicit LocalTensor(const LocalTensorBase &base)
		: LocalTensorBase(base)
	{
	}

	/* The memory at an offset, without a queue. */
	LocalTensor(TPosition position, uint32_t offset, uint32_t size)
	{
		const struct vnpu_local &memory =
			vnpu::block()->local[vnpu::local_of(position)];

		address_ = static_cast<uint8_t *>(memory.base) + offset;
		bytes_ = size * sizeof(T);
		position_ = position;
		vnpu::check_bounds("LocalTensor", "the tensor", address_,
				   bytes_, position);
	}

	T GetValue(uint32_t index) const
	{
		return *vnpu::late_seen(at(index, "GetValue"));
	}

	template <typename U>
	void SetValue(uint32_t index, const U value) const
	{
		T *element = at(index, "SetValue", true);

		*element = static_cast<T>(value);
	}

	T &operator()(uint32_t index) const
	{
		return *at(index, "operator()");
	}

	LocalTensor operator[](uint32_t offset) const
	{
		LocalTensor view = *this;
		uint64_t skip = uint64_t(offset) * sizeof(T);

		view.address_ += skip;
		view.bytes_ = skip < bytes_ ? bytes_ - skip : 0;
		return view;
	}

	template <typename U>
	LocalTensor<U> ReinterpretCast() const
	{
		return LocalTensor<U>(static_cast<const LocalTensorBase &>(
			*this));
	}

	uint32_t GetSize() const
	{
		return bytes_ / sizeof(T);
	}

	uint32_t GetLength() const
	{
		return bytes_;
	}

	void SetSize(uint32_t size)
	{
		bytes_ = size * sizeof(T);
	}

	void SetBufferLen(uint32_t bytes)
	{
		bytes_ = bytes;
	}

	TPosition GetPosition() const
	{
		return position_;
	}

	uint64_t GetPhyAddr() const
	{
		return GetPhyAddr(0);
	}

	uint64_t GetPhyAddr(uint32_t offset) const
	{
		return reinterpret_cast<uint64_t>(address_ +
						  uint64_t(offset) * sizeof(T));
	}

	template <typename U>
	void SetAddrWithOffset(const LocalTensor<U> &from, uint32_t offset)
	{
		static_cast<LocalTensorBase &>(*this) = from;
		address_ += uint64_t(offset) * sizeof(T);
	}

	/* The memory at an address of another form. */
	void SetAddr(const TBuffAddr &address)
	{
		static_cast<LocalTensorBase &>(*this) = LocalTensor(
			static_cast<TPosition>(address.logicPos),
			address.bufferAddr, address.dataLen / sizeof(T));
	}

	void SetUserTag(const TEventID tag)
	{
		tag_ = tag;
	}

	TEventID GetUserTag() const
	{
		return tag_;
	}

	void SetShapeInfo(const ShapeInfo &shape)
	{
		shape_ = shape;
	}

	ShapeInfo GetShapeInfo() const
	{
		return shape_;
	}

	/* For instructions: the elements. */
	T *data() const
	{
		return reinterpret_cast<T *>(address_);
	}

private:
	T *at(uint32_t index, const char *what, bool is_write = false) const
	{
		T *element = data() + index;

		vnpu::check_bounds(what, "the tensor", element, sizeof(T),
				   position_);
		vnpu::check_row(what, vnpu::CHECK_S, is_write, element,
				sizeof(T), position_);
		return element;
	}

	ShapeInfo shape_;
	TEventID tag_ = -1;
};

template <typename T>
class GlobalTensor {
public:
	using PrimType = T;

	void SetGlobalBuffer(__gm__ T *address)
	{
		SetGlobalBuffer(address, 0);
	}

	/* With a size, accesses behind it are reported. */
	void SetGlobalBuffer(__gm__ T *address, uint64_t size)
	{
		address_ = address;
		size_ = size;
		is_bounded_ = size;
	}

	const __gm__ T *GetPhyAddr() const
	{
		return address_;
	}

	__gm__ T *GetPhyAddr(uint64_t offset) const
	{
		return address_ + offset;
	}

	T GetValue(uint64_t offset) const
	{
		check_element("GetValue", offset);
		vnpu::check_access(address_ + offset, sizeof(T),
				   VNPU_GM_READ | VNPU_GM_SCALAR);
		return address_[offset];
	}

	template <typename U>
	void SetValue(uint64_t offset, U value) const
	{
		check_element("SetValue", offset);
		vnpu::check_access(address_ + offset, sizeof(T),
				   VNPU_GM_WRITE | VNPU_GM_SCALAR);
		address_[offset] = static_cast<T>(value);
	}

	__gm__ T &operator()(uint64_t offset) const
	{
		check_element("operator()", offset);
		return address_[offset];
	}

	GlobalTensor operator[](uint64_t offset) const
	{
		GlobalTensor view = *this;

		view.address_ += offset;
		view.size_ = offset < size_ ? size_ - offset : 0;
		return view;
	}

	template <typename U>
	GlobalTensor<U> ReinterpretCast() const
	{
		GlobalTensor<U> other;

		other.SetGlobalBuffer(reinterpret_cast<U *>(address_),
				      size_ * sizeof(T) / sizeof(U));
		return other;
	}

	uint64_t GetSize() const
	{
		return size_;
	}

	template <CacheRwMode rw = CacheRwMode::RW>
	void SetL2CacheHint(CacheMode)
	{
	}

	void SetShapeInfo(const ShapeInfo &shape)
	{
		shape_ = shape;
	}

	ShapeInfo GetShapeInfo() const
	{
		return shape_;
	}

	/* A copy wants @bytes from here on. */
	void check(const char *what, uint64_t bytes) const
	{
		if (is_bounded_ && bytes > size_ * sizeof(T))
			vnpu::finding(VNPU_FAULT_BOUNDS,
				      "%s: %llu bytes of device memory, where SetGlobalBuffer() has left %llu",
				      what, (unsigned long long)bytes,
				      (unsigned long long)(size_ * sizeof(T)));
	}

	__gm__ T *address_ = nullptr;

private:
	void check_element(const char *what, uint64_t offset) const
	{
		if (vnpu::is_checked(VNPU_CHECK_BOUNDS) && is_bounded_ &&
		    offset >= size_)
			vnpu::finding(VNPU_FAULT_BOUNDS,
				      "%s: element %llu of device memory, where SetGlobalBuffer() has left %llu",
				      what, (unsigned long long)offset,
				      (unsigned long long)size_);
	}

	uint64_t size_ = 0;
	bool is_bounded_ = false;
	ShapeInfo shape_;
};

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_TENSOR_H */
