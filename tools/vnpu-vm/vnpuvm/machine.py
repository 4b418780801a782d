# SPDX-License-Identifier: GPL-2.0-only
"""The virtual machine: its memory map and QEMU's command line."""

import os
import re

from .errors import VmError
from .host import program

MIB = 1 << 20
GIB = 1 << 30

# QEMU's max-ram-below-4g splits the RAM: this much below, the rest from 4 GiB
# up. The carved region is the first of that rest, so it is always RAM, always
# aligned to 1 GiB, and of any size.
MAX_LOW = 2 * GIB
HIGH_BASE = 4 * GIB

UNITS = {"": 1, "K": 1 << 10, "M": MIB, "G": GIB, "T": 1 << 40}


def parse_size(text):
    match = re.fullmatch(r"(\d+)([KMGT]?)", text.upper())
    if not match or int(match[1]) == 0:
        raise ValueError(text)
    return int(match[1]) * UNITS[match[2]]


def round_up(value, step):
    return -(-value // step) * step


class Region:
    """Physical memory that the guest kernel does not use."""

    def __init__(self, size):
        self.base = HIGH_BASE
        self.size = round_up(size, 2 * MIB)

    def __str__(self):
        return f"{self.size:#x}${self.base:#x}"


class Machine:
    """icount: None, or n for instructions of 2^n ns by the machine's clock, which
    then stands still while the host does, and processors that take turns."""

    def __init__(self, smp, mem, region, icount, kvm):
        self.smp = smp
        self.mem = round_up(mem, MIB)
        self.region = region
        self.icount = icount
        self.kvm = kvm

    def accel_args(self):
        if self.kvm:
            return ["-accel", "kvm", "-cpu", "host"]
        # With erms or fsrm the kernel copies by rep movsb, which TCG runs
        # byte by byte.
        cpu = ["-cpu", "max,-erms,-fsrm"]
        if self.icount is not None:
            return ["-accel", "tcg,thread=single",
                    "-icount", f"shift={self.icount}"] + cpu
        return ["-accel", "tcg,thread=multi"] + cpu

    def memory_args(self):
        total = self.mem + (self.region.size if self.region else 0)
        # Without a region the default split would suffice; one rule is simpler.
        low = min(self.mem, MAX_LOW)
        return ["-machine", f"q35,max-ram-below-4g={low}",
                "-m", f"{total // MIB}M"]

    def command(self, kernel, initramfs, cmdline, cwd, console, channel):
        """QEMU's arguments; console and channel are sockets' numbers."""
        return [
            program("qemu-system-x86_64"), "-nodefaults", "-no-user-config",
            "-display", "none", "-no-reboot", "-name", "vnpu-vm",
            *self.memory_args(), *self.accel_args(), "-smp", str(self.smp),
            "-kernel", kernel.image, "-initrd", initramfs,
            "-append", " ".join(cmdline),
            "-chardev", f"socket,id=console,fd={console}",
            "-serial", "chardev:console",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=channel,fd={channel}",
            "-device", "virtserialport,chardev=channel,name=vnpu",
            *share_args("root", "/", "on"),
            *share_args("cwd", cwd, "off"),
        ]


def share_args(tag, path, readonly):
    escaped = path.replace(",", ",,")
    return ["-fsdev", f"local,id={tag},path={escaped},security_model=none,"
            f"multidevs=remap,readonly={readonly}",
            "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]


def kernel_cmdline(kernel, region, extra):
    words = [
        # Warnings and worse are printed on the console at once. At a panic the
        # console gets the whole log, as /dev/kmsg cannot be read any more.
        "console=ttyS0", "quiet", "loglevel=5", "panic=-1", "panic_print=32",
        "log_buf_len=4M", "printk.devkmsg=on",
        # Hangs and broken states end the machine.
        "oops=panic", "softlockup_panic=1", "hung_task_panic=1",
        "sysctl.kernel.panic_on_rcu_stall=1",
        # On a busy host the clock looks unstable; the watchdog then patches
        # sched_clock_cpu(), and an emulated CPU that runs it meanwhile can
        # handle the int3 of the patching as its own: "Oops: int3".
        "tsc=reliable",
    ]
    if kernel.is_debug:
        # identify_cpu() clears LA57 for a moment; KASAN then computes its
        # shadow for four levels, and an interrupt raises a false alarm.
        words += ["panic_on_warn=1", "no5lvl"]
        # The kernel only poisons pages if this option is set, even if it is
        # built in.
        words.append("page_poison=1")
    if region:
        words.append(f"memmap={region}")
    return words + extra


def shared_directory():
    """The caller's directory, which the guest may write to."""
    try:
        path = os.getcwd()
    except OSError as e:
        raise VmError(f"cannot tell the current directory: {e.strerror}")
    if path == "/":
        raise VmError("the current directory is /, and the guest writes to "
                      "it: change to another")
    for top in ("/proc", "/sys", "/dev"):
        if path == top or path.startswith(top + "/"):
            raise VmError(f"the current directory is in {top}, "
                          "which the guest has its own of")
    return path
