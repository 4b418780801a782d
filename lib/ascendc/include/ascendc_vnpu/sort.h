/* SPDX-License-Identifier: MIT */
/*
 * Sorting: pairs of a value and an index, eight bytes each, largest value first,
 * and of equal values the one that came first.
 */
#ifndef ASCENDC_VNPU_SORT_H
#define ASCENDC_VNPU_SORT_H

#include "gather.h"

namespace AscendC {

/* Up to four lists that are sorted. */
template <typename T>
struct MrgSortSrcList {
	MrgSortSrcList() = default;

	MrgSortSrcList(const LocalTensor<T> &one, const LocalTensor<T> &two,
		       const LocalTensor<T> &three, const LocalTensor<T> &four)
		: src1(one), src2(two), src3(three), src4(four)
	{
	}

	LocalTensor<T> src1;
	LocalTensor<T> src2;
	LocalTensor<T> src3;
	LocalTensor<T> src4;
};

struct MrgSort4Info {
	MrgSort4Info() = default;

	MrgSort4Info(const uint16_t lengths[4], bool suspend, uint16_t valid,
		     uint16_t repeats)
		: ifExhaustedSuspension(suspend), validBit(valid),
		  repeatTimes(static_cast<uint8_t>(repeats))
	{
		for (uint32_t i = 0; i < 4; i++)
			elementLengths[i] = lengths[i];
	}

	uint16_t elementLengths[4] = {};
	bool ifExhaustedSuspension = false;
	uint16_t validBit = 0;
	uint8_t repeatTimes = 1;
};

} /* namespace AscendC */

namespace vnpu {

/* Bytes of a pair, and elements of the tensor's type in it. */
constexpr uint32_t PAIR_BYTES = 8;

template <typename T>
constexpr uint32_t pair_elements = PAIR_BYTES / sizeof(T);

template <typename T>
VNPU_ALWAYS_INLINE float pair_value(const uint8_t *at)
{
	T value;

	__builtin_memcpy(&value, at, sizeof(value));
	return static_cast<float>(value);
}

/* Is @a before @b?  Numbers are before NaN. */
VNPU_ALWAYS_INLINE bool is_before(float a, float b)
{
	return a > b || (a == a && b != b);
}

/* Merge sorted lists, the first of equals from the first list. */
template <typename T>
inline uint32_t merge(uint8_t *to, const uint8_t *const (&lists)[4],
		      const uint32_t (&lengths)[4], uint32_t (&taken)[4],
		      bool stops_when_exhausted)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < 4; i++)
		taken[i] = 0;
	for (;;) {
		int best = -1;
		float value = 0;

		for (int i = 0; i < 4; i++) {
			if (taken[i] == lengths[i])
				continue;
			float here = pair_value<T>(lists[i] + taken[i] *
						   PAIR_BYTES);

			if (best < 0 || is_before(here, value)) {
				best = i;
				value = here;
			}
		}
		if (best < 0)
			return count;
		__builtin_memcpy(to + count++ * PAIR_BYTES, lists[best] +
				 taken[best] * PAIR_BYTES, PAIR_BYTES);
		if (++taken[best] == lengths[best] && stops_when_exhausted)
			return count;
	}
}

/* Merge sort of pairs that lie in a tensor, with another one as scratch. */
template <typename T>
inline void sort_pairs(uint8_t *pairs, uint8_t *scratch, uint32_t count,
		       uint32_t sorted)
{
	uint8_t *from = pairs, *to = scratch;

	for (uint32_t width = sorted; width < count; width *= 2) {
		for (uint32_t at = 0; at < count; at += 2 * width) {
			uint32_t left = count - at;
			uint32_t first = left < width ? left : width;
			uint32_t second = left - first < width ?
				left - first : width;
			const uint8_t *lists[4] = {
				from + at * PAIR_BYTES,
				from + (at + first) * PAIR_BYTES, from, from,
			};
			const uint32_t lengths[4] = { first, second, 0, 0 };
			uint32_t taken[4];

			merge<T>(to + at * PAIR_BYTES, lists, lengths, taken,
				 false);
		}
		uint8_t *other = from;

		from = to;
		to = other;
	}
	if (from != pairs)
		__builtin_memcpy(pairs, from, count * PAIR_BYTES);
}

/* A value and an index as a pair. */
template <typename T>
VNPU_ALWAYS_INLINE void make_pair(uint8_t *to, T value, uint32_t index)
{
	__builtin_memset(to, 0, PAIR_BYTES);
	__builtin_memcpy(to, &value, sizeof(value));
	__builtin_memcpy(to + 4, &index, sizeof(index));
}

} /* namespace vnpu */

namespace AscendC {

/* 32 values and their indices a repeat become 32 pairs in order. */
template <typename T>
inline void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
		   const LocalTensor<uint32_t> &src1, const int32_t repeatTime)
{
	uint8_t scratch[32 * vnpu::PAIR_BYTES];

	vnpu::check_vector("Sort32", "src0", src0, repeatTime * 32);
	vnpu::check_vector("Sort32", "src1", src1, repeatTime * 32);
	vnpu::check_align("Sort32", "dst", dst.address_);
	vnpu::check_range("Sort32", "dst", dst.address_,
			  repeatTime * 32ULL * vnpu::PAIR_BYTES,
			  dst.position_);
	for (int32_t r = 0; r < repeatTime; r++) {
		uint8_t *to = dst.address_ + r * 32 * vnpu::PAIR_BYTES;

		for (int32_t i = 0; i < 32; i++)
			vnpu::make_pair(to + i * vnpu::PAIR_BYTES,
					src0.data()[r * 32 + i],
					src1.data()[r * 32 + i]);
		vnpu::sort_pairs<T>(to, scratch, 32, 1);
	}
}

} /* namespace AscendC */

