#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Programs as tutorials of torch.npu print them run to their end, without a fallback.

TORCH_ROUNDS limits the rounds of their loops; ALL=1 runs all rounds.
"""

import contextlib
import glob
import io
import os
import runpy
import tempfile

from common import equal, main, test

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = int(os.environ.get("TORCH_ROUNDS", "10"))


def short_range(count):
    return range(count if os.environ.get("ALL") else min(count, ROUNDS))


def surroundings():
    """Make the objects that the last program expects to exist."""
    model = nn.Linear(8, 8).npu()
    return {"range": short_range, "model": model,
            "intermediate_tensor": torch.zeros(8).npu(),
            "input_data": torch.randn(4, 8).npu(),
            "dataloader": torch.randn(4, 2, 8).npu().unbind(),
            "compute_loss": lambda batch: model(batch).square().mean(),
            "optimizer": torch.optim.SGD(model.parameters(), lr=0.1)}


def program(path):
    def run():
        before = os.getcwd()
        torch.npu.clear_fallbacks()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                torch.save(nn.Linear(1024, 1024).state_dict(), "model.pth")
                with contextlib.redirect_stdout(io.StringIO()):
                    runpy.run_path(path, init_globals=surroundings())
            finally:
                os.chdir(before)
        torch.npu.synchronize()
        equal(torch.npu.fallbacks(), {})
        torch.npu.set_memory_fraction(1.0)
    run.__doc__ = os.path.basename(path)[:-3].replace("_", " ")
    return run


for file in sorted(glob.glob(f"{HERE}/programs/*.py")):
    test(program(file))
main()
