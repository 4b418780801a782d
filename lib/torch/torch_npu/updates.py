# SPDX-License-Identifier: MIT
"""Changes of captured work: groups of launches, and handlers of operators."""

import contextlib
import copy
import threading
import warnings

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from . import _C
from .device import current_device
from .streams import ExternalEvent, Stream, StreamContext, current_stream

_handlers = {}
_update_streams = {}
_scopes = threading.local()


def graph_task_group_begin(stream):
    """Begin a group of operators that are captured on a stream."""
    _C.begin_group(stream.device_index, stream.stream_id)


def graph_task_group_end(stream):
    """End the group, and return the handle by which it can be updated."""
    return _C.end_group(stream.device_index, stream.stream_id)


def graph_task_update_begin(stream, handle):
    """Begin to replace the operators of a group, by the same ones with other arguments.

    This thread calls them on the stream, which must be the current one. They are not
    run: later replays run them in place of those of the group.
    """
    _C.begin_update(stream.device_index, stream.stream_id, handle)


def graph_task_update_end(stream):
    """Replace the operators, in the order of the stream."""
    _C.end_update(stream.device_index, stream.stream_id)


class NpuGraphOpHandler:
    """Changes the arguments of an operator in a graph: the base of all handlers.

    A subclass overrides methods, and register_npu_graph_handler() names its operators.
    The class has no objects. NPUGraph.update() needs operators that write to given
    tensors: a replay cannot return other ones.
    """

    @classmethod
    def prepare_capture(cls, func, args, kwargs):
        """Return the operator to capture, such as the variant with out=, and arguments."""
        return func, args, kwargs

    @classmethod
    def postprocess_result(cls, result, kwargs):
        """Return what the call in the program returns."""
        return result

    @classmethod
    def update_args(cls, dispatch_record, update_input):
        """Change dispatch_record.args, a list, to the values of a dictionary.

        The values of arguments with keywords are set already.
        """

    @classmethod
    def record_wrap_kwarg(cls, key, value, tensor_param_names):
        """Return what is kept of an argument with a keyword.

        A tensor is kept itself. Other values are copied, because the program may change
        them.
        """
        if isinstance(value, torch.Tensor):
            return value
        if isinstance(value, (list, tuple)):
            return type(value)(cls.record_wrap_kwarg(key, item, tensor_param_names)
                               for item in value)
        return copy.deepcopy(value)


def register_npu_graph_handler(op_names):
    """Return a decorator that makes a class the handler of operators.

    `op_names` is one name or a list. Names have an overload, such as "mul.out".
    """
    def decorate(handler):
        for name in [op_names] if isinstance(op_names, str) else op_names:
            if name in _handlers:
                warnings.warn(f"{handler.__name__} replaces {_handlers[name].__name__} as "
                              f"the handler of {name}")
            _handlers[name] = handler
        return handler
    return decorate


def _call(function, args, kwargs, end, stream):
    """Call an operator, end its group or update, and return both results."""
    try:
        result = function(*args, **kwargs)
    except BaseException:
        with contextlib.suppress(RuntimeError):
            end(stream)         # the first error is the cause
        raise
    return result, end(stream)


class _Record:
    """A captured call: its operator, its arguments, and the handle of its group."""

    def __init__(self, handler, function, args, kwargs):
        tensors = [argument.name for argument in function._schema.arguments
                   if "Tensor" in str(argument.type)]
        self.handler, self.op_cache_entry, self.args = handler, function, list(args)
        self.kwargs = {key: handler.record_wrap_kwarg(key, value, tensors)
                       for key, value in kwargs.items()}
        self.event = ExternalEvent()

    def capture(self, args, kwargs):
        """Call the operator, so that each replay waits for the next update."""
        stream = current_stream()
        self.event.wait(stream)
        self.event.reset(stream)
        graph_task_group_begin(stream)
        result, self.handle = _call(self.op_cache_entry, args, kwargs,
                                    graph_task_group_end, stream)
        return result

    def update(self, values, stream):
        for key in self.kwargs.keys() & values.keys():
            self.kwargs[key] = values[key]
        self.handler.update_args(self, values)
        graph_task_update_begin(stream, self.handle)
        _call(self.op_cache_entry, self.args, self.kwargs, graph_task_update_end, stream)
        self.event.record(stream)


def _writes_to_arguments(function):
    return any(argument.alias_info is not None and argument.alias_info.is_write
               for argument in function._schema.arguments)


class Recorder(TorchDispatchMode):
    """Captures each call of an operator that has a handler as a group of its own."""

    def __init__(self):
        super().__init__()
        self.records = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        handler = _handlers.get(func.__name__)
        if handler is None:
            return func(*args, **kwargs)
        func, args, kwargs = handler.prepare_capture(func, args, kwargs)
        if not _writes_to_arguments(func):
            raise RuntimeError(
                f"{func.__name__} returns a new tensor, so it cannot be updated: "
                f"{handler.__name__}.prepare_capture() must return a variant that writes "
                "to a given one, such as that with out=")
        # The variant's own handler knows the order of its arguments.
        record = _Record(_handlers.get(func.__name__, handler), func, args, kwargs)
        result = record.capture(args, kwargs)
        self.records.append(record)
        return handler.postprocess_result(result, kwargs)

    def update(self, inputs):
        """Update all records, each by its dictionary, or all by the only one."""
        inputs = list(inputs)
        if len(inputs) == 1:
            inputs *= len(self.records)
        if len(inputs) != len(self.records):
            raise RuntimeError(f"the graph has {len(self.records)} operators with a "
                               f"handler, and the update is for {len(inputs)}")
        device = current_device()
        if device not in _update_streams:
            _update_streams[device] = Stream(device)
        stream = _update_streams[device]
        with StreamContext(stream):
            for record, values in zip(self.records, inputs):
                record.update(values, stream)


def super_kernel_scope_begin(scope_name=None):
    """Begin a part of a graph that CANN may compile to one kernel.

    Here a replay of the whole graph is one task already, so only the names are checked.
    """
    if scope_name is not None and not 0 < len(scope_name.encode()) < 256:
        raise ValueError(f"the name of a scope has 1 to 255 bytes, not {scope_name!r}")
    _open_scopes().append(scope_name)


def super_kernel_scope_end(scope_name=None):
    """End that part."""
    if scope_name not in _open_scopes():
        raise RuntimeError(f"no scope {scope_name!r} has begun in this thread")
    _open_scopes().remove(scope_name)


def _open_scopes():
    if not hasattr(_scopes, "names"):
        _scopes.names = []
    return _scopes.names
