# SPDX-License-Identifier: MIT
"""Memory of devices and of the host, and pools of it."""

import enum

import acl

from .device import current_device
from .errors import Error, check, failed
from .stream import current_stream


class MemcpyKind(enum.IntEnum):
    """Directions, as acl.rt.memcpy() takes them."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3
    DEFAULT = 4


class MemoryPoolType(enum.Enum):
    DEVICE = 0          # the memory of the current device
    HOST = 1            # pinned memory of the host, for fast copies
    HOST_DEVICE = 2     # the same memory: host and devices access one address


class Memory:
    """Bytes at an address, freed with the object.

    acl's functions take it in place of the address. `on_host` is whether the
    host may access the bytes.
    """

    def __init__(self, size, *, host=False):
        """Allocate memory of the current device, or pinned memory of the host."""
        self.device = current_device()
        self.size = self.nbytes = size
        self.on_host = host
        self._holder = None
        if host:
            self._address = check(acl.rt.malloc_host(size))
            self._free = acl.rt.free_host
        else:
            self._address = check(acl.rt.malloc(size, 0))
            self._free = acl.rt.free

    @classmethod
    def _of(cls, address, size, on_host, device, free, holder=None):
        """Wrap memory that free(address) frees, and that a holder keeps."""
        self = cls.__new__(cls)
        self._address, self.size, self.nbytes = address, size, size
        self.on_host, self.device = on_host, device
        self._free, self._holder = free, holder
        return self

    def __index__(self):
        if not self._address and self.size:
            raise ValueError("this memory was freed")
        return self._address

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.free()

    def __del__(self):
        try:
            self._release()
        except (Error, AttributeError):
            pass                # its device or its pool has ended

    def free(self):
        """Wait for the current stream, and free the memory.

        No work of another stream may use it any more.
        """
        stream = current_stream()
        if stream is not None:
            stream.synchronize()
        self._release()

    def _release(self):
        address, self._address = self._address, 0
        if address and self._free:
            check(self._free(address))
        self._holder = None


class MemoryPool:
    """Memory that is taken from the device, or the host, at most once.

    `size` is the most that it may take, 0 for no limit. Options are fields of
    struct vnpu_pool_config in vnpu/pool.h.
    """

    def __init__(self, size=0, pool_type=MemoryPoolType.DEVICE, **options):
        self.device = current_device()
        self.pool_type = MemoryPoolType(pool_type)
        self.on_host = self.pool_type is not MemoryPoolType.DEVICE
        self._pool = 0
        self._pool = check(acl._vnpu.pool_create(
            {"limit": size, "host": self.on_host, **options}))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def __del__(self):
        try:
            self.close()
        except (Error, AttributeError):
            pass                # the reset of its device ended it

    def alloc(self, size):
        """Return Memory of the pool. The pool lives as long as its memory."""
        address = acl._vnpu.pool_alloc(self._open(), size)
        if not address:
            raise failed(acl.rt.peek_at_last_error(0))
        return Memory._of(address, size, self.on_host, self.device, self._free,
                          self)

    def _free(self, address):
        return acl._vnpu.pool_free(self._pool, address) if self._pool else 0

    def _open(self):
        if not self._pool:
            raise ValueError("this pool was closed")
        return self._pool

    def trim(self, keep=0):
        """Return free memory to its source, except for so many bytes."""
        check(acl._vnpu.pool_trim(self._open(), keep))

    def stats(self):
        """Return the counters of struct vnpu_pool_stats as a dict."""
        return check(acl._vnpu.pool_get_stats(self._open()))

    def close(self):
        """Free all memory of the pool."""
        pool, self._pool = self._pool, 0
        if pool:
            check(acl._vnpu.pool_destroy(pool))


def copy(target, source, size, stream=None, keep=()):
    """Copy bytes between addresses of the host and of devices.

    With a stream, or inside its with statement, the call does not wait. The
    stream keeps these objects, and more of them, until it is synchronized.
    """
    stream = stream if stream is not None else current_stream()
    if stream is None:
        check(acl.rt.memcpy(target, size, source, size, MemcpyKind.DEFAULT))
        return
    check(acl.rt.memcpy_async(target, size, source, size, MemcpyKind.DEFAULT,
                              stream))
    stream.keep(target, source, *keep)
