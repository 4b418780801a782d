/* SPDX-License-Identifier: MIT */
/*
 * LoadData: move fractals to L0A and L0B, plain or transposed; load_image.h has
 * those of an image.
 */
#ifndef ASCENDC_VNPU_LOAD_H
#define ASCENDC_VNPU_LOAD_H

#include "copy.h"
#include "cube_params.h"

namespace vnpu {

constexpr uint32_t FRACTAL_BYTES = 512;
constexpr uint32_t FRACTAL_ROWS = 16;

/* Numbers in a row of a fractal, and in all of it. */
template <typename T>
constexpr uint32_t fractal_columns = 32 / sizeof(T);

template <typename T>
constexpr uint32_t fractal_size = FRACTAL_BYTES / sizeof(T);

[[noreturn]] VNPU_COLD inline void fault_position(const char *what,
						  const char *operand,
						  uint32_t local,
						  const char *allowed)
{
	fault(VNPU_FAULT_ARGUMENT, "%s: %s is in %s, where it has to be in %s",
	      what, operand, local_name(local), allowed);
}

/* An operand in one of two memories, aligned as a fractal or as a block. */
VNPU_ALWAYS_INLINE void
check_fractals(const char *what, const char *operand,
	       const AscendC::LocalTensorBase &tensor, uint64_t bytes,
	       uint32_t local, uint32_t other, const char *allowed,
	       uint32_t align)
{
	uint32_t at = local_of(tensor.position_);

	if (at != local && at != other)
		fault_position(what, operand, at, allowed);
	if ((uintptr_t)tensor.address_ % align)
		fault_address(VNPU_FAULT_ALIGN, tensor.address_, 0,
			      "%s: the address of %s is no multiple of %u", what,
			      operand, align);
	check_bounds(what, operand, tensor.address_, bytes, tensor.position_);
	check_extent({ what, operand, 0, false, 0, at, tensor.address_, bytes });
}

VNPU_ALWAYS_INLINE void check_to_l0(const char *what,
				    const AscendC::LocalTensorBase &dst,
				    uint64_t bytes)
{
	check_fractals(what, "dst", dst, bytes, VNPU_LOCAL_L0A, VNPU_LOCAL_L0B,
		       "A2 or B2", FRACTAL_BYTES);
}

VNPU_ALWAYS_INLINE void check_from_l1(const char *what,
				      const AscendC::LocalTensorBase &src,
				      const uint8_t *at, uint64_t bytes)
{
	AscendC::LocalTensorBase from = src;

	from.address_ = const_cast<uint8_t *>(at);
	check_fractals(what, "src", from, bytes, VNPU_LOCAL_L1, VNPU_LOCAL_L1,
		       "A1 or B1", 32);
}

/* For the checkers: @bytes of L1 become @to_bytes of L0A or L0B. */
VNPU_ALWAYS_INLINE void check_load(const char *what,
				   const AscendC::LocalTensorBase &dst,
				   const void *to, uint64_t to_bytes,
				   const AscendC::LocalTensorBase &src,
				   const void *from, uint64_t bytes)
{
	/* Rows behind the end of a matrix may fill up its last fractals. */
	check_row(what, CHECK_MTE1, false, from, bytes, src.position_, bytes);
	check_row(what, CHECK_MTE1, true, to, to_bytes, dst.position_);
}

/* One fractal of 16-bit numbers, rows for columns. */
VNPU_ALWAYS_INLINE void turn_fractal(uint16_t *to, const uint16_t *from)
{
	for (uint32_t r = 0; r < FRACTAL_ROWS; r++)
		for (uint32_t c = 0; c < FRACTAL_ROWS; c++)
			to[r * FRACTAL_ROWS + c] = from[c * FRACTAL_ROWS + r];
}

/* Call @call(to, from) for each fractal; @from is the first byte of the source. */
template <typename P, typename Call>
VNPU_ALWAYS_INLINE void each_fractal(uint8_t *to, const uint8_t *from,
				     const P &p, Call call)
{
	const int64_t step = (p.addrMode ? -1 : 1) * int64_t(p.srcStride) *
		FRACTAL_BYTES;

	from += uint64_t(p.startIndex) * FRACTAL_BYTES;
	for (uint32_t i = 0; i < p.repeatTimes; i++, from += step)
		call(to + uint64_t(i) * (p.dstGap + 1) * FRACTAL_BYTES, from);
}

/* ... of a box. */
template <typename Call>
VNPU_ALWAYS_INLINE void each_fractal(uint8_t *to, const uint8_t *from,
				     const AscendC::LoadData2DParamsV2 &p,
				     Call call)
{
	for (uint32_t k = 0; k < p.kStep; k++)
		for (uint32_t m = 0; m < p.mStep; m++)
			call(to + FRACTAL_BYTES * (p.ifTranspose ?
				uint64_t(m) * p.dstStride + k :
				uint64_t(k) * p.dstStride + m),
			     from + FRACTAL_BYTES *
				(int64_t(p.kStartPosition + k) * p.srcStride +
				 p.mStartPosition + m));
}

template <typename P>
inline void load_fractals(uint8_t *to, const uint8_t *from, const P &p,
			  bool is_turned)
{
	each_fractal(to, from, p, [=](uint8_t *at, const uint8_t *source) {
		if (is_turned)
			turn_fractal(reinterpret_cast<uint16_t *>(at),
				     reinterpret_cast<const uint16_t *>(
						source));
		else
			__builtin_memcpy(at, source, FRACTAL_BYTES);
	});
}

template <typename P>
inline void check_loads(const AscendC::LocalTensorBase &dst,
			const AscendC::LocalTensorBase &src, const P &p)
{
	each_fractal(dst.address_, src.address_, p,
		     [&](const uint8_t *to, const uint8_t *from) {
		check_load("LoadData", dst, to, FRACTAL_BYTES, src, from,
			   FRACTAL_BYTES);
	});
}

/* The lowest and the highest byte that load_fractals() reads. */
template <typename P>
VNPU_ALWAYS_INLINE uint64_t load_extent(const P &p, uint64_t *lowest)
{
	uint64_t way = p.repeatTimes ?
		(p.repeatTimes - 1ULL) * p.srcStride * FRACTAL_BYTES : 0;
	uint64_t start = uint64_t(p.startIndex) * FRACTAL_BYTES;

	*lowest = p.addrMode ? start - way : start;
	return p.repeatTimes ? way + FRACTAL_BYTES : 0;
}

template <typename P>
VNPU_ALWAYS_INLINE uint64_t load_result(const P &p)
{
	return p.repeatTimes ? ((p.repeatTimes - 1ULL) * (p.dstGap + 1) + 1) *
		FRACTAL_BYTES : 0;
}

/* The edge of a square of fractals, which LoadDataWithTranspose turns. */
template <typename T>
constexpr uint32_t square_edge = sizeof(T) == 1 ? 32 : 16;

/* Call @call(to, from) for each square. */
template <typename T, typename Call>
VNPU_ALWAYS_INLINE void
each_square(uint8_t *to, const uint8_t *from,
	    const AscendC::LoadData2dTransposeParams &p, Call call)
{
	constexpr uint64_t bytes = square_edge<T> * square_edge<T> * sizeof(T);
	const int64_t step = (p.addrMode ? -1 : 1) * int64_t(p.srcStride) *
		int64_t(bytes);

	from += p.startIndex * bytes;
	for (uint32_t i = 0; i < p.repeatTimes; i++, from += step)
		call(to + uint64_t(i) * (p.dstGap + 1) * FRACTAL_BYTES, from);
}

/* A square has one fractal of 16-bit numbers, else two, which may be apart. */
template <typename T>
inline void check_square(const AscendC::LocalTensor<T> &dst, uint8_t *to,
			 const AscendC::LocalTensor<T> &src,
			 const uint8_t *from,
			 const AscendC::LoadData2dTransposeParams &p)
{
	constexpr uint64_t bytes = square_edge<T> * square_edge<T> * sizeof(T);
	const uint64_t apart = (p.dstFracGap + 1ULL) * FRACTAL_BYTES;
	AscendC::LocalTensorBase at = dst;

	at.address_ = to;
	check_to_l0("LoadDataWithTranspose", at,
		    bytes == FRACTAL_BYTES ? bytes : apart + FRACTAL_BYTES);
	check_from_l1("LoadDataWithTranspose", src, from, bytes);
	check_load("LoadDataWithTranspose", dst, to, FRACTAL_BYTES, src, from,
		   bytes);
	if (bytes > FRACTAL_BYTES)
		check_row("LoadDataWithTranspose", CHECK_MTE1, true, to + apart,
			  FRACTAL_BYTES, dst.position_);
}

template <typename T>
inline void turn_squares(uint8_t *to, const uint8_t *from,
			 const AscendC::LoadData2dTransposeParams &p)
{
	constexpr uint32_t c0 = fractal_columns<T>, edge = square_edge<T>;
	/* Numbers from one fractal of the result to the next one. */
	const uint64_t apart = (p.dstFracGap + 1ULL) * fractal_size<T>;

	each_square<T>(to, from, p, [=](uint8_t *into, const uint8_t *source) {
		const T *square = reinterpret_cast<const T *>(source);
		T *at = reinterpret_cast<T *>(into);

		for (uint32_t r = 0; r < edge; r++)
			for (uint32_t c = 0; c < edge; c++) {
				/* Bytes: fractals are above each other. */
				uint64_t to_at = sizeof(T) == 1 ?
					r / 16 * apart + r % 16 * c0 + c :
					c / c0 * apart + r * c0 + c % c0;
				uint64_t from_at = sizeof(T) == 1 ?
					c * c0 + r :
					r / c0 * fractal_size<T> + c * c0 +
					r % c0;

				at[to_at] = square[from_at];
			}
	});
}

template <typename T>
inline void set_const(const AscendC::LocalTensor<T> &dst,
		      const AscendC::InitConstValueParams<T> &p)
{
	bool is_l1 = local_of(dst.position_) == VNPU_LOCAL_L1;
	uint64_t bytes = uint64_t(p.blockNum) * (is_l1 ? 32 : FRACTAL_BYTES);
	uint64_t step = bytes + uint64_t(p.dstGap) *
		(is_l1 ? 32 : FRACTAL_BYTES);
	uint32_t pipe = is_l1 ? CHECK_MTE2 : CHECK_MTE1;

	check_align("InitConstValue", "dst", dst.address_);
	check_bounds("InitConstValue", "dst", dst.address_, p.repeatTimes ?
		     (p.repeatTimes - 1) * step + bytes : 0, dst.position_);
	for (uint32_t r = 0; VNPU_CHECK && r < p.repeatTimes; r++)
		check_row("InitConstValue", pipe, true,
			  dst.address_ + r * step, bytes, dst.position_);
	late_issue(pipe, [=, to = dst.address_] {
		for (uint32_t r = 0; r < p.repeatTimes; r++)
			fill(to + r * step, bytes, &p.initValue, sizeof(T));
	});
}

} /* namespace vnpu */

