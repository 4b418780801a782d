/* SPDX-License-Identifier: MIT */
/*
 * High-level functions of each element.  On a card they are sequences of
 * instructions with a temporary buffer; here the buffer is not used.
 */
#ifndef ASCENDC_VNPU_MATH_H
#define ASCENDC_VNPU_MATH_H

#include "cast.h"
#include "hyperbolic.h"
#include "power.h"

namespace vnpu {

VNPU_FUNCTION(fn_tanh, tanh(a));
VNPU_FUNCTION(fn_sigmoid, sigmoid(a));
VNPU_FUNCTION(fn_silu, a * sigmoid(a));
VNPU_FUNCTION(fn_erf, erf(a));
VNPU_FUNCTION(fn_erfc, erfc(a));
VNPU_FUNCTION(fn_sin, sin(a));
VNPU_FUNCTION(fn_cos, cos(a));
VNPU_FUNCTION(fn_tan, sin(a) / cos(a));
VNPU_FUNCTION(fn_atan, atan(a));
VNPU_FUNCTION(fn_asin, asin(a));
VNPU_FUNCTION(fn_acos, acos(a));
VNPU_FUNCTION(fn_sinh, sinh(a));
VNPU_FUNCTION(fn_cosh, cosh(a));
VNPU_FUNCTION(fn_asinh, asinh(a));
VNPU_FUNCTION(fn_acosh, acosh(a));
VNPU_FUNCTION(fn_atanh, atanh(a));
VNPU_FUNCTION(fn_log2, log(a) * 1.44269504f);
VNPU_FUNCTION(fn_log10, log(a) * 0.434294482f);
VNPU_FUNCTION(fn_ceil, round_up_to(a));
VNPU_FUNCTION(fn_floor, round_down(a));
VNPU_FUNCTION(fn_trunc, round_to_zero(a));
VNPU_FUNCTION(fn_round, round_even(a));
VNPU_FUNCTION(fn_frac, a - round_to_zero(a));
VNPU_FUNCTION(fn_sign, select(a > 0.0f, spread(1.0f),
			      select(a < 0.0f, spread(-1.0f), a)));
/* The form with tanh, as x / (1 + e^(-2 y)). */
VNPU_FUNCTION(fn_gelu, a / (1.0f + exp(-1.59576912f *
				       (a + 0.044715f * a * a * a))));
VNPU_FUNCTION(fn_faster_gelu, a / (1.0f + exp(-1.702f * a)));

struct op_power {
	template <typename A, typename B>
	VNPU_ALWAYS_INLINE auto operator()(A a, B b) const
	{
		return power(a, b);
	}
};

struct op_fmod {
	VNPU_ALWAYS_INLINE floats operator()(floats a, floats b) const
	{
		return a - round_to_zero(a / b) * b;
	}
};

/* a * swish(b), and a * gelu(b) */
struct op_geglu {
	VNPU_ALWAYS_INLINE floats operator()(floats a, floats b) const
	{
		return a * b / (1.0f + exp(-1.59576912f *
					   (b + 0.044715f * b * b * b)));
	}
};

struct op_reglu {
	VNPU_ALWAYS_INLINE floats operator()(floats a, floats b) const
	{
		return a * relu(b);
	}
};

template <typename T>
VNPU_ALWAYS_INLINE auto swiglu(float beta)
{
	return [beta](T *d, const T *a, const T *b, uint32_t count)
		VNPU_LAMBDA_INLINE {
		map(d, a, b, count, [beta](floats a, floats b)
			VNPU_LAMBDA_INLINE {
			return a * b / (1.0f + exp(-beta * b));
		});
	};
}

template <typename T>
VNPU_ALWAYS_INLINE auto swish(float beta)
{
	return [beta](T *d, const T *s, uint32_t count) VNPU_LAMBDA_INLINE {
		map(d, s, count, [beta](floats a) VNPU_LAMBDA_INLINE {
			return a / (1.0f + exp(-beta * a));
		});
	};
}

} /* namespace vnpu */

