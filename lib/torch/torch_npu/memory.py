# SPDX-License-Identifier: MIT
"""Device memory: its statistics and its limits. Sizes are in bytes."""

import collections

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
    result = {}
    for name, value in memory_stats(device).items():
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
