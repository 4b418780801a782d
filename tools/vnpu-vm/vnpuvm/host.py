# SPDX-License-Identifier: GPL-2.0-only
"""Programs of the host."""

import shutil
import subprocess

from .errors import VmError

PACKAGES = {
    "qemu-system-x86_64": "qemu-system-x86",
    "gcc": "gcc libc6-dev",
    "make": "make",
    "apt-get": "apt",
    "apt-cache": "apt",
    "dpkg-deb": "dpkg",
    "depmod": "kmod",
}


def program(name):
    """The path of a program, or an error that names its package."""
    path = shutil.which(name, path=None) or shutil.which(
        name, path="/usr/sbin:/sbin")
    if not path:
        raise VmError(f"{name} not found: apt-get install {PACKAGES[name]}")
    return path


def run(args, what, **kwargs):
    """Run a program; its output is shown only if it fails."""
    p = subprocess.run([program(args[0])] + args[1:],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, **kwargs)
    if p.returncode:
        lines = (p.stderr or p.stdout).strip().splitlines()
        raise VmError(f"{what}: " + (" ".join(lines[-3:]) or
                                     f"{args[0]} failed"))
    return p.stdout
