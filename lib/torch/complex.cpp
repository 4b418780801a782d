// SPDX-License-Identifier: MIT
/* Complex numbers of two tensors. aclnn computes their parts, and not the numbers. */
#include "call.h"

namespace npu {

namespace {

at::Tensor complex(const at::Tensor &real, const at::Tensor &imag)
{
	at::ScalarType type = real.scalar_type();

	TORCH_CHECK(type == imag.scalar_type() && (type == at::kHalf ||
		    type == at::kFloat || type == at::kDouble), "complex: expected "
		    "both inputs to be Half, Float or Double tensors, but got ", type,
		    " and ", imag.scalar_type());
	return at::view_as_complex(at::stack(at::broadcast_tensors({ real, imag }),
					     -1));
}

at::Tensor polar(const at::Tensor &abs, const at::Tensor &angle)
{
	return npu::complex(abs.mul(angle.cos()), abs.mul(angle.sin()));
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("complex", npu::complex);
	m.impl("polar", npu::polar);
}

} /* namespace npu */
