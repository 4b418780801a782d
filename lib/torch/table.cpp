// SPDX-License-Identifier: MIT
/*
 * Operators that are one call of aclnn: those of operators.h, with the variants in
 * place and with out= where PyTorch has them.
 *
 * PyTorch's own kernels for the device "meta" find the shapes and types of results,
 * and the errors of arguments.
 */
#include "resize.h"
#include "special.h"

#include <sstream>
#include <unordered_map>

#include <ATen/core/dispatch/Dispatcher.h>

namespace npu {

namespace {

struct Entry {
	const char *name;
	Invoke invoke;		/* with tensors */
	Invoke scalar;		/* where "other" is a number, or NULL */
	const char *arguments;
};

/* Negate the bits of integers, and the truth of booleans. */
void bitwise_not(const Values &values)
{
	if (values[0].toTensor().scalar_type() == at::kBool)
		NPU_INVOKE(LogicalNot)(values);
	else
		NPU_INVOKE(BitwiseNot)(values);
}

/* As in PyTorch 1.13, the sign of NaN is 0. */
void sign(const Values &values)
{
	at::Tensor self = values[0].toTensor(), is_nan;

	if (self.is_floating_point())
		is_nan = self.ne(self);
	NPU_INVOKE(Sign)(values);
	if (is_nan.defined())
		values[1].toTensor().masked_fill_(is_nan, 0);
}

#define FN(name, function, arguments) { name, function, nullptr, arguments },
#define OP(name, function, arguments) \
	{ name, NPU_INVOKE(function), nullptr, arguments },
#define NUM(name, function, scalar, arguments) \
	{ name, NPU_INVOKE(function), NPU_INVOKE(scalar), arguments },

const Entry entries[] = {
#include "operators.h"
};

/* Where an argument of aclnn's operator comes from. */
struct Source {
	enum { ARGUMENT, FLAT, RESULT, RESULT_TYPE, CONSTANT, CONDITION } kind;
	size_t index;
	size_t dim;			/* FLAT: if this argument is None */
	c10::IValue constant;		/* also in place of None */
	std::string text;		/* CONDITION */
	bool is_factor = false;		/* of integers it is an integer, too */
};

c10::IValue constant_of(const std::string &text)
{
	if (text == "false" || text == "true")
		return text == "true";
	if (text == "[]")
		return std::vector<int64_t>();
	return (int64_t)std::stoll(text);
}

size_t argument_index(const c10::FunctionSchema &schema, const std::string &name)
{
	c10::optional<int> index = schema.argumentIndexWithName(name);

	TORCH_CHECK(index, "operators.h: ", schema.name(), " has no argument ",
		    name);
	return *index;
}

/* See operators.h for the format. */
Source parse(const c10::FunctionSchema &schema, const std::string &token)
{
	size_t at = token.find_first_of("?/=");
	std::string name = token.substr(0, at);
	std::string rest = at == std::string::npos ? "" : token.substr(at + 1);

	if (at != std::string::npos) {
		size_t index = argument_index(schema, name);

		if (token[at] == '?')
			return { Source::ARGUMENT, index, 0, constant_of(rest),
				 "" };
		if (token[at] == '=')
			return { Source::CONDITION, index, 0, {}, rest };
		return { Source::FLAT, index, argument_index(schema, rest), {}, "" };
	}
	if (name == "out" || name == "out1")
		return { Source::RESULT, (size_t)(name == "out1"), 0, {}, "" };
	if (name == "@out")
		return { Source::RESULT_TYPE, 0, 0, {}, "" };
	if (isdigit(name[0]) || name == "[]" || name == "false" || name == "true")
		return { Source::CONSTANT, 0, 0, constant_of(name), "" };
	return { Source::ARGUMENT, argument_index(schema, name), 0, {}, "",
		 name == "alpha" || name == "beta" };
}

bool is_npu(const c10::IValue &value)
{
	return value.isTensor() && value.toTensor().defined() &&
	       value.toTensor().device().type() == TYPE;
}

std::string text_of(const c10::IValue &value)
{
	if (value.isBool())
		return value.toBool() ? "true" : "false";
	if (value.isString())
		return value.toStringRef();
	return value.isNone() ? "None" : "";
}

at::Tensor meta_of(const at::Tensor &tensor)
{
	return at::empty_strided(tensor.sizes(), tensor.strides(),
				 tensor.options().device(at::kMeta));
}

/* The kernel of one variant of an entry. */
class Kernel final : public c10::OperatorKernel {
public:
	Kernel(const Entry &entry, const c10::FunctionSchema &schema);
	void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet,
			torch::jit::Stack *stack);

private:
	using Span = at::ArrayRef<c10::IValue>;

