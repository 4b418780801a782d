// SPDX-License-Identifier: MIT
/*
 * Operators that are made of several others, or are one of several.
 */
#include "call.h"

#include <cfloat>
#include <limits>

#include <ATen/native/CPUFallback.h>

namespace npu {

namespace {

using Two = std::tuple<at::Tensor, at::Tensor>;
using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

/* Return the choice of two operands, or the other one if one of them is NaN. */
void choose(const Values &values, at::Tensor (*chosen)(const at::Tensor &,
						       const at::Tensor &))
{
	at::Tensor out = values[2].toTensor();
	at::Tensor a = values[0].toTensor().to(out.scalar_type());
	at::Tensor b = values[1].toTensor().to(out.scalar_type());

	if (!out.is_floating_point())
		out.copy_(chosen(a, b));
	else
		out.copy_(at::where(b.isnan(), a,
				    at::where(a.isnan(), b, chosen(a, b))));
}

} /* namespace */

Values vectors(const Values &values)
{
	Values out = values;

	for (c10::IValue &value : out)
		if (value.isTensor() && value.toTensor().defined() &&
		    !value.toTensor().dim())
			value = value.toTensor().unsqueeze(0);
	return out;
}

void compute_fmax(const Values &values)
{
	choose(values, at::maximum);
}

void compute_fmin(const Values &values)
{
	choose(values, at::minimum);
}

void compute_copysign(const Values &values)
{
	at::Tensor out = values[2].toTensor();
	at::Tensor size = values[0].toTensor().to(out.scalar_type()).abs();

	out.copy_(at::where(values[1].toTensor().signbit(), size.neg(), size));
}

/* The divisor is 0 where both numbers are. */
void compute_lcm(const Values &values)
{
	at::Tensor out = values[2].toTensor();
	at::Tensor a = values[0].toTensor().to(out.scalar_type());
	at::Tensor b = values[1].toTensor().to(out.scalar_type());
	at::Tensor divisor = at::gcd(a, b);

	divisor.masked_fill_(divisor.eq(0), 1);
	out.copy_(a.div(divisor, "trunc").mul_(b).abs_());
}

namespace {

/* Compare with each of few elements; of many ones, find the place in their order. */
at::Tensor is_among(const at::Tensor &x, const at::Tensor &others)
{
	constexpr int64_t FEW = 32;
	at::Tensor flat = others.reshape(-1);

	if (!flat.numel())
		return at::zeros(x.sizes(), x.options().dtype(at::kBool));
	if (flat.numel() <= FEW)
		return x.unsqueeze(-1).eq(flat).any(-1);
	at::ScalarType type = at::result_type(x, flat);
	at::Tensor sorted = std::get<0>(flat.to(type).sort());
	at::Tensor place = at::searchsorted(sorted, x.to(type).contiguous())
		.clamp_max_(flat.numel() - 1);

	return sorted.index_select(0, place.reshape(-1)).view(x.sizes()).eq(x);
}

} /* namespace */

void compute_isin(const Values &values)
{
	at::Tensor out = values[3].toTensor(), found;

	if (values[1].isScalar())
		found = values[0].toTensor().eq(values[1].toScalar());
	else
		found = is_among(values[0].toTensor(), values[1].toTensor());
	out.copy_(values[2].toBool() ? found.logical_not() : found);
}

/* A vector is a matrix of one column. */
void compute_addmv(const Values &values)
{
	at::Tensor out = values[5].toTensor();

	out.copy_(at::addmm(values[0].toTensor().expand_as(out).unsqueeze(1),
			    values[1].toTensor(),
			    values[2].toTensor().unsqueeze(1),
			    values[3].toScalar(), values[4].toScalar())
			  .squeeze(1));
}

/* A bound that is None does not limit. */
void compute_clamp(const Values &values)
{
	const c10::IValue &x = values[0], &min = values[1], &max = values[2];

	if (min.isNone())
		NPU_INVOKE(ClampMaxTensor)({ x, max, values[3] });
	else if (max.isNone())
		NPU_INVOKE(ClampMinTensor)({ x, min, values[3] });
	else
		NPU_INVOKE(ClampTensor)(values);
}

/* Infinity becomes the largest number of the type; integers stay. */
void compute_nan_to_num(const Values &values)
{
	at::Tensor out = values[4].toTensor();
	double largest = FLT_MAX;

	switch (out.scalar_type()) {
	case at::kHalf:
		largest = std::numeric_limits<c10::Half>::max();
		break;
	case at::kBFloat16:
		largest = std::numeric_limits<c10::BFloat16>::max();
		break;
	case at::kFloat:
		break;
	default:
		if (out.is_floating_point())
			throw Unsupported{ "its numbers are of type float" };
		out.copy_(values[0].toTensor());
		return;
	}
	NPU_INVOKE(NanToNum)({ values[0], values[1],
			       values[2].isNone() ? largest : values[2],
			       values[3].isNone() ? -largest : values[3], out });
}

namespace {

template <bool is_left>
at::Tensor shift_as(const at::Tensor &self, const at::Tensor &other,
		    at::ScalarType type)
{
	at::Tensor x = self.to(type), by = other.to(self.device(), type);

	return is_left ? x.bitwise_left_shift(by) : x.bitwise_right_shift(by);
}

template <bool is_left>
at::Tensor shift(const at::Tensor &self, const at::Tensor &other)
{
	return shift_as<is_left>(self, other, at::result_type(self, other));
}

template <bool is_left>
at::Tensor shift_by(const at::Tensor &self, const at::Scalar &other)
{
	at::ScalarType type = at::result_type(self, other);

	return shift_as<is_left>(self, at::scalar_tensor(other, type), type);
}

at::Tensor &put_shifted(at::Tensor &self, const at::Tensor &result)
{
	TORCH_CHECK(at::canCast(result.scalar_type(), self.scalar_type()),
		    "result type ", result.scalar_type(), " can't be cast to the "
		    "desired output type ", self.scalar_type());
	TORCH_CHECK(self.sizes() == result.sizes(), "output with shape ",
		    self.sizes(), " doesn't match the broadcast shape ",
		    result.sizes());
	return self.copy_(result);
}

template <bool is_left>
at::Tensor &shift_in_place(at::Tensor &self, const at::Tensor &other)
{
	return put_shifted(self, shift<is_left>(self, other));
}

template <bool is_left>
at::Tensor &shift_in_place_by(at::Tensor &self, const at::Scalar &other)
{
	return put_shifted(self, shift_by<is_left>(self, other));
}

at::Tensor count_nonzero(const at::Tensor &self, at::IntArrayRef dim)
{
	return self.ne(0).sum(dim);
}

at::Tensor trace(const at::Tensor &self)
{
	TORCH_CHECK(self.dim() == 2, "trace: expected a matrix, but got a tensor "
		    "with ", self.dim(), " dimensions");
	return self.diagonal().sum();
}

at::Tensor diag(const at::Tensor &self, int64_t diagonal)
{
	TORCH_CHECK(self.dim() == 1 || self.dim() == 2, "diag: expected a vector or "
		    "a matrix, but got a tensor with ", self.dim(), " dimensions");
	return self.dim() == 1 ? self.diag_embed(diagonal) :
				 self.diagonal(diagonal).clone();
}

/* Add the gradient of each place of the windows to the elements that are at it. */
at::Tensor unfold_backward(const at::Tensor &grad, at::IntArrayRef sizes,
			   int64_t dim, int64_t size, int64_t step)
{
	at::Tensor out = at::zeros(sizes, grad.options());
	int64_t wrapped = at::maybe_wrap_dim(dim, (int64_t)sizes.size());

	if (!grad.numel())
		return out;
	if (sizes.empty())
		return out.add_(grad.select(-1, 0).reshape({}));
	int64_t reach = (grad.size(wrapped) - 1) * step + 1;

	for (int64_t i = 0; i < size; i++)
		out.slice(wrapped, i, i + reach, step).add_(grad.select(-1, i));
	return out;
}

/* Return the positions of the first elements of runs of equal ones. */
at::Tensor run_starts(const at::Tensor &flat)
{
	at::Tensor first = at::ones({ 1 }, flat.options().dtype(at::kBool));

	return at::cat({ first, flat.slice(0, 1).ne(flat.slice(0, 0, -1)) });
}

/* The unique elements of a line, the run of each element, and the runs' lengths. */
Three runs(const at::Tensor &flat, bool has_inverse, bool has_counts)
{
	at::Tensor none = at::empty({ 0 }, flat.options().dtype(at::kLong));
	at::Tensor inverse = none, counts = none;

	if (!flat.numel())
		return { flat.clone(), inverse, counts };
	at::Tensor is_start = run_starts(flat);
	at::Tensor starts = is_start.nonzero().squeeze(1);

	if (has_inverse)
		inverse = is_start.cumsum(0).sub_(1);
	if (has_counts) {
		at::Tensor ends = at::cat({ starts.slice(0, 1),
			at::full({ 1 }, flat.numel(), starts.options()) });

		counts = ends.sub(starts);
	}
	return { flat.index_select(0, starts), inverse, counts };
}

Three unique(const at::Tensor &self, bool, bool has_inverse, bool has_counts)
{
	Two sorted = self.reshape(-1).sort(true, 0, false);
	Three out = runs(std::get<0>(sorted), has_inverse, has_counts);
	at::Tensor &inverse = std::get<1>(out);

	if (inverse.numel())
		inverse = at::empty_like(inverse).scatter_(0,
			std::get<1>(sorted), inverse);
	if (has_inverse)
		inverse = inverse.reshape(self.sizes());
	return out;
}

void on_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
	fall_back(op, stack, "only without a dimension");
}

Three unique_consecutive(const at::Tensor &self, bool has_inverse, bool has_counts,
			 c10::optional<int64_t> dim)
{
	if (dim)
		return at::native::call_fallback_fn<&on_cpu,
			at::_ops::unique_consecutive>::call(self, has_inverse,
							    has_counts, dim);
	Three out = runs(self.reshape(-1), has_inverse, has_counts);

	if (has_inverse)
		std::get<1>(out) = std::get<1>(out).reshape(self.sizes());
	return out;
}

/*
 * Divide numbers by the power of 2 above them, which logarithms find up to rounding. Two
 * factors do it, as the power can be out of range.
 */
std::tuple<at::Tensor &, at::Tensor &> frexp(const at::Tensor &self,
					     at::Tensor &mantissa,
					     at::Tensor &exponent)
{
	TORCH_CHECK(self.is_floating_point() &&
		    mantissa.scalar_type() == self.scalar_type() &&
		    exponent.scalar_type() == at::kInt, "torch.frexp() expects an "
		    "input and a mantissa of one floating-point type, and an "
		    "exponent of type int");
	at::Tensor x = self.to(at::kDouble), size = x.abs();
	at::Tensor is_special = x.eq(0).logical_or_(size.lt(
		std::numeric_limits<double>::infinity()).logical_not_());
	at::Tensor power = size.log2().floor_().add_(1).masked_fill_(is_special, 0);
	at::Tensor half = power.mul(0.5).floor_();

	x = x.mul(half.neg().exp2_()).mul_(half.sub(power).exp2_());
	for (int i = 0; i < 2; i++) {
		at::Tensor up = x.abs().ge(1).logical_and_(is_special.logical_not());
		at::Tensor down = x.abs().lt(0.5).logical_and_(
			is_special.logical_not());
		at::Tensor move = up.to(at::kDouble).sub_(down.to(at::kDouble));

		power.add_(move);
		x.mul_(move.neg().exp2_());
	}
	mantissa.resize_(self.sizes()).copy_(x);
	exponent.resize_(self.sizes()).copy_(power);
	return { mantissa, exponent };
}

/* PyTorch's device "meta" finds a wrong size. */
at::Tensor is_number_among(const at::Scalar &number, const at::Tensor &others, bool,
			   bool invert)
{
	at::Tensor found = others.eq(number).any();

	return invert ? found.logical_not_() : found;
}

/* Gradients that are known to be 0 have memory: the device does not know others. */
at::Tensor zeros(at::IntArrayRef size, c10::optional<at::ScalarType> dtype,
		 c10::optional<at::Layout> layout, c10::optional<at::Device> device,
		 c10::optional<bool> pin_memory)
{
	return at::zeros(size, dtype, layout, device, pin_memory);
}

} /* namespace */

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
	m.impl("__lshift__.Tensor", shift<true>);
	m.impl("__rshift__.Tensor", shift<false>);
	m.impl("__lshift__.Scalar", shift_by<true>);
	m.impl("__rshift__.Scalar", shift_by<false>);
	m.impl("__ilshift__.Tensor", shift_in_place<true>);
	m.impl("__irshift__.Tensor", shift_in_place<false>);
	m.impl("__ilshift__.Scalar", shift_in_place_by<true>);
	m.impl("__irshift__.Scalar", shift_in_place_by<false>);
	m.impl("count_nonzero.dim_IntList", count_nonzero);
	m.impl("trace", trace);
	m.impl("diag", diag);
	m.impl("unfold_backward", unfold_backward);
	m.impl("_unique2", unique);
	m.impl("unique_consecutive", unique_consecutive);
	m.impl("isin.Scalar_Tensor", is_number_among);
	m.impl("frexp.Tensor_out", frexp);
	m.impl("_efficientzerotensor", zeros);
}

} /* namespace npu */
