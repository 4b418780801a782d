/* SPDX-License-Identifier: MIT */
/*
 * Operations of instructions on runs of elements.
 */
#ifndef ASCENDC_VNPU_OPERATIONS_H
#define ASCENDC_VNPU_OPERATIONS_H

#include "functions.h"

namespace vnpu {

/*
 * Operations, on a number or on eight floats.  Where they are not exact on real
 * numbers their result is rounded to the type of the tensor once.
 */
#define VNPU_OPERATION2(name, expression) \
	struct name { \
		template <typename A, typename B> \
		VNPU_ALWAYS_INLINE auto operator()(A a, B b) const \
		{ \
			return expression; \
		} \
	}

VNPU_OPERATION2(op_add, a + b);
VNPU_OPERATION2(op_sub, a - b);
VNPU_OPERATION2(op_mul, a * b);
VNPU_OPERATION2(op_div, a / b);
VNPU_OPERATION2(op_max, a > b ? a : b);
VNPU_OPERATION2(op_min, a < b ? a : b);
VNPU_OPERATION2(op_and, a & b);
VNPU_OPERATION2(op_or, a | b);
VNPU_OPERATION2(op_xor, a ^ b);
/* Of the type of the operands: integers wrap around first. */
VNPU_OPERATION2(op_add_relu, relu(static_cast<A>(a + b)));
VNPU_OPERATION2(op_sub_relu, relu(static_cast<A>(a - b)));
#undef VNPU_OPERATION2

#define VNPU_OPERATION3(name, expression) \
	struct name { \
		template <typename D, typename A, typename B> \
		VNPU_ALWAYS_INLINE auto operator()(D d, A a, B b) const \
		{ \
			return expression; \
		} \
	}

VNPU_OPERATION3(op_mul_add_dst, a * b + d);
VNPU_OPERATION3(op_fused_mul_add, a * d + b);
VNPU_OPERATION3(op_fused_mul_add_relu, relu(a * d + b));
#undef VNPU_OPERATION3

/* An operation over a run. */
template <typename Op>
struct over2 {
	template <typename D, typename S, typename U>
	VNPU_ALWAYS_INLINE void operator()(D *d, const S *a, const U *b,
					   uint32_t count) const
	{
		map(d, a, b, count, Op());
	}
};

template <typename Op>
struct over3 {
	template <typename D, typename S, typename U>
	VNPU_ALWAYS_INLINE void operator()(D *d, const S *a, const U *b,
					   uint32_t count) const
	{
		map_into(d, a, b, count, Op());
	}
};

/* Bits are operated on 16 at a time, whatever the type. */
template <typename Op>
struct over_bits {
	template <typename T>
	VNPU_ALWAYS_INLINE void operator()(T *d, const T *a, const T *b,
					   uint32_t count) const
	{
		using bits = std::conditional_t<sizeof(T) % 2, uint8_t,
						uint16_t>;

		map(reinterpret_cast<bits *>(d),
		    reinterpret_cast<const bits *>(a),
		    reinterpret_cast<const bits *>(b),
		    count * uint32_t(sizeof(T) / sizeof(bits)), Op());
	}
};

/* Define a function of real numbers, for tensors of real numbers. */
#define VNPU_FUNCTION(name, expression) \
	struct name { \
		template <typename D, typename S> \
		VNPU_ALWAYS_INLINE void operator()(D *d, const S *s, \
						   uint32_t count) const \
		{ \
			map(d, s, count, [](auto a) VNPU_LAMBDA_INLINE { \
				return expression; \
			}); \
		} \
	}

#define VNPU_LAMBDA_INLINE	__attribute__((always_inline))

VNPU_FUNCTION(fn_exp, exp(a));
VNPU_FUNCTION(fn_ln, log(a));
VNPU_FUNCTION(fn_abs, absolute(a));
VNPU_FUNCTION(fn_sqrt, square_root(a));
VNPU_FUNCTION(fn_rsqrt, 1.0f / square_root(a));
VNPU_FUNCTION(fn_reciprocal, 1.0f / a);
VNPU_FUNCTION(fn_relu, relu(a));
VNPU_FUNCTION(fn_neg, -a);

struct fn_not {
	template <typename T>
	VNPU_ALWAYS_INLINE void operator()(T *d, const T *s,
					   uint32_t count) const
	{
		using bits = std::conditional_t<sizeof(T) % 2, uint8_t,
						uint16_t>;

		map(reinterpret_cast<bits *>(d),
		    reinterpret_cast<const bits *>(s),
		    count * uint32_t(sizeof(T) / sizeof(bits)),
		    [](bits a) { return static_cast<bits>(~a); });
	}
};

/*
 * With a scalar, which has the type of the tensor: a float scalar of a half
 * tensor is rounded first.
 */
template <typename T>
VNPU_ALWAYS_INLINE auto widen(T scalar)
{
	if constexpr (is_real<T>)
		return spread(static_cast<float>(scalar));
	else
		return scalar;
}

template <typename Op, typename T>
VNPU_ALWAYS_INLINE auto with_scalar(T scalar)
{
	return [scalar](auto *d, const auto *s, uint32_t count)
		VNPU_LAMBDA_INLINE {
		auto wide = widen(scalar);

		map(d, s, count, [wide](auto a) VNPU_LAMBDA_INLINE {
			return Op()(a, wide);
		});
	};
}

/* The scalar first: scalar - a. */
template <typename Op, typename T>
VNPU_ALWAYS_INLINE auto with_scalar_first(T scalar)
{
	return [scalar](auto *d, const auto *s, uint32_t count)
		VNPU_LAMBDA_INLINE {
		auto wide = widen(scalar);

		map(d, s, count, [wide](auto a) VNPU_LAMBDA_INLINE {
			return Op()(wide, a);
		});
	};
}

struct op_leaky_relu {
	template <typename A, typename B>
	VNPU_ALWAYS_INLINE auto operator()(A a, B slope) const
	{
		return a > 0 ? a : a * slope;
	}
};

struct op_shift_left {
	template <typename T>
	VNPU_ALWAYS_INLINE T operator()(T a, T by) const
	{
		using U = std::make_unsigned_t<T>;

		return uint32_t(by) >= sizeof(T) * 8 ? T(0) :
			static_cast<T>(static_cast<U>(a) << by);
	}
};

struct op_shift_right {
	template <typename T>
	VNPU_ALWAYS_INLINE T operator()(T a, T by) const
	{
		uint32_t most = sizeof(T) * 8 - 1;

		if (uint32_t(by) > most)
			return a < 0 ? T(-1) : T(0);
		return static_cast<T>(a >> by);
	}
};

/* dst += src * scalar, where dst may be wider than src. */
template <typename U>
VNPU_ALWAYS_INLINE auto axpy(U scalar)
{
	return [scalar](auto *d, const auto *s, uint32_t count)
		VNPU_LAMBDA_INLINE {
		auto wide = widen(scalar);

		map(d, d, s, count, [wide](auto d, auto a) VNPU_LAMBDA_INLINE {
			return a * wide + d;
		});
	};
}

template <typename T>
struct duplicate {
	T value;

	VNPU_ALWAYS_INLINE void operator()(T *d, uint32_t count) const
	{
		VNPU_INDEPENDENT
		for (uint32_t i = 0; i < count; i++)
			d[i] = value;
	}
};

template <typename T>
struct copy_run {
	VNPU_ALWAYS_INLINE void operator()(T *d, const T *s,
					   uint32_t count) const
	{
		__builtin_memmove(d, s, count * sizeof(T));
	}
};

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_OPERATIONS_H */