namespace AscendC {

/* Fractals of L1. */
template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		     const LoadData2DParams &params)
{
	uint64_t lowest, bytes = vnpu::load_extent(params, &lowest);

	vnpu::check_to_l0("LoadData", dst, vnpu::load_result(params));
	vnpu::check_from_l1("LoadData", src, src.address_ + lowest, bytes);
	if (params.ifTranspose && sizeof(T) != 2)
		vnpu::fault(VNPU_FAULT_ARGUMENT,
			    "LoadData: ifTranspose is for numbers of 16 bits; LoadDataWithTranspose has the others");
	if (VNPU_CHECK)
		vnpu::check_loads(dst, src, params);
	vnpu::late_issue(vnpu::CHECK_MTE1,
			 [=, to = dst.address_, from = src.address_] {
		vnpu::load_fractals(to, from, params, params.ifTranspose);
	});
}

/* Fractals of device memory, also to L1. */
template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
		     const LoadData2DParams &params)
{
	uint64_t lowest, bytes = vnpu::load_extent(params, &lowest);
	const uint8_t *from = reinterpret_cast<const uint8_t *>(src.address_);

	vnpu::check_align("LoadData", "dst", dst.address_);
	vnpu::check_bounds("LoadData", "dst", dst.address_,
			   vnpu::load_result(params), dst.position_);
	src.check("LoadData", lowest + bytes);
	vnpu::check_access_rows(from + lowest, params.repeatTimes,
				vnpu::FRACTAL_BYTES, uint64_t(params.srcStride) *
				vnpu::FRACTAL_BYTES, VNPU_GM_READ);
	if (VNPU_CHECK)
		vnpu::each_fractal(dst.address_, from, params,
				   [&](const uint8_t *to, const uint8_t *) {
			vnpu::check_row("LoadData", vnpu::CHECK_MTE2, true, to,
					vnpu::FRACTAL_BYTES, dst.position_);
		});
	vnpu::late_issue(vnpu::CHECK_MTE2, [=, to = dst.address_] {
		vnpu::load_fractals(to, from, params, false);
	});
}

