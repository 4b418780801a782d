// SPDX-License-Identifier: MIT
/*
 * Operators that the device does not compute: they run on the CPU, on copies of
 * their tensors. Each is counted, and warns once.
 */
#include "npu.h"

#include <mutex>

#include <ATen/CPUGeneratorImpl.h>
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

/* A generator of the CPU takes its seed from one of the device. */
void replace_generators(torch::jit::Stack *stack, size_t arguments)
{
	for (size_t i = stack->size() - arguments; i < stack->size(); i++) {
		c10::IValue &value = (*stack)[i];

		if (!value.isGenerator() ||
		    value.toGenerator().device().type() != TYPE)
			continue;
		at::Generator given = value.toGenerator();
		Random random = draw(given.device().index(), 1, given);

		value = at::detail::createCPUGenerator(
			(uint64_t)random.seed + (uint64_t)random.offset);
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
	replace_generators(stack, op.schema().arguments().size());
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

/* PyTorch composes these of calls that only its own devices have. */
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("nanmean.out",
	       torch::CppFunction::makeFromBoxedFunction<&without_kernel>());
}

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m)
{
	m.impl("nanmean.out", torch::CppFunction::makeFallthrough());
}

} /* namespace npu */
