// SPDX-License-Identifier: MIT
/*
 * Random numbers of devices: Philox, whose state is a seed and the numbers that were
 * drawn. A generator of the CPU, if a program gives one, is the source of a seed.
 */
#include "call.h"

#include <mutex>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>

namespace npu {

namespace {

/* The state of PyTorch's own generators before a program seeds them. */
constexpr int64_t FIRST_SEED = 67280421310721;

std::mutex lock;
std::vector<Random> states;

Random &state_of(int device)
{
	while (states.size() <= (size_t)device)
		states.push_back({ FIRST_SEED, 0 });
	return states[device];
}

/* Take @count numbers. */
Random draw(const at::Tensor &self, int64_t count,
	    c10::optional<at::Generator> &generator)
{
	if (generator && generator->defined()) {
		std::lock_guard<std::mutex> guard(generator->mutex());
		auto *cpu = at::check_generator<at::CPUGeneratorImpl>(generator);

		return { (int64_t)(cpu->random64() >> 1), 0 };
	}
	std::lock_guard<std::mutex> guard(lock);
	Random &state = state_of(self.device().index()), before = state;

	/* A number of f64 takes two words. */
	state.offset += 2 * count;
	return before;
}

void check_floating(const at::Tensor &self, const char *name)
{
	TORCH_CHECK(self.is_floating_point() && can_hold(self), name,
		    " needs a floating-point tensor, not ", self.scalar_type());
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
	Random state = draw(self, self.numel(), generator);

	LAUNCH(InplaceUniform, self, from, to, state.seed, state.offset);
	return self;
}

/* The method of Box and Muller, in f32 at least. */
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
	Random state = draw(self, self.numel(), generator);

	LAUNCH(InplaceBernoulli, self, p, state.seed, state.offset);
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

Random random_state(int device)
{
	std::lock_guard<std::mutex> guard(lock);

	return state_of(device);
}

void set_random_state(int device, Random state)
{
	std::lock_guard<std::mutex> guard(lock);

	state_of(device) = state;
}

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
