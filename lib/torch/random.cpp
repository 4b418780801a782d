// SPDX-License-Identifier: MIT
/* Random numbers of devices. */
#include "call.h"

namespace npu {

namespace {

void check_floating(const at::Tensor &self, const char *name)
{
	TORCH_CHECK(self.is_floating_point() && can_hold(self), name,
		    " needs a floating-point tensor, not ", self.scalar_type());
}

void fill_uniform(const at::Tensor &out, double from, double to, Random random)
{
	LAUNCH(InplaceUniform, out, from, to, random.seed, random.offset);
}

void fill_bernoulli(const at::Tensor &out, double p, double, Random random)
{
	LAUNCH(InplaceBernoulli, out, p, random.seed, random.offset);
}

at::Tensor &uniform(at::Tensor &self, double from, double to,
		    c10::optional<at::Generator> generator)
{
	check_floating(self, "uniform_()");
	TORCH_CHECK(from <= to, "uniform_() expects from <= to, but found from=",
		    from, " and to=", to);
	if (!self.numel())
		return self;
	c10::DeviceGuard on(self.device());

	fill_random(self, from, to, fill_uniform, generator);
	return self;
}

/* Draw normal numbers by the method of Box and Muller, in f32 or wider. */
at::Tensor &normal(at::Tensor &self, double mean, double std,
		   c10::optional<at::Generator> generator)
{
	check_floating(self, "normal_()");
	TORCH_CHECK(std >= 0, "normal expects std >= 0.0, but found std ", std);
	if (!self.numel())
		return self;
	at::TensorOptions options = self.options().dtype(
		self.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
	at::Tensor radius = at::empty(self.sizes(), options);
	at::Tensor angle = at::empty(self.sizes(), options);

	/* 1 - u is in (0, 1], so its logarithm is finite. */
	uniform(radius, 0, 1, generator);
	radius.neg_().add_(1).log_().mul_(-2).sqrt_();
	uniform(angle, 0, 2 * M_PI, generator);
	radius.mul_(angle.cos_()).mul_(std).add_(mean);
	return self.copy_(radius);
}

at::Tensor &bernoulli(at::Tensor &self, double p,
		      c10::optional<at::Generator> generator)
{
	TORCH_CHECK(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but "
		    "got p=", p);
	if (!self.numel())
		return self;
	c10::DeviceGuard on(self.device());

	fill_random(self, p, 0, fill_bernoulli, generator);
	return self;
}

at::Tensor &bernoulli_tensor(at::Tensor &self, const at::Tensor &p,
			     c10::optional<at::Generator> generator)
{
	at::Tensor drawn = at::empty(self.sizes(), self.options().dtype(at::kFloat));

	uniform(drawn, 0, 1, generator);
	return self.copy_(drawn.lt(p.to(self.device())));
}

std::tuple<at::Tensor, at::Tensor> dropout(const at::Tensor &input, double p,
					   c10::optional<bool> train)
{
	at::Tensor mask = at::empty(input.sizes(), input.options()
				    .dtype(at::kBool));

	if (!train.value_or(true))
		return { input.clone(), mask.fill_(true) };
	bernoulli(mask, 1 - p, {});
	return { input.mul(mask).mul_(p < 1 ? 1 / (1 - p) : 0), mask };
}

at::Tensor dropout_backward(const at::Tensor &grad, const at::Tensor &mask,
			    double scale)
{
	return grad.mul(mask).mul_(scale);
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("uniform_", uniform);
	m.impl("normal_", normal);
	m.impl("bernoulli_.float", bernoulli);
	m.impl("bernoulli_.Tensor", bernoulli_tensor);
	m.impl("native_dropout", dropout);
	m.impl("native_dropout_backward", dropout_backward);
}

} /* namespace npu */
