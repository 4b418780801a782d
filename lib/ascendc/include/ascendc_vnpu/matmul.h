/* SPDX-License-Identifier: MIT */
/*
 * The class Matmul: C = A * B + bias, with matrices in device memory or in the
 * core's.  matmul_object.h registers its objects.
 */
#ifndef ASCENDC_VNPU_MATMUL_H
#define ASCENDC_VNPU_MATMUL_H

#include "matmul_blocks.h"
#include "pipe.h"
#include "product.h"

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
	  const auto &MM_CFG = CFG_NORM, class MM_CB = MatmulCallBackFunc<>,
	  class... POLICY>
class MatmulImpl : public vnpu::matmul_blocks {
	using A = typename A_TYPE::T;
	using B = typename B_TYPE::T;
	using C = typename C_TYPE::T;
	using Bias = typename BIAS_TYPE::T;
	using N = vnpu::gemm_number<A>;
	using place = vnpu::place;

public:
	using AType = A_TYPE;
	using BType = B_TYPE;
	using CType = C_TYPE;
	using BiasType = BIAS_TYPE;

	void Init(const TCubeTiling *tiling, TPipe * = nullptr)
	{
		if (!tiling)
			return;
		take(*tiling);
	}

	void SetTensorA(const GlobalTensor<A> &gm, bool isTransposeA = false)
	{
		check_a_ = gm;
		is_a_global_ = true;
		set_left(gm.address_, isTransposeA);
	}

	void SetTensorA(const LocalTensor<A> &local, bool isTransposeA = false)
	{
		is_a_global_ = false;
		position_a_ = local.position_;
		set_left(local.data(), isTransposeA);
	}

	void SetTensorA(A scalar)
	{
		is_a_global_ = false;
		scalar_a_ = scalar;
		set_left(&scalar_a_, false);
		a_.is_scalar = true;
	}

	void SetTensorB(const GlobalTensor<B> &gm, bool isTransposeB = false)
	{
		check_b_ = gm;
		is_b_global_ = true;
		set_right(gm.address_, isTransposeB);
	}

	void SetTensorB(const LocalTensor<B> &local, bool isTransposeB = false)
	{
		is_b_global_ = false;
		position_b_ = local.position_;
		set_right(local.data(), isTransposeB);
	}

	void SetTensorB(B scalar)
	{
		is_b_global_ = false;
		scalar_b_ = scalar;
		set_right(&scalar_b_, false);
		b_.is_scalar = true;
	}

	/* A number for each column. */
	void SetBias(const GlobalTensor<Bias> &gm)
	{
		bias_ = gm.address_;
		is_bias_global_ = true;
		restart();
	}

	void SetBias(const LocalTensor<Bias> &local)
	{
		bias_ = local.data();
		is_bias_global_ = false;
		restart();
	}

	void DisableBias()
	{
		bias_ = nullptr;
	}

	void ClearBias()
	{
		bias_ = nullptr;
	}

	/* Scales of the result, as Fixpipe has them. */
	void SetQuantScalar(const uint64_t scalar)
	{
		scale_ = scalar;
		scales_ = nullptr;
		is_scaled_ = true;
	}

	void SetQuantVector(const GlobalTensor<uint64_t> &scales)
	{
		scales_ = scales.address_;
		is_scaled_ = true;
	}

	void SetQuantVector(const LocalTensor<uint64_t> &scales)
	{
		scales_ = scales.data();
		is_scaled_ = true;
	}

	void SetHF32(bool enableHF32 = false, int32_t = 0)
	{
		is_hf32_ = enableHF32;
	}

	/* The next base block, until there is none. */
	template <bool sync = true>
	bool Iterate(bool enPartialSum = false)
	{
		if (enPartialSum)
			vnpu::fault(VNPU_FAULT_ARGUMENT,
				    "Matmul: Iterate() with partial sums needs blocks that stay in L0C");
		check_ready();
		return next();
	}

