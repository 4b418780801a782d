#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The rooms of driver/, lib/src/ and lib/graph/: a file includes headers of its own room and of
rooms below, never of one above. A function that a room's header declares is defined in
that room. No function of driver/ has the name of one of lib/src/.

usage: rooms.py

Prints FILE: HEADER (ROOM is above ROOM) for each #include that goes up, FILE: FUNCTION
for each function that is declared in one room and defined in another, and FILE: FUNCTION
for each name in both trees.
"""

import os
import re
import sys

# From the top down, with the purpose of each.
ORDER = {
    "driver": {
        ".": "The module: its start and end, and its tracepoints.",
        "ioctl": "/dev/vnpu: open, mmap, fdinfo, and a handler for each ioctl.",
        "netlink": "The netlink family: requests of tools, and the events of base/events.h.",
        "device": "The life of a device: create, hotplug, suspend, remove; sysfs and debugfs.",
        "client": "The life of a client, and its history.",
        "exec": "Streams and graphs, and the engines and cores that run their tasks: rings, "
                "scheduler, fences, resets.",
        "sync": "Timelines and counters: values that streams, the host and files wait for.",
        "va": "Device addresses: bindings, the window that the host maps, slabs, copies by "
              "address.",
        "alloc": "Allocation of device memory, the fit check, and OOM reports.",
        "compact": "Compaction: planning, the migration of objects, and the map of an arena.",
        "mem": "Memory objects: pages of the arena, host memory, dma-bufs, and their charges.",
        "ras": "Fault injection and memory errors (ECC).",
        "account": "Users, accounts, quotas and pools of ids.",
        "base": "The structs of the device and the client, their tables and references.",
        "core": "Algorithms without the kernel: allocator, address map, planner, queues.",
    },
    "lib/src": {
        "init": "aclInit() and aclFinalize(), and fork().",
        "device": "aclrtSetDevice() and aclrtResetDevice(); contexts begin and end.",
        "offline": "aclmdl*(): models of .om files, and their runs.",
        "alloc": "aclrtMalloc() and aclrtFree(), from pools or the driver; shared buffers.",
        "pool": "Pools of device memory, those of AscendCL (aclrtMemPool) among them.",
        "aclprof": "aclprof*(): events of tasks and ranges.",
        "model": "aclmdlRI*(): models of captured tasks.",
        "op": "aclop*(): single operators, which libvnpu-op has.",
        "launch": "Launches of kernels.",
        "dump": "aclmdl*Dump(): the inputs and outputs of operators, as files; "
                "aclop*DumpArgs(): their descriptions.",
        "stream": "Streams, events, notifies, and the submission of tasks.",
        "kernel": "Kernels: binaries, functions, arguments, and the processes that run them.",
        "mem": "Device and host memory: allocation, mapping, sharing, OOM messages.",
        "ipc": "Handing memory and timelines to other processes.",
        "runtime": "Devices and contexts, the calling thread's current ones, and options.",
        "memprof": "vnpu_profile_*(): allocations by call site.",
        "plan": "vnpu_plan_*(): offsets for tensors with known lifetimes; arenas for them.",
        "io": "The open file, all ioctls, device addresses and numbers.",
        "base": "Errors, log, handles, threads, trees: nothing that concerns a device.",
    },
    "lib/graph": {
        "compile": "One call from the bytes of a model to a program.",
        "edit": "Changes of a graph that its user asks for: outputs, types, images as inputs.",
        "pass": "Changes of a graph that keep its results.",
        "memory": "Lifetimes of buffers, their plan, and the writer of programs.",
        "om": "Models as files: one program or several that share weights.",
        "op": "The operators of ONNX: inference and lowering.",
        "onnx": "The reader of ONNX files.",
        "build": "Steps, buffers and views; evaluation of constants.",
        "ir": "The graph: values and nodes.",
        "program": "Programs: their format, its checks, and an interpreter.",
        "base": "Memory that is freed at once.",
    },
}
# Headers of the top that every room may include. Tracepoints use the structs of all
# rooms, as those in include/trace/events do; compat.h includes kernel headers only.
FREE = {"trace.h", "trace_mem.h", "compat.h"}
# Headers that declare functions of other rooms, each with its reason.
DOORS = {
    # Low rooms report events, which netlink/ sends.
    "driver/base/events.h",
    # Low rooms call these functions of exec/.
    "driver/base/upcalls.h",
    # fork() takes the locks of all rooms.
    "lib/src/base/fork.h",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

NOT_CODE = re.compile(r"/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*|__attribute__\(\(.*?\)\)\)?",
                      re.M | re.S)
# At the start of a line, a return type, the name, and its arguments.
FUNCTION = r"^(?!static|typedef)[a-z][\w \t\n*]*?\b(\w+)\([^;{}]*\)\s*"


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


def functions(top, suffix, end):
    """Yield the path, room and name of each function in the files named *suffix."""
    for folder, _, names in sorted(os.walk(top)):
        room = os.path.relpath(folder, top).split("/")[0]
        for name in sorted(names):
            if name.endswith(suffix) and room != "tests":
                path = os.path.join(folder, name)
                with open(path) as f:
                    text = NOT_CODE.sub("", f.read())
                for function in re.findall(FUNCTION + end, text, re.M):
                    yield path, room, function


def strays(top):
    defined = {(room, name) for _, room, name in functions(top, ".c", r"\{")}
    for path, room, name in functions(top, ".h", ";"):
        if (room, name) not in defined and path not in DOORS:
            yield path, name


def namesakes():
    driver = {name for _, _, name in functions("driver", ".c", r"\{")}
    for path, _, name in functions("lib/src", ".c", r"\{"):
        if name in driver:
            yield path, name


def main():
    for top in ORDER:
        for path, header, why in violations(top):
            print(f"{path}: {header}: {why}")
        for path, name in strays(top):
            print(f"{path}: {name}() is defined in another room")
    for path, name in namesakes():
        print(f"{path}: {name}() is also the name of a function in driver/")


if __name__ == "__main__":
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../.."))
    main()
