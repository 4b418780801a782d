# SPDX-License-Identifier: MIT
"""Devices."""

import collections

import torch

from . import _C

_Properties = collections.namedtuple("_Properties",
                                     "name total_memory multi_processor_count")


def is_available():
    """Return whether there is an NPU that this process may use."""
    return _C.device_count() > 0


def device_count():
    return _C.device_count()


def init():
    """Use a device in this thread, which the first tensor does by itself."""
    _C.current_device()


def is_initialized():
    return is_available()


def device_index(where=None):
    """Return the number of a device: None is the current one."""
    if where is None:
        return _C.current_device()
    if isinstance(where, int):
        return where
    where = torch.device(where)
    if where.type != "privateuseone":
        raise ValueError(f"expected an NPU, such as npu:0, not {where}")
    return _C.current_device() if where.index is None else where.index


def set_device(device):
    """Use a device in this thread."""
    _C.set_device(device_index(device))


def current_device():
    return _C.current_device()


def synchronize(device=None):
    """Wait for all work of a device."""
    _C.synchronize(device_index(device))


def get_device_name(device=None):
    device_index(device)
    return _C.soc_name()


def get_device_properties(device=None):
    """Return the name, the bytes of memory and the number of cores of a device."""
    index = device_index(device)
    if not 0 <= index < device_count():
        raise AssertionError(f"invalid NPU {index}: there are {device_count()}")
    return _Properties(_C.soc_name(), _C.memory_info(index)[1], _C.core_count(index))


def can_device_access_peer(device_id, peer_device_id):
    """Return whether two devices can copy to each other: all can, but to themselves."""
    count = device_count()
    for index in (device_id, peer_device_id):
        if not 0 <= index < count:
            raise AssertionError(f"invalid NPU {index}: there are {count}")
    return device_id != peer_device_id


class device:
    """Use a device within a with statement; None and numbers below 0 do nothing."""

    def __init__(self, device):
        self.index = -1 if device is None else device_index(device)
        self.before = -1

    def __enter__(self):
        if self.index >= 0:
            self.before = current_device()
            _C.set_device(self.index)

    def __exit__(self, *exception):
        if self.before >= 0:
            _C.set_device(self.before)


class device_of(device):
    """Use the device of a tensor; tensors of the CPU do nothing."""

    def __init__(self, tensor):
        super().__init__(tensor.device if tensor.is_npu else None)
