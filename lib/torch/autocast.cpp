// SPDX-License-Identifier: MIT
/*
 * Mixed precision: while it is on, operators take floating-point tensors of devices
 * in the type that suits them.
 *
 * PyTorch 1.13 has no key of autocast for this backend. A thread with autocast
 * includes the key of another backend, which Debian's PyTorch does not have, in
 * each call; operators that are not listed fall through it.
 */
#include "npu.h"

#include <ATen/core/dispatch/Dispatcher.h>


namespace npu {

namespace {

constexpr c10::DispatchKey KEY = c10::DispatchKey::AutocastXPU;

thread_local at::ScalarType type_now = at::kHalf;

enum Policy { LOWER, SINGLE, WIDEST };

/* Products run in the lower precision. */
const char *const lower[] = {
	"linear", "matmul", "mm", "bmm", "mv", "addmm", "addmv", "addr", "addbmm",
	"baddbmm", "chain_matmul", "linalg_multi_dot", "conv1d", "conv2d", "conv3d",
	"conv1d.padding", "conv2d.padding", "conv3d.padding", "convolution",
	"conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input",
	"prelu",
};

/* Sums, and functions that would lose accuracy, run in float32. */
const char *const single[] = {
	"acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log2",
	"log1p", "reciprocal", "rsqrt", "sinh", "tan", "pow.Tensor_Scalar",
	"pow.Tensor_Tensor", "pow.Scalar", "softplus", "layer_norm",
	"native_layer_norm", "group_norm", "norm.ScalarOpt_dim", "norm.Scalar",
	"norm.ScalarOpt_dim_dtype", "cosine_similarity", "cosine_embedding_loss",
	"nll_loss", "nll_loss2d", "hinge_embedding_loss", "kl_div", "l1_loss",
	"smooth_l1_loss", "huber_loss", "mse_loss", "margin_ranking_loss",
	"multilabel_margin_loss", "soft_margin_loss", "triplet_margin_loss",
	"multi_margin_loss", "binary_cross_entropy_with_logits", "dist", "pdist",
	"cdist", "renorm", "logsumexp", "prod", "prod.dim_int", "softmax.int",
	"log_softmax.int", "cumprod", "cumsum", "sum", "sum.dim_IntList",
	"cross_entropy_loss",
};

/* Operators that need tensors of one type run in the widest type among them. */
const char *const widest[] = {
	"addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "grid_sampler",
	"index_put", "tensordot", "scatter_add", "cat", "stack",
};

bool is_eligible(const at::Tensor &tensor)
{
	return tensor.defined() && tensor.device().type() == TYPE &&
	       tensor.is_floating_point() && tensor.scalar_type() != at::kDouble;
}

/* Replace the tensors among arguments that autocast may convert. */
template <class F> void each_tensor(at::ArrayRef<c10::IValue> values, F function)
{
	for (const c10::IValue &const_value : values) {
		auto &value = const_cast<c10::IValue &>(const_value);

		if (value.isTensor()) {
			if (is_eligible(value.toTensor()))
				value = function(value.toTensor());
		} else if (value.isTensorList()) {
			std::vector<at::Tensor> list = value.toTensorVector();

			for (at::Tensor &tensor : list)
				if (is_eligible(tensor))
					tensor = function(tensor);
			value = list;
		}
	}
}

at::ScalarType widest_of(at::ArrayRef<c10::IValue> values)
{
	at::ScalarType type = type_now;

	each_tensor(values, [&](const at::Tensor &tensor) {
		type = at::promote_types(type, tensor.scalar_type());
		return tensor;
	});
	return type;
}

class Cast final : public c10::OperatorKernel {
public:
	explicit Cast(Policy policy) : policy(policy)
	{
	}

	void operator()(const c10::OperatorHandle &op, c10::DispatchKeySet,
			torch::jit::Stack *stack)
	{
		c10::impl::ExcludeDispatchKeyGuard once(KEY);
		auto arguments = torch::jit::last(*stack,
			op.schema().arguments().size());
		at::ScalarType type = policy == LOWER ? type_now :
			policy == SINGLE ? at::kFloat : widest_of(arguments);

		each_tensor(arguments, [&](const at::Tensor &tensor) {
			return tensor.to(type);
		});
		op.callBoxed(stack);
	}

private:
	Policy policy;
};

template <size_t N>
void add(torch::Library &library, const char *const (&names)[N], Policy policy)
{
	for (const char *name : names)
		library.impl(name, torch::CppFunction::makeFromBoxedFunctor(
			std::make_unique<Cast>(policy)));
}

} /* namespace */

bool is_autocast_enabled()
{
	return c10::impl::tls_is_dispatch_key_included(KEY) &&
	       !c10::impl::tls_is_dispatch_key_excluded(KEY);
}

void set_autocast_enabled(bool is_enabled)
{
	c10::impl::tls_set_dispatch_key_included(KEY, is_enabled);
	c10::impl::tls_set_dispatch_key_excluded(KEY, !is_enabled);
}

at::ScalarType autocast_type()
{
	return type_now;
}

void set_autocast_type(at::ScalarType type)
{
	TORCH_CHECK(type == at::kHalf || type == at::kBFloat16, "autocast of NPUs is to "
		    "float16 or bfloat16, not to ", type);
	type_now = type;
}

TORCH_LIBRARY_IMPL(_, AutocastXPU, m)
{
	m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastXPU, m)
{
	add(m, lower, LOWER);
	add(m, single, SINGLE);
	add(m, widest, WIDEST);
}

} /* namespace npu */
