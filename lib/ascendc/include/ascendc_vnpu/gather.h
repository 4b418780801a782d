/* SPDX-License-Identifier: MIT */
/*
 * Instructions that move elements about: gather, scatter, compress, broadcast
 * and transpose.
 */
#ifndef ASCENDC_VNPU_GATHER_H
#define ASCENDC_VNPU_GATHER_H

#include "elementwise.h"

namespace vnpu {

/* An element at a byte offset of a tensor. */
template <typename T>
VNPU_ALWAYS_INLINE T *at_offset(const char *what,
				const AscendC::LocalTensor<T> &tensor,
				uint64_t base, uint32_t offset)
{
	uint8_t *at = tensor.address_ + base + offset;

	check_range(what, "an offset", at, sizeof(T), tensor.position_);
	return reinterpret_cast<T *>(at);
}

/* Bit @index of a fixed pattern: 1 to 6 choose one of two or of four, 7 all. */
VNPU_ALWAYS_INLINE bool is_chosen(uint8_t pattern, uint32_t index)
{
	switch (pattern) {
	case 1:
		return index % 2 == 0;
	case 2:
		return index % 2 == 1;
	case 3:
	case 4:
	case 5:
	case 6:
		return index % 4 == uint32_t(pattern - 3);
	default:
		return true;
	}
}

/*
 * Compress the elements for which chosen(repeat, element) is true, out of each
 * repeat, or with @is_count out of the first @count elements.
 */
template <typename T, typename Chosen>
inline uint64_t gather_mask(const AscendC::LocalTensor<T> &dst,
			    const AscendC::LocalTensor<T> &src, bool is_count,
			    uint32_t count,
			    const AscendC::GatherMaskParams &params,
			    Chosen chosen)
{
	constexpr uint32_t elements = repeat_elements<T>();
	const operand from = make_operand(src, params.src0BlockStride,
					  params.src0RepeatStride);
	uint32_t per_repeat = is_count ? count : elements;
	uint32_t repeats = is_count && !params.repeatTimes ? 1 :
		params.repeatTimes;
	uint64_t kept = 0;

	check_align("GatherMask", "dst", dst.address_);
	check_align("GatherMask", "src0", src.address_);
	for (uint32_t r = 0; r < repeats; r++)
		for (uint32_t e = 0; e < per_repeat; e++) {
			const T *at = reinterpret_cast<const T *>(
				from.find(r, e));
			T *to = dst.data() + kept;

			if (!chosen(r, e))
				continue;
			check_range("GatherMask", "src0", at, sizeof(T),
				    src.position_);
			check_range("GatherMask", "dst", to, sizeof(T),
				    dst.position_);
			*to = *at;
			kept++;
		}
	state()->gathered = kept;
	return kept;
}

} /* namespace vnpu */

namespace AscendC {

/* dst[i] = src at byte offset srcOffset[i] behind srcBaseAddr. */
template <typename T>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		   const LocalTensor<uint32_t> &srcOffset,
		   const uint32_t srcBaseAddr, const uint32_t count)
{
	vnpu::check_vector("Gather", "dst", dst, count);
	vnpu::check_vector("Gather", "srcOffset", srcOffset, count);
	for (uint32_t i = 0; i < count; i++)
		dst.data()[i] = *vnpu::at_offset("Gather", src, srcBaseAddr,
						 srcOffset.data()[i]);
}

template <typename T>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		   const LocalTensor<uint32_t> &srcOffset,
		   const uint32_t srcBaseAddr, const uint64_t mask[],
		   const uint8_t repeatTime, const uint16_t dstRepStride)
{
	constexpr uint32_t elements = vnpu::repeat_elements<T>();
	const vnpu::mask m = vnpu::mask_bits(mask, elements);
	const vnpu::operand to = vnpu::make_operand(dst, 1, dstRepStride);

	vnpu::check_range("Gather", "dst", dst.address_,
			  to.extent(repeatTime, vnpu::mask_end(m, elements)),
			  dst.position_);
	vnpu::check_vector("Gather", "srcOffset", srcOffset,
			   repeatTime ? (repeatTime - 1) * elements +
			   vnpu::mask_end(m, elements) : 0);
	for (uint32_t r = 0; r < repeatTime; r++)
		for (uint32_t e = 0; e < elements; e++)
			if (vnpu::is_in(m, e))
				*reinterpret_cast<T *>(to.find(r, e)) =
					*vnpu::at_offset("Gather", src,
						srcBaseAddr,
						srcOffset.data()[r * elements +
								 e]);
}

template <typename T>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		   const LocalTensor<uint32_t> &srcOffset,
		   const uint32_t srcBaseAddr, const uint64_t mask,
		   const uint8_t repeatTime, const uint16_t dstRepStride)
{
	vnpu::mask bits = vnpu::mask_first(mask);

	Gather(dst, src, srcOffset, srcBaseAddr, bits.bits, repeatTime,
	       dstRepStride);
}

