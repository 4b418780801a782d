/* SPDX-License-Identifier: MIT */
/*
 * The shapes of a product of matrices, and its division into base blocks.
 */
#ifndef ASCENDC_VNPU_MATMUL_BLOCKS_H
#define ASCENDC_VNPU_MATMUL_BLOCKS_H

#include "matmul_types.h"

#include "../vnpu_cc/services.h"

namespace vnpu {

/* A part of a product. */
struct place {
	uint32_t row, rows;
	uint32_t column, columns;
};

class matmul_blocks {
public:
	/* The matrices in memory: their strides. */
	void SetOrgShape(int orgM, int orgN, int orgK)
	{
		SetOrgShape(orgM, orgN, orgK, orgK);
	}

	void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb,
			 int orgKc = 0)
	{
		org_m_ = orgM;
		org_n_ = orgN;
		org_ka_ = orgKa;
		org_kb_ = orgKb;
		org_kc_ = orgKc;
		restart();
	}

	/* The part of them that is multiplied. */
	void SetSingleShape(int singleM, int singleN, int singleK)
	{
		single_m_ = singleM;
		single_n_ = singleN;
		single_k_ = singleK;
		restart();
	}

	void SetTail(int tailM = -1, int tailN = -1, int tailK = -1)
	{
		single_m_ = tailM >= 0 ? tailM : single_m_;
		single_n_ = tailN >= 0 ? tailN : single_n_;
		single_k_ = tailK >= 0 ? tailK : single_k_;
		restart();
	}

	int GetBaseM() const
	{
		return base_m_;
	}

	int GetBaseN() const
	{
		return base_n_;
	}

protected:
	void take(const TCubeTiling &tiling)
	{
		SetOrgShape(tiling.M, tiling.N, tiling.Ka, tiling.Kb);
		SetSingleShape(tiling.singleCoreM, tiling.singleCoreN,
			       tiling.singleCoreK);
		base_m_ = tiling.baseM;
		base_n_ = tiling.baseN;
		is_n_first_ = tiling.iterateOrder == 1;
	}

	void restart()
	{
		block_ = -1;
	}

	/* Go to the next block; false behind the last one. */
	bool next()
	{
		if (++block_ < blocks())
			return true;
		block_ = -1;
		return false;
	}

	void check_shapes() const
	{
		if (!single_m_ || !single_n_ || !single_k_ || !org_n_)
			fault(VNPU_FAULT_ARGUMENT,
			      "Matmul: the product of %u times %u and %u times %u is empty; Init() takes the shapes from the tiling",
			      single_m_, single_k_, single_k_, single_n_);
	}

	uint32_t step_m() const
	{
		return base_m_ ? base_m_ : single_m_;
	}

	uint32_t step_n() const
	{
		return base_n_ ? base_n_ : single_n_;
	}

	int64_t blocks() const
	{
		return int64_t(AscendC::DivCeil(single_m_, step_m())) *
			AscendC::DivCeil(single_n_, step_n());
	}

	place place_of(int64_t block) const
	{
		uint32_t down = AscendC::DivCeil(single_m_, step_m());
		uint32_t across = AscendC::DivCeil(single_n_, step_n());
		uint32_t m, n;

		if (block < 0)
			fault(VNPU_FAULT_ARGUMENT,
			      "Matmul: GetTensorC() without Iterate()");
		m = (is_n_first_ ? block / across : block % down) * step_m();
		n = (is_n_first_ ? block % across : block / down) * step_n();
		return { m, single_m_ - m < step_m() ? single_m_ - m :
			 step_m(), n, single_n_ - n < step_n() ?
			 single_n_ - n : step_n() };
	}

	uint32_t org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, org_kc_ = 0;
	uint32_t single_m_ = 0, single_n_ = 0, single_k_ = 0;
	uint32_t base_m_ = 0, base_n_ = 0;
	int64_t block_ = -1;
	bool is_n_first_ = false;
};

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_MATMUL_BLOCKS_H */