namespace AscendC {

using TmpBuffer = LocalTensor<uint8_t>;

/* With and without a buffer, for some elements and for all. */
#define VNPU_MATH1(Name, run) \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const TmpBuffer &, \
			 const uint32_t calCount) \
	{ \
		vnpu::unary(#Name, dst, src, calCount, run); \
	} \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const TmpBuffer &) \
	{ \
		vnpu::unary(#Name, dst, src, src.GetSize(), run); \
	} \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const uint32_t calCount) \
	{ \
		vnpu::unary(#Name, dst, src, calCount, run); \
	} \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src) \
	{ \
		vnpu::unary(#Name, dst, src, src.GetSize(), run); \
	}

VNPU_MATH1(Tanh, vnpu::fn_tanh())
VNPU_MATH1(Sigmoid, vnpu::fn_sigmoid())
VNPU_MATH1(Silu, vnpu::fn_silu())
VNPU_MATH1(Erf, vnpu::fn_erf())
VNPU_MATH1(Erfc, vnpu::fn_erfc())
VNPU_MATH1(Sin, vnpu::fn_sin())
VNPU_MATH1(Cos, vnpu::fn_cos())
VNPU_MATH1(Tan, vnpu::fn_tan())
VNPU_MATH1(Atan, vnpu::fn_atan())
VNPU_MATH1(Asin, vnpu::fn_asin())
VNPU_MATH1(Acos, vnpu::fn_acos())
VNPU_MATH1(Sinh, vnpu::fn_sinh())
VNPU_MATH1(Cosh, vnpu::fn_cosh())
VNPU_MATH1(Asinh, vnpu::fn_asinh())
VNPU_MATH1(Acosh, vnpu::fn_acosh())
VNPU_MATH1(Atanh, vnpu::fn_atanh())
VNPU_MATH1(Log, vnpu::fn_ln())
VNPU_MATH1(Log2, vnpu::fn_log2())
VNPU_MATH1(Log10, vnpu::fn_log10())
VNPU_MATH1(Ceil, vnpu::fn_ceil())
VNPU_MATH1(Floor, vnpu::fn_floor())
VNPU_MATH1(Trunc, vnpu::fn_trunc())
VNPU_MATH1(Round, vnpu::fn_round())
VNPU_MATH1(Rint, vnpu::fn_round())
VNPU_MATH1(Frac, vnpu::fn_frac())
VNPU_MATH1(Sign, vnpu::fn_sign())
#undef VNPU_MATH1

/* With two template parameters that choose precision and speed on a card. */
#define VNPU_GELU(Name, run) \
	template <typename T, bool highPrecision = false, \
		  bool highPerformance = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const TmpBuffer &, \
			 const uint32_t dataSize) \
	{ \
		vnpu::unary(#Name, dst, src, dataSize, run()); \
	} \
	template <typename T, bool highPrecision = false, \
		  bool highPerformance = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const uint32_t dataSize) \
	{ \
		vnpu::unary(#Name, dst, src, dataSize, run()); \
	}

VNPU_GELU(Gelu, vnpu::fn_gelu)
VNPU_GELU(FasterGelu, vnpu::fn_faster_gelu)
VNPU_GELU(FasterGeluV2, vnpu::fn_faster_gelu)
#undef VNPU_GELU

template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src,
		  uint32_t dataSize, const NoDeduce<T> scalar)
{
	vnpu::unary("Swish", dst, src, dataSize,
		    vnpu::swish<T>(static_cast<float>(scalar)));
}