/* By data blocks: eight offsets a repeat. */
template <typename T>
inline void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		    const LocalTensor<uint32_t> &offset,
		    const uint8_t repeatTime, const GatherRepeatParams &params)
{
	const vnpu::operand to = vnpu::make_operand(dst, params.dstBlkStride,
						    params.dstRepStride);
	constexpr uint32_t width = vnpu::BLOCK_BYTES / sizeof(T);

	vnpu::check_range("Gatherb", "dst", dst.address_,
			  to.extent(repeatTime, vnpu::repeat_elements<T>()),
			  dst.position_);
	vnpu::check_vector("Gatherb", "offset", offset, repeatTime * 8);
	for (uint32_t r = 0; r < repeatTime; r++)
		for (uint32_t b = 0; b < vnpu::REPEAT_BLOCKS; b++) {
			uint8_t *from = src.address_ +
				offset.data()[r * 8 + b];

			vnpu::check_align("Gatherb", "an offset", from);
			vnpu::check_range("Gatherb", "an offset", from,
					  vnpu::BLOCK_BYTES, src.position_);
			__builtin_memcpy(to.find(r, b * width), from,
					 vnpu::BLOCK_BYTES);
		}
}

/* dst at byte offset dstOffset[i] = src[i]. */
template <typename T>
inline void Scatter(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		    const LocalTensor<uint32_t> &dstOffset,
		    const uint32_t dstBaseAddr, const uint32_t count)
{
	vnpu::check_vector("Scatter", "src", src, count);
	vnpu::check_vector("Scatter", "dstOffset", dstOffset, count);
	for (uint32_t i = 0; i < count; i++)
		*vnpu::at_offset("Scatter", dst, dstBaseAddr,
				 dstOffset.data()[i]) = src.data()[i];
}

template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
		       const uint8_t src1Pattern, const bool reduceMode,
		       const uint32_t mask, const GatherMaskParams &params,
		       uint64_t &rsvdCnt)
{
	if (!src1Pattern || src1Pattern > 7)
		vnpu::fault(VNPU_FAULT_ARGUMENT,
			    "GatherMask: pattern %u, where patterns are from 1 to 7",
			    src1Pattern);
	rsvdCnt = vnpu::gather_mask(dst, src0, reduceMode, mask, params,
				    [=](uint32_t, uint32_t e) {
					    return vnpu::is_chosen(src1Pattern,
								   e);
				    });
}

template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
		       const LocalTensor<U> &src1Pattern, const bool reduceMode,
		       const uint32_t mask, const GatherMaskParams &params,
		       uint64_t &rsvdCnt)
{
	const uint8_t *bits = src1Pattern.address_;

	rsvdCnt = vnpu::gather_mask(dst, src0, reduceMode, mask, params,
		[&](uint32_t r, uint32_t e) {
			const uint8_t *at = bits +
				uint64_t(r) * params.src1RepeatStride * 32 +
				e / 8;

			vnpu::check_range("GatherMask", "src1", at, 1,
					  src1Pattern.position_);
			return *at >> e % 8 & 1;
		});
}

template <typename T>
inline int64_t GetGatherMaskRemainCount()
{
	return vnpu::state()->gathered;
}

inline int64_t GetGatherMaskRemainCount()
{
	return vnpu::state()->gathered;
}

/* Each of eight elements fills a data block. */
template <typename T>
inline void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		 const uint8_t repeatTime, const BrcbRepeatParams &params)
{
	constexpr uint32_t width = vnpu::BLOCK_BYTES / sizeof(T);
	const vnpu::operand to = vnpu::make_operand(dst, params.dstBlkStride,
						    params.dstRepStride);

	vnpu::check_align("Brcb", "dst", dst.address_);
	vnpu::check_range("Brcb", "dst", dst.address_,
			  to.extent(repeatTime, 8 * width), dst.position_);
	vnpu::check_vector("Brcb", "src", src, repeatTime * 8);
	for (uint32_t r = 0; r < repeatTime; r++)
		for (uint32_t b = 0; b < vnpu::REPEAT_BLOCKS; b++) {
			T *block = reinterpret_cast<T *>(
				to.find(r, b * width));
			T value = src.data()[r * 8 + b];

			for (uint32_t i = 0; i < width; i++)
				block[i] = value;
		}
}

/* first, first + 1, ... */
template <typename T>
inline void CreateVecIndex(const LocalTensor<T> &dst, const NoDeduce<T> &first,
			   uint32_t count)
{
	vnpu::check_vector("CreateVecIndex", "dst", dst, count);
	for (uint32_t i = 0; i < count; i++)
		dst.data()[i] = static_cast<T>(first + static_cast<T>(i));
}

