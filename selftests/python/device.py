#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The module acl on a device, without numpy."""

import ctypes
import gc
import os
import subprocess
import sys
import threading
import time

from tap import B, SITE, equal, main, raises, test
from call import HUGE_FIRST, PARAM_INVALID, free_bytes, ok

import acl
import vnpu

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
WAIT_EQUAL = 1
INVALID_HANDLE, NO_THREAD = 107017, 107015
BLOCK = 1
KERNELS = f"{B}/selftests/lib/kernels.o"


class Blocked:
    """A stream that waits until release()."""

    def __enter__(self):
        self.flag = ok(acl.rt.malloc(64, HUGE_FIRST))
        ok(acl.rt.memset(self.flag, 64, 0, 64))
        self.stream = ok(acl.rt.create_stream())
        ok(acl.rt.value_wait(self.flag, 1, WAIT_EQUAL, self.stream))
        return self

    def release(self):
        """Let the stream go on; any thread may call this."""
        ok(acl.rt.set_device(0))
        ok(acl.rt.memset(self.flag, 64, 1, 1))

    def __exit__(self, *_):
        self.release()
        ok(acl.rt.synchronize_stream(self.stream))
        ok(acl.rt.destroy_stream(self.stream))
        ok(acl.rt.free(self.flag))


class Reporter:
    """A thread that runs the callbacks of streams."""

    def __enter__(self):
        self.ends = False
        self.tid, code = acl.util.start_thread(self.run, [self])
        equal(code, 0)
        return self.tid

    def run(self, arguments):
        equal(arguments, [self])
        while not self.ends:
            acl.rt.process_report(10)

    def __exit__(self, *_):
        self.ends = True
        equal(acl.util.stop_thread(self.tid), 0)


def wait_for(condition):
    """Wait until a condition holds; the test's limit of time ends it otherwise."""
    while not condition():
        time.sleep(0.001)


@test
def _():
    """Bytes go to the device and back."""
    data = bytes(range(256)) * 64
    device = ok(acl.rt.malloc(len(data), HUGE_FIRST))
    ok(acl.rt.memcpy(device, len(data), acl.util.bytes_to_ptr(data), len(data),
                     HOST_TO_DEVICE))
    host = ok(acl.rt.malloc_host(len(data)))
    stream = ok(acl.rt.create_stream())
    ok(acl.rt.memcpy_async(host, len(data), device, len(data), DEVICE_TO_HOST,
                           stream))
    ok(acl.rt.synchronize_stream(stream))
    equal(acl.util.ptr_to_bytes(host, len(data)), data)
    raises(ValueError, acl.util.ptr_to_bytes, device, 1)
    ok(acl.rt.destroy_stream(stream))
    ok(acl.rt.free_host(host))
    ok(acl.rt.free(device))


@test
def _():
    """Copies between and fills of wrong addresses of the host raise ValueError."""
    data = acl.util.bytes_to_ptr(b"0123456789" * 10)
    host, device = ok(acl.rt.malloc_host(4096)), ok(acl.rt.malloc(4096, HUGE_FIRST))
    ok(acl.rt.memcpy(host, 4096, data, 100, 0))
    ok(acl.rt.memcpy2d(host, 64, data, 20, 10, 5, 4))
    equal(acl.util.ptr_to_bytes(host + 128, 10), b"0123456789")
    stream = ok(acl.rt.create_stream())
    for function, *args in (
            (acl.rt.memcpy, host, 4096, 8, 100, 0),
            (acl.rt.memcpy, 4096, 4096, data, 100, 0),
            (acl.rt.memcpy_async, host, 4096, 8, 100, 0, stream),
            (acl.rt.memcpy2d, host, 1 << 40, data, 20, 10, 5, 4),
            (acl.rt.memset, 4096, 100, 0, 100),
            (acl.rt.memset_async, 4096, 100, 0, 100, stream)):
        raises(ValueError, function, *args)
    # The device reports this one.
    equal(acl.rt.memcpy(device, 4096, 8, 100, HOST_TO_DEVICE), PARAM_INVALID)
    ok(acl.rt.destroy_stream(stream))
    ok(acl.rt.free_host(host))
    ok(acl.rt.free(device))


