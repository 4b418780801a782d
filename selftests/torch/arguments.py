#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Operators that are made of others: types, NaN, empty tensors, and errors."""

from common import both, close, equal, main, raises, test

import torch

F = torch.nn.functional
aten = torch.ops.aten
NAN = float("nan")
X = torch.arange(12.).view(3, 4)


def same_error(function, *tensors):
    """Check that a call is refused on the CPU and on the NPU."""
    for move in (lambda t: t, lambda t: t.npu()):
        raises((RuntimeError, IndexError), function, *[move(t) for t in tensors])


@test
def search():
    """Sequences and values of different types are compared as PyTorch does."""
    sequence = torch.tensor([1, 2, 3])
    for values in (torch.tensor([1.5, 2., 4.]), torch.tensor([0, 2, 9]), torch.tensor(2.5)):
        for right in (False, True):
            both(lambda s, v: torch.searchsorted(s, v, right=right), sequence, values)
            both(lambda s, v: torch.bucketize(v, s, right=right), sequence, values)
    both(torch.bucketize, torch.tensor([2**32]), torch.tensor([1, 2], dtype=torch.int32))
    both(lambda s, v, o: torch.searchsorted(s, v, sorter=o), torch.tensor([3, 1, 2]),
         torch.tensor([2.5]), torch.tensor([1, 2, 0]))
    same_error(lambda s: torch.searchsorted(s, s, side="middle"), sequence)
    same_error(lambda s, o: torch.searchsorted(s, s, sorter=o), sequence, torch.tensor([0, 1]))


@test
def counts():
    """bincount() and histc(), also of no elements and of one value."""
    both(torch.bincount, torch.tensor([1, 5, 1]))
    both(lambda x: torch.bincount(x, minlength=9), torch.tensor([1, 5, 1], dtype=torch.uint8))
    both(torch.bincount, torch.tensor([1, 3]), torch.tensor([0.5, 2.]))
    both(lambda x, w: torch.bincount(x, w, 3), torch.tensor([], dtype=torch.long),
         torch.tensor([]))
    same_error(torch.bincount, torch.tensor([1, -1]))
    same_error(torch.bincount, torch.tensor([1.]))
    for x in (X, torch.full((4,), 2.)):
        both(lambda x: torch.histc(x, 5), x)
    both(lambda x: torch.histc(x, 4, 2, 7), X)
    same_error(lambda x: torch.histc(x, 4), torch.tensor([1., NAN]))
    same_error(lambda x: torch.histc(x, 0), X)


@test
def chosen():
    """Medians, the kth value and unique elements, with NaN and of numbers."""
    x = torch.tensor([[3., NAN, 1., NAN], [4., 2., 8., 1.]])
    for function in (torch.median, torch.nanmedian):
        both(function, x)
        both(function, torch.tensor(3.))
        for part in (0, 1):
            both(lambda x: function(x, 1)[part], x)
            both(lambda x: function(x, 1, keepdim=True)[part], x)
    for part in (0, 1):
        both(lambda x: torch.kthvalue(x, 2)[part], X)
        both(lambda x: torch.kthvalue(x, 1)[part], torch.tensor(3.))
        both(lambda x: torch.kthvalue(x, 3, 0, True)[part], X)
    same_error(lambda x: torch.kthvalue(x, 5), X)
    same_error(lambda x: torch.median(x, 1), torch.empty(2, 0))
    wrong = torch.empty(3, dtype=torch.int64), torch.empty(3)
    same_error(lambda x, v, i: torch.kthvalue(x, 1, out=(v, i)), X, *wrong)
    y = torch.tensor([[2, 1, 2], [3, 1, 1]])
    for i in range(3):
        both(lambda y: torch.unique(y, return_inverse=True, return_counts=True)[i], y)
        both(lambda y: torch.unique_consecutive(y, True, True)[i], y)
        both(lambda y: torch.unique(y, return_inverse=True, return_counts=True)[i], y[:0])


@test
def places():
    """take() and put_() want positions, and elements of the same type."""
    index = torch.tensor([[0, -1], [5, 5]])
    both(torch.take, X, index)
    both(torch.take, X.t(), index)
    both(lambda x, i, s: x.clone().t().put_(i, s, True), X, index, torch.ones(2, 2))
    both(lambda x, i, s: x.clone().put_(i, s), X, torch.tensor([3, 1]), torch.ones(2))
    for bad in (torch.tensor([True]), torch.tensor([0], dtype=torch.int32)):
        same_error(torch.take, X, bad)
        same_error(lambda x, i: x.clone().put_(i, torch.ones(1, device=x.device)), X, bad)
    same_error(torch.take, X[:0], index)
    same_error(lambda x, i: x.clone().put_(i, torch.ones(4).long().to(x.device)), X, index)
    z = torch.complex(X, X)
    close(z.npu().put_(torch.tensor([1]).npu(), z[0, :1].npu()),
          z.clone().put_(torch.tensor([1]), z[0, :1]))