/* A box of fractals. */
template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		     const LoadData2DParamsV2 &p)
{
	if (p.ifTranspose && sizeof(T) != 2)
		vnpu::fault(VNPU_FAULT_ARGUMENT,
			    "LoadData: ifTranspose is for numbers of 16 bits");
	vnpu::each_fractal(dst.address_, src.address_, p,
			   [&](uint8_t *to, const uint8_t *from) {
		LocalTensorBase at = dst;

		at.address_ = to;
		vnpu::check_to_l0("LoadData", at, vnpu::FRACTAL_BYTES);
		vnpu::check_from_l1("LoadData", src, from, vnpu::FRACTAL_BYTES);
		vnpu::check_load("LoadData", dst, to, vnpu::FRACTAL_BYTES, src,
				 from, vnpu::FRACTAL_BYTES);
	});
	vnpu::late_issue(vnpu::CHECK_MTE1,
			 [=, to = dst.address_, from = src.address_] {
		vnpu::load_fractals(to, from, p, p.ifTranspose);
	});
}

/* Squares of 16-bit fractals, or of two fractals, rows for columns. */
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T> &dst,
				  const LocalTensor<T> &src,
				  const LoadData2dTransposeParams &p)
{
	vnpu::each_square<T>(dst.address_, src.address_, p,
			     [&](uint8_t *to, const uint8_t *from) {
		vnpu::check_square(dst, to, src, from, p);
	});
	vnpu::late_issue(vnpu::CHECK_MTE1,
			 [=, to = dst.address_, from = src.address_] {
		vnpu::turn_squares<T>(to, from, p);
	});
}

/* L1, L0A or L0B full of a number. */
template <typename T>
inline void InitConstValue(const LocalTensor<T> &dst,
			   const InitConstValueParams<NoDeduce<T>> &params)
{
	vnpu::set_const(dst, params);
}

template <typename T>
inline void Fill(const LocalTensor<T> &dst,
		 const InitConstValueParams<NoDeduce<T>> &params)
{
	vnpu::set_const(dst, params);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_LOAD_H */