	c10::Device device_of(Span arguments) const;
	std::vector<at::Tensor> infer(const c10::OperatorHandle &op,
				      Span arguments) const;
	std::vector<at::Tensor> results_of(const c10::OperatorHandle &op,
					   Span arguments) const;
	void call(Span arguments, const std::vector<at::Tensor> &results) const;
	c10::IValue value_of(const Source &source, Span arguments,
			     const std::vector<at::Tensor> &results) const;
	c10::IValue input(const at::Tensor &tensor,
			  const std::vector<at::Tensor> &results) const;

	const Entry &entry;
	std::vector<Source> sources;
	std::vector<size_t> outputs;	/* arguments that are written */
	c10::optional<size_t> other;	/* the argument that may be a number */
};

Kernel::Kernel(const Entry &entry, const c10::FunctionSchema &schema)
	: entry(entry)
{
	std::istringstream tokens(entry.arguments);
	std::string token;

	while (tokens >> token)
		sources.push_back(parse(schema, token));
	for (size_t i = 0; i < schema.arguments().size(); i++)
		if (schema.arguments()[i].alias_info() &&
		    schema.arguments()[i].alias_info()->isWrite())
			outputs.push_back(i);
	if (entry.scalar)
		other = argument_index(schema, "other");
}

/* Return the device of all tensors. Tensors of the CPU must be numbers. */
c10::Device Kernel::device_of(Span arguments) const
{
	c10::optional<c10::Device> device;
	auto look = [&](const at::Tensor &tensor) {
		if (!tensor.defined() || (tensor.device().is_cpu() && !tensor.dim()))
			return;
		TORCH_CHECK(!device || tensor.device() == *device,
			    "Expected all tensors to be on the same device, but "
			    "found at least two devices, ", *device, " and ",
			    tensor.device(), "!");
		device = tensor.device();
	};

	for (const c10::IValue &value : arguments) {
		if (value.isTensor())
			look(value.toTensor());
		else if (value.isTensorList())
			for (const at::Tensor &tensor : value.toTensorVector())
				look(tensor);
	}
	return device.value_or(c10::Device(TYPE, -1));
}

/* Let the meta device find the shapes and types of results. */
std::vector<at::Tensor> Kernel::infer(const c10::OperatorHandle &op,
				      Span arguments) const
{
	std::vector<at::Tensor> out;
	torch::jit::Stack stack;

	for (const c10::IValue &value : arguments) {
		if (is_npu(value)) {
			stack.push_back(meta_of(value.toTensor()));
		} else if (value.isTensorList()) {
			std::vector<at::Tensor> list = value.toTensorVector();

			for (at::Tensor &member : list)
				member = meta_of(member);
			stack.push_back(list);
		} else {
			stack.push_back(value);
		}
	}
	op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::Meta), &stack);
	for (const c10::IValue &value : stack)
		out.push_back(value.toTensor());
	return out;
}

std::vector<at::Tensor> Kernel::results_of(const c10::OperatorHandle &op,
					   Span arguments) const
{
	std::vector<at::Tensor> out = infer(op, arguments);

	for (size_t i = 0; i < out.size(); i++) {
		if (i >= outputs.size()) {
			out[i] = empty_strided(out[i].sizes(), out[i].strides(),
				out[i].options().device(c10::Device(TYPE,
					(c10::DeviceIndex)current_device())));
			continue;
		}
		at::Tensor given = arguments[outputs[i]].toTensor();

		resize_tensor(given, out[i].sizes());
		out[i] = given;
	}
	return out;
}

/*
 * A number becomes a tensor of the device. An input that overlaps with an output,
 * and is not the same view, is copied.
 */
c10::IValue Kernel::input(const at::Tensor &tensor,
			  const std::vector<at::Tensor> &results) const
{
	if (!tensor.defined())
		return {};
	if (tensor.device().is_cpu() && !tensor.dim()) {
		bool is_weak = tensor.unsafeGetTensorImpl()->is_wrapped_number() &&
			       tensor.is_floating_point() &&
			       results[0].is_floating_point();
		at::Tensor number = empty({}, results[0].options().dtype(is_weak ?
			results[0].scalar_type() : tensor.scalar_type()));

		LAUNCH(InplaceFillScalar, number, tensor.item());
		return number;
	}
	for (const at::Tensor &result : results)
		if (tensor.storage().is_alias_of(result.storage()) &&
		    (tensor.sizes() != result.sizes() ||
		     tensor.strides() != result.strides() ||
		     tensor.storage_offset() != result.storage_offset() ||
		     tensor.scalar_type() != result.scalar_type()))
			return tensor.clone();
	return tensor;
}

