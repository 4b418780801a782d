#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""PyTorch's own database of operators: each sample gives the same as on the CPU.

claimed.txt lists operators that the device computes by itself, forward and backward;
their samples must do so at 90 % at least. The others may fall back.

usage: opinfo.py [OPERATOR...]
	--list	print the operators that never fall back, for claimed.txt
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

# Other results are right, too: random numbers, memory without a value, the order of
# equal elements, signs of vectors, sums that overflow on the CPU, conversions out of
# range, elements written twice; or the inputs are of the host.
ANY_RESULT = """bernoulli empty empty_like new_empty new_empty_strided multinomial normal
    normal.number_mean rand_like randint randint_like randn randn_like uniform cauchy
    exponential geometric log_normal nn.functional.dropout nn.functional.dropout2d
    nn.functional.dropout3d nn.functional.alpha_dropout
    nn.functional.feature_alpha_dropout.with_train nn.functional.fractional_max_pool2d
    nn.functional.fractional_max_pool3d nn.functional.rrelu topk sort argsort svd_lowrank
    pca_lowrank nn.functional._scaled_dot_product_attention tensor_split to_sparse
    byte char short int long as_strided_scatter dist native_batch_norm
    nn.functional.pairwise_distance""".split()
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
    """Compare a sample; return whether it fell back, None if the CPU refuses it."""
    try:
        expected = compute(op, sample, lambda t: t.clone())
    except (RuntimeError, NotImplementedError, TypeError, IndexError, ValueError):
        return None
    torch.npu.clear_fallbacks()
    actual = compute(op, sample, lambda t: t.npu())
    fell_back = bool(torch.npu.fallbacks())
    equal(len(actual), len(expected))
    for a, e in zip(actual, expected):
        equal(a is None, e is None)
        if a is not None:
            torch.testing.assert_close(a.cpu(), e, equal_nan=True, check_stride=False,
                                       **TOLERANCE.get(dtype, {}))
    return fell_back


def samples_of(op, dtype):
    try:
        grad = dtype == torch.float32 and op.supports_autograd
        samples = list(op.sample_inputs("cpu", dtype, requires_grad=grad))[:SAMPLES]
    except (RuntimeError, ValueError, NotImplementedError):
        return []
    # The norm of one element is a rounding error.
    return [sample for sample in samples
            if "layer_norm" not in op.name or math.prod(sample.args[0]) > 1]


def run(ops):
    """Return the samples that ran on the device and that fell back, by operator."""
    counts, errors = collections.OrderedDict(), []
    for op in ops:
        name = name_of(op)
        if name in ANY_RESULT or name.startswith(SKIPPED):
            continue
        torch.manual_seed(0)
        done = fallen = 0
        for dtype in TYPES:
            if dtype not in op.supported_dtypes("cpu"):
                continue
            for number, sample in enumerate(samples_of(op, dtype)):
                try:
                    fell_back = check(op, sample, dtype)
                except Exception as error:      # whatever it raises is its failure
                    text = " ".join(str(error).split())[:200]
                    errors.append(f"{name} {dtype} {number}: {text}")
                    continue
                if fell_back is not None:
                    done += not fell_back
                    fallen += fell_back
        counts[name] = done, fallen
    return counts, errors


def chosen():
    names = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    return [op for op in op_db if not names or name_of(op) in names]


def print_list():
    counts, errors = run(chosen())
    print("\n".join(errors), file=sys.stderr)
    for name, (done, fallen) in sorted(counts.items()):
        if done and done >= 9 * fallen:
            print(name)


if "--list" in sys.argv:
    print_list()
    sys.exit()

COUNTS, ERRORS = {}, []


@test
def same_results():
    """Operators of the database give the results and gradients of the CPU."""
    counts, errors = run(chosen())
    COUNTS.update(counts)
    done = sum(a for a, _ in counts.values())
    print(f"# {done} of {done + sum(b for _, b in counts.values())} samples ran on the "
          "device")
    for error in errors:
        print("#", error)
    equal(len(errors), 0)


@test
def no_fallback():
    """The operators that are claimed do not fall back."""
    with open(f"{HERE}/claimed.txt", encoding="utf-8") as file:
        claimed = [line.strip() for line in file if not line.startswith("#")]
    short = [name for name in claimed if name in COUNTS
             and COUNTS[name][0] < 9 * COUNTS[name][1]]
    equal(short, [])


main()
