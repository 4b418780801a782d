/* SPDX-License-Identifier: MIT */
/*
 * Conversions.  From real numbers to integers they saturate, and a NaN becomes 0.
 */
#ifndef ASCENDC_VNPU_CAST_H
#define ASCENDC_VNPU_CAST_H

#include "elementwise.h"

namespace vnpu {

using AscendC::RoundMode;

/* To an integer, as a float. */
template <RoundMode mode>
VNPU_ALWAYS_INLINE floats round_whole(floats a)
{
	switch (mode) {
	case RoundMode::CAST_FLOOR:
		return round_down(a);
	case RoundMode::CAST_CEIL:
		return round_up_to(a);
	case RoundMode::CAST_ROUND:
		return round_away(a);
	case RoundMode::CAST_TRUNC:
		return round_to_zero(a);
	case RoundMode::CAST_ODD:
		return round_odd(a);
	default:
		return round_even(a);
	}
}

/*
 * A float in fewer digits: @kept is the float without the bits that are lost,
 * @unit the last bit that is kept.  Bits of a float of one sign are in order, so
 * the next number away from zero is one unit up, also beyond a power of two.
 */
template <RoundMode mode>
VNPU_ALWAYS_INLINE uint32_t round_bits(uint32_t bits, uint32_t unit)
{
	uint32_t lost = bits & (unit - 1), kept = bits - lost;
	bool is_negative = bits >> 31, is_up;

	switch (mode) {
	case RoundMode::CAST_FLOOR:
		is_up = lost && is_negative;
		break;
	case RoundMode::CAST_CEIL:
		is_up = lost && !is_negative;
		break;
	case RoundMode::CAST_ROUND:
		is_up = lost >= unit / 2;
		break;
	case RoundMode::CAST_TRUNC:
		is_up = false;
		break;
	case RoundMode::CAST_ODD:
		is_up = lost && !(kept & unit);
		break;
	default:
		is_up = lost > unit / 2 || (lost == unit / 2 && kept & unit);
		break;
	}
	return is_up ? kept + unit : kept;
}

template <RoundMode mode>
VNPU_ALWAYS_INLINE bfloat16_t to_bfloat16(float value)
{
	uint32_t bits = bits_as<uint32_t>(value);
	bfloat16_t out;

	if ((bits & 0x7fffffff) > 0x7f800000)
		out.bits = static_cast<uint16_t>(bits >> 16 | 0x40);
	else
		out.bits = static_cast<uint16_t>(
			round_bits<mode>(bits, 0x10000) >> 16);
	return out;
}

/*
 * Half: below 2^-14 the last bit that is kept is of 2^-24, so the bits of the
 * float that are lost grow with each power of two.
 */
template <RoundMode mode>
VNPU_ALWAYS_INLINE half to_half(float value)
{
	uint32_t bits = bits_as<uint32_t>(value);
	uint32_t exponent = bits >> 23 & 255;

	if (exponent == 255 || exponent >= 113) {
		if (exponent != 255)
			bits = round_bits<mode>(bits, 1 << 13);
		float kept = bits_as<float>(bits);

		/* Beyond the largest number only modes that round away overflow. */
		if (exponent != 255 && (bits & 0x7fffffff) >= 0x47800000) {
			bool is_out = mode != RoundMode::CAST_TRUNC &&
				mode != RoundMode::CAST_ODD &&
				!(mode == RoundMode::CAST_FLOOR && kept > 0) &&
				!(mode == RoundMode::CAST_CEIL && kept < 0);

			if (!is_out)
				kept = kept > 0 ? 65504.0f : -65504.0f;
		}
		return static_cast<half>(kept);
	}
	/* In units of 2^-24 it is a small integer. */
	float scaled = __builtin_fabsf(value) * 16777216.0f;
	float signed_scaled = value < 0 ? -scaled : scaled;
	floats whole = round_whole<mode>(spread(signed_scaled));
	uint16_t low = static_cast<uint16_t>(__builtin_fabsf(whole[0]));

	return bits_as<half>(static_cast<uint16_t>(low | (bits >> 31 << 15)));
}

template <RoundMode mode, typename D>
VNPU_ALWAYS_INLINE void narrow(D *d, floats value, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if constexpr (std::is_same<D, half>::value)
			d[i] = to_half<mode>(value[i]);
		else
			d[i] = to_bfloat16<mode>(value[i]);
	}
}

