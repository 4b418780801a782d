# SPDX-License-Identifier: GPL-2.0-only
"""The cache directory: everything in it appears by rename, so existing entries
are complete, even after interrupted or concurrent runs.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile

from .errors import VmError


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(os.path.abspath(base), "vnpu")
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as e:
        raise VmError(f"cannot create the cache {path}: {e.strerror}")
    return path


@contextlib.contextmanager
def lock(name):
    """Hold the cache's lock of that name; waits for another run's."""
    with open(os.path.join(cache_dir(), name + ".lock"), "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def work_dir(name):
    """A directory to prepare an entry in, removed at the end. Call it with
    the lock held: a directory left there is then an interrupted run's."""
    prefix = f".{name}."
    for stale in os.listdir(cache_dir()):
        if stale.startswith(prefix):
            shutil.rmtree(os.path.join(cache_dir(), stale),
                          ignore_errors=True)
    path = tempfile.mkdtemp(prefix=prefix, dir=cache_dir())
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def write(name, data):
    """Write a file of the cache in one step. Returns its path."""
    path = os.path.join(cache_dir(), name)
    fd, tmp = tempfile.mkstemp(prefix=f".{name}.", dir=cache_dir())
    try:
        with open(fd, "wb") as f:
            f.write(data)
        os.rename(tmp, path)
    except BaseException:
        os.unlink(tmp)
        raise
    return path


def read_text(name):
    """The text of a file of the cache, or None."""
    try:
        with open(os.path.join(cache_dir(), name)) as f:
            return f.read()
    except FileNotFoundError:
        return None
