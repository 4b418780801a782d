/* SPDX-License-Identifier: MIT */
/*
 * High-level functions of rows: broadcast, prefix sums, sums, means, softmax.
 */
#ifndef ASCENDC_VNPU_ROWS_H
#define ASCENDC_VNPU_ROWS_H

#include "../kernel_tiling/kernel_tiling.h"
#include "math.h"
#include "reduce.h"

namespace AscendC {

struct SoftMaxShapeInfo {
	uint32_t srcM = 0;
	uint32_t srcK = 0;
	uint32_t oriSrcM = 0;
	uint32_t oriSrcK = 0;
};

struct SoftmaxConfig {
	bool isCheckTiling = true;
	uint32_t oriSrcM = 0;
	uint32_t oriSrcK = 0;
};

constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {};

struct CumSumConfig {
	bool isLastAxis = true;
	bool isReuseSource = false;
	bool outputLastRow = true;
};

constexpr CumSumConfig defaultCumSumConfig = {};

struct CumSumInfo {
	uint32_t outter = 0;
	uint32_t inner = 0;
};

struct SumParams {
	uint32_t outter = 1;
	uint32_t inner = 0;
	uint32_t n = 0;
};

struct MeanParams {
	uint32_t outter = 1;
	uint32_t inner = 0;
	uint32_t n = 0;
};

} /* namespace AscendC */

namespace vnpu {

/* e^(x - max) / sum of a row of which @count elements mean something. */
template <typename D, typename S>
inline void softmax_row(D *d, const S *s, uint32_t count, uint32_t width,
			float *max, float *sum)
{
	uint32_t unused;
	floats shift, all = {};
	float total, most = static_cast<float>(
		pick_row<pick_max>(s, count, &unused));
	uint32_t i = 0;

	shift = spread(most);
	for (; i + LANES <= count; i += LANES)
		all += exp(load(s + i) - shift);
	total = ((all[0] + all[4]) + (all[2] + all[6])) +
		((all[1] + all[5]) + (all[3] + all[7]));
	for (; i < count; i++)
		total += exp(spread(static_cast<float>(s[i])) - shift)[0];
	map(d, s, count, [=](floats a) VNPU_LAMBDA_INLINE {
		return exp(a - shift) / total;
	});
	for (i = count; i < width; i++)
		d[i] = static_cast<D>(0.0f);
	*max = most;
	*sum = total;
}

/* A number in all of a data block. */
template <typename T>
VNPU_ALWAYS_INLINE void fill_block(T *to, float value)
{
	for (uint32_t i = 0; i < BLOCK_BYTES / sizeof(T); i++)
		to[i] = static_cast<T>(value);
}

/* The shape, from where it is given. */
template <typename T>
inline AscendC::SoftMaxShapeInfo
softmax_shape(const AscendC::LocalTensor<T> &src, const SoftMaxTiling &tiling,
	      AscendC::SoftMaxShapeInfo shape)
{
	if (!shape.srcK) {
		shape.srcM = tiling.srcM;
		shape.srcK = tiling.srcK;
	}
	if (!shape.oriSrcK) {
		shape.oriSrcM = shape.srcM;
		shape.oriSrcK = shape.srcK;
	}
	if (!shape.oriSrcK || shape.oriSrcK > shape.srcK)
		fault(VNPU_FAULT_ARGUMENT,
		      "SoftMax: rows of %u elements, of which %u count",
		      shape.srcK, shape.oriSrcK);
	check_vector("SoftMax", "src", src, shape.srcM * shape.srcK);
	return shape;
}

template <typename D, typename S, typename R>
inline void softmax(const AscendC::LocalTensor<D> &dst,
		    const AscendC::LocalTensor<R> *sums,
		    const AscendC::LocalTensor<R> *maxima,
		    const AscendC::LocalTensor<S> &src,
		    const AscendC::SoftMaxShapeInfo &shape)
{
	constexpr uint32_t width = BLOCK_BYTES / sizeof(R);

	check_vector("SoftMax", "dst", dst, shape.srcM * shape.srcK);
	if (sums) {
		check_vector("SoftMax", "sum", *sums, shape.srcM * width);
		check_vector("SoftMax", "max", *maxima, shape.srcM * width);
	}
	for (uint32_t m = 0; m < shape.srcM; m++) {
		float max, sum;

		softmax_row(dst.data() + m * shape.srcK,
			    src.data() + m * shape.srcK, shape.oriSrcK,
			    shape.srcK, &max, &sum);
		if (sums) {
			fill_block(sums->data() + m * width, sum);
			fill_block(maxima->data() + m * width, max);
		}
	}
}

} /* namespace vnpu */

