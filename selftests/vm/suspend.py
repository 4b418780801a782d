#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Suspend a machine with busy devices, see suspend.c: each kernel boots with
that program as its init, in an initramfs, which survives, unlike a root file
system on the host. Prints TAP.

usage: suspend.py [-2] [KERNEL...]      default: 6.1 and 6.12

Without KVM, the machine has one processor, whose clock counts its instructions:
the kernel waits actively for seconds, and must not take a host that is busy with
other work for a hung processor. With -2 it has two, and the host's clock.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tools/vnpu-vm"))
sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from vnpuvm import accel, initramfs, kernels, machine, module  # noqa: E402
from vnpuvm.errors import VmError  # noqa: E402
from vnpuvm.host import run  # noqa: E402

ARENA = 64 << 20
SECONDS = 400           # of one machine, boot included, on a busy host
# An engine that slept must not be treated as hung.
PARAMS = f"arena={ARENA} hang_timeout_ms=2000"
ICOUNT = 4              # an instruction takes 2^4 ns

SPLAT = re.compile(r"BUG: |WARNING: |Oops|Call Trace|Kernel panic|"
                   r"possible (circular|recursive) locking")


def build_init(directory):
    path = os.path.join(directory, "init")
    run(["gcc", "-O2", "-Wall", "-static", "-I", os.path.join(TOP, "uapi"),
         "-o", path, os.path.join(TOP, "selftests/vm/suspend.c")],
        "cannot compile suspend.c")
    return path


def build_initrd(init, image, region):
    with open(init, "rb") as f:
        program = f.read()
    parts = [("init", 0o100755, program), ("vnpu.ko", 0o100644, image),
             ("params-region", 0o100644,
              f"{PARAMS} region={region}".encode()),
             ("params-chunks", 0o100644, PARAMS.encode()),
             ("TRAILER!!!", 0, b"")]
    return b"".join(initramfs.cpio_entry(*part) for part in parts)


def boot(kernel, init, directory, two):
    """The lines of the console."""
    region = machine.Region(ARENA)
    kvm = bool(accel.kvm_verdict())
    two = two or kvm
    vm = machine.Machine(2 if two else 1,
                         512 << 20 if not kernel.is_debug else 2 << 30,
                         region, None if two else ICOUNT, kvm)
    initrd = os.path.join(directory, "initrd-" + kernel.release)
    with open(initrd, "wb") as f:
        f.write(build_initrd(
            init, module.load(module.find(kernel, TOP, None)), region))
    cmdline = machine.kernel_cmdline(kernel, region, ["no_console_suspend"])
    command = ["qemu-system-x86_64", "-nodefaults", "-no-user-config",
               "-display", "none", "-no-reboot", *vm.memory_args(),
               *vm.accel_args(), "-smp", str(vm.smp),
               "-kernel", kernel.image, "-initrd", initrd,
               "-append", " ".join(cmdline), "-serial", "stdio"]
    lines = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace") as qemu:
        limit = threading.Timer(SECONDS, qemu.kill)
        limit.start()
        for line in qemu.stdout:
            lines.append(line.rstrip("\r\n"))
            # Only the machine's own end follows.
            if line.startswith("end "):
                break
        limit.cancel()
        qemu.kill()
    return lines


class Tap:
    def __init__(self):
        self.number = 0
        self.failed = False

    def result(self, passed, name, text=""):
        self.number += 1
        self.failed |= not passed
        print("ok" if passed else "not ok", self.number, name)
        for line in text.splitlines():
            print("#", line)
        sys.stdout.flush()


def test(tap, series, init, directory, two):
    lines = boot(kernels.find(series, TOP), init, directory, two)
    for line in lines:
        if m := re.match(r"(not )?ok (\w+: .*)", line):
            tap.result(not m[1], f"{series}: {m[2]}")
        elif line.startswith("# "):
            print(line)
    whole = "end 0" in lines and not any(map(SPLAT.search, lines))
    tap.result(whole, f"{series}: to its end, without a splat",
               "" if whole else "\n".join(lines[-80:]))


def main(argv):
    tap = Tap()
    two = argv[1:2] == ["-2"]
    try:
        with tempfile.TemporaryDirectory() as directory:
            init = build_init(directory)
            for series in argv[2 if two else 1:] or ["6.1", "6.12"]:
                test(tap, series, init, directory, two)
    except VmError as e:
        tap.result(False, "a machine is made", str(e))
    print(f"1..{tap.number}")
    return tap.failed


if __name__ == "__main__":
    sys.exit(main(sys.argv))
