/* SPDX-License-Identifier: MIT */
/*
 * How reductions are done; reduce.h has the instructions.
 *
 * Instructions that reduce a data block or a repeat add neighbours, then
 * neighbouring sums and so on, each sum rounded to the type of the tensor.  A
 * result without elements is not written.  ReduceSum() of a count of elements
 * adds in float, in an order that depends on the count alone, and rounds once.
 */
#ifndef ASCENDC_VNPU_REDUCTION_H
#define ASCENDC_VNPU_REDUCTION_H

#include "elementwise.h"

namespace vnpu {

using AscendC::ReduceOrder;

/* A sum, which overflows to infinity, except on the chips that have none. */
template <typename T>
VNPU_ALWAYS_INLINE T saturated(float value)
{
	constexpr bool has_infinity = __NPU_ARCH__ != 1001 &&
		__NPU_ARCH__ != 2002;

	if constexpr (std::is_same<T, half>::value && !has_infinity)
		value = value > 65504.0f ? 65504.0f :
			value < -65504.0f ? -65504.0f : value;
	return static_cast<T>(value);
}

/* Add neighbours until one is left; @count is a power of two. */
template <typename T>
VNPU_ALWAYS_INLINE T add_pairs(T *some, uint32_t count)
{
	for (; count > 1; count /= 2)
		for (uint32_t i = 0; i < count / 2; i++) {
			if constexpr (is_real<T>)
				some[i] = saturated<T>(
					static_cast<float>(some[2 * i]) +
					static_cast<float>(some[2 * i + 1]));
			else
				some[i] = static_cast<T>(some[2 * i] +
							 some[2 * i + 1]);
		}
	return some[0];
}

/* Elements [@from, @from + @count) of a repeat; the masked ones are @other. */
template <typename T>
VNPU_ALWAYS_INLINE bool take(T *some, const operand &src, uint32_t repeat,
			     uint32_t from, uint32_t count, const mask &m,
			     T other)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		bool in = is_in(m, from + i);

		some[i] = in ? *reinterpret_cast<const T *>(
			src.find(repeat, from + i)) : other;
		any |= in;
	}
	return any;
}

struct pick_max {
	template <typename T>
	static VNPU_ALWAYS_INLINE auto is_better(T a, T than)
	{
		return a > than;
	}
};

struct pick_min {
	template <typename T>
	static VNPU_ALWAYS_INLINE auto is_better(T a, T than)
	{
		return a < than;
	}
};

template <typename T>
VNPU_ALWAYS_INLINE auto comparable(T value)
{
	if constexpr (is_real<T>)
		return static_cast<float>(value);
	else
		return value;
}

/* The best element that takes part in a range of a repeat, the first of equals.
 * Return false if none does.
 */
template <typename Pick, typename T>
VNPU_ALWAYS_INLINE bool pick(const operand &src, uint32_t repeat, uint32_t from,
			     uint32_t count, const mask &m, T *value,
			     uint32_t *index)
{
	bool any = false;

	for (uint32_t i = from; i < from + count; i++) {
		if (!is_in(m, i))
			continue;
		T here = *reinterpret_cast<const T *>(src.find(repeat, i));

		if (!any || Pick::is_better(comparable(here),
					    comparable(*value))) {
			*value = here;
			*index = i;
		}
		any = true;
	}
	return any;
}

template <typename T>
VNPU_ALWAYS_INLINE void check_reduce(const char *what,
				     const AscendC::LocalTensor<T> &dst,
				     uint64_t dst_bytes, const operand &src,
				     const steps &s)
{
	static_assert(sizeof(T) >= 2, "a mask has 128 bits");

	check_range(what, "dst", dst.address_, dst_bytes, dst.position_);
	check_align(what, "src", src.at);
	check_range(what, "src", src.at,
		    extent_of(src, s, repeat_elements<T>()),
		    AscendC::TPosition::VECCALC);
}

/* One element of each data block. */
template <typename T, typename Op>
inline void reduce_blocks(const char *what, const AscendC::LocalTensor<T> &dst,
			  const operand &src, const mask &m, uint32_t repeats,
			  uint32_t dst_stride, Op op)
{
	constexpr uint32_t width = BLOCK_BYTES / sizeof(T);
	const steps s = make_steps(m, repeats, repeat_elements<T>());

	check_reduce(what, dst, s.count ?
		     ((s.count - 1ULL) * dst_stride + 1) * 8 * sizeof(T) : 0,
		     src, s);
	for (uint32_t r = 0; r < s.count; r++)
		for (uint32_t b = 0; b < REPEAT_BLOCKS; b++)
			op(dst.data() + uint64_t(r) * dst_stride * 8 + b, r,
			   b * width, width, s.of(r));
}