template <typename T>
inline void CreateVecIndex(LocalTensor<T> &dst, const NoDeduce<T> &first,
			   uint64_t mask[], uint8_t repeatTime,
			   uint16_t dstBlkStride, uint8_t dstRepStride)
{
	constexpr uint32_t elements = vnpu::repeat_elements<T>();
	const vnpu::operand operands[] = {
		vnpu::make_operand(dst, dstBlkStride, dstRepStride),
	};
	const vnpu::mask m = vnpu::mask_bits(mask, elements);

	vnpu::check_range("CreateVecIndex", "dst", dst.address_,
			  operands[0].extent(repeatTime,
					     vnpu::mask_end(m, elements)),
			  dst.position_);
	for (uint32_t r = 0; r < repeatTime; r++)
		for (uint32_t e = 0; e < elements; e++)
			if (vnpu::is_in(m, e))
				*reinterpret_cast<T *>(
					operands[0].find(r, e)) =
					static_cast<T>(first +
						static_cast<T>(r * elements +
							       e));
}

template <typename T>
inline void CreateVecIndex(LocalTensor<T> &dst, const NoDeduce<T> &first,
			   uint64_t mask, uint8_t repeatTime,
			   uint16_t dstBlkStride, uint8_t dstRepStride)
{
	vnpu::mask bits = vnpu::mask_first(mask);

	CreateVecIndex(dst, first, bits.bits, repeatTime, dstBlkStride,
		       dstRepStride);
}

/* first, first + difference, ... */
template <typename T>
inline void ArithProgression(const LocalTensor<T> &dst,
			     const NoDeduce<T> first,
			     const NoDeduce<T> difference, const int32_t count)
{
	vnpu::check_vector("ArithProgression", "dst", dst, count);
	for (int32_t i = 0; i < count; i++)
		dst.data()[i] = static_cast<T>(first +
			difference * static_cast<T>(i));
}

/* A matrix of 16 x 16 numbers of 16 bits. */
template <typename T>
inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src)
{
	T turned[16][16];

	static_assert(sizeof(T) == 2, "Transpose() is of 16 bits");
	vnpu::check_vector("Transpose", "src", src, 256);
	vnpu::check_vector("Transpose", "dst", dst, 256);
	for (uint32_t i = 0; i < 256; i++)
		turned[i % 16][i / 16] = src.data()[i];
	__builtin_memcpy(dst.address_, turned, sizeof(turned));
}

} /* namespace AscendC */

namespace vnpu {

/*
 * 16 rows of a data block each become columns.  Of 16 bits there are 16 columns,
 * so row j of the result is column j; of 32 bits eight, of which each fills two
 * rows; of 8 bits 32, of which a half is taken, into a half of each row.
 */
template <typename T>
inline void trans_to_5hd(uint8_t *const (&dst)[16], uint8_t *const (&src)[16],
			 const AscendC::TransDataTo5HDParams &params)
{
	constexpr uint32_t width = BLOCK_BYTES / sizeof(T);

	for (uint32_t r = 0; r < params.repeatTimes; r++) {
		uint64_t d = uint64_t(r) * params.dstRepStride * 32;
		uint64_t s = uint64_t(r) * params.srcRepStride * 32;
		T rows[16][width];

		for (uint32_t i = 0; i < 16; i++) {
			check_align("TransDataTo5HD", "src", src[i] + s);
			check_range("TransDataTo5HD", "src", src[i] + s, 32,
				    AscendC::TPosition::VECCALC);
			check_range("TransDataTo5HD", "dst", dst[i] + d, 32,
				    AscendC::TPosition::VECCALC);
			__builtin_memcpy(rows[i], src[i] + s, 32);
		}
		for (uint32_t i = 0; i < 16; i++) {
			T *to = reinterpret_cast<T *>(dst[i] + d);

			for (uint32_t n = 0; n < 16; n++) {
				if (sizeof(T) == 2)
					to[n] = rows[n][i];
				else if (sizeof(T) == 4 && n < 8)
					to[n] = rows[i % 2 * 8 + n][i / 2];
				else if (sizeof(T) == 1)
					to[n + 16 * params.dstHighHalf] =
						rows[n][i + 16 *
							params.srcHighHalf];
			}
		}
	}
}

} /* namespace vnpu */

namespace AscendC {

template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[16],
			   const LocalTensor<T> (&srcList)[16],
			   const TransDataTo5HDParams &params)
{
	uint8_t *dst[16], *src[16];

	for (uint32_t i = 0; i < 16; i++) {
		dst[i] = dstList[i].address_;
		src[i] = srcList[i].address_;
	}
	vnpu::trans_to_5hd<T>(dst, src, params);
}

/* Addresses instead of tensors. */
template <typename T>
inline void TransDataTo5HD(uint64_t dstList[16], uint64_t srcList[16],
			   const TransDataTo5HDParams &params)
{
	uint8_t *dst[16], *src[16];

	for (uint32_t i = 0; i < 16; i++) {
		dst[i] = reinterpret_cast<uint8_t *>(dstList[i]);
		src[i] = reinterpret_cast<uint8_t *>(srcList[i]);
	}
	vnpu::trans_to_5hd<T>(dst, src, params);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_GATHER_H */
