/* SPDX-License-Identifier: MIT */
/*
 * The instruction of cube cores: L0C (+)= L0A * L0B.
 */
#ifndef ASCENDC_VNPU_MMAD_H
#define ASCENDC_VNPU_MMAD_H

#include "gemm.h"
#include "load.h"

namespace vnpu {

/* Where a sum begins. */
enum class mmad_begin { zero, result, bias };

template <typename A>
VNPU_ALWAYS_INLINE void round_inputs(gemm_number<A> *numbers, uint32_t count)
{
	if constexpr (std::is_same<A, float>::value) {
		const struct cube_state *s = &state()->cube;

		if (__builtin_expect(s->is_hf32, 0))
			for (uint32_t i = 0; i < count; i++)
				numbers[i] = to_hf32(numbers[i],
						     s->is_hf32_away);
	}
}

/* A part of 16 columns of B, ZN in memory. */
template <typename B>
VNPU_ALWAYS_INLINE void pack_right(gemm_number<B> *to, const B *from,
				   uint32_t k, uint32_t depth, uint32_t column,
				   uint32_t blocks)
{
	constexpr uint32_t c0 = fractal_columns<B>;

	for (uint32_t i = 0; i < depth; i += c0)
		gemm_turn(to + i * PANEL, from +
			  (uint64_t((k + i) / c0) * blocks + column) *
			  fractal_size<B>, c0, PANEL,
			  depth - i < c0 ? depth - i : c0);
	round_inputs<B>(to, depth * PANEL);
}

/* A part of 16 rows of A, ZZ in memory, or plain rows for a single one. */
template <typename A>
VNPU_ALWAYS_INLINE void pack_left(gemm_number<A> *to, const A *from,
				  uint32_t k, uint32_t depth, uint32_t row,
				  uint32_t rows, uint32_t blocks,
				  bool is_vector)
{
	constexpr uint32_t c0 = fractal_columns<A>;

	if (is_vector) {
		gemm_widen(to, from + k, depth);
	} else {
		for (uint32_t r = 0; r < rows; r++)
			for (uint32_t i = 0; i < depth; i += c0)
				gemm_widen(to + r * PANEL_DEPTH + i, from +
					   (uint64_t(row) * blocks +
					    (k + i) / c0) * fractal_size<A> +
					   r * c0, depth - i < c0 ?
					   depth - i : c0);
	}
	for (uint32_t r = 0; r < rows; r++)
		round_inputs<A>(to + r * PANEL_DEPTH, depth);
}

template <typename D, typename N>
VNPU_ALWAYS_INLINE void narrow_result(D *to, const N *from, uint32_t count)
{
	if constexpr (is_real<D>)
		for (uint32_t i = 0; i < count; i += LANES)
			store(to + i, load(from + i));
	else
		for (uint32_t i = 0; i < count; i++)
			to[i] = static_cast<D>(from[i]);
}

template <typename D, typename A, typename B>
VNPU_NOINLINE void mmad(D *c, const A *a, const B *b, const D *bias,
			uint32_t m, uint32_t n, uint32_t k, mmad_begin begin)
{
	using N = gemm_number<A>;
	uint32_t row_blocks = (m + 15) / 16, column_blocks = (n + 15) / 16;
	uint32_t depth_blocks = (k + fractal_columns<A> - 1) /
		fractal_columns<A>;
	bool is_vector = m == 1;
	alignas(32) N left[PANEL_ROWS * PANEL_DEPTH];
	alignas(32) N right[PANEL_DEPTH * PANEL];
	alignas(32) N sum[PANEL_ROWS * PANEL];

	for (uint32_t at = 0; at < k; at += PANEL_DEPTH) {
		uint32_t depth = k - at < PANEL_DEPTH ? k - at : PANEL_DEPTH;

		for (uint32_t j = 0; j < column_blocks; j++) {
			pack_right(right, b, at, depth, j, column_blocks);
			for (uint32_t i = 0; i < row_blocks; i++) {
				uint32_t rows = m - i * 16 < 16 ? m - i * 16 :
					16;
				D *to = c + (uint64_t(j) * row_blocks + i) *
					256;

				for (uint32_t r = 0; r < rows; r++) {
					N *row = sum + r * PANEL;

					if (at || begin == mmad_begin::result)
						gemm_widen(row, to + r * PANEL,
							   PANEL);
					else if (begin == mmad_begin::bias)
						gemm_widen(row, bias + j *
							   PANEL, PANEL);
					else
						__builtin_memset(row, 0, PANEL *
							sizeof(*row));
				}
				pack_left(left, a, at, depth, i, rows,
					  depth_blocks, is_vector);
				gemm_panel<is_exact_product<A, B>>(left, right,
								   sum, rows,
								   depth);
				narrow_result(to, sum, rows * PANEL);
			}
		}
	}
}

/* For the checkers: an operand. */
VNPU_ALWAYS_INLINE void mmad_part(const char *operand, bool is_write,
				  const AscendC::LocalTensorBase &tensor,
				  uint64_t bytes, uint32_t unit)
{
	check_part("Mmad", operand, CHECK_M, is_write, tensor.address_, bytes,
		   tensor.position_, unit);
}

VNPU_ALWAYS_INLINE mmad_begin mmad_begin_of(const AscendC::MmadParams &p)
{
	return p.isBias || !p.cmatrixInitVal ? mmad_begin::result :
		mmad_begin::zero;
}

template <typename D, typename A, typename B>
inline void mmad_check(const AscendC::LocalTensor<D> &dst,
		       const AscendC::LocalTensor<A> &a,
		       const AscendC::LocalTensor<B> &b,
		       const AscendC::MmadParams &p, mmad_begin begin)
{
	uint64_t m = round_up(p.m, 16), n = round_up(p.n, 16);
	uint64_t k = round_up(p.k, fractal_columns<A>);
	uint64_t left = (p.m == 1 ? p.k : m * k) * sizeof(A);

	static_assert(std::is_same<gemm_number<A>, gemm_number<B>>::value &&
		      std::is_same<gemm_number<A>, gemm_number<D>>::value,
		      "Mmad multiplies real numbers to real numbers, and int8_t to int32_t");
	/* For vnpu-cc, which compiles the source for cube cores. */
	__asm__ volatile("#vnpu-needs cube");
	if (!p.m || !p.n || !p.k)
		fault(VNPU_FAULT_ARGUMENT,
		      "Mmad: m of %u, n of %u or k of %u is 0", p.m, p.n, p.k);
	check_fractals("Mmad", "dst", dst, m * n * sizeof(D), VNPU_LOCAL_L0C,
		       VNPU_LOCAL_L0C, "CO1", 64);
	check_fractals("Mmad", "fm", a, left, VNPU_LOCAL_L0A, VNPU_LOCAL_L0A,
		       "A2", FRACTAL_BYTES);
	check_fractals("Mmad", "filter", b, n * k * sizeof(B), VNPU_LOCAL_L0B,
		       VNPU_LOCAL_L0B, "B2", FRACTAL_BYTES);

	check_unit_flag(CHECK_M, CHECK_FIX, p.unitFlag);
	mmad_part("fm", false, a, left, FRACTAL_BYTES);
	mmad_part("filter", false, b, n * k * sizeof(B), FRACTAL_BYTES);
	if (begin == mmad_begin::result)
		mmad_part("dst", false, dst, m * n * sizeof(D),
			  256 * sizeof(D));
	mmad_part("dst", true, dst, m * n * sizeof(D), 0);
}

template <typename D, typename A, typename B>
VNPU_ALWAYS_INLINE void mmad_issue(D *c, const A *a, const B *b, const D *bias,
				   const AscendC::MmadParams &p,
				   mmad_begin begin)
{
	late_issue(CHECK_M, [=, m = p.m, n = p.n, k = p.k] {
		mmad<D, A, B>(c, a, b, bias, m, n, k, begin);
	});
}

} /* namespace vnpu */

