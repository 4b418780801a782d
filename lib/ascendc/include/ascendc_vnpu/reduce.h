/* SPDX-License-Identifier: MIT */
/*
 * Reductions of data blocks, repeats and rows.
 */
#ifndef ASCENDC_VNPU_REDUCE_H
#define ASCENDC_VNPU_REDUCE_H

#include "reduction.h"

namespace AscendC {

#define VNPU_BLOCK_REDUCE(Name, call) \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const int32_t repeatTime, \
			 const uint64_t mask[], const int32_t dstRepStride, \
			 const int32_t srcBlkStride, \
			 const int32_t srcRepStride) \
	{ \
		vnpu::mask m = vnpu::make_mask<isSetMask>(mask, \
			vnpu::repeat_elements<T>()); \
		\
		call; \
	} \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const int32_t repeatTime, \
			 const int32_t mask, const int32_t dstRepStride, \
			 const int32_t srcBlkStride, \
			 const int32_t srcRepStride) \
	{ \
		vnpu::mask m = vnpu::make_mask<isSetMask>(uint64_t(mask), 0); \
		\
		call; \
	}

VNPU_BLOCK_REDUCE(BlockReduceSum,
		  vnpu::block_sum(dst, src, m, repeatTime, dstRepStride,
				  srcBlkStride, srcRepStride))
VNPU_BLOCK_REDUCE(BlockReduceMax,
		  vnpu::block_pick<vnpu::pick_max>("BlockReduceMax", dst, src,
			  m, repeatTime, dstRepStride, srcBlkStride,
			  srcRepStride))
VNPU_BLOCK_REDUCE(BlockReduceMin,
		  vnpu::block_pick<vnpu::pick_min>("BlockReduceMin", dst, src,
			  m, repeatTime, dstRepStride, srcBlkStride,
			  srcRepStride))
VNPU_BLOCK_REDUCE(PairReduceSum,
		  vnpu::pair_sum(dst, src, m, repeatTime, dstRepStride,
				 srcBlkStride, srcRepStride))
#undef VNPU_BLOCK_REDUCE

/* The sum of each repeat. */
template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
			   const uint64_t mask[], const int32_t repeatTime,
			   const int32_t dstRepStride,
			   const int32_t srcBlkStride,
			   const int32_t srcRepStride)
{
	vnpu::whole_sum("WholeReduceSum", dst, src,
			vnpu::make_mask<isSetMask>(mask,
				vnpu::repeat_elements<T>()),
			repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
			   const int32_t mask, const int32_t repeatTime,
			   const int32_t dstRepStride,
			   const int32_t srcBlkStride,
			   const int32_t srcRepStride)
{
	vnpu::whole_sum("WholeReduceSum", dst, src,
			vnpu::make_mask<isSetMask>(uint64_t(mask), 0),
			repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

/* The names of the reductions above with a template parameter. */
#define VNPU_REDUCE_TYPE(Mask) \
	template <ReduceType type, typename T, typename U = T, \
		  bool isSetMask = true> \
	inline void ReduceDataBlock(const LocalTensor<T> &dst, \
				    const LocalTensor<U> &src, Mask, \
				    const int32_t repeatTime, \
				    const int32_t dstRepStride, \
				    const int32_t srcBlkStride, \
				    const int32_t srcRepStride) \
	{ \
		if constexpr (type == ReduceType::SUM) \
			BlockReduceSum<T, isSetMask>(dst, src, repeatTime, \
				mask, dstRepStride, srcBlkStride, \
				srcRepStride); \
		else if constexpr (type == ReduceType::MAX) \
			BlockReduceMax<T, isSetMask>(dst, src, repeatTime, \
				mask, dstRepStride, srcBlkStride, \
				srcRepStride); \
		else \
			BlockReduceMin<T, isSetMask>(dst, src, repeatTime, \
				mask, dstRepStride, srcBlkStride, \
				srcRepStride); \
	} \
	template <ReduceType type, typename T, typename U = T, \
		  bool isSetMask = true> \
	inline void ReduceRepeat(const LocalTensor<T> &dst, \
				 const LocalTensor<U> &src, Mask, \
				 const int32_t repeatTime, \
				 const int32_t dstRepStride, \
				 const int32_t srcBlkStride, \
				 const int32_t srcRepStride, \
				 ReduceOrder order = \
					ReduceOrder::ORDER_VALUE_INDEX) \
	{ \
		if constexpr (type == ReduceType::SUM) \
			WholeReduceSum<T, isSetMask>(dst, src, mask, \
				repeatTime, dstRepStride, srcBlkStride, \
				srcRepStride); \
		else if constexpr (type == ReduceType::MAX) \
			WholeReduceMax<T, isSetMask>(dst, src, mask, \
				repeatTime, dstRepStride, srcBlkStride, \
				srcRepStride, order); \
		else \
			WholeReduceMin<T, isSetMask>(dst, src, mask, \
				repeatTime, dstRepStride, srcBlkStride, \
				srcRepStride, order); \
	}

template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T> &dst,
			    const LocalTensor<T> &src, const int32_t repeatTime,
			    const int32_t mask, const int32_t,
			    const int32_t srcBlkStride,
			    const int32_t dstRepStride,
			    const int32_t srcRepStride)
{
	vnpu::whole_sum("RepeatReduceSum", dst, src,
			vnpu::make_mask<isSetMask>(uint64_t(mask), 0),
			repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

#define VNPU_WHOLE_PICK(Name, which) \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const uint64_t mask[], \
			 const int32_t repeatTime, \
			 const int32_t dstRepStride, \
			 const int32_t srcBlkStride, \
			 const int32_t srcRepStride, \
			 ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) \
	{ \
		vnpu::whole_pick<which>(#Name, dst, src, \
			vnpu::make_mask<isSetMask>(mask, \
				vnpu::repeat_elements<T>()), repeatTime, \
			dstRepStride, srcBlkStride, srcRepStride, order); \
	} \
	template <typename T, bool isSetMask = true> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const int32_t mask, \
			 const int32_t repeatTime, \
			 const int32_t dstRepStride, \
			 const int32_t srcBlkStride, \
			 const int32_t srcRepStride, \
			 ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) \
	{ \
		vnpu::whole_pick<which>(#Name, dst, src, \
			vnpu::make_mask<isSetMask>(uint64_t(mask), 0), \
			repeatTime, dstRepStride, srcBlkStride, srcRepStride, \
			order); \
	}

VNPU_WHOLE_PICK(WholeReduceMax, vnpu::pick_max)
VNPU_WHOLE_PICK(WholeReduceMin, vnpu::pick_min)
#undef VNPU_WHOLE_PICK

VNPU_REDUCE_TYPE(const uint64_t mask[])
VNPU_REDUCE_TYPE(const int32_t mask)
#undef VNPU_REDUCE_TYPE

template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		      const LocalTensor<T> &, const int32_t count)
{
	vnpu::check_vector("ReduceSum", "src", src, count);
	vnpu::check_range("ReduceSum", "dst", dst.address_, sizeof(T),
			  dst.position_);
	dst.data()[0] = static_cast<T>(vnpu::sum_row(src.data(), count));
	vnpu::state()->accumulated = static_cast<float>(dst.data()[0]);
}

/* By repeats: the elements of the mask, one repeat after the other. */
template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		      const LocalTensor<T> &, const uint64_t mask[],
		      const int32_t repeatTime, const int32_t srcRepStride)
{
	vnpu::row_sum(dst, src, vnpu::make_mask<isSetMask>(mask,
		      vnpu::repeat_elements<T>()), repeatTime, srcRepStride);
}

