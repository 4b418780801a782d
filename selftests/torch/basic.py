#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""torch.npu on a device: names, copies, views, memory, streams, and files."""

import copy
import io
import os
import subprocess
import sys
import threading

from common import SITE, both, close, equal, main, raises, test

import torch


@test
def names():
    """PyTorch understands npu as a device, wherever programs write it."""
    where = torch.device("npu:0")
    x = torch.ones(2, 3)
    for y in (x.npu(), x.npu(0), x.to("npu"), x.to("npu:0"), x.to(where), x.to(device="npu"),
              torch.ones(2, 3, device="npu"), torch.ones(2, 3, device=where),
              x.npu().new_ones(2, 3), torch.ones_like(x, device="npu")):
        equal(y.device, where)
        assert y.is_npu and isinstance(y.device, torch.device)
        close(y, x)
    assert isinstance(torch.device("cpu"), torch.device) and not x.is_npu
    equal(torch.device("npu", 0), where)
    for y in (torch.asarray([1.], device="npu"), torch.normal(0., 1., (2,), device="npu"),
              torch.fft.fftfreq(4, device="npu")):
        equal(y.device, where)
    equal([x.npu().long().new(*args).shape for args in ((), (2, 3))], [(0,), (2, 3)])
    equal(x.npu().new([1, 2]).device, where)
    model = torch.nn.Linear(2, 2).to("npu")
    assert all(p.is_npu for p in model.parameters())


@test
def types():
    """Types of tensors have names as those of other devices."""
    x = torch.ones(2, 3)
    equal([x.npu().type(), x.npu().half().type(), x.type()],
          ["torch.npu.FloatTensor", "torch.npu.HalfTensor", "torch.FloatTensor"])
    for y, dtype in ((x.type("torch.npu.HalfTensor"), torch.half),
                     (x.npu().type(torch.npu.LongTensor), torch.long),
                     (x.npu().type(torch.int32), torch.int32)):
        equal([y.is_npu, y.dtype], [True, dtype])
    equal(x.npu().type("torch.FloatTensor").is_npu, False)


@test
def modules():
    """Parts of torch.npu are imported by all their names."""
    import torch_npu
    from torch_npu.npu.amp import GradScaler
    import torch.npu.streams
    equal([torch_npu.npu.amp.GradScaler, torch.npu.amp.GradScaler], [GradScaler, GradScaler])
    equal(torch.npu.streams.Stream, torch_npu.npu.Stream)
    equal(torch_npu.__version__, torch.__version__)


@test
def autoload():
    """import torch alone offers torch.npu, unless the environment says no."""
    program = "import torch; print(hasattr(torch, 'npu'), torch.nn.Linear.__name__)"
    for value, expected in (("1", "True Linear"), ("0", "False Linear")):
        out = subprocess.run(
            [sys.executable, "-c", program], check=True, text=True,
            stdout=subprocess.PIPE, env={
                **os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": value,
                "PYTHONPATH": SITE})
        equal(out.stdout.strip(), expected)


@test
def devices():
    """Devices have a number, a name and memory; wrong numbers are errors."""
    assert torch.npu.is_available() and torch.npu.device_count() >= 1
    torch.npu.set_device(0)
    equal(torch.npu.current_device(), 0)
    properties = torch.npu.get_device_properties(0)
    assert properties.name and properties.total_memory > 0
    error = raises(RuntimeError, torch.npu.set_device, 99)
    assert "invalid NPU 99" in str(error), error
    with torch.npu.device(0):
        equal(torch.zeros(1).npu().device.index, 0)
    torch.npu.synchronize()


@test
def copies():
    """Copies convert types, follow strides, expand, and keep values."""
    x = torch.randn(4, 6)
    y = x.npu()
    for view in (lambda t: t, lambda t: t.t(), lambda t: t[1:, ::2], lambda t: t[2],
                 lambda t: t[:0], lambda t: t[0, 0], lambda t: t.unsqueeze(1)):
        close(view(y), view(x))
        close(view(x).npu(), view(x))
        close(view(y).clone(), view(x))
    for dtype in (torch.half, torch.bfloat16, torch.double, torch.long, torch.int,
                  torch.uint8, torch.bool):
        z = (x * 10).abs()
        close(z.npu().to(dtype), z.to(dtype))
        close(z.to("npu", dtype), z.to(dtype))
    a = torch.zeros(6, 4).npu()
    a.t()[:, 1:3] = x[:, 1:3]
    close(a[1:3], x.t()[1:3])
    a.copy_(torch.arange(4))
    close(a, torch.arange(4.).expand(6, 4).contiguous())
    c = torch.randn(3, 3, dtype=torch.complex64)
    close(c.npu(), c)
    close(c.npu().t().contiguous(), c.t())


