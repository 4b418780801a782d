# SPDX-License-Identifier: GPL-2.0-only
"""The initramfs: init, compiled, and the modules a kernel needs before it can
access the host's files. Both are cached under a hash of their contents.
"""

import glob
import gzip
import hashlib
import lzma
import os

from . import cache
from .errors import VmError
from .host import run

# Modules that init uses; a kernel has each as a module or built in.
DRIVERS = ("virtio_pci", "virtio_console", "9p", "9pnet_virtio", "overlay")

CFLAGS = ["-O2", "-Wall", "-static", "-s"]


def build_init(directory):
    """Compile the sources in the directory; returns the program's path."""
    sources = sorted(glob.glob(os.path.join(glob.escape(directory), "*.c")))
    headers = glob.glob(os.path.join(glob.escape(directory), "*.h"))
    digest = hashlib.sha256(" ".join(CFLAGS).encode())
    for path in sources + sorted(headers):
        with open(path, "rb") as f:
            digest.update(f.read())
    name = "init-" + digest.hexdigest()[:16]
    path = os.path.join(cache.cache_dir(), name)
    if not os.path.exists(path):
        with cache.lock("init"), cache.work_dir("init") as tmp:
            out = os.path.join(tmp, "init")
            run(["gcc", *CFLAGS, "-o", out, *sources],
                "cannot compile the guest's init")
            os.rename(out, path)
    return path


def module_name(path):
    return os.path.basename(path).split(".")[0].replace("-", "_")


def read_lines(path):
    try:
        with open(path) as f:
            return f.read().splitlines()
    except OSError as e:
        raise VmError(f"cannot read {path}: {e.strerror}")


def load_order(modules):
    """Paths of the modules to load, each after its dependencies."""
    builtin = {module_name(line) for line in
               read_lines(os.path.join(modules, "modules.builtin"))}
    depends = {}
    for line in read_lines(os.path.join(modules, "modules.dep")):
        path, _, rest = line.partition(":")
        depends[module_name(path)] = (path, rest.split())
    # virtio_pci of one kernel is two modules in another, according to
    # modules.dep.
    order = []
    for driver in DRIVERS:
        if driver in builtin:
            continue
        if driver not in depends:
            raise VmError(f"the kernel of {modules} has no {driver}")
        path, needed = depends[driver]
        # depmod lists the first to load last.
        for entry in [*reversed(needed), path]:
            if entry not in order:
                order.append(entry)
    return order


def read_module(path):
    """Return a module's image, decompressed if necessary."""
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(
        os.path.splitext(path)[1], open)
    try:
        with opener(path, "rb") as f:
            return f.read()
    except (OSError, lzma.LZMAError) as e:
        raise VmError(f"cannot read the module {path}: {e}")


def cpio_entry(name, mode, data=b""):
    """One file of a newc archive (driver-api/early-userspace/buffer-format). Its
    header is 110 bytes, and its parts are padded to 4."""
    encoded = name.encode() + b"\0"
    fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0]
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def build(kernel, directory):
    """The path of the kernel's initramfs."""
    init = build_init(directory)
    order = load_order(kernel.modules) if kernel.modules else []
    paths = [os.path.join(kernel.modules, entry) for entry in order]
    digest = hashlib.sha256(init.encode())
    for path in paths:
        st = os.stat(path)
        digest.update(f"{path} {st.st_size} {st.st_mtime_ns}\n".encode())
    name = f"initramfs-{kernel.release}-{digest.hexdigest()[:16]}"
    cached = os.path.join(cache.cache_dir(), name)
    if os.path.exists(cached):
        return cached

    with open(init, "rb") as f:
        parts = [cpio_entry("init", 0o100755, f.read()),
                 cpio_entry("modules", 0o040755)]
    for number, path in enumerate(paths):
        parts.append(cpio_entry(
            f"modules/{number:02}-{module_name(path)}.ko", 0o100644,
            read_module(path)))
    parts.append(cpio_entry("TRAILER!!!", 0))
    return cache.write(name, b"".join(parts))
