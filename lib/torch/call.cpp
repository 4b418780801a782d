// SPDX-License-Identifier: MIT
/* Arguments of aclnn's operators. */
#include "call.h"

#include <ATen/core/dispatch/Dispatcher.h>

namespace npu {

namespace {

aclDataType data_type(at::ScalarType type)
{
	switch (type) {
	case at::kFloat:
		return ACL_FLOAT;
	case at::kHalf:
		return ACL_FLOAT16;
	case at::kBFloat16:
		return ACL_BF16;
	case at::kDouble:
		return ACL_DOUBLE;
	case at::kChar:
		return ACL_INT8;
	case at::kShort:
		return ACL_INT16;
	case at::kInt:
		return ACL_INT32;
	case at::kLong:
		return ACL_INT64;
	case at::kByte:
		return ACL_UINT8;
	case at::kBool:
		return ACL_BOOL;
	default:
		return ACL_DT_UNDEFINED;
	}
}

aclTensor *make_tensor(const at::Tensor &tensor)
{
	aclDataType type = data_type(tensor.scalar_type());

	if (type == ACL_DT_UNDEFINED)
		throw Unsupported{ std::string("type ") +
				   toString(tensor.scalar_type()) };
	if (tensor.device().type() != TYPE)
		throw Unsupported{ "a tensor of the CPU" };
	int64_t storage = tensor.storage().nbytes() / tensor.element_size();
	aclTensor *out = aclCreateTensor(tensor.sizes().data(), tensor.dim(),
		type, tensor.strides().data(), tensor.storage_offset(),
		ACL_FORMAT_ND, &storage, 1, tensor.storage().data());

	if (!out)
		throw Unsupported{ refusal(ACL_ERROR_FAILURE) };
	return out;
}

template <class T> aclScalar *make_scalar(T value, aclDataType type)
{
	return aclCreateScalar(&value, type);
}

} /* namespace */

bool can_hold(const at::Tensor &tensor)
{
	return data_type(tensor.scalar_type()) != ACL_DT_UNDEFINED;
}

void need_fractions(const at::Tensor &tensor)
{
	if (!tensor.is_floating_point())
		throw Unsupported{ std::string("type ") +
				   toString(tensor.scalar_type()) };
}

std::string refusal(aclnnStatus status)
{
	const char *text = aclGetRecentErrMsg();

	return text && *text ? text : "error " + std::to_string(status);
}

Argument<const aclTensor *>::Argument(const c10::IValue &value)
{
	if (!value.isNone() && value.toTensor().defined())
		tensor = make_tensor(value.toTensor());
}

Argument<const aclTensor *>::~Argument()
{
	if (tensor)
		aclDestroyTensor(tensor);
}

Argument<const aclTensorList *>::Argument(const c10::IValue &value)
{
	std::vector<const aclTensor *> members;

	try {
		for (const at::Tensor &member : value.toTensorVector())
			members.push_back(make_tensor(member));
		list = aclCreateTensorList(members.data(), members.size());
		if (!list)
			throw Unsupported{ refusal(ACL_ERROR_FAILURE) };
	} catch (...) {
		for (const aclTensor *member : members)
			aclDestroyTensor(member);
		throw;
	}
}

Argument<const aclTensorList *>::~Argument()
{
	aclDestroyTensorList(list);
}

Argument<const aclScalar *>::Argument(const c10::IValue &value)
{
	if (value.isNone())
		return;
	at::Scalar number = value.toScalar();

	if (number.isComplex())
		throw Unsupported{ "a complex number" };
	if (number.isBoolean())
		scalar = make_scalar(number.toBool(), ACL_BOOL);
	else if (number.isIntegral(false))
		scalar = make_scalar(number.toLong(), ACL_INT64);
	else
		scalar = make_scalar(number.toDouble(), ACL_DOUBLE);
	if (!scalar)
		throw Unsupported{ refusal(ACL_ERROR_FAILURE) };
}

Argument<const aclScalar *>::~Argument()
{
	if (scalar)
		aclDestroyScalar(scalar);
}

Argument<const aclIntArray *>::Argument(const c10::IValue &value)
{
	std::vector<int64_t> numbers;

	if (value.isInt())
		numbers.push_back(value.toInt());
	else if (!value.isNone())
		numbers = value.toIntVector();
	array = aclCreateIntArray(numbers.data(), numbers.size());
	if (!array)
		throw Unsupported{ refusal(ACL_ERROR_FAILURE) };
}

Argument<const aclIntArray *>::~Argument()
{
	aclDestroyIntArray(array);
}

Argument<const aclBoolArray *>::Argument(const c10::IValue &value)
{
	std::unique_ptr<bool[]> flags;
	size_t count = 0;

	flags.reset(new bool[value.toBoolList().size()]);
	for (bool flag : value.toBoolList())
		flags[count++] = flag;
	array = aclCreateBoolArray(flags.get(), count);
	if (!array)
		throw Unsupported{ refusal(ACL_ERROR_FAILURE) };
}

Argument<const aclBoolArray *>::~Argument()
{
	aclDestroyBoolArray(array);
}

Argument<aclDataType>::Argument(const c10::IValue &value)
	: type(data_type(value.toScalarType()))
{
}

int64_t to_integer(const c10::IValue &value)
{
	if (value.isInt())
		return value.toInt();
	if (value.isBool())
		return value.toBool();
	if (!value.isString())
		throw Unsupported{ "an argument is missing" };
	const std::string &word = value.toStringRef();

	if (word == "none")
		return 0;
	if (word == "trunc" || word == "tanh" || word == "add")
		return 1;
	if (word == "floor" || word == "multiply")
		return 2;
	throw Unsupported{ "mode " + word };
}

double to_real(const c10::IValue &value)
{
	if (!value.isScalar())
		throw Unsupported{ "an argument is missing" };
	return value.toScalar().toDouble();
}

void execute(aclnnStatus (*run)(void *, uint64_t, aclOpExecutor *, aclrtStream),
	     uint64_t workspace, aclOpExecutor *executor)
{
	aclrtStream stream = stream_now();
	c10::DataPtr memory;

	if (workspace) {
		try {
			memory = allocator()->allocate(workspace);
		} catch (...) {
			aclDestroyAclOpExecutor(executor);
			throw;
		}
	}
	aclnnStatus status = run(memory.get(), workspace, executor, stream);

	TORCH_CHECK(!status, "ACL runtime error ", status, ": ", refusal(status));
	after_launch(current_device());
}

namespace {

class OrOnCpu final : public c10::OperatorKernel {
public:
	explicit OrOnCpu(c10::KernelFunction function)
		: function(std::move(function))
	{
	}

	void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
			torch::jit::Stack *stack)
	{
		size_t count = op.schema().arguments().size();
		torch::jit::Stack arguments(stack->end() - (ptrdiff_t)count,
					    stack->end());
		c10::OptionalDeviceGuard on;

		for (const c10::IValue &value : arguments)
			if (value.isTensor() && value.toTensor().defined() &&
			    value.toTensor().device().type() == TYPE) {
				on.reset_device(value.toTensor().device());
				break;
			}
		try {
			function.callBoxed(op, keys, stack);
		} catch (const Unsupported &error) {
			std::move(arguments.begin(), arguments.end(),
				  stack->end() - (ptrdiff_t)count);
			fall_back(op, stack, error.reason);
		}
	}

private:
	c10::KernelFunction function;
};

} /* namespace */

torch::CppFunction or_on_cpu(c10::KernelFunction function)
{
	return torch::CppFunction::makeFromBoxedFunctor(
		std::make_unique<OrOnCpu>(std::move(function)));
}

void launch(const char *name, Invoke invoke, const Values &values)
{
	try {
		invoke(values);
	} catch (const Unsupported &error) {
		TORCH_CHECK(false, "aclnn", name, ": ", error.reason);
	}
}

} /* namespace npu */