@test
def conjugates():
    """Views that conjugate or negate elements are copied as their elements."""
    c = torch.tensor([[1 + 2j, 3], [4, 5 - 1j]])
    for function in (torch.clone, torch.Tensor.cpu, lambda t: t.to(torch.complex128),
                     lambda t: t[:, 1].clone(), lambda t: t.t().contiguous(), lambda t: t * 2j,
                     lambda t: t.imag.clone(), lambda t: t.imag.half(), lambda t: t.imag + t.real,
                     lambda t: t @ t.mH, lambda t: t.resolve_conj()):
        close(function(c.npu().conj()).resolve_conj().resolve_neg(),
              function(c.conj()).resolve_conj().resolve_neg())
    for view in (torch.conj, lambda t: t.conj().imag, lambda t: t.conj().mH):
        out, expected = torch.zeros_like(c), torch.zeros_like(c)
        on_npu = out.npu()
        view(expected).copy_(view(c))
        view(on_npu).copy_(view(c.npu()))
        close(on_npu, expected)
        view(on_npu).copy_(view(c).resolve_conj().resolve_neg())
        close(on_npu, expected)
        view(out).copy_(view(c.npu()), non_blocking=True)
        close(out, expected)


def overloads(name, tensors):
    """Return arguments for each overload of an operator on lists, after the first."""
    values = {"List[Tensor]": tensors, "number": 3, "List[number]": [0.5, 2, 3.5]}
    return [[values[str(a.type)] for a in schema.arguments[1:] if not a.kwarg_only]
            for schema in torch._C._jit_get_schemas_for_operator("aten::" + name)
            if not schema.overload_name.endswith("out")]


@test
def lists():
    """Operators on lists of tensors are those of their tensors, on the device."""
    torch.manual_seed(0)
    a, b = ([torch.rand(*shape) * 0.8 + 0.1 for shape in ((3, 4), (7,), (1, 2, 3))]
            for _ in range(2))

    def to_npu(argument):
        if isinstance(argument, list) and isinstance(argument[0], torch.Tensor):
            return [t.npu() for t in argument]
        return argument
    torch.npu.clear_fallbacks()
    names = [name for name in dir(torch) if name.startswith("_foreach_")]
    assert len(names) > 60, names
    for name in names:
        function = getattr(torch, name)
        for arguments in overloads(name, b):
            first, second = [t.clone() for t in a], [t.npu() for t in a]
            expected = function(first, *arguments)
            actual = function(second, *map(to_npu, arguments))
            if name.endswith("_"):
                expected, actual = first, second
            assert len(actual) == len(expected) == 3
            for x, y in zip(actual, expected):
                assert x.is_npu, name
                close(x, y, rtol=1e-5, atol=1e-5)
    equal(torch.npu.fallbacks(), {})


@test
def pinned():
    """Copies from pinned memory need not block; the memory stays until they end."""
    x = torch.randn(1000).pin_memory()
    assert x.is_pinned() and not torch.randn(3).is_pinned()
    y = [x.npu(non_blocking=True) for _ in range(10)]
    expected = x.clone()
    del x
    for z in y:
        close(z, expected)
    out = torch.empty(1000).pin_memory()
    out.copy_(y[0], non_blocking=True)
    torch.npu.synchronize()
    close(out, expected)
    raises(RuntimeError, y[0].pin_memory)


@test
def batches():
    """A loader of data pins its batches, with and without other processes."""
    data = [{"x": torch.full((2,), float(i)), "name": str(i)} for i in range(5)]
    for workers in (0, 1):
        for where in ("", "npu", "npu:0"):
            loader = torch.utils.data.DataLoader(data, 2, pin_memory=True, num_workers=workers,
                                                 pin_memory_device=where)
            for _ in range(2):
                found = list(loader)
                assert all(batch["x"].is_pinned() for batch in found)
                equal([name for batch in found for name in batch["name"]], list("01234"))
    loader = torch.utils.data.DataLoader(data, 2)
    assert not next(iter(loader))["x"].is_pinned()


