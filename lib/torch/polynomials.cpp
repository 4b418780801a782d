// SPDX-License-Identifier: MIT
/*
 * Orthogonal polynomials, by their recurrences up to the highest degree. Each element
 * keeps the value of its own degree.
 */
#include "special.h"

namespace npu::special {

namespace {

/*
 * Let @next return the polynomial of degree k + 1 from those of the degrees k and k - 1;
 * that of degree 0 is 1. Degrees are truncated. If they are below 0 or NaN, the result is 0.
 */
template <class F> Tensor recur(const Tensor &first, const Tensor &n, F next)
{
	constexpr int MOST = 1000;
	Tensor degree = n.trunc().masked_fill_(n.ne(n), -1);
	double most = degree.max().item<double>();

	if (most > MOST)
		throw Unsupported{ "a polynomial of high degree" };
	Tensor before = at::ones_like(first), now = first;
	Tensor out = at::where(degree.eq(0), before, now);

	for (int k = 1; k < (int)most; k++) {
		Tensor after = next(k, now, before);

		before = now;
		now = after;
		out = at::where(degree.gt(k), now, out);
	}
	return out.masked_fill_(degree.lt(0), 0);
}

/* The four kinds of Chebyshev's differ in their polynomials of degree 1. */
Tensor chebyshev(const Tensor &x, const Tensor &n, const Tensor &first)
{
	return recur(first, n, [&](int, const Tensor &now, const Tensor &before) {
		return x.mul(2).mul_(now).sub_(before);
	});
}

/* Shifted polynomials have the interval from 0 to 1. */
Tensor shifted(const Tensor &x)
{
	return x.mul(2).sub_(1);
}

} /* namespace */

Tensor chebyshev_t(const Tensor &x, const Tensor &n)
{
	return chebyshev(x, n, x);
}

Tensor chebyshev_u(const Tensor &x, const Tensor &n)
{
	return chebyshev(x, n, x.mul(2));
}

Tensor chebyshev_v(const Tensor &x, const Tensor &n)
{
	return chebyshev(x, n, x.mul(2).sub_(1));
}

Tensor chebyshev_w(const Tensor &x, const Tensor &n)
{
	return chebyshev(x, n, x.mul(2).add_(1));
}

Tensor shifted_chebyshev_t(const Tensor &x, const Tensor &n)
{
	return chebyshev_t(shifted(x), n);
}

Tensor shifted_chebyshev_u(const Tensor &x, const Tensor &n)
{
	return chebyshev_u(shifted(x), n);
}

Tensor shifted_chebyshev_v(const Tensor &x, const Tensor &n)
{
	return chebyshev_v(shifted(x), n);
}

Tensor shifted_chebyshev_w(const Tensor &x, const Tensor &n)
{
	return chebyshev_w(shifted(x), n);
}

Tensor hermite_h(const Tensor &x, const Tensor &n)
{
	return recur(x.mul(2), n, [&](int k, const Tensor &now, const Tensor &before) {
		return x.mul(2).mul_(now).sub_(before, 2 * k);
	});
}

Tensor hermite_he(const Tensor &x, const Tensor &n)
{
	return recur(x, n, [&](int k, const Tensor &now, const Tensor &before) {
		return x.mul(now).sub_(before, k);
	});
}

Tensor laguerre_l(const Tensor &x, const Tensor &n)
{
	return recur(1 - x, n, [&](int k, const Tensor &now, const Tensor &before) {
		return (2 * k + 1 - x).mul_(now).sub_(before, k).div_(k + 1);
	});
}

Tensor legendre_p(const Tensor &x, const Tensor &n)
{
	return recur(x, n, [&](int k, const Tensor &now, const Tensor &before) {
		return x.mul(2 * k + 1).mul_(now).sub_(before, k).div_(k + 1);
	});
}

} /* namespace npu::special */
