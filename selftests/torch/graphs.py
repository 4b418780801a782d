#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Graphs, limits and streams of torch.npu, which need a device."""

import copy

from common import close, equal, main, raises, test

import torch
from torch import nn


def capture(function, stream=None):
    """Return a graph of a function's work, and its result."""
    g = torch.npu.NPUGraph()
    with torch.npu.graph(g, stream=stream):
        out = function()
    return g, out


def capture_again(g):
    with torch.npu.graph(g):
        pass


@test
def graph():
    """A replay computes with the present values of its inputs, at the same addresses."""
    x, w = torch.randn(8, 8).npu(), torch.randn(8, 8).npu()
    (x @ w).relu()
    g, y = capture(lambda: (x @ w).relu().sum(1) + 1)
    where = y.data_ptr()
    for _ in range(3):
        new = torch.randn(8, 8)
        x.copy_(new)
        g.replay()
        close(y, (new @ w.cpu()).relu().sum(1) + 1, rtol=1e-4, atol=1e-4)
    equal(y.data_ptr(), where)
    before = torch.npu.memory_allocated()
    g.reset()
    raises(RuntimeError, g.replay)
    del y
    assert torch.npu.memory_allocated() < before


@test
def graph_streams():
    """A graph has the work of streams that join its stream."""
    x = torch.randn(64).npu()
    other = torch.npu.Stream()

    def work():
        here = torch.npu.current_stream()
        assert torch.npu.is_current_stream_capturing()
        other.wait_stream(here)
        with torch.npu.stream(other):
            a = x * 2
        b = x * 3
        here.wait_stream(other)
        return a + b
    g, y = capture(work)
    x.copy_(torch.ones(64))
    g.replay()
    close(y, torch.full((64,), 5.))


@test
def graph_random():
    """Each replay draws other random numbers, which seeds repeat."""
    x = torch.ones(1000).npu()
    g, y = capture(lambda: nn.functional.dropout(x, 0.5))
    torch.npu.manual_seed(7)
    g.replay()
    first = y.cpu()
    g.replay()
    assert not torch.equal(first, y.cpu()) and 300 < (first > 0).sum() < 700
    torch.npu.manual_seed(7)
    g.replay()
    close(y, first)


@test
def graph_errors():
    """Work that cannot be captured is an error, and the stream works afterwards."""
    x = torch.ones(4).npu()
    raises(RuntimeError, lambda: torch.npu.NPUGraph().capture_begin())
    raises(RuntimeError, torch.npu.NPUGraph().replay)
    error = raises(RuntimeError, lambda: capture(lambda: x.sum().item()))
    assert "ACL runtime error" in str(error), error
    kept = [torch.ones(100).npu()]
    g, y = capture(lambda: kept.clear() or x + 2)
    before = torch.npu.current_stream()
    raises(RuntimeError, lambda: capture_again(g))
    equal(torch.npu.current_stream(), before)
    g.replay()
    close(y, torch.full((4,), 3.))
    close(x + 1, torch.full((4,), 2.))


@test
def graph_end():
    """A capture ends on its own stream, even if another one is current."""
    x = torch.zeros(4).npu()
    g = torch.npu.NPUGraph()
    with torch.npu.stream(torch.npu.Stream()):
        g.capture_begin()
        y = x + 1
    g.capture_end()
    x.fill_(3)
    g.replay()
    close(y, torch.full((4,), 4.))


@test
def graph_training():
    """A whole step of training is a graph, and loses as without one."""
    torch.manual_seed(1)
    model, x = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 2)), torch.randn(4, 8)
    first, second = copy.deepcopy(model).npu(), copy.deepcopy(model).npu()
    inputs = x.npu()

    def step(m, optimizer):
        loss = m(inputs).square().mean()
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        return loss
    sgd = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (first, second)]
    expected = [step(first, sgd[0]).item() for _ in range(5)]
    actual = []
    with torch.npu.stream(torch.npu.Stream()):
        actual.append(step(second, sgd[1]).item())
    g, loss = capture(lambda: step(second, sgd[1]))
    for _ in range(4):
        g.replay()
        actual.append(loss.item())
    for a, e in zip(actual, expected):
        assert abs(a - e) < 1e-5, (actual, expected)