	/* That block, to its place in C, or one row behind the other. */
	template <bool sync = true>
	void GetTensorC(const GlobalTensor<C> &gm, uint8_t enAtomic = 0,
			bool enSequentialWrite = false)
	{
		place at = place_of(block_);

		if (enSequentialWrite)
			write_global(gm, at, 0, 0, at.columns, enAtomic);
		else
			write_global(gm, at, at.row, at.column,
				     c_columns(), enAtomic);
	}

	template <bool sync = true>
	void GetTensorC(const LocalTensor<C> &local, uint8_t = 0,
			bool enSequentialWrite = false)
	{
		place at = place_of(block_);

		(void)enSequentialWrite;
		write_local(local, at, AlignUp<uint32_t>(
			at.columns, 32 / sizeof(C)));
	}

	template <bool sync = true>
	void GetTensorC(const GlobalTensor<C> &gm, const LocalTensor<C> &local,
			uint8_t enAtomic = 0, bool enSequentialWrite = false)
	{
		GetTensorC(gm, enAtomic, enSequentialWrite);
		GetTensorC(local, enAtomic, enSequentialWrite);
	}

	/* All of it. */
	template <bool sync = true>
	void IterateAll(const GlobalTensor<C> &gm, uint8_t enAtomic = 0,
			bool enSequentialWrite = false, bool = false,
			bool = false)
	{
		check_ready();
		if (enSequentialWrite) {
			uint64_t to = 0;

			for (int64_t i = 0; i < blocks(); i++) {
				place at = place_of(i);

				write_global(gm[to], at, 0, 0, at.columns,
					     enAtomic);
				to += uint64_t(at.rows) * at.columns;
			}
			return;
		}
		write_global(gm, { 0, single_m_, 0, single_n_ }, 0, 0,
			     c_columns(), enAtomic);
	}

	template <bool sync = true>
	void IterateAll(const LocalTensor<C> &local, uint8_t = 0)
	{
		check_ready();
		write_local(local, { 0, single_m_, 0, single_n_ },
			    AlignUp<uint32_t>(single_n_, 32 / sizeof(C)));
	}

	/*
	 * A product for each pair of matrices, which lie one behind the other or
	 * at a distance in numbers.  One of both sides may be the same for all.
	 */
	template <bool sync = true, bool waitIterateBatch = false>
	void IterateBatch(const GlobalTensor<C> &gm, uint32_t batchA,
			  uint32_t batchB, bool enSequentialWrite,
			  const uint32_t matrixStrideA = 0,
			  const uint32_t matrixStrideB = 0,
			  const uint32_t matrixStrideC = 0)
	{
		const uint32_t count = batchA > batchB ? batchA : batchB;
		const uint64_t step_a = batchA == 1 ? 0 : matrixStrideA ?
			matrixStrideA : uint64_t(org_m_) * org_ka_;
		const uint64_t step_b = batchB == 1 ? 0 : matrixStrideB ?
			matrixStrideB : uint64_t(org_kb_) * org_n_;
		const uint64_t step_c = matrixStrideC ? matrixStrideC :
			uint64_t(org_m_) * org_n_;
		const MatmulImpl first = *this;

		static_assert(is_batch<A_TYPE> && is_batch<B_TYPE>,
			      "batches of the layout NORMAL");
		if ((batchA != count && batchA != 1) ||
		    (batchB != count && batchB != 1))
			vnpu::fault(VNPU_FAULT_ARGUMENT,
				    "Matmul: batches of %u and %u matrices",
				    batchA, batchB);
		for (uint32_t i = 0; i < count; i++) {
			a_.at = first.a_.at + i * step_a;
			b_.at = first.b_.at + i * step_b;
			check_a_ = first.check_a_[i * step_a];
			check_b_ = first.check_b_[i * step_b];
			if (first.bias_ && MM_CFG.isBiasBatch)
				bias_ = first.bias_ + uint64_t(i) * org_n_;
			IterateAll(gm[i * step_c], 0, enSequentialWrite);
		}
		*this = first;
	}