/* A whole float to an integer. */
template <typename D>
VNPU_ALWAYS_INLINE void store_integers(D *d, floats whole, uint32_t count)
{
	using limits = std::conditional_t<
		sizeof(D) == 8, int64_t,
		std::conditional_t<std::is_unsigned<D>::value, uint32_t, D>>;
	constexpr bool is_unsigned = std::is_unsigned<D>::value;
	constexpr float above = sizeof(limits) == 8 ? 9223372036854775808.0f :
		is_unsigned ? (sizeof(D) == 4 ? 4294967296.0f :
			       sizeof(D) == 2 ? 65536.0f : 256.0f) :
		sizeof(D) == 4 ? 2147483648.0f :
		sizeof(D) == 2 ? 32768.0f : 128.0f;
	constexpr float least = is_unsigned ? 0.0f : -above;
	constexpr D top = is_unsigned ? static_cast<D>(~D(0)) :
		static_cast<D>(static_cast<std::make_unsigned_t<D>>(~D(0)) >> 1);
	constexpr D bottom = is_unsigned ? D(0) : static_cast<D>(~top);

	if constexpr (sizeof(D) <= 4 && !(is_unsigned && sizeof(D) == 4)) {
		/* All within int32_t: eight at a time. */
		floats safe = select(whole < above,
				     select(whole >= least, whole,
					    spread(least)),
				     spread(0.0f));
		ints value = to_ints(safe);

		value = whole >= above ? ints{} + int32_t(top) : value;
		value = whole == whole ? value : ints{};
		typedef D packed
			__attribute__((vector_size(LANES * sizeof(D))));
		packed all = __builtin_convertvector(value, packed);

		__builtin_memcpy(d, &all, count * sizeof(D));
	} else {
		for (uint32_t i = 0; i < count; i++)
			d[i] = whole[i] >= above ? top :
				whole[i] < least ? bottom :
				whole[i] == whole[i] ?
				static_cast<D>(whole[i]) : D(0);
	}
}

template <typename D, typename S>
VNPU_ALWAYS_INLINE D saturate(S value)
{
	if constexpr (sizeof(D) < sizeof(S) ||
		      std::is_unsigned<D>::value !=
			      std::is_unsigned<S>::value) {
		constexpr bool is_unsigned = std::is_unsigned<D>::value;
		constexpr uint64_t top = is_unsigned ? uint64_t(D(~D(0))) :
			~0ULL >> (65 - 8 * sizeof(D));

		if (value > S(0) && uint64_t(value) > top)
			return static_cast<D>(top);
		if constexpr (!std::is_unsigned<S>::value) {
			int64_t bottom = is_unsigned ? 0 :
				-static_cast<int64_t>(top) - 1;

			if (value < bottom)
				return static_cast<D>(bottom);
		}
	}
	return static_cast<D>(value);
}

/* An integer to a float by a mode, where it has more digits than that. */
template <RoundMode mode, typename S>
VNPU_ALWAYS_INLINE float to_float(S value)
{
	float nearest = static_cast<float>(value);

	if constexpr (sizeof(S) < 4 || mode == RoundMode::CAST_NONE ||
		      mode == RoundMode::CAST_RINT) {
		return nearest;
	} else {
		/* Round the magnitude in integers, then convert exactly. */
		bool is_negative = value < S(0);
		uint64_t magnitude = is_negative ? 0 - uint64_t(value) :
			uint64_t(value);
		uint32_t width = magnitude ?
			64 - __builtin_clzll(magnitude) : 0;

		if (width <= 24)
			return nearest;
		uint64_t unit = 1ULL << (width - 24);
		uint64_t lost = magnitude & (unit - 1);
		bool is_up = mode == RoundMode::CAST_FLOOR ?
			lost && is_negative :
			mode == RoundMode::CAST_CEIL ? lost && !is_negative :
			mode == RoundMode::CAST_ROUND ? lost >= unit / 2 :
			mode == RoundMode::CAST_ODD ?
			lost && !(magnitude & unit) : false;
		float exact = static_cast<float>(magnitude - lost);

		if (is_up)
			exact += static_cast<float>(unit);
		return is_negative ? -exact : exact;
	}
}

