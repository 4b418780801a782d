/* SPDX-License-Identifier: MIT */
/*
 * Comparisons, which make a bit for each element, and selections by bits.
 */
#ifndef ASCENDC_VNPU_COMPARE_H
#define ASCENDC_VNPU_COMPARE_H

#include "elementwise.h"

namespace vnpu {

using AscendC::CMPMODE;
using AscendC::SELMODE;

template <CMPMODE mode, typename A, typename B>
VNPU_ALWAYS_INLINE auto compare(A a, B b)
{
	if constexpr (mode == CMPMODE::LT)
		return a < b;
	else if constexpr (mode == CMPMODE::GT)
		return a > b;
	else if constexpr (mode == CMPMODE::EQ)
		return a == b;
	else if constexpr (mode == CMPMODE::LE)
		return a <= b;
	else if constexpr (mode == CMPMODE::GE)
		return a >= b;
	else
		return a != b;
}

/* A bit of each of eight. */
VNPU_ALWAYS_INLINE uint8_t signs(ints mask)
{
#if defined(__AVX__)
	return static_cast<uint8_t>(
		__builtin_ia32_movmskps256(bits_as<floats>(mask)));
#else
	uint32_t bits = 0;

	for (uint32_t i = 0; i < LANES; i++)
		bits |= (mask[i] < 0) << i;
	return static_cast<uint8_t>(bits);
#endif
}

/* Bits of up to eight elements; b is a pointer or a widened scalar. */
template <CMPMODE mode, typename T>
VNPU_ALWAYS_INLINE uint8_t compare_some(const T *a, const T *b, uint32_t count)
{
	if constexpr (is_real<T>) {
		uint8_t bits = signs(compare<mode>(
			count == LANES ? load(a) : load_some(a, count),
			count == LANES ? load(b) : load_some(b, count)));

		return bits & ((1U << count) - 1);
	} else {
		uint32_t bits = 0;

		for (uint32_t i = 0; i < count; i++)
			bits |= uint32_t(compare<mode>(a[i], b[i])) << i;
		return static_cast<uint8_t>(bits);
	}
}

template <typename T>
VNPU_ALWAYS_INLINE uint8_t compare_by(CMPMODE mode, const T *a, const T *b,
				      uint32_t count)
{
	switch (mode) {
	case CMPMODE::LT:
		return compare_some<CMPMODE::LT>(a, b, count);
	case CMPMODE::GT:
		return compare_some<CMPMODE::GT>(a, b, count);
	case CMPMODE::EQ:
		return compare_some<CMPMODE::EQ>(a, b, count);
	case CMPMODE::LE:
		return compare_some<CMPMODE::LE>(a, b, count);
	case CMPMODE::GE:
		return compare_some<CMPMODE::GE>(a, b, count);
	default:
		return compare_some<CMPMODE::NE>(a, b, count);
	}
}

/*
 * Bits of @count elements; @step is 0 to compare with the same eight again and
 * again, which is how a scalar is passed.
 */
template <typename T>
VNPU_ALWAYS_INLINE void compare_all(CMPMODE mode, uint8_t *bits, const T *a,
				    const T *b, uint32_t step, uint32_t count)
{
	uint32_t whole = count / LANES;

	for (uint32_t i = 0; i < whole; i++)
		bits[i] = compare_by(mode, a + i * LANES, b + i * step, LANES);
	if (count % LANES)
		bits[whole] = compare_by(mode, a + whole * LANES,
					 b + whole * step, count % LANES);
}

/* By repeats: the bits of the repeats follow each other. */
template <typename T>
inline void compare_repeats(const char *what, CMPMODE mode, uint8_t *bits,
			    const operand &a, const operand *b, const T *same,
			    const mask &m, uint32_t repeats)
{
	constexpr uint32_t elements = repeat_elements<T>();
	steps s = make_steps(m, repeats, elements);

	static_assert(sizeof(T) >= 2, "a mask has 128 bits");
	check_align(what, "src0", a.at);
	check_range(what, "src0", a.at, extent_of(a, s, elements),
		    AscendC::TPosition::VECCALC);
	if (b) {
		check_align(what, "src1", b->at);
		check_range(what, "src1", b->at, extent_of(*b, s, elements),
			    AscendC::TPosition::VECCALC);
	}
	/* The register has room for one repeat. */
	if (bits == reinterpret_cast<uint8_t *>(state()->compare_mask))
		s.count = s.count ? 1 : 0;
	else
		check_range(what, "dst", bits, s.count * elements / 8,
			    AscendC::TPosition::VECCALC);
	for (uint32_t r = 0; r < s.count; r++)
		for (uint32_t e = 0; e < elements; e += LANES) {
			uint8_t found = compare_by(mode,
				reinterpret_cast<const T *>(a.find(r, e)),
				b ? reinterpret_cast<const T *>(
					b->find(r, e)) : same, LANES);

			bits[(r * elements + e) / 8] =
				found & (s.of(r).bits[e / 64] >> e % 64);
		}
}

/* Eight equal numbers. */
template <typename T>
struct eight {
	T at[LANES];

