// SPDX-License-Identifier: MIT
/*
 * Operators on lists of tensors, torch._foreach_*(), which optimizers call with
 * foreach=True.
 *
 * PyTorch's kernels for the CPU are loops of operators on one tensor, which choose
 * the device of each tensor. So they serve tensors of NPUs, too.
 */
#include "npu.h"

#include <cstring>

#include <ATen/core/dispatch/Dispatcher.h>

namespace npu {

namespace {

constexpr const char PREFIX[] = "aten::_foreach_";

void loop(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
	op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	c10::Dispatcher &dispatcher = c10::Dispatcher::singleton();

	for (const c10::OperatorName &name : dispatcher.getAllOpNames()) {
		if (name.name.compare(0, strlen(PREFIX), PREFIX))
			continue;
		c10::optional<c10::OperatorHandle> op = dispatcher.findSchema(name);

		if (op && op->hasKernelForDispatchKey(c10::DispatchKey::CPU))
			m.impl(toString(name).c_str() + strlen("aten::"),
			       torch::CppFunction::makeFromBoxedFunction<&loop>());
	}
}

} /* namespace npu */
