/* SPDX-License-Identifier: MIT */
/*
 * A product of matrices in memory, for the class Matmul: views of matrices in
 * any of their layouts, and the loops over panels.
 */
#ifndef ASCENDC_VNPU_PRODUCT_H
#define ASCENDC_VNPU_PRODUCT_H

#include "fixpipe.h"
#include "gemm.h"
#include "matmul_types.h"

namespace vnpu {

/* A matrix of @rows times @columns as it lies in memory. */
template <typename T>
struct matrix {
	const T *at = nullptr;
	uint32_t rows = 0;
	uint32_t columns = 0;
	bool is_nz = false;
	bool is_turned = false;		/* columns and rows are exchanged */
	bool is_scalar = false;		/* all numbers are the first one */

	/* Rows of a column of fractals. */
	VNPU_ALWAYS_INLINE uint64_t nz_rows() const
	{
		return round_up(rows, FRACTAL_ROWS);
	}

	VNPU_ALWAYS_INLINE uint64_t index(uint32_t row, uint32_t column) const
	{
		constexpr uint32_t c0 = fractal_columns<T>;

		if (is_scalar)
			return 0;
		if (is_turned) {
			uint32_t other = row;

			row = column;
			column = other;
		}
		return is_nz ? column / c0 * nz_rows() * c0 +
			uint64_t(row) * c0 + column % c0 :
			uint64_t(row) * columns + column;
	}

	/* Numbers of one row from @column on that are next to each other. */
	VNPU_ALWAYS_INLINE uint32_t run(uint32_t column) const
	{
		if (is_turned || is_scalar)
			return 1;
		return is_nz ? fractal_columns<T> -
			column % fractal_columns<T> : columns - column;
	}

