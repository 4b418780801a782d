// SPDX-License-Identifier: GPL-2.0-only
/* ATen, the operators of PyTorch, in one thread. See peer.h. */
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <functional>
#include <vector>

#include "peer.h"

static at::ScalarType type_of(const struct vnpu_tensor *t)
{
	switch (t->dtype) {
	case VNPU_DT_F16:
		return at::kHalf;
	case VNPU_DT_BF16:
		return at::kBFloat16;
	case VNPU_DT_I32:
		return at::kInt;
	case VNPU_DT_F32:
		return at::kFloat;
	default:
		return at::ScalarType::Undefined;
	}
}

/* A view of the same memory. */
static at::Tensor view(const struct vnpu_tensor *t)
{
	if (t->flags & VNPU_TENSOR_F_IMMEDIATE)
		return at::scalar_tensor(2.5);
	return at::from_blob((void *)(uintptr_t)t->data,
			     at::IntArrayRef(t->dims, t->rank),
			     at::IntArrayRef(t->strides, t->rank),
			     at::TensorOptions().dtype(type_of(t)));
}

typedef std::function<void()> call_fn;

static call_fn unary(unsigned int op, at::Tensor a, at::Tensor out)
{
	switch (op) {
	case VNPU_OP_EXP:
		return [=]() mutable { at::exp_out(out, a); };
	case VNPU_OP_LOG:
		return [=]() mutable { at::log_out(out, a); };
	case VNPU_OP_SIN:
		return [=]() mutable { at::sin_out(out, a); };
	case VNPU_OP_TANH:
		return [=]() mutable { at::tanh_out(out, a); };
	case VNPU_OP_GELU:
		return [=]() mutable { at::gelu_out(out, a); };
	case VNPU_OP_SILU:
		return [=]() mutable { at::silu_out(out, a); };
	case VNPU_OP_FLOOR:
		return [=]() mutable { at::floor_out(out, a); };
	case VNPU_OP_COPY:
		return [=]() mutable { out.copy_(a); };
	case VNPU_OP_SOFTMAX:
		return [=]() mutable { at::_softmax_out(out, a, -1, false); };
	case VNPU_OP_LAYER_NORM:
		return [=] { at::layer_norm(a, { a.size(-1) }); };
	default:
		return nullptr;
	}
}

static call_fn binary(unsigned int op, at::Tensor a, at::Tensor b,
		      at::Tensor out)
{
	switch (op) {
	case VNPU_OP_ADD:
		return [=]() mutable { at::add_out(out, a, b); };
	case VNPU_OP_MUL:
		return [=]() mutable { at::mul_out(out, a, b); };
	case VNPU_OP_GT:
		return [=]() mutable { at::gt_out(out, a, b); };
	case VNPU_OP_POW:
		return [=]() mutable { at::pow_out(out, a, b); };
	case VNPU_OP_MATMUL:
		return [=]() mutable { at::matmul_out(out, a, b); };
	default:
		return nullptr;
	}
}

static call_fn reduction(const struct vnpu_op_launch *l, at::Tensor a,
			 at::Tensor out)
{
	std::vector<int64_t> dims;

	if (l->op == VNPU_OP_SUM && l->word[0].i == 1)
		dims.push_back(l->word[1].i);
	else
		dims = { 0, 1 };
	switch (l->op) {
	case VNPU_OP_SUM:
		return [=]() mutable { at::sum_out(out, a, dims); };
	case VNPU_OP_AMAX:
		return [=]() mutable { at::amax_out(out, a, dims); };
	case VNPU_OP_VAR:
		return [=]() mutable { at::var_out(out, a, dims); };
	case VNPU_OP_ARGMAX:
		return [=] { at::argmax(a); };
	default:
		return nullptr;
	}
}

static call_fn make(const struct vnpu_op_launch *l)
{
	at::Tensor t[3];
	call_fn made;

	if (l->inputs > 2 || l->outputs != 1)
		return nullptr;
	for (int i = 0; i < l->inputs + l->outputs; i++) {
		if (type_of(&l->tensor[i]) == at::ScalarType::Undefined &&
		    !(l->tensor[i].flags & VNPU_TENSOR_F_IMMEDIATE))
			return nullptr;
		t[i] = view(&l->tensor[i]);
	}
	if (l->op == VNPU_OP_CONVOLUTION) {
		int64_t pad = l->tensor[1].dims[2] / 2;

		return [=] {
			at::conv2d(t[0], t[1], {}, 1, { pad, pad });
		};
	}
	if (l->inputs == 2)
		return binary(l->op, t[0], t[1], t[2]);
	made = reduction(l, t[0], t[1]);
	return made ? made : unary(l->op, t[0], t[1]);
}

void *peer_make(const struct vnpu_op_launch *l)
{
	c10::InferenceMode inference;
	call_fn made;

	at::set_num_threads(1);
	made = make(l);
	if (!made)
		return nullptr;
	try {
		made();
	} catch (const std::exception &error) {
		return nullptr;
	}
	return new call_fn(made);
}

void peer_call(void *made)
{
	/* Without the cost of gradients, as the engine has none. */
	c10::InferenceMode inference;

	(*static_cast<call_fn *>(made))();
}
