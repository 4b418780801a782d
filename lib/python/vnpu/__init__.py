# SPDX-License-Identifier: MIT
"""Objects over pyACL: devices, streams, events, memory, pools and arrays.

Each object ends with its last reference, or with its with statement. Calls raise
vnpu.Error, with the library's message, where acl's functions return codes. These
functions take the objects in place of their numbers, so both can be mixed.

Arrays need numpy, which is imported at their first use.
"""

from .device import (current_device, device, device_count, mem_get_info,
                     set_device, synchronize)
from .errors import Error, OutOfMemoryError, check
from .memory import MemcpyKind, Memory, MemoryPool, MemoryPoolType, copy
from .stream import Event, Stream, current_stream

_ARRAYS = ("DeviceArray", "array", "empty", "from_dlpack")

__all__ = ["Error", "Event", "MemcpyKind", "Memory", "MemoryPool", "MemoryPoolType",
           "OutOfMemoryError", "Stream", "check", "copy", "current_device",
           "current_stream", "device", "device_count", "mem_get_info",
           "set_device", "synchronize", *_ARRAYS]


def __getattr__(name):
    if name not in _ARRAYS:
        raise AttributeError(f"module 'vnpu' has no attribute '{name}'")
    from . import arrays
    globals().update({known: getattr(arrays, known) for known in _ARRAYS})
    return globals()[name]
