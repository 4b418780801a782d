#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""torch.npu beyond tensors: generators, mixed precision, memory and options."""

import copy
import os
import subprocess
import sys

from common import both, close, equal, main, raises, test

import torch
from torch import nn

# A program of its own takes a minute in an emulated machine.
ON_HOST = "TORCH_PRELOAD" in os.environ


def program(text, **environment):
    """Run a program of Python; return what it prints, with its errors."""
    return subprocess.run([sys.executable, "-c", text], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path),
                               "LD_PRELOAD": os.environ.get("TORCH_PRELOAD", ""),
                               **environment}).stdout


@test
def generators():
    """Generators of the device repeat their numbers, and do not change others."""
    g, h = torch.Generator(device="npu"), torch.Generator("npu:0")
    assert isinstance(g, torch.Generator) and isinstance(torch.Generator(), torch.Generator)
    equal(g.device, torch.device("npu:0"))
    g.manual_seed(3), h.manual_seed(3)
    before = torch.npu.get_rng_state()
    x = torch.randn(100, device="npu", generator=g)
    close(torch.randn(100, device="npu", generator=h), x.cpu())
    equal(g.initial_seed(), 3)
    state = g.get_state()
    y = torch.empty(50, device="npu").uniform_(generator=g)
    g.set_state(state)
    close(torch.empty(50, device="npu").uniform_(generator=g), y.cpu())
    equal(torch.npu.get_rng_state().tolist(), before.tolist())
    assert g.seed() != 3
    raises(RuntimeError, g.set_state, torch.zeros(3, dtype=torch.uint8))
    raises(RuntimeError, torch.Generator, "npu:99")
    # An operator of the CPU takes its seed from a generator of the device.
    g.manual_seed(9)
    x = torch.randperm(20, device="npu", generator=g)
    g.manual_seed(9)
    close(torch.randperm(20, device="npu", generator=g), x.cpu())
    torch.npu.clear_fallbacks()


@test
def autocast():
    """Products run in half precision, and functions that need more in single precision."""
    model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 4))
    x = torch.randn(3, 8)
    on_npu = copy.deepcopy(model).npu()
    for dtype in (torch.float16, torch.bfloat16):
        with torch.npu.amp.autocast(dtype=dtype):
            assert torch.npu.is_autocast_enabled()
            equal(torch.npu.get_autocast_dtype(), dtype)
            equal((x.npu() @ x.npu().t()).dtype, dtype)
            equal(on_npu(x.npu()).dtype, dtype)
            equal(torch.softmax((x.npu() @ x.npu().t()), 1).dtype, torch.float32)
            equal(torch.cat([x.npu().half(), x.npu()]).dtype, torch.float32)
            equal((x @ x.t()).dtype, torch.float32)
            with torch.npu.amp.autocast(enabled=False):
                equal((x.npu() @ x.npu().t()).dtype, torch.float32)
        assert not torch.npu.is_autocast_enabled()
        equal((x.npu() @ x.npu().t()).dtype, torch.float32)
    with torch.autocast("npu"):
        loss = on_npu(x.npu()).float().square().mean()
        loss.backward()
    model(x).square().mean().backward()
    for a, e in zip(on_npu.parameters(), model.parameters()):
        equal(a.grad.dtype, torch.float32)
        close(a.grad, e.grad, rtol=2e-2, atol=1e-2)
    equal(torch.npu.amp.autocast()(lambda: x.npu() @ x.npu().t())().dtype, torch.float16)
    raises(RuntimeError, lambda: torch.npu.amp.autocast(dtype=torch.float64))
    equal(torch.npu.fallbacks(), {})


@test
def scaler():
    """The scaler leaves out steps with infinite gradients, and finds its scale."""
    torch.manual_seed(0)
    model = nn.Linear(4, 1).npu()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    scale = torch.npu.amp.GradScaler(init_scale=2.0**20, growth_interval=4)
    x, y = torch.randn(16, 4).npu(), torch.randn(16, 1).npu() * 4
    losses = []
    for _ in range(20):
        before = model.weight.detach().cpu()
        with torch.npu.amp.autocast():
            out = model(x)
        loss = nn.functional.mse_loss(out.float(), y)
        optimizer.zero_grad()
        scale.scale(loss).backward()
        last = scale.get_scale()
        scale.step(optimizer)
        scale.update()
        losses.append(loss.item())
        if scale.get_scale() < last:
            close(model.weight, before)
    assert losses[-1] < losses[0] and scale.get_scale() < 2.0**20, (losses, scale.get_scale())
    optimizer.zero_grad()
    scale.scale(nn.functional.mse_loss(model(x), y)).backward()
    scale.step(optimizer)
    raises(RuntimeError, scale.step, optimizer)
    scale.update()
    other = torch.npu.amp.GradScaler()
    other.load_state_dict(scale.state_dict())
    equal(other.get_scale(), scale.get_scale())
    raises(RuntimeError, scale.update)
    equal(torch.npu.fallbacks(), {})


