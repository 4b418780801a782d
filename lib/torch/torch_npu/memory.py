# SPDX-License-Identifier: MIT
"""Device memory: its statistics and its limits. Sizes are in bytes."""

import collections
import ctypes

import torch

from . import _C
from .device import device_index

_fractions = {}
_blocks = {}


def memory_stats(device=None):
    """Return all statistics, by names such as "allocated_bytes.all.peak"."""
    return collections.OrderedDict(sorted(_C.statistics(device_index(device)).items()))


def memory_stats_as_nested_dict(device=None):
    """Return memory_stats() with a dictionary for each part of its names."""
    return _nested(memory_stats(device))


def _nested(stats):
    result = {}
    for name, value in stats.items():
        *parents, last = name.split(".")
        place = result
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return result


def memory_allocated(device=None):
    """Return the bytes of all tensors."""
    return memory_stats(device)["allocated_bytes.all.current"]


def max_memory_allocated(device=None):
    """Return the greatest memory_allocated() since reset_peak_memory_stats()."""
    return memory_stats(device)["allocated_bytes.all.peak"]


def memory_reserved(device=None):
    """Return the bytes that the process has taken from the device for tensors."""
    return memory_stats(device)["reserved_bytes.all.current"]


def max_memory_reserved(device=None):
    """Return the greatest memory_reserved() since reset_peak_memory_stats()."""
    return memory_stats(device)["reserved_bytes.all.peak"]


memory_cached = memory_reserved
max_memory_cached = max_memory_reserved


def reset_peak_memory_stats(device=None):
    """Set all peaks to the present values."""
    _C.reset_peaks(device_index(device))


reset_max_memory_allocated = reset_max_memory_cached = reset_peak_memory_stats


def empty_cache():
    """Return the memory that no tensor uses to the device."""
    _C.empty_cache()


def mem_get_info(device=None):
    """Return the free and the total bytes of a device."""
    return _C.memory_info(device_index(device))


def set_per_process_memory_fraction(fraction, device=None):
    """Limit the memory that tensors may take to a part of the device's."""
    if not isinstance(fraction, float):
        raise TypeError(f"invalid fraction {fraction!r}: it must be a float")
    index = device_index(device)
    _C.set_memory_fraction(fraction, index)
    _fractions[index] = fraction


def get_per_process_memory_fraction(device=None):
    """Return the limit of set_per_process_memory_fraction(); 1.0 without one."""
    return _fractions.get(device_index(device), 1.0)


set_memory_fraction = set_per_process_memory_fraction


def caching_allocator_alloc(size, device=None, stream=None):
    """Allocate memory as tensors do, and return its address."""
    from .streams import StreamContext
    with StreamContext(stream):
        block = torch.empty(size, dtype=torch.uint8,
                            device=torch.device("npu", device_index(device)))
    _blocks[block.data_ptr()] = block
    return block.data_ptr()


def caching_allocator_delete(mem_ptr):
    """Free memory of caching_allocator_alloc()."""
    if mem_ptr not in _blocks:
        raise ValueError(f"{mem_ptr:#x} is no address of caching_allocator_alloc()")
    del _blocks[mem_ptr]


def memory_summary(device=None, abbreviated=False):
    """Return the statistics as a table."""
    index = device_index(device)
    stats = memory_stats(index)
    rows = [("allocated", "allocated_bytes.all.current", "allocated_bytes.all.peak"),
            ("reserved", "reserved_bytes.all.current", "reserved_bytes.all.peak")]
    lines = [f"NPU {index}, out of memory {stats['num_ooms']} times",
             f"{'':12}{'current MiB':>14}{'peak MiB':>14}"]
    for name, current, peak in rows:
        lines.append(f"{name:12}{stats[current] / 2**20:14.2f}{stats[peak] / 2**20:14.2f}")
    if not abbreviated:
        lines.append(f"{'tensors':12}{stats['allocation.all.current']:14}"
                     f"{stats['allocation.all.peak']:14}")
    return "\n".join(lines) + "\n"


def reset_accumulated_memory_stats(device=None):
    """Set the totals of memory_stats() to the present values."""
    _C.reset_totals(device_index(device))