namespace AscendC {

template <typename T, typename U, typename S>
inline void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm,
		 const LocalTensor<S> &filter, const MmadParams &params)
{
	const vnpu::mmad_begin begin = vnpu::mmad_begin_of(params);

	vnpu::mmad_check(dst, fm, filter, params, begin);
	vnpu::mmad_issue<T, U, S>(dst.data(), fm.data(), filter.data(), nullptr,
				  params, begin);
}

/* ... where each row begins with the bias. */
template <typename T, typename U, typename S>
inline void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm,
		 const LocalTensor<S> &filter, const LocalTensor<T> &bias,
		 const MmadParams &params)
{
	const uint64_t bytes = vnpu::round_up(params.n, 16) * sizeof(T);

	vnpu::mmad_check(dst, fm, filter, params, vnpu::mmad_begin::bias);
	vnpu::check_fractals("Mmad", "bias", bias, bytes, VNPU_LOCAL_BT,
			     VNPU_LOCAL_BT, "C2", 32);
	vnpu::mmad_part("bias", false, bias, bytes, 64);
	vnpu::mmad_issue<T, U, S>(dst.data(), fm.data(), filter.data(),
				  bias.data(), params, vnpu::mmad_begin::bias);
}

/* Floats are rounded to 11 bits before Mmad multiplies them. */
inline void SetHF32Mode(bool hf32Mode)
{
	vnpu::late_drain(vnpu::CHECK_M);
	vnpu::state()->cube.is_hf32 = hf32Mode;
}

inline void SetHF32TransMode(bool hf32TransMode)
{
	vnpu::late_drain(vnpu::CHECK_M);
	vnpu::state()->cube.is_hf32_away = hf32TransMode;
}

/* The order of a card's work, which changes no result. */
inline void SetMMLayoutTransform(bool)
{
}

inline void SetMMRowMajor()
{
}

inline void SetMMColumnMajor()
{
}

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_MMAD_H */