@test
def _():
    """Failures return 0 and a code, with a message."""
    acl.get_recent_err_msg()
    equal(acl.rt.malloc(1 << 50, HUGE_FIRST), (0, 207001))
    assert "aclrtMalloc" in acl.get_recent_err_msg()
    equal(acl.get_recent_err_msg(), None)
    equal(acl.rt.peek_at_last_error(0), 207001)
    equal(acl.rt.get_last_error(0), 207001)
    equal(acl.rt.free(4096), PARAM_INVALID)
    equal(acl.rt.destroy_stream(4096), INVALID_HANDLE)
    equal(acl.rt.synchronize_event(4096), INVALID_HANDLE)


@test
def _():
    """Structs are dicts, and arrays are lists."""
    device = ok(acl.rt.malloc(1 << 21, HUGE_FIRST))
    attributes = ok(acl.rt.pointer_get_attributes(device))
    equal(sorted(attributes), ["location", "page_size", "rsv"])
    equal(attributes["location"], {"id": 0, "type": 1})
    equal(attributes["rsv"], [0] * 4)
    ok(acl.rt.free(device))
    rates = ok(acl.rt.get_device_utilization_rate(0))
    assert rates["vector_utilization"] >= 0, rates
    equal(len(ok(acl.rt.device_get_uuid(0))["bytes"]), 16)
    attributes, number = ok(acl.get_cann_attribute_list())
    equal(len(attributes), number)
    stream = ok(acl.rt.create_stream())
    ok(acl.rt.set_stream_attribute(stream, 1, {"failureMode": 1}))
    equal(ok(acl.rt.get_stream_attribute(stream, 1)), {"failureMode": 1})
    ok(acl.rt.destroy_stream(stream))
    prop = {"memAttr": 4, "location": {"id": 0, "type": 1}}
    size = ok(acl.rt.mem_get_allocation_granularity(prop, 0))
    handle = ok(acl.rt.malloc_physical(size, prop, 0))
    address = ok(acl.rt.reserve_mem_address(size, 0, 0, 0))
    ok(acl.rt.map_mem(address, size, 0, handle, 0))
    ok(acl.rt.unmap_mem(address))
    ok(acl.rt.release_mem_address(address))
    ok(acl.rt.free_physical(handle))
    equal(acl.rt.get_mem_uce_info(0, 4), ([], 0))
    for config in {}, {"numAttrs": 1, "attrs": [{"attr": 1, "value": {"moduleId": 3}}]}:
        ok(acl.rt.free(ok(acl.rt.malloc_with_cfg(4096, HUGE_FIRST, config))))


@test
def _():
    """Keys are strings, and lists of processes are lists."""
    device = ok(acl.rt.malloc(1 << 21, HUGE_FIRST))
    key = ok(acl.rt.ipc_mem_get_export_key(device, 4096, 65, 0))
    assert 0 < len(key) < 65, key
    ok(acl.rt.ipc_mem_set_import_pid(key, [1]))
    ok(acl.rt.ipc_mem_close(key))
    notify = ok(acl.rt.create_notify(0))
    ok(acl.rt.notify_batch_reset([notify]))
    ok(acl.rt.destroy_notify(notify))
    ok(acl.rt.free(device))


@test
def _():
    """Other threads run while a call waits."""
    with Blocked() as blocked:
        other = threading.Thread(target=blocked.release)
        other.start()
        # Only the other thread can end this.
        ok(acl.rt.synchronize_stream(blocked.stream))
        other.join()


@test
def _():
    """Streams call functions in the thread of start_thread()."""
    calls = []
    stream = ok(acl.rt.create_stream())
    with Reporter() as tid:
        ok(acl.rt.subscribe_report(tid, stream))
        for i in range(100):
            ok(acl.rt.launch_callback(lambda x: calls.append(x), [i], BLOCK, stream))
        ok(acl.rt.synchronize_stream(stream))
        equal(calls, [[i] for i in range(100)])
        ok(acl.rt.unsubscribe_report(tid, stream))
    ok(acl.rt.destroy_stream(stream))


@test
def _():
    """An exception in a callback is reported, and the stream continues."""
    reports = []
    hook, sys.unraisablehook = sys.unraisablehook, (
        lambda report: reports.append(str(report.exc_value)))
    with Blocked() as blocked, Reporter() as tid:
        ok(acl.rt.subscribe_report(tid, blocked.stream))
        ok(acl.rt.launch_callback(int, "no number", BLOCK, blocked.stream))
        blocked.release()
        ok(acl.rt.synchronize_stream(blocked.stream))
        ok(acl.rt.unsubscribe_report(tid, blocked.stream))
    sys.unraisablehook = hook
    equal(len(reports), 1)
    assert "no number" in reports[0], reports


