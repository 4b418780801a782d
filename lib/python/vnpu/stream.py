# SPDX-License-Identifier: MIT
"""Streams and events, which end with their objects or their with statement."""

import threading

import acl

from .device import current_device, in_context
from .errors import Error, check

_current = threading.local()


class _Handle:
    """An object of AscendCL, which acl's functions take in place of its number."""

    _handle = 0

    def __index__(self):
        if not self._handle:
            raise ValueError(f"this {type(self).__name__} was closed")
        return self._handle

    def __del__(self):
        try:
            self.close()
        except Error:
            pass                # the device was reset, which destroyed it


class Stream(_Handle):
    """A queue of work. With `with` it is the thread's current one, and at the end
    of the statement the program waits for it."""

    def __init__(self, priority=0, flags=0):
        self._used = []
        current_device()
        self._context = check(acl.rt.get_context())
        self._handle = check(acl.rt.create_stream_with_config(priority, flags))

    def __enter__(self):
        _stack().append(self)
        return self

    def __exit__(self, kind, value, traceback):
        _stack().pop()
        if kind is None:
            self.synchronize()

    def keep(self, *objects):
        """Keep objects, which work of the stream uses, until it has ended."""
        self._used.extend(objects)

    def synchronize(self, timeout=-1):
        """Wait for all work, at most for milliseconds; -1 is no limit."""
        number = len(self._used)
        check(acl.rt.synchronize_stream_with_timeout(self, timeout))
        del self._used[:number]

    def query(self):
        """Return whether all work has ended."""
        return check(acl.rt.stream_query(self)) == 0

    def wait(self, event):
        """Let work that is submitted from now on wait for an event."""
        check(acl.rt.stream_wait_event(self, event))

    def close(self):
        """Wait for the work, and destroy the stream; any thread may call this."""
        handle, self._handle = self._handle, 0
        if handle:
            with in_context(self._context):
                check(acl.rt.destroy_stream(handle))
        self._used.clear()


class Event(_Handle):
    """A point in a stream. With `with` it is destroyed at the end."""

    def __init__(self):
        current_device()
        self._handle = check(acl.rt.create_event())

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def record(self, stream=None):
        """Make the event that point of a stream, or of the current one."""
        check(acl.rt.record_event(self, _number(stream)))

    def wait(self, stream=None):
        """Let a stream, or the current one, wait for the event."""
        check(acl.rt.stream_wait_event(_number(stream), self))

    def synchronize(self):
        check(acl.rt.synchronize_event(self))

    def query(self):
        """Return whether the stream has reached the event."""
        return check(acl.rt.query_event_status(self)) == 1

    def elapsed_time(self, end):
        """Return the milliseconds from this event to a later one."""
        return check(acl.rt.event_elapsed_time(self, end))

    def close(self):
        handle, self._handle = self._handle, 0
        if handle:
            check(acl.rt.destroy_event(handle))


def _stack():
    if not hasattr(_current, "streams"):
        _current.streams = []
    return _current.streams


def current_stream():
    """Return the Stream of the innermost with statement; None is the default one."""
    return _stack()[-1] if _stack() else None


def _number(stream):
    stream = stream if stream is not None else current_stream()
    return stream if stream is not None else 0