	/* The part of @count_rows times @count_columns is read. */
	void check_read(uint32_t count_rows, uint32_t count_columns) const
	{
		constexpr uint32_t c0 = fractal_columns<T>;
		uint32_t down = is_turned ? count_columns : count_rows;
		uint32_t across = is_turned ? count_rows : count_columns;

		if (!is_nz)
			check_access_rows(at, down, across * sizeof(T),
					  columns * sizeof(T), VNPU_GM_READ);
		for (uint32_t i = 0; is_nz && i < across; i += c0)
			check_access_rows(at + i * nz_rows(), down,
					  (across - i < c0 ? across - i : c0) *
					  sizeof(T), c0 * sizeof(T),
					  VNPU_GM_READ);
	}
};

/* Rows of the left matrix, widened. */
template <typename T>
VNPU_ALWAYS_INLINE void product_left(gemm_number<T> *to, const matrix<T> &a,
				     uint32_t row, uint32_t rows, uint32_t k,
				     uint32_t depth)
{
	if (a.is_turned && !a.is_nz && !a.is_scalar) {
		for (uint32_t i = 0; i < depth; i++) {
			const T *from = a.at + a.index(row, k + i);

			for (uint32_t r = 0; r < rows; r++)
				to[r * PANEL_DEPTH + i] =
					static_cast<gemm_number<T>>(from[r]);
		}
		return;
	}
	for (uint32_t r = 0; r < rows; r++)
		for (uint32_t i = 0; i < depth;) {
			uint32_t some = a.run(k + i);

			some = some < depth - i ? some : depth - i;
			gemm_widen(to + r * PANEL_DEPTH + i,
				   a.at + a.index(row + r, k + i), some);
			i += some;
		}
}

/* Columns of the right matrix; those behind @columns are zero. */
template <typename T>
VNPU_ALWAYS_INLINE void product_right(gemm_number<T> *to, const matrix<T> &b,
				      uint32_t k, uint32_t depth,
				      uint32_t column, uint32_t columns)
{
	using N = gemm_number<T>;

	if (b.is_turned && !b.is_nz && !b.is_scalar) {
		gemm_turn(to, b.at + b.index(k, column), b.columns, columns,
			  depth);
		return;
	}
	for (uint32_t i = 0; i < depth; i++) {
		N *row = to + i * PANEL;
		uint32_t j = 0;

		while (j < columns) {
			uint32_t some = b.run(column + j);

			some = some < columns - j ? some : columns - j;
			gemm_widen(row + j, b.at + b.index(k + i, column + j),
				   some);
			j += some;
		}
		for (; j < PANEL; j++)
			row[j] = 0;
	}
}

/* The part of a product that is computed, and where its sums begin. */
template <typename N>
struct part {
	uint32_t row, rows;
	uint32_t column, columns;
	uint32_t k, depth;
	const N *bias;			/* for @column, or NULL */
	bool is_hf32;
};

VNPU_ALWAYS_INLINE void round_hf32(float *numbers, uint32_t count,
				   bool is_hf32)
{
	if (__builtin_expect(is_hf32, 0))
		for (uint32_t i = 0; i < count; i++)
			numbers[i] = to_hf32(numbers[i], false);
}

VNPU_ALWAYS_INLINE void round_hf32(int32_t *, uint32_t, bool)
{
}

/* Rows: their sums are kept while a column of panels is read. */
constexpr uint32_t PRODUCT_ROWS = 4 * PANEL_ROWS;

/* One column of panels: rows from @row of the part, columns from @column. */
template <typename A, typename B, typename N, typename Write>
VNPU_ALWAYS_INLINE void product_tile(const matrix<A> &a, const matrix<B> &b,
				     const part<N> &p, uint32_t row,
				     uint32_t rows, uint32_t column,
				     uint32_t columns, Write write)
{
	alignas(32) N left[PANEL_ROWS * PANEL_DEPTH];
	alignas(32) N right[PANEL_DEPTH * PANEL];
	alignas(32) N sum[PRODUCT_ROWS * PANEL];

	for (uint32_t i = 0; i < rows * PANEL; i++)
		sum[i] = p.bias && i % PANEL < columns ?
			p.bias[column + i % PANEL] : N(0);
	for (uint32_t k = 0; k < p.depth; k += PANEL_DEPTH) {
		uint32_t depth = p.depth - k < PANEL_DEPTH ? p.depth - k :
			PANEL_DEPTH;

		product_right(right, b, p.k + k, depth, p.column + column,
			      columns);
		round_hf32(right, depth * PANEL, p.is_hf32);
		for (uint32_t r = 0; r < rows; r += PANEL_ROWS) {
			uint32_t some = rows - r < PANEL_ROWS ? rows - r :
				PANEL_ROWS;

			product_left(left, a, p.row + row + r, some, p.k + k,
				     depth);
			for (uint32_t n = 0; n < some; n++)
				round_hf32(left + n * PANEL_DEPTH, depth,
					   p.is_hf32);
			gemm_panel<is_exact_product<A, B>>(
				left, right, sum + r * PANEL, some, depth);
		}
	}
	for (uint32_t r = 0; r < rows; r++)
		write(row + r, column, sum + r * PANEL, columns);
}

/**
 * product() - multiply, and hand out rows of at most PANEL numbers
 * @a: the left matrix
 * @b: the right matrix
 * @p: the part of their product
 * @write: called with row and column of the part, numbers and their count
 */
template <typename A, typename B, typename N, typename Write>
VNPU_NOINLINE void product(const matrix<A> &a, const matrix<B> &b,
			   const part<N> &p, Write write)
{
	for (uint32_t r = 0; r < p.rows; r += PRODUCT_ROWS)
		for (uint32_t c = 0; c < p.columns; c += PANEL)
			product_tile(a, b, p, r, p.rows - r < PRODUCT_ROWS ?
				     p.rows - r : PRODUCT_ROWS, c,
				     p.columns - c < PANEL ? p.columns - c :
				     PANEL, write);
}

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_PRODUCT_H */
