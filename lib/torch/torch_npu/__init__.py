# SPDX-License-Identifier: MIT
"""The device "npu" of PyTorch: torch.npu, Tensor.npu(), Module.npu().

PyTorch 1.13 has no means to rename a backend: the type of the device is
"privateuseone" where PyTorch prints it. "npu" is understood where programs write it.
"""

import sys

import torch

from . import amp, npu
from .names import install

torch.npu = npu
sys.modules["torch.npu"] = npu
sys.modules["torch.npu.amp"] = amp
install()

__all__ = ["npu"]