@test
def _():
    """Callbacks that are dropped free their objects."""
    data, function = object(), lambda x: None
    before = sys.getrefcount(data), sys.getrefcount(function)
    with Blocked() as blocked, Reporter() as tid:
        equal(acl.rt.launch_callback(function, data, BLOCK, blocked.stream),
              NO_THREAD)
        equal((sys.getrefcount(data), sys.getrefcount(function)), before)
        ok(acl.rt.subscribe_report(tid, blocked.stream))
        for _ in range(10):
            ok(acl.rt.launch_callback(function, data, BLOCK, blocked.stream))
        equal(sys.getrefcount(data), before[0] + 10)
        ok(acl.rt.unsubscribe_report(tid, blocked.stream))
        equal((sys.getrefcount(data), sys.getrefcount(function)), before)


@test
def _():
    """Failures call the function for exceptions, with a valid number."""
    found = []

    def report(info):
        found.append((acl.rt.get_error_code_from_exception_info(info),
                      acl.rt.get_device_id_from_exception_info(info), info))

    ok(acl.rt.set_exception_info_callback(report))
    # Its own context, because a failure stops all streams of one.
    context = ok(acl.rt.create_context(0))
    stream = ok(acl.rt.create_stream())
    device = ok(acl.rt.malloc(4096, HUGE_FIRST))
    code = acl.rt.memcpy_async(device, 4096, device + (1 << 36), 4096,
                               DEVICE_TO_DEVICE, stream)
    equal(code, 0)
    failure = acl.rt.synchronize_stream(stream)
    assert failure, "the copy succeeded"
    wait_for(lambda: found)
    equal(found[0][:2], (failure, 0))
    raises(ValueError, acl.rt.get_error_code_from_exception_info, found[0][2])
    ok(acl.rt.set_exception_info_callback())
    ok(acl.rt.destroy_context(context))
    ok(acl.rt.set_device(0))
    ok(acl.rt.free(device))


