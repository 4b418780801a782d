// SPDX-License-Identifier: MIT
/* Complex numbers of two tensors. aclnn computes their parts, and not the numbers. */
#include "call.h"

namespace npu {

namespace {

void check_parts(const char *name, const at::Tensor &one, const at::Tensor &other)
{
	at::ScalarType type = one.scalar_type();

	TORCH_CHECK(type == other.scalar_type() && (type == at::kHalf ||
		    type == at::kFloat || type == at::kDouble), name, ": expected "
		    "both inputs to be Half, Float or Double tensors, but got ", type,
		    " and ", other.scalar_type());
}

at::Tensor complex(const at::Tensor &real, const at::Tensor &imag)
{
	check_parts("complex", real, imag);
	return at::view_as_complex(at::stack(at::broadcast_tensors({ real, imag }),
					     -1));
}

at::Tensor polar(const at::Tensor &abs, const at::Tensor &angle)
{
	check_parts("polar", abs, angle);
	return npu::complex(abs.mul(angle.cos()), abs.mul(angle.sin()));
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("complex", npu::complex);
	m.impl("polar", npu::polar);
}

} /* namespace npu */
