# SPDX-License-Identifier: MIT
"""Graphs: work that is captured once, and then replayed as one task."""

import gc

import torch

from . import _C
from .device import current_device, synchronize
from .memory import empty_cache
from .streams import Stream, StreamContext, current_stream, default_stream
from .updates import Recorder

_capture_streams = {}


class NPUGraph:
    """Work of a stream. Tensors that it reads and writes stay where they are.

    The memory of tensors that were made while it was captured belongs to the graph:
    a replay writes them again.
    """

    def __init__(self):
        self._graph = _C.Graph()
        self._recorder = Recorder()

    def capture_begin(self, pool=None, capture_error_mode="global"):
        """Begin to capture the current stream, which is not the default one."""
        self._graph.begin(pool, capture_error_mode)

    def capture_end(self):
        """End the capture, in the thread that has begun it."""
        self._graph.end()

    def replay(self):
        """Run the work, after all work of the current stream so far."""
        self._graph.replay()

    def update(self, cpu_update_input):
        """Change arguments of operators for the next replay.

        Operators that have a handler, and were captured with auto_dispatch_capture,
        wait for an update in each replay. `cpu_update_input` is a list of dictionaries,
        one for each such call in the order of the capture, or one for all.
        """
        self._recorder.update(cpu_update_input)

    def reset(self):
        """Forget the work, and return its memory when no tensor uses it."""
        self._graph.reset()
        self._recorder = Recorder()

    def pool(self):
        """Return the memory of the graph, for others that never run at its time."""
        return self._graph.memory()

    def debug_dump(self, debug_path):
        """Write the tasks to a file, in the format of chrome://tracing."""
        self._graph.dump(debug_path)


class graph:
    """Capture the work of a with statement in a graph.

    `pool` is that of graph_pool_handle() or of another graph; `stream` is a stream
    other than the default one, by default one that is kept for captures. With
    `auto_dispatch_capture`, NPUGraph.update() can change operators that have a handler.
    """

    def __init__(self, npu_graph, pool=None, stream=None, capture_error_mode="global",
                 auto_dispatch_capture=False):
        self._graph, self._pool, self._mode = npu_graph, pool, capture_error_mode
        self._recorder = npu_graph._recorder if auto_dispatch_capture else None
        device = current_device()
        if stream is None:
            if device not in _capture_streams:
                _capture_streams[device] = Stream(device)
            stream = _capture_streams[device]
        self._context = StreamContext(stream)

    def __enter__(self):
        synchronize()
        gc.collect()
        empty_cache()
        self._context.__enter__()
        try:
            self._graph.capture_begin(self._pool, self._mode)
        except BaseException:
            self._context.__exit__()
            raise
        if self._recorder:
            self._recorder.__enter__()

    def __exit__(self, kind, value, traceback):
        if self._recorder:
            self._recorder.__exit__(kind, value, traceback)
        try:
            self._graph.capture_end()
        except RuntimeError:
            if kind is None:
                raise           # otherwise the first error is the cause
        finally:
            self._context.__exit__(kind, value, traceback)


def graph_pool_handle():
    """Return memory that several graphs can share, if they never run at one time."""
    return _C.make_pool(current_device())


def is_current_stream_capturing():
    """Return whether work of the current stream is captured, and not run."""
    return _C.is_capturing()


def _parameters(function):
    if isinstance(function, torch.nn.Module):
        return tuple(p for p in function.parameters() if p.requires_grad)
    return ()


def _backward(outputs, inputs, grads):
    """Return the gradients of those inputs that have one; None for the others."""
    wanted = [x for x in inputs if x.requires_grad]
    pairs = [(out, grad) for out, grad in zip(outputs, grads) if out.requires_grad]
    found = iter(torch.autograd.grad(
        [out for out, _ in pairs], wanted, [grad for _, grad in pairs],
        allow_unused=True) if wanted and pairs else [None] * len(wanted))
    return tuple(next(found) if x.requires_grad else None for x in inputs)


class _Captured:
    """The graphs of a function and of its gradients, and the tensors they use."""

    def __init__(self, function, args, warmups):
        self.function, self.args = function, args
        self.inputs = tuple(args) + _parameters(function)
        self.count = len(args)
        with StreamContext(Stream()):
            current_stream().wait_stream(default_stream())
            for _ in range(warmups):
                outputs = _tuple(function(*args))
                _backward(outputs, self.inputs, [torch.ones_like(o) for o in outputs])
            current_stream().synchronize()
        self.forward, self.backward = NPUGraph(), NPUGraph()

    def capture_forward(self, pool):
        with graph(self.forward, pool):
            outputs = self.function(*self.args)
        self.is_single = isinstance(outputs, torch.Tensor)
        self.outputs = _tuple(outputs)
        self.grads = tuple(torch.zeros_like(o) for o in self.outputs)
        self.results = (None,) * len(self.inputs)

    def capture_backward(self, pool):
        if any(o.requires_grad for o in self.outputs):
            with graph(self.backward, pool):
                self.results = _backward(self.outputs, self.inputs, self.grads)


def _tuple(outputs):
    return (outputs,) if isinstance(outputs, torch.Tensor) else tuple(outputs)


def _callable(captured):
    class Replay(torch.autograd.Function):
        @staticmethod
        def forward(context, *inputs):
            for kept, given in zip(captured.inputs[:captured.count], inputs):
                if kept.data_ptr() != given.data_ptr():
                    kept.copy_(given)
            captured.forward.replay()
            return tuple(o.detach() for o in captured.outputs)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(context, *grads):
            for kept, given in zip(captured.grads, grads):
                if given is not None:
                    kept.copy_(given)
            captured.backward.replay()
            # A parameter may keep its gradient, which the next replay would change.
            return tuple(r.clone() if r is not None else None
                         for r in captured.results)

    def replay(*args):
        outputs = Replay.apply(*args, *captured.inputs[captured.count:])
        return outputs[0] if captured.is_single else outputs
    return replay


def _replace(function, captured):
    """Return what is called in place of a function; a module stays itself."""
    replay = _callable(captured)
    if not isinstance(function, torch.nn.Module):
        return replay
    original, was_training = function.forward, function.training

    def forward(*args):
        return (replay if function.training == was_training else original)(*args)
    function.forward = forward
    return function


def make_graphed_callables(callables, sample_args, num_warmup_iters=3, pool=None):
    """Return functions or modules that replay graphs, gradients included.

    Later arguments have the types and shapes of the samples. The outputs of a call
    are valid until the next call. Several functions share memory: call them in their
    order, and then compute their gradients in the reverse order.
    """
    is_one = not isinstance(callables, tuple)
    functions = (callables,) if is_one else callables
    samples = (sample_args,) if is_one else sample_args
    pool = pool or graph_pool_handle()
    captured = [_Captured(f, args, num_warmup_iters)
                for f, args in zip(functions, samples)]
    # The order of a step: memory that one has freed is that of the next ones.
    for one in captured:
        one.capture_forward(pool)
    for one in reversed(captured):
        one.capture_backward(pool)
    out = tuple(map(_replace, functions, captured))
    return out[0] if is_one else out
