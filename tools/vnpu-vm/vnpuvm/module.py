# SPDX-License-Identifier: GPL-2.0-only
"""Find vnpu.ko for a kernel, and build it if possible."""

import glob
import os

from . import cache
from .errors import VmError
from .host import run
from .initramfs import read_module


def find(kernel, checkout, explicit):
    """The path of the module."""
    if explicit:
        return os.path.abspath(explicit)
    built = os.path.join(checkout, "build/kmod", kernel.release, "vnpu.ko")
    if os.path.exists(built):
        return built
    if kernel.modules:
        for place in ("updates/dkms", "updates", "extra"):
            found = glob.glob(os.path.join(glob.escape(kernel.modules), place,
                                           "vnpu.ko*"))
            if found:
                return found[0]
    # The booted kernel may be a copy of the one DKMS built for.
    found = glob.glob(f"/lib/modules/{kernel.release}/updates/dkms/vnpu.ko*")
    if found:
        return found[0]
    if not os.path.exists(os.path.join(checkout, "Kbuild")):
        raise VmError(f"no vnpu.ko for {kernel.release}: install it by DKMS, "
                      "or name one with --module")
    if not kernel.build:
        raise VmError(f"no vnpu.ko for {kernel.release} and no headers to "
                      f"build it: apt-get install linux-headers-"
                      f"{kernel.release}")
    with cache.lock("kmod-" + kernel.release):
        # Without the variables of a make that may have called us.
        environ = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        run(["make", "-C", checkout, "modules", f"KDIR={kernel.build}",
             "B=build"], f"cannot build vnpu.ko for {kernel.release}",
            env=environ)
    if not os.path.exists(built):
        raise VmError(f"make modules KDIR={kernel.build} made no {built}")
    return built


def load(path):
    image = read_module(path)
    if not image.startswith(b"\x7fELF"):
        raise VmError(f"{path} is not a kernel module")
    return image