	explicit eight(T value)
	{
		for (T &one : at)
			one = value;
	}
};

/*
 * dst[i] = bit i ? a[i] : b[i].  @start is the index of the first
 * element's bit.  The bits repeat after @period bits, unless @period is 0.
 */
template <typename T>
VNPU_ALWAYS_INLINE void select_run(T *d, const uint8_t *bits, uint32_t start,
				   uint32_t period, const T *a, const T *b,
				   bool is_scalar, uint32_t count)
{
	using raw = std::conditional_t<sizeof(T) == 4, uint32_t,
		std::conditional_t<sizeof(T) == 2, uint16_t,
		std::conditional_t<sizeof(T) == 8, uint64_t, uint8_t>>>;
	raw *to = reinterpret_cast<raw *>(d);
	const raw *x = reinterpret_cast<const raw *>(a);
	const raw *y = reinterpret_cast<const raw *>(b);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t n = period ? (start + i) % period : start + i;
		raw set = static_cast<raw>(0 - (bits[n / 8] >> n % 8 & 1));

		to[i] = (x[i] & set) | (y[is_scalar ? 0 : i] & ~set);
	}
}

template <typename T>
inline void select_repeats(const char *what,
			   const AscendC::LocalTensor<T> &dst,
			   const uint8_t *bits, const T *a, const T *b,
			   bool is_scalar, SELMODE mode, const mask &m,
			   uint32_t repeats, const BinaryRepeatParams &p)
{
	constexpr uint32_t elements = repeat_elements<T>();
	const operand d = make_operand(dst, p.dstBlkStride, p.dstRepStride);
	const operand x = { const_cast<uint8_t *>(
				    reinterpret_cast<const uint8_t *>(a)),
			    sizeof(T), p.src0BlkStride, p.src0RepStride };
	const operand y = { const_cast<uint8_t *>(
				    reinterpret_cast<const uint8_t *>(b)),
			    sizeof(T), p.src1BlkStride, p.src1RepStride };
	constexpr uint32_t chunk = BLOCK_BYTES / sizeof(T);

	const steps s = make_steps(m, repeats, elements);

	static_assert(sizeof(T) >= 2, "a mask has 128 bits");
	check_align(what, "dst", d.at);
	check_range(what, "dst", d.at, extent_of(d, s, elements),
		    AscendC::TPosition::VECCALC);
	check_range(what, "src0", x.at, extent_of(x, s, elements),
		    AscendC::TPosition::VECCALC);
	if (!is_scalar)
		check_range(what, "src1", y.at, extent_of(y, s, elements),
			    AscendC::TPosition::VECCALC);
	for (uint32_t r = 0; r < s.count; r++)
		for (uint32_t e = 0; e < elements; e += chunk) {
			uint32_t first = mode == SELMODE::VSEL_CMPMASK_SPR ?
				e : r * elements + e;
			T some[chunk];
			T *to = reinterpret_cast<T *>(d.find(r, e));

			select_run(some, bits, first, 0,
				   reinterpret_cast<const T *>(x.find(r, e)),
				   is_scalar ? b : reinterpret_cast<const T *>(
					   y.find(r, e)), is_scalar, chunk);
			for (uint32_t i = 0; i < chunk; i++)
				if (is_in(s.of(r), e + i))
					to[i] = some[i];
		}
}

} /* namespace vnpu */