namespace AscendC {

/* With the sums and maxima of rows. */
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum,
		    const LocalTensor<T> &max, const LocalTensor<T> &src,
		    const SoftMaxTiling &tiling,
		    const SoftMaxShapeInfo &shape = {})
{
	vnpu::softmax(dst, &sum, &max, src,
		      vnpu::softmax_shape(src, tiling, shape));
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum,
		    const LocalTensor<T> &max, const LocalTensor<T> &src,
		    const TmpBuffer &, const SoftMaxTiling &tiling,
		    const SoftMaxShapeInfo &shape = {})
{
	SoftMax<T>(dst, sum, max, src, tiling, shape);
}

/* ... which are floats of half rows. */
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<half> &dst, const LocalTensor<float> &sum,
		    const LocalTensor<float> &max, const LocalTensor<half> &src,
		    const SoftMaxTiling &tiling,
		    const SoftMaxShapeInfo &shape = {})
{
	vnpu::softmax(dst, &sum, &max, src,
		      vnpu::softmax_shape(src, tiling, shape));
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		    const TmpBuffer &, const SoftMaxTiling &tiling,
		    const SoftMaxShapeInfo &shape = {})
{
	const LocalTensor<T> *none = nullptr;

	vnpu::softmax(dst, none, none, src,
		      vnpu::softmax_shape(src, tiling, shape));
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		    const SoftMaxTiling &tiling,
		    const SoftMaxShapeInfo &shape = {})
{
	const LocalTensor<T> *none = nullptr;

	vnpu::softmax(dst, none, none, src,
		      vnpu::softmax_shape(src, tiling, shape));
}

/* By sums and maxima that are there: e^(x - max) / sum */
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<T> &dst,
			  const LocalTensor<T> &inSum,
			  const LocalTensor<T> &inMax,
			  const LocalTensor<T> &src,
			  const SoftMaxTiling &tiling,
			  const SoftMaxShapeInfo &shapeInfo = {})
{
	constexpr uint32_t width = vnpu::BLOCK_BYTES / sizeof(T);
	const SoftMaxShapeInfo shape =
		vnpu::softmax_shape(src, tiling, shapeInfo);

	vnpu::check_vector("SimpleSoftMax", "dst", dst,
			   shape.srcM * shape.srcK);
	vnpu::check_vector("SimpleSoftMax", "sum", inSum, shape.srcM * width);
	vnpu::check_vector("SimpleSoftMax", "max", inMax, shape.srcM * width);
	for (uint32_t m = 0; m < shape.srcM; m++) {
		float sum = static_cast<float>(inSum.data()[m * width]);
		float max = static_cast<float>(inMax.data()[m * width]);

		vnpu::map(dst.data() + m * shape.srcK,
			  src.data() + m * shape.srcK, shape.srcK,
			  [=](vnpu::floats a) VNPU_LAMBDA_INLINE {
				  return vnpu::exp(a - max) / sum;
			  });
	}
}

template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
inline void SimpleSoftMax(const LocalTensor<T> &dst,
			  const LocalTensor<T> &inSum,
			  const LocalTensor<T> &inMax,
			  const LocalTensor<T> &src, const TmpBuffer &,
			  const SoftMaxTiling &tiling,
			  const SoftMaxShapeInfo &shapeInfo = {})
{
	SimpleSoftMax<T>(dst, inSum, inMax, src, tiling, shapeInfo);
}

