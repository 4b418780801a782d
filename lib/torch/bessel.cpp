// SPDX-License-Identifier: MIT
/*
 * Bessel functions of the orders 0 and 1. Near 0 they are means over angles, which the
 * rule of trapezoids finds with few angles. Far from 0 they are asymptotic series.
 */
#include "special.h"

#include <cmath>

namespace npu::special {

namespace {

constexpr double EULER = 0.57721566490153286061;

/* Series are used from here on. */
constexpr double FAR = 25;
constexpr int TERMS = 18;

/* Return the factor of term @k of the series of an order, without the power of 1/x. */
double series_factor(int order, int k)
{
	return (4. * order * order - (2 * k - 1) * (2 * k - 1)) / (8. * k);
}

/* The sum of the series of I, or with alternating signs, of K. */
Tensor growth_series(const Tensor &x, int order, int sign)
{
	Tensor term = at::ones_like(x), out = term.clone();

	for (int k = 1; k < TERMS; k++) {
		term.mul_(sign * series_factor(order, k)).div_(x);
		out.add_(term);
	}
	return out;
}

/* The mean of cosh(x cos t), or of cos t sinh(x cos t). */
Tensor near_i(const Tensor &x, int order)
{
	constexpr int ANGLES = 40;
	Tensor out = order ? x.sinh() : x.cosh().add_(1);

	for (int k = 1; k < ANGLES / 2; k++) {
		double c = std::cos(PI * k / ANGLES);
		Tensor part = x.mul(c);

		out.add_(order ? part.sinh().mul_(c) : part.cosh(), 2);
	}
	return out.div_(ANGLES);
}

/* I(x) exp(-x) of x from 0 on */
Tensor scaled_i(const Tensor &x, int order)
{
	Tensor far = growth_series(x, order, -1).div_(x.mul(2 * PI).sqrt_());
	Tensor near = near_i(x.clamp_max(FAR), order).mul_(x.neg().exp_());

	return at::where(x.lt(FAR), near, far);
}

/* The integral of exp(-x (cosh t - 1)), or of this times cosh t, which ends at END. */
Tensor near_k(const Tensor &x, int order)
{
	constexpr double STEP = 0.2, END = 20;
	Tensor out = at::full_like(x, 0.5);

	for (double t = STEP; t < END; t += STEP)
		out.add_(x.mul(1 - std::cosh(t)).exp_(), order ? std::cosh(t) : 1.);
	return out.mul_(STEP);
}

/* K(x) exp(x) */
Tensor scaled_k(const Tensor &x, int order)
{
	constexpr double TINY = 1e-6;
	Tensor far = growth_series(x, order, 1).mul_(x.mul(2 / PI).rsqrt_());
	Tensor tiny = order ? x.reciprocal() :
			      x.mul(0.5).log_().add_(EULER).neg_();

	tiny.mul_(x.exp());
	Tensor out = at::where(x.lt(FAR), near_k(x, order), far);

	return at::where(x.lt(TINY), tiny, out).masked_fill_(x.eq(0), INF)
		.masked_fill_(x.lt(0), NOT_A_NUMBER);
}

/* The mean of cos(x sin t), or of sin t sin(x sin t), with weights of the angles. */
template <class F> Tensor mean_wave(const Tensor &x, int order, F weight)
{
	constexpr int ANGLES = 64;
	Tensor out = at::full_like(x, order ? 0 : weight(0.));

	for (int k = 1; k <= ANGLES / 2; k++) {
		double t = PI * k / ANGLES, s = std::sin(t);
		double factor = (k < ANGLES / 2 ? 2 : 1) * weight(t);
		Tensor part = x.mul(s);

		out.add_(order ? part.sin().mul_(s) : part.cos(), factor);
	}
	return out.div_(ANGLES);
}

double even_weight(double)
{
	return 1;
}

/* The sum of (-1)^k cos(2 k t) / k, which adds the J of even orders (Neumann). */
double log_weight(double t)
{
	double out = 0;

	for (int k = 1; k <= 30; k++)
		out += (k % 2 ? -1 : 1) * std::cos(2 * k * t) / k;
	return out;
}

/* Far from 0: the real part of a wave is J, its imaginary part Y. */
Tensor far_wave(const Tensor &x, int order, bool is_y)
{
	Tensor term = at::ones_like(x), p = term.clone(), q = at::zeros_like(x);

	for (int k = 1; k < TERMS; k++) {
		Tensor &sum = k % 2 ? q : p;

		term.mul_(series_factor(order, k)).div_(x);
		sum.add_(term, k % 4 < 2 ? 1 : -1);
	}
	Tensor phase = x.sub(PI / 4 + order * PI / 2);
	Tensor c = phase.cos(), s = phase.sin_();

	return (is_y ? p.mul(s).add_(q.mul(c)) : p.mul(c).sub_(q.mul(s)))
		.mul_(x.mul(PI / 2).rsqrt_());
}

Tensor wave_j(const Tensor &x, int order)
{
	Tensor a = x.abs();
	Tensor near = mean_wave(a, order, even_weight);
	Tensor out = at::where(a.lt(FAR), near, far_wave(a, order, false));

	return out.masked_fill_(a.eq(INF), 0);
}

Tensor near_y(const Tensor &x, int order)
{
	Tensor log = x.mul(0.5).log_().add_(EULER);
	Tensor out = mean_wave(x, order, even_weight).mul_(log)
		.sub_(mean_wave(x, order, log_weight), 2);

	if (order)
		out.sub_(mean_wave(x, 0, even_weight).div_(x));
	return out.mul_(2 / PI);
}

Tensor wave_y(const Tensor &x, int order)
{
	Tensor out = at::where(x.lt(FAR), near_y(x, order), far_wave(x, order, true));

	return out.masked_fill_(x.eq(INF), 0).masked_fill_(x.eq(0), -INF)
		.masked_fill_(x.lt(0), NOT_A_NUMBER);
}

Tensor grown(const Tensor &scaled, const Tensor &x)
{
	return scaled.mul(x.exp()).masked_fill_(x.eq(INF), INF);
}

} /* namespace */

Tensor i0e(const Tensor &x)
{
	return scaled_i(x.abs(), 0);
}

Tensor i0(const Tensor &x)
{
	return grown(i0e(x), x.abs());
}

Tensor i1e(const Tensor &x)
{
	return scaled_i(x.abs(), 1).mul_(x.sign());
}

Tensor i1(const Tensor &x)
{
	Tensor a = x.abs();

	return grown(scaled_i(a, 1), a).mul_(x.sign());
}

Tensor k0e(const Tensor &x)
{
	return scaled_k(x, 0);
}

Tensor k0(const Tensor &x)
{
	return k0e(x).mul_(x.neg().exp_());
}

Tensor k1e(const Tensor &x)
{
	return scaled_k(x, 1);
}

Tensor k1(const Tensor &x)
{
	return k1e(x).mul_(x.neg().exp_());
}

Tensor j0(const Tensor &x)
{
	return wave_j(x, 0);
}

Tensor j1(const Tensor &x)
{
	return wave_j(x, 1).mul_(x.sign());
}

Tensor y0(const Tensor &x)
{
	return wave_y(x, 0);
}

Tensor y1(const Tensor &x)
{
	return wave_y(x, 1);
}

Tensor spherical_j0(const Tensor &x)
{
	return x.sin().div_(x).masked_fill_(x.eq(0), 1)
		.masked_fill_(x.abs().eq(INF), 0);
}

} /* namespace npu::special */
