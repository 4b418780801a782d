// SPDX-License-Identifier: MIT
/*
 * Operators that the device does not compute: they run on the CPU, on copies of
 * their tensors. Each is counted, and warns once.
 */
#include "npu.h"

#include <mutex>

#include <ATen/native/CPUFallback.h>

namespace npu {

namespace {

std::mutex counts_lock;
std::map<std::string, int64_t> counts;

void count(const c10::OperatorHandle &op, const std::string &reason)
{
	std::string name = toString(op.operator_name());
	bool is_first;

	{
		std::lock_guard<std::mutex> guard(counts_lock);

		is_first = !counts[name]++;
	}
	if (is_first)
		TORCH_WARN("the NPU does not compute ", name, reason.empty() ?
			   "" : " (" + reason + ")", ", so it runs on the CPU. "
			   "torch.npu.fallbacks() counts such calls.");
}

/* cpu_fallback() copies tensors and lists of them, but not optional ones. */
void copy_optional_lists(torch::jit::Stack *stack, size_t arguments)
{
	for (size_t i = stack->size() - arguments; i < stack->size(); i++) {
		c10::IValue &value = (*stack)[i];

		if (!value.isList() || value.isTensorList())
			continue;
		c10::List<c10::IValue> list = value.toList();

		if (list.elementType()->kind() != c10::TypeKind::OptionalType)
			continue;
		c10::List<c10::optional<at::Tensor>> copies;

		for (c10::IValue item : list)
			copies.push_back(item.isNone() ?
				c10::optional<at::Tensor>() :
				item.toTensor().cpu());
		value = copies;
	}
}

void without_kernel(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
	fall_back(op, stack, "");
}

} /* namespace */

void fall_back(const c10::OperatorHandle &op, torch::jit::Stack *stack,
	       const std::string &reason)
{
	count(op, reason);
	copy_optional_lists(stack, op.schema().arguments().size());
	at::native::cpu_fallback(op, stack);
}

std::map<std::string, int64_t> fallbacks()
{
	std::lock_guard<std::mutex> guard(counts_lock);

	return counts;
}

void clear_fallbacks()
{
	std::lock_guard<std::mutex> guard(counts_lock);

	counts.clear();
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
	m.fallback(torch::CppFunction::makeFromBoxedFunction<&without_kernel>());
}

} /* namespace npu */
