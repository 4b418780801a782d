# SPDX-License-Identifier: MIT
"""The device "npu" of PyTorch: torch.npu, Tensor.npu(), Module.npu().

PyTorch 1.13 has no means to rename a backend: the type of the device is
"privateuseone" where PyTorch prints it. "npu" is understood where programs write it.
"""

import sys

import torch

from . import names, npu, utils

__version__ = torch.__version__

torch.npu = npu
sys.modules["torch.npu"] = npu
for _name in ("amp", "memory", "random", "streams"):
    for _parent in ("torch.npu", "torch_npu.npu"):
        sys.modules[f"{_parent}.{_name}"] = getattr(npu, _name)
names.install()
utils.install()

__all__ = ["npu"]
