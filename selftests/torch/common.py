# SPDX-License-Identifier: GPL-2.0-only
"""Shared parts of the tests of torch_npu: PyTorch, and comparisons with the CPU.

TORCH_PRELOAD names libraries that stand for the driver, on a host without one.
"""

import os
import sys
import warnings

_preload = os.environ.get("TORCH_PRELOAD")
if _preload and os.environ.get("LD_PRELOAD") != _preload:
    os.execve(sys.executable, [sys.executable, *sys.argv],
              {**os.environ, "LD_PRELOAD": _preload})
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python"))

import tap          # it makes the modules of the build importable

import torch

tap.LIMIT = 1800    # an emulated processor is slow
test, equal, raises, main = tap.test, tap.equal, tap.raises, tap.main
SITE = tap.SITE
warnings.filterwarnings("ignore", message="the NPU does not compute")
torch.set_num_threads(1)


def close(actual, expected, **tolerance):
    """Check that a tensor of any device equals one of the CPU, in type and shape, too."""
    torch.testing.assert_close(actual.cpu(), expected, equal_nan=True,
                               check_stride=False, **tolerance)


def both(function, *tensors, **tolerance):
    """Check that a function gives the same on the CPU and on the NPU, by itself."""
    torch.npu.clear_fallbacks()
    close(function(*[tensor.npu() for tensor in tensors]), function(*tensors),
          **tolerance)
    equal(torch.npu.fallbacks(), {})
