// SPDX-License-Identifier: MIT
/*
 * Activations and their gradients. operators.h cannot have them, as PyTorch's device
 * "meta" has no kernels that find their shapes.
 */
#include "call.h"

namespace npu {

namespace {

using Two = std::tuple<at::Tensor, at::Tensor>;

/* Other backends fill a buffer, which the gradient here does not need. */
Two log_sigmoid(const at::Tensor &self)
{
	at::Tensor out = at::empty_like(self);

	LAUNCH(LogSigmoid, self, out);
	return { out, at::empty({ 0 }, self.options()) };
}

at::Tensor log_sigmoid_backward(const at::Tensor &grad, const at::Tensor &self,
				const at::Tensor &)
{
	return grad.mul(self.neg().sigmoid_());
}

at::Tensor glu_backward(const at::Tensor &grad, const at::Tensor &self, int64_t dim)
{
	at::Tensor out = at::empty_like(self);

	LAUNCH(GluBackward, grad, self, dim, out);
	return out;
}

/* aclnn's tensors have a dimension at least, and its weights have one. */
at::Tensor with_dim(const at::Tensor &tensor)
{
	return tensor.dim() ? tensor : tensor.unsqueeze(0);
}

at::Tensor prelu(const at::Tensor &self, const at::Tensor &weight)
{
	at::Tensor x = with_dim(self), out = at::empty_like(x);

	LAUNCH(Prelu, x, with_dim(weight), out);
	return out.view(self.sizes());
}

Two prelu_backward(const at::Tensor &grad, const at::Tensor &self,
		   const at::Tensor &weight)
{
	at::Tensor x = with_dim(self), of_self = at::empty_like(x);
	at::Tensor w = with_dim(weight), of_weight = at::zeros_like(w);

	LAUNCH(PreluBackward, with_dim(grad), x, w, of_self, of_weight);
	return { of_self.view(self.sizes()), of_weight.view(weight.sizes()) };
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("log_sigmoid_forward", log_sigmoid);
	m.impl("log_sigmoid_backward", log_sigmoid_backward);
	m.impl("glu_backward", glu_backward);
	m.impl("prelu", prelu);
	m.impl("prelu_backward", prelu_backward);
}

} /* namespace npu */
