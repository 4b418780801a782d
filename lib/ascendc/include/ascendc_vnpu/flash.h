/* SPDX-License-Identifier: MIT */
/*
 * High-level functions for attention: softmax over consecutive parts of rows, and
 * conversion of int32 sums.
 */
#ifndef ASCENDC_VNPU_FLASH_H
#define ASCENDC_VNPU_FLASH_H

#include "rows.h"

namespace AscendC {

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW, DEQUANT_WITH_MULTI_ROW };

struct DequantParams {
	uint32_t m = 0;
	uint32_t n = 0;
	uint32_t calCount = 0;
};

} /* namespace AscendC */

namespace vnpu {

/* Sums and maxima of rows, before and after a part of the rows. */
template <typename T, typename U>
struct flash_rows {
	const AscendC::LocalTensor<U> &sum, &max;
	const AscendC::LocalTensor<T> &factor;	/* e^(old max - new max) */
	const AscendC::LocalTensor<U> *old_sum, *old_max;
};

template <typename T, typename U>
inline void softmax_flash(const AscendC::LocalTensor<T> &dst,
			  const AscendC::LocalTensor<T> &src,
			  const flash_rows<T, U> &rows,
			  const AscendC::SoftMaxShapeInfo &shape)
{
	constexpr uint32_t width = BLOCK_BYTES / sizeof(U);
	constexpr uint32_t factor_width = BLOCK_BYTES / sizeof(T);

	check_vector("SoftmaxFlashV2", "dst", dst, shape.srcM * shape.srcK);
	check_vector("SoftmaxFlashV2", "sum", rows.sum, shape.srcM * width);
	check_vector("SoftmaxFlashV2", "max", rows.max, shape.srcM * width);
	if (rows.old_sum) {
		check_vector("SoftmaxFlashV2", "inSum", *rows.old_sum,
			     shape.srcM * width);
		check_vector("SoftmaxFlashV2", "inMax", *rows.old_max,
			     shape.srcM * width);
		check_vector("SoftmaxFlashV2", "expMax", rows.factor,
			     shape.srcM * factor_width);
	}
	for (uint32_t m = 0; m < shape.srcM; m++) {
		const T *from = src.data() + m * shape.srcK;
		T *to = dst.data() + m * shape.srcK;
		uint32_t unused;
		float max = static_cast<float>(pick_row<pick_max>(
			from, shape.oriSrcK, &unused));
		float sum = 0, factor, before;

		if (rows.old_sum) {
			before = static_cast<float>(
				rows.old_max->data()[m * width]);
			max = before > max ? before : max;
			factor = exp(spread(before - max))[0];
			sum = factor * static_cast<float>(
				rows.old_sum->data()[m * width]);
			fill_block(rows.factor.data() + m * factor_width,
				   factor);
		}
		map(to, from, shape.oriSrcK,
		    [=](floats a) VNPU_LAMBDA_INLINE {
			return exp(a - max);
		});
		for (uint32_t i = shape.oriSrcK; i < shape.srcK; i++)
			to[i] = T(0.0f);
		fill_block(rows.sum.data() + m * width, sum + sum_row(
			to, shape.oriSrcK));
		fill_block(rows.max.data() + m * width, max);
	}
}

/* int32 sums times the scale of their column. */
template <typename D, typename Scale>
inline void dequant(const AscendC::LocalTensor<D> &dst,
		    const AscendC::LocalTensor<int32_t> &src, Scale scale,
		    const AscendC::DequantParams &p)
{
	const uint32_t step = round_up(p.n, BLOCK_BYTES / sizeof(D));

	if (p.calCount > p.n)
		fault(VNPU_FAULT_ARGUMENT,
		      "AscendDequant: calCount of %u is more than the %u of a row",
		      p.calCount, p.n);
	check_vector("AscendDequant", "dst", dst, p.m * step);
	check_vector("AscendDequant", "src", src, p.m * p.n);
	for (uint32_t m = 0; m < p.m; m++)
		for (uint32_t i = 0; i < p.calCount; i++)
			dst.data()[m * step + i] = static_cast<D>(
				static_cast<float>(src.data()[m * p.n + i]) *
				scale(i));
}

} /* namespace vnpu */

namespace AscendC {

/*
 * dst = e^(src - max), with sums and maxima of the rows so far.  An update starts
 * with the sums and maxima of the previous parts.  It sets expMax to the factor
 * for the previous results.
 */
template <typename T, bool isUpdate = false, bool isReuseSource = false,
	  bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename U>
inline void
SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<U> &expSum,
	       const LocalTensor<U> &max, const LocalTensor<T> &src,
	       const LocalTensor<T> &expMax, const LocalTensor<U> &inExpSum,
	       const LocalTensor<U> &inMax, const SoftMaxTiling &tiling,
	       const SoftMaxShapeInfo &shapeInfo = {})
{
	static_assert(!isDataFormatNZ, "rows of the format NZ");
	vnpu::softmax_flash<T, U>(dst, src, { expSum, max, expMax, isUpdate ?
		&inExpSum : nullptr, isUpdate ? &inMax : nullptr },
		vnpu::softmax_shape(src, tiling, shapeInfo));
}

template <typename T, bool isUpdate = false, bool isReuseSource = false,
	  bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename U>
inline void
SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<U> &expSum,
	       const LocalTensor<U> &max, const LocalTensor<T> &src,
	       const LocalTensor<T> &expMax, const LocalTensor<U> &inExpSum,
	       const LocalTensor<U> &inMax, const TmpBuffer &,
	       const SoftMaxTiling &tiling,
	       const SoftMaxShapeInfo &shapeInfo = {})
{
	SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock,
		       isDataFormatNZ, config>(dst, expSum, max, src, expMax,
					       inExpSum, inMax, tiling,
					       shapeInfo);
}

/* Rows of int32 to real numbers, with a scale for each column or for all. */
template <typename D, typename S,
	  DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<D> &dst,
			  const LocalTensor<int32_t> &src,
			  const LocalTensor<S> &deqScale, DequantParams params)
{
	vnpu::check_vector("AscendDequant", "deqScale", deqScale,
			   params.calCount);
	vnpu::dequant(dst, src, [&](uint32_t i) {
		return static_cast<float>(deqScale.data()[i]);
	}, params);
}

template <typename D, typename S,
	  DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<D> &dst,
			  const LocalTensor<int32_t> &src,
			  const LocalTensor<S> &deqScale, const TmpBuffer &,
			  DequantParams params)
{
	AscendDequant<D, S, mode>(dst, src, deqScale, params);
}

template <typename D, typename S,
	  DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline std::enable_if_t<vnpu::is_real<S>>
AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src,
	      const S deqScale, DequantParams params)
{
	vnpu::dequant(dst, src, [=](uint32_t) {
		return static_cast<float>(deqScale);
	}, params);
}

template <typename D, typename S,
	  DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline std::enable_if_t<vnpu::is_real<S>>
AscendDequant(const LocalTensor<D> &dst, const LocalTensor<int32_t> &src,
	      const S deqScale, const TmpBuffer &, DequantParams params)
{
	AscendDequant<D, S, mode>(dst, src, deqScale, params);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_FLASH_H */
