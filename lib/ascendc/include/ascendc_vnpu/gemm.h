/* SPDX-License-Identifier: MIT */
/*
 * Products of matrices: panels of 16 columns, packed so that a row of them is two
 * vectors of eight.  The instruction Mmad and the class Matmul share this file.
 *
 * Products of two half or bfloat16 numbers are exact in float, so a fused
 * multiply-add gives the same bits as two instructions.  Products of floats are
 * rounded first, on every processor.  Each sum takes k in increasing order.
 */
#ifndef ASCENDC_VNPU_GEMM_H
#define ASCENDC_VNPU_GEMM_H

#include "lanes.h"

namespace vnpu {

/* Columns of a panel, and the most rows and depth that are packed at a time. */
constexpr uint32_t PANEL = 16;
constexpr uint32_t PANEL_ROWS = 16;
constexpr uint32_t PANEL_DEPTH = 256;

/* The type in which numbers of type T are multiplied. */
template <typename T>
using gemm_number = std::conditional_t<is_real<T>, float, int32_t>;

template <typename N>
using gemm_vector = std::conditional_t<std::is_same<N, float>::value, floats,
				       ints>;

template <typename A, typename B>
constexpr bool is_exact_product = !std::is_same<A, float>::value &&
	!std::is_same<B, float>::value;

template <bool is_exact, typename N>
VNPU_ALWAYS_INLINE gemm_vector<N> gemm_step(gemm_vector<N> a,
					    gemm_vector<N> b,
					    gemm_vector<N> sum)
{
#if defined(__FMA__) && defined(VNPU_HAS_F16C)
	if constexpr (is_exact && std::is_same<N, float>::value)
		return bits_as<floats>(_mm256_fmadd_ps(bits_as<__m256>(a),
						       bits_as<__m256>(b),
						       bits_as<__m256>(sum)));
#endif
	return sum + a * b;
}

template <typename N>
VNPU_ALWAYS_INLINE gemm_vector<N> gemm_spread(N x)
{
	return gemm_vector<N>{ x, x, x, x, x, x, x, x };
}

/* @rows rows of a panel, which stay in registers: c += a * b. */
template <uint32_t rows, bool is_exact, typename N>
VNPU_ALWAYS_INLINE void gemm_rows(const N *a, const N *b, N *c, uint32_t depth)
{
	using V = gemm_vector<N>;
	V sum[rows][2];

	for (uint32_t r = 0; r < rows; r++)
		__builtin_memcpy(sum[r], c + r * PANEL, sizeof(sum[r]));
	for (uint32_t k = 0; k < depth; k++) {
		V row[2];

		__builtin_memcpy(row, b + k * PANEL, sizeof(row));
		for (uint32_t r = 0; r < rows; r++) {
			V x = gemm_spread<N>(a[r * PANEL_DEPTH + k]);

			sum[r][0] = gemm_step<is_exact, N>(x, row[0],
							   sum[r][0]);
			sum[r][1] = gemm_step<is_exact, N>(x, row[1],
							   sum[r][1]);
		}
	}
	for (uint32_t r = 0; r < rows; r++)
		__builtin_memcpy(c + r * PANEL, sum[r], sizeof(sum[r]));
}

/**
 * gemm_panel() - add a product to a panel
 * @a: PANEL_DEPTH numbers for each row
 * @b: PANEL numbers for each k
 * @c: PANEL numbers for each row
 * @rows: at most PANEL_ROWS
 * @depth: at most PANEL_DEPTH
 */
template <bool is_exact, typename N>
VNPU_NOINLINE void gemm_panel(const N *a, const N *b, N *c, uint32_t rows,
			      uint32_t depth)
{
	uint32_t r = 0;

	for (; r + 6 <= rows; r += 6)
		gemm_rows<6, is_exact>(a + r * PANEL_DEPTH, b, c + r * PANEL,
				       depth);
	for (; r + 2 <= rows; r += 2)
		gemm_rows<2, is_exact>(a + r * PANEL_DEPTH, b, c + r * PANEL,
				       depth);
	if (r < rows)
		gemm_rows<1, is_exact>(a + r * PANEL_DEPTH, b, c + r * PANEL,
				       depth);
}

/* @count numbers in a row, widened. */
template <typename T, typename N>
VNPU_ALWAYS_INLINE void gemm_widen(N *to, const T *from, uint32_t count)
{
	uint32_t i = 0;

	if constexpr (is_real<T>)
		for (; i + LANES <= count; i += LANES)
			store(to + i, load(from + i));
	for (; i < count; i++)
		to[i] = static_cast<N>(from[i]);
}

/* Transpose eight vectors of eight. */
VNPU_ALWAYS_INLINE void transpose8(floats v[8])
{
	floats t[8], u[8];

	for (uint32_t i = 0; i < 8; i += 2) {
		t[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 2, 10, 4,
					       12, 6, 14);
		t[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 1, 9, 3, 11,
						   5, 13, 7, 15);
	}
	for (uint32_t i = 0; i < 8; i += 4)
		for (uint32_t n = 0; n < 2; n++) {
			u[i + n] = __builtin_shufflevector(
				t[i + n], t[i + n + 2], 0, 1, 8, 9, 4, 5, 12,
				13);
			u[i + n + 2] = __builtin_shufflevector(
				t[i + n], t[i + n + 2], 2, 3, 10, 11, 6, 7, 14,
				15);
		}
	for (uint32_t i = 0; i < 4; i++) {
		v[i] = __builtin_shufflevector(u[i], u[i + 4], 0, 1, 2, 3, 8,
					       9, 10, 11);
		v[i + 4] = __builtin_shufflevector(u[i], u[i + 4], 4, 5, 6, 7,
						   12, 13, 14, 15);
	}
}

/*
 * @depth numbers of each of @columns columns, where a column is @step numbers
 * behind the one before it: they become rows of a panel.
 */
template <typename T, typename N>
VNPU_ALWAYS_INLINE void gemm_turn(N *to, const T *from, uint64_t step,
				  uint32_t columns, uint32_t depth)
{
	uint32_t done = 0;

	if constexpr (is_real<T>)
		if (columns == PANEL)
			for (; done + LANES <= depth; done += LANES)
				for (uint32_t j = 0; j < PANEL; j += LANES) {
					floats v[8];

					for (uint32_t i = 0; i < 8; i++)
						v[i] = load(from + (j + i) *
							    step + done);
					transpose8(v);
					for (uint32_t i = 0; i < 8; i++)
						store(to + (done + i) * PANEL +
						      j, v[i]);
				}
	for (uint32_t k = done; k < depth; k++)
		for (uint32_t j = 0; j < PANEL; j++)
			to[k * PANEL + j] = j < columns ?
				static_cast<N>(from[j * step + k]) : N(0);
}

/*
 * HF32: floats of 11 bits, which Mmad may be set to compute with.  Ties go to
 * the even number, or with @is_away away from zero.
 */
VNPU_ALWAYS_INLINE float to_hf32(float value, bool is_away)
{
	uint32_t bits = bits_as<uint32_t>(value);

	if ((bits & 0x7f800000) != 0x7f800000)
		bits += is_away ? 0x800 : 0x7ff + (bits >> 12 & 1);
	return bits_as<float>(bits & 0xfffff000);
}

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_GEMM_H */