namespace AscendC {

template <typename T, typename U>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
		    const LocalTensor<T> &src1, CMPMODE cmpMode, uint32_t count)
{
	vnpu::check_vector("Compare", "src0", src0, count);
	vnpu::check_vector("Compare", "src1", src1, count);
	vnpu::check_range("Compare", "dst", dst.address_, (count + 7) / 8,
			  dst.position_);
	vnpu::compare_all(cmpMode, dst.address_, src0.data(), src1.data(),
			  vnpu::LANES, count);
}

template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
		    const LocalTensor<T> &src1, CMPMODE cmpMode,
		    const uint64_t mask[], uint8_t repeatTime,
		    const BinaryRepeatParams &params)
{
	const vnpu::operand b = vnpu::make_operand(src1, params.src1BlkStride,
						   params.src1RepStride);

	vnpu::compare_repeats<T>("Compare", cmpMode, dst.address_,
		vnpu::make_operand(src0, params.src0BlkStride,
				   params.src0RepStride), &b, nullptr,
		vnpu::make_mask<isSetMask>(mask, vnpu::repeat_elements<T>()),
		repeatTime);
}

template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
		    const LocalTensor<T> &src1, CMPMODE cmpMode,
		    const uint64_t mask, uint8_t repeatTime,
		    const BinaryRepeatParams &params)
{
	const vnpu::operand b = vnpu::make_operand(src1, params.src1BlkStride,
						   params.src1RepStride);

	vnpu::compare_repeats<T>("Compare", cmpMode, dst.address_,
		vnpu::make_operand(src0, params.src0BlkStride,
				   params.src0RepStride), &b, nullptr,
		vnpu::make_mask<isSetMask>(mask, 0), repeatTime);
}

/* One repeat, into the register that Select() reads. */
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		    CMPMODE cmpMode, const uint64_t mask[],
		    const BinaryRepeatParams &params)
{
	const vnpu::operand b = vnpu::make_operand(src1, params.src1BlkStride,
						   params.src1RepStride);

	vnpu::compare_repeats<T>("Compare", cmpMode,
		reinterpret_cast<uint8_t *>(vnpu::state()->compare_mask),
		vnpu::make_operand(src0, params.src0BlkStride,
				   params.src0RepStride), &b, nullptr,
		vnpu::make_mask<isSetMask>(mask, vnpu::repeat_elements<T>()),
		1);
}

template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		    CMPMODE cmpMode, const uint64_t mask,
		    const BinaryRepeatParams &params)
{
	vnpu::mask bits = vnpu::mask_first(mask);

	Compare<T, isSetMask>(src0, src1, cmpMode, bits.bits, params);
}

#define VNPU_COMPARE_SCALAR(Name) \
	template <typename T, typename U, bool isSetMask = true> \
	inline void Name(const LocalTensor<U> &dst, \
			 const LocalTensor<T> &src, const NoDeduce<T> scalar, \
			 CMPMODE cmpMode, uint32_t count) \
	{ \
		vnpu::eight<T> same(scalar); \
		\
		vnpu::check_vector(#Name, "src", src, count); \
		vnpu::check_range(#Name, "dst", dst.address_, \
				  (count + 7) / 8, dst.position_); \
		vnpu::compare_all(cmpMode, dst.address_, src.data(), same.at, \
				  0, count); \
	} \
	template <typename T, typename U, bool isSetMask = true> \
	inline void Name(const LocalTensor<U> &dst, \
			 const LocalTensor<T> &src, const NoDeduce<T> scalar, \
			 CMPMODE cmpMode, const uint64_t mask[], \
			 uint8_t repeatTime, const UnaryRepeatParams &params) \
	{ \
		vnpu::eight<T> same(scalar); \
		\
		vnpu::compare_repeats<T>(#Name, cmpMode, dst.address_, \
			vnpu::make_operand(src, params.srcBlkStride, \
					   params.srcRepStride), nullptr, \
			same.at, vnpu::make_mask<isSetMask>(mask, \
				vnpu::repeat_elements<T>()), repeatTime); \
	} \
	template <typename T, typename U, bool isSetMask = true> \
	inline void Name(const LocalTensor<U> &dst, \
			 const LocalTensor<T> &src, const NoDeduce<T> scalar, \
			 CMPMODE cmpMode, const uint64_t mask, \
			 uint8_t repeatTime, const UnaryRepeatParams &params) \
	{ \
		vnpu::eight<T> same(scalar); \
		\
		vnpu::compare_repeats<T>(#Name, cmpMode, dst.address_, \
			vnpu::make_operand(src, params.srcBlkStride, \
					   params.srcRepStride), nullptr, \
			same.at, vnpu::make_mask<isSetMask>(mask, 0), \
			repeatTime); \
	}

VNPU_COMPARE_SCALAR(CompareScalar)
VNPU_COMPARE_SCALAR(Compares)
#undef VNPU_COMPARE_SCALAR

/* For the forms of Select() that name no mask. */
template <typename T>
inline void SetCmpMask(const LocalTensor<T> &src)
{
	vnpu::state()->select_operand = src.address_;
	__builtin_memcpy(vnpu::state()->compare_mask, src.address_,
			 sizeof(vnpu::state()->compare_mask));
}

template <typename T>
inline void GetCmpMask(const LocalTensor<T> &dst)
{
	__builtin_memcpy(dst.address_, vnpu::state()->compare_mask,
			 sizeof(vnpu::state()->compare_mask));
}

template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
		   const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		   SELMODE selMode, uint32_t count)
{
	vnpu::check_vector("Select", "dst", dst, count);
	vnpu::check_vector("Select", "src0", src0, count);
	vnpu::check_vector("Select", "src1", src1, count);
	vnpu::select_run(dst.data(), selMask.address_, 0,
			 selMode == SELMODE::VSEL_CMPMASK_SPR ?
			 vnpu::repeat_elements<T>() : 0, src0.data(),
			 src1.data(), false, count);
}

