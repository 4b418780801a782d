# SPDX-License-Identifier: MIT
"""A test of a device's results, for programs that run for long."""

import torch

from .device import current_device, device_count

_PASSED, _NOT_RUN, _WRONG = range(3)
_SIZE = 256             # sums of products below stay exact in float16


def _matrix(dtype):
    """Return a matrix of -1, 0 and 1: every type holds its products exactly."""
    return (torch.arange(_SIZE * _SIZE).reshape(_SIZE, _SIZE) * 7919 % 3 - 1).to(dtype)


def _cores_are_right(device):
    """Compare products that the device computes with those of the CPU."""
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = _matrix(dtype)
        expected = (x.float() @ x.float().t()).to(dtype)
        y = x.to(device)
        if not torch.equal((y @ y.t()).cpu(), expected):
            return False
    return True


def _copies_are_right(device):
    """Copy memory to each other device, and back."""
    x = torch.arange(1 << 20, dtype=torch.int32)
    y = x.to(device)
    for other in range(device_count()):
        if not torch.equal(y.to(torch.device("npu", other)).to(device).cpu(), x):
            return False
    return True


def stress_detect(detect_type="aic"):
    """Test the current device: 0 is a pass, 1 a test that did not run, 2 wrong results.

    "aic" tests products of matrices on the cores, and "hccs" copies to the other devices.
    """
    tests = {"aic": _cores_are_right, "hccs": _copies_are_right}
    if detect_type not in tests:
        return _NOT_RUN
    try:
        is_right = tests[detect_type](torch.device("npu", current_device()))
    except RuntimeError:
        return _NOT_RUN
    return _PASSED if is_right else _WRONG