namespace vnpu {

/* @counts of pairs of each list; @valid has a bit for each that there is. */
template <typename T>
inline void merge_lists(const AscendC::LocalTensor<T> &dst,
			const AscendC::MrgSortSrcList<T> &lists,
			const uint16_t *counts, uint16_t valid, bool suspends,
			uint16_t repeats, uint32_t (&taken)[4])
{
	const uint8_t *at[4] = {
		lists.src1.address_, lists.src2.address_, lists.src3.address_,
		lists.src4.address_,
	};
	uint32_t lengths[4], all = 0;

	for (uint32_t i = 0; i < 4; i++) {
		lengths[i] = valid >> i & 1 ? counts[i] : 0;
		all += lengths[i];
		if (lengths[i])
			check_range("MrgSort", "a list", at[i],
				    lengths[i] * uint64_t(PAIR_BYTES) * repeats,
				    AscendC::TPosition::VECCALC);
	}
	check_range("MrgSort", "dst", dst.address_,
		    uint64_t(all) * PAIR_BYTES * repeats, dst.position_);
	for (uint16_t r = 0; r < repeats; r++) {
		merge<T>(dst.address_ + uint64_t(r) * all * PAIR_BYTES, at,
			 lengths, taken, suspends);
		/* Four lists in a row are one group of repeats. */
		for (uint32_t i = 0; i < 4; i++)
			at[i] += all * PAIR_BYTES;
	}
}

} /* namespace vnpu */

namespace AscendC {

template <typename T>
inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src,
		    const MrgSort4Info &params)
{
	uint32_t taken[4];

	vnpu::merge_lists(dst, src, params.elementLengths, params.validBit,
			  params.ifExhaustedSuspension, params.repeatTimes,
			  taken);
	vnpu::state()->gathered = taken[0] | uint64_t(taken[1]) << 16 |
		uint64_t(taken[2]) << 32 | uint64_t(taken[3]) << 48;
}

template <typename T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T> &dst,
		    const MrgSortSrcList<T> &sortList,
		    const uint16_t elementCountList[4], uint32_t sortedNum[4],
		    uint16_t validBit, const int32_t repeatTime)
{
	uint32_t taken[4];

	vnpu::merge_lists(dst, sortList, elementCountList, validBit,
			  isExhaustedSuspension, repeatTime, taken);
	for (uint32_t i = 0; i < 4; i++)
		sortedNum[i] = taken[i];
}

inline void GetMrgSortResult(uint16_t &one, uint16_t &two, uint16_t &three,
			     uint16_t &four)
{
	uint64_t taken = vnpu::state()->gathered;

	one = static_cast<uint16_t>(taken);
	two = static_cast<uint16_t>(taken >> 16);
	three = static_cast<uint16_t>(taken >> 32);
	four = static_cast<uint16_t>(taken >> 48);
}

/* Sizes of lists of pairs, in elements. */
template <typename T>
inline uint32_t GetSortOffset(const uint32_t count)
{
	return count * vnpu::pair_elements<T>;
}

template <typename T>
inline uint32_t GetSortLen(const uint32_t count)
{
	return count * vnpu::pair_elements<T>;
}

/* On cards of other generations values are spread out first; not on this one. */
template <typename T>
inline void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src,
		   const LocalTensor<T> &, const int32_t)
{
	concat = src;
}

/* 32 numbers a repeat, sorted in groups of 32, or with isFullSort all of them. */
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat,
		 const LocalTensor<uint32_t> &index, LocalTensor<T> &tmp,
		 const int32_t repeatTime)
{
	Sort32(dst, concat, index, repeatTime);
	if (isFullSort) {
		vnpu::check_range("Sort", "tmp", tmp.address_,
				  repeatTime * 32ULL * vnpu::PAIR_BYTES,
				  tmp.position_);
		vnpu::sort_pairs<T>(dst.address_, tmp.address_,
				    repeatTime * 32, 32);
	}
}

/* Values and indices of 32 pairs a repeat. */
template <typename T>
inline void Extract(const LocalTensor<T> &dstValue,
		    const LocalTensor<uint32_t> &dstIndex,
		    const LocalTensor<T> &sorted, const int32_t repeatTime)
{
	vnpu::check_vector("Extract", "dstValue", dstValue, repeatTime * 32);
	vnpu::check_vector("Extract", "dstIndex", dstIndex, repeatTime * 32);
	vnpu::check_range("Extract", "sorted", sorted.address_,
			  repeatTime * 32ULL * vnpu::PAIR_BYTES,
			  sorted.position_);
	for (int32_t i = 0; i < repeatTime * 32; i++) {
		const uint8_t *pair = sorted.address_ + i * vnpu::PAIR_BYTES;

		__builtin_memcpy(dstValue.data() + i, pair, sizeof(T));
		__builtin_memcpy(dstIndex.data() + i, pair + 4, 4);
	}
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_SORT_H */