template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
		   const LocalTensor<T> &src0, NoDeduce<T> src1,
		   SELMODE selMode, uint32_t count)
{
	vnpu::check_vector("Select", "dst", dst, count);
	vnpu::check_vector("Select", "src0", src0, count);
	vnpu::select_run(dst.data(), selMask.address_, 0,
			 selMode == SELMODE::VSEL_CMPMASK_SPR ?
			 vnpu::repeat_elements<T>() : 0, src0.data(), &src1,
			 true, count);
}

#define VNPU_SELECT(Second, at, is_scalar) \
	template <typename T, typename U, bool isSetMask = true> \
	inline void Select(const LocalTensor<T> &dst, \
			   const LocalTensor<U> &selMask, \
			   const LocalTensor<T> &src0, Second src1, \
			   SELMODE selMode, const uint64_t mask[], \
			   uint8_t repeatTime, \
			   const BinaryRepeatParams &params) \
	{ \
		vnpu::select_repeats<T>("Select", dst, selMask.address_, \
			src0.data(), at, is_scalar, selMode, \
			vnpu::make_mask<isSetMask>(mask, \
				vnpu::repeat_elements<T>()), \
			repeatTime, params); \
	} \
	template <typename T, typename U, bool isSetMask = true> \
	inline void Select(const LocalTensor<T> &dst, \
			   const LocalTensor<U> &selMask, \
			   const LocalTensor<T> &src0, Second src1, \
			   SELMODE selMode, const uint64_t mask, \
			   uint8_t repeatTime, \
			   const BinaryRepeatParams &params) \
	{ \
		vnpu::select_repeats<T>("Select", dst, selMask.address_, \
			src0.data(), at, is_scalar, selMode, \
			vnpu::make_mask<isSetMask>(mask, 0), repeatTime, \
			params); \
	}

VNPU_SELECT(const LocalTensor<T> &, src1.data(), false)
VNPU_SELECT(NoDeduce<T>, &src1, true)
#undef VNPU_SELECT

/* By the mask of Compare() or SetCmpMask(). */
template <typename T, SELMODE selMode>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
		   const LocalTensor<T> &src1, uint8_t repeatTime,
		   const BinaryRepeatParams &params)
{
	vnpu::select_repeats<T>("Select", dst,
		reinterpret_cast<const uint8_t *>(
			vnpu::state()->compare_mask),
		src0.data(), src1.data(), false, SELMODE::VSEL_CMPMASK_SPR,
		vnpu::mask_set_before(), repeatTime, params);
}

template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
		   const LocalTensor<T> &src0, uint8_t repeatTime,
		   const BinaryRepeatParams &params)
{
	vnpu::select_repeats<T>("Select", dst, selMask.address_, src0.data(),
		static_cast<const T *>(vnpu::state()->select_operand), true,
		SELMODE::VSEL_TENSOR_SCALAR_MODE, vnpu::mask_set_before(),
		repeatTime, params);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_COMPARE_H */