#define VNPU_MATH2(Name, run) \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src0, \
			 const LocalTensor<T> &src1, const TmpBuffer &, \
			 const uint32_t calCount) \
	{ \
		vnpu::binary(#Name, dst, src0, src1, calCount, run()); \
	} \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src0, \
			 const LocalTensor<T> &src1, const TmpBuffer &) \
	{ \
		vnpu::binary(#Name, dst, src0, src1, src0.GetSize(), run()); \
	} \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src0, \
			 const LocalTensor<T> &src1, \
			 const uint32_t calCount) \
	{ \
		vnpu::binary(#Name, dst, src0, src1, calCount, run()); \
	} \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src0, \
			 const LocalTensor<T> &src1) \
	{ \
		vnpu::binary(#Name, dst, src0, src1, src0.GetSize(), run()); \
	}

VNPU_MATH2(Power, vnpu::over2<vnpu::op_power>)
VNPU_MATH2(Fmod, vnpu::over2<vnpu::op_fmod>)
VNPU_MATH2(Xor, vnpu::over_bits<vnpu::op_xor>)
VNPU_MATH2(GeGLU, vnpu::over2<vnpu::op_geglu>)
VNPU_MATH2(ReGlu, vnpu::over2<vnpu::op_reglu>)
#undef VNPU_MATH2

/* A power with a scalar on one side. */
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T> &dst, const LocalTensor<T> &base,
		  const NoDeduce<T> &exponent, const TmpBuffer &,
		  uint32_t calCount)
{
	vnpu::unary("Power", dst, base, calCount,
		    vnpu::with_scalar<vnpu::op_power>(T(exponent)));
}

template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T> &dst, const LocalTensor<T> &base,
		  const NoDeduce<T> &exponent, uint32_t calCount)
{
	vnpu::unary("Power", dst, base, calCount,
		    vnpu::with_scalar<vnpu::op_power>(T(exponent)));
}

template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T> &dst, const NoDeduce<T> &base,
		  const LocalTensor<T> &exponent, const TmpBuffer &,
		  uint32_t calCount)
{
	vnpu::unary("Power", dst, exponent, calCount,
		    vnpu::with_scalar_first<vnpu::op_power>(T(base)));
}

template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T> &dst, const NoDeduce<T> &base,
		  const LocalTensor<T> &exponent, uint32_t calCount)
{
	vnpu::unary("Power", dst, exponent, calCount,
		    vnpu::with_scalar_first<vnpu::op_power>(T(base)));
}

/* src0 * swish(src1) */
template <typename T, bool isReuseSource = false>
inline void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
		   const LocalTensor<T> &src1, const float &beta,
		   const TmpBuffer &, const uint32_t calCount)
{
	vnpu::binary("SwiGLU", dst, src0, src1, calCount,
		     vnpu::swiglu<T>(beta));
}

template <typename T, bool isReuseSource = false>
inline void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
		   const LocalTensor<T> &src1, const float &beta,
		   const TmpBuffer &)
{
	vnpu::binary("SwiGLU", dst, src0, src1, src0.GetSize(),
		     vnpu::swiglu<T>(beta));
}

template <typename T, bool isReuseSource = false>
inline void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
		   const LocalTensor<T> &src1, const float &beta,
		   const uint32_t calCount)
{
	vnpu::binary("SwiGLU", dst, src0, src1, calCount,
		     vnpu::swiglu<T>(beta));
}

template <typename T, bool isReuseSource = false>
inline void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
		   const LocalTensor<T> &src1, const float &beta)
{
	vnpu::binary("SwiGLU", dst, src0, src1, src0.GetSize(),
		     vnpu::swiglu<T>(beta));
}

#define VNPU_CLAMP(Name, Op) \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, const TmpBuffer &, \
			 const NoDeduce<T> scalar, const uint32_t calCount) \
	{ \
		vnpu::unary(#Name, dst, src, calCount, \
			    vnpu::with_scalar<vnpu::Op>(T(scalar))); \
	} \
	template <typename T, bool isReuseSource = false> \
	inline void Name(const LocalTensor<T> &dst, \
			 const LocalTensor<T> &src, \
			 const NoDeduce<T> scalar, const uint32_t calCount) \
	{ \
		vnpu::unary(#Name, dst, src, calCount, \
			    vnpu::with_scalar<vnpu::Op>(T(scalar))); \
	}

VNPU_CLAMP(ClampMax, op_min)
VNPU_CLAMP(ClampMin, op_max)
#undef VNPU_CLAMP

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_MATH_H */
