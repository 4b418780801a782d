/* SPDX-License-Identifier: MIT */
/*
 * Fixpipe: move results out of L0C, scaled and rounded, to rows or to fractals.
 */
#ifndef ASCENDC_VNPU_FIXPIPE_H
#define ASCENDC_VNPU_FIXPIPE_H

#include "load.h"

namespace vnpu {

/* Columns of L0C, and numbers that are converted at a time. */
constexpr uint32_t L0C_COLUMNS = 16;
constexpr uint32_t FIXPIPE_CHUNK = 512;

/* The conversion of a number. */
struct conversion {
	QuantMode_t mode;
	uint64_t scalar;
	const uint64_t *scales;		/* one for each column */
	bool is_relu;
};

/* A matrix in L0C, and its layout in the destination. */
struct fixpipe_shape {
	uint32_t n, m;
	uint64_t src_step;		/* numbers from 16 columns to 16 */
	uint64_t dst_step;		/* numbers from row to row, or bytes */
	bool is_rows;
	bool is_split;
	bool is_unit;			/* waits for Mmad by a unit flag */
};

constexpr bool is_for_each_column(QuantMode_t mode)
{
	return mode == VREQ8 || mode == VDEQF16 || mode == VQF322B8_PRE ||
		mode == VQF162B8_PRE;
}

constexpr bool is_to_bytes(QuantMode_t mode)
{
	return mode == VREQ8 || mode == REQ8 || mode == VQF322B8_PRE ||
		mode == QF322B8_PRE || mode == VQF162B8_PRE ||
		mode == QF162B8_PRE;
}

constexpr bool is_scaled(QuantMode_t mode)
{
	return is_to_bytes(mode) || mode == VDEQF16 || mode == DEQF16;
}

/*
 * A scale is a float of 10 bits of fraction in the lower half of a word.  The
 * offset of results of 8 bits is in the bits from 37 on, their sign in bit 46.
 */
VNPU_ALWAYS_INLINE float scale_of(uint64_t word)
{
	return bits_as<float>(uint32_t(word) & 0xffffe000);
}

VNPU_ALWAYS_INLINE int32_t offset_of(uint64_t word)
{
	int32_t offset = word >> 37 & 0x1ff;

	return offset < 256 ? offset : offset - 512;
}

template <typename D, typename S>
VNPU_ALWAYS_INLINE D convert_one(S value, const conversion &c, uint32_t column)
{
	uint64_t word = is_for_each_column(c.mode) ? c.scales[column] :
		c.scalar;
	float wide = static_cast<float>(value);

	if constexpr (std::is_same<D, S>::value)
		if (!is_scaled(c.mode))
			return c.is_relu && value < S(0) ? S(0) : value;
	if (is_scaled(c.mode))
		wide *= scale_of(word);
	if (c.is_relu && !(wide > 0))
		wide = 0;
	if constexpr (sizeof(D) == 1) {
		float whole = __builtin_rintf(wide) + offset_of(word);
		float low = std::is_signed<D>::value ? -128 : 0;
		float high = std::is_signed<D>::value ? 127 : 255;

		return static_cast<D>(whole > low ? whole < high ? whole :
				      high : low);
	} else {
		return static_cast<D>(wide);
	}
}

/* @count numbers of row @row, from column @column on. */
template <typename D, typename S>
VNPU_ALWAYS_INLINE void convert_row(D *to, const S *from,
				    const fixpipe_shape &shape,
				    const conversion &c, uint32_t row,
				    uint32_t column, uint32_t count)
{
	for (uint32_t i = 0; i < count; i += L0C_COLUMNS) {
		const S *at = from + (column + i) / L0C_COLUMNS *
			shape.src_step + row * L0C_COLUMNS;
		uint32_t some = count - i < L0C_COLUMNS ? count - i :
			L0C_COLUMNS;

		if constexpr (is_real<D> && is_real<S>)
			if (some == L0C_COLUMNS && !is_scaled(c.mode)) {
				for (uint32_t l = 0; l < L0C_COLUMNS;
				     l += LANES) {
					floats v = load(at + l);

					store(to + i + l, c.is_relu ?
					      (v > 0 ? v : floats{}) : v);
				}
				continue;
			}
		for (uint32_t l = 0; l < some; l++)
			to[i + l] = convert_one<D>(at[l], c, column + i + l);
	}
}

/* The last number of a matrix in L0C, plus one. */
VNPU_ALWAYS_INLINE uint64_t l0c_extent(const fixpipe_shape &shape)
{
	return shape.n && shape.m ? (shape.n - 1ULL) / L0C_COLUMNS *
		shape.src_step + uint64_t(shape.m) * L0C_COLUMNS : 0;
}

/* Numbers of a column of the destination. */
template <typename D>
VNPU_ALWAYS_INLINE uint32_t fixpipe_width(const fixpipe_shape &shape)
{
	return sizeof(D) == 1 ? 32 : shape.is_split ? 8 : 16;
}

/*
 * Call @call for the parts of a matrix in the destination, with the first byte, the
 * bytes of a row and from one to the next.
 */
template <typename D, typename Call>
VNPU_ALWAYS_INLINE void fixpipe_each(const fixpipe_shape &shape, Call call)
{
	const uint32_t width = shape.is_rows ? shape.n : fixpipe_width<D>(shape);

	for (uint32_t n = 0; n < shape.n; n += width)
		call(shape.is_rows ? 0 : n / width * shape.dst_step,
		     (shape.n - n < width ? shape.n - n : width) * sizeof(D),
		     (shape.is_rows ? shape.dst_step : width) * sizeof(D));
}

/* Bytes of the destination up to the last one of a matrix. */
template <typename D>
VNPU_ALWAYS_INLINE uint64_t fixpipe_extent(const fixpipe_shape &shape)
{
	uint64_t last = 0;

	if (!shape.m)
		return 0;
	fixpipe_each<D>(shape, [&](uint64_t at, uint64_t bytes, uint64_t step) {
		uint64_t end = at + (shape.m - 1) * step + bytes;

		last = end > last ? end : last;
	});
	return last;
}

/*
 * Rows, or columns of 32 bytes one behind the other: two of L0C's for results of
 * 8 bits, and one for other types.  @write takes bytes and their place.
 */
template <typename D, typename S, typename Write>
VNPU_ALWAYS_INLINE void fixpipe(const S *from, const fixpipe_shape &shape,
				const conversion &c, Write write)
{
	uint32_t width = shape.is_rows ? FIXPIPE_CHUNK :
		fixpipe_width<D>(shape);
	D row[FIXPIPE_CHUNK];

	for (uint32_t n = 0; n < shape.n; n += width) {
		uint32_t some = shape.n - n < width ? shape.n - n : width;

		for (uint32_t m = 0; m < shape.m; m++) {
			uint64_t to = shape.is_rows ?
				(m * shape.dst_step + n) * sizeof(D) :
				n / width * shape.dst_step +
				uint64_t(m) * width * sizeof(D);

			if (shape.is_split)
				for (uint32_t i = 0; i < some; i++)
					row[i] = convert_one<D>(
						from[(n + i) / L0C_COLUMNS *
						     shape.src_step +
						     m * L0C_COLUMNS +
						     (n + i) % L0C_COLUMNS],
						c, n + i);
			else
				convert_row(row, from, shape, c, m, n, some);
			write(to, row, some * sizeof(D));
		}
	}
}

template <typename S>
VNPU_ALWAYS_INLINE void check_l0c(const char *what,
				  const AscendC::LocalTensor<S> &src,
				  const fixpipe_shape &shape, uint64_t skip)
{
	AscendC::LocalTensorBase from = src;

	from.address_ += skip * sizeof(S);
	check_fractals(what, "src", from, l0c_extent(shape) * sizeof(S),
		       VNPU_LOCAL_L0C, VNPU_LOCAL_L0C, "CO1", 64);
	check_unit_flag(CHECK_FIX, CHECK_M, shape.is_unit);
	for (uint32_t n = 0; VNPU_CHECK && n < shape.n; n += L0C_COLUMNS)
		check_row(what, CHECK_FIX, false, from.address_ +
			  n / L0C_COLUMNS * shape.src_step * sizeof(S),
			  shape.m * L0C_COLUMNS * sizeof(S), from.position_);
}

template <typename D, typename S>
VNPU_ALWAYS_INLINE void check_conversion(const char *what,
					 const conversion &c)
{
	if (sizeof(D) == 1 && !is_to_bytes(c.mode))
		fault(VNPU_FAULT_ARGUMENT,
		      "%s: quantPre of %d makes no numbers of 8 bits", what,
		      int(c.mode));
	if (std::is_same<S, int32_t>::value && is_real<D> &&
	    c.mode != DEQF16 && c.mode != VDEQF16)
		fault(VNPU_FAULT_ARGUMENT,
		      "%s: quantPre of %d makes no real numbers of integers",
		      what, int(c.mode));
	if (is_for_each_column(c.mode) && !c.scales)
		fault(VNPU_FAULT_ARGUMENT,
		      "%s: quantPre of %d needs a tensor of scales", what,
		      int(c.mode));
}

/* Matrices to device memory. */
template <typename D, typename S>
inline void fixpipe_to(const char *what, const AscendC::GlobalTensor<D> &dst,
		       const AscendC::LocalTensor<S> &src,
		       const fixpipe_shape &shape, const conversion &c,
		       uint32_t nds, uint64_t src_nd, uint64_t dst_nd)
{
	const uint64_t extent = fixpipe_extent<D>(shape);

	check_conversion<D, S>(what, c);
	dst.check(what, nds && extent ?
		  (nds - 1) * dst_nd * sizeof(D) + extent : 0);
	for (uint32_t nd = 0; nd < nds; nd++) {
		char *base = reinterpret_cast<char *>(dst.address_ +
						      nd * dst_nd);

		check_l0c(what, src, shape, nd * src_nd);
		fixpipe_each<D>(shape, [&](uint64_t at, uint64_t bytes,
					   uint64_t step) {
			check_access_rows(base + at, shape.m, bytes, step,
					  access_flags());
		});
		late_issue(CHECK_FIX, [=, numbers = src.data() + nd * src_nd,
				       op = state()->atomic,
				       type = state()->atomic_type] {
			fixpipe<D>(numbers, shape, c, [=](uint64_t at,
				   const D *from, uint64_t bytes) {
				copy_out(base + at, from, bytes, op, type);
			});
		});
	}
}

/* ... or to another memory of the core. */
template <typename D, typename S>
inline void fixpipe_to(const char *what, const AscendC::LocalTensor<D> &dst,
		       const AscendC::LocalTensor<S> &src,
		       const fixpipe_shape &shape, const conversion &c,
		       uint32_t nds, uint64_t src_nd, uint64_t dst_nd)
{
	const uint64_t extent = fixpipe_extent<D>(shape);

	check_conversion<D, S>(what, c);
	check_align(what, "dst", dst.address_);
	for (uint32_t nd = 0; nd < nds; nd++) {
		uint8_t *base = dst.address_ + nd * dst_nd * sizeof(D);

		check_l0c(what, src, shape, nd * src_nd);
		check_bounds(what, "dst", base, extent, dst.position_);
		fixpipe_each<D>(shape, [&](uint64_t at, uint64_t bytes,
					   uint64_t step) {
			for (uint32_t m = 0; VNPU_CHECK && m < shape.m; m++)
				check_row(what, CHECK_FIX, true,
					  base + at + m * step, bytes,
					  dst.position_);
		});
		late_issue(CHECK_FIX,
			   [=, numbers = src.data() + nd * src_nd] {
			fixpipe<D>(numbers, shape, c, [=](uint64_t at,
				   const D *from, uint64_t bytes) {
				__builtin_memcpy(base + at, from, bytes);
			});
		});
	}
}

constexpr uint64_t L0C_FRACTAL = 256;

VNPU_ALWAYS_INLINE fixpipe_shape
shape_of(const AscendC::FixpipeParamsV220 &p, AscendC::CO2Layout format)
{
	bool is_rows = format == AscendC::CO2Layout::ROW_MAJOR;

	return { p.nSize, p.mSize, uint64_t(p.srcStride) * L0C_COLUMNS,
		 is_rows ? p.dstStride : p.dstStride * 32ULL, is_rows,
		 p.isChannelSplit && !is_rows, p.unitFlag != 0 };
}

VNPU_ALWAYS_INLINE uint32_t count_of(const AscendC::FixpipeParamsV220 &p,
				     AscendC::CO2Layout format)
{
	return format == AscendC::CO2Layout::ROW_MAJOR ? p.ndNum : 1;
}

VNPU_ALWAYS_INLINE conversion conversion_of(
	const AscendC::FixpipeParamsV220 &p, const uint64_t *scales)
{
	return { p.quantPre, p.deqScalar, scales, p.reluEn };
}

VNPU_ALWAYS_INLINE fixpipe_shape
shape_of(const AscendC::DataCopyCO12DstParams &p)
{
	return { p.nSize, p.mSize, uint64_t(p.srcStride) * L0C_COLUMNS,
		 p.nz2ndEn ? p.dstStride : p.dstStride * 32ULL, p.nz2ndEn,
		 p.channelSplit && !p.nz2ndEn, p.unitFlag != 0 };
}

VNPU_ALWAYS_INLINE conversion
conversion_of(const AscendC::DataCopyCO12DstParams &p)
{
	const struct cube_state &s = state()->cube;

	return { p.quantPre, s.scale, s.scales, p.reluPre != 0 };
}

template <typename D, typename S>
inline void fixpipe_run(const D &dst, const AscendC::LocalTensor<S> &src,
			AscendC::CO2Layout format,
			const AscendC::FixpipeParamsV220 &p,
			const uint64_t *scales)
{
	fixpipe_to("Fixpipe", dst, src, shape_of(p, format),
		   conversion_of(p, scales), count_of(p, format),
		   p.srcNdStride * L0C_FRACTAL, p.dstNdStride);
}

/* ... with a scale for each column. */
template <typename D, typename S>
inline void fixpipe_run(const D &dst, const AscendC::LocalTensor<S> &src,
			AscendC::CO2Layout format,
			const AscendC::FixpipeParamsV220 &p,
			const AscendC::LocalTensor<uint64_t> &scales)
{
	check_from_l1("Fixpipe", scales, scales.address_,
		      p.nSize * sizeof(uint64_t));
	check_part("Fixpipe", "scales", CHECK_FIX, false, scales.address_,
		   p.nSize * sizeof(uint64_t), scales.position_, CHECK_BLOCK);
	fixpipe_run(dst, src, format, p, scales.data());
}

/* The same as a copy, which sets its registers itself. */
template <typename D, typename S>
inline void fixpipe_copy(const D &dst, const AscendC::LocalTensor<S> &src,
			 const AscendC::DataCopyCO12DstParams &p)
{
	const struct cube_state &s = state()->cube;

	if (is_for_each_column(p.quantPre) && s.scales)
		check_part("DataCopy", "scales", CHECK_FIX, false, s.scales,
			   p.nSize * sizeof(uint64_t),
			   AscendC::TPosition::C2PIPE2GM, CHECK_BLOCK);
	fixpipe_to("DataCopy", dst, src, shape_of(p), conversion_of(p),
		   p.nz2ndEn && s.nd_count ? s.nd_count : 1,
		   s.nd_src_stride * L0C_FRACTAL, s.nd_dst_stride);
}

} /* namespace vnpu */

