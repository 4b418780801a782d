/* SPDX-License-Identifier: MIT */
/*
 * Special functions of real numbers. Their tensors are of type double, and stay as they
 * are. NaN, and arguments for which a function is not defined, give NaN.
 */
#ifndef TORCH_NPU_SPECIAL_H
#define TORCH_NPU_SPECIAL_H

#include "call.h"

#include <limits>

namespace npu::special {

using at::Tensor;

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double PI = 3.14159265358979323846;

/* Return a polynomial; the coefficients start with that of the highest power. */
Tensor polynomial(const Tensor &x, at::ArrayRef<double> coefficients);

/* special.cpp */
Tensor angle(const Tensor &x);
Tensor digamma(const Tensor &x);
Tensor entr(const Tensor &x);
Tensor erfcx(const Tensor &x);
Tensor log_ndtr(const Tensor &x);
Tensor ndtri(const Tensor &p);
Tensor hypot(const Tensor &x, const Tensor &y);
Tensor xlog1py(const Tensor &x, const Tensor &y);
Tensor zeta(const Tensor &s, const Tensor &q);

/* bessel.cpp; the functions ending with e are divided by their growth. */
Tensor i0(const Tensor &x);
Tensor i0e(const Tensor &x);
Tensor i1(const Tensor &x);
Tensor i1e(const Tensor &x);
Tensor k0(const Tensor &x);
Tensor k0e(const Tensor &x);
Tensor k1(const Tensor &x);
Tensor k1e(const Tensor &x);
Tensor j0(const Tensor &x);
Tensor j1(const Tensor &x);
Tensor y0(const Tensor &x);
Tensor y1(const Tensor &x);
Tensor spherical_j0(const Tensor &x);

/* polynomials.cpp: orthogonal polynomials of degrees in a tensor */
Tensor chebyshev_t(const Tensor &x, const Tensor &n);
Tensor chebyshev_u(const Tensor &x, const Tensor &n);
Tensor chebyshev_v(const Tensor &x, const Tensor &n);
Tensor chebyshev_w(const Tensor &x, const Tensor &n);
Tensor shifted_chebyshev_t(const Tensor &x, const Tensor &n);
Tensor shifted_chebyshev_u(const Tensor &x, const Tensor &n);
Tensor shifted_chebyshev_v(const Tensor &x, const Tensor &n);
Tensor shifted_chebyshev_w(const Tensor &x, const Tensor &n);
Tensor hermite_h(const Tensor &x, const Tensor &n);
Tensor hermite_he(const Tensor &x, const Tensor &n);
Tensor laguerre_l(const Tensor &x, const Tensor &n);
Tensor legendre_p(const Tensor &x, const Tensor &n);

/* Return an argument of a function, and the result, which must have fractions, too. */
Tensor argument(const c10::IValue &value);
Tensor result(const Values &values);

/* Functions of operators.h: one or two arguments, and the result. */
template <Tensor (*function)(const Tensor &)> void one(const Values &values)
{
	result(values).copy_(function(argument(values[0])));
}

template <Tensor (*function)(const Tensor &, const Tensor &)>
void two(const Values &values)
{
	result(values).copy_(function(argument(values[0]), argument(values[1])));
}

/* The degree, the argument, and the result. */
void polygamma(const Values &values);

/* Two numbers; the result is the next one of its type, which is float or shorter. */
void nextafter(const Values &values);

} /* namespace npu::special */

#endif /* TORCH_NPU_SPECIAL_H */
