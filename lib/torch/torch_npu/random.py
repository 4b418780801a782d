# SPDX-License-Identifier: MIT
"""Generators of random numbers, and their seeds."""

import torch

from . import _C
from .device import current_device, device_count, device_index

_Generator = torch.Generator


class _Type(type):
    """The type torch.Generator, by which generators can be made and recognised."""

    def __instancecheck__(cls, value):
        return isinstance(value, _Generator)

    def __call__(cls, device="cpu"):
        device = torch.device(device)
        if device.type != "privateuseone":
            return _Generator(device)
        return _C.make_generator(device_index(device))


class Generator(metaclass=_Type):
    __doc__ = _Generator.__doc__


def default_generator(device=None):
    """Return the generator that a device uses if a call names none."""
    return _C.default_generator(device_index(device))


def manual_seed(seed):
    """Seed the generator of the current device."""
    default_generator().manual_seed(int(seed))


def manual_seed_all(seed):
    """Seed the generators of all devices."""
    for index in range(device_count()):
        default_generator(index).manual_seed(int(seed))


def seed():
    """Seed the generator of the current device with a random number."""
    default_generator().seed()


def seed_all():
    """Seed the generators of all devices with one random number."""
    manual_seed_all(default_generator(0).seed() if device_count() else 0)


def initial_seed():
    """Return the seed of the current device's generator."""
    return default_generator(current_device()).initial_seed()


def get_rng_state(device="npu"):
    """Return the state of a generator: the bytes of its seed and of its position."""
    return default_generator(device).get_state()


def set_rng_state(new_state, device="npu"):
    """Set the state of a generator to one of get_rng_state()."""
    default_generator(device).set_state(new_state)


def get_rng_state_all():
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state_all(new_states):
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
