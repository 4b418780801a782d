/* SPDX-License-Identifier: MIT */
/*
 * A list of tensors in device memory, as a kernel with a dynamic input gets it, in
 * words of 64 bits:
 *
 *	bytes from the list to the addresses
 *	of each tensor: its dimensions (lower half) and its index (upper half);
 *			the length of each dimension
 *	the address of each tensor
 */
#ifndef ASCENDC_VNPU_LIST_H
#define ASCENDC_VNPU_LIST_H

#include "tensor.h"

namespace AscendC {

/* One tensor of a list: its shape is kept where SetShapeAddr() says. */
template <typename T>
class TensorDesc {
public:
	void SetShapeAddr(uint64_t *shape)
	{
		shape_ = shape;
	}

	uint64_t GetDim() const
	{
		return dim_;
	}

	uint64_t GetIndex() const
	{
		return index_;
	}

	uint64_t GetShape(uint32_t at) const
	{
		if (at >= dim_ || !shape_)
			vnpu::fault(VNPU_FAULT_BOUNDS,
				    "GetShape: dimension %u of %u%s", at, dim_,
				    shape_ ? "" : "; SetShapeAddr() was not called");
		return shape_[at];
	}

	__gm__ T *GetDataPtr() const
	{
		return data_;
	}

	GlobalTensor<T> GetDataObj() const
	{
		GlobalTensor<T> tensor;

		tensor.SetGlobalBuffer(data_);
		return tensor;
	}

private:
	friend class ListTensorDesc;

	uint64_t *shape_ = nullptr;
	T *data_ = nullptr;
	uint32_t dim_ = 0;
	uint32_t index_ = 0;
};

class ListTensorDesc {
public:
	ListTensorDesc() = default;

	ListTensorDesc(__gm__ void *data, uint64_t length = ~0ULL,
		       uint32_t = 0)
	{
		Init(data, length);
	}

	void Init(__gm__ void *data, uint64_t length = ~0ULL, uint32_t = 0)
	{
		list_ = static_cast<uint64_t *>(data);
		length_ = length;
	}

	/* The number of tensors. */
	uint32_t GetSize() const
	{
		uint32_t count = 0;

		for (uint64_t at = 1; at < words(); at += 1 + dimensions(at))
			count++;
		return count;
	}

	template <typename T>
	void GetDesc(TensorDesc<T> &desc, uint32_t index) const
	{
		uint64_t at = 1;

		for (uint32_t i = 0; i < index && at < words(); i++)
			at += 1 + dimensions(at);
		if (at >= words())
			vnpu::fault(VNPU_FAULT_BOUNDS,
				    "GetDesc: tensor %u of a list of %u", index,
				    GetSize());
		desc.dim_ = dimensions(at);
		desc.index_ = static_cast<uint32_t>(list_[at] >> 32);
		desc.data_ = GetDataPtr<T>(index);
		for (uint32_t i = 0; desc.shape_ && i < desc.dim_; i++)
			desc.shape_[i] = list_[at + 1 + i];
	}

	template <typename T>
	T *GetDataPtr(uint32_t index) const
	{
		uint64_t offset = list_[0] + index * sizeof(uint64_t);

		if (offset >= length_)
			vnpu::fault(VNPU_FAULT_BOUNDS,
				    "GetDataPtr: tensor %u of a list of %llu bytes",
				    index, (unsigned long long)length_);
		return reinterpret_cast<T *>(
			*reinterpret_cast<uint64_t *>(
				reinterpret_cast<uint8_t *>(list_) + offset));
	}

private:
	/* The word of the first address. */
	uint64_t words() const
	{
		return list_[0] / sizeof(uint64_t);
	}

	uint32_t dimensions(uint64_t at) const
	{
		return static_cast<uint32_t>(list_[at]);
	}

	uint64_t *list_ = nullptr;
	uint64_t length_ = 0;
};

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_LIST_H */
