# SPDX-License-Identifier: MIT
"""Streams and events."""

import acl
import torch

from . import _C
from .device import check, device_index


class Stream:
    """A queue of work of a device: a new one, which lives as long as the process."""

    def __init__(self, device=None, priority=0, *, stream_id=None):
        self.device_index = device_index(device)
        self.stream_id = (_C.new_stream(self.device_index) if stream_id is None
                          else stream_id)

    @property
    def device(self):
        return torch.device("npu", self.device_index)

    @property
    def npu_stream(self):
        """The handle of AscendCL; 0 is the default stream."""
        return _C.stream_handle(self.device_index, self.stream_id)

    def synchronize(self):
        """Wait for the work of the stream."""
        _C.synchronize_stream(self.device_index, self.stream_id)

    def query(self):
        """Return whether all work is done."""
        return _C.query_stream(self.device_index, self.stream_id)

    def record_event(self, event=None):
        """Record an event, by default a new one, and return it."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Let work from now on wait for an event."""
        event.wait(self)

    def wait_stream(self, stream):
        """Let work from now on wait for all present work of another stream."""
        _C.order(stream.device_index, stream.stream_id, self.device_index, self.stream_id)

    def __eq__(self, other):
        return (isinstance(other, Stream) and self.device_index == other.device_index
                and self.stream_id == other.stream_id)

    def __hash__(self):
        return hash((self.device_index, self.stream_id))

    def __repr__(self):
        return f"<torch.npu.Stream device=npu:{self.device_index} id={self.stream_id}>"


class Event:
    """A mark in the work of a stream. One that was never recorded is complete."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        if interprocess:
            raise ValueError("events of several processes are not supported")
        self._event = _C.Event(enable_timing, False)

    def record(self, stream=None):
        """Mark the present work of a stream, by default the current one."""
        stream = stream or current_stream()
        self._event.record(stream.device_index, stream.stream_id)

    def wait(self, stream=None):
        """Let a stream, by default the current one, wait for the event."""
        stream = stream or current_stream()
        self._event.wait(stream.device_index, stream.stream_id)

    def query(self):
        """Return whether the marked work is done."""
        return self._event.query()

    def synchronize(self):
        """Wait until the marked work is done."""
        self._event.synchronize()

    def elapsed_time(self, end_event):
        """Return the milliseconds to another event."""
        return self._event.elapsed_time(end_event._event)


class ExternalEvent(Event):
    """A mark that a graph waits for, and work outside of it records.

    Within a graph, wait() and reset() are captured: each replay waits for the next
    record().
    """

    def __init__(self):
        super().__init__()
        self._event = _C.Event(False, True)

    def reset(self, stream=None):
        """Forget the record, after the present work of a stream."""
        stream = stream or current_stream()
        self._event.reset(stream.device_index, stream.stream_id)


class ExternalStream(Stream):
    """A stream that the program has made by other means; it must live as long."""

    def __init__(self, stream_ptr, device=None):
        device = device_index(device)
        super().__init__(device, stream_id=_C.adopt_stream(device, stream_ptr))


class SyncLaunchStream(Stream):
    """A stream that has run an operator when its call returns."""

    def __init__(self, device=None, priority=0):
        super().__init__(device, priority)
        _C.set_sync_launch(self.device_index, self.stream_id)


class StreamContext:
    """Make a stream the current one, and its device, within a with statement."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self._device = _C.current_device()
            _C.set_device(self.stream.device_index)
            self._before = current_stream()
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *exception):
        if self.stream is not None:
            set_stream(self._before)
            _C.set_device(self._device)


def stream(stream):
    """Return a context in which a stream is the current one; None does nothing."""
    return StreamContext(stream)


def set_stream(stream):
    """Make a stream the current one of its device, in this thread."""
    if stream is not None:
        _C.set_stream(stream.device_index, stream.stream_id)


def current_stream(device=None):
    """Return the stream of this thread on a device."""
    index = device_index(device)
    return Stream(index, stream_id=_C.current_stream(index))


def default_stream(device=None):
    """Return the stream that a device has by itself."""
    return Stream(device, stream_id=0)


def set_sync_debug_mode(debug_mode):
    """Let copies that wait for the device warn or fail: default, warn or error."""
    modes = ["default", "warn", "error"]
    if debug_mode not in modes and debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid debug mode {debug_mode!r}: it is one of {modes}")
    _C.set_sync_mode(modes.index(debug_mode) if debug_mode in modes else debug_mode)


def get_sync_debug_mode():
    """Return the number of the mode: 0 is the default, 1 warns, 2 is an error."""
    return _C.sync_mode()


_KINDS = {"cube_core_num": 0, "vector_core_num": 1}


def set_stream_limit(stream, cube_num=-1, vector_num=-1):
    """Limit the cores for a stream in this thread; -1 changes nothing."""
    for kind, count in enumerate((cube_num, vector_num)):
        if count != -1:
            check(acl.rt.set_stream_res_limit(stream.npu_stream, kind, count))
    check(acl.rt.use_stream_res_in_current_thread(stream.npu_stream))


def reset_stream_limit(stream):
    """Lift the limits of a stream."""
    check(acl.rt.reset_stream_res_limit(stream.npu_stream))


def get_stream_limit(stream):
    """Return the limits of a stream, or those of its device."""
    return {name: check(acl.rt.get_stream_res_limit(stream.npu_stream, kind))
            for name, kind in _KINDS.items()}
