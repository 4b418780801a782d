# SPDX-License-Identifier: MIT
"""Import PyTorch, and torch_npu with it, as newer PyTorch does with backends.

This file is found as "torch" before PyTorch itself, which it puts in its place.
TORCH_DEVICE_BACKEND_AUTOLOAD=0 in the environment leaves torch_npu out.
"""

import importlib.machinery
import importlib.util
import os
import sys


def _load():
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = [entry for entry in sys.path if os.path.abspath(entry) != here]
    spec = importlib.machinery.PathFinder.find_spec(__name__, path)
    if spec is None:
        raise ModuleNotFoundError("No module named 'torch': install python3-torch",
                                  name=__name__)
    module = importlib.util.module_from_spec(spec)
    sys.modules[__name__] = module
    spec.loader.exec_module(module)
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") != "0":
        importlib.import_module("torch_npu")


_load()