@test
def configuration():
    """PYTORCH_NPU_ALLOC_CONF has effects, and wrong options are errors."""
    text = ("import torch; a = torch.ones(1 << 21, device='npu'); b = torch.ones(9).npu();"
            "del a; print(int(b.sum().item()), torch.npu.memory_allocated())")
    values = ["max_split_size_mb:20,garbage_collection_threshold:0.01"]
    if ON_HOST:
        values += ["expandable_segments:True", "base_addr_aligned_kb:16"]
    for value in values:
        equal(program(text, PYTORCH_NPU_ALLOC_CONF=value).strip().split("\n")[-1], "9 36")
    if not ON_HOST:
        return
    for value, word in (("max_split_size_mb:1", "from 20"), ("nonsense:1", "no option nonsense"),
                        ("expandable_segments", "has no value"),
                        ("expandable_segments:yes", "not True or False"),
                        ("expandable_segments:True,max_split_size_mb:64", "exclude")):
        out = program(text, PYTORCH_NPU_ALLOC_CONF=value)
        assert "RuntimeError" in out and word in out, out


@test
def snapshot():
    """A snapshot has all tensors, and its sums are those of the statistics."""
    x = torch.empty(1 << 20, device="npu")
    y = torch.empty(100, device="npu")
    segments = torch.npu.memory_snapshot()
    held = {b["address"]: b["size"] for s in segments for b in s["blocks"]
            if b["state"] == "active_allocated"}
    equal(held[x.data_ptr()], 4 << 20)
    equal(held[y.data_ptr()], 400)
    equal(sum(s["allocated_size"] for s in segments), torch.npu.memory_allocated())
    for s in segments:
        equal(sum(b["size"] for b in s["blocks"]), s["total_size"])
    torch.npu.reset_accumulated_memory_stats()
    equal(torch.npu.memory_stats()["allocated_bytes.all.allocated"],
          torch.npu.memory_allocated())


