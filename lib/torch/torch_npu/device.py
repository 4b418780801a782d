# SPDX-License-Identifier: MIT
"""Devices."""

import collections

import acl
import torch

from . import _C

_Properties = collections.namedtuple("_Properties",
                                     "name total_memory multi_processor_count")


def check(result):
    """Return the result of a call of acl, or raise RuntimeError."""
    value, code = result if isinstance(result, tuple) else (None, result)
    if code:
        raise RuntimeError(f"ACL runtime error {code}: {acl.get_recent_err_msg()}")
    return value


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


def get_device_capability(device=None):
    """Return None: NPUs have no such number."""
    device_index(device)


def utilization(device=None):
    """Return how much of the time cores of a device were busy, in percent."""
    rates = check(acl.rt.get_device_utilization_rate(device_index(device)))
    return max(rates["cube_utilization"], rates["vector_utilization"])


def set_device_limit(device, cube_num=-1, vector_num=-1):
    """Limit the cores of a device for this process; -1 changes nothing."""
    for kind, count in enumerate((cube_num, vector_num)):
        if count != -1:
            check(acl.rt.set_device_res_limit(device_index(device), kind, count))


def get_device_limit(device=None):
    """Return the numbers of cores that this process may use."""
    return {name: check(acl.rt.get_device_res_limit(device_index(device), kind))
            for kind, name in enumerate(("cube_core_num", "vector_core_num"))}


def stop_device(device_id):
    """Stop all work of this process on a device."""
    with device(device_id):
        check(acl.rt.device_task_abort(device_index(device_id), 0))


def restart_device(device_id):
    """Use a device again after stop_device(), when its work has ended."""
    synchronize(device_id)


def check_uce_in_memory(device_id):
    """Return 0 if memory of a device has no errors that cannot be corrected, else 1."""
    errors, code = acl.rt.get_mem_uce_info(device_index(device_id), 128)
    check(code)
    return 1 if errors else 0


def get_cann_version(module="CANN"):
    """Return the version of AscendCL's interface that is offered."""
    del module                  # all parts have one version
    return check(acl.get_cann_version(1))["version"]


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