/* One run by one mode. */
template <RoundMode mode, typename D, typename S>
VNPU_ALWAYS_INLINE void cast_run(D *d, const S *s, uint32_t count)
{
	constexpr bool is_nearest = mode == RoundMode::CAST_NONE ||
		mode == RoundMode::CAST_RINT;

	if constexpr (is_real<S>) {
		for (uint32_t i = 0; i < count; i += LANES) {
			uint32_t some = count - i < LANES ? count - i : LANES;
			floats value = some == LANES ? load(s + i) :
				load_some(s + i, some);

			if constexpr (!is_real<D>) {
				floats whole = round_whole<mode>(value);

				if (some == LANES)
					store_integers(d + i, whole, LANES);
				else
					store_integers(d + i, whole, some);
			} else {
				if constexpr (std::is_same<D, S>::value &&
					      mode != RoundMode::CAST_NONE)
					value = round_whole<mode>(value);
				if constexpr (sizeof(D) == 2 && !is_nearest &&
					      !std::is_same<D, S>::value)
					narrow<mode>(d + i, value, some);
				else if (some == LANES)
					store(d + i, value);
				else
					store_some(d + i, value, some);
			}
		}
	} else if constexpr (std::is_same<D, half>::value &&
			     std::is_same<S, int32_t>::value) {
		/* Accumulated integers are scaled on their way. */
		float scale = state()->dequant_scale;

		for (uint32_t i = 0; i < count; i++)
			d[i] = to_half<mode>(static_cast<float>(s[i]) * scale);
	} else if constexpr (is_real<D>) {
		for (uint32_t i = 0; i < count; i++) {
			float value = to_float<mode>(s[i]);

			if constexpr (std::is_same<D, half>::value)
				d[i] = to_half<mode>(value);
			else if constexpr (std::is_same<D, bfloat16_t>::value)
				d[i] = to_bfloat16<mode>(value);
			else
				d[i] = value;
		}
	} else {
		VNPU_INDEPENDENT
		for (uint32_t i = 0; i < count; i++)
			d[i] = saturate<D>(s[i]);
	}
}

template <RoundMode mode>
struct cast_by {
	template <typename D, typename S>
	VNPU_ALWAYS_INLINE void operator()(D *d, const S *s,
					   uint32_t count) const
	{
		cast_run<mode>(d, s, count);
	}
};

/* The mode is a constant almost always, so one of these is left. */
template <typename D, typename S, typename... How>
VNPU_ALWAYS_INLINE void cast(RoundMode mode,
			     const AscendC::LocalTensor<D> &dst,
			     const AscendC::LocalTensor<S> &src,
			     const How &...how)
{
#define VNPU_CAST(name) \
	case RoundMode::name: \
		return unary("Cast", dst, src, how..., \
			     cast_by<RoundMode::name>())

	switch (mode) {
	VNPU_CAST(CAST_NONE);
	VNPU_CAST(CAST_RINT);
	VNPU_CAST(CAST_FLOOR);
	VNPU_CAST(CAST_CEIL);
	VNPU_CAST(CAST_ROUND);
	VNPU_CAST(CAST_TRUNC);
	VNPU_CAST(CAST_ODD);
	}
#undef VNPU_CAST
}

} /* namespace vnpu */

namespace AscendC {

template <typename T, typename U>
VNPU_ALWAYS_INLINE void Cast(const LocalTensor<T> &dst,
			     const LocalTensor<U> &src, const RoundMode &mode,
			     const uint32_t count)
{
	vnpu::cast(mode, dst, src, count);
}

template <typename T, typename U, bool isSetMask = true>
VNPU_ALWAYS_INLINE void
Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
     const RoundMode &mode, const uint64_t mask[], const uint8_t repeatTime,
     const UnaryRepeatParams &params)
{
	vnpu::cast(mode, dst, src,
		   vnpu::make_mask<isSetMask>(mask,
			   vnpu::repeat_elements<T, U>()),
		   uint32_t(repeatTime), params);
}

template <typename T, typename U, bool isSetMask = true>
VNPU_ALWAYS_INLINE void
Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
     const RoundMode &mode, const uint64_t mask, const uint8_t repeatTime,
     const UnaryRepeatParams &params)
{
	vnpu::cast(mode, dst, src, vnpu::make_mask<isSetMask>(mask, 0),
		   uint32_t(repeatTime), params);
}

inline void SetDeqScale(half scale)
{
	vnpu::state()->dequant_scale = static_cast<float>(scale);
}

inline void SetDeqScale(float scale, int16_t, bool)
{
	vnpu::state()->dequant_scale = scale;
}

/* One number, by scalar code. */
template <typename T, typename U, RoundMode mode>
inline U ScalarCast(T value)
{
	T from[vnpu::LANES] = { value };
	U to[vnpu::LANES];

	vnpu::cast_run<mode>(to, from, 1);
	return to[0];
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_CAST_H */
