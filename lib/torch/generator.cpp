// SPDX-License-Identifier: MIT
/*
 * Generators of random numbers: Philox. Its state is a seed and the number of
 * words that were drawn. Each device has one by default.
 */
#include "npu.h"

#include <cstring>
#include <deque>
#include <mutex>

#include <ATen/CPUGeneratorImpl.h>

namespace npu {

namespace {

/* The state of PyTorch's own generators before a program seeds them. */
constexpr uint64_t FIRST_SEED = 67280421310721;

/* Fields are protected by mutex_, which the callers hold as PyTorch does. */
struct Generator final : public c10::GeneratorImpl {
	explicit Generator(int device)
		: c10::GeneratorImpl(c10::Device(TYPE, (c10::DeviceIndex)device),
				     c10::DispatchKeySet(
					     c10::DispatchKey::PrivateUse1))
	{
	}

	void set_current_seed(uint64_t seed) override
	{
		state = { (int64_t)seed, 0 };
	}

	uint64_t current_seed() const override
	{
		return (uint64_t)state.seed;
	}

	uint64_t seed() override
	{
		set_current_seed(c10::detail::getNonDeterministicRandom());
		return current_seed();
	}

	void set_state(const c10::TensorImpl &bytes) override
	{
		TORCH_CHECK(bytes.device().is_cpu() && bytes.is_contiguous() &&
			    bytes.dtype() == caffe2::TypeMeta::Make<uint8_t>() &&
			    bytes.numel() == sizeof(state),
			    "the state of an NPU's generator is a tensor of ",
			    sizeof(state), " bytes of the CPU");
		memcpy(&state, bytes.data(), sizeof(state));
	}

	c10::intrusive_ptr<c10::TensorImpl> get_state() const override
	{
		at::Tensor bytes = at::empty({ sizeof(state) }, at::kByte);

		memcpy(bytes.data_ptr(), &state, sizeof(state));
		return bytes.getIntrusivePtr();
	}

	Generator *clone_impl() const override
	{
		auto *copy = new Generator(device().index());

		copy->state = state;
		return copy;
	}

	Random state{ (int64_t)FIRST_SEED, 0 };
};

std::mutex lock;
std::deque<at::Generator> defaults;

} /* namespace */

static void check_device(int device)
{
	int count = device_count();

	TORCH_CHECK(device >= 0 && device < count, "invalid NPU ", device, count ?
		    ": the devices are 0 to " + std::to_string(count - 1) :
		    std::string(": there is none"));
}

at::Generator make_generator(int device)
{
	check_device(device);
	return at::make_generator<Generator>(device);
}

at::Generator default_generator(int device)
{
	check_device(device);
	std::lock_guard<std::mutex> guard(lock);

	while (defaults.size() <= (size_t)device)
		defaults.push_back(make_generator(defaults.size()));
	return defaults[device];
}

Random draw(int device, int64_t count,
	    const c10::optional<at::Generator> &generator)
{
	at::Generator from = generator && generator->defined() ?
			     *generator : default_generator(device);
	std::lock_guard<std::mutex> guard(from.mutex());

	if (from.device().is_cpu())
		return { (int64_t)(from.get<at::CPUGeneratorImpl>()
				   ->random64() >> 1), 0 };
	TORCH_CHECK(from.device() == c10::Device(TYPE, (c10::DeviceIndex)device),
		    "expected a generator of npu:", device, ", but found one of ",
		    from.device());
	Random &state = from.get<Generator>()->state, before = state;

	/* A number of f64 takes two words. */
	state.offset += 2 * count;
	return before;
}

} /* namespace npu */
