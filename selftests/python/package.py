#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The package vnpu on a device, without numpy."""

import threading

from tap import equal, main, raises, test
from call import PARAM_INVALID, free_bytes, ok

import acl
import vnpu

DEVICE_TO_HOST = 2


@test
def _():
    """Objects of vnpu end with their statements, and stand for their numbers."""
    before = free_bytes()
    with vnpu.Stream() as stream:
        equal(vnpu.current_stream(), stream)
        assert ok(acl.rt.stream_get_id(stream)) >= 0
        with vnpu.Memory(1 << 20) as memory, vnpu.Event() as event:
            ok(acl.rt.memset_async(memory, memory.size, 1, memory.size, stream))
            event.record()
            event.synchronize()
            assert event.query()
            start = memory.__index__()
        raises(ValueError, memory.__index__)
        equal(acl.rt.free(start), PARAM_INVALID)
    assert stream.query()
    equal(vnpu.current_stream(), None)
    stream.close()
    raises(ValueError, stream.query)
    equal(free_bytes(), before)


@test
def _():
    """Any thread may end objects."""
    before = free_bytes(), ok(acl.rt.get_stream_available_num())
    kept = [vnpu.Stream(), vnpu.Event(), vnpu.Memory(1 << 20),
            vnpu.Memory(4096, host=True)]
    other = threading.Thread(target=kept.clear)
    other.start()
    other.join()
    equal((free_bytes(), ok(acl.rt.get_stream_available_num())), before)


@test
def _():
    """Failures raise vnpu.Error with the library's message."""
    error = raises(vnpu.OutOfMemoryError, vnpu.Memory, 1 << 50)
    equal(error.code, 207001)
    assert "does not fit" in str(error), error
    assert isinstance(error, MemoryError) and isinstance(error, RuntimeError)
    error = raises(vnpu.Error, vnpu.check, acl.rt.free(4096))
    equal((error.code, type(error)), (PARAM_INVALID, vnpu.Error))
    raises(vnpu.Error, vnpu.set_device, 99)


@test
def _():
    """Pools have device, host and common memory."""
    before = free_bytes()
    for kind in vnpu.MemoryPoolType:
        with vnpu.MemoryPool(16 << 20, kind) as pool:
            memory = pool.alloc(100000)
            equal(pool.stats()["reserved"], 2 << 20)
            ok(acl.rt.memset(memory, 100000, 7, 100000))
            if memory.on_host:
                equal(acl.util.ptr_to_bytes(memory, 3), b"\7\7\7")
            else:
                raises(ValueError, acl.util.ptr_to_bytes, memory, 3)
            error = raises(vnpu.OutOfMemoryError, pool.alloc, 32 << 20)
            assert "limit" in str(error), error
            memory.free()
            equal(pool.stats()["allocated"], 0)
            rest = pool.alloc(64)
        rest.free()             # after its pool: nothing is left to free
        raises(ValueError, pool.alloc, 1)
    equal(free_bytes(), before)


@test
def _():
    """Names that programs expect in acl.rt are there."""
    equal(acl.rt.MemoryPool, vnpu.MemoryPool)
    equal(int(acl.rt.MemcpyKind.DEVICE_TO_HOST), DEVICE_TO_HOST)
    pool = acl.rt.MemoryPool(size=4 << 20,
                             pool_type=acl.rt.MemoryPoolType.HOST_DEVICE)
    buffer = pool.alloc(1920)
    ok(acl.rt.memcpy(buffer, 1920, acl.util.bytes_to_ptr(bytes(1920)), 1920,
                     acl.rt.MemcpyKind.HOST_TO_DEVICE))
    raises(AttributeError, getattr, acl.rt, "MemoryPools")


@test
def _():
    """A device's reset ends its objects, and their clean-up is silent."""
    stream, memory, pool = vnpu.Stream(), vnpu.Memory(4096), vnpu.MemoryPool()
    kept = pool.alloc(64)
    ok(acl.rt.reset_device_force(0))
    del stream, memory, kept, pool
    ok(acl.rt.set_device(0))


if __name__ == "__main__":
    ok(acl.rt.set_device(0))
    main()