@test
def fraction():
    """A fraction of the memory is the limit of tensors, which it returns to."""
    total = torch.npu.mem_get_info()[1]
    torch.npu.empty_cache()
    torch.npu.set_per_process_memory_fraction(0.1)
    equal(torch.npu.get_per_process_memory_fraction(), 0.1)
    kept = []
    error = raises(RuntimeError, lambda: [
        kept.append(torch.empty(total // 100, dtype=torch.uint8, device="npu"))
        for _ in range(20)])
    assert "out of memory" in str(error) and 6 <= len(kept) <= 10, (error, len(kept))
    kept.clear()
    torch.npu.empty_cache()
    kept = torch.empty(total // 20, dtype=torch.uint8, device="npu")
    torch.npu.set_per_process_memory_fraction(1.0)


@test
def pools():
    """Tensors of a pool have memory of its own, which returns with the pool."""
    before = torch.npu.memory_allocated()
    pool = torch.npu.MemPool()
    with torch.npu.use_mem_pool(pool):
        x = torch.ones(1000, device="npu")
        where = x.data_ptr()
        del x
        x = torch.ones(1000, device="npu")
        equal(x.data_ptr(), where)
    numbers = {s["segment_pool_id"] for s in torch.npu.memory_snapshot()
               for b in s["blocks"] if b["address"] == where}
    equal(numbers, {pool.id})
    close(x * 2, torch.full((1000,), 2.))
    del x, pool
    equal(torch.npu.memory_allocated(), before)
    equal(torch.npu.get_allocator_backend(), "native")


@test
def host_memory():
    """The statistics of pinned memory count its blocks."""
    before = torch.npu.host_memory_stats()["allocated_bytes.current"]
    x = torch.randn(1000).pin_memory()
    stats = torch.npu.host_memory_stats_as_nested_dict()["allocated_bytes"]
    equal(stats["current"] - before, 4000)
    del x
    torch.npu.reset_peak_host_memory_stats()
    equal(torch.npu.host_memory_stats()["allocated_bytes.peak"], before)


@test
def waits():
    """Copies that wait for the device warn, or fail, if a program asks for that."""
    x = torch.ones(3).npu()
    torch.npu.set_sync_debug_mode("error")
    try:
        equal(torch.npu.get_sync_debug_mode(), 2)
        assert "waits" in str(raises(RuntimeError, x.cpu))
        x.add_(1)
    finally:
        torch.npu.set_sync_debug_mode("default")
    equal(x.tolist(), [2, 2, 2])
    raises(RuntimeError, torch.npu.set_sync_debug_mode, "loud")


@test
def options():
    """Types of tensors, and options that programs set."""
    x = torch.npu.FloatTensor([1, 2])
    assert isinstance(x, torch.npu.FloatTensor) and not isinstance(x, torch.npu.HalfTensor)
    equal(torch.npu.LongTensor(2, 3).shape, (2, 3))
    storage = torch.npu.HalfStorage([1, 2, 3])
    assert isinstance(storage, torch.npu.HalfStorage) and len(storage) == 3
    assert not isinstance(storage, torch.npu.FloatStorage)
    assert not isinstance(x.cpu().storage(), torch.npu.FloatStorage)
    assert isinstance(torch.npu.FloatStorage(4), torch.npu.FloatStorage)
    torch.npu.set_compile_mode(jit_compile=False)
    assert torch.npu.is_jit_compile_false() and torch.npu.is_bf16_supported()
    torch.npu.set_option({"ACL_PRECISION_MODE": "must_keep_origin_dtype"})
    torch.npu.matmul.allow_hf32 = False
    torch.npu.set_aoe(".")
    raises(ValueError, torch.npu.set_aoe, "no/such/directory")
    torch.npu.set_mm_bmm_format_nd(True)
    assert torch.npu.get_mm_bmm_format_nd() and not torch.npu.is_current_stream_capturing()
    both(lambda t: t @ t, torch.randn(3, 3))


@test
def stress():
    """A test of the device's results passes."""
    equal([torch.npu.stress_detect(kind) for kind in ("aic", "hccs", "others")], [0, 0, 1])


# Huawei's names that programs use, but init_dump(), set_dump() and finalize_dump().
NAMES = """
    is_available is_initialized init device_count set_device current_device
    get_device_name get_device_properties get_device_capability can_device_access_peer
    device device_of synchronize utilization mem_get_info set_device_limit
    get_device_limit stop_device restart_device check_uce_in_memory stress_detect
    get_cann_version Stream Event SyncLaunchStream ExternalStream ExternalEvent stream
    StreamContext set_stream current_stream default_stream set_stream_limit
    reset_stream_limit get_stream_limit set_sync_debug_mode get_sync_debug_mode
    caching_allocator_alloc caching_allocator_delete get_per_process_memory_fraction
    set_per_process_memory_fraction empty_cache empty_virt_addr_cache memory_stats
    memory_stats_as_nested_dict reset_accumulated_memory_stats reset_peak_memory_stats
    reset_max_memory_allocated reset_max_memory_cached memory_allocated
    max_memory_allocated memory_reserved max_memory_reserved memory_cached
    max_memory_cached memory_snapshot memory_summary MemPool use_mem_pool
    get_allocator_backend NPUPluggableAllocator change_current_allocator
    host_empty_cache host_memory_stats host_memory_stats_as_nested_dict
    reset_accumulated_host_memory_stats reset_peak_host_memory_stats ipc_collect NPUGraph
    graph graph_pool_handle is_current_stream_capturing make_graphed_callables
    graph_task_group_begin graph_task_group_end graph_task_update_begin
    graph_task_update_end NpuGraphOpHandler register_npu_graph_handler
    super_kernel_scope_begin super_kernel_scope_end manual_seed manual_seed_all seed
    seed_all initial_seed get_rng_state get_rng_state_all set_rng_state
    set_rng_state_all is_autocast_enabled set_autocast_enabled get_autocast_dtype
    set_autocast_dtype get_amp_supported_dtype is_bf16_supported set_option set_aoe
    set_compile_mode set_mm_bmm_format_nd get_mm_bmm_format_nd is_jit_compile_false
    get_npu_overflow_flag clear_npu_overflow_flag set_op_timeout_ms mstx config matmul
    conv npurt""".split()
TYPES = "Float Double Half BFloat16 Long Int Short Char Byte Bool".split()


@test
def names():
    """torch.npu has the names that programs use."""
    equal([name for name in NAMES if not hasattr(torch.npu, name)], [])
    equal([name + kind for name in TYPES for kind in ("Tensor", "Storage")
           if not hasattr(torch.npu, name + kind)], [])


main()
