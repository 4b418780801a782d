#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Updates of graphs, and the runtime's own functions, which need a device."""

import ctypes
import glob
import json
import mmap
import tempfile

from common import close, equal, main, raises, test

import numpy
import torch

PINNED = 0x10000000     # ACL_HOST_REG_PINNED


def capture_group(function):
    """Return a graph of a function's work, its handle, and the event of updates."""
    g, event = torch.npu.NPUGraph(), torch.npu.ExternalEvent()
    with torch.npu.graph(g):
        stream = torch.npu.current_stream()
        event.wait(stream)
        event.reset(stream)
        torch.npu.graph_task_group_begin(stream)
        function()
        handle = torch.npu.graph_task_group_end(stream)
    return g, handle, event


def update(handle, event, function):
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        torch.npu.graph_task_update_begin(stream, handle)
        function()
        torch.npu.graph_task_update_end(stream)
        event.record(stream)
    return stream


@test
def group():
    """An update replaces the operators of a group, for all replays that follow."""
    x, y = torch.randn(64).npu(), torch.zeros(64).npu()
    g, handle, event = capture_group(lambda: torch.mul(x, 2.0, out=y))
    for factor in (3.0, -0.5):
        update(handle, event, lambda: torch.mul(x, factor, out=y))
        g.replay()
        close(y, x.cpu() * factor)


@test
def memory_of_update():
    """Memory that operators need during an update is not given to other tensors."""
    x, y = torch.randn(64).npu(), torch.zeros(64).npu()

    def work(limit):
        # The number becomes a tensor of the device, which only the operator uses.
        torch.maximum(x, torch.tensor(limit), out=y)
    g, handle, event = capture_group(lambda: work(0.0))
    for limit in (0.25, 0.5):
        stream = update(handle, event, lambda: work(limit))
        with torch.npu.stream(stream):
            others = [torch.full((), 9.0, device="npu") for _ in range(64)]
        stream.synchronize()
        g.replay()
        close(y, x.cpu().clamp(min=limit))
        del others


@test
def wrong_updates():
    """An update of other operators fails, and the group keeps those it has."""
    x, y = torch.randn(64).npu(), torch.zeros(64).npu()
    g, handle, event = capture_group(lambda: torch.mul(x, 2.0, out=y))
    stream = torch.npu.Stream()
    raises(RuntimeError, torch.npu.graph_task_group_begin, stream)
    raises(RuntimeError, torch.npu.graph_task_update_end, stream)
    with torch.npu.stream(stream):
        torch.npu.graph_task_update_begin(stream, handle)
        raises(RuntimeError, torch.npu.graph_task_update_begin, torch.npu.Stream(), handle)
        raises(RuntimeError, torch.npu.graph_task_update_end, stream)
        event.record(stream)
    g.replay()
    close(y, x.cpu() * 2)
    close(x + 1, x.cpu() + 1)


class Product(torch.npu.NpuGraphOpHandler):
    """Lets updates change the second factor of products."""

    @classmethod
    def prepare_capture(cls, func, args, kwargs):
        return torch.ops.aten.mul.out, args, {"out": torch.empty_like(args[0])}

    @classmethod
    def postprocess_result(cls, result, kwargs):
        return kwargs["out"]

    @classmethod
    def update_args(cls, dispatch_record, update_input):
        dispatch_record.args[1] = update_input["factor"]


@test
def handler():
    """A handler changes the arguments of its operators before each replay."""
    equal(torch.npu.register_npu_graph_handler(["mul.Tensor"])(Product), Product)
    x = torch.randn(64).npu()
    g = torch.npu.NPUGraph()
    with torch.npu.graph(g, auto_dispatch_capture=True):
        y = (x * 2.0 + 1.0) * 3.0
    for updates, expected in (([{"factor": 5.0}, {"factor": 0.5}], lambda t: (t * 5 + 1) / 2),
                              ([{"factor": 2.0}], lambda t: (t * 2 + 1) * 2)):
        g.update(cpu_update_input=updates)
        g.replay()
        close(y, expected(x.cpu()))
    raises(RuntimeError, g.update, [{"factor": 1.0}] * 3)
    close(x * 2.0, x.cpu() * 2)


@test
def handler_without_output():
    """An operator that returns a new tensor cannot have a handler that keeps it."""
    @torch.npu.register_npu_graph_handler("exp.default")
    class Exponential(torch.npu.NpuGraphOpHandler):
        pass
    x = torch.randn(64).npu()

    def capture():
        with torch.npu.graph(torch.npu.NPUGraph(), auto_dispatch_capture=True):
            x.exp()
    assert Exponential.__name__ in str(raises(RuntimeError, capture))
    close(x.exp(), x.cpu().exp())


@test
def scopes():
    """The names of scopes are checked; the work in them is captured as any other."""
    x = torch.randn(64).npu()
    g = torch.npu.NPUGraph()
    with torch.npu.graph(g):
        torch.npu.super_kernel_scope_begin("whole")
        y = x.exp() + 1
        torch.npu.super_kernel_scope_end("whole")
    g.replay()
    close(y, x.cpu().exp() + 1)
    raises(RuntimeError, torch.npu.super_kernel_scope_end, "whole")
    raises(ValueError, torch.npu.super_kernel_scope_begin, "x" * 256)


@test
def runtime():
    """npurt() registers memory of the host, and makes streams."""
    runtime = torch.npu.npurt()
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    equal(runtime.npuHostRegister(address, mmap.PAGESIZE, PINNED), 0)
    equal(runtime.npuHostUnregister(address), 0)
    assert runtime.npuHostUnregister(address)
    handle = ctypes.c_void_p()
    equal(runtime.npuStreamCreate(ctypes.addressof(handle)), 0)
    with torch.npu.stream(torch.npu.ExternalStream(handle.value)):
        close(torch.ones(3).npu() + 1, torch.full((3,), 2.))
    torch.npu.synchronize()
    assert runtime.npuStreamCreate(0) and runtime.npuStreamDestroy(0)


@test
def dump():
    """Operators of tensors are dumped between set_dump() and finalize_dump()."""
    x = torch.arange(4.0).npu()
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/dump.json", "w", encoding="ascii") as file:
            json.dump({"dump": {"dump_path": folder, "dump_mode": "output",
                                "dump_op_switch": "on"}}, file)
        torch.npu.init_dump()
        raises(RuntimeError, torch.npu.init_dump)
        torch.npu.set_dump(folder + "/dump.json")
        torch.neg(x)
        torch.npu.finalize_dump()
        torch.exp(x)
        arrays = [numpy.load(path).tolist() for path in
                  glob.glob(folder + "/*/*/*.npy")]
    equal(arrays, [[-0.0, -1.0, -2.0, -3.0]])


main()