@test
def graphed_callables():
    """A module that replays graphs has the same output and gradients."""
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 3))
    sample = torch.randn(4, 6).npu().requires_grad_()
    fast = torch.npu.make_graphed_callables(copy.deepcopy(model).npu(), (sample,))
    for _ in range(2):
        x = torch.randn(4, 6)
        a, e = x.npu().requires_grad_(), x.clone().requires_grad_()
        fast.zero_grad(), model.zero_grad()
        fast(a).square().sum().backward()
        model(e).square().sum().backward()
        close(a.grad, e.grad, rtol=1e-4, atol=1e-4)
        for p, q in zip(fast.parameters(), model.parameters()):
            close(p.grad, q.grad, rtol=1e-4, atol=1e-4)


@test
def graphed_chain():
    """Modules that share the memory of their graphs do not overwrite each other."""
    torch.manual_seed(3)
    models = [nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 6), nn.Sigmoid())
              for _ in range(2)]
    samples = tuple((torch.randn(4, 6).npu().requires_grad_(),) for _ in models)
    first, second = torch.npu.make_graphed_callables(
        tuple(copy.deepcopy(m).npu() for m in models), samples)
    x = torch.randn(4, 6)
    a, e = x.npu().requires_grad_(), x.clone().requires_grad_()
    second(first(a)).square().sum().backward()
    models[1](models[0](e)).square().sum().backward()
    close(a.grad, e.grad, rtol=1e-4, atol=1e-4)
    for p, q in zip(first.parameters(), models[0].parameters()):
        close(p.grad, q.grad, rtol=1e-4, atol=1e-4)


@test
def limits():
    """Limits of cores, versions, marks and streams of other libraries."""
    import acl
    assert torch.npu.get_cann_version() and 0 <= torch.npu.utilization() <= 100
    equal(torch.npu.check_uce_in_memory(0), 0)
    cores = torch.npu.get_device_limit()
    torch.npu.set_device_limit(0, **{"cube_num": 1})
    equal(torch.npu.get_device_limit()["cube_core_num"], 1)
    torch.npu.set_device_limit(0, cores["cube_core_num"], cores["vector_core_num"])
    stream = torch.npu.Stream()
    torch.npu.set_stream_limit(stream, vector_num=1)
    equal(torch.npu.get_stream_limit(stream)["vector_core_num"], 1)
    torch.npu.reset_stream_limit(stream)
    assert not torch.npu.get_npu_overflow_flag()
    torch.npu.mstx.mark("here")
    torch.npu.mstx.mstx_range("a range")(lambda: None)()
    handle, code = acl.rt.create_stream()
    equal(code, 0)
    with torch.npu.stream(torch.npu.ExternalStream(handle)):
        close(torch.ones(3).npu() + 1, torch.full((3,), 2.))
    with torch.npu.stream(torch.npu.SyncLaunchStream()) as waiting:
        torch.ones(3).npu().add_(1)
        assert waiting.query()
    acl.rt.synchronize_stream(handle)


@test
def external_event():
    """Each replay waits for a record from outside."""
    x = torch.zeros(4).npu()
    event = torch.npu.ExternalEvent()

    def work():
        event.wait()
        event.reset()
        return x + 1
    g, y = capture(work)
    for value in (1., 2.):
        runner, side = torch.npu.Stream(), torch.npu.Stream()
        with torch.npu.stream(runner):
            g.replay()
        assert not runner.query()
        with torch.npu.stream(side):
            x.fill_(value)
            event.record()
        runner.synchronize()
        close(y, torch.full((4,), value + 1))


main()