	void WaitIterateBatch()
	{
	}

	void WaitIterateAll()
	{
	}

	void WaitGetTensorC()
	{
	}

	void End()
	{
		restart();
	}

	/* Settings that only a card needs. */
	template <typename T>
	void SetWorkspace(const GlobalTensor<T> &)
	{
	}

	template <typename T>
	void SetWorkspace(__gm__ const T *, int)
	{
	}

	void SetLocalWorkspace(const LocalTensor<uint8_t> &)
	{
	}

	void SetSubBlockIdx(uint8_t)
	{
	}

	void SetUserDefInfo(const uint64_t)
	{
	}

	template <typename T>
	void SetSelfDefineData(const T)
	{
	}

private:
	template <typename Type>
	static constexpr bool is_batch = Type::layout == LayoutMode::NONE ||
		Type::layout == LayoutMode::NORMAL;

	void set_left(const A *at, bool is_turned)
	{
		a_ = {};
		a_.at = at;
		a_.is_turned = is_turned;
		a_.is_nz = A_TYPE::format == CubeFormat::NZ;
		restart();
	}

	void set_right(const B *at, bool is_turned)
	{
		b_ = {};
		b_.at = at;
		b_.is_turned = is_turned;
		b_.is_nz = B_TYPE::format == CubeFormat::NZ;
		restart();
	}

	void check_ready()
	{
		if (!a_.at || !b_.at)
			vnpu::fault(VNPU_FAULT_ARGUMENT,
				    "Matmul: SetTensor%c() was not called",
				    a_.at ? 'B' : 'A');
		check_shapes();
		a_.rows = a_.is_turned ? org_ka_ : org_m_;
		a_.columns = a_.is_turned ? org_m_ : org_ka_;
		b_.rows = b_.is_turned ? org_n_ : org_kb_;
		b_.columns = b_.is_turned ? org_kb_ : org_n_;
		check_operand(a_, is_a_global_ ? &check_a_ : nullptr,
			      position_a_, "A", single_m_, single_k_);
		check_operand(b_, is_b_global_ ? &check_b_ : nullptr,
			      position_b_, "B", single_k_, single_n_);
	}

	/* Up to the last number of the part that is multiplied. */
	template <typename T>
	static void check_operand(const vnpu::matrix<T> &from,
				  const GlobalTensor<T> *global,
				  TPosition position, const char *name,
				  uint32_t rows, uint32_t columns)
	{
		uint64_t bytes = (from.index(rows - 1, columns - 1) + 1) *
			sizeof(T);

		if (global) {
			global->check("Matmul", bytes);
			from.check_read(rows, columns);
		} else if (!from.is_scalar) {
			vnpu::check_range("Matmul", name, from.at, bytes,
					  position);
			if (vnpu::local_of(position) == VNPU_LOCAL_L1)
				vnpu::check_part("Matmul", name,
						 vnpu::CHECK_MTE1, false,
						 from.at, bytes, position, 0);
		}
	}

	/* Numbers from row to row of C. */
	uint32_t c_columns() const
	{
		uint32_t n = org_kc_ ? org_kc_ : org_n_;

		return C_TYPE::format == CubeFormat::ND_ALIGN ?
			AlignUp<uint32_t>(n, 32 / sizeof(C)) : n;
	}

	QuantMode_t mode() const
	{
		if (!is_scaled_)
			return NoQuant;
		if (sizeof(C) == 1)
			return std::is_same<N, int32_t>::value ?
				(scales_ ? VREQ8 : REQ8) :
				(scales_ ? VQF322B8_PRE : QF322B8_PRE);
		return scales_ ? VDEQF16 : DEQF16;
	}

