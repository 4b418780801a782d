# SPDX-License-Identifier: GPL-2.0-only
"""Finding a kernel to boot, and fetching it once.

A kernel is a directory of a package's layout: boot/vmlinuz-RELEASE beside
lib/modules/RELEASE. An installed kernel (/), an unpacked package in the
cache and the debug kernel all have it. The release wanted is that of the
installed headers, because modules are built against these.
"""

import glob
import hashlib
import os
import re
import shutil
import struct
import sys

from . import cache
from .errors import VmError
from .host import run

SERIES = ("6.1", "6.12")
# The kernels of selftests/vm/build-debug-kernel.sh, and their fragments.
DEBUG = {
    "debug": ("debug.config",),
    "kcsan": ("debug.config", "kcsan.config"),
    "rt": ("debug.config", "rt.config"),
    "gcov": ("debug.config", "gcov.config"),
}


class Kernel:
    def __init__(self, image, release, modules, build):
        self.image = image
        self.release = release
        self.modules = modules      # directory, or None
        self.build = build          # tree to build modules against, or None
        self.is_debug = release.rpartition("-vnpu-")[2] in DEBUG


def in_layout(root, release):
    """The kernel of that release below root, or None."""
    image = os.path.join(root, "boot", "vmlinuz-" + release)
    modules = os.path.join(root, "lib/modules", release)
    if not os.access(image, os.R_OK):
        return None
    # A headers package alone makes the directory, too.
    if not os.path.exists(os.path.join(modules, "modules.dep")):
        return None
    return Kernel(image, release, modules, build_tree(root, release))


def build_tree(root, release):
    headers = "linux-headers-" + release
    for tree in (os.path.join(root, "build"),
                 os.path.join("/lib/modules", release, "build"),
                 os.path.join("/usr/src", headers),
                 os.path.join(cache.cache_dir(), headers, "usr/src",
                              headers)):
        if os.path.exists(os.path.join(tree, "Module.symvers")):
            return tree
    return None


def version_key(text):
    """Orders 6.1.0-9 before 6.1.0-56."""
    return [(0, int(part)) if part.isdigit() else (1, part)
            for part in re.findall(r"\d+|\D+", text)]


def releases(pattern, series):
    """Releases of a series that a path pattern finds, newest first."""
    found = set()
    wanted = re.compile(re.escape(series) + r"\.\d[^/]*-amd64")
    flavours = ("-cloud-amd64", "-rt-amd64")
    for path in glob.glob(pattern):
        match = wanted.search(os.path.basename(path))
        if match and not match[0].endswith(flavours):
            found.add(match[0])
    return sorted(found, key=version_key, reverse=True)


def apt_release(series):
    """The release that apt's metapackages name, or None."""
    for package in (f"linux-image-{series}-amd64", "linux-image-amd64"):
        try:
            text = run(["apt-cache", "depends", "--", package], "apt-cache")
        except VmError:
            continue
        match = re.search(rf"Depends: linux-image-({re.escape(series)}\.\S+)",
                          text)
        if match:
            return match[1]
    return None


def fetch(release):
    """Unpack the release's package into the cache."""
    name = "linux-image-" + release
    root = os.path.join(cache.cache_dir(), name)
    with cache.lock(name):
        kernel = in_layout(root, release)
        if kernel:
            return kernel
        print(f"vnpu-vm: fetching the kernel {release}, once",
              file=sys.stderr)
        with cache.work_dir(name) as tmp:
            # The signed package depends on nothing to be unpacked; some
            # archives carry the unsigned one alone.
            try:
                run(["apt-get", "-q", "download", name],
                    f"cannot download {name}", cwd=tmp)
            except VmError:
                run(["apt-get", "-q", "download", name + "-unsigned"],
                    f"cannot download the kernel {release} "
                    "(try apt-get update)", cwd=tmp)
            [package] = glob.glob(os.path.join(glob.escape(tmp), "*.deb"))
            tree = os.path.join(tmp, "tree")
            run(["dpkg-deb", "-x", package, tree], f"cannot unpack {name}")
            run(["depmod", "-b", tree, release], f"cannot index {name}")
            headers = "/usr/src/linux-headers-" + release
            link = os.path.join(tree, "lib/modules", release, "build")
            if not os.path.lexists(link):
                os.symlink(headers, link)
            shutil.rmtree(root, ignore_errors=True)     # if damaged
            os.rename(tree, root)
    kernel = in_layout(root, release)
    if not kernel:
        raise VmError(f"{name} holds no vmlinuz and modules of {release}")
    return kernel


