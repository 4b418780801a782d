# SPDX-License-Identifier: MIT
"""Arrays in the memory of a device, for numpy and DLPack."""

import math

import acl
import numpy

from .device import current_device
from .errors import check
from .memory import Memory, MemcpyKind, copy
from .stream import current_stream

# Devices of DLPack: host memory, and those that its list does not name.
DLPACK_CPU = 1
DLPACK_EXTENSION = 12

_DLPACK_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class _HostView:
    """Lets numpy access an array, and keeps it."""

    def __init__(self, owner):
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "shape": owner.shape, "typestr": owner.dtype.str,
            "data": (owner.__index__(), False)}


class DeviceArray:
    """An array without gaps. Its first index has the largest stride.

    acl's functions take it in place of its address.
    """

    def __init__(self, memory, shape, dtype):
        self.dtype = numpy.dtype(dtype)
        if self.dtype.kind not in _DLPACK_CODES:
            raise TypeError(f"an array cannot have items of type {self.dtype}")
        self.shape = tuple(int(n) for n in shape)
        self.memory = memory
        if self.nbytes > memory.size:
            raise ValueError(f"{self.nbytes} bytes do not fit {memory.size}")

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def nbytes(self):
        return self.size * self.dtype.itemsize

    @property
    def device(self):
        return self.memory.device

    def __len__(self):
        if not self.shape:
            raise TypeError("this array has no length")
        return self.shape[0]

    def __index__(self):
        return self.memory.__index__()

    def __repr__(self):
        place = "host" if self.memory.on_host else f"npu:{self.device}"
        return f"<DeviceArray {self.shape} {self.dtype} on {place}>"

    def copy_from(self, source, stream=None):
        """Copy an array of numpy or of a device here, and return this one."""
        if not isinstance(source, DeviceArray):
            source = numpy.asarray(source, self.dtype, order="C")
        if tuple(source.shape) != self.shape or source.dtype != self.dtype:
            raise ValueError(f"{source.shape} {source.dtype} does not fit "
                             f"{self.shape} {self.dtype}")
        if isinstance(source, DeviceArray):
            copy(self, source, self.nbytes, stream)
        else:
            copy(self, source.ctypes.data, self.nbytes, stream, (source,))
        return self

    def numpy(self):
        """Wait for the current stream, and return a copy in the host's memory."""
        out = numpy.empty(self.shape, self.dtype)
        stream = current_stream()
        if stream is not None:
            stream.synchronize()
        if self.nbytes:
            check(acl.rt.memcpy(out.ctypes.data, self.nbytes, self, self.nbytes,
                                MemcpyKind.DEFAULT))
        return out

    def view(self):
        """Return an array of numpy in this memory, which must not be freed."""
        if not self.memory.on_host:
            raise ValueError("the host cannot access memory of a device")
        return numpy.asarray(_HostView(self))

    def __array__(self, dtype=None):
        out = self.numpy()
        return out if dtype is None else out.astype(dtype, copy=False)

    def __dlpack_device__(self):
        if self.memory.on_host:
            return DLPACK_CPU, 0
        return DLPACK_EXTENSION, self.device

    def __dlpack__(self, stream=None):
        if stream is not None:
            raise ValueError("the consumer must order its work itself")
        return acl._vnpu.dlpack_export(
            self, self, self.shape, _DLPACK_CODES[self.dtype.kind],
            self.dtype.itemsize * 8, *self.__dlpack_device__())


def empty(shape, dtype="float32", *, pool=None, host=False):
    """Return an array of undefined items, in a pool or the device's memory."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    size = max(1, math.prod(shape) * numpy.dtype(dtype).itemsize)
    memory = pool.alloc(size) if pool is not None else Memory(size, host=host)
    return DeviceArray(memory, shape, dtype)


def array(source, dtype=None, *, pool=None, stream=None):
    """Return a copy of an array of numpy, or of an object that numpy converts."""
    source = numpy.asarray(source, dtype)
    return empty(source.shape, source.dtype, pool=pool).copy_from(source, stream)


def from_dlpack(source):
    """Return an array that shares a device's memory, or a copy of the host's."""
    if source.__dlpack_device__()[0] != DLPACK_EXTENSION:
        return array(numpy.from_dlpack(source))
    current_device()
    address, shape, code, bits, _, device, holder = acl._vnpu.dlpack_import(
        source.__dlpack__())
    kinds = {number: kind for kind, number in _DLPACK_CODES.items()}
    if code not in kinds:
        raise BufferError(f"items of type {code} of DLPack are not known")
    dtype = numpy.dtype(f"{kinds[code]}{bits // 8}")
    size = math.prod(shape) * dtype.itemsize
    return DeviceArray(Memory._of(address, size, False, device, None, holder),
                       shape, dtype)