	/* The product at @at, as rows of @write(row, column, numbers, count). */
	template <typename Write>
	void multiply(const place &at, Write write)
	{
		N bias[BIAS_CHUNK];
		vnpu::conversion c = { mode(), scale_, scales_, false };

		vnpu::late_drain_all();
		vnpu::check_conversion<C, N>("Matmul", c);
		for (uint32_t n = 0; n < at.columns; n += BIAS_CHUNK) {
			uint32_t some = at.columns - n < BIAS_CHUNK ?
				at.columns - n : BIAS_CHUNK;
			vnpu::part<N> part = { at.row, at.rows, at.column + n,
				some, 0, single_k_, bias_ ? bias : nullptr,
				is_hf32_ };

			if (bias_ && is_bias_global_)
				vnpu::check_access(bias_ + at.column + n,
						   some * sizeof(Bias),
						   VNPU_GM_READ);
			for (uint32_t i = 0; bias_ && i < some; i++)
				bias[i] = static_cast<N>(bias_[at.column + n +
							       i]);
			vnpu::product(a_, b_, part,
				      [&](uint32_t row, uint32_t column,
					  const N *from, uint32_t count) {
				C to[vnpu::PANEL];

				for (uint32_t i = 0; i < count; i++)
					to[i] = vnpu::convert_one<C>(
						from[i], c, at.column + n +
						column + i);
				write(row, n + column, to, count);
			});
		}
	}

	void write_global(const GlobalTensor<C> &gm, const place &at,
			  uint32_t row, uint32_t column, uint64_t step,
			  uint8_t atomic)
	{
		constexpr uint32_t width = sizeof(C) == 1 ? 32 : 16;
		uint8_t was = vnpu::state()->atomic;
		uint64_t nz_rows = vnpu::round_up(org_m_, 16) * width;
		uint64_t last = 0;
		C *base = gm.address_;

		if (atomic == 1)
			SetAtomicAdd<C>();
		else if (atomic == 2)
			SetAtomicMax<C>();
		else if (atomic == 3)
			SetAtomicMin<C>();
		multiply(at, [&](uint32_t r, uint32_t c, const C *from,
				 uint32_t count) {
			uint32_t x = column + c;
			uint64_t to = C_TYPE::format == CubeFormat::NZ ?
				x / width * nz_rows + (row + r) * width +
				x % width : (row + r) * step + x;

			vnpu::check_access(base + to, count * sizeof(C),
					   vnpu::access_flags());
			vnpu::copy_out(base + to, from, count * sizeof(C));
			last = to + count > last ? to + count : last;
		});
		gm.check("Matmul", last * sizeof(C));
		if (atomic)
			vnpu::state()->atomic = was;
	}

	void write_local(const LocalTensor<C> &local, const place &at,
			 uint32_t step)
	{
		constexpr uint32_t width = sizeof(C) == 1 ? 32 : 16;
		uint64_t nz_rows = vnpu::round_up(at.rows, 16) * width;

		multiply(at, [&](uint32_t r, uint32_t c, const C *from,
				 uint32_t count) {
			uint64_t to = C_TYPE::format == CubeFormat::NZ ?
				c / width * nz_rows + r * width + c % width :
				uint64_t(r) * step + c;

			vnpu::check_range("Matmul", "the result",
					  local.data() + to,
					  count * sizeof(C), local.position_);
			__builtin_memcpy(local.data() + to, from,
					 count * sizeof(C));
		});
	}

	static constexpr uint32_t BIAS_CHUNK = 512;

	vnpu::matrix<A> a_;
	vnpu::matrix<B> b_;
	GlobalTensor<A> check_a_;
	GlobalTensor<B> check_b_;
	A scalar_a_ = A(0);
	B scalar_b_ = B(0);
	const Bias *bias_ = nullptr;
	const uint64_t *scales_ = nullptr;
	uint64_t scale_ = 0;
	bool is_scaled_ = false;
	bool is_hf32_ = false;
	TPosition position_a_ = TPosition::GM;
	TPosition position_b_ = TPosition::GM;
	bool is_bias_global_ = false;
	bool is_a_global_ = false;
	bool is_b_global_ = false;
};

} /* namespace AscendC */

#endif /* ASCENDC_VNPU_MATMUL_H */