@test
def views():
    """Views share memory; resize_() and set_() change it."""
    x = torch.arange(24.).npu()
    x.view(4, 6).t()[1, 2] = 100
    equal(x[13].item(), 100)
    x.unfold(0, 4, 4)[0] = 7
    equal(x[:4].tolist(), [7, 7, 7, 7])
    y = torch.arange(4.).npu()
    y.resize_(2, 3)
    equal(y.flatten()[:4].tolist(), [0, 1, 2, 3])
    z = torch.empty(0).npu()
    z.set_(x)
    equal(z.data_ptr(), x.data_ptr())
    close(torch.view_as_real(torch.ones(2, dtype=torch.complex64).npu()),
          torch.tensor([[1., 0.], [1., 0.]]))


@test
def text():
    """Tensors print as those of the CPU, with their device, without a fallback."""
    torch.npu.clear_fallbacks()
    x = torch.randn(3, 3)
    assert str(x.npu()).startswith(str(x)[:-1]), str(x.npu())
    assert "device='privateuseone:0'" in repr(x.npu())
    equal(torch.npu.fallbacks(), {})


@test
def indexing():
    """Indices, masks and assignments to them."""
    x = torch.randn(5, 6, 7)
    i, j = torch.tensor([0, -1, 3]), torch.tensor([[1], [2]])
    mask = x > 0
    both(lambda t: t[i.to(t.device)], x)
    both(lambda t: t[:, i.to(t.device), j.to(t.device)], x)
    both(lambda t: t[i.to(t.device), :, j.to(t.device)], x)
    both(lambda t, m: t[m], x, mask)
    both(lambda t, m: torch.nonzero(m), x, mask)
    both(lambda m: torch.nonzero(m), torch.zeros(3, dtype=torch.bool))

    def assign(t, m):
        t = t.clone()
        t[m] = 0
        t[:, i.to(t.device)] = 3
        t.index_put_((i.to(t.device), i.to(t.device)), torch.ones(7).to(t.device),
                     accumulate=True)
        t.transpose(0, 1)[i.to(t.device), 2] = 9
        return t
    both(assign, x, mask)


@test
def fallback():
    """An operator that the device lacks runs on the CPU, and is counted."""
    torch.npu.clear_fallbacks()
    x = torch.randn(4, 4)
    close(torch.linalg.qr(x.npu())[1], torch.linalg.qr(x)[1])
    close(torch.linalg.qr(x.npu())[1], torch.linalg.qr(x)[1])
    equal(list(torch.npu.fallbacks().values()), [2])
    c = torch.randn(3, dtype=torch.complex64)
    close(c.npu() * 2, c * 2)
    equal(len(torch.npu.fallbacks()), 2)


@test
def refused():
    """Wrong arguments raise the errors of PyTorch."""
    x = torch.ones(2, 3)
    for function in (lambda: x.npu() + torch.ones(4).npu(), lambda: x.npu() @ x.npu(),
                     lambda: x.npu() + x, lambda: x.npu().view(5)):
        raises(RuntimeError, function)
    raises(IndexError, lambda: x.npu().sum(5))


@test
def overlap():
    """Results that overlap with their inputs are those of copies."""
    x = torch.arange(16.).view(4, 4)
    y = x.npu()
    y.add_(y.t())
    close(y, x + x.t())
    z = x.npu().flatten()
    z[1:].mul_(z[:-1])
    close(z[1:], x.flatten()[1:] * x.flatten()[:-1])
    raises(RuntimeError, lambda: torch.zeros(1).npu().expand(3).add_(1))


@test
def memory():
    """The statistics count tensors, and empty_cache() returns their memory."""
    torch.npu.empty_cache()
    before = torch.npu.memory_allocated()
    torch.npu.reset_peak_memory_stats()
    x = torch.empty(1 << 20, device="npu")
    equal(torch.npu.memory_allocated() - before, 4 << 20)
    assert torch.npu.memory_reserved() >= 4 << 20
    del x
    equal(torch.npu.memory_allocated(), before)
    equal(torch.npu.max_memory_allocated() - before, 4 << 20)
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() < 4 << 20
    assert "allocated" in torch.npu.memory_summary()
    address = torch.npu.caching_allocator_alloc(1000)
    torch.npu.caching_allocator_delete(address)
    raises(ValueError, torch.npu.caching_allocator_delete, address)


