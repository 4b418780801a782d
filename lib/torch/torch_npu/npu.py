# SPDX-License-Identifier: MIT
"""torch.npu: devices, streams, events, memory, graphs and random numbers."""

from . import _C
from . import amp, memory, random, streams
from .amp import (
    get_amp_supported_dtype, get_autocast_dtype, is_autocast_enabled, set_autocast_dtype,
    set_autocast_enabled)
from .device import (
    can_device_access_peer, check_uce_in_memory, current_device, device, device_count,
    device_index, device_of, get_cann_version, get_device_capability, get_device_limit,
    get_device_name, get_device_properties, init, is_available, is_initialized,
    restart_device, set_device, set_device_limit, stop_device, synchronize, utilization)
from .graphs import (
    NPUGraph, graph, graph_pool_handle, is_current_stream_capturing,
    make_graphed_callables)
from .memory import (
    MemPool, NPUPluggableAllocator, caching_allocator_alloc, caching_allocator_delete,
    change_current_allocator, empty_cache, empty_virt_addr_cache, get_allocator_backend,
    get_per_process_memory_fraction, host_empty_cache, host_memory_stats,
    host_memory_stats_as_nested_dict, ipc_collect, max_memory_allocated,
    max_memory_cached, max_memory_reserved, mem_get_info, memory_allocated,
    memory_cached, memory_reserved, memory_snapshot, memory_stats,
    memory_stats_as_nested_dict, memory_summary, reset_accumulated_host_memory_stats,
    reset_accumulated_memory_stats, reset_max_memory_allocated, reset_max_memory_cached,
    reset_peak_host_memory_stats, reset_peak_memory_stats, set_memory_fraction,
    set_per_process_memory_fraction, use_mem_pool)
from .options import (
    clear_npu_overflow_flag, config, conv, finalize_dump, get_mm_bmm_format_nd,
    get_npu_overflow_flag, init_dump, is_jit_compile_false, matmul, mstx, set_aoe,
    set_compile_mode, set_dump, set_mm_bmm_format_nd, set_op_timeout_ms, set_option)
from .npurt import npurt
from .random import (
    default_generator, get_rng_state, get_rng_state_all, initial_seed, manual_seed,
    manual_seed_all, seed, seed_all, set_rng_state, set_rng_state_all)
from .streams import (
    Event, ExternalEvent, ExternalStream, Stream, StreamContext, SyncLaunchStream,
    current_stream, default_stream, get_stream_limit, get_sync_debug_mode,
    reset_stream_limit, set_stream, set_stream_limit, set_sync_debug_mode, stream)
from .stress import stress_detect
from .types import TYPES
from .updates import (
    NpuGraphOpHandler, graph_task_group_begin, graph_task_group_end,
    graph_task_update_begin, graph_task_update_end, register_npu_graph_handler,
    super_kernel_scope_begin, super_kernel_scope_end)

globals().update(TYPES)


def fallbacks():
    """Return the operators that ran on the CPU, with the number of their calls."""
    return dict(_C.fallbacks())


def clear_fallbacks():
    """Forget the calls so far; each operator then warns again."""
    _C.clear_fallbacks()


def is_bf16_supported():
    return True