def empty_virt_addr_cache():
    """Return addresses that no tensor uses, with their memory."""
    empty_cache()


def ipc_collect():
    """Do nothing: no tensor of a device is shared among processes."""


_UNIT = 2 << 20         # memory comes in multiples of it


def _segments(blocks):
    """Group blocks in order of their addresses, as (start, end, blocks)."""
    segments = []
    for block in blocks:
        start = block[1] // _UNIT * _UNIT
        end = -(-(block[1] + block[2]) // _UNIT) * _UNIT
        if segments and start <= segments[-1][1]:
            segments[-1][1] = max(end, segments[-1][1])
            segments[-1][2].append(block)
        else:
            segments.append([start, end, [block]])
    return segments


def _describe(device, start, end, blocks):
    """Return a segment of memory_snapshot(), with the gaps between its blocks."""
    parts, at = [], start
    for _, address, size, _, _ in blocks:
        if address > at:
            parts.append({"address": at, "size": address - at, "state": "inactive"})
        parts.append({"address": address, "size": size, "state": "active_allocated"})
        at = address + size
    if at < end:
        parts.append({"address": at, "size": end - at, "state": "inactive"})
    used = sum(block[2] for block in blocks)
    return {"device": device, "address": start, "total_size": end - start,
            "allocated_size": used, "active_size": used,
            "segment_type": "large" if end - start > _UNIT else "small",
            "stream": blocks[0][3], "segment_pool_id": (0, blocks[0][4]),
            "blocks": parts}


def memory_snapshot():
    """Return the memory that holds tensors, as segments with their blocks.

    Memory of the pool that holds none is only in memory_reserved().
    """
    blocks = sorted(_C.snapshot())
    return [_describe(device, *segment) for device in sorted({b[0] for b in blocks})
            for segment in _segments([b for b in blocks if b[0] == device])]


class MemPool:
    """Memory apart: see use_mem_pool(). It returns when no tensor uses it."""

    def __init__(self, allocator=None):
        if allocator is not None:
            raise ValueError("a pool has the memory of the device: use "
                             "change_current_allocator() for another allocator")
        self._pool = _C.make_pool(device_index())

    @property
    def id(self):
        return 0, self._pool.number


class use_mem_pool:
    """Let tensors that this thread makes in a with statement be in a pool."""

    def __init__(self, pool, device=None):
        self._pool = pool._pool
        if device is not None and device_index(device) != self._pool.device:
            raise ValueError(f"the pool is of npu:{self._pool.device}")

    def __enter__(self):
        self._before = _C.exchange_pool(self._pool)

    def __exit__(self, *exception):
        _C.exchange_pool(self._before)


class NPUPluggableAllocator:
    """Functions of a library: void *allocate(ssize_t size, int device, aclrtStream),
    and void free(void *, ssize_t size, int device, aclrtStream)."""

    def __init__(self, path_to_so_file, alloc_fn_name, free_fn_name):
        self._library = ctypes.CDLL(path_to_so_file)
        self._functions = [ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value
                           for name in (alloc_fn_name, free_fn_name)]


_allocator = None


def change_current_allocator(allocator):
    """Take memory from other functions; only before the first tensor."""
    global _allocator
    _C.set_plug(*allocator._functions)
    _allocator = allocator      # keeps the library


def get_allocator_backend():
    """Return "native", or "pluggable" after change_current_allocator()."""
    return "native" if _allocator is None else "pluggable"


def host_memory_stats():
    """Return the statistics of pinned memory."""
    return collections.OrderedDict(sorted(_C.pinned_statistics().items()))


def host_memory_stats_as_nested_dict():
    """Return host_memory_stats() with a dictionary for each part of its names."""
    return _nested(host_memory_stats())


def reset_peak_host_memory_stats():
    """Set the peaks of host_memory_stats() to the present values."""
    _C.reset_pinned(True, False)


def reset_accumulated_host_memory_stats():
    """Set the totals of host_memory_stats() to the present values."""
    _C.reset_pinned(False, True)


def host_empty_cache():
    """Do nothing: pinned memory returns with its last tensor."""
