# SPDX-License-Identifier: MIT
"""Functions of the runtime: torch.npu.npurt(). They return codes of AscendCL."""

import ctypes
import sys

import acl

from .device import current_device

_INVALID = 100000       # ACL_ERROR_INVALID_PARAM


def npuHostRegister(ptr, size, flags):
    """Let devices access memory of the host; the flags are ACL_HOST_REG_*."""
    return acl.rt.host_register_v2(ptr, size, flags)


def npuHostUnregister(ptr):
    return acl.rt.host_unregister(ptr)


def npuStreamCreate(stream):
    """Create a stream, and write its handle to an address of the host."""
    if not stream:
        return _INVALID
    handle, code = acl.rt.create_stream()
    if not code:
        ctypes.c_void_p.from_address(stream).value = handle
    return code


def npuStreamDestroy(stream):
    return acl.rt.destroy_stream(stream) if stream else _INVALID


def npurt():
    """Return this module, after a device is in use."""
    current_device()
    return sys.modules[__name__]