@test
def _():
    """A thread's exception is raised by stop_thread()."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda report: None
    tid, code = acl.util.start_thread(lambda x: {}[x[0]], ["missing"])
    equal(code, 0)
    error = raises(RuntimeError, acl.util.stop_thread, tid)
    equal(str(error), "exception=KeyError,msg='missing'")
    sys.unraisablehook = hook
    assert acl.util.stop_thread(tid), "a thread was stopped twice"


@test
def _():
    """Functions of allocators run."""
    library = ctypes.CDLL(f"{SITE}/../../lib64/libascendcl.so")
    stream, desc = ok(acl.rt.create_stream()), acl.rt.allocator_create_desc()
    calls = []
    ok(acl.rt.allocator_set_obj_to_desc(desc, 77))
    ok(acl.rt.allocator_set_alloc_func_to_desc(
        desc, lambda allocator, size: calls.append(allocator) or size + 1))
    ok(acl.rt.allocator_set_free_func_to_desc(
        desc, lambda allocator, block: calls.append(block)))
    ok(acl.rt.allocator_set_get_addr_from_block_func_to_desc(
        desc, lambda block: block + 1))
    ok(acl.rt.allocator_register(stream, desc))
    kinds = [ctypes.c_void_p() for _ in range(6)]
    equal(library.aclrtAllocatorGetByStream(
        ctypes.c_void_p(stream), *map(ctypes.byref, kinds)), 0)
    _, _, alloc, free, _, address = (kind.value for kind in kinds)
    pointer = ctypes.c_void_p
    function = ctypes.CFUNCTYPE(pointer, pointer, ctypes.c_size_t)
    equal(function(alloc)(77, 100), 101)
    ctypes.CFUNCTYPE(None, pointer, pointer)(free)(77, 101)
    equal(ctypes.CFUNCTYPE(pointer, pointer)(address)(101), 102)
    equal(calls, [77, 101])
    ok(acl.rt.allocator_unregister(stream))
    ok(acl.rt.allocator_destroy_desc(desc))
    ok(acl.rt.destroy_stream(stream))


@test
def _():
    """A kernel runs."""
    binary = ok(acl.rt.binary_load_from_file(KERNELS, []))
    function = ok(acl.rt.binary_get_function(binary, "add"))
    data = b"".join(i.to_bytes(4, "little") for i in range(64))
    x, y = (ok(acl.rt.malloc(len(data), HUGE_FIRST)) for _ in range(2))
    ok(acl.rt.memcpy(x, 256, acl.util.bytes_to_ptr(data), 256, HOST_TO_DEVICE))
    stream = ok(acl.rt.create_stream())
    arguments = ok(acl.rt.kernel_args_init(function))
    # The arguments: x, y, add, n.
    values = [x.to_bytes(8, "little"), y.to_bytes(8, "little"),
              (5).to_bytes(4, "little"), (64).to_bytes(4, "little")]
    for value in values:
        ok(acl.rt.kernel_args_append(arguments, acl.util.bytes_to_ptr(value),
                                     len(value)))
    ok(acl.rt.kernel_args_finalize(arguments))
    ok(acl.rt.launch_kernel_with_config(function, 4, stream, [], arguments, 0))
    ok(acl.rt.synchronize_stream(stream))
    host = ok(acl.rt.malloc_host(256))
    ok(acl.rt.memcpy(host, 256, y, 256, DEVICE_TO_HOST))
    out = acl.util.ptr_to_bytes(host, 256)
    equal([int.from_bytes(out[i:i + 4], "little") for i in range(0, 256, 4)],
          [i + 5 for i in range(64)])
    for pointer in (x, y):
        ok(acl.rt.free(pointer))
    ok(acl.rt.free_host(host))
    ok(acl.rt.destroy_stream(stream))
    ok(acl.rt.binary_unload(binary))


def some_of_all():
    """Call functions of every kind once, with success and with errors."""
    data = acl.create_data_buffer(ok(acl.rt.malloc(4096, HUGE_FIRST)), 4096)
    equal(acl.get_data_buffer_size_v2(data), 4096)
    ok(acl.rt.free(acl.get_data_buffer_addr(data)))
    ok(acl.destroy_data_buffer(data))
    stream, event = ok(acl.rt.create_stream()), ok(acl.rt.create_event())
    ok(acl.rt.record_event(event, stream))
    ok(acl.rt.stream_wait_event(stream, event))
    ok(acl.rt.synchronize_event(event))
    ok(acl.rt.destroy_event(event))
    ok(acl.rt.destroy_stream(stream))
    acl.rt.malloc(1 << 50, HUGE_FIRST)
    acl.get_recent_err_msg()
    acl.rt.pointer_get_attributes(0)
    acl.get_cann_version(1)
    acl.get_version_str("runtime")
    raises(TypeError, acl.rt.malloc, "1", 0)
    raises(ValueError, acl.rt.notify_batch_reset, [1, 2, 1 << 70])
    raises(ValueError, acl.rt.malloc_with_cfg, 1, 0,
           {"attrs": [{"value": {"rsv": [1] * 9}}]})
    with vnpu.Stream() as stream, vnpu.Memory(4096) as memory:
        vnpu.copy(memory, memory, 4096)


@test
def _():
    """Nothing is left of many calls."""
    some_of_all()
    bytes_before = free_bytes()
    streams = ok(acl.rt.get_stream_available_num())
    gc.collect()
    blocks = sys.getallocatedblocks()
    for _ in range(30):
        some_of_all()
    gc.collect()
    grown = sys.getallocatedblocks() - blocks
    assert grown < 30, f"{grown} blocks of Python are left"
    equal(free_bytes(), bytes_before)
    equal(ok(acl.rt.get_stream_available_num()), streams)


# Ends with a thread that waits for callbacks, and with callbacks that wait.
ENDING = """
import acl
acl.rt.set_device(0)
flag, ret = acl.rt.malloc(64, 0)
acl.rt.memset(flag, 64, 0, 64)
stream, ret = acl.rt.create_stream()
acl.rt.value_wait(flag, 1, 1, stream)
tid, ret = acl.util.start_thread(lambda args: acl.rt.process_report(-1), [])
assert acl.rt.subscribe_report(tid, stream) == 0
for i in range(10):
    assert acl.rt.launch_callback(print, i, 0, stream) == 0
acl.rt.set_exception_info_callback(print)
"""


@test
def _():
    """The interpreter ends although threads wait for callbacks."""
    environment = {**os.environ, "PYTHONPATH": SITE}
    result = subprocess.run([sys.executable, "-c", ENDING], env=environment,
                            capture_output=True, timeout=100, check=False)
    equal((result.returncode, result.stdout, result.stderr), (0, b"", b""))


if __name__ == "__main__":
    ok(acl.rt.set_device(0))
    main()