template <typename T>
inline void block_sum(const AscendC::LocalTensor<T> &dst,
		      const AscendC::LocalTensor<T> &src, const mask &m,
		      uint32_t repeats, uint32_t dst_stride, uint32_t block,
		      uint32_t repeat)
{
	const operand from = make_operand(src, block, repeat);

	reduce_blocks("BlockReduceSum", dst, from, m, repeats, dst_stride,
		      [&](T *to, uint32_t r, uint32_t at, uint32_t width,
			  const mask &in) {
			      T some[BLOCK_BYTES / sizeof(T)];

			      if (take(some, from, r, at, width, in, T(0)))
				      *to = add_pairs(some, width);
		      });
}

template <typename Pick, typename T>
inline void block_pick(const char *what, const AscendC::LocalTensor<T> &dst,
		       const AscendC::LocalTensor<T> &src, const mask &m,
		       uint32_t repeats, uint32_t dst_stride, uint32_t block,
		       uint32_t repeat)
{
	const operand from = make_operand(src, block, repeat);

	reduce_blocks(what, dst, from, m, repeats, dst_stride,
		      [&](T *to, uint32_t r, uint32_t at, uint32_t width,
			  const mask &in) {
			      uint32_t index = 0;
			      T value = T(0);

			      if (pick<Pick>(from, r, at, width, in, &value,
					     &index))
				      *to = value;
		      });
}

template <typename T>
inline void pair_sum(const AscendC::LocalTensor<T> &dst,
		     const AscendC::LocalTensor<T> &src, const mask &m,
		     uint32_t repeats, uint32_t dst_stride, uint32_t block,
		     uint32_t repeat)
{
	constexpr uint32_t elements = repeat_elements<T>();
	const operand from = make_operand(src, block, repeat);
	const steps s = make_steps(m, repeats, elements);

	check_reduce("PairReduceSum", dst, s.count ?
		     ((s.count - 1ULL) * dst_stride + 1) * 128 : 0, from, s);
	for (uint32_t r = 0; r < s.count; r++)
		for (uint32_t e = 0; e < elements; e += 2) {
			T some[2];

			if (take(some, from, r, e, 2, s.of(r), T(0)))
				dst.data()[uint64_t(r) * dst_stride *
					   (elements / 2) + e / 2] =
					add_pairs(some, 2);
		}
}

template <typename T>
inline void whole_sum(const char *what, const AscendC::LocalTensor<T> &dst,
		      const AscendC::LocalTensor<T> &src, const mask &m,
		      uint32_t repeats, uint32_t dst_stride, uint32_t block,
		      uint32_t repeat)
{
	constexpr uint32_t elements = repeat_elements<T>();
	const operand from = make_operand(src, block, repeat);
	const steps s = make_steps(m, repeats, elements);

	check_reduce(what, dst, s.count ?
		     ((s.count - 1ULL) * dst_stride + 1) * sizeof(T) : 0, from,
		     s);
	for (uint32_t r = 0; r < s.count; r++) {
		T some[elements];

		if (take(some, from, r, 0, elements, s.of(r), T(0)))
			dst.data()[uint64_t(r) * dst_stride] =
				add_pairs(some, elements);
	}
}

/* An index lies in a tensor as bits of its elements. */
template <typename T>
VNPU_ALWAYS_INLINE void store_index(T *to, uint32_t index)
{
	if constexpr (sizeof(T) == 2) {
		uint16_t narrow = static_cast<uint16_t>(index);

		__builtin_memcpy(to, &narrow, sizeof(narrow));
	} else {
		__builtin_memcpy(to, &index, sizeof(index));
	}
}

template <typename Pick, typename T>
inline void whole_pick(const char *what, const AscendC::LocalTensor<T> &dst,
		       const AscendC::LocalTensor<T> &src, const mask &m,
		       uint32_t repeats, uint32_t dst_stride, uint32_t block,
		       uint32_t repeat, ReduceOrder order)
{
	constexpr uint32_t elements = repeat_elements<T>();
	const operand from = make_operand(src, block, repeat);
	const steps s = make_steps(m, repeats, elements);
	bool is_pair = order == ReduceOrder::ORDER_VALUE_INDEX ||
		order == ReduceOrder::ORDER_INDEX_VALUE;
	uint32_t unit = is_pair ? 2 * sizeof(T) :
		order == ReduceOrder::ORDER_ONLY_INDEX ? 4 : sizeof(T);

	check_reduce(what, dst, s.count ?
		     ((s.count - 1ULL) * dst_stride + 1) * unit : 0, from, s);
	for (uint32_t r = 0; r < s.count; r++) {
		uint8_t *at = dst.address_ + uint64_t(r) * dst_stride * unit;
		T *to = reinterpret_cast<T *>(at);
		uint32_t index = 0;
		T value = T(0);

		if (!pick<Pick>(from, r, 0, elements, s.of(r), &value, &index))
			continue;
		if (order == ReduceOrder::ORDER_ONLY_INDEX) {
			__builtin_memcpy(at, &index, sizeof(index));
		} else if (order == ReduceOrder::ORDER_INDEX_VALUE) {
			store_index(to, index);
			to[1] = value;
		} else {
			*to = value;
			if (is_pair)
				store_index(to + 1, index);
		}
		state()->reduced_index = index;
		state()->reduced_value = 0;
		__builtin_memcpy(&state()->reduced_value, &value, sizeof(T));
	}
}

