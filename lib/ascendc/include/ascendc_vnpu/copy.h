/* SPDX-License-Identifier: MIT */
/*
 * Copies between device memory and a core's memory, and inside of it.
 */
#ifndef ASCENDC_VNPU_COPY_H
#define ASCENDC_VNPU_COPY_H

#include "transfer.h"

namespace AscendC {

/* Device memory to the core. */
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
		     const uint32_t count)
{
	vnpu::copy_in_rows("DataCopy", dst, src,
			   vnpu::rows_of<T>("DataCopy", count));
}

template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
		     const DataCopyParams &params)
{
	vnpu::copy_in_rows("DataCopy", dst, src, vnpu::rows_of(params));
}

template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
		     const DataCopyParams &params,
		     const DataCopyEnhancedParams &)
{
	DataCopy(dst, src, params);
}

/* ... with the matrix made fractal: C0 columns after C0 columns. */
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
		     const Nd2NzParams &params)
{
	vnpu::check_to_nz(dst, src, params);
	vnpu::late_issue(vnpu::CHECK_MTE2,
			 [=, to = dst.data(), from = src.address_] {
		vnpu::copy_to_nz<T>(to, from, params);
	});
}

/* The core to device memory. */
template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
		     const uint32_t count)
{
	vnpu::copy_out_rows("DataCopy", dst, src,
			    vnpu::rows_of<T>("DataCopy", count));
}

template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
		     const DataCopyParams &params)
{
	vnpu::copy_out_rows("DataCopy", dst, src, vnpu::rows_of(params));
}

template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
		     const DataCopyParams &params,
		     const DataCopyEnhancedParams &)
{
	DataCopy(dst, src, params);
}

/* ... with the matrix made plain rows again. */
template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
		     const Nz2NdParamsFull &params)
{
	constexpr uint32_t c0 = 32 / sizeof(T);

	vnpu::late_drain(vnpu::CHECK_MTE3);
	dst.check("DataCopy", params.nValue ?
		  ((params.ndNum - 1) * params.dstNdMatrixStride +
		   (params.nValue - 1ULL) * params.dstDStride +
		   params.dValue) * sizeof(T) : 0);
	for (uint32_t nd = 0; nd < params.ndNum; nd++) {
		const T *from = src.data() +
			uint64_t(nd) * params.srcNdMatrixStride * 256;
		T *to = dst.address_ + nd * params.dstNdMatrixStride;

		vnpu::check_access_rows(to, params.nValue,
					params.dValue * sizeof(T),
					uint64_t(params.dstDStride) * sizeof(T),
					vnpu::access_flags());
		for (uint32_t n = 0; n < params.nValue; n++)
			for (uint32_t d = 0; d < params.dValue; d += c0) {
				uint32_t some = params.dValue - d < c0 ?
					params.dValue - d : c0;
				const T *at = from + uint64_t(d / c0) *
					params.srcNStride * c0 + n * c0;

				vnpu::check_bounds("DataCopy", "src", at,
						   some * sizeof(T),
						   src.position_);
				vnpu::check_row("DataCopy", vnpu::CHECK_MTE3,
						false, at, some * sizeof(T),
						src.position_);
				vnpu::copy_out(to + uint64_t(n) *
					       params.dstDStride + d, at,
					       some * sizeof(T));
			}
	}
}

/* Inside the core. */
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		     const uint32_t count)
{
	vnpu::copy_local_rows("DataCopy", dst, src,
			      vnpu::rows_of<T>("DataCopy", count));
}

template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		     const DataCopyParams &params)
{
	vnpu::copy_local_rows("DataCopy", dst, src, vnpu::rows_of(
		params, vnpu::local_of(dst.position_)));
}

/* Biases of half become floats on their way from C1 to C2. */
inline void DataCopy(const LocalTensor<float> &dst,
		     const LocalTensor<half> &src, const DataCopyParams &params)
{
	vnpu::rows r = vnpu::rows_of(params, vnpu::local_of(dst.position_));
	const uint64_t step = 2 * r.bytes + params.dstStride * 64ULL;

	vnpu::check_align("DataCopy", "dst", dst.address_);
	vnpu::check_align("DataCopy", "src", src.address_);
	vnpu::check_bounds("DataCopy", "dst", dst.address_, r.count ?
			   (r.count - 1) * step + 2 * r.bytes : 0,
			   dst.position_);
	vnpu::check_bounds("DataCopy", "src", src.address_, r.from_extent(),
			   src.position_);
	for (uint32_t i = 0; VNPU_CHECK && i < r.count; i++) {
		vnpu::check_row("DataCopy", vnpu::CHECK_MTE1, false,
				src.address_ + i * r.from_step, r.bytes,
				src.position_);
		vnpu::check_row("DataCopy", vnpu::CHECK_MTE1, true,
				dst.address_ + i * step, 2 * r.bytes,
				dst.position_);
	}
	vnpu::late_issue(vnpu::CHECK_MTE1,
			 [=, to = dst.data(), from = src.data()] {
		for (uint32_t i = 0; i < r.count; i++)
			for (uint32_t n = 0; n < r.bytes / sizeof(half); n++)
				to[i * step / sizeof(float) + n] =
					static_cast<float>(from[
					i * r.from_step / sizeof(half) + n]);
	});
}