@test
def out_of_memory():
    """Too large a tensor is an error with figures, and the next one is not."""
    total = torch.npu.get_device_properties(0).total_memory
    error = raises(RuntimeError, lambda: torch.empty(4 * total, device="npu"))
    for part in ("NPU out of memory. Tried to allocate", "total capacity", "free"):
        assert part in str(error), error
    equal(torch.npu.memory_stats()["num_ooms"], 1)
    close(torch.ones(3).npu() + 1, torch.full((3,), 2.))
    torch.npu.set_per_process_memory_fraction(0.01)
    size = int(total * 0.02)
    raises(RuntimeError, lambda: torch.empty(size, dtype=torch.uint8, device="npu"))
    torch.npu.set_memory_fraction(1.0)
    torch.empty(size, dtype=torch.uint8, device="npu")
    raises(RuntimeError, torch.npu.set_memory_fraction, 2.0)


@test
def streams():
    """Streams and events order work; tensors may move between streams."""
    one, two = torch.npu.Stream(device=0), torch.npu.Stream()
    equal(one.device, torch.device("npu:0"))
    assert one != two and torch.npu.current_stream() == torch.npu.default_stream(0)
    x = torch.randn(64, 64)
    event = torch.npu.Event()
    assert event.query()
    with torch.npu.stream(one):
        equal(torch.npu.current_stream(), one)
        y = x.npu() @ x.npu()
        event.record()
    with torch.npu.stream(two):
        event.wait()
        z = y @ y
        y.record_stream(two)
        del y
    two.synchronize()
    assert event.query() and two.query()
    close(z, x @ x @ x @ x, rtol=1e-4, atol=1e-2)
    begin, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    begin.record()
    z.add_(1)
    end.record()
    end.synchronize()
    assert begin.elapsed_time(end) >= 0
    raises(RuntimeError, begin.elapsed_time, event)
    torch.npu.current_stream().wait_stream(one)


@test
def threads():
    """Threads have streams of their own, and share memory."""
    results = [None] * 4

    def work(index):
        with torch.npu.stream(torch.npu.Stream()):
            x = torch.full((100,), float(index), device="npu")
            for _ in range(20):
                x = x + 1
            results[index] = x.cpu()
    all_threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    for index, result in enumerate(results):
        close(result, torch.full((100,), index + 20.))


@test
def random():
    """Seeds repeat random numbers, whose moments are those of their distribution."""
    torch.manual_seed(5)
    x = torch.randn(20000, device="npu")
    state = torch.npu.get_rng_state()
    y = torch.rand(1000, device="npu")
    torch.manual_seed(5)
    close(torch.randn(20000, device="npu"), x.cpu())
    torch.npu.set_rng_state(state)
    close(torch.rand(1000, device="npu"), y.cpu())
    equal(torch.npu.initial_seed(), 5)
    assert abs(x.mean().item()) < 0.05 and abs(x.std().item() - 1) < 0.05
    assert 0 <= y.min().item() and y.max().item() < 1 and not torch.equal(y, y.flip(0))
    kept = torch.nn.functional.dropout(torch.ones(10000, device="npu"), 0.25)
    assert set(kept.unique().tolist()) <= {0, torch.tensor(1 / 0.75).item()}
    assert 0.7 < (kept > 0).float().mean().item() < 0.8


@test
def files():
    """Tensors and models are saved, and loaded to any device."""
    x = torch.randn(3, 4)
    for source in (x, x.npu(), x.npu().t()):
        file = io.BytesIO()
        torch.save({"x": source}, file)
        for target in (None, "cpu", "npu:0", torch.device("npu")):
            file.seek(0)
            y = torch.load(file, map_location=target)["x"]
            close(y, source.cpu())
            equal(y.is_npu, source.is_npu if target is None else target != "cpu")
    model = torch.nn.Linear(4, 4).npu()
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    other = torch.nn.Linear(4, 4).npu()
    other.load_state_dict(torch.load(file))
    close(other.weight, model.weight.cpu())
    close(copy.deepcopy(model).bias, model.bias.cpu())
    file = io.BytesIO()
    torch.save([x.npu().t(), x.half()], file, _use_new_zipfile_serialization=False)
    for target in (None, "cpu"):
        file.seek(0)
        one, two = torch.load(file, map_location=target)
        close(one, x.t())
        close(two, x.half())
        equal([one.is_npu, two.is_npu], [target is None, False])


if "TORCH_PRELOAD" not in os.environ:
    @test
    def device_error():
        """An index that is out of range is an error of the stream; later work goes on."""
        x = torch.ones(3, 3).npu()

        def select():
            x.index_select(0, torch.tensor([5]).npu())
            torch.npu.synchronize()
        error = raises(RuntimeError, select)
        for part in ("ACL runtime error", "aclnnIndexSelect", "out of range"):
            assert part in str(error), error
        close(x + 1, torch.full((3, 3), 2.))


main()