/* The sum of a row: 4 * 8 partial sums, added in a fixed order. */
template <typename T>
VNPU_ALWAYS_INLINE float sum_row(const T *from, uint32_t count)
{
	floats part[4] = {};
	uint32_t i = 0;

	for (; i + 4 * LANES <= count; i += 4 * LANES)
		for (uint32_t n = 0; n < 4; n++)
			part[n] += load(from + i + n * LANES);
	for (; i + LANES <= count; i += LANES)
		part[0] += load(from + i);
	if (i < count)
		part[1] += load_some(from + i, count - i);
	floats all = (part[0] + part[1]) + (part[2] + part[3]);

	return ((all[0] + all[4]) + (all[2] + all[6])) +
		((all[1] + all[5]) + (all[3] + all[7]));
}

/* The best of a row, and where it is first. */
template <typename Pick, typename T>
VNPU_ALWAYS_INLINE T pick_row(const T *from, uint32_t count, uint32_t *index)
{
	uint32_t at = 0;

	if constexpr (is_real<T>) {
		floats best = spread(static_cast<float>(from[0]));
		uint32_t i = 0;
		float found;

		for (; i + LANES <= count; i += LANES) {
			floats here = load(from + i);

			best = Pick::is_better(here, best) ? here : best;
		}
		for (; i < count; i++) {
			floats here = spread(static_cast<float>(from[i]));

			best = Pick::is_better(here, best) ? here : best;
		}
		found = best[0];
		for (uint32_t n = 1; n < LANES; n++)
			if (Pick::is_better(float(best[n]), found))
				found = best[n];
		while (at < count - 1 && static_cast<float>(from[at]) != found)
			at++;
	} else {
		for (uint32_t i = 1; i < count; i++)
			if (Pick::is_better(from[i], from[at]))
				at = i;
	}
	*index = at;
	return from[at];
}

template <typename Pick, typename T>
VNPU_ALWAYS_INLINE void reduce_pick(const char *what,
				    const AscendC::LocalTensor<T> &dst,
				    const AscendC::LocalTensor<T> &src,
				    int32_t count, bool is_index)
{
	uint32_t index;
	T value;

	if (count <= 0)
		fault(VNPU_FAULT_ARGUMENT, "%s: %d elements", what, count);
	check_vector(what, "src", src, count);
	check_range(what, "dst", dst.address_, (1 + is_index) * sizeof(T),
		    dst.position_);
	value = pick_row<Pick>(src.data(), count, &index);
	dst.data()[0] = value;
	if (is_index)
		store_index(dst.data() + 1, index);
}

/* The elements that take part in a repeat, one behind the other. */
template <typename T>
inline uint32_t pack(T *packed, const operand &src, const mask &m,
		     uint32_t repeat)
{
	uint32_t count = 0;

	for (uint32_t e = 0; e < repeat_elements<T>(); e++)
		if (is_in(m, e))
			packed[count++] = *reinterpret_cast<const T *>(
				src.find(repeat, e));
	return count;
}

template <typename T>
inline void row_sum(const AscendC::LocalTensor<T> &dst,
		    const AscendC::LocalTensor<T> &src, const mask &m,
		    uint32_t repeats, uint32_t repeat)
{
	constexpr uint32_t elements = repeat_elements<T>();
	const steps s = make_steps(m, repeats, elements);
	const operand from = make_operand(src, 1, repeat);
	float sum = 0;

	check_reduce("ReduceSum", dst, sizeof(T), from, s);
	for (uint32_t r = 0; r < s.count; r++) {
		T some[elements];

		sum += sum_row(some, pack(some, from, s.of(r), r));
	}
	dst.data()[0] = static_cast<T>(sum);
	state()->accumulated = static_cast<float>(dst.data()[0]);
}

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_REDUCTION_H */