/* Prefix sums: along rows, or down the columns of all rows. */
template <typename T, const CumSumConfig &config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T> &dst, LocalTensor<T> &lastRow,
		   const LocalTensor<T> &src, const CumSumInfo &info)
{
	const uint32_t rows = info.outter, width = info.inner;

	vnpu::check_vector("CumSum", "src", src, rows * width);
	vnpu::check_vector("CumSum", "dst", dst, rows * width);
	for (uint32_t r = 0; r < rows; r++)
		for (uint32_t i = 0; i < width; i++) {
			uint32_t at = r * width + i;
			bool is_first = config.isLastAxis ? !i : !r;
			uint32_t before = config.isLastAxis ? at - 1 :
				at - width;

			dst.data()[at] = is_first ? src.data()[at] :
				static_cast<T>(dst.data()[before] +
					       src.data()[at]);
		}
	if (config.outputLastRow && rows) {
		vnpu::check_vector("CumSum", "lastRow", lastRow, width);
		__builtin_memmove(lastRow.address_,
				  dst.data() + (rows - 1) * width,
				  width * sizeof(T));
	}
}

template <typename T, const CumSumConfig &config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T> &dst, LocalTensor<T> &lastRow,
		   const LocalTensor<T> &src, TmpBuffer &,
		   const CumSumInfo &info)
{
	CumSum<T, config>(dst, lastRow, src, info);
}

/*
 * Copies along an axis of one element: of one dimension, or of two by axis 0 or
 * by axis 1.
 */
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		      const uint32_t dstShape[dim], const uint32_t srcShape[dim])
{
	const uint32_t rows = dim == 2 ? dstShape[0] : 1;
	const uint32_t width = dstShape[dim - 1];

	static_assert(dim == 1 || dim == 2, "one dimension or two");
	static_assert(axis == 0 || axis == 1, "axis 0 or 1");
	for (int32_t i = 0; i < dim; i++)
		if (srcShape[i] != dstShape[i] && srcShape[i] != 1)
			vnpu::fault(VNPU_FAULT_ARGUMENT,
				    "Broadcast: dimension %d is %u of src and %u of dst",
				    i, srcShape[i], dstShape[i]);
	vnpu::check_vector("Broadcast", "dst", dst, rows * width);
	vnpu::check_vector("Broadcast", "src", src,
			   (dim == 2 ? srcShape[0] : 1) * srcShape[dim - 1]);
	for (uint32_t r = 0; r < rows; r++) {
		const T *from = src.data() +
			(dim == 2 && srcShape[0] != 1 ?
			 r * srcShape[dim - 1] : 0);
		T *to = dst.data() + r * width;

		if (srcShape[dim - 1] == width)
			__builtin_memcpy(to, from, width * sizeof(T));
		else
			vnpu::duplicate<T>{ from[0] }(to, width);
	}
}

template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		      const uint32_t dstShape[dim],
		      const uint32_t srcShape[dim], TmpBuffer &)
{
	Broadcast<T, dim, axis>(dst, src, dstShape, srcShape);
}

/* The name in CANN's documentation; some releases have the one above. */
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false,
	  typename... TmpBuffer>
inline void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		      const uint32_t dstShape[dim],
		      const uint32_t srcShape[dim], TmpBuffer &&...)
{
	Broadcast<T, dim, axis>(dst, src, dstShape, srcShape);
}

/* Of each row of @inner elements the first n. */
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false,
	  bool isBasicBlock = false>
inline void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		const SumParams &params)
{
	vnpu::check_vector("Sum", "src", src, params.outter * params.inner);
	vnpu::check_vector("Sum", "dst", dst, params.outter);
	for (uint32_t r = 0; r < params.outter; r++)
		dst.data()[r] = static_cast<T>(
			vnpu::sum_row(src.data() + r * params.inner,
				      params.n));
}

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false,
	  bool isBasicBlock = false>
inline void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		const TmpBuffer &, const SumParams &params)
{
	Sum<T>(dst, src, params);
}

template <typename T, typename accType = T, bool isReuseSource = false,
	  bool isBasicBlock = false, int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		 const MeanParams &params)
{
	vnpu::check_vector("Mean", "src", src, params.outter * params.inner);
	vnpu::check_vector("Mean", "dst", dst, params.outter);
	for (uint32_t r = 0; r < params.outter; r++)
		dst.data()[r] = static_cast<T>(
			vnpu::sum_row(src.data() + r * params.inner,
				      params.n) /
			static_cast<float>(params.n));
}

template <typename T, typename accType = T, bool isReuseSource = false,
	  bool isBasicBlock = false, int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		 const TmpBuffer &, const MeanParams &params)
{
	Mean<T>(dst, src, params);
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_ROWS_H */
