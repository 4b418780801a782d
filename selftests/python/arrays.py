#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Arrays of numpy and of DLPack on a device."""

import gc
import sys

from tap import equal, main, raises, test

import acl
import numpy
import vnpu


def same(actual, expected):
    numpy.testing.assert_array_equal(actual, expected, strict=True)


@test
def _():
    """Addresses of arrays, and arrays at addresses."""
    array = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    pointer = acl.util.numpy_to_ptr(array)
    other = acl.util.ptr_to_numpy(pointer, (2, 3), 11)
    same(other, array)
    other[0, 0] = 9
    equal(array[0, 0], 9)
    same(acl.util.ptr_to_numpy(pointer, (6,), 11), array.reshape(6))
    equal(acl.util.ptr_to_numpy(0, (0,), 11).size, 0)
    data = acl.util.bytes_to_ptr(b"abc")
    same(acl.util.ptr_to_numpy(data, (3,), 2), numpy.frombuffer(b"abc", numpy.uint8))


@test
def _():
    """An array with gaps is copied, or its address comes with a warning."""
    array = numpy.arange(12).reshape(3, 4)[:, ::2]
    pointer, whole = acl.util.numpy_contiguous_to_ptr(array)
    same(whole, array)
    equal(pointer, whole.ctypes.data)
    import warnings
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        equal(acl.util.numpy_to_ptr(array), array.ctypes.data)
        acl.util.numpy_to_ptr(whole)
    equal(len(caught), 1)


@test
def _():
    """Wrong arguments of these functions raise exceptions."""
    array = numpy.zeros(4)
    pointer = array.ctypes.data
    raises(ValueError, acl.util.numpy_to_ptr, b"bytes")
    raises(ValueError, acl.util.ptr_to_numpy, 0, (1,), 11)
    raises(ValueError, acl.util.ptr_to_numpy, pointer, (1 << 40,), 12)
    raises(ValueError, acl.util.ptr_to_numpy, pointer, (1 << 62, 4), 12)
    raises(ValueError, acl.util.ptr_to_numpy, pointer, (-1,), 12)
    raises(ValueError, acl.util.ptr_to_numpy, pointer, (1,), 17)
    raises(ValueError, acl.util.ptr_to_numpy, pointer, (1,), 1000)
    raises(TypeError, acl.util.ptr_to_numpy, pointer, [1], 12)
    raises(TypeError, acl.util.ptr_to_numpy, pointer, ("1",), 12)
    with vnpu.Memory(64) as memory:
        raises(ValueError, acl.util.ptr_to_numpy, memory, (1,), 12)


@test
def _():
    """Arrays of all types go to the device and back."""
    for dtype in "?bBhHiIlLefdFD":
        array = numpy.arange(24).reshape(2, 3, 4).astype(dtype)
        device = vnpu.array(array)
        same(device.numpy(), array)
        same(numpy.asarray(device), array)
    equal(numpy.asarray(vnpu.array([1, 2, 3]), "f4").dtype, numpy.float32)
    same(vnpu.array(array.T).numpy(), numpy.ascontiguousarray(array.T))
    equal(vnpu.empty((2, 0)).numpy().shape, (2, 0))
    equal(vnpu.array(5).numpy()[()], 5)
    raises(TypeError, vnpu.array, ["text"])
    raises(ValueError, vnpu.empty(3).copy_from, numpy.zeros(4, "f4"))


@test
def _():
    """Inside a stream copies do not wait, and keep their arrays."""
    array = numpy.arange(1 << 16, dtype=numpy.int32)
    with vnpu.Stream() as stream:
        one, two = vnpu.empty(array.shape, "i4"), vnpu.empty(array.shape, "i4")
        one.copy_from(array + 1)
        two.copy_from(one)
        same(two.numpy(), array + 1)
    assert stream.query()


@test
def _():
    """Arrays in host memory are arrays of numpy without a copy."""
    with vnpu.MemoryPool(8 << 20, vnpu.MemoryPoolType.HOST_DEVICE) as pool:
        device = vnpu.array(numpy.arange(4), pool=pool)
        view = device.view()
        view[0] = 8
        same(device.numpy(), numpy.array([8, 1, 2, 3]))
        same(numpy.from_dlpack(device), view)
        equal(numpy.from_dlpack(device).ctypes.data, device.__index__())
        del view, device
        gc.collect()
        equal(pool.stats()["allocated"], 0)
    raises(ValueError, vnpu.empty(3).view)


@test
def _():
    """DLPack shares device memory, and frees it with its last user."""
    before = vnpu.mem_get_info()
    first = vnpu.array(numpy.arange(1 << 20, dtype=numpy.float32))
    equal(first.__dlpack_device__(), (12, 0))
    second = vnpu.from_dlpack(first)
    equal(second.__index__(), first.__index__())
    count = sys.getrefcount(first)
    capsule = first.__dlpack__()
    equal(sys.getrefcount(first), count + 1)
    del capsule
    equal(sys.getrefcount(first), count)
    del first
    equal(second.numpy()[-1], (1 << 20) - 1)
    del second
    gc.collect()
    equal(vnpu.mem_get_info(), before)
    same(vnpu.from_dlpack(numpy.arange(3)).numpy(), numpy.arange(3))
    raises((ValueError, RuntimeError, BufferError), numpy.from_dlpack, vnpu.empty(3))


if __name__ == "__main__":
    vnpu.set_device(0)
    main()
