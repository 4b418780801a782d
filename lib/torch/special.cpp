// SPDX-License-Identifier: MIT
/*
 * Special functions, as series whose error is below that of a double, or nearly so. All
 * elements of a tensor take the same steps, and where() chooses among the results.
 */
#include "special.h"

#include <cmath>

namespace npu::special {

namespace {

/* Series in 1/x are good from here on. */
constexpr int SHIFT = 8;

Tensor is_integer(const Tensor &x)
{
	return x.eq(x.floor());
}

/* Add f(x), f(x + 1), ... by a step that takes x; return the sum, and move x on. */
template <class F> Tensor sum_shifts(Tensor &x, F f)
{
	Tensor out = at::zeros_like(x);

	for (int i = 0; i < SHIFT; i++) {
		out.add_(f(x));
		x.add_(1);
	}
	return out;
}

} /* namespace */

Tensor argument(const c10::IValue &value)
{
	Tensor tensor = value.toTensor();

	if (tensor.is_complex())
		throw Unsupported{ "a complex number" };
	return tensor.to(at::kDouble);
}

Tensor result(const Values &values)
{
	Tensor out = values.back().toTensor();

	need_fractions(out);
	return out;
}

Tensor polynomial(const Tensor &x, at::ArrayRef<double> coefficients)
{
	Tensor out = at::full_like(x, coefficients[0]);

	for (double c : coefficients.slice(1))
		out.mul_(x).add_(c);
	return out;
}

Tensor angle(const Tensor &x)
{
	return at::where(x.ne(x), x, x.lt(0).to(at::kDouble).mul_(PI));
}

Tensor digamma(const Tensor &x)
{
	Tensor is_mirrored = x.lt(0), a = at::where(is_mirrored, 1 - x, x);
	Tensor sum = sum_shifts(a, [](const Tensor &t) { return t.reciprocal(); });
	Tensor w = a.square().reciprocal_();
	Tensor series = polynomial(w, { -691. / 32760, 1. / 132, -1. / 240, 1. / 252,
					-1. / 120, 1. / 12 }).mul_(w);
	Tensor out = a.log().sub_(a.reciprocal().mul_(0.5)).sub_(series).sub_(sum);
	Tensor mirrored = out.sub(x.frac().mul_(PI).tan().reciprocal_().mul_(PI));

	return at::where(is_mirrored, mirrored, out)
		.masked_fill_(is_mirrored.logical_and(is_integer(x)), NOT_A_NUMBER);
}

namespace {

/*
 * PyTorch computes sin(pi x) of its type. It is not 0 at the poles, which therefore have
 * large numbers in place of infinity.
 */
Tensor trigamma(const Tensor &x, bool is_double)
{
	Tensor is_mirrored = x.lt(0.5), a = at::where(is_mirrored, 1 - x, x);
	Tensor sum = sum_shifts(a, [](const Tensor &t) {
		return t.square().reciprocal_();
	});
	Tensor w = a.square().reciprocal_();
	Tensor series = polynomial(w, { 5. / 66, -1. / 30, 1. / 42, -1. / 30, 1. / 6 })
		.mul_(w).add_(1).div_(a);
	Tensor out = series.add_(w.mul(0.5)).add_(sum);
	Tensor turn = (is_double ? x : x.to(at::kFloat)).mul(PI).to(at::kDouble);
	Tensor pole = turn.sin().square_().reciprocal_().mul_(PI * PI);

	return at::where(is_mirrored, pole.sub_(out), out);
}

} /* namespace */

/* The sum of (q + k)^-s over all k, by the formula of Euler and Maclaurin. */
Tensor zeta(const Tensor &s, const Tensor &q)
{
	constexpr int MOST = 1000;
	/* Bernoulli numbers of even index 2 k, divided by (2 k)! */
	constexpr double FACTORS[] = {
		1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160,
		-691. / 1307674368000, 1. / 74724249600,
	};
	double least = q.masked_fill(q.ne(q), 0).min().item<double>();

	if (least < -MOST)
		throw Unsupported{ "zeta of a number far below 0" };
	Tensor a = q.clone(), power = s.neg(), sum = a.pow(power), term;
	Tensor factor = s, out;

	for (int i = least < 0 ? (int)least : 0; i < SHIFT + 2; i++) {
		term = a.add_(1).pow(power);
		sum = sum.add(term);
	}
	out = sum.add_(term.mul(a).div_(s.sub(1))).sub_(term.mul(0.5));
	term = term.div(a);
	for (int i = 0; i < 7; i++) {
		out.add_(term.mul(factor).mul_(FACTORS[i]));
		factor = factor.mul(s.add(2 * i + 1)).mul_(s.add(2 * i + 2));
		term = term.div_(a).div_(a);
	}
	Tensor is_left = q.le(0), is_pole = is_left.logical_and(is_integer(q));

	out.masked_fill_(is_left.logical_and(is_integer(s).logical_not_()),
			 NOT_A_NUMBER);
	out.masked_fill_(is_pole.logical_and(s.gt(1)), INF);
	return out.masked_fill_(s.lt(1), NOT_A_NUMBER).masked_fill_(s.eq(1), INF);
}

void polygamma(const Values &values)
{
	int64_t n = values[0].toInt();
	Tensor self = values[1].toTensor(), x = argument(self), out = result(values);

	if (n == 0)
		out.copy_(special::digamma(x));
	else if (n == 1)
		out.copy_(trigamma(x, self.scalar_type() == at::kDouble));
	else
		out.copy_(zeta(at::full_like(x, n + 1), x)
			  .mul_((n % 2 ? 1 : -1) * std::tgamma(n + 1.)));
}

Tensor entr(const Tensor &x)
{
	return x.mul(x.log()).neg_().masked_fill_(x.eq(0), 0)
		.masked_fill_(x.lt(0), -INF);
}

Tensor xlog1py(const Tensor &x, const Tensor &y)
{
	Tensor out = x.mul(y.log1p());

	return out.masked_fill_(x.eq(0).logical_and(y.eq(y)), 0);
}

/* A factor keeps squares within the range of the type. */
Tensor hypot(const Tensor &x, const Tensor &y)
{
	Tensor a = x.abs(), b = y.abs();
	Tensor most = at::maximum(a, b), ratio = at::minimum(a, b).div_(most);
	Tensor out = ratio.square_().add_(1).sqrt_().mul_(most);

	return out.masked_fill_(most.eq(0), 0)
		.masked_fill_(a.eq(INF).logical_or(b.eq(INF)), INF);
}

/* exp(x^2) erfc(x) */
Tensor erfcx(const Tensor &x)
{
	constexpr double FAR = 25;
	Tensor square = x.square();
	Tensor w = square.mul(2).reciprocal_();
	Tensor series = polynomial(w, { 105, -15, 3, -1, 1 }).div_(x)
		.div_(std::sqrt(PI));

	return at::where(x.gt(FAR), series, square.exp_().mul_(x.erfc()));
}

Tensor log_ndtr(const Tensor &x)
{
	Tensor z = x.div(std::sqrt(2));
	Tensor left = erfcx(z.neg()).mul_(0.5).log_().sub_(z.square());

	return at::where(x.lt(-1), left, z.erfc().mul_(-0.5).log1p_());
}

/* Newton's steps to the logarithm of the smaller tail; they do not pass the root. */
Tensor ndtri(const Tensor &p)
{
	constexpr int STEPS = 8;
	Tensor tail = at::minimum(p, 1 - p), wanted = tail.log();
	Tensor x = wanted.mul(-2).sqrt_().neg_();

	for (int i = 0; i < STEPS; i++) {
		Tensor now = log_ndtr(x);
		Tensor slope = x.square().mul_(-0.5).sub_(now).exp_()
			.div_(std::sqrt(2 * PI));

		x.sub_(now.sub_(wanted).div_(slope));
	}
	x = at::where(p.gt(0.5), x.neg(), x);
	return x.masked_fill_(p.eq(0), -INF).masked_fill_(p.eq(1), INF);
}

namespace {

/* Numbers of one sign are ordered as their bits are. */
void step_bits(const Tensor &self, const Tensor &other, const Tensor &out,
	       at::ScalarType bits_type)
{
	Tensor bits = self.contiguous().view(bits_type);
	Tensor grows = other.gt(self).eq(self.gt(0));
	Tensor moved = at::where(grows, bits.add(1), bits.sub(1))
		.view(self.scalar_type());
	Tensor tiny = at::ones_like(bits).view(self.scalar_type());
	Tensor from_zero = at::where(other.gt(0), tiny, tiny.neg());

	moved = at::where(self.eq(0), from_zero, moved);
	moved = at::where(self.eq(other), other, moved);
	out.copy_(at::where(self.ne(self).logical_or_(other.ne(other)),
			    self.add(other), moved));
}

} /* namespace */

void nextafter(const Values &values)
{
	Tensor out = values[2].toTensor();
	at::ScalarType type = at::result_type(values[0].toTensor(),
					      values[1].toTensor());
	std::vector<Tensor> both = at::broadcast_tensors(
		{ values[0].toTensor().to(type), values[1].toTensor().to(type) });

	switch (type) {
	case at::kHalf:
	case at::kBFloat16:
		step_bits(both[0], both[1], out, at::kShort);
		break;
	case at::kFloat:
		step_bits(both[0], both[1], out, at::kInt);
		break;
	case at::kDouble:
		step_bits(both[0], both[1], out, at::kLong);
		break;
	default:
		need_fractions(both[0]);
	}
}

} /* namespace npu::special */