namespace AscendC {

template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
		    const FixpipeParamsV220 &params)
{
	vnpu::fixpipe_run(dst, src, config.format, params, nullptr);
}

template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
		    const LocalTensor<uint64_t> &scales,
		    const FixpipeParamsV220 &params)
{
	vnpu::fixpipe_run(dst, src, config.format, params, scales);
}

template <typename T, typename U, const FixpipeConfig &config = CFG_NZ>
inline void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
		    const FixpipeParamsV220 &params)
{
	vnpu::fixpipe_run(dst, src, config.format, params, nullptr);
}

template <typename T, typename U, const FixpipeConfig &config = CFG_NZ>
inline void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
		    const LocalTensor<uint64_t> &scales,
		    const FixpipeParamsV220 &params)
{
	vnpu::fixpipe_run(dst, src, config.format, params, scales);
}

template <typename T, typename U>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
		     const DataCopyCO12DstParams &params)
{
	vnpu::fixpipe_copy(dst, src, params);
}

template <typename T, typename U>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
		     const DataCopyCO12DstParams &params)
{
	vnpu::fixpipe_copy(dst, src, params);
}

/* Matrices that a copy makes rows of, and from one to the next. */
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride,
				uint16_t dstNdStride)
{
	struct vnpu::cube_state *s = &vnpu::state()->cube;

	s->nd_count = ndNum;
	s->nd_src_stride = srcNdStride;
	s->nd_dst_stride = dstNdStride;
}

/* The scale of a copy. */
inline void SetFixpipePreQuantFlag(uint64_t config)
{
	vnpu::state()->cube.scale = config;
}

/* The scales of a copy, in the fixpipe buffer. */
template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T> &scales,
			     bool isUnitFlag = false)
{
	static_assert(sizeof(T) == sizeof(uint64_t), "scales are of 64 bits");
	vnpu::check_bounds("SetFixPipeConfig", "the scales", scales.address_, 0,
			   scales.position_);
	vnpu::state()->cube.scales =
		reinterpret_cast<const uint64_t *>(scales.address_);
	(void)isUnitFlag;
}

template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T> &,
			     const LocalTensor<T> &scales,
			     bool isUnitFlag = false)
{
	SetFixPipeConfig(scales, isUnitFlag);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_FIXPIPE_H */