c10::IValue Kernel::value_of(const Source &source, Span arguments,
			     const std::vector<at::Tensor> &results) const
{
	switch (source.kind) {
	case Source::RESULT:
		return results.at(source.index);
	case Source::RESULT_TYPE:
		return (int64_t)results[0].scalar_type();
	case Source::CONSTANT:
		return source.constant;
	default:
		break;
	}
	const c10::IValue &value = arguments[source.index];

	if (value.isNone())
		return source.constant;
	if (source.is_factor && value.isDouble() && isIntegralType(
			results[0].scalar_type(), false))
		return (int64_t)value.toDouble();
	if (!value.isTensor())
		return value;
	c10::IValue tensor = input(value.toTensor(), results);

	if (source.kind == Source::FLAT && arguments[source.dim].isNone())
		return tensor.toTensor().reshape(-1);
	return tensor;
}

void Kernel::call(Span arguments, const std::vector<at::Tensor> &results) const
{
	bool has_number = other && arguments[*other].isTensor() &&
			  arguments[*other].toTensor().device().is_cpu();
	Values values;

	for (const Source &source : sources) {
		if (source.kind == Source::CONDITION) {
			if (text_of(arguments[source.index]) != source.text)
				throw Unsupported{ "only with " + source.text };
		} else if (has_number && source.kind == Source::ARGUMENT &&
			   source.index == *other) {
			values.push_back(arguments[*other].toTensor().item());
		} else {
			values.push_back(value_of(source, arguments, results));
		}
	}
	(has_number ? entry.scalar : entry.invoke)(values);
}

void Kernel::operator()(const c10::OperatorHandle &op, c10::DispatchKeySet,
			torch::jit::Stack *stack)
{
	size_t count = op.schema().arguments().size();
	Span arguments = torch::jit::last(*stack, count);
	c10::OptionalDeviceGuard on(device_of(arguments));
	std::vector<at::Tensor> results = results_of(op, arguments);
	bool is_empty = true;

	for (const at::Tensor &result : results)
		is_empty = is_empty && !result.numel();
	try {
		if (!is_empty)
			call(arguments, results);
	} catch (const Unsupported &error) {
		fall_back(op, stack, error.reason);
		return;
	}
	torch::jit::drop(*stack, count);
	for (at::Tensor &result : results)
		stack->push_back(std::move(result));
}

/* Return whether a schema has the arguments of another one, and only outputs more. */
bool is_variant(const c10::FunctionSchema &schema,
		const c10::FunctionSchema &functional)
{
	size_t count = 0;

	for (const c10::Argument &argument : schema.arguments()) {
		if (argument.is_out())
			continue;
		c10::optional<int> index =
			functional.argumentIndexWithName(argument.name());

		if (!index ||
		    *functional.arguments()[*index].type() != *argument.type())
			return false;
		count++;
	}
	return count == functional.arguments().size();
}

using Names = std::unordered_map<std::string, std::vector<c10::OperatorName>>;

void add(torch::Library &library, const Entry &entry,
	 const c10::FunctionSchema &schema)
{
	library.impl(toString(schema.operator_name()).c_str() + strlen("aten::"),
		     torch::CppFunction::makeFromBoxedFunctor(
			     std::make_unique<Kernel>(entry, schema)));
}

void add_all(torch::Library &library, const Entry &entry, const Names &names)
{
	c10::Dispatcher &dispatcher = c10::Dispatcher::singleton();
	std::string name = std::string("aten::") + entry.name;
	size_t dot = name.find('.');
	std::string base = name.substr(0, dot);
	std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
	const c10::FunctionSchema &functional =
		dispatcher.findSchemaOrThrow(base.c_str(), overload.c_str())
			.schema();

	add(library, entry, functional);
	for (const std::string &other : { base, base + "_" }) {
		auto found = names.find(other);

		if (found == names.end())
			continue;
		for (const c10::OperatorName &variant : found->second) {
			const c10::FunctionSchema &schema =
				dispatcher.findOp(variant)->schema();

			if (variant != functional.operator_name() &&
			    is_variant(schema, functional))
				add(library, entry, schema);
		}
	}
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	Names names;

	for (const c10::OperatorName &name :
	     c10::Dispatcher::singleton().getAllOpNames())
		if (c10::Dispatcher::singleton().findSchema(name))
			names[name.name].push_back(name);
	for (const Entry &entry : entries)
		add_all(m, entry, names);
}

} /* namespace npu */
