#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Functions that are composed on the device: special functions, reductions by indices,
bags of rows, resizing by scales, averages, distances, histograms and factors.

Their results, at the edges of their ranges, too, and their gradients are those of the CPU.
"""

from common import both, close, main, raises, test

import torch

F = torch.nn.functional
special = torch.special
NAN, INF = float("nan"), float("inf")
NUMBERS = torch.tensor([-30., -8.5, -3.25, -1., -0.3, -1e-6, 0., 1e-6, 0.4, 1., 2.5, 7.,
                        19., 24.9, 25.1, 60., INF, -INF, NAN])
POSITIVE = torch.tensor([0., 1e-8, 1e-5, 0.03, 0.5, 1., 2.5, 9.9, 24.9, 25.1, 80., INF, NAN])
FINE = {"rtol": 2e-6, "atol": 1e-6}
GOOD = {"rtol": 1e-10, "atol": 1e-12}


def gradients(function, *tensors):
    """Check the gradients of a function of tensors of numbers."""
    for part in range(len(tensors)):
        def gradient(*given):
            leaves = [t.clone().requires_grad_(t.is_floating_point()) for t in given]
            function(*leaves).square().sum().backward()
            return leaves[part].grad
        if tensors[part].is_floating_point():
            both(gradient, *tensors, rtol=1e-4, atol=1e-5)


def same_error(function, *tensors):
    for move in (lambda t: t, lambda t: t.npu()):
        raises((RuntimeError, IndexError), function, *[move(t) for t in tensors])


def same_result(function, *tensors):
    """Check a function that may use the CPU."""
    close(function(*[tensor.npu() for tensor in tensors]).resolve_conj(),
          function(*tensors).resolve_conj())


@test
def real_functions():
    """Functions of all numbers, in float and in double."""
    for function in (torch.angle, torch.digamma, special.entr, special.erfcx,
                     special.i0e, special.i1e):
        both(function, NUMBERS[:-3], **FINE)
        both(function, NUMBERS[:-3].double(), **GOOD)
    for function in (special.bessel_j0, special.bessel_j1):
        both(function, NUMBERS[:-3], **FINE)
        both(function, NUMBERS[:-3].double(), rtol=0, atol=1e-7)     # PyTorch errs so much
    for function in (torch.angle, special.entr, special.log_ndtr, special.i0e):
        both(function, NUMBERS[-3:], **FINE)
    both(special.log_ndtr, NUMBERS[:-3], **FINE)
    both(special.spherical_bessel_j0, NUMBERS[:-3], **FINE)
    for function in (torch.i0, special.i1):
        both(function, NUMBERS[:-3], rtol=1e-5, atol=1e-6)
    both(special.ndtri, torch.tensor([0., 1e-30, 1e-9, 0.2, 0.5, 0.75, 1.]), **FINE)


@test
def positive_functions():
    """Functions that are defined from 0 on; below, they are NaN."""
    for function in (special.bessel_y0, special.bessel_y1, special.modified_bessel_k0,
                     special.modified_bessel_k1, special.scaled_modified_bessel_k0,
                     special.scaled_modified_bessel_k1):
        both(function, POSITIVE[:-2], rtol=1e-5, atol=1e-6)
        both(function, torch.tensor([-1.]))


@test
def gamma_functions():
    """Derivatives of the logarithm of gamma(), and the zeta function."""
    x = torch.tensor([-3.75, -0.5, 0.1, 0.49, 0.51, 1., 3., 40.])
    for n in range(5):
        both(lambda t: torch.polygamma(n, t), x, rtol=1e-5, atol=1e-5)
    gradients(torch.lgamma, x[2:])
    gradients(torch.digamma, x[2:])
    s = torch.tensor([[0.5], [1.], [2.], [2.5], [9.]])
    both(special.zeta, s, torch.tensor([-1.5, -1., 0., 0.3, 1., 50.]), **FINE)
    both(lambda q: special.zeta(2, q), torch.tensor([1., 2.]), **FINE)
    both(special.zeta, s[2], torch.tensor([NAN, -5.5, -3., 2.]), **FINE)


@test
def two_numbers():
    """Functions of two numbers, which have gaps at 0 and at infinity."""
    ends = torch.tensor([0., -0., 1., -2., 1e30, INF, -INF, NAN])
    for function in (torch.hypot, torch.nextafter, special.xlog1py):
        for dtype in (torch.float32, torch.float64):
            both(function, ends[:, None].to(dtype), ends.to(dtype))
    both(torch.nextafter, ends[:5].bfloat16(), torch.tensor(0.5).bfloat16())
    both(lambda x: special.xlog1py(x, 3), torch.tensor([0., 2.]))
    both(torch.lcm, torch.tensor([0, 4, -6, 0]), torch.tensor([0, 6, 8, 5]))
    x = torch.tensor([0., 1., -0.75, 6., 1e-42, 3e38, INF, NAN])
    both(lambda x: torch.frexp(x)[0], x)
    both(lambda x: torch.frexp(x)[1], x[:-2])
    both(lambda x: torch.frexp(x)[1], torch.tensor([5e-324, 1.7e308, 0.5],
                                                   dtype=torch.float64))


@test
def polynomials():
    """Orthogonal polynomials of different degrees in one tensor."""
    x, n = torch.linspace(-1.5, 1.5, 7), torch.tensor([[-1.], [0.], [1.], [2.], [5.]])
    for name in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
                 "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t",
                 "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
                 "legendre_polynomial_p"):
        both(getattr(special, name), x, n, rtol=1e-5, atol=1e-5)
        both(getattr(special, name), x[0], torch.tensor([NAN, 3., 2.5]), rtol=1e-5, atol=1e-5)


@test
def other_types():
    """Integers and complex numbers give the results of the CPU, or its errors."""
    n, c = torch.tensor([[4, 2], [2, 3]]), torch.tensor([[4, 1j], [-1j, 3]])
    first = torch.tensor([0, 1])
    for function in (torch.cholesky, torch.cholesky_inverse,
                     lambda a: torch.cholesky_solve(a, a), F.pdist, lambda x: torch.cdist(x, x),
                     lambda x: torch.histogram(x, 3), lambda x: torch.histogramdd(x, [2, 2]),
                     lambda x: x.logcumsumexp(0), lambda x: torch.hypot(x, x),
                     lambda x: torch.nextafter(x, x), lambda x: torch.polar(x, x),
                     lambda x: F.multi_margin_loss(x, first.to(x.device)),
                     lambda x: F.multilabel_margin_loss(x, x),
                     lambda x: torch.segment_reduce(x, "sum", lengths=2 * first.to(x.device)),
                     lambda x: F.embedding_bag(first.to(x.device), x, first.to(x.device))):
        same_error(function, n)
    for function in (torch.cholesky, torch.cholesky_inverse, torch.angle, torch.sgn,
                     lambda a: torch.cholesky_solve(a, torch.cholesky(a)),
                     lambda a: torch.linalg.solve_triangular(a, a, upper=True),
                     lambda a: torch.vdot(a[0], a[1])):
        same_result(function, c)
    same_result(lambda x, i: x.index_reduce(0, i, x, "mean"), c, first)
    for function in (torch.digamma, torch.i0, special.entr):
        same_error(function, c)
    both(torch.sign, torch.tensor([NAN, -2., 0.]))
    both(torch.hypot, torch.tensor([3., 5.]), torch.tensor([4, 12]))
    same_error(torch.cdist, torch.ones(2, 2), torch.ones(2, 2).double())


@test
def reductions():
    """Elements with the same index are reduced, with NaN and without the tensor itself."""
    index = torch.tensor([[0, 0, 2], [1, 0, 1]])
    x, source = torch.arange(12.).view(3, 4) - 4, torch.tensor([[1., -2., 3.], [NAN, 5., 2.]])
    for name in ("sum", "prod", "mean", "amax", "amin"):
        for include in (True, False):
            for values in (source, source.nan_to_num(7).long()):
                both(lambda x, i, s: x.scatter_reduce(0, i, s, name, include_self=include),
                     x.to(values.dtype), index, values)
            if name != "sum":
                both(lambda x, i, s: x.index_reduce(1, i, s, name, include_self=include),
                     x, torch.tensor([1, 1, 3]), source.new_ones(3, 3) * 2)
            gradients(lambda x, s: x.scatter_reduce(0, index.to(x.device), s, name,
                                                    include_self=include),
                      x + 0.5, source.nan_to_num(7))
    both(lambda x, s: x.scatter_reduce(0, torch.zeros_like(s, dtype=torch.long), s, "amax"),
         torch.tensor([False]), torch.tensor([False, True]))
    both(lambda x: x.scatter_reduce(0, torch.tensor(0).to(x.device), x, "sum"),
         torch.tensor(2.))


@test
def segments():
    """Segments are reduced, empty ones, too; those with zeros have gradients."""
    x = torch.tensor([[1., 2., 0., 4., 4.], [-1., 3., 0., 0., 5.]])
    lengths = torch.tensor([[2, 0, 3], [1, 3, 1]])
    for name in ("sum", "mean", "max", "min", "prod"):
        for initial in (None, 2.):
            gradients(lambda x, n: torch.segment_reduce(x, name, lengths=n, axis=1,
                                                        initial=initial).nan_to_num(0),
                      x, lengths)
        both(lambda x, n: torch.segment_reduce(x, name, lengths=n), x.t(), lengths[0])
        both(lambda x, n: torch.segment_reduce(x, name, offsets=n), x[0],
             torch.tensor([0, 2, 2, 5]))
    same_error(lambda x, n: torch.segment_reduce(x, "sum", lengths=n), x[0],
               torch.tensor([1, 2]))


@test
def indexed_numbers():
    """Tensors without dimensions are indexed as vectors of one element."""
    x, first = torch.tensor(3.), torch.tensor([0])
    both(lambda x, i: x.index_select(0, i), x, first)
    both(lambda x, i: x.gather(0, i), x, torch.tensor(0))
    both(lambda x, i: x.index_add(0, i, x), x, first)
    both(lambda x, i: x.index_copy(0, i, x + 1), x, first)
    both(lambda x, i: x.index_fill(0, i, 7), x, first)
    gradients(lambda x, i: x.gather(-1, i), x, torch.tensor(0))


@test
def bags():
    """Bags of rows: empty ones, padding, factors, and maxima."""
    table = torch.tensor([[1., -2.], [3., 4.], [-5., 4.], [0., 8.]])
    index, offsets = torch.tensor([1, 2, 2, 0, 3, 1]), torch.tensor([0, 3, 3, 5])
    for mode in ("sum", "mean", "max"):
        for padding in (None, 2):
            for last in (False, True):
                gradients(lambda t, i, o: F.embedding_bag(
                    i, t, o, mode=mode, padding_idx=padding, include_last_offset=last),
                    table, index, torch.cat([offsets, torch.tensor([6])]) if last else offsets)
    both(lambda t, i: F.embedding_bag(i, t), table, index.view(2, 3))
    both(lambda t, i, o: F.embedding_bag(i, t, o), table, index[:0], torch.tensor([0, 0]))
    gradients(lambda t, f, i, o: F.embedding_bag(i, t, o, mode="sum", per_sample_weights=f),
              table, torch.arange(6.), index, offsets)
    for embed in (F.embedding, lambda i, t, **kw: F.embedding_bag(i[:, None], t, **kw)):
        leaf = table.npu().requires_grad_()
        embed(index.npu(), leaf, scale_grad_by_freq=True).sum().backward()
        close(leaf.grad, torch.ones(4, 2))
    half = torch.ones(4, 2).half().npu().requires_grad_()
    F.embedding(torch.zeros(4096).long().npu(), half, scale_grad_by_freq=True)[0].sum().backward()
    close(half.grad[0], torch.full((2,), 1 / 4096).half())
    both(lambda t, i: F.embedding(i, t.clone(), max_norm=2.), table, index)
    same_error(lambda t, i, o: torch.embedding_bag(t, i, o, False, 1, False, t.new_ones(6)),
               table, index, offsets)


@test
def scales():
    """Resizing by scales that are not the ratio of the sizes, and its gradient."""
    for mode, dims in (("nearest", 1), ("linear", 1), ("nearest", 2), ("bilinear", 2),
                       ("bicubic", 2), ("nearest", 3), ("trilinear", 3),
                       ("nearest-exact", 1), ("nearest-exact", 2)):
        x = torch.randn(1, 2, *[5, 6, 7][:dims])
        for scale in (0.63, 1.7, 2.):
            gradients(lambda x: F.interpolate(x, scale_factor=scale, mode=mode), x)
            if mode.endswith("linear") or mode == "bicubic":
                both(lambda x: F.interpolate(x, scale_factor=scale, mode=mode,
                                             align_corners=True), x, rtol=1e-5, atol=1e-5)
    # The sizes are equal, or one is twice the other.
    for scale in (1.3, 2.2):
        for mode in ("nearest", "linear", "nearest-exact"):
            both(lambda x: F.interpolate(x, scale_factor=scale, mode=mode), torch.randn(1, 2, 3))
        gradients(lambda x: F.interpolate(x, scale_factor=scale, mode="linear"),
                  torch.randn(1, 2, 3))
    gradients(lambda x: F.interpolate(x, scale_factor=(1.2, 1.7), mode="bilinear"),
              torch.randn(1, 2, 3, 4))


@test
def averages():
    """Averages of integers are truncated, and volumes have gradients."""
    x = torch.arange(-30, 30).view(1, 1, 6, 10)
    for include in (False, True):
        for ceil in (False, True):
            both(lambda x: F.avg_pool2d(x, 3, 2, 1, ceil, include), x)
            gradients(lambda x: F.avg_pool3d(x, (2, 3, 2), 2, (1, 1, 0), ceil, include),
                      torch.randn(2, 1, 5, 6, 7))
    both(lambda x: F.avg_pool1d(x, 4, 3), x[0])
    both(lambda x: F.avg_pool3d(x, 2, divisor_override=3), x.view(1, 3, 4, 5))
    gradients(lambda x: F.avg_pool3d(x, 2, 1, divisor_override=3), torch.randn(1, 3, 4, 5))


@test
def distances():
    """Distances by all kinds of norms; those of equal rows have no slope."""
    x, y = torch.randn(4, 3), torch.randn(2, 3)
    x[1], y[0] = x[0], x[0]
    for p in (0., 0.5, 1., 2., 3.5, INF):
        gradients(lambda x, y: torch.cdist(x, y, p=p), x, y)
        if p != 0.5:
            gradients(lambda x: F.pdist(x, p), x)
    both(F.pdist, x[:1])
    both(lambda x: F.pdist(x, INF), x[:, :0])
    same_error(F.pdist, x[0])


@test
def margins():
    """Losses of margins, of lines and of one line."""
    x, target = torch.randn(3, 4), torch.tensor([1, 3, 0])
    for reduction in ("none", "mean", "sum"):
        for p in (1, 2):
            gradients(lambda x, t: F.multi_margin_loss(x, t, p, 0.7, reduction=reduction),
                      x, target)
        both(lambda x, t, w: F.multi_margin_loss(x, t, weight=w, reduction=reduction),
             x, target, torch.rand(4))
        gradients(lambda x, t: F.multilabel_margin_loss(x, t, reduction=reduction), x,
                  torch.tensor([[2, 0, -1, 1], [-1, 1, 1, 1], [3, 3, 1, 0]]))
    gradients(F.multi_margin_loss, x[0], target[0])
    both(lambda x, t: F.multi_margin_loss(x, t, reduction="none"), x[:0], target[:0])
    gradients(F.multilabel_margin_loss, x[0], torch.tensor([1, -1, 0, 0]))
    same_error(lambda x, t: F.multi_margin_loss(x, t[:2]), x, target)


@test
def chosen():
    """The mode, elements among others, sums of exponentials, and complex numbers."""
    x = torch.tensor([[3, 1, 3, 1, 2], [5, 4, 0, 2, 9]])
    for part in (0, 1):
        both(lambda x: torch.mode(x)[part], x)
        both(lambda x: torch.mode(x, 0, True)[part], x)
        both(lambda x: torch.mode(x)[part], torch.tensor(2.))
    for others in (torch.tensor([1, 9]), torch.tensor([]), torch.arange(0, 99, 3)):
        for invert in (False, True):
            both(lambda x, o: torch.isin(x, o, invert=invert), x, others)
    both(lambda x: torch.isin(x, 3), x)
    both(lambda x: torch.isin(3, x, invert=True), x)
    y = torch.tensor([[-1000., 0., 1000., -INF], [NAN, 1., 2., 3.], [-INF, -INF, 5., INF]])
    for dim in (0, 1):
        both(lambda y: y.logcumsumexp(dim), y)
    gradients(lambda y: y.logcumsumexp(0), torch.randn(5, 2))
    both(lambda x: x.renorm(2, 0, 3), x.float())
    gradients(torch.sgn, x.float())
    both(torch.complex, x.float(), torch.tensor(2.))
    both(torch.polar, x.float(), torch.tensor([0.5]))
    same_error(torch.complex, x, x)


@test
def histograms():
    """Histograms of a range, of the elements' own, and of several dimensions."""
    x = torch.tensor([0., 0.5, 1., 1., 2.25, 3., -1.])
    for part in (0, 1):
        both(lambda x: torch.histogram(x, 4)[part], x)
        both(lambda x, w: torch.histogram(x, 4, range=(0., 2.), weight=w, density=True)[part],
             x, torch.arange(7.))
        both(lambda x, e: torch.histogram(x, e)[part], x, torch.tensor([-1., 0.5, 3.]))
        both(lambda x: torch.histogram(x, 2)[part], torch.ones(3))
    points = torch.randn(9, 2)
    both(lambda p: torch.histogramdd(p, [3, 4])[0], points)
    both(lambda p, e: torch.histogramdd(p, [e, e], density=True)[0], points,
         torch.tensor([-2., 0., 1., 2.]))
    for weight in (torch.ones(1), torch.ones(7).double()):
        same_error(lambda x, w: torch.histogram(x, 3, weight=w), x, weight)
    same_error(lambda x: torch.histogram(x, 0), x)
    same_error(lambda x: torch.histogram(x, 3), torch.tensor([NAN]))


@test
def factors():
    """Factors of positive definite matrices, and products of vectors."""
    x = torch.randn(2, 4, 4)
    a = x @ x.mT + 4 * torch.eye(4)
    near = {"rtol": 1e-4, "atol": 1e-4}
    for upper in (False, True):
        both(lambda a: torch.cholesky(a, upper), a, **near)
        both(lambda a: torch.cholesky_inverse(a, upper), a, **near)
        both(lambda a, b: torch.cholesky_solve(b, a, upper), a, x[:, :, :2], **near)
    gradients(torch.cholesky, a[0])
    same_error(torch.cholesky, -a)
    both(torch.vdot, x[0, 0], x[0, 1], **near)


main()
