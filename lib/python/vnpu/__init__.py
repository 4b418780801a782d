# SPDX-License-Identifier: MIT
"""Objects over pyACL: devices, streams, events, memory, pools, arrays and models.

Each object ends with its last reference, or with its with statement. Calls raise
vnpu.Error, with the library's message, where acl's functions return codes. These
functions take the objects in place of their numbers, so both can be mixed.

Arrays and models need numpy, which is imported at their first use.
"""

import importlib

from .device import (current_device, device, device_count, mem_get_info,
                     set_device, synchronize)
from .errors import Error, OutOfMemoryError, check
from .memory import MemcpyKind, Memory, MemoryPool, MemoryPoolType, copy
from .stream import Event, Stream, current_stream

# Names that need numpy, and their modules.
_LATE = {"DeviceArray": "arrays", "array": "arrays", "empty": "arrays",
         "from_dlpack": "arrays", "Model": "model", "load_model": "models",
         "execute": "models", "load_model_shard": "models",
         "execute_shard": "models", "AutoPrecisionSelector": "precision"}

__all__ = ["Error", "Event", "MemcpyKind", "Memory", "MemoryPool", "MemoryPoolType",
           "OutOfMemoryError", "Stream", "check", "copy", "current_device",
           "current_stream", "device", "device_count", "mem_get_info",
           "set_device", "synchronize", *_LATE]


def __getattr__(name):
    if name not in _LATE:
        raise AttributeError(f"module 'vnpu' has no attribute '{name}'")
    module = importlib.import_module(f".{_LATE[name]}", __name__)
    globals()[name] = getattr(module, name)
    return globals()[name]