template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		      const LocalTensor<T> &, const int32_t mask,
		      const int32_t repeatTime, const int32_t srcRepStride)
{
	vnpu::row_sum(dst, src, vnpu::make_mask<isSetMask>(uint64_t(mask), 0),
		      repeatTime, srcRepStride);
}

#define VNPU_REDUCE_PICK(Name, which) \
	template <typename T> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const LocalTensor<T> &, \
			 const int32_t count, bool calIndex = false) \
	{ \
		vnpu::reduce_pick<which>(#Name, dst, src, count, calIndex); \
	} \
	template <typename T> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const LocalTensor<T> &, \
			 const uint64_t mask[], const int32_t repeatTime, \
			 const int32_t srcRepStride, bool calIndex = false) \
	{ \
		constexpr uint32_t elements = vnpu::repeat_elements<T>(); \
		const vnpu::mask m = vnpu::mask_bits(mask, elements); \
		const vnpu::steps s = { uint32_t(repeatTime), m, m }; \
		const vnpu::operand from = \
			vnpu::make_operand(src, 1, srcRepStride); \
		uint32_t best = 0, index; \
		bool any = false; \
		T value = T(0), found = T(0); \
		\
		vnpu::check_reduce(#Name, dst, (1 + calIndex) * sizeof(T), \
				   from, s); \
		for (int32_t r = 0; r < repeatTime; r++) { \
			if (!vnpu::pick<which>(from, r, 0, elements, m, \
					       &value, &index)) \
				continue; \
			if (any && !which::is_better( \
				vnpu::comparable(value), \
				vnpu::comparable(found))) \
				continue; \
			found = value; \
			best = r * elements + index; \
			any = true; \
		} \
		if (!any) \
			return; \
		dst.data()[0] = found; \
		if (calIndex) \
			vnpu::store_index(dst.data() + 1, best); \
	} \
	template <typename T> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, \
			 const LocalTensor<T> &work, const int32_t mask, \
			 const int32_t repeatTime, \
			 const int32_t srcRepStride, bool calIndex = false) \
	{ \
		vnpu::mask bits = vnpu::mask_first(mask); \
		\
		Name(dst, src, work, bits.bits, repeatTime, srcRepStride, \
		     calIndex); \
	}

VNPU_REDUCE_PICK(ReduceMax, vnpu::pick_max)
VNPU_REDUCE_PICK(ReduceMin, vnpu::pick_min)
#undef VNPU_REDUCE_PICK

/* The result of the last WholeReduceMax() or WholeReduceMin(), as bits. */
template <typename T>
inline void GetReduceMaxMinCount(T &value, T &index)
{
	__builtin_memcpy(&value, &vnpu::state()->reduced_value, sizeof(T));
	vnpu::store_index(&index, vnpu::state()->reduced_index);
}

template <typename T>
inline T GetAccVal()
{
	return static_cast<T>(vnpu::state()->accumulated);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_REDUCE_H */
