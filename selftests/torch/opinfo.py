#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""PyTorch's own database of operators: each sample gives the same as on the CPU,
and so do the operators in place and with out=, where the database has them.

claimed.txt lists operators that the device computes by itself, forward and backward;
their samples must do so at 90 % at least. The others may fall back.

usage: opinfo.py [OPERATOR...]
	--list	print the operators that never fall back, for claimed.txt
	--rest	print the others: their samples on the device, all of their samples, and
		the operators of PyTorch that ran on the CPU
"""

import collections
import math
import os
import sys
import types
import unittest

from common import equal, main, test

# The database imports this for tests that are not used here.
sys.modules.setdefault("expecttest", types.SimpleNamespace(
    TestCase=unittest.TestCase, ACCEPT=False, __spec__=None))

import torch
from torch.testing._internal.common_methods_invocations import op_db

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool]
TOLERANCE = {torch.float32: {"rtol": 1e-4, "atol": 1e-3},
             torch.float16: {"rtol": 2e-2, "atol": 2e-2},
             torch.bfloat16: {"rtol": 8e-2, "atol": 1.5}}
SAMPLES = 12
VARIANTS = 4            # samples whose variants are compared, too

# Other results are right, too: random numbers, memory without a value, signs of vectors,
# sums that overflow on the CPU, conversions out of range, elements written twice; or the
# inputs are of the host.
ANY_RESULT = """bernoulli empty empty_like new_empty new_empty_strided multinomial normal
    normal.number_mean rand_like randint randint_like randn randn_like uniform cauchy
    exponential geometric log_normal nn.functional.dropout nn.functional.dropout2d
    nn.functional.dropout3d nn.functional.alpha_dropout
    nn.functional.feature_alpha_dropout.with_train nn.functional.fractional_max_pool2d
    nn.functional.fractional_max_pool3d nn.functional.rrelu svd_lowrank
    pca_lowrank nn.functional._scaled_dot_product_attention tensor_split to_sparse
    byte char short int long as_strided_scatter dist native_batch_norm
    nn.functional.pairwise_distance""".split()
# Equal elements have any order, so all elements of their samples differ.
ORDERED = ["argsort", "kthvalue", "mode", "sort", "topk"]
# Families that only the CPU computes.
SKIPPED = ("linalg.", "fft.", "sparse.", "signal.", "stft", "istft", "_masked", "masked.",
           "nn.functional.ctc_loss", "jiterator", "svd", "eig", "symeig", "lu", "qr", "geqrf")


def name_of(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def each_tensor(value, function):
    """Replace each tensor in arguments or results."""
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return [each_tensor(item, function) for item in value]
    if isinstance(value, dict):
        return {key: each_tensor(item, function) for key, item in value.items()}
    return value


def compute(op, sample, move):
    """Return the results of a sample, and the gradients of its inputs."""
    inputs = []

    def place(tensor):
        moved = move(tensor.detach()).requires_grad_(tensor.requires_grad)
        if moved.requires_grad:
            inputs.append(moved)
        return moved
    value = each_tensor(sample.input, place)
    args = each_tensor(sample.args, place)
    out = op(value, *args, **each_tensor(sample.kwargs, place))
    results = []
    each_tensor(out, lambda t: results.append(t) or t)
    total = sum(t.float().square().sum() for t in results
                if t.requires_grad and t.is_floating_point())
    grads = []
    if inputs and isinstance(total, torch.Tensor):
        grads = torch.autograd.grad(total, inputs, allow_unused=True)
    return [t.detach() if t is not None else None for t in (*results, *grads)]


def check(op, sample, dtype):
    """Compare a sample; return what fell back, or None if the CPU refuses it."""
    try:
        expected = compute(op, sample, lambda t: t.clone())
    except (RuntimeError, NotImplementedError, TypeError, IndexError, ValueError):
        return None
    torch.npu.clear_fallbacks()
    actual = compute(op, sample, lambda t: t.npu())
    fell_back = torch.npu.fallbacks()
    equal(len(actual), len(expected))
    for a, e in zip(actual, expected):
        equal(a is None, e is None)
        if a is not None:
            torch.testing.assert_close(a.cpu(), e, equal_nan=True, check_stride=False,
                                       **TOLERANCE.get(dtype, {}))
    return fell_back


def in_place(op, sample, move):
    """Return the input, after the operator has changed it."""
    value = move(sample.input)
    op.get_inplace()(value, *each_tensor(sample.args, move),
                     **each_tensor(sample.kwargs, move))
    return [value]


def with_out(op, sample, move):
    """Return what the operator has written to a given tensor."""
    args = each_tensor([sample.input, sample.args, sample.kwargs], move)
    out = torch.full_like(op(args[0], *args[1], **args[2]), 3)
    op(args[0], *args[1], out=out, **args[2])
    return [out]


def check_variants(op, sample, dtype):
    """Compare the variants of a sample that writes to a given tensor."""
    variants = [in_place] if op.get_inplace() else []
    if op.supports_out and not isinstance(sample.input, (list, tuple)):
        variants.append(with_out)
    for variant in variants:
        try:
            expected = variant(op, sample, lambda t: t.detach().clone())
        except (RuntimeError, NotImplementedError, TypeError, IndexError, ValueError):
            continue            # the variant does not take this sample
        actual = variant(op, sample, lambda t: t.detach().npu())
        torch.testing.assert_close(actual[0].cpu(), expected[0], equal_nan=True,
                                   check_stride=False, **TOLERANCE.get(dtype, {}))


def make_distinct(sample):
    """Replace the elements by different ones; return whether the type has enough."""
    shape, dtype = sample.input.shape, sample.input.dtype
    order = torch.randperm(shape.numel())
    values = order.sub(len(order) // 2).to(dtype)
    sample.input = values.view(shape).requires_grad_(sample.input.requires_grad)
    return len(torch.unique(values.double())) == len(order)


def samples_of(op, dtype):
    try:
        grad = dtype == torch.float32 and op.supports_autograd
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=grad))[:SAMPLES]
    except (RuntimeError, ValueError, NotImplementedError):
        return []
    if op.name in ORDERED:
        return [sample for sample in samples if make_distinct(sample)]
    # The norm of one element is a rounding error. The CPU's aminmax() of a number gets a
    # dimension by keepdim, which PyTorch does not infer.
    return [sample for sample in samples
            if ("layer_norm" not in op.name or math.prod(sample.args[0]) > 1)
            and (op.name != "aminmax" or sample.input.dim()
                 or "keepdim" not in sample.kwargs)]


class Count:
    """The samples of an operator that ran on the device, and those that fell back."""

    def __init__(self):
        self.done = self.fallen = 0
        self.causes = collections.Counter()

    def add(self, fell_back):
        self.done += not fell_back
        self.fallen += bool(fell_back)
        self.causes.update(fell_back.keys())

    def is_on_device(self):
        return self.done >= 9 * self.fallen


def total(counts):
    """Return the samples that ran on the device, and all of them, as text."""
    done = sum(count.done for count in counts)
    return f"{done} of {done + sum(count.fallen for count in counts)}"


def run(ops):
    """Return the counts of operators by name, and the errors."""
    counts, errors = collections.OrderedDict(), []
    for op in ops:
        if not is_tested(op):
            continue
        name = name_of(op)
        torch.manual_seed(0)
        count = counts[name] = Count()
        for dtype in TYPES:
            if dtype not in op.supported_dtypes("cpu"):
                continue
            for number, sample in enumerate(samples_of(op, dtype)):
                try:
                    fell_back = check(op, sample, dtype)
                    if number < VARIANTS:
                        check_variants(op, sample, dtype)
                except Exception as error:      # whatever it raises is its failure
                    text = " ".join(str(error).split())[:200]
                    errors.append(f"{name} {dtype} {number}: {text}")
                    continue
                if fell_back is not None:
                    count.add(fell_back)
    return counts, errors


def chosen():
    names = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    return [op for op in op_db if not names or name_of(op) in names]


def claimed():
    with open(f"{HERE}/claimed.txt", encoding="utf-8") as file:
        return [line.strip() for line in file if not line.startswith("#")]


def is_tested(op):
    return name_of(op) not in ANY_RESULT and not name_of(op).startswith(SKIPPED)


def listed():
    """Return the names in the list of Documentation/torch.md."""
    with open(f"{HERE}/../../Documentation/torch.md", encoding="utf-8") as file:
        block = file.read().split("<!-- not claimed -->\n```text\n")[1]
    return block.split("```")[0].split()


def print_counts(is_rest):
    counts, errors = run(chosen())
    print("\n".join(errors), file=sys.stderr)
    for name, count in sorted(counts.items()):
        is_claimable = count.done and count.is_on_device()
        if is_claimable and not is_rest:
            print(name)
        elif is_rest and not is_claimable and count.fallen:
            print(f"{name}: {total([count])}: {', '.join(sorted(count.causes))}")


if "--list" in sys.argv or "--rest" in sys.argv:
    print_counts("--rest" in sys.argv)
    sys.exit()

COUNTS = {}


@test
def complete_list():
    """The documentation lists all operators that are not claimed, and no others."""
    names = {name_of(op) for op in op_db if is_tested(op)}
    equal(sorted(names - set(claimed())), sorted(listed()))


@test
def same_results():
    """Operators of the database give the results and gradients of the CPU."""
    counts, errors = run(chosen())
    COUNTS.update(counts)
    ours = [counts[name] for name in claimed() if name in counts]
    print(f"# {total(ours)} samples of the {len(ours)} claimed operators ran on the device")
    print(f"# {total(counts.values())} samples of all {len(counts)} operators did")
    for error in errors:
        print("#", error)
    equal(len(errors), 0)


@test
def no_fallback():
    """The operators that are claimed do not fall back."""
    short = [name for name in claimed() if name in COUNTS
             and not COUNTS[name].is_on_device()]
    equal(short, [])


main()
