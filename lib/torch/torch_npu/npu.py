# SPDX-License-Identifier: MIT
"""torch.npu: devices, streams, events, memory and random numbers."""

import secrets

import torch

from . import _C
from .memory import (
    caching_allocator_delete, caching_allocator_alloc, empty_cache,
    get_per_process_memory_fraction, max_memory_allocated, max_memory_cached,
    max_memory_reserved, mem_get_info, memory_allocated, memory_cached, memory_reserved,
    memory_stats, memory_stats_as_nested_dict, memory_summary,
    reset_max_memory_allocated, reset_max_memory_cached, reset_peak_memory_stats,
    set_memory_fraction, set_per_process_memory_fraction)
from .streams import (
    Event, Stream, StreamContext, current_stream, default_stream, set_stream, stream)
from .device import (
    can_device_access_peer, current_device, device, device_count, device_index, device_of,
    get_device_name, get_device_properties, init, is_available, is_initialized,
    set_device, synchronize)


def fallbacks():
    """Return the operators that ran on the CPU, with the number of their calls."""
    return dict(_C.fallbacks())


def clear_fallbacks():
    """Forget the calls so far; each operator then warns again."""
    _C.clear_fallbacks()


def manual_seed(seed):
    """Seed the generator of the current device."""
    _C.set_random_state(current_device(), _to_signed(seed), 0)


def manual_seed_all(seed):
    """Seed the generators of all devices."""
    for index in range(device_count()):
        _C.set_random_state(index, _to_signed(seed), 0)


def seed():
    """Seed the generator of the current device with a random number."""
    manual_seed(secrets.randbits(63))


def seed_all():
    """Seed the generators of all devices with one random number."""
    manual_seed_all(secrets.randbits(63))


def initial_seed():
    """Return the seed of the current device's generator."""
    return _C.random_state(current_device())[0]


def get_rng_state(device="npu"):
    """Return the state of a generator: a tensor of its seed and its position."""
    return torch.tensor(_C.random_state(device_index(device)), dtype=torch.int64)


def set_rng_state(new_state, device="npu"):
    """Set the state of a generator to one of get_rng_state()."""
    _C.set_random_state(device_index(device), *new_state.tolist())


def get_rng_state_all():
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state_all(new_states):
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def is_bf16_supported():
    return True


def _to_signed(seed):
    """Fit a seed of PyTorch, which may be of 64 bits without a sign, into int64."""
    seed = int(seed) & (1 << 64) - 1
    return seed - (1 << 64) if seed >> 63 else seed
