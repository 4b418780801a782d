#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The rooms of driver/ and lib/src/: a file includes headers of its own room and of
rooms below, never of one above.

usage: rooms.py

Prints FILE: HEADER (ROOM is above ROOM) for each #include that goes up.
"""

import os
import re
import sys

# From the top down, with what each offers.
ORDER = {
    "driver": {
        ".": "The module: its start and end, and its tracepoints.",
        "ioctl": "/dev/vnpu: open, mmap, fdinfo, and a handler for each ioctl.",
        "netlink": "The netlink family: requests of tools, and the events of base/events.h.",
        "device": "The life of a device: made, plugged, suspended, removed; sysfs and debugfs.",
        "client": "The life of a client, the address space that it ends with, and its history.",
        "exec": "Streams, and the engines that run their tasks: rings, scheduler, operations, "
                "fences, hangs and resets.",
        "sync": "Timelines and counters: values that streams, the host and files wait for.",
        "va": "Device addresses: bindings, the window that the host maps, slabs, copies by "
              "address.",
        "compact": "Allocating device memory: compaction, what it moves, and the report when none "
                   "is left.",
        "mem": "Memory objects: pages of the arena, host memory, dma-bufs; who holds them.",
        "ras": "Injected faults and errors of memory.",
        "account": "Users, accounts, quotas and numbered resources.",
        "base": "The device and the client, as all rooms know them: structs, tables, references.",
        "core": "Algorithms without the kernel: allocator, address map, planner, queues.",
    },
    "lib/src": {
        "init": "aclInit() and aclFinalize(), options, fork().",
        "pool": "Pools of device memory, those of AscendCL (aclrtMemPool) among them.",
        "aclprof": "aclprof*(): events of tasks and ranges.",
        "stream": "Streams, events and notifies, and what is submitted to them.",
        "mem": "Device and host memory: allocation, mapping, sharing, messages on lack of it.",
        "ipc": "Handing memory and timelines to other processes.",
        "runtime": "Devices and contexts: which of them the calling thread uses.",
        "memprof": "vnpu_profile_*(): who allocated what.",
        "plan": "vnpu_plan_*(): offsets for tensors whose lives are known.",
        "io": "The open file, and all ioctls.",
        "base": "Errors, log, handles, threads, trees: nothing of a device.",
    },
}
# Headers of the top that every room may include: tracepoints know the structs of
# all rooms, as include/trace/events does, and compat.h only the kernel.
FREE = {"trace.h", "trace_mem.h", "compat.h"}
# Includes that still go up, each with its reason.
KNOWN = {
    # vnpu_io_is_forked(): an error after fork() says so.
    ("lib/src/base/error.c", "io/io.h"),
    # vnpu_va_init(): the window is divided when the device is opened.
    ("lib/src/io/io.c", "mem/va.h"),
    # Freeing waits for all streams, as aclrtFree() promises.
    ("lib/src/mem/allocator.c", "stream/stream.h"),
    ("lib/src/mem/host.c", "stream/stream.h"),
    ("lib/src/mem/mem.c", "stream/stream.h"),
    # aclrtMalloc() serves from the default pool and trims pools when memory is short.
    ("lib/src/mem/mem.c", "pool/default.h"),
    ("lib/src/mem/mem.c", "pool/mempool.h"),
    ("lib/src/mem/mem.c", "pool/provider.h"),
    ("lib/src/stream/event_wait.c", "pool/mempool.h"),
    ("lib/src/stream/stream_sync.c", "pool/mempool.h"),
    # Numbers of devices, as the program sees them.
    ("lib/src/memprof/record.c", "runtime/device.h"),
    ("lib/src/memprof/report.c", "runtime/device.h"),
    ("lib/src/memprof/timeline.c", "runtime/device.h"),
    ("lib/src/memprof/trace.c", "runtime/device.h"),
    # Contexts make and end streams and events.
    ("lib/src/runtime/context.c", "init/init.h"),
    ("lib/src/runtime/context.c", "stream/abort.h"),
    ("lib/src/runtime/context.c", "stream/event.h"),
    ("lib/src/runtime/context.c", "stream/stream.h"),
    # aclrtResetDevice() ends all that a device has.
    ("lib/src/runtime/device.c", "ipc/share.h"),
    ("lib/src/runtime/device.c", "mem/ipc_mem.h"),
    ("lib/src/runtime/device.c", "mem/mem.h"),
    ("lib/src/runtime/device.c", "mem/vmm.h"),
    ("lib/src/runtime/device.c", "pool/mempool.h"),
    ("lib/src/runtime/device.c", "pool/provider.h"),
    ("lib/src/runtime/device.c", "stream/abort.h"),
    ("lib/src/runtime/device.c", "stream/notify.h"),
    ("lib/src/runtime/device.c", "stream/overflow.h"),
    ("lib/src/runtime/device.c", "stream/reslimit.h"),
    ("lib/src/runtime/device.c", "stream/stream.h"),
    ("lib/src/runtime/hooks.c", "stream/failure.h"),
    # Profiling notes each task.
    ("lib/src/stream/stream.c", "aclprof/prof.h"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def violations(top):
    rank = {room: i for i, room in enumerate(ORDER[top])}
    for folder, _, names in sorted(os.walk(top)):
        room = os.path.relpath(folder, top).split("/")[0]
        if room == "tests":
            continue
        for name in sorted(names):
            if not name.endswith((".c", ".h")) or name in FREE:
                continue
            path = os.path.join(folder, name)
            if room not in rank:
                yield path, "-", f"{room}/ is no room"
                continue
            with open(path) as f:
                headers = INCLUDE.findall(f.read())
            for header in headers:
                if os.path.exists(os.path.join(folder, header)) or header in FREE:
                    continue
                if not os.path.exists(os.path.join(top, header)):
                    continue
                other = header.split("/")[0] if "/" in header else "."
                if rank.get(other, 99) < rank[room]:
                    yield path, header, f"{other}/ is above {room}/"


def main():
    used = set()
    for top in ORDER:
        for path, header, why in violations(top):
            if (path, header) in KNOWN:
                used.add((path, header))
                continue
            print(f"{path}: {header}: {why}")
    for path, header in sorted(set(KNOWN) - used):
        print(f"{path}: {header}: is not included any more; take it out of KNOWN")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
    main()