def find_series(series):
    root = cache.cache_dir()
    cached = os.path.join(root, "linux-image-")
    installed = releases("/usr/src/linux-headers-*", series)
    wanted = installed[:1] or list(filter(None, [apt_release(series)]))
    for release in wanted:
        kernel = in_layout(cached + release, release) or \
            in_layout("/", release)
        if kernel:
            return kernel
    error = VmError(f"no package of a {series} kernel is known to apt "
                    "(try apt-get update)")
    for release in wanted:
        try:
            return fetch(release)
        except VmError as e:
            error = e
    for release in releases(glob.escape(cached) + "*", series):
        kernel = in_layout(cached + release, release)
        if kernel:
            print(f"vnpu-vm: {error}; taking the cached {release}",
                  file=sys.stderr)
            return kernel
    raise error


def find_debug(flavour, checkout):
    """Return the debug kernel for the checkout's fragments."""
    script = os.path.join(checkout, "selftests/vm/build-debug-kernel.sh")
    digest = hashlib.sha256()
    try:
        for fragment in DEBUG[flavour]:
            with open(os.path.join(checkout, "selftests/vm", fragment),
                      "rb") as f:
                digest.update(f.read())
    except OSError as e:
        raise VmError(f"no {flavour} kernel without the checkout's "
                      f"selftests/vm/{fragment}: {e.strerror}")
    pattern = os.path.join(
        glob.escape(cache.cache_dir()),
        f"{flavour}-*-{digest.hexdigest()[:12]}/boot/vmlinuz-*")
    images = sorted(glob.glob(pattern), key=version_key)
    if not images:
        raise VmError(f"the {flavour} kernel is not built: "
                      f"run {script} {flavour}")
    root = os.path.dirname(os.path.dirname(images[-1]))
    release = os.path.basename(images[-1])[len("vmlinuz-"):]
    kernel = in_layout(root, release)
    if not kernel:
        raise VmError(f"the {flavour} kernel in {root} has no modules")
    return kernel


def image_release(path):
    """Return the release in a bzImage (Documentation/arch/x86/boot.rst)."""
    try:
        with open(path, "rb") as f:
            head = f.read(0x210)
            if head[0x202:0x206] != b"HdrS":
                raise VmError(f"{path} is not an x86 kernel image")
            f.seek(struct.unpack_from("<H", head, 0x20e)[0] + 0x200)
            return f.read(256).split(b"\0")[0].split()[0].decode()
    except OSError as e:
        raise VmError(f"cannot read the kernel {path}: {e.strerror}")
    except (IndexError, UnicodeDecodeError, struct.error):
        raise VmError(f"{path} does not say its release")


def find_path(path):
    path = os.path.abspath(path)
    release = image_release(path)
    root = os.path.dirname(os.path.dirname(path))
    for place in (root, "/"):
        modules = os.path.join(place, "lib/modules", release)
        if os.path.exists(os.path.join(modules, "modules.dep")):
            return Kernel(path, release, modules, build_tree(place, release))
    return Kernel(path, release, None, build_tree("/", release))


def find(name, checkout):
    if name in SERIES:
        return find_series(name)
    if name in DEBUG:
        return find_debug(name, checkout)
    if "/" not in name and not os.path.exists(name):
        raise VmError(f"no kernel {name}: give "
                      f"{', '.join(SERIES + tuple(DEBUG))} or a file")
    return find_path(name)