template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		     const DataCopyParams &params,
		     const DataCopyEnhancedParams &)
{
	DataCopy(dst, src, params);
}

/* Rows of any length. */
template <typename T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
			const DataCopyExtParams &params,
			const DataCopyPadExtParams<NoDeduce<T>> &pad)
{
	vnpu::copy_in_padded(dst, src, params.blockCount, params.blockLen,
			     params.srcStride, params.dstStride, pad.isPad,
			     pad.leftPadding, pad.rightPadding,
			     &pad.paddingValue);
}

template <typename T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
			const DataCopyParams &params,
			const DataCopyPadParams &pad)
{
	vnpu::copy_in_padded(dst, src, params.blockCount, params.blockLen,
			     params.srcStride, params.dstStride, pad.isPad,
			     pad.leftPadding, pad.rightPadding,
			     &pad.paddingValue);
}

template <typename T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
			const DataCopyExtParams &params)
{
	vnpu::copy_out_padded(dst, src, params.blockCount, params.blockLen,
			      params.srcStride, params.dstStride);
}

template <typename T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
			const DataCopyParams &params)
{
	vnpu::copy_out_padded(dst, src, params.blockCount, params.blockLen,
			      params.srcStride, params.dstStride);
}

/*
 * Atomic operations
 */
template <typename T>
inline void SetAtomicType()
{
	using namespace vnpu;

	static_assert(is_real<T> || std::is_same<T, int8_t>::value ||
		      std::is_same<T, int16_t>::value ||
		      std::is_same<T, int32_t>::value,
		      "no atomic operation on this type");
	state()->atomic_type =
		std::is_same<T, float>::value ? ATOMIC_FLOAT :
		std::is_same<T, half>::value ? ATOMIC_HALF :
		std::is_same<T, bfloat16_t>::value ? ATOMIC_BFLOAT16 :
		std::is_same<T, int8_t>::value ? ATOMIC_INT8 :
		std::is_same<T, int16_t>::value ? ATOMIC_INT16 : ATOMIC_INT32;
}

template <typename T>
inline void SetAtomicAdd()
{
	SetAtomicType<T>();
	vnpu::state()->atomic = vnpu::ATOMIC_ADD;
}

template <typename T>
inline void SetAtomicMax()
{
	SetAtomicType<T>();
	vnpu::state()->atomic = vnpu::ATOMIC_MAX;
}

template <typename T>
inline void SetAtomicMin()
{
	SetAtomicType<T>();
	vnpu::state()->atomic = vnpu::ATOMIC_MIN;
}

inline void SetAtomicNone()
{
	vnpu::state()->atomic = vnpu::ATOMIC_NONE;
}

inline void DisableDmaAtomic()
{
	vnpu::state()->atomic = vnpu::ATOMIC_NONE;
}

/*
 * Caches: memory is coherent here.
 */
template <typename T, CacheLine line, DcciDst where = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

template <typename T, CacheLine line, DcciDst where = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const LocalTensor<T> &)
{
}

template <typename T>
inline void DataCachePreload(const GlobalTensor<T> &, const int64_t)
{
}

inline void ICachePreLoad(const int64_t)
{
}

template <typename T>
inline T ReadGmByPassDCache(__gm__ T *address)
{
	vnpu::check_access(address, sizeof(T), VNPU_GM_READ);
	return *static_cast<volatile T *>(address);
}

template <typename T>
inline void WriteGmByPassDCache(__gm__ T *address, T value)
{
	vnpu::check_access(address, sizeof(T), VNPU_GM_WRITE);
	*static_cast<volatile T *>(address) = value;
}

} /* namespace AscendC */

/* The instructions themselves. */
template <typename... Where>
VNPU_ALWAYS_INLINE void dcci(const volatile void *, Where...)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

VNPU_ALWAYS_INLINE void set_atomic_none()
{
	vnpu::state()->atomic = vnpu::ATOMIC_NONE;
}

#endif /* ASCENDC_VNPU_COPY_H */
