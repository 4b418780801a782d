/* SPDX-License-Identifier: MIT */
/*
 * Calls of aclnn's operators.
 *
 *	LAUNCH(Add, self, other, alpha, out);
 *
 * calls aclnnAddGetWorkspaceSize() and aclnnAdd() in the current stream. Arguments
 * are those of aclnn in their order, as IValues: tensors of one device, scalars,
 * lists of integers, and so on. None stands for NULL.
 */
#ifndef TORCH_NPU_CALL_H
#define TORCH_NPU_CALL_H

#include <string>
#include <tuple>
#include <vector>

#include "aclnnop.h"

#include "npu.h"

namespace npu {

using Values = std::vector<c10::IValue>;

/* The operator cannot be called this way: thrown, and caught by table.cpp. */
struct Unsupported {
	std::string reason;
};

/* Return whether operators know the type of the tensor. */
bool can_hold(const at::Tensor &tensor);

/* Throw Unsupported unless a tensor has real numbers with fractions. */
void need_fractions(const at::Tensor &tensor);

/* Run an operator's second phase; the first has returned these. */
void execute(aclnnStatus (*run)(void *, uint64_t, aclOpExecutor *, aclrtStream),
	     uint64_t workspace, aclOpExecutor *executor);

/* Return the reason for which the first phase refused the call. */
std::string refusal(aclnnStatus status);

/* An argument in the type that the operator wants. */
template <class T> class Argument;

template <> class Argument<const aclTensor *> {
public:
	explicit Argument(const c10::IValue &value);
	~Argument();
	Argument(const Argument &) = delete;
	const aclTensor *get() const
	{
		return tensor;
	}

protected:
	aclTensor *tensor = nullptr;
};

template <> class Argument<aclTensor *> : public Argument<const aclTensor *> {
public:
	using Argument<const aclTensor *>::Argument;
	aclTensor *get() const
	{
		return tensor;
	}
};

template <> class Argument<const aclTensorList *> {
public:
	explicit Argument(const c10::IValue &value);
	~Argument();
	Argument(const Argument &) = delete;
	const aclTensorList *get() const
	{
		return list;
	}

private:
	aclTensorList *list = nullptr;
};

template <> class Argument<const aclScalar *> {
public:
	explicit Argument(const c10::IValue &value);
	~Argument();
	Argument(const Argument &) = delete;
	const aclScalar *get() const
	{
		return scalar;
	}

private:
	aclScalar *scalar = nullptr;
};

/* None is an empty list. */
template <> class Argument<const aclIntArray *> {
public:
	explicit Argument(const c10::IValue &value);
	~Argument();
	Argument(const Argument &) = delete;
	const aclIntArray *get() const
	{
		return array;
	}

private:
	aclIntArray *array = nullptr;
};

template <> class Argument<const aclBoolArray *> {
public:
	explicit Argument(const c10::IValue &value);
	~Argument();
	Argument(const Argument &) = delete;
	const aclBoolArray *get() const
	{
		return array;
	}

private:
	aclBoolArray *array = nullptr;
};

template <> class Argument<char *> {
public:
	explicit Argument(const c10::IValue &value) : text(value.toStringRef())
	{
	}
	char *get() const
	{
		return const_cast<char *>(text.c_str());
	}

private:
	std::string text;
};

/* The type of aclnn for a type of PyTorch. */
template <> class Argument<aclDataType> {
public:
	explicit Argument(const c10::IValue &value);
	aclDataType get() const
	{
		return type;
	}

private:
	aclDataType type;
};

/* Numbers; the words of PyTorch's arguments are numbers of aclnn. */
int64_t to_integer(const c10::IValue &value);
double to_real(const c10::IValue &value);

template <class T> class Argument {
	static_assert(std::is_arithmetic<T>::value, "an argument of this type");

public:
	explicit Argument(const c10::IValue &value)
		: number(std::is_floating_point<T>::value ?
			 (T)to_real(value) : (T)to_integer(value))
	{
	}
	T get() const
	{
		return number;
	}

private:
	T number;
};

template <class F> struct Phase;
template <class... A> struct Phase<aclnnStatus (*)(A...)> {
	using Types = std::tuple<A...>;
	/* The last two are the size of the workspace, and the executor. */
	using Indices = std::make_index_sequence<sizeof...(A) - 2>;
	static constexpr size_t COUNT = sizeof...(A) - 2;
};

template <auto prepare, auto run, size_t... I>
void invoke_with(const Values &values, std::index_sequence<I...>)
{
	using Types = typename Phase<decltype(prepare)>::Types;
	std::tuple<Argument<std::tuple_element_t<I, Types>>...> arguments(
		values[I]...);
	aclOpExecutor *executor;
	uint64_t workspace;
	aclnnStatus status = prepare(std::get<I>(arguments).get()...,
				     &workspace, &executor);

	if (status)
		throw Unsupported{ refusal(status) };
	execute(run, workspace, executor);
}

/* Call an operator, or throw Unsupported. */
template <auto prepare, auto run> void invoke(const Values &values)
{
	using P = Phase<decltype(prepare)>;

	if (values.size() != P::COUNT)
		throw Unsupported{ "the number of arguments is wrong" };
	invoke_with<prepare, run>(values, typename P::Indices());
}

using Invoke = void (*)(const Values &);
#define NPU_INVOKE(name) \
	(&::npu::invoke<aclnn##name##GetWorkspaceSize, aclnn##name>)

/* Call an operator that must work. */
void launch(const char *name, Invoke invoke, const Values &values);
#define LAUNCH(name, ...) \
	::npu::launch(#name, NPU_INVOKE(name), ::npu::Values{ __VA_ARGS__ })

/*
 * Make a kernel of a function. If the function throws Unsupported, the CPU runs the
 * operator. While the function runs, the first tensor's device is the current one.
 */
torch::CppFunction or_on_cpu(c10::KernelFunction function);
#define OR_ON_CPU(function) \
	::npu::or_on_cpu(c10::KernelFunction::makeFromUnboxedRuntimeFunction( \
		&(function)))

/* Make vectors of numbers. */
Values vectors(const Values &values);

template <Invoke invoke> void with_dims(const Values &values)
{
	invoke(vectors(values));
}

/*
 * Functions of operators.h that call several operators, or choose one. The last value is
 * the result, which is written.
 */
void compute_fmax(const Values &values);
void compute_fmin(const Values &values);
void compute_copysign(const Values &values);
void compute_addmv(const Values &values);
void compute_clamp(const Values &values);
void compute_nan_to_num(const Values &values);
void compute_lcm(const Values &values);
void compute_isin(const Values &values);
void compute_scatter_reduce(const Values &values);
void compute_index_reduce(const Values &values);

/* loss.cpp: reduce the loss of each element as PyTorch's number of a reduction says. */
at::Tensor reduced(const at::Tensor &loss, int64_t reduction);

/* pool.cpp: aclnn has no averages of integers. */
void average_integers(const Values &values);
void compute_avg_pool_backward(const Values &values);

template <Invoke invoke> void avg_pool(const Values &values)
{
	(values[0].toTensor().is_floating_point() ? invoke : average_integers)(values);
}

} /* namespace npu */

#endif /* TORCH_NPU_CALL_H */