@test
def shifts():
    """Shifts have the types of sums, and in place the type of the tensor."""
    for x in (torch.tensor([1, 6]), torch.tensor([True, False]),
              torch.tensor([3], dtype=torch.uint8)):
        both(lambda x: x << 2, x)
        both(lambda x: x >> 1, x)
    same_error(lambda x: x << 1, torch.tensor([1.]))
    both(lambda x, y: x >> y, torch.tensor([64, 9]), torch.tensor([3]))
    both(lambda x: x.clone().__ilshift__(1), torch.tensor([1, 6]))
    same_error(lambda x: x.clone().__ilshift__(1.5), torch.tensor([1, 6]))
    same_error(lambda x, y: x.clone().__ilshift__(y), torch.tensor([1]), torch.tensor([1, 2]))


@test
def padding():
    """Padding by elements and its gradient; lists of wrong lengths are errors."""
    for dims, padding in ((1, (2, 1)), (2, (1, 2, 0, 1)), (3, (1, 0, 2, 1, 1, 1))):
        x = torch.arange(2. * 3**dims).view(1, 2, *[3] * dims)
        for mode in ("reflect", "replicate"):
            def gradient(x):
                y = x.clone().requires_grad_()
                (F.pad(y, padding, mode) ** 2).sum().backward()
                return y.grad
            both(lambda x: F.pad(x, padding, mode), x)
            both(gradient, x)
    both(lambda x: F.pad(x, (-1, 3), "replicate"), X[None])
    one, volume = torch.ones(3), torch.ones(1, 1, 4, 4, 4)
    for name in ("reflection_pad1d_backward", "replication_pad3d_backward"):
        same_error(lambda g, x: getattr(aten, name)(g, x, [0, 0, 0, 0]), one, torch.ones(1))
    same_error(lambda g, x: aten.reflection_pad1d_backward(g, x, [0, 0]), torch.tensor(1.),
               torch.ones(1, 1, 1))
    same_error(torch.nn.ReflectionPad3d(1), torch.ones(4, 4, 4))
    same_error(lambda x: F.pad(x, (-3, -3, 0, 0, 0, 0), "replicate"), volume)
    same_error(lambda x: F.pad(x, (4, 0, 0, 0, 0, 0), "reflect"), volume)


@test
def volumes():
    """Pooling and resizing of volumes: results, and lists of wrong lengths."""
    x = torch.randn(1, 2, 5, 6, 7)
    both(lambda x: F.max_pool3d(x, 2), x)
    both(lambda x: F.max_pool3d(x, (2, 3, 2), (1, 2, 1), (1, 0, 1), 1, True), x)
    both(lambda x: F.interpolate(x, scale_factor=2), x)
    both(lambda x: F.interpolate(x, size=(3, 4, 9)), x)
    for size in ([2, 2], []):
        same_error(lambda x: aten.max_pool3d_with_indices(x, size), x)
    same_error(lambda x: F.max_pool3d(x, 9), x)
    same_error(lambda x: torch._C._nn.upsample_nearest3d(x, None, [2., 2.]), x[0])
    same_error(lambda x, i: F.max_unpool2d(x, i, 2), x[0, :1], torch.zeros(1, 5, 6, 7).int())


@test
def gradients():
    """Gradients of group_norm() have the types of their tensors; unfold() takes numbers."""
    x, weight, bias = torch.randn(2, 6, 3), torch.randn(6), torch.randn(6)
    for part in range(3):
        def gradient(*tensors):
            leaves = [t.clone().requires_grad_() for t in tensors]
            F.group_norm(leaves[0], 3, *leaves[1:]).square().sum().backward()
            return leaves[part].grad
        both(gradient, x, weight, bias, rtol=1e-4, atol=1e-4)

    def number(x):
        y = x.clone().requires_grad_()
        y.unfold(0, 1, 1).sum().backward()
        return y.grad
    both(number, torch.tensor(3.))
    both(lambda x: x.unfold(0, 0, 1), torch.tensor(3.))


@test
def second_device():
    """Work is done on the device of the tensors, whichever is current."""
    if torch.npu.device_count() > 1:
        x = X.to("npu:1")
        equal([torch.histc(x, 4).device.index, torch.take(x, x.long() % 12).device.index],
              [1, 1])
        close(torch.cummax(x, 1)[0], torch.cummax(X, 1)[0])
        torch.npu.synchronize(1)


main()
